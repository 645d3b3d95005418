// Ground, solids, water and rules as the scene's file has them. The page keeps members it does not know; these are the ones it edits.
import type { Props, Vec3 } from './types';

export interface Friction { static: number; dynamic: number }
export const GROUND_KINDS = ['slope', 'steps', 'stairs', 'gap', 'rough'] as const;
export interface Ground {
  kind?: (typeof GROUND_KINDS)[number] | 'heights';
  points?: [number, number];
  spacing?: number; // m
  origin?: Vec3; // m
  height?: number; // m
  length?: number; // m
  seed?: number;
  friction?: Friction;
  color?: string;
  [key: string]: unknown;
}
export const SOLID_KINDS = ['box', 'sphere', 'cylinder', 'capsule'] as const;
export type SolidKind = (typeof SOLID_KINDS)[number] | 'cells' | 'mesh';
export interface SolidShape { center: Vec3; size?: Vec3; radius?: number; length?: number; pitch?: number; [key: string]: unknown }
export interface Solid { name: string; rotation?: Vec3; friction?: Friction; color?: string; [key: string]: unknown }
export interface Water { density?: number; normal_drag?: number; tangential_drag?: number; level?: number; flow?: [string, string, string]; [key: string]: unknown }
export interface Rule { kind: RuleKind; name?: string; material?: string; region?: string; [key: string]: unknown }

export const groundOf = (p: Props): Ground | undefined => p.rest.ground as Ground | undefined;
export const solidsOf = (p: Props): Solid[] => (p.rest.solids as Solid[] | undefined) ?? [];
export const waterOf = (p: Props): Water | undefined => p.rest.water as Water | undefined;
export const rulesOf = (p: Props): Rule[] => (p.rest.rules as Rule[] | undefined) ?? [];

// Other members of the scene; what is empty or undefined is left out.
export function withRest(p: Props, change: { ground?: Ground | null; solids?: Solid[]; water?: Water | null; rules?: Rule[] }): Props {
  const rest: Record<string, unknown> = { ...p.rest };
  for (const [key, value] of Object.entries(change)) {
    if (value === null || (Array.isArray(value) && !value.length)) delete rest[key];
    else rest[key] = value;
  }
  return { ...p, rest };
}

export const solidKind = (s: Solid): SolidKind => ([...SOLID_KINDS, 'cells', 'mesh'] as const).find((k) => s[k] !== undefined) ?? 'box';
export const solidShape = (s: Solid): SolidShape => s[solidKind(s)] as SolidShape;

// Rules follow materials and regions to their new names.
export function renamed(p: Props, key: 'material' | 'region', from: string, to: string): Props {
  if (!rulesOf(p).some((r) => r[key] === from || (key === 'material' && r.other === from))) return p;
  return withRest(p, { rules: rulesOf(p).map((r) => ({ ...r, ...(r[key] === from && { [key]: to }), ...(key === 'material' && r.other === from && { other: to }) })) });
}

// Something sensible for a workspace of this size, m: next to the middle of its floor.
export function newGround(kind: (typeof GROUND_KINDS)[number], size: Vec3, pitch: number): Ground {
  const span = 4 * Math.max(size[0], size[1]) * pitch;
  const round = (v: number) => Number(v.toPrecision(3));
  const points = Math.min(401, Math.max(21, Math.round(span / pitch) + 1));
  return {
    kind, points: [points, points], spacing: round(span / (points - 1)), origin: [round(-0.375 * span), round(-0.375 * span), 0],
    height: round((kind === 'slope' ? 0.1 * span : 2 * pitch)), length: round(kind === 'slope' ? span : 6 * pitch),
  };
}
export function newSolid(kind: (typeof SOLID_KINDS)[number], name: string, size: Vec3, pitch: number): Solid {
  const round = (v: number) => Number(v.toPrecision(3));
  const r = round(0.2 * Math.max(...size) * pitch);
  const center: Vec3 = [round(1.3 * size[0] * pitch), round(0.5 * size[1] * pitch), r];
  const shape: SolidShape = kind === 'box' ? { center, size: [2 * r, 2 * r, 2 * r] } : kind === 'sphere' ? { center, radius: r } : kind === 'cylinder' ? { center, radius: r, length: 2 * r } : { center: [center[0], center[1], 2 * r], radius: r, length: 2 * r };
  return { name, [kind]: shape };
}

// ---- rules: the members of each kind, as docs/scene-format.md has them

