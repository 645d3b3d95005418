// Starts the real server and Debian's Chromium for the end-to-end tests, and the few gestures all of them use.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const BINARY = process.env.VOXELASTIC ?? new URL('../../build/release/voxelastic', import.meta.url).pathname;
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

// ms: a hang, not a slow machine.
export const PATIENCE = 180000;

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--hide-scrollbars',
];

export function temporaryFolder(name) {
  const path = mkdtempSync(join(tmpdir(), `voxelastic-${name}-`));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

// The server in a folder of its own; resolves with its address.
export async function startServer(folder, scene = [], binary = BINARY) {
  const child = spawn(binary, ['studio', '--no-open', ...scene], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const url = await new Promise((resolve, reject) => {
    const look = (chunk) => {
      text += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]+/.exec(text);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
  const stop = () => new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.on('exit', resolve);
    child.kill('SIGINT');
  });
  process.on('exit', () => child.kill('SIGKILL'));
  return { url, child, stop, log: () => text };
}

export async function startBrowser() {
  const folder = temporaryFolder('browser');
  return chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM, headless: true, args: FLAGS, ignoreDefaultArgs: ['--enable-automation'], viewport: { width: 1280, height: 720 },
    acceptDownloads: true, reducedMotion: 'reduce',
  });
}

// A page that remembers what went wrong on it: every console error and exception fails its test.
export async function openPage(browser, url, options = {}) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  if (options.width) await page.setViewportSize({ width: options.width, height: options.height });
  const errors = [];
  page.on('console', (m) => { if (m.type() === 'error') errors.push(m.text()); });
  page.on('pageerror', (e) => errors.push(String(e)));
  await page.goto(url);
  return { page, errors };
}

// Waits until the server has seen and checked every edit.
export async function settled(page) {
  await page.waitForFunction(() => window.voxelastic?.hello.value && !window.voxelastic.pending.value);
}
