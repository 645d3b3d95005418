// The editor for designs: symmetry, selections, copies in hand, brushes and formulas, parts, the library, bearings, fingers. Edits with their undo.
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { assert, at, button, choose, clickCell, dragCells, fillIn, key, radio, sceneObject, still, tab, test, undoable, until, voxelCount } from './harness.mjs';
import { openPage, settled, startServer } from './studio.mjs';

const count = async (page, n, what) => assert.equal(await voxelCount(page), n, what);
const get = (page, channel, x, y, z) => page.evaluate(([c, i, j, k]) => { const { grid } = window.voxelastic.doc; return grid.get(c, grid.index(i, j, k)); }, [channel, x, y, z]);
const selected = (page) => page.getByTestId('selected').innerText().then((t) => Number(/^[\d,]+/.exec(t)[0].replace(/,/g, '')));

async function fresh({ page }) {
  await page.evaluate(() => window.voxelastic.newScene());
  await until(page, 'an empty scene', () => window.voxelastic.doc.grid.count() === 0 && window.voxelastic.doc.done.value.length === 0);
  await key(page, 'Alt+6');
  await still(page);
}
const open = async (page, title) => {
  const b = page.getByRole('button', { name: title }).first();
  if ((await b.getAttribute('aria-expanded')) === 'false') await b.click();
};

test('symmetry: mirror planes, turned copies, copies that swing later', async (c) => {
  const { page } = c;
  await fresh(c);
  await open(page, /^Symmetry/);
  await button(page, 'Mirror across x').click();
  await button(page, 'Mirror across y').click();
  await key(page, 'b');
  await undoable(page, 'four corners', () => dragCells(page, [2, 3, 0], [4, 3, 0]));
  await count(page, 12, 'each of three cells four times');
  assert.equal(await page.evaluate(() => window.voxelastic.doc.grid.at(17, 16, 0)), 1);
  await button(page, 'Mirror across x').click();
  await radio(page, 'What drawing sets', 'Phase');
  await fillIn(page, 'Phase', 0.25);
  await fillIn(page, 'Copies swing later by', 0.5);
  await undoable(page, 'phases half a cycle apart', () => dragCells(page, [2, 3, 0], [4, 3, 0]));
  assert.equal(await get(page, 'phase', 3, 3, 0), 0.25);
  assert.equal(await get(page, 'phase', 3, 16, 0), 0.75);
  await radio(page, 'What drawing sets', 'Material');
  await button(page, 'Mirror across y').click();
  await choose(page, 'Turned copies', '4');
  await key(page, 'x');
  await fillIn(page, 'Depth', 1);
  await undoable(page, 'four arms', () => dragCells(page, [12, 9, 0], [14, 9, 0]));
  await count(page, 24, 'three cells, four times');
  for (const [x, y] of [[12, 9], [10, 12], [7, 10], [9, 7]]) assert.equal(await page.evaluate(([a, b]) => window.voxelastic.doc.grid.at(a, b, 0), [x, y]), 1, `${x}, ${y}`);
  await choose(page, 'Turned copies', '1');
  await key(page, 'Shift+M');
  assert.deepEqual(await page.evaluate(() => document.querySelector('[aria-label="Mirror across y"]').getAttribute('aria-pressed')), 'true');
  await key(page, 'Shift+M');
});

test('selections add, subtract, grow, and pick by what voxels have in common; numbers place them', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'r');
  await dragCells(page, [2, 2, 0], [6, 6, 0]);
  await button(page, 'Add material').click();
  await dragCells(page, [4, 4, 0], [4, 4, 0]);
  await key(page, 'v');
  await dragCells(page, [2, 2, 0], [3, 3, 0]);
  assert.equal(await selected(page), 4);
  await radio(page, 'New selections', 'Add');
  await dragCells(page, [6, 6, 0], [6, 6, 0]);
  assert.equal(await selected(page), 5);
  await radio(page, 'New selections', 'Less');
  await dragCells(page, [2, 2, 0], [2, 2, 0]);
  assert.equal(await selected(page), 4);
  await radio(page, 'New selections', 'New');
  await button(page, 'Grow').click();
  assert.equal(await selected(page), 11);
  await key(page, 'Escape');
  await fillIn(page, 'Place (cells) x', 3);
  await fillIn(page, 'Place (cells) y', 3);
  await fillIn(page, 'Size (cells) x', 3);
  await fillIn(page, 'Size (cells) y', 2);
  assert.deepEqual(await page.evaluate(() => window.voxelastic.doc.selection.value), { low: [3, 3, 0], high: [5, 4, 0] });
  await key(page, '2');
  await undoable(page, 'fill what was typed', () => button(page, 'Fill selection').click());
  await button(page, 'Same material').click();
  assert.equal(await selected(page), 6);
  await button(page, 'Shrink').click();
  await key(page, 'w');
  await radio(page, 'Pick by', 'Material');
  await clickCell(page, [2, 2, 0]);
  assert.equal(await selected(page), 19);
  await undoable(page, 'delete what the wand picked', () => key(page, 'Delete'));
  await count(page, 6, 'the others stay');
  await radio(page, 'Pick by', 'Connected');
});

