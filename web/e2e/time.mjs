// Time, trust and exports: the recording, two runs, colour scales, what is drawn over the body, pictures, videos and replays.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, button, choose, fillIn, key, radio, still, tab, test, toggle, until } from './harness.mjs';
import { openPage, settled } from './studio.mjs';

const time = (page) => page.getByTestId('time').getAttribute('data-value').then(Number);
const corners = (page) => page.evaluate(() => Array.from(window.voxelasticStage.viewer.body.corners.slice(0, 30)).join());

async function run(page, name, seconds) {
  await page.evaluate((n) => window.voxelastic.openDemo(n), name);
  await settled(page);
  await key(page, 'Space');
  await until(page, 'the run', (s) => window.voxelastic.sim.value?.time > s, seconds);
  // A scene may end by itself, and Space would then play it again.
  if (await page.evaluate(() => window.voxelastic.running.value)) await page.evaluate(() => window.voxelastic.do('sim.pause'));
  await until(page, 'a pause', () => window.voxelastic.sim.value?.state !== 'running');
}

test('time: scrub, play at any speed, loop a cycle, marks, back to the present', async ({ page }) => {
  await run(page, 'quadruped', 1.3);
  const end = await page.evaluate(() => window.voxelastic.sim.value.time);
  const now = await corners(page);
  const slider = page.getByRole('slider', { name: 'Moment' });
  await slider.fill('0.5');
  await until(page, 'the past', () => window.voxelastic.time.frame && Math.abs(window.voxelastic.time.frame.time - 0.5) < 1e-6);
  assert.ok(Math.abs((await time(page)) - 0.5) < 1e-6);
  assert.equal(await page.getByTestId('past').innerText(), 'recorded');
  assert.notEqual(await corners(page), now, 'another shape');
  await key(page, '.');
  assert.ok((await time(page)) > 0.5);
  await key(page, ',');
  await choose(page, 'Speed of the recording', '0.25');
  await choose(page, 'Loop', 'cycle');
  const [from, to] = await page.evaluate(() => window.voxelastic.time.range());
  assert.ok(from <= 0.5 && to >= 0.5 && Math.abs(to - from - (await page.evaluate(() => window.voxelastic.time.period))) < 1e-9, `${from} to ${to}`);
  await choose(page, 'Speed of the recording', '4');
  await key(page, 'p');
  const seen = new Set();
  for (let i = 0; i < 6; i++) {
    await page.waitForTimeout(60);
    const t = await time(page);
    seen.add(t);
    assert.ok(t >= from - 1e-9 && t <= to + 1e-9, `${t} is in the cycle`);
  }
  assert.ok(seen.size > 3, 'it plays');
  await key(page, 'p');
  await page.getByRole('button', { name: /^touches the floor at/ }).first().click();
  assert.ok((await time(page)) < 0.3, 'the mark of the first contact');
  // Colours of the past, by a measure that was not looked at then.
  await choose(page, 'Colour by', 'stress_mises');
  await until(page, 'von Mises of the past', () => window.voxelastic.time.frame?.fieldName === 'stress_mises' && window.voxelastic.time.frame.field?.length > 0);
  await page.locator('.legend', { hasText: 'Von Mises stress' }).waitFor();
  await key(page, 'End');
  await until(page, 'the present', () => !window.voxelastic.time.shown.value);
  assert.equal(await time(page), end);
  assert.equal(await corners(page), now, 'the shape of the present, bit by bit');
});

