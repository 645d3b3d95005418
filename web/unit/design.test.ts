// Formulas, symmetry, selections, brushes, scales, and the files that videos become.
import { describe, expect, it } from 'vitest';
import { brushFunction, defaultBrush } from '../src/model/brush';
import { Document } from '../src/model/document';
import { parseFormula } from '../src/model/formula';
import { Grid } from '../src/model/grid';
import { LIBRARY, makeMaterial } from '../src/model/library';
import { readScene, writeScene, type SceneJson } from '../src/model/scene';
import { cellsOf, combine, connected, grow, isSelected, ofCells, ofMaterial, shrink } from '../src/model/selection';
import { images, noSymmetry } from '../src/model/symmetry';
import type { Vec3 } from '../src/model/types';
import { noiseFloor, roundRange, roundUp } from '../src/studio/scale';
import { defaultProps } from '../src/model/types';
import { traceTitle } from '../src/studio/panels/quantities';
import { compress, makePalette } from '../src/ui/gif';
import { webmFile } from '../src/ui/webm';

describe('formulas', () => {
  const of = (text: string, at: Record<string, number> = {}) => parseFormula(text)(at);
  it('follows the rules of arithmetic', () => {
    expect(of('1 + 2*3')).toBe(7);
    expect(of('(1 + 2)*3')).toBe(9);
    expect(of('2^3^2')).toBe(512);
    expect(of('-2^2')).toBe(-4);
    expect(of('7 - 2 - 1')).toBe(4);
    expect(of('x > 3 && y <= 2', { x: 4, y: 2 })).toBe(1);
    expect(of('x > 3 ? 10 : 20', { x: 1 })).toBe(20);
    expect(of('mod(-1, 4) + frac(2.25)')).toBe(3.25);
    expect(of('sin(2*pi*x/4)', { x: 1 })).toBeCloseTo(1, 12);
    expect(of('max(1, 2, x)', { x: 9 })).toBe(9);
    expect(of('1e3 + .5')).toBe(1000.5);
  });
  it('says what is wrong', () => {
    for (const [text, what] of [['1 +', 'too early'], ['(1', 'missing'], ['q', 'not known'], ['sin(1, 2)', 'takes 1'], ['1 $', 'not understood'], ['1 2', 'misplaced'], ['mod(1)', 'takes 2']] as const)
      expect(() => parseFormula(text), text).toThrow(what);
  });
});

describe('symmetry', () => {
  const s = noSymmetry([20, 20, 20]);
  const places = (sym: typeof s, cell: Vec3) => images(sym, cell).map((i) => i.cell.join()).sort();
  it('mirrors about planes between and through cells', () => {
    expect(places({ ...s, mirror: [true, false, false] }, [2, 3, 4])).toEqual(['17,3,4', '2,3,4']);
    expect(places({ ...s, mirror: [true, false, false], center: [5.5, 10, 10] }, [5, 0, 0])).toEqual(['5,0,0']);
    expect(places({ ...s, mirror: [true, true, true] }, [0, 0, 0])).toHaveLength(8);
  });
  it('turns by quarters exactly, and counts copies', () => {
    expect(places({ ...s, turns: 4 }, [12, 9, 0])).toEqual(['10,12,0', '12,9,0', '7,10,0', '9,7,0']);
    expect(images({ ...s, turns: 2 }, [12, 9, 0]).map((i) => i.copy)).toEqual([0, 1]);
    expect(places({ ...s, turns: 6 }, [15, 9, 3])).toHaveLength(6);
  });
});

