// Simulating: the page's numbers against the command line's, demos, pulling, probes, plots, live settings, solvers, faults, files.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, at, button, choose, drag, dragCells, fillIn, key, radio, scene, steps, still, tab, test, toggle, undoable, until, voxelCount } from './harness.mjs';
import { BINARY, openPage, settled, startServer } from './studio.mjs';

const sim = (page) => page.evaluate(() => window.voxelastic.sim.value);
const play = (page) => button(page, 'Play').click();
// Not by the button: a run that has ended has none that pauses.
const pause = async (page) => {
  await page.evaluate(() => window.voxelastic.do('sim.pause'));
  await until(page, 'a pause', () => window.voxelastic.sim.value?.state !== 'running');
};

async function openDemo(page, name) {
  await page.evaluate((n) => window.voxelastic.openDemo(n), name);
  await settled(page);
}

test('a beam: draw, material, fix, load, play; the tip agrees with the command line; undo the lot', async ({ page, folder }) => {
  await page.evaluate(() => window.voxelastic.newScene());
  await settled(page);
  const empty = await scene(page);
  await key(page, 'Space');
  await page.getByText('There is nothing to simulate yet').waitFor();
  await key(page, 'Alt+6');
  await still(page);
  await key(page, 'x');
  await fillIn(page, 'Depth', 3);
  await dragCells(page, [2, 6, 0], [13, 8, 0]);
  assert.equal(await voxelCount(page), 108);
  await fillIn(page, 'Young’s modulus', '0.8 MPa');
  await fillIn(page, 'Density', '1100');
  await tab(page, 'Regions');
  await button(page, 'Cantilever along x').click();
  await fillIn(page, 'Force z', '-50 mN');
  await tab(page, 'Environment');
  await toggle(page, 'Floor at z = 0');
  await tab(page, 'Scene');
  await fillIn(page, 'Name', 'beam');
  await page.getByRole('button', { name: 'Stop a run' }).click();
  await fillIn(page, 'Time', '60 ms');
  await page.getByRole('button', { name: 'Recorded by a run' }).click();
  await choose(page, 'Quantity to record', 'region:tip.displacement');
  await button(page, 'Record').click();
  await settled(page);
  await key(page, 'Space');
  await until(page, 'the stop time', () => window.voxelastic.sim.value?.state === 'stopped');
  assert.equal(await page.getByTestId('state').innerText(), 'stopped: time');
  await tab(page, 'Probes');
  await choose(page, 'Region to probe', 'tip');
  await button(page, 'Probe region').click();
  const shown = page.locator('[data-quantity=displacement]');
  await shown.waitFor();
  const tip = (await shown.getAttribute('data-value')).split(' ').map(Number);
  assert.match(await shown.innerText(), / mm$/);
  const state = await sim(page);

  await key(page, 'Control+s');
  await page.getByRole('textbox', { name: 'File name' }).fill('beam.json');
  await page.getByRole('button', { name: 'Save', exact: true }).last().click();
  await until(page, 'saved', () => window.voxelastic.info.value.saved && window.voxelastic.info.value.file === 'beam.json');
  const out = join(folder, 'beam-run');
  execFileSync(BINARY, ['run', 'beam.json', '-q', '-o', out], { cwd: folder });
  const rows = readFileSync(join(out, 'trace.csv'), 'utf8').trim().split('\n').map((l) => l.split(','));
  const columns = rows[0];
  const last = rows.at(-1).map(Number);
  const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
  assert.equal(last[columns.indexOf('time_s')], state.time);
  ['x', 'y', 'z'].forEach((a, i) => {
    const value = last[columns.indexOf(`region_tip_displacement_${a}_m`)];
    // The trace has as many digits as its reader needs; nothing but their last one may differ.
    assert.ok(Math.abs(value - tip[i]) <= 1e-12 + 1e-8 * Math.abs(value), `${a}: ${tip[i]} in the page, ${value} by run`);
  });
  assert.ok(tip[2] < -1e-4, `the tip went down: ${tip}`);
  assert.equal(state.state_hash, summary.state_hash, 'the whole state, bit by bit');

  await button(page, 'Play').waitFor();
  await radio(page, 'Mode', 'Edit');
  while ((await steps(page)) > 0) await key(page, 'Control+z');
  assert.equal(await scene(page), empty, 'undo of everything is the empty scene');
  while (await page.evaluate(() => window.voxelastic.doc.undone.value.length > 0)) await key(page, 'Control+y');
  assert.equal(await voxelCount(page), 108, 'redo of everything is the beam');
});

