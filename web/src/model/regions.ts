// Regions on the page's side: what they are for, their outline in voxels, which voxels they touch, and presets.
import type { Grid } from './grid';
import { AXES, freeName, type Axis, type Props, type Region, type Shape, type Vec3 } from './types';

export type RegionKind = 'fix' | 'displacement' | 'force' | 'torque' | 'free';
export type ShapeKind = 'box' | 'sphere' | 'cylinder' | 'ellipsoid';

const any = (v?: Vec3) => !!v && v.some((x) => x !== 0);

export const isFixed = (r: Region): boolean => r.fixed === 'all' || r.fixed === 'clamp' || (Array.isArray(r.fixed) && r.fixed.length > 0);

export function kindOf(r: Region): RegionKind {
  if (isFixed(r)) return any(r.displacement) || any(r.rotation) ? 'displacement' : 'fix';
  if (any(r.force)) return 'force';
  if (any(r.torque)) return 'torque';
  return 'free';
}

export const KIND_LABEL: Record<RegionKind, string> = {
  fix: 'held', displacement: 'moved', force: 'force', torque: 'torque', free: 'no effect yet',
};
export const KIND_COLOR: Record<RegionKind, string> = {
  fix: '#3b82f6', displacement: '#10b981', force: '#f97316', torque: '#a855f7', free: '#94a3b8',
};

export function shapeKind(s: Shape): ShapeKind {
  return s.box ? 'box' : s.sphere ? 'sphere' : s.cylinder ? 'cylinder' : 'ellipsoid';
}

// Cells per unit of the shape's lengths, per axis and for radii.
function unitCells(s: Shape, grid: Grid, pitch: number): { axis: Vec3; radius: number } {
  if (s.units === 'metres') return { axis: [1 / pitch, 1 / pitch, 1 / pitch], radius: 1 / pitch };
  if (s.units === 'fraction') return { axis: grid.size, radius: Math.min(...grid.size) };
  return { axis: [1, 1, 1], radius: 1 };
}

// The same shape with lengths in voxels, which is what the handles work with.
export function inVoxels<T extends Shape>(s: T, grid: Grid, pitch: number): T {
  if (!s.units || s.units === 'voxels') return s;
  const u = unitCells(s, grid, pitch);
  const scale = (v: Vec3): Vec3 => [v[0] * u.axis[0], v[1] * u.axis[1], v[2] * u.axis[2]];
  const out: T = { ...s, units: undefined, thickness: s.thickness ? s.thickness * u.radius : s.thickness };
  if (s.box) out.box = { corner: scale(s.box.corner), size: scale(s.box.size) };
  if (s.sphere) out.sphere = { center: scale(s.sphere.center), radius: s.sphere.radius * u.radius };
  if (s.cylinder) {
    const c = s.cylinder;
    out.cylinder = { center: scale(c.center), radius: c.radius * u.radius, axis: c.axis, length: c.length * u.axis[AXES.indexOf(c.axis)]! };
  }
  if (s.ellipsoid) out.ellipsoid = { center: scale(s.ellipsoid.center), radius: scale(s.ellipsoid.radius) };
  return out;
}

// Lowest and highest corner of the shape, in voxels.
export function extent(s: Shape): { low: Vec3; high: Vec3 } {
  if (s.box) return { low: s.box.corner, high: s.box.corner.map((c, a) => c + s.box!.size[a]!) as Vec3 };
  const center = (s.sphere ?? s.cylinder ?? s.ellipsoid)!.center;
  let half: Vec3;
  if (s.sphere) half = [s.sphere.radius, s.sphere.radius, s.sphere.radius];
  else if (s.cylinder) half = AXES.map((a) => (a === s.cylinder!.axis ? s.cylinder!.length / 2 : s.cylinder!.radius)) as Vec3;
  else half = s.ellipsoid!.radius;
  return { low: center.map((c, a) => c - half[a]!) as Vec3, high: center.map((c, a) => c + half[a]!) as Vec3 };
}

