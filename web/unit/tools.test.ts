import { describe, expect, it } from 'vitest';
import { Grid, Stroke } from '../src/model/grid';
import { extent, inVoxels, kindOf, preset, reshape, touched } from '../src/model/regions';
import * as tools from '../src/model/tools';
import { defaultProps, freeName, type Axis, type Vec3 } from '../src/model/types';
import { formatNumber, formatUnit, formatVector, parseUnit } from '../src/model/units';
import { waveform } from '../src/model/waveform';

const collect = (draw: (visit: tools.Visit) => void): string[] => {
  const cells: string[] = [];
  draw((x, y, z) => cells.push(`${x},${y},${z}`));
  return cells;
};

describe('drawing tools', () => {
  it('draws lines without gaps', () => {
    const cells = collect((v) => tools.line([0, 0, 0], [5, 2, 0], v));
    expect(cells.length).toBe(6);
    expect(cells[0]).toBe('0,0,0');
    expect(cells[5]).toBe('5,2,0');
  });
  it('draws boxes and outlines', () => {
    expect(collect((v) => tools.box([3, 3, 3], [1, 1, 1], v)).length).toBe(27);
    expect(collect((v) => tools.box([0, 0, 0], [4, 4, 0], v, 2)).length).toBe(16);
  });
  it('draws ellipses that fill their rectangle', () => {
    const cells = collect((v) => tools.ellipse([0, 0, 0], [4, 4, 0], 2, v));
    expect(cells.length).toBe(21);
    for (const c of ['0,2,0', '4,2,0', '2,0,0', '2,4,0']) expect(cells).toContain(c);
    expect(collect((v) => tools.ellipse([0, 0, 0], [4, 4, 0], 2, v, true)).length).toBeLessThan(21);
  });
  it('draws spheres and cylinders of about the right volume', () => {
    const sphere = collect((v) => tools.sphere([0, 0, 0], 6.5, v)).length;
    expect(Math.abs(sphere / ((4 / 3) * Math.PI * 6.5 ** 3) - 1)).toBeLessThan(0.05);
    expect(collect((v) => tools.cylinder([0, 0, 0], 2.5, 0, 3, v)).length).toBe(63);
  });
  it('floods a layer or the volume', () => {
    const g = new Grid([3, 3, 3]);
    g.material[g.index(1, 1, 1)] = 1;
    expect(collect((v) => tools.flood(g, [0, 0, 0], 2, v)).length).toBe(9);
    expect(collect((v) => tools.flood(g, [0, 0, 0], undefined, v)).length).toBe(26);
    expect(collect((v) => tools.flood(g, [9, 0, 0], undefined, v)).length).toBe(0);
  });
});

describe('blocks', () => {
  const grid = () => {
    const g = new Grid([4, 3, 2]);
    for (let i = 0; i < g.cells; i++) g.material[i] = (i % 3) + (i % 2);
    return g;
  };
  it('turns four times and mirrors twice into itself', () => {
    const g = grid();
    const block = tools.copyBlock(g, { low: [0, 0, 0], high: [3, 2, 1] });
    for (const a of [0, 1, 2] as Axis[]) {
      let b = block;
      for (let i = 0; i < 4; i++) b = tools.rotateBlock(b, a);
      expect(b).toEqual(block);
      expect(tools.mirrorBlock(tools.mirrorBlock(block, a), a)).toEqual(block);
    }
  });
  it('turns counter-clockwise: x becomes y about z', () => {
    const g = new Grid([2, 1, 1]);
    g.material[1] = 7; // at +x
    const b = tools.rotateBlock(tools.copyBlock(g, { low: [0, 0, 0], high: [1, 0, 0] }), 2);
    expect(b.size).toEqual([1, 2, 1]);
    expect(b.material).toEqual([0, 7]); // at +y
  });
  it('pastes within the workspace and leaves what its empty cells cover', () => {
    const g = new Grid([3, 1, 1]);
    g.material[2] = 5;
    const s = new Stroke(g);
    tools.pasteBlock(g, s, { size: [2, 1, 1], material: [0, 4], own: [[0, 1, 1, 0, 0], [0.5, 1, 1, 0, 0]] }, [2, 0, 0]);
    expect([...g.material]).toEqual([0, 0, 5]);
    tools.pasteBlock(g, s, { size: [2, 1, 1], material: [0, 4], own: [[0, 1, 1, 0, 0], [0.5, 1, 1, 0, 0]] }, [0, 0, 0]);
    expect(g.get('phase', 1)).toBe(0.5);
  });
});

