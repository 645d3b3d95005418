// Tests of the studio's server. Usage: node test.mjs VOXELASTIC SOURCE [NAME...]
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { frame, request, Socket, Studio, wait } from './client.mjs';

const [voxelastic, source, ...only] = process.argv.slice(2);
const binary = path.resolve(voxelastic);
const slow = process.env.VXE_QUICK === '1' ? 4 : 1; // sanitizers
const tests = [];
const test = (name, run) => tests.push({ name, run });

// A folder of its own with a few scenes, and a secret outside of it.
function makeFolder(name) {
  const base = path.resolve('studio-work', name);
  fs.rmSync(base, { recursive: true, force: true });
  const folder = path.join(base, 'inside');
  fs.mkdirSync(path.join(folder, 'sub'), { recursive: true });
  fs.mkdirSync(path.join(base, 'outside'));
  for (const scene of ['cantilever', 'quadruped', 'ball']) fs.copyFileSync(path.join(source, 'scenes', `${scene}.json`), path.join(folder, `${scene}.json`));
  fs.copyFileSync(path.join(source, 'scenes', 'cantilever.json'), path.join(base, 'outside', 'secret.json'));
  return folder;
}

// A block of n^3 voxels on a floor.
const block = (n, more = {}) => ({
  voxelastic: 1,
  lattice: { pitch: 0.001, size: [n, n, n] },
  materials: [{ name: 'rubber' }],
  layers: { legend: { a: 'rubber' }, layers: [{ repeat: n, rows: [`${n}*${n}a`] }] },
  environment: { gravity: true, floor: true },
  ...more,
});

const stopped = (m) => m.event === 'status' && m.state === 'stopped';

// Runs a scene file with the command line; its summary.
function run(folder, file) {
  return JSON.parse(execFileSync(binary, ['run', file, '--json', '-q'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 }));
}

// ---- what it does ----------------------------------------------------------------------------------------------------

test('the page, its headers, and who gets it', async () => {
  const studio = await Studio.start(binary, makeFolder('page'));
  const get = (line, host = `127.0.0.1:${studio.port}`) => request(studio.port, host === null ? [line] : [line, `Host: ${host}`]);
  const status = async (...a) => Number((await get(...a)).split(' ')[1] ?? 0);
  const page = await get(`GET /?token=${studio.token} HTTP/1.1`);
  assert.match(page, /^HTTP\/1\.1 200/);
  const nonce = /script-src 'nonce-([0-9a-f]{32})'/.exec(page)[1];
  assert.ok(page.includes(`nonce="${nonce}"`), 'the nonce is in the page');
  assert.ok(!page.includes('VOXELASTIC-NONCE'));
  for (const header of ["default-src 'none'", 'x-content-type-options: nosniff', 'referrer-policy: no-referrer', 'cache-control: no-store', "frame-ancestors 'none'"]) assert.ok(page.toLowerCase().includes(header), header);
  assert.ok(!(await get(`GET /?token=${studio.token} HTTP/1.1`)).includes(nonce), 'a nonce is used once');
  assert.equal(await status(`GET /?token=${studio.token} HTTP/1.1`, `localhost:${studio.port}`), 200);
  const wrong = studio.token.replace(/./g, (c) => (c === '0' ? '1' : '0'));
  for (const target of ['/', '/?token=', `/?token=${wrong}`, `/?token=${studio.token.slice(1)}`, `/?token=${studio.token}0`, `/?x=${studio.token}`, '/ws', '/index.html', '/../../etc/passwd']) assert.equal(await status(`GET ${target} HTTP/1.1`), 403, target);
  for (const host of ['evil.example', `evil.example:${studio.port}`, '127.0.0.1', `127.0.0.1:${studio.port + 1}`, `127.0.0.2:${studio.port}`, '', null]) assert.notEqual(await status(`GET /?token=${studio.token} HTTP/1.1`, host), 200, `Host ${host}`);
  for (const target of ['/x', '/ws', '/..%2f..%2fetc/passwd', '/studio.html', '/.voxelastic']) assert.notEqual(await status(`GET ${target}?token=${studio.token} HTTP/1.1`), 200, target);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) assert.notEqual(await status(`${method} /?token=${studio.token} HTTP/1.1`), 200, method);
  assert.equal(await status(`GET /?token=${studio.token} HTTP/1.1`), 200, 'it still serves');
  assert.equal((await studio.end()).code, 0);
});

test('it listens on this machine only', async () => {
  const studio = await Studio.start(binary, makeFolder('listen'));
  const hex = studio.port.toString(16).toUpperCase().padStart(4, '0');
  const lines = fs.readFileSync('/proc/net/tcp', 'utf8').split('\n').concat(fs.readFileSync('/proc/net/tcp6', 'utf8').split('\n'));
  const listening = lines.filter((l) => / 0A /.test(l) && l.trim().split(/\s+/)[1].endsWith(`:${hex}`));
  assert.deepEqual(listening.map((l) => l.trim().split(/\s+/)[1]), [`0100007F:${hex}`]);
  await studio.end();
});

test('who may open a socket', async () => {
  const studio = await Studio.start(binary, makeFolder('who'));
  const { port, token } = studio;
  const bad = [
    { origin: 'http://evil.example' },
    { origin: `http://evil.example:${port}` },
    { origin: 'null' },
    { origin: null },
    { origin: `https://127.0.0.1:${port}` },
    { origin: `http://127.0.0.1:${port + 1}` },
    { origin: `http://localhost:${port}` }, // of another host than was asked
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }, // DNS rebinding
    { host: null },
    { path: '/ws' },
    { path: '/ws?token=' },
    { path: `/ws?token=${'0'.repeat(32)}` },
    { path: `/?token=${token}` },
    { path: `/ws/../ws?tok=${token}` },
    { protocol: null },
    { protocol: 'chat' },
  ];
  for (const options of bad) assert.equal(await studio.connect(options), null, JSON.stringify(options));
  const good = await studio.connect({ host: `localhost:${port}`, origin: `http://localhost:${port}` });
  assert.ok(good !== null);
  assert.equal((await good.do('hello')).protocol, 1);
  await good.close();
  await studio.end();
});

test('the browser is opened with an address that works once', async () => {
  const folder = makeFolder('once');
  const bin = path.join(folder, 'bin');
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" >"${folder}/opened.tmp" && mv "${folder}/opened.tmp" "${folder}/opened"\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':99' };
  const studio = await Studio.start(binary, folder, [], { open: true, env });
  for (let i = 0; i < 100 && !fs.existsSync(path.join(folder, 'opened')); i++) await wait(50);
  const opened = fs.readFileSync(path.join(folder, 'opened'), 'utf8').trim();
  assert.ok(!opened.includes(studio.token), 'the token is not on a command line');
  const target = new URL(opened);
  const get = () => request(studio.port, [`GET ${target.pathname}${target.search} HTTP/1.1`, `Host: ${target.host}`]);
  const first = await get();
  assert.match(first, /^HTTP\/1\.1 302/);
  assert.ok(first.includes(`location: ${studio.url}`), first);
  assert.match(await get(), /^HTTP\/1\.1 403/, 'once');
  assert.match(await request(studio.port, ['GET /?once= HTTP/1.1', `Host: ${target.host}`]), /^HTTP\/1\.1 403/);
  await studio.end();
});