export const RULE_KINDS = ['conduct', 'pace', 'control', 'size', 'bond', 'remove', 'grow', 'light', 'heat', 'cilia', 'push', 'cut', 'become', 'supply', 'end'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];
export type RuleField =
  | { key: string; label: string; type: 'number'; unit?: string; usual: number; min?: number; max?: number; integer?: boolean; zero?: string; tip?: string }
  | { key: string; label: string; type: 'vector'; unit?: string; usual: Vec3; integer?: boolean; min?: number }
  | { key: string; label: string; type: 'formula' | 'material'; tip?: string }
  | { key: string; label: string; type: 'choice'; usual: string; options: readonly string[] }
  | { key: string; label: string; type: 'switch' };

const number = (key: string, label: string, usual: number, unit = '', more: { min?: number; max?: number; integer?: boolean; zero?: string; tip?: string } = {}): RuleField => ({ key, label, type: 'number', usual, unit, ...more });
const formula = (key: string, label: string, tip?: string): RuleField => ({ key, label, type: 'formula', tip });
const SIZES = [number('minimum', 'Size at least', -0.5, 'pitches', { min: -0.9, max: 0 }), number('maximum', 'Size at most', 0.5, 'pitches', { min: 0, max: 2 })];
const SOURCE: RuleField[] = [
  { key: 'position', label: 'Place', type: 'vector', unit: 'm', usual: [0, 0, 0] }, { key: 'swing', label: 'Swings by', type: 'vector', unit: 'm', usual: [0, 0, 0] },
  { key: 'frequency', label: 'Swings at', type: 'vector', unit: 'Hz', usual: [0, 0, 0] }, number('radius', 'Half as strong at', 1, 'm', { min: 1e-9 }),
];