test('save and reload: the same scene', async ({ page }) => {
  await settled(page);
  const before = await page.evaluate(() => window.voxelastic.info.value.hash);
  assert.match(before, /^[0-9a-f]{16}$/);
  const json = await scene(page);
  await page.evaluate(() => window.voxelastic.save('again.json'));
  await page.evaluate(() => window.voxelastic.newScene());
  await key(page, 'Control+o');
  await page.getByRole('list', { name: 'Files' }).getByRole('button', { name: /again\.json/ }).click();
  await until(page, 'the file', () => window.voxelastic.info.value?.file === 'again.json');
  assert.equal(await page.evaluate(() => window.voxelastic.info.value.hash), before);
  assert.equal(await scene(page), json, 'and the same document');
  assert.equal(await page.evaluate(() => window.voxelastic.unsaved.value), false);
});

test('rigid materials: a switch, and what a file says of them is kept', async ({ page, folder }) => {
  await openDemo(page, 'pin');
  await page.evaluate(() => window.voxelastic.save('pin.json'));
  const saved = JSON.parse(readFileSync(join(folder, 'pin.json'), 'utf8'));
  assert.deepEqual(saved.materials.map((m) => m.rigid ?? false), [false, true]);
  await tab(page, 'Draw');
  const after = await undoable(page, 'rigid', () => toggle(page, 'Rigid'));
  assert.deepEqual(after.materials.map((m) => m.rigid ?? false), [true, true]);
  await settled(page);
  assert.equal(await page.getByTestId('check').innerText(), 'valid');
  await key(page, 'Control+z');
});

test('every demo opens and plays', async ({ page }) => {
  await key(page, 'Control+o');
  await tab(page, 'Demos');
  const names = await page.getByRole('list', { name: 'Demos' }).locator('b').allInnerTexts();
  assert.ok(names.length >= 5, names.join());
  await button(page, 'Close').click();
  for (const name of names) {
    await openDemo(page, name);
    await play(page);
    await until(page, `${name} moves`, () => window.voxelastic.sim.value?.time > 0 && window.voxelastic.frame?.time > 0);
    const first = await page.evaluate(() => window.voxelastic.frame.time);
    await until(page, `${name} moves on`, (t) => window.voxelastic.frame.time > t || window.voxelastic.sim.value.state !== 'running', first);
    const s = await sim(page);
    assert.ok(s.time > 0 && !s.fault, `${name}: ${JSON.stringify(s.fault)}`);
    assert.ok(await page.evaluate(() => window.voxelastic.frame?.time > 0), `${name}: frames came`);
    if (s.state === 'running') await pause(page);
  }
});

test('a scene opened right after an edit is not overtaken by it', async ({ page }) => {
  // Edits reach the server a moment after they are made: before another scene is opened, or while that is under way.
  for (const opens of ['first', 'last']) {
    await openDemo(page, 'clapper');
    await page.evaluate(async (order) => {
      const edit = () => window.voxelastic.doc.paint('Pencil', (s) => s.set('material', 0, 3));
      if (order === 'last') edit();
      const opened = window.voxelastic.openDemo('ball');
      if (order === 'first') edit();
      await Promise.all([opened, window.voxelastic.sync()]);
    }, opens);
    await settled(page);
    const [here, there] = await page.evaluate(async () => [window.voxelastic.doc.toJson(), (await window.voxelastic.do('hello')).scene.scene]);
    assert.deepEqual([here.name, there.name], ['ball', 'ball'], `opened ${opens}`);
  }
  assert.equal(await page.getByTestId('check').innerText(), 'valid');
});

