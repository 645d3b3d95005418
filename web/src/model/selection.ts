// What is selected: a box of cells, and, if not all of them, which. Selections are never changed in place.
import { OWN, type Grid, type OwnKey } from './grid';
import type { Axis, Vec3 } from './types';

// Lowest and highest cell, both included; `cells` has a 1 for each selected cell of the box, x fastest.
export interface Selection { low: Vec3; high: Vec3; cells?: Uint8Array }

const sizeOf = (s: Selection): Vec3 => s.high.map((h, a) => h - s.low[a]! + 1) as Vec3;

export function isSelected(s: Selection, x: number, y: number, z: number): boolean {
  if (x < s.low[0] || y < s.low[1] || z < s.low[2] || x > s.high[0] || y > s.high[1] || z > s.high[2]) return false;
  if (!s.cells) return true;
  const [nx, ny] = sizeOf(s);
  return s.cells[x - s.low[0] + nx * (y - s.low[1] + ny * (z - s.low[2]))] === 1;
}

// The selected cells inside a grid, as its indices.
export function cellsOf(s: Selection, grid: Grid): number[] {
  const out: number[] = [];
  for (let z = Math.max(0, s.low[2]); z <= Math.min(grid.size[2] - 1, s.high[2]); z++)
    for (let y = Math.max(0, s.low[1]); y <= Math.min(grid.size[1] - 1, s.high[1]); y++)
      for (let x = Math.max(0, s.low[0]); x <= Math.min(grid.size[0] - 1, s.high[0]); x++) if (isSelected(s, x, y, z)) out.push(grid.index(x, y, z));
  return out;
}

// A selection of single cells; undefined: there are none. A full box is told as one.
export function ofCells(cells: Iterable<number>, grid: Grid): Selection | undefined {
  const list = [...new Set(cells)];
  if (!list.length) return undefined;
  const low: Vec3 = [Infinity, Infinity, Infinity];
  const high: Vec3 = [-1, -1, -1];
  const places = list.map((c) => grid.place(c));
  for (const p of places)
    for (const a of [0, 1, 2] as Axis[]) {
      low[a] = Math.min(low[a], p[a]);
      high[a] = Math.max(high[a], p[a]);
    }
  const [nx, ny, nz] = sizeOf({ low, high });
  if (list.length === nx * ny * nz) return { low, high };
  const mask = new Uint8Array(nx * ny * nz);
  for (const p of places) mask[p[0] - low[0] + nx * (p[1] - low[1] + ny * (p[2] - low[2]))] = 1;
  return { low, high, cells: mask };
}

export type Combine = 'replace' | 'add' | 'subtract' | 'intersect';

export function combine(a: Selection | undefined, b: Selection | undefined, how: Combine, grid: Grid): Selection | undefined {
  if (how === 'replace' || !a) return how === 'subtract' || how === 'intersect' ? (how === 'intersect' ? undefined : a) : b;
  if (!b) return how === 'intersect' ? undefined : a;
  const first = cellsOf(a, grid);
  const second = new Set(cellsOf(b, grid));
  if (how === 'add') return ofCells([...first, ...second], grid);
  return ofCells(first.filter((c) => second.has(c) === (how === 'intersect')), grid);
}

function neighbours(grid: Grid, cell: number): number[] {
  const c = grid.place(cell);
  const out: number[] = [];
  for (const a of [0, 1, 2] as Axis[])
    for (const d of [-1, 1]) {
      const n: Vec3 = [...c];
      n[a] += d;
      if (grid.inside(...n)) out.push(grid.index(...n));
    }
  return out;
}

// One voxel more all around, as far as there are voxels; or one less.
export function grow(s: Selection, grid: Grid): Selection | undefined {
  const cells = new Set(cellsOf(s, grid));
  for (const c of [...cells]) for (const n of neighbours(grid, c)) if (grid.material[n]) cells.add(n);
  return ofCells(cells, grid);
}
export function shrink(s: Selection, grid: Grid): Selection | undefined {
  const cells = new Set(cellsOf(s, grid).filter((c) => grid.material[c]));
  return ofCells([...cells].filter((c) => { const n = neighbours(grid, c); return n.length === 6 && n.every((m) => cells.has(m)); }), grid);
}

export function where(grid: Grid, is: (cell: number) => boolean): Selection | undefined {
  const out: number[] = [];
  for (let c = 0; c < grid.cells; c++) if (grid.material[c] && is(c)) out.push(c);
  return ofCells(out, grid);
}
export const ofMaterial = (grid: Grid, entry: number): Selection | undefined => where(grid, (c) => grid.material[c] === entry);
export const ofValue = (grid: Grid, key: OwnKey, value: number): Selection | undefined => where(grid, (c) => Math.abs(grid.get(key, c) - value) < 1e-9);

// Voxels that hang together with one through faces, of any material or of its own; parts that are apart stay apart.
export function connected(grid: Grid, start: number, same: boolean): Selection | undefined {
  if (!grid.material[start]) return undefined;
  const seen = new Set([start]);
  const stack = [start];
  while (stack.length)
    for (const n of neighbours(grid, stack.pop()!)) {
      if (seen.has(n) || !grid.material[n] || (same && grid.material[n] !== grid.material[start])) continue;
      if (grid.has('part') && grid.get('part', n) !== grid.get('part', start)) continue;
      seen.add(n);
      stack.push(n);
    }
  return ofCells(seen, grid);
}

export const moved = (s: Selection, d: Vec3): Selection => ({ ...s, low: s.low.map((v, a) => v + d[a]!) as Vec3, high: s.high.map((v, a) => v + d[a]!) as Vec3 });
// Which of OWN a voxel may be told apart by.
export const channels = OWN;
