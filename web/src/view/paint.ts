// Colours of a body's voxels: by material, or by a field through a colour map. Shared by the studio and the replay.
import { hexColor, mapFor, MAPS, rangeFor, type MapName } from './colormap';
import type { Mesh } from './mesh';

export interface Legend { title: string; unit: string; map: MapName; low: number; high: number; entries?: { color: string; text: string }[] }

export function paintMaterials(colors: readonly string[]): (tint: Uint8Array, mesh: Mesh) => void {
  const rgb = colors.map(hexColor);
  return (tint, mesh) => {
    for (let v = 0; v < mesh.material.length; v++) tint.set(rgb[mesh.material[v]! - 1] ?? [128, 128, 128], 3 * v);
  };
}

export function paintField(values: ArrayLike<number>, map: MapName, low: number, high: number): (tint: Uint8Array) => void {
  const { table } = MAPS[map];
  const scale = high > low ? 255 / (high - low) : 0;
  return (tint) => {
    for (let v = 0; 3 * v < tint.length; v++) {
      let value = values[v]!;
      if (map === 'cyclic') value = low + ((((value - low) / (high - low)) % 1) + 1) % 1 * (high - low);
      const i = 3 * Math.max(0, Math.min(255, Math.round((value - low) * scale)));
      tint[3 * v] = Number.isNaN(value) ? 90 : table[i]!;
      tint[3 * v + 1] = Number.isNaN(value) ? 90 : table[i + 1]!;
      tint[3 * v + 2] = Number.isNaN(value) ? 90 : table[i + 2]!;
    }
  };
}

export function legendFor(field: string, label: string, unit: string, min: number, max: number, fixed?: [number, number]): Legend {
  const [low, high] = fixed ?? rangeFor(field, min, max);
  const map = mapFor(field);
  const title = label ? label[0]!.toUpperCase() + label.slice(1) : field;
  const entries = map === 'states'
    ? MAPS.states.stops.map((color, i) => ({ color, text: ['whole', 'yielded', 'broken'][i]! }))
    : undefined;
  return { title, unit, map, low, high, entries };
}

// Links: tension red, compression blue; thicker the more force they carry. Broken ones vanish.
export function paintLinks(
  stress: Float32Array, force: Float32Array, tint: Float32Array, thickness: Float32Array, count: number, range: number,
): void {
  const { table } = MAPS.diverging;
  let most = 0;
  for (let i = 0; i < 3 * count; i += 3) most = Math.max(most, Math.hypot(force[i]!, force[i + 1]!, force[i + 2]!));
  for (let i = 0; i < count; i++) {
    const s = stress[i]!;
    const k = 3 * Math.max(0, Math.min(255, Math.round(((s / range + 1) / 2) * 255)));
    for (let c = 0; c < 3; c++) tint[3 * i + c] = table[k + c]! / 255;
    const f = Math.hypot(force[3 * i]!, force[3 * i + 1]!, force[3 * i + 2]!);
    thickness[i] = Number.isNaN(s) ? 0 : 0.04 + (most > 0 ? (0.14 * f) / most : 0);
  }
}