describe('selections', () => {
  const grid = new Grid([6, 6, 1]);
  for (let i = 0; i < 36; i++) grid.material[i] = i % 6 < 3 ? 1 : 2;
  grid.material[grid.index(5, 5, 0)] = 0;
  it('adds, subtracts, intersects', () => {
    const a = { low: [0, 0, 0] as Vec3, high: [2, 0, 0] as Vec3 };
    const b = { low: [2, 0, 0] as Vec3, high: [2, 2, 0] as Vec3 };
    expect(cellsOf(combine(a, b, 'add', grid)!, grid)).toHaveLength(5);
    expect(cellsOf(combine(a, b, 'subtract', grid)!, grid)).toHaveLength(2);
    expect(cellsOf(combine(a, b, 'intersect', grid)!, grid)).toEqual([2]);
    expect(combine(a, a, 'subtract', grid)).toBeUndefined();
    expect(combine(undefined, b, 'add', grid)).toBe(b);
  });
  it('tells a full box as a box', () => {
    expect(ofCells([0, 1, 6, 7], grid)).toEqual({ low: [0, 0, 0], high: [1, 1, 0] });
    const l = ofCells([0, 1, 6], grid)!;
    expect(isSelected(l, 1, 1, 0)).toBe(false);
    expect(isSelected(l, 0, 1, 0)).toBe(true);
  });
  it('grows, shrinks, and finds what is alike or connected', () => {
    expect(cellsOf(grow(ofCells([grid.index(4, 5, 0)], grid)!, grid)!, grid)).toHaveLength(3);
    expect(shrink({ low: [0, 0, 0], high: [5, 5, 0] }, grid)).toBeUndefined(); // all of one layer is skin
    expect(cellsOf(ofMaterial(grid, 2)!, grid)).toHaveLength(17);
    expect(cellsOf(connected(grid, 0, true)!, grid)).toHaveLength(18);
    expect(cellsOf(connected(grid, 0, false)!, grid)).toHaveLength(35);
  });
});

describe('brushes', () => {
  const box = { low: [2, 0, 0] as Vec3, high: [12, 0, 0] as Vec3 };
  it('go from one value to another', () => {
    const f = brushFunction({ ...defaultBrush(), kind: 'gradient', from: 1, to: 3 }, 0, box, [20, 1, 1]);
    expect([2, 7, 12].map((x) => f([x, 0, 0], 0))).toEqual([1, 2, 3]);
    const w = brushFunction({ ...defaultBrush(), kind: 'wave', from: -1, to: 1, length: 8 }, 0, box, [20, 1, 1]);
    expect([2, 4, 8].map((x) => w([x, 0, 0], 0))).toEqual([0, 1, -1]);
    const p = brushFunction({ ...defaultBrush(), kind: 'gradient', along: 'point', point: [2.5, 0.5, 0.5], from: 0, to: 10 }, 0, box, [20, 1, 1]);
    expect(p([12, 0, 0], 0)).toBe(10);
  });
});

describe('parts and what the page does not edit', () => {
  const json: SceneJson = {
    voxelastic: 1, lattice: { pitch: 0.01, size: [3, 1, 1] }, materials: [{ name: 'a', rigid: true, target: true }], layers: { legend: { a: 'a' }, layers: [['aaa']] },
    parts: [{ name: 'ball', separate: true }], fields: { part: { origin: [1, 0, 0], size: [1, 1, 1], values: 1 }, cilia_x: { values: 0.1 } }, experiment: { begin: 0.5 },
  };
  it('comes through reading and writing', () => {
    const { props, grid } = readScene(json);
    expect(grid.get('part', 1)).toBe(1);
    const out = writeScene(props, grid);
    expect(out.parts).toEqual([{ name: 'ball', separate: true }]);
    expect(out.fields.cilia_x).toEqual({ values: 0.1 });
    expect(out.fields.part.values).toEqual([0, 1, 0]);
    expect(out.experiment).toEqual({ begin: 0.5 });
    expect(out.materials).toEqual([{ name: 'a', rigid: true, target: true }]);
  });
  it('rules too, word for word', () => {
    const rules = [
      { kind: 'bond', name: 'glue', material: 'a', stress: 2000, release: 't > 1' },
      { kind: 'control', inputs: ['strain', 'sin(t)'], layers: [1], weights: [0.1, 0.2, -0.3], output: 'size' },
      { kind: 'grow', material: 'a', other: 'a', corner: [0, 0, 0], size: [3, 1, 1], limit: 2 },
    ];
    const { props, grid } = readScene({ ...json, rules, environment: { pause_begin: 1, pause_time: 2 } });
    const out = writeScene(props, grid);
    expect(out.rules).toEqual(rules);
    expect(out.environment).toEqual({ pause_begin: 1, pause_time: 2 });
  });
  it('locked parts do not change', () => {
    const doc = new Document();
    const { props, grid } = readScene(json);
    doc.load({ ...props, parts: [{ ...props.parts[0]!, locked: true }] }, grid);
    doc.paint('clear', (s) => [0, 1, 2].forEach((c) => s.set('material', c, 0)));
    expect([...doc.grid.material]).toEqual([0, 1, 0]);
  });
});