test('two runs: a reset keeps the last one, as a ghost and side by side', async ({ page }) => {
  await key(page, 'Backspace');
  await until(page, 'a reset', () => window.voxelastic.sim.value.step === 0 && window.voxelastic.sim.value.last_run);
  await tab(page, 'Live');
  await fillIn(page, 'Gravity z', -4);
  await key(page, 'Space');
  await until(page, 'the second run', () => window.voxelastic.sim.value?.time > 0.5);
  await key(page, 'Space');
  await choose(page, 'Compare with the other run', 'ghost');
  await until(page, 'a ghost', () => window.voxelasticStage.viewer.other.group.visible && window.voxelastic.time.other);
  await page.getByRole('slider', { name: 'Moment' }).fill('0.3');
  await until(page, 'both at the same moment', () => Math.abs(window.voxelastic.time.other?.time - 0.3) < 1e-6 && Math.abs(window.voxelastic.time.frame?.time - 0.3) < 1e-6);
  assert.notEqual(
    await page.evaluate(() => window.voxelastic.time.other.corners.slice(0, 30).join()), await page.evaluate(() => window.voxelastic.time.frame.corners.slice(0, 30).join()), 'they differ');
  await choose(page, 'Compare with the other run', 'beside');
  await until(page, 'beside', () => window.voxelasticStage.viewer.other.group.position.length() > 3);
  await still(page);
  const seen = await page.evaluate(() => {
    const { viewer } = window.voxelasticStage;
    const inside = (box) => [box.min, box.max].every((p) => { const s = viewer.toScreen(p.clone()); return s.x > 0 && s.x < viewer.canvas.clientWidth && s.y > 0 && s.y < viewer.canvas.clientHeight; });
    return [inside(viewer.bodyBox()), inside(viewer.other.box().clone().translate(viewer.other.group.position))];
  });
  assert.deepEqual(seen, [true, true], 'both are in view');
  await choose(page, 'Run shown', 'last');
  await until(page, 'the last run', () => window.voxelastic.time.frame?.run === window.voxelastic.time.last.value.run);
  assert.equal(await page.getByTestId('past').innerText(), 'the last run, recorded');
  await choose(page, 'Compare with the other run', 'off');
  await button(page, 'Live').click();
});

test('colours: fixed over the run, no noise at rest, round numbers, the value under the pointer', async ({ page }) => {
  await page.evaluate(() => window.voxelastic.newScene());
  await page.evaluate(() => { const { doc } = window.voxelastic; doc.paint('b', (s) => { for (let z = 0; z < 3; z++) for (let y = 8; y < 12; y++) for (let x = 8; x < 12; x++) s.set('material', doc.grid.index(x, y, z), 1); }); });
  await page.evaluate(() => window.voxelastic.doc.edit('g', (p) => ({ ...p, environment: { ...p.environment, gravity: [0, 0, 0], floor: false } })));
  await radio(page, 'Mode', 'Simulate');
  await until(page, 'a simulation', () => window.voxelastic.sim.value && window.voxelastic.mode.value === 'simulate');
  await choose(page, 'Colour by', 'strain');
  await until(page, 'colours', () => window.voxelastic.frame?.fieldName === 'strain');
  await key(page, 'Shift+ArrowRight');
  await until(page, 'steps', () => window.voxelastic.sim.value.step >= 100 && window.voxelastic.frame.time > 0);
  // At rest all voxels have one colour, the middle one.
  const spread = await page.evaluate(() => [0, 1, 2].map((c) => { const t = window.voxelasticStage.viewer.body.tint.filter((_, i) => i % 3 === c); return Math.max(...t) - Math.min(...t); }));
  assert.ok(Math.max(...spread) <= 2, `no noise: ${spread}`);
  await page.evaluate(() => window.voxelastic.openDemo('quadruped'));
  await settled(page);
  await button(page, 'Play').click();
  await until(page, 'motion', () => window.voxelastic.sim.value?.time > 0.6);
  const range = () => page.evaluate(() => [window.voxelasticStage.legend.value.low, window.voxelasticStage.legend.value.high]);
  const [low, high] = await range();
  assert.equal(low, -high);
  assert.ok([1, 2, 3, 4, 5, 6, 8, 10].some((m) => Math.abs(Math.log10(high / m) - Math.round(Math.log10(high / m))) < 1e-9), `${high} is round`);
  await page.evaluate(() => window.voxelastic.do('sim.pause'));
  await until(page, 'a pause', () => window.voxelastic.sim.value.state !== 'running' && window.voxelastic.frame.time === window.voxelastic.sim.value.time);
  const most = await page.evaluate(() => { const { value } = window.voxelastic.time.info; const f = [...value.values()].at(-1).fields.strain; return Math.max(f.max, -f.min); });
  assert.ok((await range())[1] >= most * 0.999, 'the range holds the run');
  assert.match(await page.locator('.legend .extreme').innerText(), /^most -?[\d.]+ (%|ppm) at [\d.]+ m?s$/);
  assert.ok(Number(await page.getByTestId('strain-max').getAttribute('data-most')) >= Number(await page.getByTestId('strain-max').getAttribute('data-value')));
  const p = await page.evaluate(() => {
    const { viewer } = window.voxelasticStage;
    const s = viewer.toScreen(viewer.body.center(viewer.body.mesh.voxel.length - 1, viewer.rig.target.clone()));
    const r = viewer.canvas.getBoundingClientRect();
    return { x: s.x + r.left, y: s.y + r.top };
  });
  await page.mouse.move(p.x - 3, p.y);
  await page.mouse.move(p.x, p.y);
  await page.getByTestId('pointed').waitFor();
  assert.match(await page.getByTestId('pointed').innerText(), /^largest axial strain -?[\d.e-]+ (%|ppm)$/);
});

