// What the drawing tools cover: pure functions from two cells to the cells of a line, a rectangle, an ellipse, a box, a sphere, a
// cylinder or a fill, and the block operations of the selection.
import { OWN, OWN_REST, type Grid } from './grid';
import type { Selection } from './document';
import { isSelected } from './selection';
import type { Axis, Vec3 } from './types';

export type Visit = (x: number, y: number, z: number) => void;

// The two other axes, in the order in which a layer is seen from its positive side.
export const sides = (axis: Axis): [Axis, Axis] => (axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1]);

// Cells between two cells, without gaps, along the longest axis.
export function line(from: Vec3, to: Vec3, visit: Visit): void {
  const d = to.map((v, a) => v - from[a]!) as Vec3;
  const n = Math.max(...d.map(Math.abs));
  for (let i = 0; i <= n; i++) {
    const t = n ? i / n : 0;
    visit(Math.round(from[0] + d[0] * t), Math.round(from[1] + d[1] * t), Math.round(from[2] + d[2] * t));
  }
}

export function boxOf(a: Vec3, b: Vec3): Selection {
  return {
    low: a.map((v, i) => Math.min(v, b[i]!)) as Vec3,
    high: a.map((v, i) => Math.max(v, b[i]!)) as Vec3,
  };
}

export function box(a: Vec3, b: Vec3, visit: Visit, outline?: Axis): void {
  const { low, high } = boxOf(a, b);
  const edge = outline === undefined ? [] : sides(outline);
  for (let z = low[2]; z <= high[2]; z++)
    for (let y = low[1]; y <= high[1]; y++)
      for (let x = low[0]; x <= high[0]; x++) {
        const c = [x, y, z];
        if (edge.length && edge.every((s) => c[s] !== low[s] && c[s] !== high[s])) continue;
        visit(x, y, z);
      }
}

// The ellipse inscribed in the rectangle of two corners; cells whose centre it contains. In `axis` it is as deep as the corners are apart.
export function ellipse(a: Vec3, b: Vec3, axis: Axis, visit: Visit, outline = false): void {
  const { low, high } = boxOf(a, b);
  const [u, v] = sides(axis);
  const ru = (high[u] - low[u] + 1) / 2;
  const rv = (high[v] - low[v] + 1) / 2;
  const cu = (high[u] + low[u]) / 2;
  const cv = (high[v] + low[v]) / 2;
  const inside = (p: number, q: number) => ((p - cu) / ru) ** 2 + ((q - cv) / rv) ** 2 <= 1;
  box(a, b, (x, y, z) => {
    const c = [x, y, z];
    const p = c[u]!;
    const q = c[v]!;
    if (!inside(p, q)) return;
    if (outline && inside(p - 1, q) && inside(p + 1, q) && inside(p, q - 1) && inside(p, q + 1)) return;
    visit(x, y, z);
  });
}

// Cells whose centre is within `radius` (cells) of the centre of the cell `center`.
export function sphere(center: Vec3, radius: number, visit: Visit): void {
  const n = Math.ceil(radius);
  for (let z = -n; z <= n; z++)
    for (let y = -n; y <= n; y++)
      for (let x = -n; x <= n; x++)
        if (x * x + y * y + z * z <= radius * radius) visit(center[0] + x, center[1] + y, center[2] + z);
}

// A disc of `radius` about `center` in the layer, repeated for `depth` layers upwards along the axis.
export function cylinder(center: Vec3, radius: number, axis: Axis, depth: number, visit: Visit): void {
  const [u, v] = sides(axis);
  const n = Math.ceil(radius);
  for (let k = 0; k < depth; k++)
    for (let q = -n; q <= n; q++)
      for (let p = -n; p <= n; p++)
        if (p * p + q * q <= radius * radius) {
          const c: Vec3 = [...center];
          c[u] += p;
          c[v] += q;
          c[axis] += k;
          visit(c[0], c[1], c[2]);
        }
}

