// The data of a replay: read from the page itself, unpacked frame by frame as it is looked at.
import type { Vec3 } from '../model/types';
import type { FieldInfo } from '../net/protocol';
import { SIDE_CORNERS, type Mesh } from '../view/mesh';
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

type MeshJson = Record<string, unknown> & { corners: number; origin: Vec3 };
interface FrameJson { time: number; step: number; origin: Vec3; box: [number, number, number, number, number, number]; corners: Packed; mesh?: number; [field: string]: unknown }
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
  mesh: MeshJson;
  meshes?: MeshJson[]; // later ones: the frames say which is theirs
  fields: FieldInfo[];
  frames: FrameJson[];
  world?: { water: number | null; everywhere: boolean; sources: Source[]; corners?: Packed; face?: Packed; color?: Packed };
  trace?: { columns: string[]; rows: number; data: Packed };
}

export interface Place { time: number; origin: Vec3; corners: Float32Array }
export interface ReplayFrame extends Place { step: number; mesh: Mesh; fields: Map<string, Uint8Array> }
// What is shown: between two frames, everything on its way from one to the other.
export interface Moment extends Place { step: number; mesh: Mesh; values: Float32Array | undefined }

export const mix = (a: number, b: number, part: number): number => a + part * (b - a);

// Corners between frames a and b, relative to the origin of a: cubic in time (Hermite), with slopes from the frames around where there are any.
// On a floor nothing goes deeper than it is in one of the two.
export function curve(part: number, a: Place, b: Place, before: Place | undefined, after: Place | undefined, floor: boolean): Float32Array {
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

// Where the corners of frame `a` are in frame `b`, whose mesh is another one: by the voxels that both have. What b does not have moves with the
// corners of its voxel that b has, or stays.
export function carry(a: Place & { mesh: Mesh }, b: Place & { mesh: Mesh }): Place {
  const where = new Map(Array.from(b.mesh.voxel, (v, i) => [v, i]));
  const corners = new Float32Array(a.corners.length);
  const known = new Uint8Array(a.corners.length / 3);
  const from = a.mesh.hexahedron;
  const away = [0, 1, 2].map((k) => a.origin[k]! - b.origin[k]!);
  a.mesh.voxel.forEach((voxel, i) => {
    const other = where.get(voxel);
    if (other === undefined) return;
    for (let c = 0; c < 8; c++) {
      const at = from[8 * i + c]!;
      known[at] = 1;
      for (let k = 0; k < 3; k++) corners[3 * at + k] = b.corners[3 * b.mesh.hexahedron[8 * other + c]! + k]!;
    }
  });
  a.mesh.voxel.forEach((_, i) => {
    const own = Array.from(from.subarray(8 * i, 8 * i + 8));
    const lost = own.filter((at) => !known[at]);
    if (!lost.length) return;
    const held = own.filter((at) => known[at] === 1);
    for (let k = 0; k < 3; k++) {
      const moved = held.length ? held.reduce((sum, at) => sum + corners[3 * at + k]! - a.corners[3 * at + k]!, 0) / held.length : away[k]!;
      for (const at of lost) corners[3 * at + k] = a.corners[3 * at + k]! + moved;
    }
    for (const at of lost) known[at] = 2; // no guide for its neighbours
  });
  return { time: b.time, origin: b.origin, corners };
}

async function readMesh(json: MeshJson, id: number, pitch: number): Promise<Mesh> {
  const part = async (name: string) => unpack(json[name] as Packed);
  const [voxel, cell, material, faceVoxel, side, hexahedron] = await Promise.all(['voxel', 'cell', 'material', 'face_voxel', 'face_side', 'hexahedron'].map(part));
  const mesh: Mesh = {
    id, pitch, origin: json.origin, voxel: Uint32Array.from(voxel!), cell: Int32Array.from(cell!), material: Uint16Array.from(material!),
    start: new Float32Array(3 * json.corners), face: new Uint32Array(4 * faceVoxel!.length), faceVoxel: Uint32Array.from(faceVoxel!), hexahedron: Uint32Array.from(hexahedron!),
    link: new Uint32Array(0),
  };
  if (json.start && json.face) return { ...mesh, start: (await part('start')) as Float32Array, face: (await part('face')) as Uint32Array };
  mesh.hexahedron.forEach((at, k) => {
    for (let a = 0; a < 3; a++) mesh.start[3 * at + a] = (mesh.cell[3 * (k >> 3) + a]! + ((k >> a) & 1)) * pitch - mesh.origin[a]!;
  });
  mesh.faceVoxel.forEach((v, f) => SIDE_CORNERS[side![f]!]!.forEach((c, i) => (mesh.face[4 * f + i] = mesh.hexahedron[8 * v + c]!)));
  return mesh;
}

const KEPT = 40; // unpacked frames

export class Replay {
  private readonly kept = new Map<number, ReplayFrame>();
  private readonly meshes = new Map<number, Mesh>(); // later ones, as far as they were looked at

  private constructor(readonly json: ReplayJson, readonly mesh: Mesh, readonly trace: { columns: string[]; data: number[][] }, readonly world: WorldData | undefined) {}

  static async read(text: string): Promise<Replay> {
    const json = JSON.parse(text) as ReplayJson;
    if (json.format !== 1) throw new Error(`this page reads replays of format 1, not ${json.format}`);
    const mesh = await readMesh(json.mesh, 1, json.pitch);
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
  // Mesh 0 is there, later ones are unpacked when they are looked at.
  private async meshAt(k: number): Promise<Mesh> {
    if (k === 0) return this.mesh;
    const known = this.meshes.get(k);
    if (known) return known;
    const json = this.json.meshes?.[k - 1];
    if (!json) throw new Error(`the replay is damaged: there is no mesh ${k}`);
    const mesh = await readMesh(json, k + 1, this.json.pitch);
    this.meshes.set(k, this.meshes.get(k) ?? mesh);
    return this.meshes.get(k)!;
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
    const second = (b.mesh === a.mesh && b.fields.get(field)) || first;
    const values = first && Float32Array.from(first, (q, k) => low + mix(q, second![k]!, part) * width);
    const { mesh } = a;
    if (part === 0) return { time: a.time, step: a.step, mesh, origin: a.origin, corners: a.corners, values };
    const shown = { time: mix(a.time, b.time, part), step: Math.round(mix(a.step, b.step, part)), mesh, origin: a.origin, values };
    if (b.mesh !== mesh) return { ...shown, corners: curve(part, a, carry(a, b), undefined, undefined, this.json.floor) };
    // A smooth curve through this frame and the next, as steep at each as from the one before to the one after: eight frames of a swing
    // then look like the swing, where straight lines between them would show corners.
    const around = async (k: number) => {
      const frame = k >= 0 && k < this.count ? await this.frame(k, field) : undefined;
      return frame?.mesh === mesh ? frame : undefined;
    };
    return { ...shown, corners: curve(part, a, b, await around(i - 1), await around(i + 2), this.json.floor) };
  }
  async frame(i: number, field: string): Promise<ReplayFrame> {
    const json = this.json.frames[i]!;
    let frame = this.kept.get(i);
    if (!frame) {
      const mesh = await this.meshAt(json.mesh ?? 0);
      const q = (await unpack(json.corners)) as Uint16Array;
      const corners = new Float32Array(q.length);
      for (let k = 0; k < q.length; k++) corners[k] = json.box[k % 3]! + q[k]! * json.box[3 + (k % 3)]!;
      frame = { time: json.time, step: json.step, mesh, origin: json.origin, corners, fields: new Map() };
      this.kept.set(i, frame);
      if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value!);
    }
    // What does not change stands in the first frame of its mesh only.
    const packed = (json[field] ?? this.json.frames.find((f) => (f.mesh ?? 0) === (json.mesh ?? 0))![field]) as Packed | undefined;
    if (packed?.data && !frame.fields.has(field)) frame.fields.set(field, (await unpack(packed)) as Uint8Array);
    return frame;
  }
}