test('playing gives what the command line gives', async () => {
  const folder = makeFolder('play');
  for (const file of slow > 1 ? ['cantilever.json'] : ['cantilever.json', 'ball.json']) {
    const studio = await Studio.start(binary, folder, [file]);
    const c = await studio.connect();
    const hello = await c.do('hello');
    assert.equal(hello.scene.file, file);
    await c.do('sim.new');
    await c.do('trace.set', { names: ['displacement_max', 'energy.kinetic'] });
    await c.do('sim.speed', { mode: 'max' });
    const end = c.when(stopped, 'the end', 120000);
    await c.do('sim.play');
    const status = await end;
    const summary = run(folder, file);
    assert.equal(status.state_hash, summary.state_hash, `${file}: the same bits`);
    assert.equal(status.step, summary.steps);
    assert.equal(status.stop.reason, summary.stop_reason);
    assert.equal(status.displacement_max.toPrecision(15), summary.at_end.displacement_max.toPrecision(15)); // the summary has 15 digits
    await studio.end();
  }
});

test('frames, meshes and fields fit together', async () => {
  const studio = await Studio.start(binary, makeFolder('frames'), ['quadruped.json']);
  const c = await studio.connect();
  const { fields } = await c.do('hello');
  const meshed = c.when((m) => m.kind === 'mesh');
  await c.do('sim.new');
  const mesh = await meshed;
  const [n, m, f] = [mesh.voxels, mesh.corners, mesh.faces];
  assert.equal(mesh.data.voxel.length, n);
  assert.equal(mesh.data.start.length, 3 * m);
  assert.equal(mesh.data.face.length, 4 * f);
  assert.ok(mesh.data.face.every((i) => i < m) && mesh.data.hexahedron.every((i) => i < m) && mesh.data.face_voxel.every((i) => i < n));
  // Faces look outwards: the normal points away from the voxel's centre.
  for (let i = 0; i < f; i++) {
    const p = [0, 1, 2, 3].map((k) => [0, 1, 2].map((a) => mesh.data.start[3 * mesh.data.face[4 * i + k] + a]));
    const v = mesh.data.face_voxel[i];
    const center = [0, 1, 2].map((a) => (mesh.data.cell[3 * v + a] + 0.5) * mesh.pitch);
    const u = [0, 1, 2].map((a) => p[1][a] - p[0][a]);
    const w = [0, 1, 2].map((a) => p[3][a] - p[0][a]);
    const normal = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
    const axis = mesh.data.face_side[i] >> 1;
    const sign = (mesh.data.face_side[i] & 1) === 1 ? 1 : -1;
    assert.ok(normal[axis] * sign > 0, `face ${i} looks outwards`);
    assert.ok(Math.abs(p[0][axis] - center[axis] - 0.5 * sign * mesh.pitch) < 1e-7);
  }
  for (const { name } of fields) {
    await c.do('view.set', { field: name });
    const shown = c.when((x) => x.kind === 'frame' && x.field.name === name, name);
    c.send({ do: 'frame.want' });
    const frame = await shown;
    assert.equal(frame.mesh, mesh.mesh);
    assert.equal(frame.data.corners.length, 3 * m);
    assert.equal('field' in frame.data, name !== 'material', name);
    // At the start the corners are those of the lattice.
    for (let i = 0; i < 3 * m; i++) assert.ok(Math.abs(frame.data.corners[i] + frame.origin[i % 3] - mesh.data.start[i]) < 1e-6 * 1);
  }
  const all = c.when((x) => x.kind === 'mesh' && x.shown === 'all');
  await c.do('view.set', { links: true });
  const whole = await all;
  assert.equal(whole.data.voxel.length, (await c.do('sim.status')).sim.voxels);
  assert.equal(whole.data.link.length, 2 * (await c.do('sim.status')).sim.links);
  const linked = c.when((x) => x.kind === 'frame');
  c.send({ do: 'frame.want' });
  const frame2 = await linked;
  assert.equal(frame2.data.link_stress.length, whole.links);
  assert.equal(frame2.data.centers.length, 3 * whole.voxels);
  await studio.end();
});

test('a page that asks for no frames gets none, and the simulation goes on', async () => {
  const folder = makeFolder('slow');
  const file = path.join(folder, 'quadruped.json');
  const endless = JSON.parse(fs.readFileSync(file, 'utf8'));
  endless.stop.time = 1e6;
  fs.writeFileSync(file, JSON.stringify(endless));
  const studio = await Studio.start(binary, folder, ['quadruped.json']);
  const c = await studio.connect();
  await c.do('hello');
  await c.do('sim.new');
  await c.do('sim.speed', { mode: 'max' });
  await c.do('sim.play');
  await wait(500);
  assert.equal(c.log.filter((m) => m.kind === 'frame').length, 0);
  c.send({ do: 'frame.want' });
  await c.when((m) => m.kind === 'frame');
  await wait(200);
  assert.equal(c.log.filter((m) => m.kind === 'frame').length, 1);
  // It stops reading altogether: the simulation does not notice.
  const before = (await c.do('sim.status')).sim.step;
  c.socket.pause();
  await wait(700);
  c.socket.resume();
  const after = (await c.do('sim.status')).sim.step;
  assert.ok(after > before, `${before} to ${after} steps`);
  await studio.end();
});

test('live settings, pulling, stepping, resetting', async () => {
  const studio = await Studio.start(binary, makeFolder('live'), ['quadruped.json']);
  const c = await studio.connect();
  await c.do('hello');
  const start = (await c.do('sim.new')).sim;
  const { settings } = await c.do('sim.settings');
  assert.deepEqual(settings.gravity.length, 3);
  const signal = Object.keys(settings.signals)[0];
  const changed = await c.do('sim.set', { gravity: [1, 0, -3], damping: { ground: 0.5 }, signals: { [signal]: { amplitude: 3 } } });
  assert.deepEqual(changed.settings.gravity, [1, 0, -3]);
  assert.equal(changed.settings.damping.ground, 0.5);
  assert.equal(changed.settings.signals[signal].amplitude, 3);
  assert.equal(changed.settings.signals[signal].period, settings.signals[signal].period);
  for (const wrong of [{ gravity: [1, 2] }, { gravity: 'x' }, { damping: { ground: -1 } }, { signals: { nobody: {} } }, { regions: { nobody: {} } }, { signals: 3 }, { gravity: [9, 9, 9], regions: { nobody: {} } }]) assert.equal((await c.ask('sim.set', wrong)).ok, false, JSON.stringify(wrong));
  assert.deepEqual((await c.do('sim.settings')).settings, changed.settings, 'what is refused changes nothing');
  const stepped = c.when((m) => m.event === 'status' && m.state === 'paused' && m.step === 10);
  await c.do('sim.step', { steps: 10 });
  await stepped;
  const probed = c.when((m) => m.event === 'probes');
  await c.do('probe.set', { probes: [{ id: 'v', voxel: 0 }] });
  const before = (await probed).probes[0].position;
  // The voxel follows the target.
  await c.do('sim.pull', { voxel: 0, target: [before[0] - 0.05, before[1], before[2] + 0.02] });
  await c.do('sim.speed', { mode: 'max' });
  await c.do('sim.play');
  await c.when((m) => m.event === 'probes' && m.probes[0].position[0] < before[0] - 1e-4, 'the voxel to follow', 30000);
  const pulled = (await c.do('sim.status')).sim.pull;
  assert.equal(pulled.voxel, 0);
  assert.ok(pulled.force[0] < 0);
  await c.do('sim.pull', { target: null });
  assert.equal((await c.do('sim.status')).sim.pull, null);
  const reset = (await c.do('sim.reset')).sim;
  assert.equal(reset.state_hash, start.state_hash, 'back to the start');
  assert.deepEqual((await c.do('sim.settings')).settings, settings);
  for (const wrong of [{ voxel: -1, target: [0, 0, 0] }, { voxel: 1e9, target: [0, 0, 0] }, { target: [0, 0, 0] }, { voxel: 0, target: [0, 0] }, { voxel: 0, target: [0, 0, 0], strength: 1e9 }]) assert.equal((await c.ask('sim.pull', wrong)).ok, false);
  await studio.end();
});

