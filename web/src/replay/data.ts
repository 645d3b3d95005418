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
    const shift = [0, 1, 2].map((k) => b.origin[k]! - a.origin[k]!);
    const corners = new Float32Array(a.corners.length);
    for (let k = 0; k < corners.length; k++) corners[k] = mix(a.corners[k]!, b.corners[k]! + shift[k % 3]!, part);
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