test('a copy in hand follows the pointer, turns, and is put down; duplicate by dragging; repeat', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'l');
  await dragCells(page, [2, 2, 0], [5, 2, 0]);
  await key(page, 'v');
  await dragCells(page, [2, 2, 0], [5, 2, 0]);
  await key(page, 'Control+d');
  const p = await at(page, 12.5, 12.5, 0.5);
  await page.mouse.move(p.x, p.y);
  await until(page, 'the ghost under the pointer', () => window.voxelasticStage.viewer.other.group.visible);
  await key(page, 't'); // a quarter turn in hand
  await page.mouse.move(p.x + 1, p.y);
  await undoable(page, 'put down', () => page.mouse.click(p.x, p.y));
  await count(page, 8, 'four more');
  assert.equal(await page.evaluate(() => window.voxelastic.doc.grid.at(12, 13, 0)), 1, 'turned');
  await key(page, 'Escape');
  await dragCells(page, [2, 2, 0], [5, 2, 0]);
  await undoable(page, 'duplicate', () => dragCells(page, [3, 2, 0], [3, 6, 0], 'Control'));
  await count(page, 12, 'and four more');
  assert.equal(await page.evaluate(() => window.voxelastic.doc.grid.at(3, 2, 0) + window.voxelastic.doc.grid.at(3, 6, 0)), 2);
  await page.getByRole('spinbutton', { name: 'Copies' }).fill('3');
  await fillIn(page, 'Each further by (cells) x', 0);
  await fillIn(page, 'Each further by (cells) y', 2);
  await fillIn(page, 'Each later by', 0.25);
  const after = await undoable(page, 'repeat', () => button(page, 'Repeat').click());
  await count(page, 24, 'three copies');
  assert.equal(await get(page, 'phase', 3, 12, 0), 0.75, JSON.stringify(after.actuation));
});

test('gradient, wave and formula: phase, stiffness, materials', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'r');
  await dragCells(page, [4, 4, 0], [13, 6, 0]);
  await radio(page, 'What drawing sets', 'Phase');
  await radio(page, 'Brush', 'Gradient');
  await fillIn(page, 'To', 1.8);
  await undoable(page, 'a gradient of phases', () => button(page, 'Apply').click());
  assert.ok(Math.abs((await get(page, 'phase', 9, 5, 0)) - 0.0) < 1e-9, 'half way: one cycle');
  assert.ok(Math.abs((await get(page, 'phase', 5, 5, 0)) - 0.2) < 1e-9);
  await radio(page, 'Brush', 'Formula');
  await fillIn(page, 'Formula', '0.5*(y > 4) + nonsense');
  await page.getByText('is not known').waitFor();
  await undoable(page, 'a formula', () => fillIn(page, 'Formula', '0.5*(y > 4)')); // Enter applies it
  assert.equal(await get(page, 'phase', 9, 4, 0), 0);
  assert.equal(await get(page, 'phase', 9, 6, 0), 0.5);
  await radio(page, 'What drawing sets', 'Stiffness');
  await radio(page, 'Brush', 'Wave');
  await choose(page, 'Along', 'point');
  await fillIn(page, 'From', '100 kPa');
  await fillIn(page, 'To', '300 kPa');
  const scene = await undoable(page, 'a wave of stiffness', () => button(page, 'Apply').click());
  assert.ok(scene.fields.stiffness.values.length > 3);
  await settled(page);
  assert.equal(await page.getByTestId('check').innerText(), 'valid');
  await key(page, 'r'); // brushes draw, too
  await radio(page, 'Brush', 'Plain');
  await fillIn(page, 'Stiffness', '2 MPa');
  await undoable(page, 'paint stiffness', () => dragCells(page, [4, 4, 0], [5, 4, 0]));
  assert.equal(await get(page, 'stiffness', 5, 4, 0), 2e6);
  await radio(page, 'What drawing sets', 'Material');
  await button(page, 'Add material').click();
  await fillIn(page, 'Young’s modulus', '16 MPa');
  await key(page, '1');
  await radio(page, 'Brush', 'Gradient');
  await choose(page, 'To material', '2');
  await choose(page, 'Along', 'x');
  await fillIn(page, 'Steps', 5);
  const after = await undoable(page, 'from rubber to another in five steps', () => button(page, 'Apply').click());
  assert.equal(after.materials.length, 5);
  assert.deepEqual(after.materials.slice(2).map((m) => m.youngs_modulus / 1e6), [2, 4, 8]);
  await radio(page, 'Brush', 'Formula');
  await undoable(page, 'a disc by a formula', () => fillIn(page, 'Formula', '(x - 10)^2 + (y - 14)^2 < 9 ? 2 : v'));
  assert.equal(await page.evaluate(() => window.voxelastic.doc.grid.at(10, 14, 7)), 2);
  await radio(page, 'Brush', 'Plain');
});

