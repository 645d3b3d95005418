// docs/studio.md as printed: from nothing to a walking robot. With PICTURES=FOLDER it also takes the pictures of that page.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, button, choose, dragCells, fillIn, key, radio, still, tab, test, until, voxelCount } from './harness.mjs';
import { BINARY, openPage, settled, startServer } from './studio.mjs';

test('the walkthrough: a walker in 18 actions, and a crawler', async ({ browser, folder }) => {
  const place = join(folder, 'walkthrough');
  mkdirSync(place);
  const server = await startServer(place);
  const { page, errors } = await openPage(browser, server.url);
  const picture = async (name) => {
    if (!process.env.PICTURES) return;
    await page.waitForTimeout(600);
    await page.evaluate(() => window.voxelastic.notices.value.forEach((n) => window.voxelastic.dismiss(n.id)));
    await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`), scale: 'device' });
  };
  if (process.env.PICTURES) {
    await page.evaluate(() => localStorage.setItem('voxelastic.theme', '"light"'));
    await sharp(browser, page);
    await page.reload();
  }
  await settled(page);

  // What a hand does: each click, drag, key or field counts.
  let actions = 0;
  const act = async (work) => {
    actions++;
    await work();
  };
  const press = (k) => act(() => key(page, k));
  const muscle = async () => {
    await act(() => button(page, 'Library').click());
    await act(() => page.getByRole('dialog', { name: 'Library of materials' }).getByRole('button', { name: /^muscle/ }).first().click());
  };
  const save = async (name) => {
    await press('Control+s');
    await act(async () => {
      await page.getByRole('textbox', { name: 'File name' }).fill(name);
      await page.keyboard.press('Enter');
    });
    await until(page, 'saved', (n) => window.voxelastic.info.value.file === n && window.voxelastic.info.value.saved, name);
  };

  // 1. A muscle.
  await muscle();

  // 2. Four legs.
  await press('Alt+6');
  await still(page);
  await press('x');
  await act(() => fillIn(page, 'Depth', 4));
  await press('Shift+M');
  for (const x of [4, 12]) await act(() => dragCells(page, [x, 6, 0], [x + 1, 7, 0]));
  assert.equal(await voxelCount(page), 64);
  await picture('studio-legs');

  // 3. The body.
  await press('1');
  await act(() => fillIn(page, 'Layer number', 4));
  await act(() => fillIn(page, 'Depth', 2));
  await act(() => dragCells(page, [4, 6, 4], [13, 9, 4]));
  assert.equal(await voxelCount(page), 64 + 160);

  // 4. The gait.
  await act(() => radio(page, 'What drawing sets', 'Phase'));
  await act(() => radio(page, 'Brush', 'Formula'));
  await act(() => fillIn(page, 'Formula', '0.15 + 0.7*mod(x,2) + 0.5*(x>9) + 0.5*(y>9)'));
  if (process.env.PICTURES) {
    await key(page, 'h');
    await key(page, 'Alt+1');
    await still(page);
    await key(page, 'f');
    await picture('studio-phase');
  }
  await settled(page);
  assert.equal(await page.getByTestId('check').innerText(), 'valid');

  // 5. Play.
  if (!process.env.PICTURES) await choose(page, 'Speed', 'max'); // nobody waits
  await press('Space');
  if (process.env.PICTURES) await key(page, 'Alt+1');
  await until(page, 'three seconds', () => window.voxelastic.sim.value?.time > 3);
  const moved = await page.evaluate(() => window.voxelastic.sim.value.center_of_mass[0] - 0.09);
  assert.ok(moved > 0.05, `it walked ${moved} m in three seconds`);
  await page.getByRole('combobox', { name: 'Colour by' }).selectOption('strain');
  await picture('studio-walk');

  // 6. Save; the command line agrees.
  await save('walker.json');
  assert.ok(actions <= 18, `the walker took ${actions} actions`);
  execFileSync(BINARY, ['run', 'walker.json', '--time', '5', '-q', '-o', 'walk'], { cwd: place });
  const summary = JSON.parse(readFileSync(join(place, 'walk', 'summary.json'), 'utf8'));
  const distance = summary.center_of_mass_end[0] - summary.center_of_mass_start[0];
  assert.ok(distance > 0.2, `${distance} m in five seconds`);

  // A crawler: a wave of swelling goes through it.
  await page.evaluate(() => window.voxelastic.newScene());
  await settled(page);
  actions = 0;
  await muscle();
  await press('Alt+6');
  await still(page);
  await press('x');
  await act(() => fillIn(page, 'Depth', 3));
  await act(() => dragCells(page, [2, 8, 0], [17, 11, 0]));
  await act(() => radio(page, 'What drawing sets', 'Phase'));
  await act(() => radio(page, 'Brush', 'Gradient'));
  await act(() => fillIn(page, 'To', 2));
  await act(() => button(page, 'Apply').click());
  await press('Space');
  await until(page, 'three seconds', () => window.voxelastic.sim.value?.time > 3);
  const crawled = await page.evaluate(() => window.voxelastic.sim.value.center_of_mass[0] - 0.1);
  assert.ok(Math.abs(crawled) > 0.01, `it crawled ${crawled} m in three seconds`);
  if (process.env.PICTURES) {
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('growth');
    await key(page, 'Alt+1');
    await still(page);
    await key(page, 'f');
  }
  await picture('studio-crawler');
  await save('crawler.json');
  assert.ok(actions < 20, `the crawler took ${actions} actions`);
  console.log(`      walker ${moved.toFixed(3)} m in 3 s and ${distance.toFixed(3)} m in 5 s by run; crawler ${crawled.toFixed(3)} m`);
  if (process.env.PICTURES) await otherPictures(browser, page, picture, join(place, 'walk', 'replay.html'));
  assert.deepEqual(errors, []);
  await page.close();
  await server.stop();
});

// Pictures are taken at twice the size, to be scaled down: edges come out smooth.
async function sharp(browser, page) {
  const session = await browser.newCDPSession(page);
  await session.send('Emulation.setDeviceMetricsOverride', { width: 1280, height: 720, deviceScaleFactor: 2, mobile: false });
}

async function otherPictures(browser, page, picture, replay) {
  await page.evaluate(() => window.voxelastic.openDemo('cantilever'));
  await settled(page);
  await tab(page, 'Regions');
  await page.getByRole('list', { name: 'Regions' }).getByRole('button', { name: /^tip/ }).click();
  await picture('studio-regions');
  const other = await openPage(browser, `file://${replay}`);
  await sharp(browser, other.page);
  await other.page.reload();
  const slider = other.page.getByRole('slider', { name: 'Time' });
  await slider.fill(String(0.6 * Number(await slider.getAttribute('max'))));
  await other.page.getByRole('button', { name: 'View options' }).click();
  await other.page.getByRole('radio', { name: 'Skin' }).click();
  await other.page.getByRole('button', { name: 'View options' }).click();
  await other.page.waitForTimeout(1000);
  await other.page.screenshot({ path: join(process.env.PICTURES, 'studio-replay.png'), scale: 'device' });
  await other.page.close();
}
