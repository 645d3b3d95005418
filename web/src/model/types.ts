// The scene as the native format has it (docs/scene-format.md), less the voxels, which live in grid.ts. SI units throughout.

export type Vec3 = [number, number, number];
export type Axis = 0 | 1 | 2;
export const AXES = ['x', 'y', 'z'] as const;
export type AxisName = (typeof AXES)[number];

export interface Material {
  name: string;
  youngs_modulus: number; // Pa
  poissons_ratio: number;
  density: number; // kg/m^3
  expansion: number; // 1/K
  friction: { static: number; dynamic: number };
  color: string; // #rrggbb or #rrggbbaa
  law: 'linear' | 'bilinear' | 'table';
  yield_stress: number; // Pa
  plastic_modulus: number; // Pa
  failure_stress: number; // Pa
  table?: [number, number][];
  signal?: string;
  rigid?: boolean;
}

export interface Box { corner: Vec3; size: Vec3 }
export interface Sphere { center: Vec3; radius: number }
export interface Cylinder { center: Vec3; radius: number; axis: AxisName; length: number }
export interface Ellipsoid { center: Vec3; radius: Vec3 }
export interface Shape {
  box?: Box;
  sphere?: Sphere;
  cylinder?: Cylinder;
  ellipsoid?: Ellipsoid;
  units?: 'voxels' | 'metres' | 'fraction';
  thickness?: number;
}

export const FREEDOMS = ['x', 'y', 'z', 'rx', 'ry', 'rz'] as const;
export type Freedom = (typeof FREEDOMS)[number];

export interface Region extends Shape {
  name: string;
  fixed?: 'all' | 'clamp' | Freedom[];
  displacement?: Vec3; // m
  rotation?: Vec3; // rad
  pivot?: Vec3; // m
  force?: Vec3; // N
  torque?: Vec3; // N m
  ramp?: number; // s
}

export interface Damping {
  bond: number | { stretch: number; rotation: number };
  contact: number;
  ground: number;
}

export interface Environment {
  gravity: Vec3; // m/s^2
  floor: boolean;
  damping: Damping;
  elasticity: 'solid' | 'beam';
  plane: 'none' | 'xy' | 'xz' | 'yz';
  collisions: string;
  collision_horizon: number; // voxels
  collision_distance: number; // voxels
}

export interface SignalDef {
  name: string;
  waveform: 'sine' | 'square' | 'ramp' | 'table';
  base: number; // K
  reference: number; // K
  amplitude: number; // K
  period: number; // s
  phase: number; // cycles
  start: number; // s
  contract_only: boolean;
  table?: [number, number][];
}

// A named part of the body. Hidden and locked are for the editor; the file does not have them.
export interface Part { name: string; separate: boolean; hidden?: boolean; locked?: boolean }

export interface Stop {
  time: number;
  steps: number;
  cycles: number;
  kinetic_energy: number;
  speed: number;
  settle: number;
}

export interface Output { trace: string[]; every: number; checkpoint_every: number }

// Everything of a scene but its voxels. Never changed in place: edits make a new object, so undo keeps the old one.
export interface Props {
  name: string;
  description: string;
  pitch: number; // m
  materials: Material[];
  regions: Region[];
  environment: Environment;
  signals: SignalDef[];
  parts: Part[];
  stop: Stop;
  output: Output;
  rest: Record<string, unknown>; // members of the file that the page does not edit, kept as they are
}

export const defaultMaterial = (): Material => ({
  name: 'material', youngs_modulus: 1e6, poissons_ratio: 0.3, density: 1000, expansion: 0,
  friction: { static: 1, dynamic: 0.5 }, color: '#808080', law: 'linear', yield_stress: 0, plastic_modulus: 0, failure_stress: 0,
});

export const defaultEnvironment = (): Environment => ({
  gravity: [0, 0, 0], floor: false, damping: { bond: 1, contact: 1, ground: 0 }, elasticity: 'solid', plane: 'none',
  collisions: 'off', collision_horizon: 2, collision_distance: 1,
});

export const defaultSignal = (): SignalDef => ({
  name: 'signal', waveform: 'sine', base: 0, reference: 0, amplitude: 10, period: 1, phase: 0, start: 0, contract_only: false,
});

export const defaultStop = (): Stop => ({ time: 0, steps: 0, cycles: 0, kinetic_energy: 0, speed: 0, settle: 0 });
export const defaultOutput = (): Output => ({ trace: [], every: 0, checkpoint_every: 0 });

// What a new document has: one soft material, gravity and a floor, so that the first thing drawn falls and lands.
export const defaultProps = (): Props => ({
  name: '', description: '', pitch: 0.01,
  materials: [{ ...defaultMaterial(), name: 'rubber', color: '#d9793d' }],
  regions: [],
  environment: { ...defaultEnvironment(), gravity: [0, 0, -9.81], floor: true, collisions: 'grid' },
  signals: [], parts: [], stop: defaultStop(), output: defaultOutput(), rest: {},
});

// A name that none of `taken` has: "leg", "leg 2", "leg 3" ...
export function freeName(wish: string, taken: readonly { name: string }[]): string {
  const has = (name: string) => taken.some((t) => t.name === name);
  if (!has(wish)) return wish;
  const stem = wish.replace(/ \d+$/, '');
  for (let n = 2; ; n++) if (!has(`${stem} ${n}`)) return `${stem} ${n}`;
}
