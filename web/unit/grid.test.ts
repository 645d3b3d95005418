import { describe, expect, it } from 'vitest';
import { Document } from '../src/model/document';
import { Grid, MAX_CELLS, Stroke, applyChange } from '../src/model/grid';
import { readLayers, writeActuation, writeLayers, readActuation, legendCharacter } from '../src/model/layers';
import { readScene, writeScene } from '../src/model/scene';
import { defaultMaterial, defaultProps } from '../src/model/types';

const materials = [{ ...defaultMaterial(), name: 'soft' }, { ...defaultMaterial(), name: 'stiff' }];

describe('grid', () => {
  it('knows places and indices', () => {
    const g = new Grid([3, 4, 5]);
    expect(g.place(g.index(2, 3, 4))).toEqual([2, 3, 4]);
    expect(g.inside(3, 0, 0)).toBe(false);
    expect(g.at(-1, 0, 0)).toBe(0);
  });
  it('refuses a workspace that is too large', () => {
    expect(() => new Grid([1000, 1000, Math.ceil(MAX_CELLS / 1e6) + 1])).toThrow(/more than/);
  });
  it('keeps voxels and actuation when resized, shifted', () => {
    const g = new Grid([4, 4, 4]);
    g.set('material', g.index(1, 1, 1), 2);
    g.set('phase', g.index(1, 1, 1), 0.25);
    const h = g.resized([2, 2, 2], [-1, -1, -1]);
    expect(h.at(0, 0, 0)).toBe(2);
    expect(h.get('phase', 0)).toBe(0.25);
    expect(h.count()).toBe(1);
  });
  it('takes a stroke back, drawn over itself or not', () => {
    const g = new Grid([4, 1, 1]);
    const s = new Stroke(g);
    s.set('material', 0, 1);
    s.rewind();
    s.set('material', 1, 1);
    s.set('material', 1, 2);
    const change = s.finish()!;
    expect([...g.material]).toEqual([0, 2, 0, 0]);
    applyChange(g, change, false);
    expect(g.count()).toBe(0);
    applyChange(g, change, true);
    expect([...g.material]).toEqual([0, 2, 0, 0]);
  });
});

describe('layers', () => {
  it('reads the short form', () => {
    const g = new Grid([25, 3, 4]);
    readLayers({ legend: { a: 'soft', b: 'stiff' }, origin: [1, 0, 1], layers: [{ repeat: 2, rows: ['2*20a3.b', '24.'] }] }, g, materials);
    expect(g.at(1, 0, 1)).toBe(1);
    expect(g.at(20, 1, 2)).toBe(1);
    expect(g.at(24, 1, 2)).toBe(2);
    expect(g.at(21, 0, 1)).toBe(0);
    expect(g.count()).toBe(2 * 2 * 21);
  });
  it('tells what is wrong', () => {
    const g = new Grid([2, 1, 1]);
    expect(() => readLayers({ layers: [['ab']] }, g, materials)).toThrow(/not in the legend/);
    expect(() => readLayers({ legend: { a: 'soft' }, layers: [['aaa']] }, g, materials)).toThrow(/inside the workspace/);
    expect(() => readLayers({ legend: { a: 'gone' }, layers: [['a']] }, g, materials)).toThrow(/no material "gone"/);
  });
  it('writes what it reads, small and large', () => {
    for (const size of [[7, 5, 3], [120, 40, 20]] as [number, number, number][]) {
      const g = new Grid(size);
      for (let i = 0; i < g.cells; i++) if ((i * 7919) % 11 < 8) g.material[i] = 1 + ((i >> 3) % 2);
      const h = new Grid(size);
      readLayers(writeLayers(g, materials)!, h, materials);
      expect(h.equals(g)).toBe(true);
    }
  });
  it('writes and reads actuation of voxels only', () => {
    const g = new Grid([3, 2, 1]);
    g.material.fill(1);
    g.material[5] = 0;
    g.set('phase', 1, 0.1);
    g.set('phase', 5, 0.9);
    g.set('period', 2, 2);
    const json = writeActuation(g)!;
    expect(json.phase).toEqual([0, 0.1, [4, 0]]);
    expect(json.amplitude).toBeUndefined();
    const h = new Grid([3, 2, 1]);
    h.material.set(g.material);
    readActuation(json, h);
    expect(h.equals(g)).toBe(true);
  });
  it('names many materials', () => {
    expect([1, 26, 27, 52, 53].map(legendCharacter)).toEqual(['a', 'z', 'A', 'Z', '\u4e35']);
  });
});

describe('document', () => {
  const filled = () => {
    const d = new Document();
    d.load(defaultProps(), new Grid([5, 5, 5]));
    return d;
  };
  it('undoes and redoes strokes, properties and workspaces in order', () => {
    const d = filled();
    const states: string[] = [JSON.stringify(d.toJson())];
    const note = () => states.push(JSON.stringify(d.toJson()));
    d.paint('Pencil', (s) => s.set('material', 3, 1));
    note();
    d.edit('Name', (p) => ({ ...p, name: 'x' }));
    note();
    d.replaceGrid('Workspace', d.grid.resized([9, 5, 5]));
    note();
    d.paint('Pencil', (s) => s.set('material', 40, 1));
    note();
    for (let i = states.length - 1; i > 0; i--) {
      expect(JSON.stringify(d.toJson())).toBe(states[i]);
      d.undo();
    }
    expect(JSON.stringify(d.toJson())).toBe(states[0]);
    expect(d.undo()).toBeUndefined();
    for (let i = 1; i < states.length; i++) {
      d.redo();
      expect(JSON.stringify(d.toJson())).toBe(states[i]);
    }
  });
  it('forgets what was undone when something else is done', () => {
    const d = filled();
    d.edit('A', (p) => ({ ...p, name: 'a' }));
    d.undo();
    d.edit('B', (p) => ({ ...p, name: 'b' }));
    expect(d.redo()).toBeUndefined();
    expect(d.props.value.name).toBe('b');
  });
  it('makes no step of a stroke that changes nothing', () => {
    const d = filled();
    expect(d.paint('Pencil', (s) => { s.set('material', 1, 1); s.set('material', 1, 0); })).toBe(false);
    expect(d.done.value).toEqual([]);
  });
});

describe('scene', () => {
  it('survives writing and reading', () => {
    const props = defaultProps();
    props.regions = [{ name: 'tip', box: { corner: [0, 0, 0], size: [1, 1, 1] }, force: [0, 0, -1] }];
    props.signals = [{ name: 's', waveform: 'table', base: 0, reference: 0, amplitude: 1, period: 0, phase: 0, start: 0, contract_only: false, table: [[0, 0], [1, 1]] }];
    const grid = new Grid([3, 3, 3]);
    grid.material[4] = 1;
    const json = writeScene(props, grid);
    const again = readScene(JSON.parse(JSON.stringify(json)));
    expect(writeScene(again.props, again.grid)).toEqual(json);
    expect(again.grid.equals(grid)).toBe(true);
  });
  it('understands every way to say gravity', () => {
    const g = (gravity: unknown) => readScene({ voxelastic: 1, lattice: { pitch: 1, size: [1, 1, 1] }, environment: { gravity } }).props.environment.gravity;
    expect(g(true)).toEqual([0, 0, -9.81]);
    expect(g(false)).toEqual([0, 0, 0]);
    expect(g(3)).toEqual([0, 0, -3]);
    expect(g([1, 2, 3])).toEqual([1, 2, 3]);
  });
});