test('parts: separate ones are not bonded; hidden, locked, renamed, deleted', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'x');
  await fillIn(page, 'Depth', 2);
  await dragCells(page, [4, 4, 0], [6, 6, 0]);
  await key(page, ']');
  await key(page, ']');
  await dragCells(page, [4, 4, 2], [6, 6, 2]);
  await settled(page);
  assert.equal(await page.evaluate(() => window.voxelastic.info.value.bodies), 1, 'bonded at first');
  await key(page, 'v');
  await dragCells(page, [4, 4, 2], [6, 6, 2]);
  await tab(page, 'Parts');
  let after = await undoable(page, 'a separate part', () => button(page, 'New separate part').click());
  assert.deepEqual(after.parts, [{ name: 'part', separate: true }]);
  await settled(page);
  assert.equal(await page.evaluate(() => window.voxelastic.info.value.bodies), 2, 'not bonded any more');
  after = await undoable(page, 'bond it', () => button(page, 'Bond part').click());
  assert.deepEqual(after.parts, [{ name: 'part' }]);
  await button(page, 'Separate part').last().click();
  after = await undoable(page, 'rename', () => fillIn(page, 'Name', 'ball'));
  assert.equal(after.parts[0].name, 'ball');
  await button(page, 'Hide ball').click();
  await tab(page, 'Draw');
  await key(page, 'h');
  assert.equal(await page.evaluate(() => window.voxelasticStage.viewer.body.mesh.voxel.length), 18, 'half of it is seen');
  await tab(page, 'Parts');
  await button(page, 'Show ball').click();
  await button(page, 'Lock ball').click();
  await key(page, 'Control+a');
  await key(page, 'Delete');
  await count(page, 18, 'the locked part stays');
  await key(page, 'Control+z');
  await tab(page, 'Parts');
  await button(page, 'Unlock ball').click();
  await key(page, 'Space'); // it falls apart into two bodies that touch
  await until(page, 'motion', () => window.voxelastic.sim.value?.time > 0.1);
  assert.ok((await page.evaluate(() => window.voxelastic.sim.value)).bodies === 2);
  await key(page, 'Control+e');
  await tab(page, 'Parts');
  await undoable(page, 'delete the part', () => button(page, 'Delete part ball').click());
  await count(page, 36, 'its voxels stay');
  await tab(page, 'Draw');
});

test('the library: a material with its source, and the signal a muscle needs', async (c) => {
  const { page } = c;
  await fresh(c);
  await button(page, 'Library').click();
  const dialog = page.getByRole('dialog', { name: 'Library of materials' });
  assert.ok((await dialog.innerText()).includes('Smooth-On'));
  await dialog.getByRole('button', { name: /^Ecoflex 00-30/ }).click();
  assert.equal((await sceneObject(page)).materials[1].youngs_modulus, 6.9e4);
  const after = await undoable(page, 'muscle', async () => {
    await button(page, 'Library').click();
    await dialog.getByRole('button', { name: /^muscle An|^muscle 1/ }).click();
  });
  assert.equal(after.materials[2].expansion, 0.01);
  assert.equal(after.signals[0].start, after.signals[0].period, 'it grows in over the first cycle');
});