test('what cannot go on is told with its voxel', async () => {
  const studio = await Studio.start(binary, makeFolder('fault'));
  const c = await studio.connect();
  await c.do('hello');
  await c.do('scene.set', { scene: block(3, { regions: [{ name: 'pull', box: { corner: [2, 2, 2], size: [1, 1, 1] }, force: [0, 0, 1e4] }] }) });
  await c.do('sim.new');
  await c.do('sim.speed', { mode: 'max' });
  const failed = c.when((m) => m.event === 'status' && m.state === 'failed');
  await c.do('sim.play');
  const { fault } = await failed;
  assert.ok(fault.message.length > 0 && fault.fault !== 'none');
  assert.equal(fault.cell.length, 3);
  assert.equal((await c.ask('sim.play')).error.code, 'diverged');
  assert.equal((await c.ask('sim.step')).error.code, 'diverged');
  const shown = c.when((m) => m.kind === 'frame');
  c.send({ do: 'frame.want' });
  await shown;
  assert.equal((await c.do('sim.reset')).sim.state, 'paused');
  await studio.end();
});

test('probes and traces', async () => {
  const folder = makeFolder('probes');
  const studio = await Studio.start(binary, folder, ['cantilever.json']);
  const c = await studio.connect();
  await c.do('hello');
  await c.do('sim.new');
  const { columns } = await c.do('trace.set', { names: ['voxel:9,2,2.position', 'region:tip.displacement'], every: 1e-4 });
  assert.equal(columns[0], 'time_s');
  assert.equal(columns.length, 7);
  await c.do('probe.set', { probes: [{ id: 'cell', cell: [9, 2, 2] }, { id: 'tip', region: 'tip' }, { id: 'gone', cell: [99, 0, 0] }] });
  await c.do('sim.speed', { mode: 'max' });
  const end = c.when(stopped, 'the end', 60000);
  await c.do('sim.play');
  const status = await end;
  await wait(100);
  const probes = c.log.filter((m) => m.event === 'probes').at(-1);
  assert.equal(probes.time, status.time);
  assert.ok('error' in probes.probes[2]);
  assert.equal(probes.probes[1].voxels, 25);
  // Whole, by pieces and on request.
  const rows = [];
  for (const m of c.log.filter((x) => x.kind === 'trace')) {
    const width = m.columns.length;
    rows.length = m.first;
    for (let i = 0; i < m.rows; i++) rows.push([...m.data.rows.subarray(i * width, (i + 1) * width)]);
  }
  assert.ok(rows.length > 50 && rows.every((r, i) => i === 0 || r[0] > rows[i - 1][0]), 'time increases');
  const again = c.when((m) => m.kind === 'trace' && m.first === 0);
  await c.do('trace.get');
  const whole = await again;
  assert.equal(whole.rows, rows.length);
  assert.deepEqual([...whole.data.rows], rows.flat());
  // Another quantity leaves what was recorded; its own past is not a number.
  const wider = c.when((m) => m.kind === 'trace' && m.columns.length === 8);
  await c.do('trace.set', { names: ['strain_max', 'voxel:9,2,2.position', 'region:tip.displacement'], every: 1e-4 });
  const more = await wider;
  assert.equal(more.first, 0);
  const table = Array.from({ length: more.rows }, (_, i) => [...more.data.rows.subarray(8 * i, 8 * i + 8)]);
  assert.deepEqual(table.slice(0, -1).map((r) => [r[0], ...r.slice(2)]), rows.filter((r) => r[0] < status.time));
  assert.deepEqual(table.map((r) => Number.isNaN(r[1])), table.map((_, i) => i < more.rows - 1));
  assert.equal(table.at(-1)[0], status.time);
  const summary = run(folder, 'cantilever.json');
  assert.equal(status.displacement_max.toPrecision(15), summary.at_end.displacement_max.toPrecision(15)); // the summary has 15 digits
  assert.equal((await c.ask('trace.set', { names: ['nonsense'] })).error.code, 'input');
  await studio.end();
});

test('a run is recorded: any moment of it, its marks and extremes, and the run before', async () => {
  const studio = await Studio.start(binary, makeFolder('record'));
  const c = await studio.connect();
  await c.do('hello');
  const scene = block(4, { stop: { time: 0.2 } });
  scene.lattice.size[2] = 12;
  scene.layers.origin = [0, 0, 3];
  scene.materials[0].youngs_modulus = 1e4; // it stays on the floor for some pictures
  scene.environment.collisions = 'grid';
  await c.do('scene.set', { scene });
  await c.do('sim.new');
  await c.do('sim.speed', { mode: 'max' });
  const ended = c.when(stopped, 'the end', 60000 * slow);
  await c.do('sim.play');
  const end = await ended;
  assert.ok(end.recording.frames > 50, JSON.stringify(end.recording));
  assert.equal(end.recording.from, 0);
  assert.equal(end.recording.to, end.time);
  assert.equal(end.last_run, null);
  const { run } = end.recording;
  const { recording } = await c.do('run.get', { run });
  assert.ok(recording.marks.some((m) => m.kind === 'contact' && Math.abs(m.time - Math.sqrt((2 * 0.003) / 9.81)) < 0.005), JSON.stringify(recording.marks));
  assert.ok(recording.fields.displacement.max >= end.displacement_max * 0.9999);
  assert.ok(recording.fields.speed.max > 0.2 && recording.fields.speed.max_time < 0.03, JSON.stringify(recording.fields.speed));
  const frameAt = async (time, field) => {
    const come = c.when((m) => m.kind === 'recorded');
    await c.do('run.frame', { run, time, field });
    return come;
  };
  // Free fall: z = g t^2/2, at any moment between two pictures.
  const start = await frameAt(0, 'displacement_z');
  for (const t of [0.0051, 0.0107, 0.0203]) {
    const f = await frameAt(t, 'displacement_z');
    const expected = -0.5 * 9.81 * t * t;
    assert.ok(Math.abs(f.data.field[0] - expected) < 2e-5, `${f.data.field[0]} at ${t}, not ${expected}`);
    assert.ok(Math.abs(f.data.corners[2] + f.origin[2] - start.data.corners[2] - start.origin[2] - expected) < 2e-5);
    assert.equal(f.mesh, start.mesh);
  }
  const mesh = c.when((m) => m.kind === 'recorded_mesh');
  await c.do('run.mesh', { run, mesh: start.mesh });
  assert.equal((await mesh).data.start.length, start.data.corners.length);
  // A reset keeps it as the last run; a second one lets it go.
  const fresh = c.when((m) => m.event === 'status' && m.time === 0 && m.last_run, 'a reset');
  await c.do('sim.reset');
  const again = await fresh;
  assert.equal(again.last_run.run, run);
  assert.equal(again.recording.frames, 1);
  assert.equal((await frameAt(0.1, 'stress_mises')).data.field.length, start.data.field.length);
  const stepped = c.when((m) => m.event === 'status' && m.state === 'paused' && m.step === 50, 'steps');
  await c.do('sim.step', { steps: 50 });
  await stepped;
  await c.do('sim.reset');
  assert.equal((await c.ask('run.get', { run })).error.code, 'none');
  assert.equal((await studio.end()).code, 0);
});

