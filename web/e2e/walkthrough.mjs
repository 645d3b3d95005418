// docs/studio.md as printed: from nothing to a walking robot. With PICTURES=FOLDER it also takes the pictures of that page.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, button, dragCells, fillIn, key, radio, tab, test, until, voxelCount } from './harness.mjs';
import { BINARY, openPage, settled, startServer } from './studio.mjs';

test('the walkthrough: from nothing to a walking robot', async ({ browser, folder }) => {
  const place = join(folder, 'walkthrough');
  mkdirSync(place);
  const server = await startServer(place);
  const { page, errors } = await openPage(browser, server.url);
  page.setDefaultTimeout(60000);
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

  // 1. Two materials.
  await button(page, 'Add material').click();
  await fillIn(page, 'Name', 'muscle');
  await fillIn(page, 'Expansion', '0.01');

  // 2. Four legs.
  await key(page, 'Alt+6');
  await page.waitForTimeout(350);
  await key(page, 'x');
  await fillIn(page, 'Depth', 4);
  for (const [x, y] of [[4, 6], [12, 6], [4, 11], [12, 11]]) await dragCells(page, [x, y, 0], [x + 1, y + 1, 0]);
  assert.equal(await voxelCount(page), 64);
  await picture('studio-legs');

  // 3. The body.
  await key(page, '1');
  for (let i = 0; i < 4; i++) await key(page, ']');
  await fillIn(page, 'Depth', 2);
  await dragCells(page, [4, 6, 4], [13, 12, 4]);
  assert.equal(await voxelCount(page), 64 + 140);

  // 4. The gait.
  for (let i = 0; i < 4; i++) await key(page, '[');
  await fillIn(page, 'Depth', 4);
  await radio(page, 'What drawing sets', 'Phase');
  for (const [phase, columns] of [[0.15, [[4, 6], [12, 11]]], [0.85, [[5, 6], [13, 11]]], [0.65, [[4, 11], [12, 6]]], [0.35, [[5, 11], [13, 6]]]]) {
    await fillIn(page, 'Phase', phase);
    for (const [x, y] of columns) await dragCells(page, [x, y, 0], [x, y + 1, 0]);
  }
  await key(page, 'Alt+1');
  await page.waitForTimeout(350);
  await key(page, 'f');
  await picture('studio-phase');
  await radio(page, 'What drawing sets', 'Material');

  // 5. A signal.
  await tab(page, 'Environment');
  await button(page, 'Add signal').click();
  await fillIn(page, 'Period', '0.5 s');
  await settled(page);
  assert.equal(await page.getByTestId('check').innerText(), 'valid');

  // 6. Play.
  await key(page, 'Space');
  await until(page, 'two seconds', () => window.voxelastic.sim.value?.time > 2);
  const moved = await page.evaluate(() => window.voxelastic.sim.value.center_of_mass[0] - 0.09);
  assert.ok(moved > 0.05, `it walked ${moved} m in two seconds`);
  await page.getByRole('combobox', { name: 'Colour by' }).selectOption('strain');
  await picture('studio-walk');
  await key(page, 'Space');

  // 7. Save; the command line agrees.
  await key(page, 'Control+s');
  await page.getByRole('textbox', { name: 'File name' }).fill('walker.json');
  await page.getByRole('button', { name: 'Save', exact: true }).last().click();
  await until(page, 'saved', () => window.voxelastic.info.value.file === 'walker.json' && window.voxelastic.info.value.saved);
  execFileSync(BINARY, ['run', 'walker.json', '--time', '5', '-q', '-o', 'walk'], { cwd: place });
  const summary = JSON.parse(readFileSync(join(place, 'walk', 'summary.json'), 'utf8'));
  const distance = summary.center_of_mass_end[0] - summary.center_of_mass_start[0];
  assert.ok(distance > 0.3, `${distance} m in five seconds`);
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
  await other.page.getByRole('slider', { name: 'Time' }).fill('200');
  await other.page.getByRole('button', { name: 'View options' }).click();
  await other.page.getByRole('radio', { name: 'Skin' }).click();
  await other.page.getByRole('button', { name: 'View options' }).click();
  await other.page.waitForTimeout(1000);
  await other.page.screenshot({ path: join(process.env.PICTURES, 'studio-replay.png'), scale: 'device' });
  await other.page.close();
}
