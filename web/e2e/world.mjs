// What is around the body, and what voxels do by themselves: ground, solids, water, sources, rules; in the editor, the simulation and replays.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, button, choose, fillIn, tab, test, toggle, undoable, until } from './harness.mjs';
import { BINARY, openPage, settled } from './studio.mjs';

const COURSE = {
  voxelastic: 1, lattice: { pitch: 0.01, size: [12, 8, 10] }, materials: [{ name: 'body', youngs_modulus: 1e5, color: '#d9793d' }],
  shapes: [{ box: { corner: [2, 2, 6], size: [4, 3, 3] }, material: 'body' }], environment: { gravity: true, collisions: 'grid' }, stop: { time: 0.2 },
};
const world = (page) => page.evaluate(() => {
  const w = window.voxelasticStage.viewer.world;
  return { faces: (w.data?.face.length ?? 0) / 4, water: w.data?.water ?? null, sources: w.data?.sources.length ?? 0, lamps: w.group.children[2].children.map((o) => o.position.toArray()) };
});
const drawn = (page, what, faces) => until(page, what, (n) => (window.voxelasticStage.viewer.world.data?.face.length ?? 0) / 4 === n, faces);
// Pixels of the view that are not those of the picture before.
const shot = (page) => page.locator('main.view canvas').first().screenshot();

test('ground, solids, water and rules: added, edited and removed in the panel, and drawn', async ({ page, folder }) => {
  writeFileSync(join(folder, 'course.json'), JSON.stringify(COURSE));
  await page.evaluate(() => window.voxelastic.openFile('course.json'));
  await settled(page);
  await tab(page, 'Environment');
  let after = await undoable(page, 'add ground', () => choose(page, 'Add ground', 'stairs'));
  assert.equal(after.ground.kind, 'stairs');
  after = await undoable(page, 'height of ground', () => fillIn(page, 'Height of ground', '25 mm'));
  assert.equal(after.ground.height, 0.025);
  await undoable(page, 'kind of ground', () => choose(page, 'Kind of ground', 'rough'));
  await undoable(page, 'seed', () => fillIn(page, 'Seed', 7));
  await undoable(page, 'friction of ground', () => toggle(page, 'Friction of its own'));
  await until(page, 'ground in the view', () => (window.voxelasticStage.viewer.world.data?.face.length ?? 0) > 400);
  await undoable(page, 'delete ground', () => button(page, 'Delete the ground').click());
  await until(page, 'no ground', () => !window.voxelastic.pending.value && !window.voxelasticStage.viewer.world.data?.face.length);
  const bare = await shot(page);
  after = await undoable(page, 'add a box', () => choose(page, 'Add a solid', 'box'));
  assert.equal(after.solids.length, 1);
  await drawn(page, 'a box has six faces', 6);
  await page.waitForTimeout(200);
  assert.notEqual(bare.compare(await shot(page)), 0, 'a box is seen');
  after = await undoable(page, 'place of a solid', () => fillIn(page, 'Middle x', '150'));
  assert.equal(after.solids[0].box.center[0], 0.15);
  after = await undoable(page, 'add a capsule', () => choose(page, 'Add a solid', 'capsule'));
  assert.deepEqual(after.solids.map((s) => s.name), ['box', 'capsule']);
  await undoable(page, 'radius', () => fillIn(page, 'Radius', '12 mm'));
  await undoable(page, 'name', () => fillIn(page, 'Name of solid 2', 'pill'));
  await undoable(page, 'delete a solid', () => button(page, 'Delete solid box').click());
  await undoable(page, 'water', () => toggle(page, 'Water'));
  after = await undoable(page, 'surface', () => toggle(page, 'Has a surface'));
  assert.equal(after.water.level, 0.05);
  after = await undoable(page, 'level', () => fillIn(page, 'Level', '40 mm'));
  await undoable(page, 'flow', () => fillIn(page, 'Flow along x [m/s]', '0.1 * z'));
  await until(page, 'water in the view', () => window.voxelasticStage.viewer.world.data?.water === 0.04);
  after = await undoable(page, 'add bonds', () => choose(page, 'Add a rule', 'bond'));
  assert.deepEqual(after.rules, [{ kind: 'bond' }]);
  after = await undoable(page, 'bonds let go', () => fillIn(page, 'Lets go at', '2 kPa'));
  assert.equal(after.rules[0].stress, 2000);
  after = await undoable(page, 'of a material', () => choose(page, 'Voxels of', 'body'));
  await undoable(page, 'add heat', () => choose(page, 'Add a rule', 'heat'));
  after = await undoable(page, 'when', () => page.getByRole('group', { name: 'Rule 2' }).getByRole('textbox', { name: 'Only when' }).fill('t > 0.1').then(() => page.keyboard.press('Enter')));
  assert.equal(after.rules[1].when, 't > 0.1');
  await until(page, 'a lamp in the view', () => window.voxelasticStage.viewer.world.data?.sources.length === 1);
  await tab(page, 'Draw');
  after = await undoable(page, 'rules follow a material to its new name', () => fillIn(page, 'Name', 'glue'));
  assert.equal(after.rules[0].material, 'glue');
  await tab(page, 'Environment');
  await undoable(page, 'delete a rule', () => button(page, 'Delete rule 2').click());
  await settled(page);
  assert.deepEqual(await page.evaluate(() => window.voxelastic.problems.value.filter((p) => p.severity === 'error')), []);
  await tab(page, 'Draw');
});

