// The messages of docs/studio-protocol.md as types, and the reading and writing of binary ones.
import type { Vec3 } from '../model/types';
import type { SceneJson } from '../model/scene';

export interface Problem { path: string; message: string; severity: 'error' | 'warning' }

export interface SceneInfo {
  revision: number;
  saved: boolean;
  file: string | null;
  hash: string | null;
  problems: Problem[];
  voxels: number | null;
  links: number | null;
  bodies: number | null;
  dt: number | null;
}
export interface SceneReply extends SceneInfo { scene: SceneJson | null }

export interface Fault { fault: string; message: string; voxel: number; cell: Vec3 | null; time: number }

export interface RunBrief { run: number; from: number; to: number; frames: number; marks: number }
export interface RunMark { time: number; kind: 'contact' | 'yield' | 'break' | 'failure'; text: string }
export interface RunExtreme { min: number; max: number; min_time: number; max_time: number; min_voxel: number; max_voxel: number }
export interface RunInfo extends Omit<RunBrief, 'marks'> { interval: number; bytes: number; colors: string[]; marks: RunMark[]; fields: Record<string, RunExtreme> }

export interface SimStatus {
  serial: number;
  state: 'running' | 'paused' | 'stopped' | 'failed' | 'none';
  hash: string;
  revision: number;
  voxels: number;
  links: number;
  surface: number;
  bodies: number;
  mass: number;
  pitch: number;
  time: number;
  step: number;
  dt: number;
  isa: string;
  precision: string;
  state_hash: string | null;
  speed: { mode: 'real' | 'max'; factor: number };
  rate: { real_time: number; voxel_steps: number; steps: number };
  stop: { reason: string } | null;
  fault: Fault | null;
  energy: Record<string, number>;
  displacement_max: number;
  displacement_voxel: number;
  strain_max: number;
  speed_max: number;
  center_of_mass: Vec3;
  contacts: { floor: number; pairs: number };
  broken: number;
  yielded: number;
  life: Record<'present' | 'grown' | 'removed' | 'bonds' | 'bonded' | 'released', number>;
  pull: { voxel: number; position: Vec3; target: Vec3; force: Vec3 } | null;
  peaks?: Record<'strain' | 'speed' | 'displacement' | 'stress', { value: number; time: number; cell: Vec3 | null }>;
  gait?: Record<'duration' | 'distance' | 'speed' | 'speed_lengths' | 'cost_of_transport' | 'duty_factor', number | null>;
  recording: RunBrief | null;
  last_run: RunBrief | null;
}

export interface FieldInfo { name: string; label: string; unit: string; min?: number; max?: number }
export interface Autosave { id: string; file: string | null; name: string; time: number; voxels: number }
export interface FileFormat { extension: string; name: string }
export interface ProbeSpec { id: string; voxel?: number; cell?: Vec3; region?: string }
export interface ProbeData {
  id: string;
  error?: string;
  voxel?: number;
  cell?: Vec3;
  region?: string;
  voxels?: number;
  material?: number;
  position?: Vec3;
  displacement?: Vec3;
  velocity?: Vec3;
  spin?: Vec3;
  strain?: Vec3;
  stress?: Vec3;
  force?: Vec3;
  moment?: Vec3;
  contact_force?: Vec3;
  reaction?: Vec3;
  reaction_moment?: Vec3;
  growth?: number;
  pressure?: number;
  energy?: number;
  phase?: number;
  fixed?: number;
  stuck?: boolean;
}

export interface SolveEvent {
  job: number;
  kind: 'equilibrium' | 'linear' | 'modes';
  state: 'running' | 'done' | 'failed' | 'cancelled';
  seconds: number;
  progress?: { what: string; done: number };
  message?: string;
  result?: any;
}

export interface Hello {
  version: string;
  protocol: number;
  folder: string;
  formats: { read: FileFormat[]; write: FileFormat[]; mesh: FileFormat[] };
  fields: FieldInfo[];
  solve: boolean;
  limits: { message: number; voxels: number };
  scene: SceneReply | null;
  sim: SimStatus | null;
  trace: { names: string[]; columns: string[]; every: number };
  probes: ProbeSpec[];
  solve_job: SolveEvent | null;
  autosaves: Autosave[];
}

export interface Settings {
  gravity: Vec3;
  damping: { stretch: number; rotation: number; contact: number; ground: number };
  signals: Record<string, { base: number; amplitude: number; period: number }>;
  regions: Record<string, { force: Vec3; torque: Vec3; displacement: Vec3; ramp: number }>;
}

export type Arrays = Record<string, Float32Array | Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array>;
export interface BinaryMessage {
  kind: string;
  head: any;
  arrays: Arrays;
}

const TYPES = {
  f32: [Float32Array, 4], f64: [Float64Array, 8], u32: [Uint32Array, 4], i32: [Int32Array, 4], u16: [Uint16Array, 2], u8: [Uint8Array, 1],
} as const;

// Views into the buffer, no copies: the protocol aligns every array to 8 bytes.
export function readBinary(buffer: ArrayBuffer): BinaryMessage {
  const length = new DataView(buffer).getUint32(0, true);
  if (4 + length > buffer.byteLength) throw new Error('binary message: its head is longer than itself');
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays: Arrays = {};
  let at = 4 + length;
  for (const [name, type, count] of (head.arrays ?? []) as [string, keyof typeof TYPES, number][]) {
    const [Type, bytes] = TYPES[type];
    if (at + bytes * count > buffer.byteLength) throw new Error(`binary message: ${name} is cut off`);
    arrays[name] = new Type(buffer, at, count);
    at += Math.ceil((bytes * count) / 8) * 8;
  }
  return { kind: head.kind, head, arrays };
}

export function writeBinary(command: object, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  let text = JSON.stringify(command);
  while ((4 + new TextEncoder().encode(text).length) % 8) text += ' ';
  const head = new TextEncoder().encode(text);
  const out = new Uint8Array(4 + head.length + bytes.length);
  new DataView(out.buffer).setUint32(0, head.length, true);
  out.set(head, 4);
  out.set(bytes, 4 + head.length);
  return out;
}
