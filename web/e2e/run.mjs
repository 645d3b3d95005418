// Runs the end-to-end tests: the real program, the real browser. VOXELASTIC names the program, CHROMIUM the browser; an argument picks
// tests by a part of their name. The files are shared among as many workers as WORKERS says (2), each with a server, a browser and a page of
// its own, which its files use one after the other.
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runAll } from './harness.mjs';
import { BINARY, CHROMIUM, openPage, settled, startBrowser, startServer, temporaryFolder } from './studio.mjs';

// The longest first, so that workers end together.
const FILES = ['simulate.mjs', 'edits.mjs', 'time.mjs', 'design.mjs', 'walkthrough.mjs', 'world.mjs'];
const only = process.argv[2];

async function work() {
  const folder = temporaryFolder('e2e');
  const server = await startServer(folder);
  const browser = await startBrowser();
  const { page, errors } = await openPage(browser, server.url);
  page.on('dialog', (d) => void d.accept());
  await settled(page);
  const root = new URL('../../', import.meta.url).pathname;
  process.on('message', async (file) => {
    if (file) {
      await import(`./${file}`);
      process.send(await runAll({ page, browser, errors, folder, scenes: `${root}scenes` }, only));
      return;
    }
    await browser.close();
    await server.stop();
    process.exit(0);
  });
  process.send({ run: 0, failed: 0 });
}

function share() {
  for (const [what, path] of [['voxelastic', BINARY], ['chromium', CHROMIUM]])
    if (!existsSync(path)) {
      console.error(`e2e: there is no ${what} at ${path}`);
      process.exit(2);
    }
  const begin = Date.now();
  const left = [...FILES];
  const sum = { run: 0, failed: 0 };
  const workers = Math.max(1, Math.min(left.length, Number(process.env.WORKERS ?? 2)));
  let ended = 0;
  for (let i = 0; i < workers; i++) {
    const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), { env: { ...process.env, E2E_WORKER: '1' } });
    child.on('message', ({ run, failed }) => {
      sum.run += run;
      sum.failed += failed;
      child.send(left.shift() ?? '');
    });
    child.on('exit', (code) => {
      if (code !== 0) {
        console.log(`FAIL  a worker ended with ${code}`);
        sum.failed++;
      }
      if (++ended < workers) return;
      if (left.length) sum.failed++;
      console.log(`${sum.run - sum.failed} of ${sum.run} tests passed in ${((Date.now() - begin) / 1000).toFixed(0)} s`);
      process.exit(sum.failed || sum.run === 0 ? 1 : 0);
    });
  }
}

if (process.env.E2E_WORKER) await work();
else share();
