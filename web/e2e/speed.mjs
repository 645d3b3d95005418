// Pictures and voxel-steps per second with a thousand, ten thousand and a hundred thousand voxels, as docs/studio.md tells them, recording on.
// BEFORE names another build of the program to be measured beside this one, in turns; ROUNDS (3) is how often. Of all rounds the best is told:
// whatever else the machine does only makes things slower. "Per processor second" is of the server's processor time, which others' work changes least.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dragCells, key } from './harness.mjs';
import { BINARY, openPage, settled, startBrowser, startServer, temporaryFolder } from './studio.mjs';

const SIZES = [[10, 10, 10], [25, 20, 20], [50, 50, 40]];
const TICKS = 100; // of a process's clock, per second
const before = process.env.BEFORE;
const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 5);

const browser = await startBrowser();
async function openProgram(name, binary) {
  const folder = temporaryFolder('speed');
  for (const size of SIZES)
    writeFileSync(join(folder, `${size.join('x')}.json`), JSON.stringify({
      voxelastic: 1, lattice: { pitch: 0.01, size: [size[0], size[1], size[2] + 2] }, materials: [{ name: 'rubber', youngs_modulus: 1e5, color: '#d9793d' }],
      shapes: [{ box: { corner: [0, 0, 2], size }, material: 'rubber' }], environment: { gravity: true, floor: true, collisions: 'grid' },
    }));
  const server = await startServer(folder, [], binary);
  const { page } = await openPage(browser, server.url);
  await settled(page);
  return { name, server, page };
}
const programs = [...(before ? [await openProgram('before', before)] : []), await openProgram('now', BINARY)];

// s of processor time that the server has taken; undefined: this system does not tell.
function processor({ child }) {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return NaN;
  }
}

async function measure({ page, server }, size) {
  await page.bringToFront();
  const timed = async (work) => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1000;
  };
  const result = {};
  result.open = await timed(async () => {
    await page.evaluate((path) => window.voxelastic.openFile(path), `${size.join('x')}.json`);
    await settled(page);
  });
  await key(page, 'b');
  await key(page, 'Alt+6');
  await page.waitForTimeout(400);
  result.stroke = await timed(() => dragCells(page, [1, 1, 0], [5, 1, 0]));
  await key(page, 'Control+z');
  await settled(page);
  const used = processor(server);
  result.start = await timed(async () => {
    await page.evaluate(() => window.voxelastic.enterSimulation(false));
    await page.waitForFunction(() => window.voxelastic.frame);
  });
  result.startProcessor = processor(server) - used;
  await page.evaluate(() => window.voxelastic.do('sim.speed', { mode: 'max' }));
  await page.evaluate(() => window.voxelastic.do('sim.play'));
  await page.waitForTimeout(1500);
  const look = async () => ({
    ...(await page.evaluate(async () => ({ pictures: window.voxelasticStage.viewer.framesDrawn, now: performance.now() / 1000, sim: (await window.voxelastic.do('sim.status')).sim }))),
    processor: processor(server),
  });
  const a = await look();
  await page.waitForTimeout(1000 * seconds);
  const b = await look();
  const done = (b.sim.step - a.sim.step) * b.sim.voxels;
  result.pictures = (b.pictures - a.pictures) / (b.now - a.now);
  result.rate = done / (b.now - a.now);
  result.processorRate = done / (b.processor - a.processor);
  await page.evaluate(() => window.voxelastic.do('sim.close'));
  return { ...result, voxels: b.sim.voxels, surface: b.sim.surface };
}

const SMALL = ['open', 'stroke', 'start', 'startProcessor']; // the less, the better
const best = (all) => Object.fromEntries(Object.keys(all[0]).map((k) => [k, (SMALL.includes(k) ? Math.min : Math.max)(...all.map((r) => r[k]))]));
const million = (v) => (v / 1e6).toFixed(1);
console.log('| voxels | on the surface | build | pictures/s | million voxel-steps/s | per processor second | start, s | of processor time | open, s | stroke, s |');
console.log('|---|---|---|---|---|---|---|---|---|---|');
for (const size of SIZES) {
  const results = programs.map(() => []);
  for (let i = 0; i < rounds; i++) for (const [k, program] of programs.entries()) results[k].push(await measure(program, size));
  for (const [k, { name }] of programs.entries()) {
    const r = best(results[k]);
    console.log(`| ${[r.voxels, r.surface, name, r.pictures.toFixed(0), million(r.rate), million(r.processorRate), r.start.toFixed(2), r.startProcessor.toFixed(2), r.open.toFixed(2), r.stroke.toFixed(2)].join(' | ')} |`);
  }
}
await browser.close();
for (const { server } of programs) await server.stop();
process.exit(0);