describe('the library', () => {
  it('has numbers within the rules, and a source for each', () => {
    for (const e of LIBRARY) {
      const m = makeMaterial(e);
      expect(m.poissons_ratio, e.name).toBeLessThanOrEqual(0.49);
      expect(m.youngs_modulus).toBeGreaterThan(1e3);
      expect(m.friction.static).toBeGreaterThanOrEqual(m.friction.dynamic);
      expect(e.source.length, e.name).toBeGreaterThan(20);
    }
    expect(new Set(LIBRARY.map((e) => e.name)).size).toBe(LIBRARY.length);
  });
});

describe('colour scales and names', () => {
  it('are round and above the noise', () => {
    expect(roundUp(0.0423)).toBe(0.05);
    expect(roundUp(-7.2e5)).toBe(-8e5);
    expect(roundUp(1e-15)).toBe(1e-15);
    const props = defaultProps();
    expect(roundRange('strain', -1e-16, 1e-16, noiseFloor('strain', props))).toEqual([-1e-5, 1e-5]);
    expect(roundRange('speed', 0, 0.33, 1e-4)).toEqual([0, 0.4]);
    expect(roundRange('stress_mises', 0, 8.4e4, 1)).toEqual([0, 1e5]);
    expect(roundRange('temperature', 290, 310, 0.1)).toEqual([290, 310]);
  });
  it('say what is plotted', () => {
    expect(traceTitle('voxel:4,3,5.contact_force')).toBe('Contact force of voxel 4, 3, 5');
    expect(traceTitle('region:tip.displacement')).toBe('Displacement of tip');
    expect(traceTitle('strain_max')).toBe('Largest strain');
    expect(traceTitle('signal:stride')).toBe('Signal stride');
  });
});

// Undoes what compress() does, as a reader of GIFs would.
function decompress(data: Uint8Array): number[] {
  const bytes: number[] = [];
  for (let i = 1; data[i]; i += data[i]! + 1) bytes.push(...data.subarray(i + 1, i + 1 + data[i]!));
  let at = 0;
  let width = 9;
  let table: number[][] = [];
  const read = () => {
    let v = 0;
    for (let b = 0; b < width; b++, at++) v |= ((bytes[at >> 3]! >> (at & 7)) & 1) << b;
    return v;
  };
  const out: number[] = [];
  let last: number[] | undefined;
  for (;;) {
    const code = read();
    if (code === 257) return out;
    if (code === 256) {
      table = Array.from({ length: 258 }, (_, k) => [k]);
      width = 9;
      last = undefined;
      continue;
    }
    const now: number[] = table[code] ?? [...last!, last![0]!];
    out.push(...now);
    if (last) table.push([...last, now[0]!]);
    last = now;
    if (table.length === 1 << width && width < 12) width++;
  }
}

describe('videos', () => {
  it('GIF: what is packed comes out again', () => {
    const pixels = Uint8Array.from({ length: 30000 }, (_, i) => (i * i * 7 + (i >> 5)) & 255);
    expect(decompress(compress(pixels))).toEqual([...pixels]);
    expect(decompress(compress(new Uint8Array(5000).fill(3)))).toEqual(new Array(5000).fill(3));
    expect([...makePalette(Uint8ClampedArray.from([255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 255, 255])).slice(0, 6)]).toEqual([255, 0, 0, 0, 0, 255]);
  });
  it('WebM: one cluster per key picture of a second or more', () => {
    const pieces = [0, 500, 1000, 1500].map((time, i) => ({ time, key: i % 2 === 0, data: Uint8Array.from([i]) }));
    const file = webmFile('V_VP9', 64, 32, pieces, 2000);
    const text = [...file].map((b) => b.toString(16).padStart(2, '0')).join('');
    expect(text.startsWith('1a45dfa3')).toBe(true);
    expect(text.split('1f43b675').length - 1).toBe(2);
    expect(text.split('a301000000000000').length - 2).toBe(4); // and once in the head of the file
  });
});