// Another kind of shape in the same place.
export function reshape(r: Region, kind: ShapeKind): Region {
  const { low, high } = extent(r);
  const center = low.map((l, a) => (l + high[a]!) / 2) as Vec3;
  const size = low.map((l, a) => high[a]! - l) as Vec3;
  const { box: _b, sphere: _s, cylinder: _c, ellipsoid: _e, ...rest } = r;
  switch (kind) {
    case 'box': return { ...rest, box: { corner: low, size } };
    case 'sphere': return { ...rest, sphere: { center, radius: Math.max(0.5, ...size.map((s) => s / 2)) } };
    case 'cylinder': return { ...rest, cylinder: { center, radius: Math.max(0.5, size[0] / 2, size[1] / 2), axis: 'z', length: size[2] } };
    case 'ellipsoid': return { ...rest, ellipsoid: { center, radius: size.map((s) => s / 2) as Vec3 } };
  }
}

// Voxels whose cube overlaps the shape, by the nearest point of the cube to the shape's middle (exact for boxes and spheres; the
// server's count, which comes with its check, is the one that holds).
export function touched(r: Shape, grid: Grid, pitch: number): number[] {
  const s = inVoxels(r, grid, pitch);
  const { low, high } = extent(s);
  const flat = low.some((l, a) => high[a]! - l <= 0);
  const cells: number[] = [];
  const from = low.map((l) => Math.max(0, Math.floor(l) - (flat ? 1 : 0)));
  const to = high.map((h, a) => Math.min(grid.size[a]! - 1, Math.ceil(h) - (flat ? 0 : 1)));
  const e = 1e-9;
  for (let z = from[2]!; z <= to[2]!; z++)
    for (let y = from[1]!; y <= to[1]!; y++)
      for (let x = from[0]!; x <= to[0]!; x++) {
        const cell = grid.index(x, y, z);
        if (!grid.material[cell]) continue;
        const c = [x, y, z];
        const over = c.every((v, a) => (flat ? v <= high[a]! + e && v + 1 >= low[a]! - e : v < high[a]! - e && v + 1 > low[a]! + e));
        if (!over) continue;
        if (!s.box) {
          const center = (s.sphere ?? s.cylinder ?? s.ellipsoid)!.center;
          const near = c.map((v, a) => Math.min(Math.max(center[a]!, v), v + 1) - center[a]!);
          let d = 0;
          if (s.sphere) d = (near[0]! ** 2 + near[1]! ** 2 + near[2]! ** 2) / s.sphere.radius ** 2;
          else if (s.ellipsoid) d = near.reduce((sum, n, a) => sum + (n / s.ellipsoid!.radius[a]!) ** 2, 0);
          else {
            const axis = AXES.indexOf(s.cylinder!.axis);
            d = near.reduce((sum, n, a) => (a === axis ? sum : sum + n * n), 0) / s.cylinder!.radius ** 2;
          }
          if (d >= 1) continue;
        }
        cells.push(cell);
      }
  return cells;
}

// A slab of the body's own bounding box, one voxel thick, at its low or high end along an axis.
function slab(grid: Grid, axis: Axis, end: 'low' | 'high'): Shape {
  const b = grid.bounds() ?? { low: [0, 0, 0] as Vec3, high: grid.size.map((n) => n - 1) as Vec3 };
  const corner: Vec3 = [...b.low];
  const size = b.high.map((h, a) => h - b.low[a]! + 1) as Vec3;
  if (end === 'high') corner[axis] = b.high[axis];
  size[axis] = 1;
  return { box: { corner, size } };
}

export type Preset = 'cantilever' | 'axial' | 'symmetry';

// The regions that a preset adds: held at the low end, loaded at the high end, or a symmetry plane.
export function preset(kind: Preset, axis: Axis, props: Props, grid: Grid): Region[] {
  const taken = [...props.regions];
  const named = (name: string, rest: Omit<Region, 'name'>): Region => {
    const region = { name: freeName(name, taken), ...rest };
    taken.push(region);
    return region;
  };
  const a = AXES[axis];
  if (kind === 'symmetry') {
    const turns = (['rx', 'ry', 'rz'] as const).filter((r) => r !== `r${a}`);
    return [named(`symmetry ${a}`, { ...slab(grid, axis, 'low'), fixed: [a, ...turns] })];
  }
  const force: Vec3 = [0, 0, 0];
  if (kind === 'cantilever') force[axis === 2 ? 0 : 2] = axis === 2 ? 0.1 : -0.1;
  else force[axis] = 0.1;
  return [
    named('wall', { ...slab(grid, axis, 'low'), fixed: 'all' }),
    named(kind === 'cantilever' ? 'tip' : 'pulled end', { ...slab(grid, axis, 'high'), force }),
  ];
}