test('bearings: view cube, rulers, measuring, one layer, thumbnails', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'r');
  await dragCells(page, [4, 4, 0], [13, 6, 0]);
  await key(page, 'Alt+1');
  await still(page);
  await button(page, 'Look at the front').click();
  await until(page, 'the front, without perspective', () => window.voxelasticStage.viewer.rig.orthographic && Math.abs(window.voxelasticStage.viewer.rig.elevation) < 1e-3);
  await button(page, 'Look from the corner').click();
  await until(page, 'the corner', () => !window.voxelasticStage.viewer.rig.orthographic && window.voxelasticStage.viewer.rig.elevation > 0.3);
  const labels = await page.locator('.label.axis').allInnerTexts();
  assert.deepEqual(labels.sort(), ['x [mm]', 'y [mm]', 'z [mm]']);
  assert.ok((await page.locator('.label.tick').allInnerTexts()).includes('100'));
  await button(page, 'Measure').click();
  await dragCells(page, [4, 4, 0], [7, 8, 0]);
  await page.getByText('50 mm', { exact: false }).first().waitFor();
  await key(page, 'Escape');
  assert.equal(await button(page, 'Measure').getAttribute('aria-pressed'), 'false');
  await key(page, 'x');
  await fillIn(page, 'Layer number', 3);
  await button(page, 'Only this layer').click();
  await until(page, 'straight from above', () => Math.abs(window.voxelasticStage.viewer.rig.elevation - Math.PI / 2) < 1e-3);
  assert.equal(await page.evaluate(() => window.voxelasticStage.viewer.faded.group.visible || window.voxelasticStage.viewer.body.mesh.voxel.length > 0), false, 'an empty layer is empty');
  await key(page, 'j');
  await key(page, 'Control+o');
  await tab(page, 'Demos');
  await page.locator('img.thumb').nth(3).waitFor();
  await button(page, 'Close').click();
  await key(page, 'Control+Shift+s');
  await page.getByRole('dialog', { name: 'Save as' }).waitFor();
  await page.keyboard.press('Escape');
});

test('fingers: one draws, two turn and zoom and never draw; all is reachable at 800 x 600', async ({ browser, folder }) => {
  const place = join(folder, 'touch');
  mkdirSync(place);
  const server = await startServer(place);
  const { page, errors } = await openPage(browser, server.url, { width: 800, height: 600 });
  await settled(page);
  const cdp = await browser.newCDPSession(page);
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 });
  const touch = (type, points) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((p, id) => ({ x: p.x, y: p.y, id })) });
  await key(page, 'Alt+6');
  await still(page);
  const a = await at(page, 8.5, 8.5, 0.5);
  const b = await at(page, 12.5, 8.5, 0.5);
  await touch('touchStart', [a]);
  await touch('touchMove', [b]);
  await touch('touchEnd', []);
  assert.equal(await voxelCount(page), 5, 'a finger draws');
  await key(page, 'Control+z');
  assert.equal(await voxelCount(page), 0, 'and it can be undone');
  const before = await page.evaluate(() => { const { rig } = window.voxelasticStage.viewer; return [rig.azimuth, rig.distance]; });
  await touch('touchStart', [a]); // the first finger is down a moment before the second
  await touch('touchStart', [a, b]);
  for (let i = 1; i <= 4; i++) await touch('touchMove', [{ x: a.x - 8 * i, y: a.y }, { x: b.x + 20 * i, y: b.y }]);
  await touch('touchEnd', [{ x: a.x - 32, y: a.y }]);
  await touch('touchMove', [{ x: a.x - 60, y: a.y + 30 }]);
  await touch('touchEnd', []);
  assert.equal(await voxelCount(page), 0, 'a pinch draws nothing');
  assert.equal(await page.evaluate(() => window.voxelastic.doc.done.value.length), 0);
  const after = await page.evaluate(() => { const { rig } = window.voxelasticStage.viewer; return [rig.azimuth, rig.distance]; });
  assert.ok(after[1] < before[1] * 0.9, 'it zooms');
  assert.notEqual(after[0], before[0], 'it turns');
  for (const name of ['Save', 'Help', 'Undo', 'Hide the panels', 'Keyboard and mouse'].filter((n) => n !== 'Help')) {
    const box = await button(page, name).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 801, `${name} is on the screen: ${JSON.stringify(box)}`);
  }
  await button(page, 'Hide the panels').click();
  await button(page, 'Show the panels').click();
  for (const name of ['Parts', 'Regions', 'Environment', 'Scene', 'Draw']) await tab(page, name);
  assert.deepEqual(errors, []);
  await page.close();
  await server.stop();
});