export const RULES: Record<RuleKind, { title: string; says: string; fields: RuleField[] }> = {
  conduct: {
    title: 'Conduct impulses', says: 'Impulses spread from a voxel to those it is joined to.', fields: [
      number('delay', 'Delay per voxel', 0.03, 's', { min: 0 }), number('threshold', 'Threshold', 0.1, '', { min: 0 }), number('decay', 'Left after a voxel', 0.9, '', { min: 0, max: 1 }),
      number('refractory', 'Rests for', 0.03, 's', { min: 0 }), number('fade', 'Value left', 0.9, '', { min: 0, max: 1 }), number('fade_every', 'after every', 0.01, 's', { min: 1e-9 }),
    ],
  },
  pace: { title: 'Pacemaker', says: 'Its voxels fire by themselves.', fields: [number('period', 'Period', 1, 's', { min: 1e-9 }), number('phase', 'Phase', 0, 'cycles'), number('strength', 'Strength', 1)] },
  control: {
    title: 'Controller', says: 'A formula or a network sets the size, impulse or memory of voxels.', fields: [
      { key: 'output', label: 'Sets', type: 'choice', usual: 'size', options: ['size', 'impulse', 'memory1', 'memory2', 'memory3', 'memory4'] },
      formula('value', 'to', 'strain, pressure, touch, impulse, light, x, y, z, t and others are known'), ...SIZES, number('rate', 'Changes at most', 0, '1/s', { min: 0, zero: 'at once' }),
    ],
  },
  size: { title: 'Growth in size', says: 'The size changes at a rate: development.', fields: [formula('value', 'Rate [1/s]'), ...SIZES] },
  bond: {
    title: 'Bonds', says: 'Voxels stick to those they touch, and let go. Needs collisions.', fields: [
      { key: 'other', label: 'Stick to', type: 'material' }, number('force', 'Pressed with', 0, 'N', { min: 0, zero: 'any force' }), number('time', 'for', 0, 's', { min: 0, zero: 'at once' }),
      number('stress', 'Lets go at', 0, 'Pa', { min: 0, zero: 'never' }), formula('release', 'or where'), number('rest', 'Rests for', 0, 's', { min: 0 }),
      number('most', 'Bonds of a voxel', 6, '', { min: 1, max: 64, integer: true }), number('limit', 'Bonds in all', 0, '', { min: 0, integer: true, zero: '3 per voxel' }), number('stiffness', 'Stiffness', 1, '× link', { min: 1e-9 }),
    ],
  },
  remove: { title: 'Removal', says: 'Voxels disappear, with their links.', fields: [] },
  grow: {
    title: 'Growth of new voxels', says: 'New voxels appear at free faces.', fields: [
      { key: 'other', label: 'New ones are of', type: 'material' }, { key: 'corner', label: 'From cell', type: 'vector', usual: [0, 0, 0], integer: true, min: 0 }, { key: 'size', label: 'Cells', type: 'vector', usual: [1, 1, 1], integer: true, min: 1 },
      number('limit', 'At most', 0, 'voxels', { min: 0, integer: true, zero: 'all cells' }), formula('value', 'only where'), number('clearance', 'Room needed', 0.4, 'pitches', { min: 0 }),
    ],
  },
  light: { title: 'Light', says: 'A source of light, which formulas sense.', fields: [...SOURCE, number('strength', 'Strength', 1), { key: 'shadows', label: 'Voxels throw shadows', type: 'switch' }] },
  heat: { title: 'Heat', says: 'A source of heat: voxels near it expand.', fields: [...SOURCE, number('strength', 'Strength', 1, 'K')] },
  cilia: { title: 'Cilia', says: 'When the cilia of voxels work, and how they turn.', fields: [number('factor', 'Force', 1, '× field'), formula('value', 'times', 'A formula; empty: 1'), number('strength', 'Random up to', 1, 'N', { min: 0 })] },
  push: { title: 'Push', says: 'A force acts on each voxel.', fields: [formula('value', 'Force [N]'), { key: 'direction', label: 'times', type: 'vector', usual: [0, 0, 0] }] },
  cut: { title: 'Cut links', says: 'Links and bonds of voxels break.', fields: [] },
  become: { title: 'Become another material', says: 'Voxels become those of another material, as dense and as stiff.', fields: [{ key: 'other', label: 'Become', type: 'material' }] },
  supply: {
    title: 'Supply of voxels', says: 'New voxels appear at places, joined to nobody.', fields: [
      { key: 'other', label: 'New ones are of', type: 'material' }, { key: 'position', label: 'Place', type: 'vector', unit: 'm', usual: [0, 0, 0] },
      { key: 'places', label: 'Places', type: 'vector', usual: [1, 1, 1], integer: true, min: 1 }, { key: 'spacing', label: 'apart', type: 'vector', unit: 'm', usual: [0, 0, 0] },
      { key: 'corner', label: 'They wait from cell', type: 'vector', usual: [0, 0, 0], integer: true, min: 0 }, { key: 'size', label: 'Cells', type: 'vector', usual: [1, 1, 1], integer: true, min: 1 },
      number('limit', 'At most', 0, 'voxels', { min: 0, integer: true, zero: 'no limit' }), formula('value', 'only where'), number('clearance', 'Room needed', 0.4, 'pitches', { min: 0 }),
    ],
  },
  end: { title: 'End of the run', says: 'The run ends when no such voxel is left.', fields: [] },
};
// Of every kind; sources are about no voxels.
export const RULE_COMMON: RuleField[] = [
  number('begin', 'From', 0, 's', { min: 0 }), number('end', 'Until', 0, 's', { min: 0, zero: 'no end' }), number('every', 'Every', 0, 's', { min: 0, zero: 'every step' }),
  number('chance', 'Chance', 1, '', { min: 0, max: 1 }), formula('when', 'Only when', 'A formula: only voxels count for which it is above 0'),
];
// A material must be named: there is no "the same".
export const needsOther = (kind: RuleKind): boolean => kind === 'grow' || kind === 'supply' || kind === 'become';
export const isSource = (kind: RuleKind): boolean => kind === 'light' || kind === 'heat';

export function newRule(kind: RuleKind, p: Props, size: Vec3): Rule {
  const last = p.materials[p.materials.length - 1]?.name;
  if (kind === 'control') return { kind, value: '0.1 * sin(6.283 * t)' };
  if (kind === 'size') return { kind, value: '0.01' };
  if (kind === 'remove') return { kind, when: 'stress > 1e6' };
  if (kind === 'grow') return { kind, other: last, corner: [0, 0, 0], size: [...size], every: 0.01 };
  if (kind === 'push') return { kind, value: 'mass * 10', direction: [1, 0, 0] };
  if (kind === 'cut') return { kind, begin: 0.1, when: 'stress > 1e6' };
  if (kind === 'become') return { kind, other: last, begin: 0.1 };
  if (kind === 'supply') return { kind, other: last, position: [0, 0, Number((1.5 * size[2] * p.pitch).toPrecision(3))], corner: [0, 0, 0], size: [...size], every: 0.1, limit: 10 };
  if (kind === 'end') return { kind, begin: 0.1 };
  if (isSource(kind)) return { kind, position: [0, 0.5 * size[1] * p.pitch, size[2] * p.pitch], radius: Number((0.5 * Math.max(...size) * p.pitch).toPrecision(3)), strength: kind === 'heat' ? 20 : 1 };
  return { kind };
}