test('von Mises and principal stresses of a twisted and a pulled bar', async () => {
  const studio = await Studio.start(binary, makeFolder('mises'));
  const c = await studio.connect();
  await c.do('hello');
  const bar = (load) => block(3, {
    lattice: { pitch: 0.001, size: [12, 3, 3] }, layers: { legend: { a: 'rubber' }, layers: [{ repeat: 3, rows: ['3*12a'] }] }, environment: {},
    regions: [{ name: 'wall', box: { corner: [0, 0, 0], size: [1, 3, 3] }, units: 'voxels', fixed: 'all' }, { name: 'end', box: { corner: [11, 0, 0], size: [1, 3, 3] }, units: 'voxels', ...load }],
  });
  const field = async (load, name) => {
    await c.do('scene.set', { scene: bar(load) });
    await c.do('sim.new');
    const done = c.when((m) => m.event === 'solve' && m.state !== 'running', 'an equilibrium', 60000);
    await c.do('solve.start', { kind: 'equilibrium' });
    const event = await done;
    assert.equal(event.state, 'done', event.message);
    const come = c.when((m) => m.kind === 'frame' && m.field.name === name && m.data.field, name);
    await c.do('view.set', { field: name, shown: 'all' });
    await c.do('frame.want');
    return (await come).data.field;
  };
  // 9 mN over 9 mm^2 is 1 kPa; in the middle of the bar all of it is axial.
  const middle = 6 + 12 * (1 + 3 * 1);
  const pulled = { force: [9e-3, 0, 0] };
  for (const [name, expected] of [['stress_mises', 1000], ['stress_1', 1000], ['stress_3', 0], ['stress_xy', 0]]) {
    const value = (await field(pulled, name))[middle];
    assert.ok(Math.abs(value - expected) < 30, `${name}: ${value} Pa`);
  }
  // Across, 9 mN: the mean shear stress of a section is 1 kPa; those of links across the bar, which come into the mean, are not seen at its skin.
  const sheared = await field({ force: [0, 0, 9e-3] }, 'stress_zx');
  let sum = 0;
  for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) sum += sheared[6 + 12 * (j + 3 * k)] / 9;
  assert.ok(Math.abs(sum - 1000) < 150, `shear: ${sum} Pa`);
  assert.equal((await studio.end()).code, 0);
});

test('solvers run aside and can be cancelled', async () => {
  const studio = await Studio.start(binary, makeFolder('solve'), ['cantilever.json']);
  const c = await studio.connect();
  const { solve } = await c.do('hello');
  if (!solve) return studio.end();
  await c.do('sim.new');
  const results = {};
  for (const kind of ['linear', 'modes', 'equilibrium']) {
    const done = c.when((m) => m.event === 'solve' && m.state !== 'running', kind, 60000);
    const { job } = await c.do('solve.start', { kind });
    const event = await done;
    assert.equal(event.state, 'done', event.message);
    results[kind] = event.result;
    if (kind === 'equilibrium') continue;
    const shaped = c.when((m) => m.kind === 'shape');
    await c.do('solve.shape', { job });
    const shape = await shaped;
    assert.equal(shape.data.motion.length, shape.data.corners.length);
    assert.equal((await c.ask('solve.shape', { job, mode: 50 })).error.code, 'none');
    for (const field of ['stress_mises', 'strain', 'energy', 'material']) {
      const colored = c.when((m) => m.kind === 'shape' && m.field.name === field);
      await c.do('solve.shape', { job, field });
      const { field: head, data } = await colored;
      assert.equal((data.field?.length ?? 0) > 0, field !== 'material');
      if (kind === 'linear' && field === 'strain') {
        const most = Math.max(Math.abs(head.min), Math.abs(head.max));
        assert.ok(Math.abs(most - results.linear.strain_max) < 0.25 * results.linear.strain_max, `${most}, and ${results.linear.strain_max} of a link`);
      }
    }
  }
  const cli = JSON.parse(execFileSync(binary, ['modes', path.join(source, 'scenes', 'cantilever.json'), '--json'], { encoding: 'utf8' }));
  results.modes.frequencies.forEach((hz, i) => assert.ok(Math.abs(hz - cli.frequencies[i]) < 1e-6 * hz, `${hz} Hz, by the command line ${cli.frequencies[i]} Hz`));
  assert.equal(results.equilibrium.status, 'stable');
  const status = (await c.do('sim.status')).sim;
  assert.ok(Math.abs(status.displacement_max - results.linear.displacement_max) < 0.01 * status.displacement_max, 'the simulation stands in its equilibrium');
  // A large one is cancelled while it runs.
  await c.do('scene.set', { scene: block(slow > 1 ? 20 : 24, { regions: [{ name: 'wall', box: { corner: [0, 0, 0], size: [1, 99, 99] }, fixed: 'all' }] }) });
  await c.do('sim.new');
  const told = c.when((m) => m.event === 'solve' && m.state === 'running' && m.progress?.done > 0, 'word of progress', 60000);
  await c.do('solve.start', { kind: 'modes', count: 50 });
  assert.equal((await c.ask('sim.play')).error.code, 'busy');
  assert.equal((await c.ask('solve.start', { kind: 'linear' })).error.code, 'busy');
  assert.match((await told).progress.what, /solutions/);
  const cancelled = c.when((m) => m.event === 'solve' && m.state === 'cancelled');
  const asked = Date.now();
  await c.do('solve.cancel');
  await cancelled;
  assert.ok(Date.now() - asked < 2000 * slow, 'at once');
  await c.do('sim.play');
  await studio.end();
});

test('an answer of the solver that comes together with word of its progress', async () => {
  const studio = await Studio.start(binary, makeFolder('together'));
  const c = await studio.connect();
  if (!(await c.do('hello')).solve) return studio.end();
  await c.do('scene.set', { scene: block(4, { environment: {}, regions: [{ name: 'wall', box: { corner: [0, 0, 0], size: [1, 9, 9] }, units: 'voxels', fixed: 'all' }, { name: 'end', box: { corner: [3, 0, 0], size: [1, 9, 9] }, units: 'voxels', force: [1e-3, 0, 0] }] }) });
  await c.do('sim.new');
  const { pid } = studio.process;
  const workers = () => fs.readdirSync(`/proc/${pid}/task`).flatMap((t) => fs.readFileSync(`/proc/${pid}/task/${t}/children`, 'utf8').trim().split(' ').filter(Boolean));
  // The studio reads nothing until the worker has said all. A worker that had no request yet, or had said all already, is followed by another.
  for (let caught = false, round = 0; !caught; round++) {
    let ended = false;
    const done = c.when((m) => m.event === 'solve' && m.state !== 'running', 'an equilibrium', 60000).finally(() => (ended = true));
    await c.do('solve.start', { kind: 'equilibrium' });
    while (workers().length === 0 && !ended) await wait(0);
    await wait(round);
    process.kill(pid, 'SIGSTOP');
    const [worker] = workers();
    for (const until = Date.now() + 50 * (1 + round); worker !== undefined && !caught && Date.now() < until; await wait(1)) caught = /\) Z/.test(fs.readFileSync(`/proc/${worker}/stat`, 'utf8'));
    process.kill(pid, 'SIGCONT');
    const event = await done;
    assert.equal(event.state, 'done', event.message);
    assert.equal(event.result.status, 'stable');
  }
  assert.equal((await studio.end()).code, 0);
});