test('a simulation among ground, solids and a lamp that swings; the same in its replay', async ({ page, browser, folder }) => {
  const scene = {
    ...COURSE, ground: { kind: 'gap', points: [21, 21], spacing: 0.01, origin: [-0.05, -0.05, 0], height: 0.02, length: 0.03 }, solids: [{ name: 'ball', sphere: { center: [0.1, 0, 0.02], radius: 0.02 } }],
    water: { level: 0.01 }, rules: [{ kind: 'light', position: [0.1, 0.1, 0.1], swing: [0.05, 0, 0], frequency: [1.25, 0, 0], radius: 0.05 }],
  };
  writeFileSync(join(folder, 'lamp.json'), JSON.stringify(scene));
  await page.evaluate(() => window.voxelastic.openFile('lamp.json'));
  await settled(page);
  await page.evaluate(() => window.voxelastic.enterSimulation(true));
  await until(page, 'the end', () => window.voxelastic.sim.value?.state === 'stopped');
  await until(page, 'the last picture', () => Math.abs((window.voxelastic.frame?.time ?? 0) - 0.2) < 1e-9);
  await page.waitForTimeout(200);
  const live = await world(page);
  assert.ok(live.faces > 900 && live.water === 0.01 && live.sources === 1, JSON.stringify(live));
  // At 0.2 s it has swung a quarter of its cycle: 0.1 + 0.05 m.
  assert.ok(Math.abs(live.lamps[0][0] - 15) < 1e-3, JSON.stringify(live.lamps));
  await button(page, 'View options').click();
  await toggle(page, 'Ground, solids, water');
  assert.equal(await page.evaluate(() => window.voxelasticStage.viewer.world.shown), false);
  await toggle(page, 'Ground, solids, water');
  await button(page, 'View options').click();
  execFileSync(BINARY, ['run', 'lamp.json', '-q', '-o', 'lamp'], { cwd: folder });
  const { page: replay, errors } = await openPage(browser, `file://${join(folder, 'lamp', 'replay.html')}`);
  await replay.getByTestId('time').waitFor();
  const data = await replay.evaluate(() => ({ faces: window.voxelasticReplay.world.face.length / 4, water: window.voxelasticReplay.world.water, sources: window.voxelasticReplay.world.sources.length }));
  assert.deepEqual(data, { faces: live.faces, water: 0.01, sources: 1 });
  assert.deepEqual(errors, []);
  await replay.close();
});

test('voxels that grow are seen, counted and plotted', async ({ page, folder, scenes }) => {
  copyFileSync(join(scenes, 'growing.json'), join(folder, 'growing.json'));
  await page.evaluate(() => window.voxelastic.openFile('growing.json'));
  await settled(page);
  await page.evaluate(() => window.voxelastic.enterSimulation(false));
  await until(page, 'the body', () => window.voxelastic.mesh && window.voxelastic.frame);
  const before = await page.evaluate(() => window.voxelastic.mesh.faceVoxel.length);
  await choose(page, 'Add a plot', 'voxels');
  await button(page, 'Play').click();
  await until(page, 'new voxels', () => window.voxelastic.sim.value?.life.grown > 0);
  await until(page, 'their faces', (n) => window.voxelastic.mesh.faceVoxel.length > n, before);
  await until(page, 'the end', () => window.voxelastic.sim.value?.state === 'stopped');
  const { present, grown } = await page.evaluate(() => window.voxelastic.sim.value.life);
  await until(page, 'the count in the panel', (n) => document.querySelector('[data-testid=life]')?.textContent.startsWith(`${n} now`), present);
  const rows = await page.evaluate(() => { const s = window.voxelastic; const c = s.traceColumns.value.findIndex((x) => x.startsWith('voxels')); return [s.trace[c][0], s.trace[c].at(-1)]; });
  assert.deepEqual(rows, [present - grown, present]);
  // Back in time there are fewer.
  await page.evaluate(() => window.voxelastic.time.scrub(0));
  await until(page, 'the start', (n) => window.voxelasticStage.viewer.body.mesh.faceVoxel.length === n, before);
  await page.evaluate(() => window.voxelastic.time.live());
});