// Cells connected with `start` through faces that hold the same palette entry: in the layer of `axis`, or through the volume.
export function flood(grid: Grid, start: Vec3, axis: Axis | undefined, visit: Visit): void {
  if (!grid.inside(...start)) return;
  const wanted = grid.at(...start);
  const seen = new Uint8Array(grid.cells);
  const stack = [grid.index(...start)];
  seen[stack[0]!] = 1;
  const axes = ([0, 1, 2] as Axis[]).filter((a) => a !== axis);
  while (stack.length) {
    const c = grid.place(stack.pop()!);
    visit(...c);
    for (const a of axes)
      for (const step of [-1, 1]) {
        const n: Vec3 = [...c];
        n[a] += step;
        if (!grid.inside(...n)) continue;
        const cell = grid.index(...n);
        if (seen[cell] || grid.material[cell] !== wanted) continue;
        seen[cell] = 1;
        stack.push(cell);
      }
  }
}

// A block of voxels that was copied: material and every channel of OWN, x fastest.
export interface Block { size: Vec3; material: number[]; own: number[][] }

// What a stroke of the document offers.
export interface Painter { set(channel: 'material' | (typeof OWN)[number], cell: number, value: number): void }

export function copyBlock(grid: Grid, selection: Selection): Block {
  const { low, high } = selection;
  const size = high.map((h, a) => h - low[a]! + 1) as Vec3;
  const block: Block = { size, material: [], own: [] };
  for (let z = low[2]; z <= high[2]; z++)
    for (let y = low[1]; y <= high[1]; y++)
      for (let x = low[0]; x <= high[0]; x++) {
        const taken = grid.inside(x, y, z) && isSelected(selection, x, y, z);
        const cell = taken ? grid.index(x, y, z) : -1;
        block.material.push(taken ? grid.material[cell]! : 0);
        block.own.push(OWN.map((k) => (taken ? grid.get(k, cell) : OWN_REST[k])));
      }
  return block;
}

export function clearCell(stroke: Painter, cell: number): void {
  stroke.set('material', cell, 0);
  for (const k of OWN) stroke.set(k, cell, OWN_REST[k]);
}
export function clearBlock(grid: Grid, stroke: Painter, selection: Selection): void {
  box(selection.low, selection.high, (x, y, z) => {
    if (grid.inside(x, y, z) && isSelected(selection, x, y, z)) clearCell(stroke, grid.index(x, y, z));
  });
}

// Writes the block's voxels with its lowest corner at `at`; its empty cells leave what is there. Gives what is then selected.
export function pasteBlock(grid: Grid, stroke: Painter, block: Block, at: Vec3): Selection {
  let i = 0;
  for (let z = 0; z < block.size[2]; z++)
    for (let y = 0; y < block.size[1]; y++)
      for (let x = 0; x < block.size[0]; x++, i++) {
        const m = block.material[i]!;
        if (!m || !grid.inside(at[0] + x, at[1] + y, at[2] + z)) continue;
        const cell = grid.index(at[0] + x, at[1] + y, at[2] + z);
        stroke.set('material', cell, m);
        OWN.forEach((k, c) => stroke.set(k, cell, block.own[i]![c]!));
      }
  return { low: [...at], high: at.map((v, a) => v + block.size[a]! - 1) as Vec3 };
}

function remap(block: Block, size: Vec3, from: (x: number, y: number, z: number) => Vec3): Block {
  const out: Block = { size, material: [], own: [] };
  for (let z = 0; z < size[2]; z++)
    for (let y = 0; y < size[1]; y++)
      for (let x = 0; x < size[0]; x++) {
        const [a, b, c] = from(x, y, z);
        const i = a + block.size[0] * (b + block.size[1] * c);
        out.material.push(block.material[i]!);
        out.own.push(block.own[i]!);
      }
  return out;
}

export function mirrorBlock(block: Block, axis: Axis): Block {
  return remap(block, block.size, (x, y, z) => {
    const c: Vec3 = [x, y, z];
    c[axis] = block.size[axis] - 1 - c[axis];
    return c;
  });
}

// A quarter turn about an axis, counter-clockwise when the axis points at you.
export function rotateBlock(block: Block, axis: Axis): Block {
  const u = ((axis + 1) % 3) as Axis;
  const v = ((axis + 2) % 3) as Axis;
  const size: Vec3 = [...block.size];
  [size[u], size[v]] = [size[v], size[u]];
  return remap(block, size, (x, y, z) => {
    const c: Vec3 = [x, y, z];
    const from: Vec3 = [...c];
    from[u] = c[v];
    from[v] = block.size[v] - 1 - c[u];
    return from;
  });
}
