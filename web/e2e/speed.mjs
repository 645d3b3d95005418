// Pictures and voxel-steps per second with a thousand, ten thousand and a hundred thousand voxels, as docs/studio.md tells them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dragCells, key } from './harness.mjs';
import { openPage, settled, startBrowser, startServer, temporaryFolder } from './studio.mjs';

const folder = temporaryFolder('speed');
const server = await startServer(folder);
const browser = await startBrowser();
const { page } = await openPage(browser, server.url);
await settled(page);
console.log('voxels  surface  pictures/s  voxel-steps/s  open s  stroke s  start s');
for (const size of [[10, 10, 10], [25, 20, 20], [50, 50, 40]]) {
  const name = `${size.join('x')}.json`;
  writeFileSync(join(folder, name), JSON.stringify({
    voxelastic: 1, lattice: { pitch: 0.01, size: [size[0], size[1], size[2] + 2] }, materials: [{ name: 'rubber', youngs_modulus: 1e5, color: '#d9793d' }],
    shapes: [{ box: { corner: [0, 0, 2], size }, material: 'rubber' }], environment: { gravity: true, floor: true, collisions: 'grid' },
  }));
  const timed = async (work) => {
    const start = Date.now();
    await work();
    return ((Date.now() - start) / 1000).toFixed(2);
  };
  const open = await timed(async () => {
    await page.evaluate((path) => window.voxelastic.openFile(path), name);
    await settled(page);
  });
  await key(page, 'b');
  await key(page, 'Alt+6');
  await page.waitForTimeout(400);
  const stroke = await timed(() => dragCells(page, [1, 1, 0], [5, 1, 0]));
  await key(page, 'Control+z');
  await settled(page);
  const start = await timed(async () => {
    await page.evaluate(() => window.voxelastic.enterSimulation(false));
    await page.waitForFunction(() => window.voxelastic.frame);
  });
  await page.evaluate(() => window.voxelastic.do('sim.speed', { mode: 'max' }));
  await page.evaluate(() => window.voxelastic.do('sim.play'));
  await page.waitForTimeout(1500);
  const look = () => page.evaluate(() => ({ pictures: window.voxelasticStage.viewer.framesDrawn, now: performance.now(), sim: window.voxelastic.sim.value }));
  const before = await look();
  await page.waitForTimeout(5000);
  const after = await look();
  const pictures = ((after.pictures - before.pictures) / (after.now - before.now)) * 1000;
  const { voxels, surface, rate } = after.sim;
  console.log([voxels, surface, pictures.toFixed(1), rate.voxel_steps.toExponential(2), open, stroke, start].join('  '));
  await page.evaluate(() => window.voxelastic.do('sim.pause'));
}
await browser.close();
await server.stop();
process.exit(0);