test('what acts on the body is drawn, and each can be switched off', async ({ page }) => {
  await run(page, 'cantilever', 0.02);
  const shown = () => page.evaluate(() => {
    const o = window.voxelasticStage.sim.overlays;
    return { regions: o.acting.some((a) => a.outline.visible), loads: o.acting.some((a) => a.arrows.some((r) => r.object.visible)), fixed: !!o.held?.mesh.visible };
  });
  assert.deepEqual(await shown(), { regions: true, loads: true, fixed: true });
  await button(page, 'View options').click();
  for (const [label, key_] of [['Regions', 'regions'], ['Loads', 'loads'], ['Held faces', 'fixed']]) {
    await toggle(page, label);
    assert.equal((await shown())[key_], false, label);
    await toggle(page, label);
  }
  await button(page, 'View options').click();
  await run(page, 'quadruped', 0.3);
  await until(page, 'contact forces', () => window.voxelastic.frame?.contacts?.length > 0);
  assert.ok(await page.evaluate(() => window.voxelasticStage.sim.overlays.contacts.visible));
  await button(page, 'View options').click();
  await toggle(page, 'Contacts and their forces');
  assert.equal(await page.evaluate(() => window.voxelasticStage.sim.overlays.contacts.visible), false);
  await toggle(page, 'Contacts and their forces');
  await toggle(page, 'Shadow');
  assert.equal(await page.evaluate(() => window.voxelasticStage.viewer.shadows), false);
  await toggle(page, 'Shadow');
  await button(page, 'View options').click();
  assert.ok((await page.getByTestId('gait').count()) === 0 || (await page.getByTestId('body-lengths').innerText()).length > 0);
});

test('a solved shape in any colour', async ({ page }) => {
  await page.evaluate(() => window.voxelastic.openDemo('cantilever'));
  await settled(page);
  if (!(await page.evaluate(() => window.voxelastic.hello.value.solve))) return;
  await radio(page, 'Mode', 'Simulate');
  await tab(page, 'Solve');
  await button(page, 'Linear solve').click();
  await until(page, 'its shape', () => window.voxelastic.shape.value?.kind === 'linear');
  for (const field of ['stress_mises', 'strain_x', 'energy']) {
    await choose(page, 'Colour by', field);
    await until(page, field, (f) => window.voxelastic.shape.value?.name === f && window.voxelastic.shape.value.max > 0, field);
  }
  await choose(page, 'Colour by', 'material');
  await tab(page, 'Live');
});

test('exports: a picture of any size, WebM, GIF and a replay page', async ({ page, browser, folder }) => {
  await run(page, 'quadruped', 0.6);
  await choose(page, 'Colour by', 'strain');
  await choose(page, 'Loop', 'off');
  await choose(page, 'Speed of the recording', '4');
  const save = async (name, work) => {
    await button(page, 'Export').click();
    await work();
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
    return { bytes: readFileSync(await file.path()), name: file.suggestedFilename() };
  };
  const png = await save('Save picture', async () => {
    await choose(page, 'Size', '3840 × 2160 (4K)');
    await toggle(page, 'With marks and rulers');
  });
  assert.deepEqual([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)], [3840, 2160]);
  const webm = await save('Save video', async () => {
    await choose(page, 'Size', 'Other');
    await page.getByRole('spinbutton', { name: 'Width' }).fill('320');
    await page.getByRole('spinbutton', { name: 'Height' }).fill('180');
  });
  assert.equal(webm.bytes.readUInt32BE(0), 0x1a45dfa3, 'a Matroska file');
  assert.match(webm.name, /\.webm$/);
  const viewer = await browser.newPage(); // the studio's own page plays nothing
  const length = await viewer.evaluate(async (data) => {
    const video = document.createElement('video');
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: 'video/webm' }));
    await new Promise((resolve, reject) => { video.onloadeddata = resolve; video.onerror = () => reject(new Error(video.error?.message)); });
    return [video.duration, video.videoWidth, video.videoHeight];
  }, webm.bytes.toString('base64'));
  await viewer.close();
  assert.ok(length[0] > 0.1 && length[1] === 320 && length[2] === 180, `the browser plays it: ${length}`);
  const gif = await save('Save video', async () => {
    await choose(page, 'Size', 'Other');
    await choose(page, 'Video', 'gif');
    await fillIn(page, 'Pictures a second', 10);
    await page.getByRole('spinbutton', { name: 'Width' }).fill('200');
    await page.getByRole('spinbutton', { name: 'Height' }).fill('120');
  });
  assert.equal(gif.bytes.subarray(0, 6).toString(), 'GIF89a');
  assert.equal(await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/gif;base64,${data}`;
    await image.decode();
    return image.naturalWidth;
  }, gif.bytes.toString('base64')), 200);
  const html = await save('Save replay', async () => undefined);
  const path = join(folder, 'exported.html');
  writeFileSync(path, html.bytes);
  const other = await openPage(browser, `file://${path}`);
  await other.page.getByTestId('time').waitFor();
  await other.page.getByRole('slider', { name: 'Time' }).waitFor();
  await choose(other.page, 'Colour by', 'strain');
  await other.page.locator('.legend').waitFor();
  assert.deepEqual(other.errors, []);
  await other.page.close();
  await choose(page, 'Speed of the recording', '1');
});