test('problems are told where they are', async () => {
  const folder = makeFolder('problems');
  const studio = await Studio.start(binary, folder);
  const c = await studio.connect();
  assert.equal((await c.do('hello')).scene, null);
  assert.equal((await c.ask('sim.new')).ok, false);
  const scene = block(3);
  const good = await c.do('scene.set', { scene });
  assert.deepEqual(good.problems, []);
  assert.match(good.hash, /^[0-9a-f]{16}$/);
  scene.materials[0].density = -5;
  scene.regions = [
    { name: 'a', box: { corner: [0, 0, 0], size: [1, 1, 1] }, fixed: 'all' },
    { name: 'nowhere', box: { corner: [50, 50, 50], size: [1, 1, 1] }, fixed: 'all' },
    { name: 'b', box: { corner: [0, 0, 0], size: [1, 1, 1] }, fixed: ['q'] },
  ];
  const bad = await c.do('scene.set', { scene });
  assert.equal(bad.hash, null);
  const paths = bad.problems.map((p) => p.path);
  assert.ok(paths.includes('materials[0].density'), JSON.stringify(bad.problems));
  assert.ok(paths.some((p) => p.startsWith('regions[2]')), JSON.stringify(bad.problems));
  assert.ok(paths.some((p) => p.startsWith('regions[1]')), JSON.stringify(bad.problems));
  assert.equal((await c.ask('sim.new')).error.code, 'input');
  assert.equal((await c.do('scene.get')).scene.materials[0].density, -5, 'a draft is kept');
  // It can be saved, and opened to be mended.
  await c.do('file.save', { path: 'draft.json' });
  await c.do('demo.open', { name: 'ball' });
  const draft = await c.do('file.open', { path: 'draft.json' });
  assert.equal(draft.scene.materials[0].density, -5);
  assert.deepEqual(draft.problems, bad.problems);
  fs.writeFileSync(path.join(folder, 'foreign.json'), JSON.stringify({ ...scene, shapes: [] }));
  assert.equal((await c.ask('file.open', { path: 'foreign.json' })).error.code, 'input');
  assert.equal((await c.do('scene.get')).file, 'draft.json', 'what is refused changes nothing');
  await studio.end();
});

test('files: open, save, list, import', async () => {
  const folder = makeFolder('files');
  const studio = await Studio.start(binary, folder);
  const c = await studio.connect();
  await c.do('hello');
  const { entries } = await c.do('file.list');
  assert.deepEqual(entries.map((e) => `${e.kind} ${e.name}`), ['folder sub', 'scene ball.json', 'scene cantilever.json', 'scene quadruped.json']);
  const opened = await c.do('file.open', { path: 'quadruped.json' });
  assert.equal(opened.saved, true);
  assert.ok(!('shapes' in opened.scene) && 'layers' in opened.scene, 'the written form');
  const { hash } = await c.do('file.save', { path: 'sub/copy.json' });
  assert.equal(hash, opened.hash);
  assert.equal((await c.do('file.open', { path: 'sub/copy.json' })).hash, opened.hash, 'the same scene comes back');
  assert.equal((await c.ask('file.save', { path: 'ball.json' })).error.code, 'exists');
  await c.do('file.save', { path: 'ball.json', overwrite: true });
  await c.do('file.save', { path: 'ball.json' });
  const { demos } = await c.do('demo.list');
  assert.ok(demos.length >= 7);
  for (const { name } of demos) assert.deepEqual((await c.do('demo.open', { name })).problems, []);
  // Other formats, by the library's own table.
  const { formats } = await c.do('hello');
  assert.ok(formats.read.some((f) => f.extension === 'vxa') && formats.write.some((f) => f.extension === 'vxa') && formats.mesh.some((f) => f.extension === 'stl'));
  const quadruped = await c.do('file.open', { path: 'quadruped.json' });
  await c.do('file.save', { path: 'copy.vxa' });
  assert.equal((await c.do('file.open', { path: 'copy.vxa' })).hash, quadruped.hash, 'a .vxa says it all');
  const vxa = await c.do('file.import', { name: 'copy.vxa' }, fs.readFileSync(path.join(folder, 'copy.vxa')));
  assert.equal((await c.do('scene.set', { scene: vxa.scene })).hash, quadruped.hash);
  const [o, x, y, z] = ['0 0 0', '10 0 0', '0 10 0', '0 0 10'];
  const facets = [[o, y, x], [o, x, z], [o, z, y], [x, y, z]].map((f) => `facet normal 0 0 0\nouter loop\n${f.map((v) => `vertex ${v}`).join('\n')}\nendloop\nendfacet`);
  const stl = Buffer.from(`solid t\n${facets.join('\n')}\nendsolid t\n`);
  const mesh = await c.do('file.import', { name: 't.stl', longest: 20, material: 'foam' }, stl);
  assert.deepEqual(mesh.scene.lattice, { pitch: 0.0005, size: [20, 20, 20] });
  const { voxels } = await c.do('scene.set', { scene: mesh.scene });
  assert.ok(Math.abs(voxels - 8000 / 6) < 0.1 * (8000 / 6), `${voxels} voxels of a sixth of a cube`);
  assert.equal((await c.ask('file.import', { name: 'x.vxa' }, Buffer.from('<VXA><x>'))).error.message.slice(0, 8), 'x.vxa:1:');
  assert.deepEqual(fs.readdirSync(path.join(folder, '.voxelastic')).filter((n) => n.startsWith('import')), [], 'nothing is left');
  const bytes = fs.readFileSync(path.join(source, 'scenes', 'cantilever.json'));
  const imported = await c.do('file.import', { name: 'x.json' }, bytes);
  assert.equal(imported.scene.name, JSON.parse(bytes).name);
  assert.equal((await c.ask('file.import', { name: 'x.json' }, Buffer.from('{"voxelastic": 1'))).error.code, 'input');
  assert.equal((await c.ask('file.import', { name: 'x.json' })).error.code, 'argument');
  await studio.end();
});

// ---- what it refuses -------------------------------------------------------------------------------------------------

