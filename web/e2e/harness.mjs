// A runner for tests that share one browser, and the checks they make. No test framework: the order within a file matters.
import assert from 'node:assert/strict';
import { PATIENCE } from './studio.mjs';

const tests = [];
export const test = (name, work) => tests.push({ name, work });
export { assert };

// Runs the tests that were told since the last call, and tells how many ran and failed. What the page complained of is a failure, too.
export async function runAll(context, only) {
  let failed = 0;
  let run = 0;
  for (const { name, work } of tests.splice(0)) {
    if (only && !only.split('|').some((o) => name.includes(o))) continue;
    run++;
    const start = Date.now();
    try {
      await work(context);
      assert.deepEqual(context.errors.splice(0), [], 'no errors on the console');
      console.log(`ok    ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      // What the test held down must not fail the next ones.
      await context.page?.mouse.up().catch(() => undefined);
      for (const k of ['Control', 'Shift', 'Alt']) await context.page?.keyboard.up(k).catch(() => undefined);
      await context.page?.keyboard.press('Escape').catch(() => undefined);
      console.log(`FAIL  ${name}\n${String(error.stack ?? error).split('\n').slice(0, 14).map((l) => `      ${l}`).join('\n')}`);
      if (context.page && process.env.E2E_SHOTS) await context.page.screenshot({ path: `${process.env.E2E_SHOTS}/${name.replace(/\W+/g, '-')}.png` }).catch(() => undefined);
    }
  }
  return { run, failed };
}

// ---- the page

export const scene = (page) => page.evaluate(() => JSON.stringify(window.voxelastic.doc.toJson()));
export const sceneObject = async (page) => JSON.parse(await scene(page));
export const steps = (page) => page.evaluate(() => window.voxelastic.doc.done.value.length);
export const voxelCount = (page) => page.evaluate(() => window.voxelastic.doc.grid.count());

// Where a point of the lattice is on the screen.
export async function at(page, x, y, z) {
  return page.evaluate(([px, py, pz]) => {
    const { viewer } = window.voxelasticStage;
    viewer.rig.update(performance.now() + 10000);
    const p = viewer.toScreen(viewer.rig.target.clone().set(px, py, pz));
    const r = viewer.canvas.getBoundingClientRect();
    return { x: p.x + r.left, y: p.y + r.top };
  }, [x, y, z]);
}

// Presses at one cell and lets go at another, as a hand would.
export async function drag(page, from, to, modifiers = {}) {
  if (modifiers.key) await page.keyboard.down(modifiers.key);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  if (modifiers.key) await page.keyboard.up(modifiers.key);
}
export const dragCells = async (page, a, b, key) =>
  drag(page, await at(page, a[0] + 0.5, a[1] + 0.5, a[2] + 0.5), await at(page, b[0] + 0.5, b[1] + 0.5, b[2] + 0.5), { key });
export async function clickCell(page, a) {
  const p = await at(page, a[0] + 0.5, a[1] + 0.5, a[2] + 0.5);
  await page.mouse.click(p.x, p.y);
}

export async function key(page, name) {
  await page.evaluate(() => document.activeElement?.blur?.());
  await page.keyboard.press(name);
}
export const button = (page, name) => page.getByRole('button', { name, exact: true });
export async function fillIn(page, label, value) {
  const input = page.getByRole('textbox', { name: label, exact: true }).first();
  await input.fill(String(value));
  await input.press('Enter');
}
export const choose = (page, label, value) => page.getByRole('combobox', { name: label, exact: true }).first().selectOption(value);
export const toggle = (page, label) => page.getByRole('switch', { name: label, exact: true }).first().click();
export const radio = (page, group, name) => page.getByRole('radiogroup', { name: group, exact: true }).getByRole('radio', { name, exact: true }).click();
export const tab = (page, name) => page.getByRole('tab', { name }).click();

// Makes an edit, and shows that it is one step that undo takes back entirely and redo brings again.
export async function undoable(page, what, work) {
  const before = await scene(page);
  const count = await steps(page);
  await work();
  const after = await scene(page);
  assert.notEqual(after, before, `${what}: nothing changed`);
  assert.equal(await steps(page), count + 1, `${what}: not one step`);
  await key(page, 'Control+z');
  assert.equal(await scene(page), before, `${what}: undo does not restore`);
  await key(page, 'Control+y');
  assert.equal(await scene(page), after, `${what}: redo does not restore`);
  return JSON.parse(after);
}

// Waits until the view does not turn any more.
export const still = (page) => until(page, 'the view to stand still', () => !window.voxelasticStage.viewer.rig.flying);

export async function until(page, what, condition, argument, timeout = PATIENCE) {
  try {
    await page.waitForFunction(condition, argument, { timeout });
  } catch {
    throw new Error(`waited in vain: ${what}`);
  }
}
