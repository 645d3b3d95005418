// Every kind of edit, with the mouse and the keyboard, each with its undo and redo.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, at, button, choose, clickCell, drag, dragCells, fillIn, key, radio, sceneObject, still, tab, test, toggle, undoable, until, voxelCount } from './harness.mjs';
import { settled } from './studio.mjs';

const tool = (page, name) => button(page, name).click();
const count = async (page, n, what) => assert.equal(await voxelCount(page), n, what);

async function fresh({ page }) {
  await page.evaluate(() => window.voxelastic.newScene());
  await until(page, 'an empty scene', () => window.voxelastic.doc.grid.count() === 0 && window.voxelastic.doc.done.value.length === 0);
  await key(page, 'Alt+6'); // from the top, layers of z face the eye
  await still(page);
}

test('draw: pencil, line, rectangle, ellipse', async (c) => {
  const { page } = c;
  await fresh(c);
  await tool(page, 'Pencil');
  await undoable(page, 'pencil', () => dragCells(page, [2, 2, 0], [6, 2, 0]));
  await count(page, 5, 'pencil');
  await key(page, 'l');
  await undoable(page, 'line', () => dragCells(page, [2, 4, 0], [6, 8, 0]));
  await count(page, 10, 'line');
  await key(page, 'r');
  await undoable(page, 'rectangle', () => dragCells(page, [10, 2, 0], [13, 4, 0]));
  await count(page, 22, 'rectangle');
  await toggle(page, 'Outline');
  await undoable(page, 'rectangle outline', () => dragCells(page, [10, 8, 0], [14, 12, 0]));
  await count(page, 38, 'rectangle outline');
  await toggle(page, 'Outline');
  await key(page, 'e');
  await undoable(page, 'ellipse', () => dragCells(page, [2, 12, 0], [6, 16, 0]));
  await count(page, 38 + 21, 'ellipse');
});

test('draw: fill layer and volume, erase, take material', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'x');
  await fillIn(page, 'Depth', 3);
  await undoable(page, 'box', () => dragCells(page, [4, 4, 0], [8, 8, 0]));
  await count(page, 75, 'box');
  await button(page, 'Add material').click();
  await key(page, '2');
  await key(page, 'g');
  await undoable(page, 'fill layer', () => clickCell(page, [5, 5, 0]));
  let counts = await page.evaluate(() => window.voxelastic.doc.grid.countPerMaterial(2));
  assert.deepEqual(counts.slice(1), [50, 25]);
  await key(page, ']');
  await key(page, 'Shift+G');
  await undoable(page, 'fill volume', () => clickCell(page, [5, 5, 1]));
  counts = await page.evaluate(() => window.voxelastic.doc.grid.countPerMaterial(2));
  assert.deepEqual(counts.slice(1), [0, 75]);
  await key(page, 'b');
  await key(page, '0');
  await undoable(page, 'erase', () => dragCells(page, [4, 4, 1], [8, 4, 1]));
  await count(page, 70, 'erase');
  await key(page, 'i');
  await clickCell(page, [6, 6, 1]);
  assert.match(await page.locator('.swatches [aria-selected=true]').innerText(), /^material/, 'take material');
});