test('paths that lead out', async () => {
  const folder = makeFolder('paths');
  fs.symlinkSync('../outside', path.join(folder, 'link'));
  fs.symlinkSync('../outside/secret.json', path.join(folder, 'secret.json'));
  fs.symlinkSync('/etc/passwd', path.join(folder, 'passwd.json'));
  fs.symlinkSync('cantilever.json', path.join(folder, 'good.json'));
  fs.symlinkSync('loop.json', path.join(folder, 'loop.json'));
  const studio = await Studio.start(binary, folder, ['cantilever.json']);
  const c = await studio.connect();
  const names = (await c.do('file.list')).entries.map((e) => e.name);
  assert.deepEqual(names, ['sub', 'ball.json', 'cantilever.json', 'good.json', 'quadruped.json'], 'links that lead out are not shown');
  const bad = ['../outside/secret.json', '/etc/passwd', 'sub/../../outside/secret.json', 'link/secret.json', 'secret.json', 'passwd.json', 'loop.json', '..', './../outside/secret.json', 'sub/..', 'a\u0001b.json', '//etc/passwd', 'link', '/proc/self/environ', `${'a/'.repeat(3000)}x.json`, '../' + path.basename(folder) + '/cantilever.json'];
  for (const p of bad) {
    for (const verb of ['file.open', 'file.save', 'file.list']) {
      const reply = await c.ask(verb, verb === 'file.save' ? { path: p, overwrite: true } : { path: p });
      assert.equal(reply.ok, false, `${verb} ${p}`);
    }
  }
  await c.do('file.open', { path: 'good.json' });
  assert.equal((await c.ask('file.save', { path: '.voxelastic/x.json' })).ok, false);
  assert.equal((await c.ask('file.save', { path: '.hidden.json' })).ok, false);
  assert.equal((await c.ask('autosave.open', { autosave: '../../outside/secret' })).ok, false);
  assert.equal((await c.ask('autosave.remove', { autosave: '../../inside/ball' })).ok, false);
  assert.deepEqual(fs.readdirSync(path.join(folder, '..', 'outside')), ['secret.json']);
  assert.equal(fs.readFileSync(path.join(folder, '..', 'outside', 'secret.json'), 'utf8'), fs.readFileSync(path.join(source, 'scenes', 'cantilever.json'), 'utf8'));
  await studio.end();
});

// Everything hostile at once, while a simulation plays; afterwards it has the same bits as one left alone.
test('hostile messages harm nothing', async () => {
  const folder = makeFolder('hostile');
  const studio = await Studio.start(binary, folder, ['quadruped.json']);
  let c = await studio.connect();
  await c.do('hello');
  await c.do('sim.new');
  await c.do('sim.speed', { mode: 'max' });
  const steps = 30000 / slow; // the scene stops some time later
  await c.do('sim.step', { steps });
  // Malformed commands: each is answered, none does anything.
  const malformed = ['', '{', '[]', '3', '"x"', 'null', '{}', '{"do": 1}', '{"id": "x", "do": "hello"}', '{"id": 1.5, "do": "hello"}', '{"do": "hello", "do": "hello"}', '{"do": "nonsense"}', '{"do": "sim.step", "steps": -1}', '{"do": "sim.step", "steps": 1e300}', '{"do": "sim.step", "extra": 1}', '{"do": "sim.speed", "mode": "real", "factor": 0}', '{"do": "view.set", "field": "x"}', '{"do": "view.set", "shown": 7}', '{"do": "probe.set", "probes": [1]}', '{"do": "trace.set", "names": "x"}', '{"do": "scene.set"}', '{"do": "scene.set", "scene": []}', '{"do": "solve.shape", "job": 9}', '{"do":"file.open","path":{}}', `{"do": "${'x'.repeat(100000)}"}`, '['.repeat(100000), '{"a":'.repeat(5000), '\u0000', '{"do": "hello"}\u0000', '\ud800'];
  for (const text of malformed) {
    const error = c.when((m) => m.event === 'error', `an error for ${text.slice(0, 40)}`);
    await c.write(frame(Buffer.from(text), 1));
    assert.ok((await error).error.code);
  }
  // Text that is not UTF-8, binary garbage, lengths that lie.
  const garbage = [Buffer.from([0xff, 0xfe, 0x00]), Buffer.alloc(4, 0xff), Buffer.alloc(3), Buffer.from([2, 0, 0, 0, 0x7b, 0x7d]), Buffer.alloc(70000, 0x41), Buffer.from([0, 0, 0, 0])];
  for (const bytes of garbage) {
    for (const opcode of [1, 2]) {
      if (c.code !== null || c.socket.destroyed) c = await studio.connect();
      await c.write(frame(bytes, opcode));
      await wait(20);
    }
  }
  // Frames that break the protocol: the connection is closed, the next one works.
  const broken = [frame(Buffer.from('{}'), 1, { mask: false }), frame(Buffer.from('x'), 3), frame(Buffer.from('x'), 0), Buffer.from([0xf1, 0x80, 0, 0, 0, 0]), frame(Buffer.alloc(200), 9), Buffer.from('GET / HTTP/1.1\r\n\r\n'), frame(Buffer.alloc(0), 1, { length: 2 ** 40 })];
  for (const bytes of broken) {
    const other = await studio.connect();
    await other.write(bytes);
    await Promise.race([other.closed, wait(300)]);
    other.destroy();
  }
  // A message that is too large, whole and in pieces.
  for (const pieces of [1, 90]) {
    const other = await studio.connect();
    let open = true;
    other.closed.then(() => (open = false));
    const part = Buffer.alloc(pieces === 1 ? 70 << 20 : 1 << 20, 0x20);
    for (let i = 0; i < pieces && open; i++) await Promise.race([other.write(frame(part, i === 0 ? 1 : 0, { fin: i === pieces - 1 })), other.closed]);
    assert.equal(await Promise.race([other.closed, wait(20000)]), 1009);
  }
  // Many connections that say nothing.
  const silent = [];
  for (let i = 0; i < 40; i++) silent.push(net.connect(studio.port, '127.0.0.1').on('error', () => {}));
  await wait(200);
  for (const s of silent) s.destroy();
  // A flood from a page that does not read the replies.
  const flooder = await studio.connect();
  flooder.socket.pause();
  const one = frame(Buffer.from('{"id": 1, "do": "sim.status"}'), 1);
  const many = Buffer.concat(Array(20000).fill(one));
  flooder.socket.write(many);
  await wait(500);
  const memory = Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${studio.process.pid}/status`, 'utf8'))[1]);
  assert.ok(memory < 700000 * slow, `${memory} kB`);
  flooder.destroy();
  // And it is all well.
  c = await studio.connect();
  const hello = await c.do('hello');
  let { sim } = hello;
  while (sim.state === 'running') {
    await wait(100);
    sim = (await c.do('sim.status')).sim;
  }
  assert.equal(sim.step, steps);
  const undisturbed = JSON.parse(execFileSync(binary, ['run', 'quadruped.json', '--steps', String(steps), '--json', '-q'], { cwd: folder, encoding: 'utf8' }));
  assert.equal(sim.state_hash, undisturbed.state_hash, 'the same bits as without all that');
  assert.equal((await studio.end()).code, 0);
  assert.equal(studio.errors, '');
});

test('a thousand idle connections do not keep the page waiting', async () => {
  const studio = await Studio.start(binary, makeFolder('idle'), ['cantilever.json']);
  const c = await studio.connect();
  await c.do('hello');
  const idle = [];
  for (let i = 0; i < 1000; i++) {
    const socket = net.connect(studio.port, '127.0.0.1').on('error', () => {});
    if (i % 2) socket.write('GET /?tok'); // half a request
    idle.push(socket);
  }
  await wait(300);
  // The page that is open, a new one, and a page by HTTP: each within a second.
  const begun = Date.now();
  await c.do('sim.new');
  const other = await studio.connect();
  await other.do('hello');
  const page = await fetch(`http://127.0.0.1:${studio.port}/?token=${studio.token}`);
  assert.equal(page.status, 200);
  assert.ok(Date.now() - begun < 1000 * slow, `${Date.now() - begun} ms`);
  for (const s of idle) s.destroy();
  assert.equal((await studio.end()).code, 0);
});

