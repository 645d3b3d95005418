// Runs the end-to-end tests: the real program, the real browser. VOXELASTIC names the program, CHROMIUM the browser; an argument picks
// tests by a part of their name.
import { existsSync, mkdirSync } from 'node:fs';
import { assert, runAll, test } from './harness.mjs';
import { BINARY, CHROMIUM, openPage, settled, startBrowser, startServer, temporaryFolder } from './studio.mjs';

for (const [what, path] of [['voxelastic', BINARY], ['chromium', CHROMIUM]])
  if (!existsSync(path)) {
    console.error(`e2e: there is no ${what} at ${path}`);
    process.exit(2);
  }

await import('./edits.mjs');
await import('./simulate.mjs');
await import('./design.mjs');
await import('./time.mjs');
await import('./world.mjs');
await import('./walkthrough.mjs');
test('no errors on the console, no server log', async ({ errors }) => assert.deepEqual(errors, []));

const folder = temporaryFolder('e2e');
mkdirSync(folder, { recursive: true });
const server = await startServer(folder);
const browser = await startBrowser();
const { page, errors } = await openPage(browser, server.url);
page.setDefaultTimeout(60000);
page.on('dialog', (d) => void d.accept());
await settled(page);
const root = new URL('../../', import.meta.url).pathname;
const failed = await runAll(
  { page, browser, errors, folder, scenes: `${root}scenes` }, process.argv[2]);
await browser.close();
await server.stop();
process.exit(failed ? 1 : 0);