test('draw: sphere and cylinder, other axes, on the surface', async (c) => {
  const { page } = c;
  await fresh(c);
  for (let i = 0; i < 5; i++) await key(page, ']');
  await key(page, 'u');
  await undoable(page, 'sphere', () => dragCells(page, [10, 10, 5], [13, 10, 5]));
  const sphere = await voxelCount(page);
  assert.ok(sphere > 150 && sphere < 210, `a sphere of radius 3.5 has ${sphere} voxels`);
  await key(page, 'c');
  await fillIn(page, 'Depth', 4);
  await undoable(page, 'cylinder', () => dragCells(page, [4, 4, 5], [6, 4, 5]));
  assert.equal((await voxelCount(page)) - sphere, 21 * 4, 'cylinder');
  await key(page, 'Alt+5'); // along x
  await key(page, 'Shift+X');
  await still(page);
  await key(page, 'b');
  await undoable(page, 'pencil on a layer of x', () => dragCells(page, [5, 2, 15], [5, 6, 15]));
  assert.equal(await page.evaluate(() => window.voxelastic.doc.grid.at(5, 4, 15)), 1);
  await key(page, 'Alt+2');
  await key(page, 'Shift+Y');
  await still(page);
  await undoable(page, 'pencil on a layer of y', () => dragCells(page, [2, 5, 18], [6, 5, 18]));
  assert.equal(await page.evaluate(() => window.voxelastic.doc.grid.at(4, 5, 18)), 1);
  await key(page, 'Shift+Z');
  await key(page, 'Alt+6');
  await key(page, 'k'); // on the surface
  await still(page);
  await undoable(page, 'pencil on the surface', () => clickCell(page, [10, 10, 9]));
  assert.equal(await page.evaluate(() => window.voxelastic.doc.grid.at(10, 10, 9)), 1, 'one voxel above the sphere');
  await key(page, 'k');
});

test('paint phase, amplitude and period', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'r');
  await dragCells(page, [4, 4, 0], [9, 6, 0]);
  for (const [name, label, value] of [['Phase', 'Phase', 0.25], ['Amplitude', 'Amplitude factor', 0.5], ['Period', 'Period factor', 2]]) {
    await radio(page, 'What drawing sets', name);
    await fillIn(page, label, value);
    await key(page, 'r');
    const after = await undoable(page, name, () => dragCells(page, [4, 4, 0], [6, 6, 0]));
    const own = after.actuation[name.toLowerCase()];
    assert.ok(JSON.stringify(own).includes(String(value)), `${name} ${JSON.stringify(own)}`);
  }
  await radio(page, 'What drawing sets', 'Material');
});

test('select, copy, cut, paste, move, mirror, rotate, fill, delete', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'l');
  await dragCells(page, [2, 2, 0], [5, 2, 0]);
  await dragCells(page, [2, 2, 0], [2, 4, 0]);
  await key(page, 'v');
  await fillIn(page, 'Depth', 1);
  await dragCells(page, [2, 2, 0], [5, 4, 0]);
  assert.deepEqual(await page.evaluate(() => window.voxelastic.doc.selection.value), { low: [2, 2, 0], high: [5, 4, 0] });
  await key(page, 'Control+c');
  await undoable(page, 'move by dragging', () => dragCells(page, [3, 3, 0], [9, 9, 0]));
  assert.equal(await page.evaluate(() => window.voxelastic.doc.grid.at(8, 8, 0)), 1);
  await undoable(page, 'move by keys', () => key(page, 'Control+ArrowRight'));
  await undoable(page, 'mirror', () => button(page, 'Mirror along x').click());
  await undoable(page, 'rotate', () => button(page, 'Turn about z').click());
  await undoable(page, 'mirror by key', () => key(page, 'm'));
  await undoable(page, 'rotate by key', () => key(page, 't'));
  await key(page, ']');
  const pasted = async () => {
    await key(page, 'Control+v'); // in hand
    await key(page, 'Enter'); // put down where it is
  };
  await undoable(page, 'paste on the next layer', pasted);
  await count(page, 12, 'paste');
  await undoable(page, 'fill the selection', () => button(page, 'Fill selection').click());
  await undoable(page, 'cut', () => key(page, 'Control+x'));
  await undoable(page, 'paste again', pasted);
  await undoable(page, 'delete', () => key(page, 'Delete'));
  await key(page, 'Control+a');
  await undoable(page, 'delete all', () => key(page, 'Delete'));
  await count(page, 0, 'all deleted');
});

