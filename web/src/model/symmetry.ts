// Symmetry while drawing: mirror planes and turns about an axis. Every cell that is drawn is drawn at its images too.
import { sides } from './tools';
import type { Axis, Vec3 } from './types';

export interface Symmetry {
  mirror: [boolean, boolean, boolean]; // planes across x, y, z
  center: Vec3; // where planes and axis are, in cells: 10 lies between cell 9 and cell 10
  turns: number; // copies about the axis, 1: none
  axis: Axis;
  lag: number; // cycles that each mirrored or turned copy swings later, where phases are drawn
}

export const noSymmetry = (size: Vec3): Symmetry => ({ mirror: [false, false, false], center: size.map((n) => n / 2) as Vec3, turns: 1, axis: 2, lag: 0 });
export const isSymmetric = (s: Symmetry): boolean => s.mirror.some(Boolean) || s.turns > 1;

export interface Image { cell: Vec3; copy: number } // copy: by how many steps of `lag` it is later

// A cell and its images, each once.
export function images(s: Symmetry, cell: Vec3): Image[] {
  let list: { at: Vec3; copy: number }[] = [{ at: cell.map((v) => v + 0.5) as Vec3, copy: 0 }];
  if (s.turns > 1) {
    const [u, v] = sides(s.axis);
    const made: typeof list = [];
    for (const p of list)
      for (let k = 0; k < s.turns; k++) {
        const angle = (2 * Math.PI * k) / s.turns;
        const [c, d] = [Math.cos(angle), Math.sin(angle)];
        const [x, y] = [p.at[u] - s.center[u], p.at[v] - s.center[v]];
        const at: Vec3 = [...p.at];
        at[u] = s.center[u] + c * x - d * y;
        at[v] = s.center[v] + d * x + c * y;
        made.push({ at, copy: p.copy + k });
      }
    list = made;
  }
  for (const a of [0, 1, 2] as Axis[])
    if (s.mirror[a])
      list = list.concat(list.map((p) => {
        const at: Vec3 = [...p.at];
        at[a] = 2 * s.center[a] - at[a];
        return { at, copy: p.copy + 1 };
      }));
  const seen = new Set<string>();
  const out: Image[] = [];
  for (const p of list) {
    // A quarter turn lands on cells exactly, but for rounding; others on the nearest.
    const at = p.at.map((v) => Math.floor(v + 1e-6)) as Vec3;
    const key = at.join();
    if (seen.has(key)) continue;
    seen.add(key);
    out.push({ cell: at, copy: p.copy });
  }
  return out;
}
