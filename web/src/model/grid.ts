// The voxels of a document: a dense lattice of palette entries (0 is empty, n is material n - 1) and, where any voxel has its own,
// actuation. Changes are recorded as lists of cells with old and new values, which is what undo needs.
import type { Axis, Vec3 } from './types';

export const MAX_CELLS = 16_000_000; // of the editor, not of the engine: 32 MB of palette entries

export const ACTUATION = ['phase', 'amplitude', 'period'] as const;
export type ActuationKey = (typeof ACTUATION)[number];
export const ACTUATION_REST: Record<ActuationKey, number> = { phase: 0, amplitude: 1, period: 1 };
// Numbers that a voxel may have of its own beside its actuation: Young's modulus, Pa (0: the material's), and its part (0: none).
export const OWN = [...ACTUATION, 'stiffness', 'part'] as const;
export type OwnKey = (typeof OWN)[number];
export const OWN_REST: Record<OwnKey, number> = { ...ACTUATION_REST, stiffness: 0, part: 0 };
export type Channel = 'material' | OwnKey;

export class Grid {
  readonly size: Vec3;
  readonly cells: number;
  readonly material: Uint16Array;
  private readonly own: Partial<Record<OwnKey, Float64Array>> = {};

  constructor(size: Vec3) {
    this.size = [...size];
    this.cells = size[0] * size[1] * size[2];
    if (this.cells > MAX_CELLS) throw new Error(`a workspace of ${this.cells} cells is more than the ${MAX_CELLS} the studio edits`);
    this.material = new Uint16Array(this.cells);
  }

  index(x: number, y: number, z: number): number {
    return x + this.size[0] * (y + this.size[1] * z);
  }
  place(cell: number): Vec3 {
    const [nx, ny] = this.size;
    return [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))];
  }
  inside(x: number, y: number, z: number): boolean {
    return x >= 0 && y >= 0 && z >= 0 && x < this.size[0] && y < this.size[1] && z < this.size[2];
  }
  at(x: number, y: number, z: number): number {
    return this.inside(x, y, z) ? this.material[this.index(x, y, z)]! : 0;
  }
  get(channel: Channel, cell: number): number {
    if (channel === 'material') return this.material[cell]!;
    const values = this.own[channel];
    return values ? values[cell]! : OWN_REST[channel];
  }
  set(channel: Channel, cell: number, value: number): void {
    if (channel === 'material') {
      this.material[cell] = value;
      return;
    }
    let values = this.own[channel];
    if (!values) {
      if (value === OWN_REST[channel]) return;
      values = this.own[channel] = new Float64Array(this.cells).fill(OWN_REST[channel]);
    }
    values[cell] = value;
  }
  // Whether some voxel may have a value of its own.
  has(channel: OwnKey): boolean {
    return this.own[channel] !== undefined;
  }
  count(): number {
    let n = 0;
    for (const m of this.material) if (m) n++;
    return n;
  }
  countPerMaterial(materials: number): number[] {
    const counts = new Array<number>(materials + 1).fill(0);
    for (const m of this.material) if (m <= materials) counts[m]!++;
    return counts;
  }
  // Cells of the smallest box that holds every voxel: lowest and highest, or undefined when there is none.
  bounds(): { low: Vec3; high: Vec3 } | undefined {
    const low: Vec3 = [Infinity, Infinity, Infinity];
    const high: Vec3 = [-1, -1, -1];
    const [nx, ny, nz] = this.size;
    let cell = 0;
    for (let z = 0; z < nz; z++)
      for (let y = 0; y < ny; y++)
        for (let x = 0; x < nx; x++, cell++)
          if (this.material[cell]) {
            if (x < low[0]) low[0] = x;
            if (x > high[0]) high[0] = x;
            if (y < low[1]) low[1] = y;
            if (y > high[1]) high[1] = y;
            if (z < low[2]) low[2] = z;
            if (z > high[2]) high[2] = z;
          }
    return high[0] < 0 ? undefined : { low, high };
  }
  // The same voxels in another workspace, moved by `shift` cells; what falls outside is lost.
  resized(size: Vec3, shift: Vec3 = [0, 0, 0]): Grid {
    const to = new Grid(size);
    const [nx, ny, nz] = this.size;
    for (let z = 0; z < nz; z++)
      for (let y = 0; y < ny; y++)
        for (let x = 0; x < nx; x++) {
          const from = this.index(x, y, z);
          if (!this.material[from] || !to.inside(x + shift[0], y + shift[1], z + shift[2])) continue;
          const cell = to.index(x + shift[0], y + shift[1], z + shift[2]);
          to.material[cell] = this.material[from]!;
          for (const key of OWN) if (this.own[key]) to.set(key, cell, this.get(key, from));
        }
    return to;
  }
  equals(other: Grid): boolean {
    if (this.size.some((n, a) => n !== other.size[a as Axis])) return false;
    for (let cell = 0; cell < this.cells; cell++) {
      if (this.material[cell] !== other.material[cell]) return false;
      if (this.material[cell]) for (const key of OWN) if (this.get(key, cell) !== other.get(key, cell)) return false;
    }
    return true;
  }
}

// Cells changed together, with the values before and after.
export interface GridChange {
  channels: { channel: Channel; at: Uint32Array; before: Float64Array; after: Float64Array }[];
}

// Collects a change while it is made: a stroke paints at once, and is one step of undo when it ends.
export class Stroke {
  private readonly changed = new Map<Channel, Map<number, number>>(); // cell -> value before the stroke
  constructor(private readonly grid: Grid, private readonly locked?: (cell: number) => boolean) {}

  set(channel: Channel, cell: number, value: number): void {
    const now = this.grid.get(channel, cell);
    if (now === value || this.isLocked(channel, cell)) return;
    let cells = this.changed.get(channel);
    if (!cells) this.changed.set(channel, (cells = new Map()));
    if (!cells.has(cell)) cells.set(cell, now);
    this.grid.set(channel, cell, value);
  }
  // A cell that this stroke has given to a locked part itself is still its own to finish.
  private isLocked(channel: Channel, cell: number): boolean {
    return !!this.locked?.(cell) && !this.changed.get('part')?.has(cell) && !(channel === 'part' && !this.grid.material[cell]);
  }
  // Puts everything back, so that a shape can be drawn anew while it is dragged out.
  rewind(): void {
    for (const [channel, cells] of this.changed) for (const [cell, value] of cells) this.grid.set(channel, cell, value);
    this.changed.clear();
  }
  finish(): GridChange | undefined {
    const channels: GridChange['channels'] = [];
    for (const [channel, cells] of this.changed) {
      const at: number[] = [];
      const before: number[] = [];
      const after: number[] = [];
      for (const [cell, old] of cells) {
        const now = this.grid.get(channel, cell);
        if (now === old) continue;
        at.push(cell);
        before.push(old);
        after.push(now);
      }
      if (at.length) channels.push({ channel, at: Uint32Array.from(at), before: Float64Array.from(before), after: Float64Array.from(after) });
    }
    return channels.length ? { channels } : undefined;
  }
}

export function applyChange(grid: Grid, change: GridChange, forward: boolean): void {
  for (const { channel, at, before, after } of change.channels) {
    const values = forward ? after : before;
    for (let i = 0; i < at.length; i++) grid.set(channel, at[i]!, values[i]!);
  }
}