test('palette: add, duplicate, delete, colour, every property', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'r');
  await dragCells(page, [4, 4, 0], [9, 6, 0]);
  await undoable(page, 'add', () => button(page, 'Add material').click());
  await undoable(page, 'rename', () => fillIn(page, 'Name', 'muscle'));
  await undoable(page, 'colour', () => page.getByLabel('Colour', { exact: true }).fill('#aa3344'));
  await undoable(page, 'expansion', () => fillIn(page, 'Expansion', '0.01'));
  for (const [label, value, path, expected] of [
    ['Young’s modulus', '2.5 MPa', 'youngs_modulus', 2.5e6], ['Poisson’s ratio', '0.4', 'poissons_ratio', 0.4], ['Density', '1100', 'density', 1100],
    ['Breaks at', '90 kPa', 'failure_stress', 9e4],
  ]) {
    const after = await undoable(page, label, () => fillIn(page, label, value));
    assert.equal(after.materials[1][path], expected, label);
  }
  let after = await undoable(page, 'static friction', () => fillIn(page, 'Static friction', '1.4'));
  assert.equal(after.materials[1].friction.static, 1.4);
  after = await undoable(page, 'dynamic friction', () => fillIn(page, 'Dynamic friction', '0.7'));
  assert.equal(after.materials[1].friction.dynamic, 0.7);
  after = await undoable(page, 'bilinear law', () => choose(page, 'Law', 'bilinear'));
  assert.equal(after.materials[1].law, 'bilinear');
  await undoable(page, 'yield stress', () => fillIn(page, 'Yield stress', '200 kPa'));
  await undoable(page, 'plastic modulus', () => fillIn(page, 'Plastic modulus', '300 kPa'));
  after = await undoable(page, 'table law', () => choose(page, 'Law', 'table'));
  assert.deepEqual(after.materials[1].table[0], [0, 0]);
  await undoable(page, 'slider', () => page.getByRole('slider', { name: 'Poisson’s ratio, slider' }).fill('0.2'));
  await undoable(page, 'duplicate', () => button(page, 'Duplicate material').click());
  await key(page, '1');
  after = await undoable(page, 'delete a material with voxels', () => button(page, 'Delete material').click());
  assert.equal(after.materials.length, 2);
  await count(page, 0, 'its voxels are gone');
  await key(page, 'Control+z');
  await count(page, 18, 'and come back');
});

test('regions: add, place, size, handles, presets', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'x');
  await fillIn(page, 'Depth', 2);
  await dragCells(page, [4, 4, 0], [11, 7, 0]);
  await tab(page, 'Regions');
  for (const [name, check] of [['Fix', (r) => r.fixed === 'all'], ['Force', (r) => r.force[2] < 0], ['Displacement', (r) => r.displacement[2] > 0], ['Torque', (r) => r.torque[2] > 0]]) {
    const after = await undoable(page, name, () => button(page, name).click());
    assert.ok(check(after.regions.at(-1)), name);
  }
  await page.getByRole('list', { name: 'Regions' }).getByRole('button', { name: /^force/ }).click();
  let after = await undoable(page, 'corner', () => fillIn(page, 'Corner (voxels) x', 11));
  assert.equal(after.regions[1].box.corner[0], 11);
  await undoable(page, 'size', () => fillIn(page, 'Size (voxels) y', 3));
  after = await undoable(page, 'force', () => fillIn(page, 'Force z', -0.2));
  assert.ok(Math.abs(after.regions[1].force[2] + 0.2) < 0.2, JSON.stringify(after.regions[1].force));
  await undoable(page, 'ramp', () => fillIn(page, 'Ramp', '10 ms'));
  await undoable(page, 'torque too', () => fillIn(page, 'Torque z', '0.001 N m'));
  after = await undoable(page, 'rename', () => fillIn(page, 'Name', 'tip'));
  assert.equal(after.regions[1].name, 'tip');
  // Handles: the side at high y, then the middle.
  const box = (await sceneObject(page)).regions[1].box;
  const middle = [0, 1, 2].map((a) => box.corner[a] + box.size[a] / 2);
  after = await undoable(page, 'size by a handle', async () =>
    drag(page, await at(page, middle[0], box.corner[1] + box.size[1], middle[2]), await at(page, middle[0], box.corner[1] + box.size[1] + 2, middle[2])));
  assert.equal(after.regions[1].box.size[1], box.size[1] + 2, 'sized by two voxels');
  const now = after.regions[1].box;
  after = await undoable(page, 'move by a handle', async () =>
    drag(page, await at(page, now.corner[0] + now.size[0] / 2, now.corner[1] + now.size[1] / 2, middle[2]), await at(page, now.corner[0] + now.size[0] / 2 - 3, now.corner[1] + now.size[1] / 2 + 1, middle[2])));
  assert.deepEqual(after.regions[1].box.corner.slice(0, 2), [now.corner[0] - 3, now.corner[1] + 1], 'moved by three and one');
  for (const shape of ['sphere', 'cylinder', 'ellipsoid', 'box']) await undoable(page, shape, () => choose(page, 'Shape', shape));
  await radio(page, 'Held', 'partly');
  await undoable(page, 'a freedom', () => page.getByLabel('hold x').click());
  await undoable(page, 'clamp', () => radio(page, 'Held', 'clamp'));
  await undoable(page, 'rotation', () => fillIn(page, 'Rotation z', '0.3'));
  await undoable(page, 'displacement', () => fillIn(page, 'Displacement x', '0.001 m'));
  await undoable(page, 'delete', () => button(page, 'Delete region tip').click());
  const presets = page.getByRole('button', { name: 'Presets' });
  if ((await presets.getAttribute('aria-expanded')) === 'false') await presets.click();
  for (const [name, n] of [['Cantilever along x', 2], ['Axial along y', 2], ['Symmetry along z', 1]]) {
    const had = (await sceneObject(page)).regions.length;
    const got = await undoable(page, name, () => button(page, name).click());
    assert.equal(got.regions.length, had + n, name);
  }
  await tab(page, 'Draw');
});

