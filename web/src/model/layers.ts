// The voxels as the file has them: rows of characters, and lists of numbers with runs (docs/scene-format.md, `layers`, `actuation`).
import { ACTUATION, ACTUATION_REST, Grid, OWN_REST, type OwnKey } from './grid';
import type { Material, Vec3 } from './types';

export interface LayersJson {
  legend?: Record<string, string | null>;
  origin?: Vec3;
  layers: (string[] | { repeat?: number; rows: string[] })[];
}
type Run = number | [number, number];
export interface ActuationJson {
  origin?: Vec3;
  size?: Vec3;
  phase?: number | Run[];
  amplitude?: number | Run[];
  period?: number | Run[];
}

// The character of a palette entry (1, 2, ...), as the engine writes it.
export function legendCharacter(entry: number): string {
  if (entry <= 26) return String.fromCharCode(96 + entry);
  if (entry <= 52) return String.fromCharCode(64 + entry - 26);
  return String.fromCharCode(0x4e35 + entry - 53);
}

// One row to palette entries; returns how often the row repeats.
function readRow(row: string, legend: Map<string, number>, out: number[]): number {
  out.length = 0;
  let repeat = 1;
  let count = '';
  let first = true;
  for (const c of row) {
    if (c >= '0' && c <= '9') {
      count += c;
    } else if (c === '*') {
      if (!first || !count) throw new Error(`row "${row}": misplaced *`);
      repeat = Number(count);
      count = '';
      first = false;
    } else {
      const entry = legend.get(c);
      if (entry === undefined) throw new Error(`row "${row}": "${c}" is not in the legend`);
      const n = count ? Number(count) : 1;
      if (n > 1_000_000) throw new Error(`row "${row}": too long`);
      for (let i = 0; i < n; i++) out.push(entry);
      count = '';
      first = false;
    }
  }
  return repeat;
}

export function readLayers(json: LayersJson, grid: Grid, materials: readonly Material[]): void {
  const legend = new Map<string, number>([['.', 0]]);
  for (const [c, name] of Object.entries(json.legend ?? {})) {
    const entry = name === null || name === '' ? 0 : materials.findIndex((m) => m.name === name) + 1;
    if (name && !entry) throw new Error(`layers: there is no material "${name}"`);
    legend.set(c, entry);
  }
  const [ox, oy, oz] = json.origin ?? [0, 0, 0];
  const row: number[] = [];
  let z = oz;
  for (const layer of json.layers) {
    const rows = Array.isArray(layer) ? layer : layer.rows;
    const repeat = Array.isArray(layer) ? 1 : (layer.repeat ?? 1);
    const cells: number[][] = [];
    for (const text of rows) {
      const times = readRow(text, legend, row);
      for (let i = 0; i < times; i++) cells.push(row.slice());
    }
    for (let r = 0; r < repeat; r++, z++)
      cells.forEach((line, j) => {
        if (!grid.inside(ox + line.length - 1, oy + j, z)) throw new Error('layers: the block does not lie inside the workspace');
        grid.material.set(line, grid.index(ox, oy + j, z));
      });
  }
}

// Short form for rows of more than this, or blocks of more than 65536 voxels.
function rowText(entries: Uint16Array, short: boolean): string {
  let text = '';
  for (let i = 0; i < entries.length; ) {
    const entry = entries[i]!;
    const c = entry ? legendCharacter(entry) : '.';
    let n = 1;
    while (i + n < entries.length && entries[i + n] === entry) n++;
    text += short ? (n > 1 ? n + c : c) : c.repeat(n);
    i += n;
  }
  return text;
}

export function writeLayers(grid: Grid, materials: readonly Material[]): LayersJson | undefined {
  const box = grid.bounds();
  if (!box) return undefined;
  const { low, high } = box;
  const nx = high[0] - low[0] + 1;
  const ny = high[1] - low[1] + 1;
  const nz = high[2] - low[2] + 1;
  const short = nx * ny * nz > 65536 || nx > 100;
  const layers: { repeat: number; rows: string[]; key: string }[] = [];
  const used = new Set<number>();
  for (let z = low[2]; z <= high[2]; z++) {
    const rows: { text: string; times: number }[] = [];
    for (let y = low[1]; y <= high[1]; y++) {
      const from = grid.index(low[0], y, z);
      const entries = grid.material.subarray(from, from + nx);
      for (const e of entries) if (e) used.add(e);
      const text = rowText(entries, short);
      const last = rows[rows.length - 1];
      if (short && last && last.text === text) last.times++;
      else rows.push({ text, times: 1 });
    }
    const texts = rows.map((r) => (r.times > 1 ? `${r.times}*${r.text}` : r.text));
    const key = texts.join('\n');
    const last = layers[layers.length - 1];
    if (short && last && last.key === key) last.repeat++;
    else layers.push({ repeat: 1, rows: texts, key });
  }
  const legend: Record<string, string> = {};
  [...used].sort((a, b) => a - b).forEach((e) => (legend[legendCharacter(e)] = materials[e - 1]!.name));
  return {
    legend, origin: low,
    layers: layers.map((l) => (l.repeat > 1 ? { repeat: l.repeat, rows: l.rows } : l.rows)),
  };
}

