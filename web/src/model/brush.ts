// What a brush gives a cell: one value, a gradient or a wave along an axis or from a point, or a formula of the cell's place.
import type { Selection } from './selection';
import { parseFormula, type Formula } from './formula';
import type { Vec3 } from './types';

export type BrushKind = 'value' | 'gradient' | 'wave' | 'formula';
export type Along = 'x' | 'y' | 'z' | 'point';

export interface Brush {
  kind: BrushKind;
  along: Along;
  from: number;
  to: number;
  length: number; // cells of a wave
  point: Vec3; // cells, for `along: point`
  steps: number; // of a gradient between two materials
  formula: string;
}

export const defaultBrush = (): Brush => ({ kind: 'value', along: 'x', from: 0, to: 1, length: 10, point: [10, 10, 0], steps: 4, formula: '' });

// How far a cell is along the brush: cells from the low end of `box`, or from the point.
function reach(brush: Brush, cell: Vec3, box: Selection): { d: number; whole: number } {
  if (brush.along === 'point') {
    const far = (c: Vec3) => Math.hypot(...c.map((v, a) => v + 0.5 - brush.point[a]!));
    let whole = 0;
    for (let i = 0; i < 8; i++) whole = Math.max(whole, far([0, 1, 2].map((a) => (i >> a & 1 ? box.high[a]! : box.low[a]!)) as Vec3));
    return { d: far(cell), whole };
  }
  const a = 'xyz'.indexOf(brush.along);
  return { d: cell[a]! - box.low[a]!, whole: box.high[a]! - box.low[a]! };
}

// The brush as a function of the cell; `box` is what a gradient spans, `value` what a plain brush gives, `now` what is there.
export function brushFunction(brush: Brush, value: number, box: Selection, size: Vec3): (cell: Vec3, now: number) => number {
  switch (brush.kind) {
    case 'gradient': return (c) => {
      const { d, whole } = reach(brush, c, box);
      return round(brush.from + (brush.to - brush.from) * (whole > 0 ? Math.min(1, d / whole) : 0));
    };
    // A wave swings between the two values, starting in the middle.
    case 'wave': return (c) => {
      const { d } = reach(brush, c, box);
      return round((brush.from + brush.to) / 2 + ((brush.to - brush.from) / 2) * Math.sin((2 * Math.PI * d) / Math.max(1e-9, brush.length)));
    };
    case 'formula': {
      const f: Formula = parseFormula(brush.formula);
      return (c, now) => round(f({ x: c[0], y: c[1], z: c[2], nx: size[0], ny: size[1], nz: size[2], v: now, r: Math.hypot(...c.map((v, a) => v + 0.5 - size[a]! / 2)) }));
    }
    default: return () => value;
  }
}
// 0.1 + 0.2 is 0.3 in a file that people read.
const round = (v: number): number => Number(v.toPrecision(12));