test('environment, signals and waveform', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'r');
  await dragCells(page, [4, 4, 0], [9, 6, 0]);
  await tab(page, 'Environment');
  await undoable(page, 'gravity off', () => toggle(page, 'Gravity'));
  await undoable(page, 'gravity on', () => toggle(page, 'Gravity'));
  let after = await undoable(page, 'gravity of the moon', () => fillIn(page, 'Gravity z', '-1.62'));
  assert.equal(after.environment.gravity[2], -1.62);
  await undoable(page, 'floor', () => toggle(page, 'Floor at z = 0'));
  await undoable(page, 'collision horizon', () => fillIn(page, 'Watched within', 3));
  await undoable(page, 'collisions', () => choose(page, 'Collisions', 'off'));
  await undoable(page, 'elasticity', () => choose(page, 'Elasticity', 'beam'));
  await undoable(page, 'plane', () => choose(page, 'Keep in plane', 'xz'));
  await undoable(page, 'bond damping', () => fillIn(page, 'Stretching', 0.5));
  await undoable(page, 'bend damping', () => fillIn(page, 'Bending, twisting', 0.4));
  await undoable(page, 'contact damping', () => fillIn(page, 'Contacts', 0.6));
  await undoable(page, 'ground damping', () => fillIn(page, 'Against the world', 0.1));
  await undoable(page, 'add a signal', () => button(page, 'Add signal').click());
  for (const [label, value] of [['Amplitude', 8], ['Period', '0.5 s'], ['Phase', 0.25], ['Base', 5], ['Reference', 2], ['Wave ramps up over', '0.2 s']])
    await undoable(page, label, () => fillIn(page, label, value));
  await undoable(page, 'contract only', () => toggle(page, 'Contract only'));
  await undoable(page, 'square', () => radio(page, 'Waveform', 'Square'));
  await undoable(page, 'points', () => radio(page, 'Waveform', 'Points'));
  const point = page.getByLabel(/^Point 2:/);
  await point.scrollIntoViewIfNeeded();
  const b = await point.boundingBox();
  after = await undoable(page, 'drag a point', () => drag(page, { x: b.x + b.width / 2, y: b.y + b.height / 2 }, { x: b.x + b.width / 2 + 12, y: b.y + b.height / 2 + 20 }));
  assert.ok(after.signals[0].table[1][1] < 0.9, JSON.stringify(after.signals[0].table));
  const w = await page.getByRole('img', { name: 'Waveform of signal 1' }).boundingBox();
  await undoable(page, 'add a point', () => page.mouse.dblclick(w.x + w.width * 0.62, w.y + w.height * 0.3));
  await undoable(page, 'rename the signal', () => fillIn(page, 'Name of signal 1', 'stride'));
  await undoable(page, 'delete the signal', () => button(page, 'Delete signal stride').click());
  await tab(page, 'Draw');
});