test('a .vxa opens and plays 2 s, where this build reads and writes them', async ({ page }) => {
  const { read, write } = await page.evaluate(() => window.voxelastic.hello.value.formats);
  const has = (list) => list.some((f) => f.extension === 'vxa');
  if (!has(read) || !has(write)) {
    console.log('      (this build has no .vxa)');
    return;
  }
  await openDemo(page, 'quadruped');
  const voxels = await voxelCount(page);
  await page.evaluate(() => window.voxelastic.save('robot.vxa'));
  await page.evaluate(() => window.voxelastic.newScene());
  await key(page, 'Control+o');
  await page.getByRole('list', { name: 'Files' }).getByRole('button', { name: /robot\.vxa/ }).click();
  await until(page, 'the file', () => window.voxelastic.info.value?.file === 'robot.vxa');
  assert.equal(await voxelCount(page), voxels);
  await choose(page, 'Speed', 'max');
  await play(page);
  await until(page, 'two seconds', () => window.voxelastic.sim.value?.time > 2 || window.voxelastic.sim.value?.fault);
  await choose(page, 'Speed', '1');
  const s = await sim(page);
  assert.ok(s.time > 0 && !s.fault, JSON.stringify(s.fault));
  if (s.state === 'running') await pause(page);
});

test('a mesh is imported, where this build reads them', async ({ page, folder }) => {
  const { mesh } = await page.evaluate(() => window.voxelastic.hello.value.formats);
  if (!mesh.some((f) => f.extension === 'stl')) {
    console.log('      (this build reads no meshes)');
    return;
  }
  // A block of 20 x 10 x 10 mm.
  const corner = (c) => [(c & 1) * 20, ((c >> 1) & 1) * 10, (c >> 2) * 10].join(' ');
  const sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
  const facet = (a, b, c) => `facet normal 0 0 0\nouter loop\n${[a, b, c].map((v) => `vertex ${corner(v)}`).join('\n')}\nendloop\nendfacet\n`;
  writeFileSync(join(folder, 'block.stl'), `solid block\n${sides.map(([a, b, c, d]) => facet(a, b, c) + facet(a, c, d)).join('')}endsolid block\n`);
  await page.evaluate(() => window.voxelastic.newScene());
  await settled(page);
  const bring = async (name) => {
    await page.getByLabel('File to import').setInputFiles(join(folder, 'block.stl'));
    await fillIn(page, 'Voxels along the longest side', 8);
    await button(page, name).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await undoable(page, 'insert', () => bring('Insert into this scene'));
  assert.equal(await voxelCount(page), 8 * 4 * 4);
  const after = await undoable(page, 'replace', () => bring('Replace this scene'));
  assert.equal(await voxelCount(page), 8 * 4 * 4);
  assert.ok(Math.abs(after.lattice.pitch - 0.0025) < 1e-9, `${after.lattice.pitch}`);
});

test('pull a voxel', async ({ page }) => {
  await openDemo(page, 'quadruped');
  await play(page);
  await until(page, 'motion', () => window.voxelastic.sim.value?.time > 0.05);
  await choose(page, 'Speed', '0.01'); // or it walks away from under the pointer
  await until(page, 'slow motion', () => window.voxelastic.sim.value.speed.factor === 0.01);
  const p = await page.evaluate(() => {
    const { viewer } = window.voxelasticStage;
    const r = viewer.canvas.getBoundingClientRect();
    for (let i = Math.floor(viewer.body.mesh.voxel.length / 2); ; i++) {
      const s = viewer.toScreen(viewer.body.center(i, viewer.rig.target.clone()));
      const at = { clientX: s.x + r.left, clientY: s.y + r.top };
      if (viewer.body.pick(viewer.pointer(at).ray)) return { x: at.clientX, y: at.clientY };
    }
  });
  await page.keyboard.down('Control');
  await page.mouse.move(p.x, p.y);
  await page.mouse.down();
  await page.mouse.move(p.x, p.y - 90, { steps: 4 });
  await until(page, 'a pull', () => Math.hypot(...(window.voxelastic.sim.value?.pull?.force ?? [0])) > 0);
  await until(page, 'its force on the screen', () => [...document.querySelectorAll('.label')].some((l) => /[1-9].* [µm]?N$/.test(l.textContent)));
  await page.mouse.up();
  await page.keyboard.up('Control');
  await until(page, 'letting go', () => window.voxelastic.sim.value?.pull === null);
});

test('speed, step, reset, live settings', async ({ page }) => {
  await choose(page, 'Speed', '0.1');
  await until(page, 'slow motion', () => { const s = window.voxelastic.sim.value; return s.speed.factor === 0.1 && s.rate.real_time < 0.3; });
  assert.match(await page.getByTestId('rtf').innerText(), /× real time/);
  assert.match(await page.getByTestId('rate').innerText(), /voxel-steps\/s/);
  await choose(page, 'Speed', 'max');
  await until(page, 'full speed', () => window.voxelastic.sim.value.speed.mode === 'max');
  await choose(page, 'Speed', '1');
  await pause(page); // at full speed it may have come to its end, and Space would play on
  await play(page);
  await until(page, 'a run', () => window.voxelastic.sim.value.state === 'running');
  await key(page, 'Space');
  await until(page, 'a pause', () => window.voxelastic.sim.value.state === 'paused');
  const before = (await sim(page)).step;
  await key(page, 'ArrowRight');
  await until(page, 'one step', (n) => window.voxelastic.sim.value.step === n + 1, before);
  await tab(page, 'Live');
  await fillIn(page, 'Gravity z', -3);
  await until(page, 'gravity', () => window.voxelastic.live.value.gravity[2] === -3);
  await fillIn(page, 'World damping', 0.2);
  await until(page, 'damping', () => window.voxelastic.live.value.damping.ground === 0.2);
  await fillIn(page, 'Temperature of stride', 4);
  await until(page, 'temperature', () => window.voxelastic.live.value.signals.stride.base === 4);
  await key(page, 'Backspace');
  await until(page, 'a reset', () => window.voxelastic.sim.value.step === 0 && window.voxelastic.live.value.gravity[2] === -9.81);
});

test('Space plays and pauses wherever the mouse clicked last', async ({ page }) => {
  const state = (name) => until(page, name, (n) => window.voxelastic.sim.value.state === n, name);
  await play(page);
  await state('running');
  await page.keyboard.press('Space'); // the focus is on the button, which Space would press too
  await state('paused');
  await button(page, 'View options').click();
  await page.keyboard.press('Space');
  await state('running');
  await page.waitForTimeout(200);
  await toggle(page, 'Edges of voxels');
  await page.keyboard.press('Space');
  await state('paused');
  await page.waitForTimeout(200);
  await toggle(page, 'Edges of voxels');
  await choose(page, 'Speed', '1');
  await page.keyboard.press('Space');
  await state('running');
  await page.keyboard.press('Space');
  await state('paused');
  assert.ok(await page.getByRole('switch', { name: 'Edges of voxels' }).isChecked());
  await button(page, 'View options').click();
  await key(page, 'Backspace');
  await until(page, 'a reset', () => window.voxelastic.sim.value.step === 0);
});

test('Pause, pressed when the run ends, never plays on', async ({ page, browser, folder }) => {
  writeFileSync(join(folder, 'brief.json'), JSON.stringify({
    voxelastic: 1, lattice: { pitch: 0.01, size: [4, 4, 8] }, materials: [{ name: 'rubber', youngs_modulus: 1e5 }],
    shapes: [{ box: { corner: [0, 0, 4], size: [4, 4, 3] }, material: 'rubber' }], environment: { gravity: true, floor: true }, stop: { time: 0.6 },
  }));
  await page.evaluate(() => window.voxelastic.openFile('brief.json'));
  await settled(page);
  // Held down while the run ends, and let go when the button has long said Play. It is slow until then, so that it does not end before.
  const speed = (mode, factor) => page.evaluate(([m, f]) => window.voxelastic.do('sim.speed', { mode: m, factor: f }), [mode, factor]);
  await speed('real', 0.01);
  await play(page);
  await button(page, 'Pause').hover();
  await page.mouse.down();
  await speed('max', 1);
  await until(page, 'the end of the run', () => window.voxelastic.sim.value?.state === 'stopped');
  await until(page, 'a button that plays', () => document.querySelector('[aria-label=Play]') && !document.querySelector('[aria-label=Play]').disabled);
  const { step } = await sim(page);
  await page.mouse.up();
  const { sim: after } = await page.evaluate(() => window.voxelastic.do('sim.status'));
  assert.deepEqual([after.state, after.step], ['stopped', step]);
  // Space in the very moment: the page has just learnt of the end.
  await key(page, 'Backspace');
  await until(page, 'a reset', () => window.voxelastic.sim.value.step === 0);
  await page.evaluate(() => {
    window.pressed = false;
    const stop = window.voxelastic.sim.subscribe((s) => {
      if (s?.state !== 'stopped') return;
      window.dispatchEvent(new KeyboardEvent('keydown', { key: ' ' }));
      window.pressed = true;
      queueMicrotask(() => stop());
    });
  });
  await play(page);
  await until(page, 'Space at the end of the run', () => window.pressed);
  assert.equal((await page.evaluate(() => window.voxelastic.do('sim.status'))).sim.state, 'stopped');
  // The recording, too; and after a look at what the button says, it plays on.
  await choose(page, 'Loop', 'off');
  await choose(page, 'Speed of the recording', '0.01');
  await button(page, 'Play the recording').click();
  await button(page, 'Pause the recording').hover();
  await page.mouse.down();
  await page.evaluate(() => (window.voxelastic.time.speed.value = 10));
  await until(page, 'the end of the recording', () => !window.voxelastic.time.playing.value && !window.voxelastic.time.ended.now.value);
  await page.mouse.up();
  assert.equal(await page.evaluate(() => window.voxelastic.time.playing.value), false);
  await speed('real', 1);
  await play(page);
  await until(page, 'it goes on', (s) => window.voxelastic.sim.value.step > s, step);
  await button(page, 'Pause').click();
  await until(page, 'a pause', () => window.voxelastic.sim.value.state === 'paused');
  // And a replay.
  const out = join(folder, 'brief');
  execFileSync(BINARY, ['run', 'brief.json', '-q', '-o', out], { cwd: folder });
  const { page: replay, errors } = await openPage(browser, `file://${join(out, 'replay.html')}`);
  await replay.getByRole('switch', { name: 'Loop' }).click();
  await choose(replay, 'Speed', '0.01');
  await button(replay, 'Play').click();
  await button(replay, 'Pause').hover();
  await replay.mouse.down();
  await replay.getByRole('combobox', { name: 'Speed' }).selectOption('4');
  const over = () => replay.getByTestId('time').getAttribute('data-value').then(Number);
  await until(replay, 'the end of the replay', () => document.querySelector('[aria-label=Play]') && !document.querySelector('[aria-label=Play]').disabled);
  const end = await over();
  await replay.mouse.up();
  await replay.waitForTimeout(200);
  assert.equal(await over(), end);
  assert.deepEqual(errors, []);
  await replay.close();
});

test('probe a voxel, plot, save the plot as CSV and PNG', async ({ page }) => {
  await key(page, 'f');
  await still(page);
  const p = await page.evaluate(() => {
    const { viewer } = window.voxelasticStage;
    const i = viewer.body.mesh.voxel.length - 1;
    const s = viewer.toScreen(viewer.body.center(i, viewer.rig.target.clone()));
    const r = viewer.canvas.getBoundingClientRect();
    return { x: s.x + r.left, y: s.y + r.top };
  });
  await page.mouse.dblclick(p.x, p.y);
  await tab(page, 'Probes');
  await page.getByTestId('probe').waitFor();
  const text = await page.getByTestId('probe').innerText();
  for (const word of ['Position', 'Displacement', 'Strain', 'Stress', 'Force', 'Contact force', 'mm', 'Pa', 'N']) assert.ok(text.includes(word), `${word} in ${text}`);
  await page.getByRole('button', { name: /^Plot displacement of Voxel/ }).click();
  await choose(page, 'Add a plot', 'speed_max');
  await key(page, 'Space');
  await until(page, 'rows', () => window.voxelastic.trace[0]?.length > 20);
  await pause(page);
  // Another plot leaves the others as they are; its own line begins now.
  await until(page, 'the last rows', () => Math.abs(window.voxelastic.trace[0].at(-1) - window.voxelastic.sim.value.time) < 0.02);
  const before = await page.evaluate(() => ({ times: window.voxelastic.trace[0].slice(), values: window.voxelastic.trace.at(-1).slice() }));
  await choose(page, 'Add a plot', 'strain_max');
  await until(page, 'a column more', () => window.voxelastic.trace.length === window.voxelastic.traceColumns.value.length && window.voxelastic.traceColumns.value.some((c) => c.startsWith('strain_max')));
  const after = await page.evaluate(() => ({ times: window.voxelastic.trace[0].slice(), values: window.voxelastic.trace.at(-2).slice(), own: window.voxelastic.trace.at(-1).map(Number.isFinite) }));
  assert.deepEqual(after.times.slice(0, before.times.length), before.times);
  assert.deepEqual(after.values.slice(0, before.values.length), before.values);
  assert.ok(!after.own[0] && after.own.at(-1), 'what was not recorded is not made up');
  await button(page, 'Remove plot Largest strain').click();
  await until(page, 'as before', () => !window.voxelastic.traceNames.value.includes('strain_max'));
  assert.ok(await page.getByRole('figure', { name: 'Plot of Fastest voxel' }).locator('canvas').isVisible());
  const [csv] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as CSV').click()]);
  const lines = readFileSync(await csv.path(), 'utf8').trim().split('\n');
  assert.match(lines[0], /^time_s,.*speed_max_m_per_s/);
  assert.equal(lines.length - 1, await page.evaluate(() => window.voxelastic.trace[0].length));
  const [png] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as PNG').click()]);
  assert.deepEqual([...readFileSync(await png.path()).subarray(1, 4)], [...Buffer.from('PNG')]);
  const [picture] = await Promise.all([page.waitForEvent('download'), button(page, 'Save a picture of the view').click()]);
  assert.ok(readFileSync(await picture.path()).length > 5000);
  await button(page, 'Remove plot Fastest voxel').click();
  await until(page, 'one plot less', () => !window.voxelastic.traceNames.value.includes('speed_max'));
});

test('every look and every colour', async ({ page }) => {
  const fields = await page.evaluate(() => window.voxelastic.hello.value.fields.map((f) => f.name));
  for (const field of fields) {
    await choose(page, 'Colour by', field);
    await until(page, `frames of ${field}`, (f) => window.voxelastic.frame?.fieldName === f, field);
    if (field !== 'material') await page.locator('.legend').waitFor();
  }
  await choose(page, 'Colour by', 'strain');
  await button(page, 'View options').click();
  await radio(page, 'Look', 'Skin');
  await radio(page, 'Look', 'Links');
  await until(page, 'links', () => window.voxelastic.frame?.linkStress?.length > 0);
  await radio(page, 'Look', 'Voxels');
  await toggle(page, 'Section');
  await until(page, 'all voxels', () => window.voxelasticStage.viewer.body.mesh.voxel.length === window.voxelastic.sim.value.voxels);
  await toggle(page, 'Ghost of the start');
  await toggle(page, 'Orthographic');
  for (const view of ['Iso', 'Front', 'Back', 'Left', 'Right', 'Top', 'Bottom']) await button(page, `${view} view`).click();
  for (const [mode, text] of [['Held', 'held'], ['Moment', 'this moment'], ['Run', 'over the run']]) {
    await radio(page, 'Colour range', mode);
    await page.getByRole('button', { name: `Colour range: ${text}` }).waitFor();
  }
  await toggle(page, 'Orthographic');
  await toggle(page, 'Ghost of the start');
  await toggle(page, 'Section');
  await button(page, 'Iso view').click();
  await choose(page, 'Colour by', 'material');
  await button(page, 'View options').click();
});

test('equilibrium, linear solve, modes', async ({ page }) => {
  await openDemo(page, 'cantilever');
  await radio(page, 'Mode', 'Simulate');
  await until(page, 'a simulation', () => window.voxelastic.mode.value === 'simulate');
  await tab(page, 'Solve');
  if (!(await page.evaluate(() => window.voxelastic.hello.value.solve))) return;
  await button(page, 'Linear solve').click();
  await page.getByTestId('linear-result').waitFor();
  await until(page, 'its shape', () => window.voxelastic.shape.value?.kind === 'linear');
  await fillIn(page, 'Number of modes', 4);
  await button(page, 'Find modes').click();
  await until(page, 'modes', () => window.voxelastic.shape.value?.kind === 'modes');
  const modes = page.getByRole('list', { name: 'Modes' }).getByRole('button');
  assert.equal(await modes.count(), 4);
  assert.match(await modes.nth(0).innerText(), /Hz/);
  await modes.nth(2).click();
  await until(page, 'the third shape', () => window.voxelastic.shape.value?.mode === 2);
  const shape = () => page.evaluate(() => Array.from(window.voxelasticStage.viewer.body.corners.slice(0, 300)).join());
  const first = await shape();
  await until(page, 'the shape swings', (before) => Array.from(window.voxelasticStage.viewer.body.corners.slice(0, 300)).join() !== before, first);
  await button(page, 'Find equilibrium').click();
  await page.getByTestId('equilibrium-result').waitFor();
  await until(page, 'the bent beam', () => window.voxelastic.sim.value.displacement_max > 5e-4);
  await tab(page, 'Live');
  await fillIn(page, 'Force on tip z', '-20 mN');
  await until(page, 'the other load', () => Math.abs(window.voxelastic.live.value.regions.tip.force[2] + 0.02) < 1e-12);
});

test('a failed simulation says why, where it is', async ({ page }) => {
  await openDemo(page, 'cantilever');
  await tab(page, 'Regions');
  await page.getByRole('list', { name: 'Regions' }).getByRole('button', { name: /^tip/ }).click();
  await fillIn(page, 'Force z', '-400 N');
  await play(page);
  await until(page, 'a fault', () => window.voxelastic.sim.value?.state === 'failed');
  const fault = page.getByTestId('fault');
  await fault.waitFor();
  assert.match(await fault.innerText(), /cannot go on/);
  const where = await sim(page);
  assert.ok(where.fault.voxel >= 0);
  await page.locator('.label.bad').waitFor();
  await page.locator('.mark-at.failure').first().waitFor(); // in its place in time, too
  // It covers no control and no figure, whatever the size of the screen.
  await choose(page, 'Colour by', 'strain');
  for (const [width, height] of [[800, 600], [1280, 720], [1920, 1080], [3840, 2160]]) {
    await page.setViewportSize({ width, height });
    const covered = await page.evaluate(() => {
      const a = document.querySelector('.fault').getBoundingClientRect();
      return ['.legend', '.viewbar-row', '.readout', '.scalebar', '.viewcube', '.time'].filter((s) => {
        const b = document.querySelector(s).getBoundingClientRect();
        return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      });
    });
    assert.deepEqual(covered, [], `at ${width} x ${height}`);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await choose(page, 'Colour by', 'material');
  await fault.getByRole('button', { name: 'Edit the scene' }).click();
});

test('unsaved changes: a mark, a warning, and the autosave after a kill', async ({ browser, folder }) => {
  const place = join(folder, 'crash');
  mkdirSync(place);
  const server = await startServer(place);
  const { page, errors } = await openPage(browser, server.url);
  await settled(page);
  await page.evaluate(() => window.voxelastic.doc.paint('Pencil', (s) => { for (let i = 0; i < 5; i++) s.set('material', i, 1); }));
  await settled(page);
  assert.ok((await page.title()).startsWith('●'), await page.title());
  // Leaving asks first; browsers do so only on pages that were used.
  await page.mouse.click(400, 20);
  const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  // Autosaves come two seconds after an edit.
  const kept = () => existsSync(join(place, '.voxelastic')) && readdirSync(join(place, '.voxelastic')).some((n) => /^autosave-.*\.json$/.test(n));
  for (const limit = Date.now() + 60000; !kept() && Date.now() < limit;) await new Promise((r) => setTimeout(r, 50));
  assert.ok(kept());
  server.child.kill('SIGKILL');
  await page.locator('.lost').waitFor();
  errors.length = 0; // the lost connection is one of them
  await page.close({ runBeforeUnload: false });
  const again = await startServer(place);
  const second = await openPage(browser, again.url);
  await settled(second.page);
  await key(second.page, 'Control+o');
  await second.page.getByRole('tab', { name: /Recovered/ }).click();
  await second.page.getByRole('list', { name: 'Recovered scenes' }).getByRole('button').first().click();
  await until(second.page, 'the recovered scene', () => window.voxelastic.doc.grid.count() === 5);
  await second.page.close();
  await again.stop();
});

test('closing the tab keeps the simulation; a second tab takes over', async ({ browser, folder }) => {
  const place = join(folder, 'tabs');
  mkdirSync(place);
  const server = await startServer(place, ['quadruped']);
  const first = await openPage(browser, server.url);
  await settled(first.page);
  await play(first.page);
  await until(first.page, 'motion', () => window.voxelastic.sim.value?.time > 0.2);
  const second = await openPage(browser, server.url);
  await until(second.page, 'the running simulation', () => window.voxelastic?.sim.value?.state === 'running' && window.voxelastic.mode.value === 'simulate');
  assert.ok((await sim(second.page)).time > 0.2);
  await until(second.page, 'frames', () => window.voxelastic.frame?.time > 0.2);
  await first.page.getByText('The studio is open in another tab.').waitFor();
  assert.deepEqual(second.errors, []);
  await first.page.close();
  await second.page.close();
  await server.stop();
});

test('help, theme, and names on all controls', async ({ page }) => {
  await key(page, '?');
  await page.getByRole('dialog', { name: 'Keyboard and mouse' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.getByRole('button', { name: /^Theme/ }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.getByRole('button', { name: /^Theme/ }).click();
  for (const name of ['Draw', 'Regions', 'Environment', 'Scene']) {
    await tab(page, name);
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea')]
      .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim() || e.title)).map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
  }
});

test('replay.html scrubs, plays and shows the plots, without a server', async ({ browser, folder, scenes }) => {
  const out = join(folder, 'replay');
  execFileSync(BINARY, ['run', join(scenes, 'quadruped.json'), '--time', '1', '-q', '-o', out], { cwd: folder });
  const { page, errors } = await openPage(browser, `file://${join(out, 'replay.html')}`);
  await page.getByTestId('time').waitFor();
  const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
  assert.ok((await page.locator('aside').innerText()).includes(summary.state_hash));
  const slider = page.getByRole('slider', { name: 'Time' });
  const last = Number(await slider.getAttribute('max'));
  assert.equal(last, summary.time);
  const corners = () => page.evaluate(() => document.querySelector('.readout b').dataset.value);
  await slider.fill(String(last));
  assert.ok(Math.abs(Number(await corners()) - summary.time) < 1e-9, 'the last frame is the end of the run');
  await slider.fill('0');
  assert.equal(Number(await corners()), 0);
  await page.keyboard.press('ArrowRight');
  // Between two frames everything is on its way from one to the other; corners go along a curve.
  const between = await page.evaluate(async () => {
    const r = window.voxelasticReplay;
    const [a, b] = [r.time(10), r.time(11)];
    const x = async (t) => { const m = await r.moment(t, 'strain'); return [m.corners[0] + m.origin[0], m.values[0], m.time]; };
    return [await x(a), await x((a + b) / 2), await x(b)];
  });
  for (const k of [1, 2]) assert.ok(Math.abs(between[1][k] - (between[0][k] + between[2][k]) / 2) < 1e-6 * (1 + Math.abs(between[0][k])), `${between}`);
  assert.ok(Math.abs(between[1][0] - (between[0][0] + between[2][0]) / 2) < 0.3 * Math.abs(between[2][0] - between[0][0]) + 1e-4, `${between}`);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await until(page, 'playing', () => Number(document.querySelector('.readout b').dataset.value) > 0.2);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await choose(page, 'Colour by', 'strain');
  await page.locator('.legend').waitFor();
  assert.match(await page.locator('.legend').innerText(), /\[%\]\s+([1-9]|[1-9]0)\b/, 'strains in per cent, of round numbers');
  assert.ok((await page.getByTestId('plot').count()) >= 3);
  assert.deepEqual(errors, []);
  await page.close();
});

test('a replay fits a phone', async ({ browser, folder, scenes }) => {
  const out = join(folder, 'phone');
  execFileSync(BINARY, ['run', join(scenes, 'quadruped.json'), '--time', '0.5', '-q', '-o', out], { cwd: folder });
  const { page, errors } = await openPage(browser, `file://${join(out, 'replay.html')}`, { width: 414, height: 896 });
  await page.getByTestId('time').waitFor();
  await choose(page, 'Colour by', 'strain');
  await page.locator('.legend').waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 414, `${wide} pixels wide`);
  // Everything can be reached: controls lie inside the screen's width, the summary and the plots below by scrolling.
  const outside = await page.evaluate(() => [...document.querySelectorAll('button, select, input, output')].map((e) => e.getBoundingClientRect()).filter((b) => b.width > 0 && (b.left < -1 || b.right > 415)).length);
  assert.equal(outside, 0);
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight > 1000));
  assert.ok(await page.evaluate(() => window.voxelasticViewer.stage.grid.visible), 'the floor has its lines');
  // On its side, too: nothing lies over the time.
  await page.setViewportSize({ width: 844, height: 390 });
  const apart = await page.evaluate(() => {
    const [a, b, bar] = ['.readout', '.legend', 'main.view'].map((s) => document.querySelector(s).getBoundingClientRect());
    return b.top >= a.bottom - 1 && b.bottom <= bar.bottom;
  });
  assert.ok(apart, 'the scale of colours is below the time');
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 844);
  await page.setViewportSize({ width: 414, height: 896 });
  await page.getByTestId('plot').last().scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await until(page, 'playing', () => Number(document.querySelector('.readout b').dataset.value) > 0.05);
  assert.deepEqual(errors, []);
  await page.close();
});