// Voxels on the surface in the replay at a time, as the page tells and as it is drawn.
async function bodyAt(page, time) {
  await page.getByLabel('Time', { exact: true }).evaluate((slider, t) => { slider.value = t; slider.dispatchEvent(new Event('input', { bubbles: true })); }, String(time));
  await page.waitForFunction((t) => Number(document.querySelector('[data-testid=time]').dataset.drawn) === t, time);
  return page.evaluate(() => {
    const { mesh } = window.voxelasticViewer.body;
    const told = Number(document.querySelector('[data-testid=voxels]').textContent.replace(',', ''));
    return { told, voxels: mesh.voxel.length, faces: mesh.faceVoxel.length, cells: Array.from({ length: mesh.voxel.length }, (_, i) => mesh.cell.slice(3 * i, 3 * i + 3).join()) };
  });
}

test('replays show voxels come and go when they did: of a run and of the studio', async ({ page, browser, folder }) => {
  // A bar of six voxels: the first goes at 20 ms, one grows at its end at 40 ms.
  const scene = {
    voxelastic: 1, name: 'bar', lattice: { pitch: 0.01, size: [8, 1, 1] }, materials: [{ name: 'body', youngs_modulus: 1e5, color: '#d9793d' }],
    shapes: [{ box: { corner: [0, 0, 0], size: [6, 1, 1] }, material: 'body' }], stop: { time: 0.06 },
    rules: [{ kind: 'remove', begin: 0.02, when: 'x < 0.01' }, { kind: 'grow', material: 'body', other: 'body', corner: [0, 0, 0], size: [7, 1, 1], begin: 0.04, value: 'x > 0.06' }],
  };
  writeFileSync(join(folder, 'bar.json'), JSON.stringify(scene));
  execFileSync(BINARY, ['run', 'bar.json', '-q', '-o', 'bar'], { cwd: folder });
  await page.evaluate(() => window.voxelastic.openFile('bar.json'));
  await settled(page);
  await page.evaluate(() => window.voxelastic.enterSimulation(true));
  await until(page, 'the end', () => window.voxelastic.sim.value?.state === 'stopped');
  await button(page, 'Export').click();
  const [saved] = await Promise.all([page.waitForEvent('download'), button(page, 'Save replay').click()]);
  await saved.saveAs(join(folder, 'bar-studio.html'));
  for (const file of ['bar/replay.html', 'bar-studio.html']) {
    const { page: replay, errors } = await openPage(browser, `file://${join(folder, file)}`);
    await replay.getByTestId('time').waitFor();
    for (const [time, from, to] of [[0, 0, 6], [0.0195, 0, 6], [0.025, 1, 6], [0.0395, 1, 6], [0.045, 1, 7], [0.06, 1, 7], [0.01, 0, 6]]) {
      const got = await bodyAt(replay, time);
      const cells = Array.from({ length: to - from }, (_, i) => `${from + i},0,0`);
      assert.deepEqual(got, { told: cells.length, voxels: cells.length, faces: 4 * cells.length + 2, cells }, `${file} at ${time} s`);
    }
    assert.deepEqual(errors, []);
    await replay.close();
    for (const [time, name] of [[0.01, 'before'], [0.03, 'between'], [0.05, 'after']])
      execFileSync(BINARY, ['picture', file, '-q', '--time', String(time), '--size', '320x180', '--camera', 'fixed', '--no-legend', '-o', `${name}.png`], { cwd: folder });
    const pictures = ['before', 'between', 'after'].map((n) => readFileSync(join(folder, `${n}.png`)));
    assert.ok(pictures[0].compare(pictures[1]) && pictures[1].compare(pictures[2]), 'pictures of a replay show it too');
  }
});

test('every kind of rule can be added as offered, and the engine takes it', async ({ page, folder }) => {
  writeFileSync(join(folder, 'kinds.json'), JSON.stringify({ ...COURSE, rules: [{ kind: 'push', value: 'mass', direction: [0, 0, 1] }] }));
  await page.evaluate(() => window.voxelastic.openFile('kinds.json'));
  await settled(page);
  await tab(page, 'Environment');
  const kinds = await page.getByLabel('Add a rule').locator('option').evaluateAll((options) => options.map((o) => o.value).filter(Boolean));
  assert.equal(kinds.length, 15);
  for (const kind of kinds) {
    const after = await undoable(page, `add ${kind}`, () => choose(page, 'Add a rule', kind));
    assert.equal(after.rules.at(-1).kind, kind);
  }
  await settled(page);
  assert.deepEqual(await page.evaluate(() => window.voxelastic.problems.value.filter((p) => p.severity === 'error').map((p) => p.message)), []);
  const supply = page.getByRole('group', { name: `Rule ${kinds.indexOf('supply') + 2}` });
  await supply.scrollIntoViewIfNeeded();
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, 'rules.png') });
  await page.evaluate(() => window.voxelastic.enterSimulation(true));
  await until(page, 'steps', () => (window.voxelastic.sim.value?.time ?? 0) > 0.01 || window.voxelastic.sim.value?.state === 'stopped');
});