test('workspace, name, stop, recorded quantities', async (c) => {
  const { page } = c;
  await fresh(c);
  await key(page, 'r');
  await dragCells(page, [4, 4, 0], [9, 6, 0]);
  await tab(page, 'Scene');
  await undoable(page, 'name', () => fillIn(page, 'Name', 'beam'));
  await undoable(page, 'description', async () => {
    await page.getByRole('textbox', { name: 'Description' }).fill('A small beam.');
    await page.keyboard.press('Tab');
  });
  let after = await undoable(page, 'voxel side', () => fillIn(page, 'Voxel side', '5 mm'));
  assert.equal(after.lattice.pitch, 0.005);
  after = await undoable(page, 'cells', () => fillIn(page, 'Cells x', 30));
  assert.deepEqual(after.lattice.size, [30, 20, 20]);
  after = await undoable(page, 'fit', () => button(page, 'Fit to body').click());
  assert.deepEqual(after.lattice.size, [6, 3, 1]);
  await page.getByRole('button', { name: 'Stop a run' }).click();
  for (const [label, value] of [['Time', '2 s'], ['Steps', 1000], ['Cycles', 3], ['Kinetic energy', '1e-6'], ['Speed', '0.001'], ['Settling time', '0.1']])
    await undoable(page, label, () => fillIn(page, label, value));
  await page.getByRole('button', { name: 'Recorded by a run' }).click();
  await choose(page, 'Quantity to record', 'energy');
  await undoable(page, 'record', () => button(page, 'Record').click());
  await undoable(page, 'every', () => fillIn(page, 'Every', '1 ms'));
  await undoable(page, 'record less', () => button(page, 'Do not record energy').click());
  await tab(page, 'Draw');
});

test('import a scene: replace and insert', async (c) => {
  const { page, folder, scenes } = c;
  await fresh(c);
  await key(page, 'r');
  await dragCells(page, [4, 4, 0], [9, 6, 0]);
  const path = join(folder, 'imported.json');
  writeFileSync(path, readFileSync(join(scenes, 'cantilever.json')));
  const bring = async (name) => {
    await page.getByLabel('File to import').setInputFiles(path);
    await button(page, name).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  let after = await undoable(page, 'insert', () => bring('Insert into this scene'));
  assert.equal(after.materials.length, 2);
  await count(page, 18 + 250 - 6 * 1, 'inserted over the corner of the plate');
  after = await undoable(page, 'replace', () => bring('Replace this scene'));
  assert.equal(after.regions.length, 2);
  await settled(page);
  assert.equal(await page.getByTestId('check').innerText(), 'valid');
});

test('a problem is shown where it is', async (c) => {
  const { page } = c;
  await fresh(c);
  await settled(page);
  await key(page, 'r');
  await dragCells(page, [4, 4, 0], [9, 6, 0]);
  await tab(page, 'Regions');
  await button(page, 'Force').click();
  await fillIn(page, 'Corner (voxels) x', 15);
  await settled(page);
  await until(page, 'an error', () => window.voxelastic.errors.value.length > 0);
  assert.match(await page.getByTestId('check').innerText(), /1 to fix/);
  assert.ok((await page.locator('.side .problem').allInnerTexts()).join().length > 10, 'said in the panel of the region');
  await key(page, 'Control+z');
  await settled(page);
  await until(page, 'no error', () => window.voxelastic.errors.value.length === 0);
  // A number out of its range is refused at once, beside the field.
  await tab(page, 'Draw');
  await page.getByRole('textbox', { name: 'Poisson’s ratio', exact: true }).fill('0.7');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('.wrong').innerText(), /At most 0.49/);
  await page.keyboard.press('Escape');
});