test('a WebSocket of another version or with a bad key is refused', async () => {
  const studio = await Studio.start(binary, makeFolder('handshake'), ['cantilever.json']);
  const good = { 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': Buffer.alloc(16, 7).toString('base64') };
  const open = (headers) => new Promise((resolve) => {
    const socket = net.connect(studio.port, '127.0.0.1');
    let text = '';
    const lines = Object.entries({ Host: `127.0.0.1:${studio.port}`, Origin: `http://127.0.0.1:${studio.port}`, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Protocol': 'voxelastic-studio-1', ...headers });
    socket.on('data', (d) => { text += d; if (text.includes('\r\n')) { socket.destroy(); resolve(text.split('\r\n')[0]); } });
    socket.on('close', () => resolve(text.split('\r\n')[0]));
    socket.on('error', () => resolve(''));
    socket.write(`GET /ws?token=${studio.token} HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`);
  });
  assert.match(await open(good), / 101 /);
  for (const bad of [{ 'Sec-WebSocket-Version': '8' }, { 'Sec-WebSocket-Version': '14' }, { 'Sec-WebSocket-Key': 'x' }, { 'Sec-WebSocket-Key': '' }, { 'Sec-WebSocket-Key': Buffer.alloc(15).toString('base64') }, { 'Sec-WebSocket-Key': '!'.repeat(22) + '==' }]) {
    assert.doesNotMatch(await open({ ...good, ...bad }), / 101 /, JSON.stringify(bad));
  }
  assert.equal((await studio.end()).code, 0);
});

test('a flood of commands is worked off, in order', async () => {
  const studio = await Studio.start(binary, makeFolder('flood'), ['cantilever.json']);
  const c = await studio.connect();
  await c.do('hello');
  // The simulation goes on beside it.
  await c.do('scene.set', { scene: block(10) });
  await c.do('sim.new');
  await c.do('sim.speed', { mode: 'max' });
  await c.do('sim.play');
  const measure = async (what) => {
    const [step, begun] = [(await c.do('sim.status')).sim.step, Date.now()];
    await what();
    return ((await c.do('sim.status')).sim.step - step) / (Date.now() - begun);
  };
  const alone = await measure(() => wait(1000));
  const replies = [];
  const flooded = await measure(async () => {
    const asked = [];
    const cheap = frame(Buffer.from('{"do": "sim.pull", "target": null}'), 1); // hardly any work, and no reply
    await c.write(Buffer.concat(Array(10000).fill(cheap)));
    for (let i = 0; i < 3000; i++) asked.push(c.ask('sim.status'));
    replies.push(...(await Promise.all(asked)));
  });
  assert.equal(replies.length, 3000);
  assert.ok(replies.every((r) => r.ok));
  console.log(`        ${alone.toFixed(1)} steps a millisecond alone, ${flooded.toFixed(1)} in the flood`);
  assert.ok(flooded > 0.1 * alone, 'the flood does not stop it');
  await studio.end();
});

// ---- what it keeps ---------------------------------------------------------------------------------------------------

test('closing the page keeps the simulation, and the newest page wins', async () => {
  const studio = await Studio.start(binary, makeFolder('reopen'), ['quadruped.json']);
  const first = await studio.connect();
  await first.do('hello');
  await first.do('sim.new');
  await first.do('trace.set', { names: ['center_of_mass'] });
  await first.do('sim.speed', { mode: 'max' });
  await first.do('sim.play');
  await wait(200);
  const { step } = (await first.do('sim.status')).sim;
  await first.close();
  await wait(300);
  const second = await studio.connect();
  const meshed = second.when((m) => m.kind === 'mesh');
  const traced = second.when((m) => m.kind === 'trace' && m.first === 0);
  const hello = await second.do('hello');
  assert.equal(hello.sim.state, 'running');
  assert.ok(hello.sim.step > step, 'it went on');
  assert.deepEqual(hello.trace.names, ['center_of_mass']);
  assert.equal(hello.scene.file, 'quadruped.json');
  await meshed;
  assert.ok((await traced).rows > 1, 'the rows are there');
  const third = await studio.connect();
  await third.do('hello');
  assert.equal(await second.closed, 4001);
  await third.do('sim.pause');
  await studio.end();
});

test('kill -9 and restart: the autosave is there', async () => {
  const folder = makeFolder('autosave');
  let studio = await Studio.start(binary, folder, ['cantilever.json']);
  let c = await studio.connect();
  const { scene } = await c.do('hello');
  scene.scene.name = 'changed by hand';
  const edited = await c.do('scene.set', { scene: scene.scene });
  assert.equal(edited.saved, false);
  const written = () => (fs.existsSync(path.join(folder, '.voxelastic')) ? fs.readdirSync(path.join(folder, '.voxelastic')).filter((n) => n.endsWith('.json')) : []);
  for (let i = 0; i < 100 && written().length === 0; i++) await wait(100);
  assert.equal(written().length, 1);
  // Another studio in the same folder does not take it for lost.
  const other = await Studio.start(binary, folder);
  const o = await other.connect();
  assert.deepEqual((await o.do('hello')).autosaves, []);
  await other.end();
  assert.equal((await studio.end('SIGKILL')).signal, 'SIGKILL');
  studio = await Studio.start(binary, folder);
  c = await studio.connect();
  const { autosaves } = await c.do('hello');
  assert.equal(autosaves.length, 1);
  assert.equal(autosaves[0].file, 'cantilever.json');
  assert.equal(autosaves[0].name, 'changed by hand');
  const found = await c.do('autosave.open', { autosave: autosaves[0].id });
  assert.equal(found.hash, edited.hash);
  assert.equal(found.file, 'cantilever.json');
  assert.equal(found.saved, false);
  assert.deepEqual((await c.do('autosave.list')).autosaves, []);
  // Ctrl-C keeps it too; saving ends it.
  assert.equal((await studio.end()).code, 0);
  studio = await Studio.start(binary, folder);
  c = await studio.connect();
  const again = (await c.do('hello')).autosaves;
  assert.equal(again.length, 1);
  await c.do('autosave.open', { autosave: again[0].id });
  await c.do('file.save', { path: 'cantilever.json' });
  await studio.end();
  assert.deepEqual(written(), []);
  // A damaged one is not offered, and does no harm.
  fs.writeFileSync(path.join(folder, '.voxelastic', 'autosave-1-1.json'), '{"voxelastic_auto');
  studio = await Studio.start(binary, folder, ['cantilever.json']);
  c = await studio.connect();
  const last = await c.do('hello');
  assert.deepEqual(last.autosaves, []);
  assert.equal(last.scene.scene.name, 'changed by hand');
  await studio.end();
});

test('usage', async () => {
  const folder = makeFolder('usage');
  const tell = (...args) => spawnSync(binary, ['studio', ...args], { cwd: folder, encoding: 'utf8', timeout: 20000 });
  assert.equal(tell('--help').status, 0);
  assert.equal(tell('--port', '99999').status, 2);
  assert.equal(tell('--nonsense').status, 2);
  assert.equal(tell('a.json', 'b.json').status, 2);
  assert.equal(tell('missing.json').status, 4);
  fs.writeFileSync(path.join(folder, 'bad.json'), '{"voxelastic": 1}');
  const bad = tell('bad.json');
  assert.equal(bad.status, 2);
  assert.match(bad.stderr, /bad\.json:1: /);
  const studio = await Studio.start(binary, folder, ['--port', '0'].slice(2));
  const taken = tell('--port', String(studio.port));
  assert.equal(taken.status, 4);
  assert.match(taken.stderr, /cannot listen on 127\.0\.0\.1 port/);
  await studio.end('SIGTERM');
  const outside = await Studio.start(binary, path.join(folder, 'sub'), ['../ball.json']);
  const c = await outside.connect();
  assert.equal((await c.do('hello')).folder, 'inside');
  await outside.end();
  const demo = await Studio.start(binary, folder, ['clapper']);
  const d = await demo.connect();
  assert.ok((await d.do('hello')).scene.voxels > 0);
  await demo.end();
});

// ---- replays ---------------------------------------------------------------------------------------------------------

// The data of a replay, and an array of it.
function readReplay(file) {
  const page = fs.readFileSync(file, 'utf8');
  const found = /<script type="application\/json" id="voxelastic-replay">([^<]*)<\/script>/.exec(page);
  assert.ok(found, 'the data is there, without a "<" in it');
  return JSON.parse(found[1]);
}
function unpack({ type, count, data }) {
  const types = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, i32: Int32Array, u16: Uint16Array, u8: Uint8Array };
  const bytes = inflateSync(Buffer.from(data, 'base64'));
  const array = new types[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  assert.equal(array.length, count);
  return array;
}

test('a body that breaks is in pieces in its replay', async () => {
  const folder = makeFolder('broken');
  // A bar of two cubes, pulled apart in the middle.
  const scene = block(2, {
    lattice: { pitch: 0.01, size: [8, 2, 2] },
    materials: [{ name: 'rubber', failure_stress: 20000 }],
    layers: { legend: { a: 'rubber' }, layers: [{ repeat: 2, rows: ['2*8a'] }] },
    environment: {},
    regions: [
      { name: 'left', box: { corner: [0, 0, 0], size: [1, 2, 2] }, fixed: 'all' },
      { name: 'right', box: { corner: [7, 0, 0], size: [1, 2, 2] }, fixed: 'all', displacement: [0.02, 0, 0], ramp: 0.05 },
    ],
    stop: { time: 0.06 },
  });
  fs.writeFileSync(path.join(folder, 'x.json'), JSON.stringify(scene));
  execFileSync(binary, ['run', 'x.json', '-o', 'out', '-q'], { cwd: folder });
  const data = readReplay(path.join(folder, 'out', 'replay.html'));
  const meshOf = (frame) => (frame.mesh ? data.meshes[frame.mesh - 1] : data.mesh);
  const whole = 4 * (8 * 2) + 2 * 4;
  assert.equal(meshOf(data.frames[0]).faces, whole, 'it begins as a whole bar');
  assert.ok(meshOf(data.frames.at(-1)).faces > whole, 'and ends in pieces');
  // No face of the last frame is stretched over the gap.
  const sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
  const longest = (frame) => {
    const mesh = meshOf(frame);
    const corners = unpack(frame.corners);
    const hexahedron = unpack(mesh.hexahedron);
    const voxel = unpack(mesh.face_voxel);
    const side = unpack(mesh.face_side);
    let most = 0;
    for (let f = 0; f < mesh.faces; f++) {
      const at = sides[side[f]].map((c) => [0, 1, 2].map((a) => corners[3 * hexahedron[8 * voxel[f] + c] + a] * frame.box[3 + a]));
      for (let c = 0; c < 4; c++) most = Math.max(most, Math.hypot(...[0, 1, 2].map((a) => at[c][a] - at[(c + 1) % 4][a])));
    }
    return most;
  };
  assert.ok(longest(data.frames[0]) < 1.02 * data.pitch);
  assert.ok(longest(data.frames.at(-1)) < 1.3 * data.pitch, `${longest(data.frames.at(-1))} m`);
  for (const field of data.fields) if (field.name !== 'phase') assert.equal(unpack(data.frames.at(-1)[field.name]).length, meshOf(data.frames.at(-1)).voxels);
});

test('replay.html holds the run', async () => {
  const folder = makeFolder('replay');
  execFileSync(binary, ['run', 'quadruped.json', '--time', '0.1', '-o', 'out', '-q'], { cwd: folder });
  const data = readReplay(path.join(folder, 'out', 'replay.html'));
  const summary = JSON.parse(fs.readFileSync(path.join(folder, 'out', 'summary.json'), 'utf8'));
  assert.equal(data.summary.state_hash, summary.state_hash);
  assert.ok(summary.outputs.some((p) => p.endsWith('replay.html')));
  assert.ok(data.frames.length >= 40 && data.frames.length <= 1600, `${data.frames.length} frames`);
  assert.ok(data.frames.every((f, i) => i === 0 || f.time > data.frames[i - 1].time));
  assert.equal(data.frames[0].time, 0);
  assert.equal(data.frames.at(-1).time, summary.time);
  const start = unpack(data.mesh.start);
  const first = data.frames[0];
  const corners = unpack(first.corners);
  for (let i = 0; i < start.length; i++) {
    const x = first.origin[i % 3] + first.box[i % 3] + corners[i] * first.box[3 + (i % 3)];
    assert.ok(Math.abs(x - start[i]) < data.pitch / 300, 'the first frame is the start');
  }
  assert.equal(unpack(first.strain).length, data.mesh.voxels);
  const rows = unpack(data.trace.data);
  assert.equal(rows.length, data.trace.rows * data.trace.columns.length);
  // A run of one step is no faster than light.
  execFileSync(binary, ['run', 'quadruped.json', '--steps', '1', '-o', 'out', '-q'], { cwd: folder });
  assert.ok(JSON.parse(fs.readFileSync(path.join(folder, 'out', 'summary.json'), 'utf8')).wall_seconds >= 0);
  // Asked not to, it writes none, and takes an old one away.
  execFileSync(binary, ['run', 'quadruped.json', '--time', '0.01', '-o', 'out', '-q', '--no-replay'], { cwd: folder });
  assert.ok(!fs.existsSync(path.join(folder, 'out', 'replay.html')));
  // The motion is the same with and without.
  const without = JSON.parse(execFileSync(binary, ['run', 'quadruped.json', '--time', '0.1', '--json', '-q'], { cwd: folder, encoding: 'utf8' }));
  assert.equal(without.state_hash, summary.state_hash);
});

test('a name cannot break out of a replay', async () => {
  const folder = makeFolder('escape');
  fs.writeFileSync(path.join(folder, 'x.json'), JSON.stringify(block(2, { name: '</script><script>alert(1)</script><!--', stop: { steps: 10 } })));
  execFileSync(binary, ['run', 'x.json', '-o', 'out', '-q'], { cwd: folder });
  const page = fs.readFileSync(path.join(folder, 'out', 'replay.html'), 'utf8');
  assert.ok(!page.includes('<script>alert'));
  assert.match(page, /\\u003c\/script>/);
});

// ---- all of them -----------------------------------------------------------------------------------------------------

let failures = 0;
for (const { name, run: body } of tests) {
  if (only.length > 0 && !only.some((o) => name.includes(o))) continue;
  const begun = Date.now();
  try {
    await Promise.race([body(), wait(120000 * slow).then(() => Promise.reject(new Error('it took too long')))]);
    console.log(`ok      ${name} (${Date.now() - begun} ms)`);
  } catch (e) {
    failures++;
    console.log(`FAILED  ${name}\n${e.stack}`);
  }
}
console.log(failures === 0 ? 'all passed' : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