test('figures: the largest of the run with when and where, the gait live, plots of the last moments, one notice, a view that follows', async ({ page }) => {
  await page.evaluate(() => window.voxelastic.openDemo('quadruped'));
  await settled(page);
  await page.evaluate(() => window.voxelastic.enterSimulation(false));
  await choose(page, 'Add a plot', 'strain_max');
  const target = () => page.evaluate(() => window.voxelasticStage.viewer.rig.target.x);
  const from = await target();
  await button(page, 'Play').click();
  await until(page, 'some steps of its walk', () => window.voxelastic.sim.value?.time > 2.2);
  await button(page, 'Pause').click();
  await until(page, 'a pause', () => window.voxelastic.sim.value?.state === 'paused');
  assert.ok((await target()) > from + 3, 'the view went along');
  const { peaks, traced } = await page.evaluate(() => {
    const s = window.voxelastic;
    const c = s.traceColumns.value.findIndex((x) => x.startsWith('strain_max'));
    return { peaks: s.sim.value.peaks, traced: Math.max(...s.trace[c]) };
  });
  assert.ok(peaks.strain.value >= traced * (1 - 1e-9) && peaks.strain.time > 0 && peaks.strain.cell.length === 3, JSON.stringify([peaks.strain, traced]));
  assert.match(await page.getByTestId('facts').innerText(), /Largest strain\s+[\d.]+ %\s+[\d.]+ % at [\d.]+ m?s\s+in cell \d+, \d+, \d+/);
  assert.ok(Number((await page.getByTestId('body-lengths').innerText()).split(' ')[0]) > 0.05);
  const plots = () => page.locator('.charts').screenshot();
  const all = await plots();
  await choose(page, 'Shown part of the plots', '0.5');
  await page.waitForTimeout(300);
  assert.notEqual(all.compare(await plots()), 0, 'half a second is shown');
  await choose(page, 'Shown part of the plots', '0');
  await page.evaluate(() => { window.voxelastic.say('first'); window.voxelastic.say('second'); });
  assert.deepEqual(await page.locator('.notice').allInnerTexts(), ['second']);
});

test('marks: links that yield and break', async ({ page }) => {
  await page.evaluate(() => window.voxelastic.openDemo('cantilever'));
  await settled(page);
  await tab(page, 'Draw');
  await choose(page, 'Law', 'bilinear');
  await fillIn(page, 'Yield stress', '20 kPa');
  await fillIn(page, 'Plastic modulus', '500 kPa');
  await fillIn(page, 'Breaks at', '25 kPa');
  await key(page, 'Space');
  const yields = page.getByRole('button', { name: /links? yields? at/ }).first();
  const breaks = page.getByRole('button', { name: /links? breaks? at/ }).first();
  await yields.waitFor();
  await breaks.waitFor();
  if (await page.evaluate(() => window.voxelastic.running.value)) await page.evaluate(() => window.voxelastic.do('sim.pause'));
  await until(page, 'a pause', () => window.voxelastic.sim.value?.state !== 'running');
  await yields.press('Enter'); // marks lie close together here, and may cover each other
  const first = await time(page);
  await breaks.press('Enter');
  assert.ok(first > 0 && first <= (await time(page)), 'links yield before they break');
  await key(page, 'End');
});
