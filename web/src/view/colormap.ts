// Colour maps. Sequential: viridis, which keeps its order in grey and for the colour-blind. Diverging, for signed values: blue over a light
// grey to red. Cyclic, for phases: hues that meet at both ends.

export type MapName = 'sequential' | 'diverging' | 'cyclic' | 'states';

const VIRIDIS = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'];
const DIVERGING = ['#2b5bb7', '#5b8bd6', '#9dbbe8', '#dfe3ea', '#f0b59b', '#dd7456', '#b5272d'];
const CYCLIC = ['#c0507a', '#c9833f', '#8ea83d', '#3fa57c', '#4591c4', '#8a6cc7', '#c0507a'];
const STATES = ['#9aa4b1', '#e0a030', '#c62f3b'];

export function hexColor(hex: string): [number, number, number] {
  return [parseInt(hex.slice(1, 3), 16), parseInt(hex.slice(3, 5), 16), parseInt(hex.slice(5, 7), 16)];
}

function table(stops: string[]): Uint8Array {
  const out = new Uint8Array(256 * 3);
  const colors = stops.map(hexColor);
  for (let i = 0; i < 256; i++) {
    const t = (i / 255) * (colors.length - 1);
    const k = Math.min(colors.length - 2, Math.floor(t));
    for (let c = 0; c < 3; c++) out[3 * i + c] = Math.round(colors[k]![c]! * (k + 1 - t) + colors[k + 1]![c]! * (t - k));
  }
  return out;
}

export const MAPS: Record<MapName, { stops: string[]; table: Uint8Array }> = {
  sequential: { stops: VIRIDIS, table: table(VIRIDIS) },
  diverging: { stops: DIVERGING, table: table(DIVERGING) },
  cyclic: { stops: CYCLIC, table: table(CYCLIC) },
  states: { stops: STATES, table: table(STATES) },
};

const SIGNED = /^(strain|stress|pressure|growth|displacement_[xyz]|link_stress)(?!_mises)/;

export function mapFor(field: string): MapName {
  if (field === 'phase') return 'cyclic';
  if (field === 'state') return 'states';
  return SIGNED.test(field) ? 'diverging' : 'sequential';
}

// The range that is drawn: signed fields are symmetric about zero, so that grey always means none; phases are one cycle.
export function rangeFor(field: string, min: number, max: number): [number, number] {
  if (field === 'state') return [0, 2];
  if (field === 'phase') return [0, 1]; // whole cycles make no difference
  if (mapFor(field) === 'diverging') {
    const a = Math.max(Math.abs(min), Math.abs(max));
    return a > 0 ? [-a, a] : [-1e-12, 1e-12];
  }
  const low = min >= 0 ? 0 : min;
  return max > low ? [low, max] : [low, low + 1e-12];
}