// Gives the numbers of a list one after the other.
function reader(values: number | Run[], what: string): () => number {
  if (typeof values === 'number') return () => values;
  let i = 0;
  let left = 0;
  let value = 0;
  return () => {
    if (!left) {
      const item = values[i++];
      if (item === undefined) throw new Error(`${what}: too few values`);
      [left, value] = typeof item === 'number' ? [1, item] : item;
    }
    left--;
    return value;
  };
}

export interface FieldJson { origin?: Vec3; size?: Vec3; values: number | Run[] }

// Numbers of voxels (`fields`) that are edited here: stiffness and part.
export function readField(json: FieldJson, grid: Grid, key: 'stiffness' | 'part'): void {
  const origin = json.origin ?? [0, 0, 0];
  const size = json.size ?? (grid.size.map((n, a) => n - origin[a]!) as Vec3);
  const next = reader(json.values, `fields.${key}`);
  for (let z = 0; z < size[2]; z++)
    for (let y = 0; y < size[1]; y++)
      for (let x = 0; x < size[0]; x++) {
        const value = next();
        if (grid.at(x + origin[0], y + origin[1], z + origin[2])) grid.set(key, grid.index(x + origin[0], y + origin[1], z + origin[2]), value);
      }
}
export function writeField(grid: Grid, key: 'stiffness' | 'part'): FieldJson | undefined {
  const box = grid.has(key) ? grid.bounds() : undefined;
  if (!box) return undefined;
  const values = runsOf(grid, key, box.low, box.high);
  const only = values.length === 1 ? values[0]! : undefined;
  const single = only === undefined ? undefined : typeof only === 'number' ? only : only[1];
  if (single === 0) return undefined;
  return { origin: box.low, size: [box.high[0] - box.low[0] + 1, box.high[1] - box.low[1] + 1, box.high[2] - box.low[2] + 1], values: single ?? values };
}

export function readActuation(json: ActuationJson, grid: Grid): void {
  const origin = json.origin ?? [0, 0, 0];
  const size = json.size ?? (grid.size.map((n, a) => n - origin[a]!) as Vec3);
  for (const key of ACTUATION) {
    const values = json[key];
    if (values === undefined) continue;
    const next = reader(values, `actuation.${key}`);
    for (let z = 0; z < size[2]; z++)
      for (let y = 0; y < size[1]; y++)
        for (let x = 0; x < size[0]; x++) {
          const value = next();
          if (grid.at(x + origin[0], y + origin[1], z + origin[2]))
            grid.set(key, grid.index(x + origin[0], y + origin[1], z + origin[2]), value);
        }
  }
}

export function writeActuation(grid: Grid): ActuationJson | undefined {
  const keys = ACTUATION.filter((key) => grid.has(key));
  if (!keys.length) return undefined;
  const box = grid.bounds();
  if (!box) return undefined;
  const { low, high } = box;
  const json: ActuationJson = { origin: low, size: [high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1] };
  let any = false;
  for (const key of keys) {
    const runs = runsOf(grid, key, low, high);
    const only = runs.length === 1 ? runs[0]! : undefined;
    const single = only === undefined ? undefined : typeof only === 'number' ? only : only[1];
    if (single === ACTUATION_REST[key]) continue;
    json[key] = single ?? runs;
    any = true;
  }
  return any ? json : undefined;
}

function runsOf(grid: Grid, key: OwnKey, low: Vec3, high: Vec3): Run[] {
  const runs: [number, number][] = [];
  for (let z = low[2]; z <= high[2]; z++)
    for (let y = low[1]; y <= high[1]; y++)
      for (let x = low[0]; x <= high[0]; x++) {
        const cell = grid.index(x, y, z);
        const value = grid.material[cell] ? grid.get(key, cell) : OWN_REST[key];
        const last = runs[runs.length - 1];
        if (last && last[1] === value) last[0]++;
        else runs.push([1, value]);
      }
  return runs.map((run) => (run[0] === 1 ? run[1] : run));
}
