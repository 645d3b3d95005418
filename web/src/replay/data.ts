// The data of a replay: read from the page itself, unpacked frame by frame as it is looked at.
import type { Vec3 } from '../model/types';
import type { FieldInfo } from '../net/protocol';
import type { Mesh } from '../view/mesh';
import type { Source, WorldData } from '../view/world';

interface Packed { type: 'f32' | 'f64' | 'u32' | 'i32' | 'u16' | 'u8'; count: number; data: string }

const TYPES = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, i32: Int32Array, u16: Uint16Array, u8: Uint8Array } as const;

export async function unpack(p: Packed): Promise<InstanceType<(typeof TYPES)[Packed['type']]>> {
  const text = atob(p.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const out = new TYPES[p.type](await new Response(stream).arrayBuffer());
  if (out.length !== p.count) throw new Error(`the replay is damaged: ${out.length} values instead of ${p.count}`);
  return out;
}

interface FrameJson { time: number; step: number; origin: Vec3; box: [number, number, number, number, number, number]; corners: Packed; [field: string]: unknown }
export interface ReplayJson {
  format: number;
  version: string;
  summary: Record<string, any>;
  name: string;
  description: string;
  pitch: number;
  size: Vec3;
  floor: boolean;
  materials: { name: string; color: string }[];
  mesh: Record<string, unknown> & { origin: Vec3 };
  fields: FieldInfo[];
  frames: FrameJson[];
  world?: { water: number | null; everywhere: boolean; sources: Source[]; corners?: Packed; face?: Packed; color?: Packed };
  trace?: { columns: string[]; rows: number; data: Packed };
}

export interface ReplayFrame { time: number; step: number; origin: Vec3; corners: Float32Array; fields: Map<string, Uint8Array> }
// What is shown: between two frames, everything on its way from one to the other.
export interface Moment { time: number; step: number; origin: Vec3; corners: Float32Array; values: Float32Array | undefined }

export const mix = (a: number, b: number, part: number): number => a + part * (b - a);

// Corners between frames a and b, relative to the origin of a: cubic in time (Hermite), with slopes from the frames around where there are any.
// On a floor nothing goes deeper than it is in one of the two.
export function curve(part: number, a: ReplayFrame, b: ReplayFrame, before: ReplayFrame | undefined, after: ReplayFrame | undefined, floor: boolean): Float32Array {
  const out = new Float32Array(a.corners.length);
  const span = b.time - a.time;
  const p = part;
  const [h1, h2, h3] = [p * (1 - p) * (1 - p), p * p * (3 - 2 * p), -p * p * (1 - p)]; // slope at a, end b, slope at b
  const first = before ? span / (b.time - before.time) : 0;
  const last = after ? span / (after.time - a.time) : 0;
  for (let k = 0; k < out.length; k++) {
    const axis = k % 3;
    const x = a.corners[k]!;
    const y = b.corners[k]! + b.origin[axis]! - a.origin[axis]!;
    const line = y - x;
    const m = before ? (y - before.corners[k]! - before.origin[axis]! + a.origin[axis]!) * first : line;
    const n = after ? (after.corners[k]! + after.origin[axis]! - a.origin[axis]! - x) * last : line;
    const v = x + h2 * line + h1 * m + h3 * n;
    out[k] = floor && axis === 2 ? Math.max(v, Math.min(x, y)) : v;
  }
  return out;
}

const KEPT = 40; // unpacked frames

export class Replay {
  private readonly kept = new Map<number, ReplayFrame>();

  private constructor(readonly json: ReplayJson, readonly mesh: Mesh, readonly trace: { columns: string[]; data: number[][] }, readonly world: WorldData | undefined) {}

  static async read(text: string): Promise<Replay> {
    const json = JSON.parse(text) as ReplayJson;
    if (json.format !== 1) throw new Error(`this page reads replays of format 1, not ${json.format}`);
    const part = async <T>(name: string): Promise<T> => (await unpack(json.mesh[name] as Packed)) as unknown as T;
    const mesh: Mesh = {
      id: 1, pitch: json.pitch, origin: json.mesh.origin, voxel: await part('voxel'), cell: await part('cell'), material: await part('material'),
      start: await part('start'), face: await part('face'), faceVoxel: await part('face_voxel'), hexahedron: await part('hexahedron'), link: new Uint32Array(0),
    };
    const trace = { columns: json.trace?.columns ?? [], data: [] as number[][] };
    if (json.trace) {
      const all = await unpack(json.trace.data);
      const n = trace.columns.length;
      trace.data = trace.columns.map((_, c) => Array.from({ length: json.trace!.rows }, (_r, r) => all[r * n + c]!));
    }
    const w = json.world;
    const world = w && {
      water: w.water, everywhere: w.everywhere, sources: w.sources,
      corners: w.corners ? ((await unpack(w.corners)) as Float32Array) : new Float32Array(0),
      face: w.face ? ((await unpack(w.face)) as Uint32Array) : new Uint32Array(0), color: w.color ? ((await unpack(w.color)) as Uint8Array) : new Uint8Array(0),
    };
    return new Replay(json, mesh, trace, world);
  }
  get count(): number {
    return this.json.frames.length;
  }
  time(i: number): number {
    return this.json.frames[i]?.time ?? 0;
  }
  get begin(): number {
    return this.time(0);
  }
  get end(): number {
    return this.time(this.count - 1);
  }
  // The last frame that is not after a time.
  at(time: number): number {
    const { frames } = this.json;
    let low = 0;
    let high = frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames[middle]!.time <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  // What there is at a time, between frames too.
  async moment(time: number, field: string): Promise<Moment> {
    const i = this.at(time);
    const a = await this.frame(i, field);
    const b = i + 1 < this.count && time > a.time ? await this.frame(i + 1, field) : a;
    const part = b === a ? 0 : Math.min(1, (time - a.time) / (b.time - a.time));
    const info = this.json.fields.find((f) => f.name === field);
    const low = info?.min ?? 0;
    const width = ((info?.max ?? 1) - low) / 255;
    const first = a.fields.get(field);
    const second = b.fields.get(field) ?? first;
    const values = first && Float32Array.from(first, (q, k) => low + mix(q, second![k]!, part) * width);
    if (part === 0) return { time: a.time, step: a.step, origin: a.origin, corners: a.corners, values };
    // A smooth curve through this frame and the next, as steep at each as from the one before to the one after: eight frames of a swing
    // then look like the swing, where straight lines between them would show corners.
    const before = i > 0 ? await this.frame(i - 1, field) : undefined;
    const after = i + 2 < this.count ? await this.frame(i + 2, field) : undefined;
    const corners = curve(part, a, b, before, after, this.json.floor);
    return { time: mix(a.time, b.time, part), step: Math.round(mix(a.step, b.step, part)), origin: a.origin, corners, values };
  }
  async frame(i: number, field: string): Promise<ReplayFrame> {
    const json = this.json.frames[i]!;
    let frame = this.kept.get(i);
    if (!frame) {
      const q = (await unpack(json.corners)) as Uint16Array;
      const corners = new Float32Array(q.length);
      for (let k = 0; k < q.length; k++) corners[k] = json.box[k % 3]! + q[k]! * json.box[3 + (k % 3)]!;
      frame = { time: json.time, step: json.step, origin: json.origin, corners, fields: new Map() };
      this.kept.set(i, frame);
      if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value!);
    }
    // What does not change stands in the first frame only.
    const packed = (json[field] ?? this.json.frames[0]![field]) as Packed | undefined;
    if (packed?.data && !frame.fields.has(field)) frame.fields.set(field, (await unpack(packed)) as Uint8Array);
    return frame;
  }
}