describe('regions', () => {
  const body = () => {
    const g = new Grid([10, 5, 5]);
    g.material.fill(1);
    return g;
  };
  it('touch the voxels they overlap', () => {
    const g = body();
    expect(touched({ box: { corner: [0, 0, 0], size: [1, 5, 5] } }, g, 1).length).toBe(25);
    expect(touched({ box: { corner: [1, 0, 0], size: [0, 5, 5] } }, g, 1).length).toBe(50); // flat: both sides
    expect(touched({ sphere: { center: [0.5, 0.5, 0.5], radius: 0.4 } }, g, 1).length).toBe(1);
    expect(touched({ box: { corner: [0, 0, 0], size: [0.001, 0.005, 0.005] }, units: 'metres' }, g, 0.001).length).toBe(25);
    expect(touched({ box: { corner: [0, 0, 0], size: [0.1, 1, 1] }, units: 'fraction' }, g, 1).length).toBe(25);
  });
  it('keep their extent in other units and shapes', () => {
    const g = body();
    const r = { name: 'r', box: { corner: [0, 0, 0] as Vec3, size: [0.5, 1, 1] as Vec3 }, units: 'fraction' as const };
    expect(extent(inVoxels(r, g, 1))).toEqual({ low: [0, 0, 0], high: [5, 5, 5] });
    const s = reshape({ name: 'r', box: { corner: [1, 1, 1], size: [2, 2, 2] } }, 'sphere');
    expect(s.sphere).toEqual({ center: [2, 2, 2], radius: 1 });
    expect(s.box).toBeUndefined();
  });
  it('come as presets on the body itself', () => {
    const [wall, tip] = preset('cantilever', 0, defaultProps(), body());
    expect(kindOf(wall!)).toBe('fix');
    expect(kindOf(tip!)).toBe('force');
    expect(tip!.box!.corner).toEqual([9, 0, 0]);
    expect(preset('symmetry', 2, defaultProps(), body())[0]!.fixed).toEqual(['z', 'rx', 'ry']);
  });
  it('get names of their own', () => {
    expect(freeName('a', [{ name: 'a' }, { name: 'a 2' }])).toBe('a 3');
  });
});

describe('units', () => {
  it('reads what people type', () => {
    expect(parseUnit('2.5 MPa', 'Pa')).toBe(2.5e6);
    expect(parseUnit('2.5e6', 'Pa')).toBe(2.5e6);
    expect(parseUnit('5', 'm', { name: 'mm', factor: 1e-3 })).toBe(0.005);
    expect(parseUnit('3 cm', 'm')).toBe(0.03);
    expect(parseUnit('1,5 mm', 'm')).toBe(0.0015);
    expect(parseUnit('−4 mN', 'N')).toBe(-0.004);
    expect(parseUnit('4 kg', 'N')).toBeUndefined();
    expect(parseUnit('much', 'N')).toBeUndefined();
  });
  it('writes what people read', () => {
    expect(formatUnit(1e6, 'Pa')).toBe('1 MPa');
    expect(formatUnit(0.0005438, 'm')).toBe('543.8 µm');
    expect(formatUnit(0, 'm')).toBe('0 mm');
    expect(formatUnit(1000, 'kg/m^3')).toBe('1000 kg/m³');
    expect(formatVector([0, 0, -0.1], 'N')).toBe('0, 0, -100 mN');
    expect(formatVector([11.65, -0.098, 0.061], 'm')).toBe('11.65 m, -98 mm, 61 mm');
    expect(formatVector([1, 1e-9, 0], 'm')).toBe('1 m, 0, 0');
    expect(formatNumber(123456, 4)).toBe('123456');
    expect(formatNumber(1.2e-7)).toBe('1.2e-7');
  });
  it('reads back what it writes', () => {
    for (const v of [1, 0.05, 2.5e6, 3.3e-4, 8e9]) expect(parseUnit(formatUnit(v, 'Pa', 10), 'Pa')).toBeCloseTo(v, 12);
  });
});

describe('waveform', () => {
  it('is what the engine plays', () => {
    const s = { period: 2, phase: 0, table: undefined };
    expect(waveform({ ...s, waveform: 'sine' }, 0.5)).toBeCloseTo(1);
    expect(waveform({ ...s, waveform: 'square' }, 1.5)).toBe(-1);
    expect(waveform({ ...s, waveform: 'ramp' }, 0.5)).toBeCloseTo(1);
    expect(waveform({ ...s, waveform: 'ramp' }, 1.5)).toBeCloseTo(-1);
    expect(waveform({ waveform: 'table', period: 0, phase: 0, table: [[0, 0], [1, 2]] }, 0.5)).toBe(1);
    expect(waveform({ waveform: 'table', period: 0, phase: 0, table: [[0, 0], [1, 2]] }, 9)).toBe(2);
  });
});
