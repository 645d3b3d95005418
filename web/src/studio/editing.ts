// What the drawing tools are set to, and the edits that several places of the page offer.
import { computed, signal } from '@preact/signals';
import { brushFunction, defaultBrush, type Brush } from '../model/brush';
import type { Document, Selection } from '../model/document';
import { OWN, OWN_REST, type Channel } from '../model/grid';
import { makeMaterial, type LibraryEntry } from '../model/library';
import { cellsOf, combine, moved, ofCells, where, type Combine } from '../model/selection';
import { images, isSymmetric, noSymmetry, type Symmetry } from '../model/symmetry';
import { clearBlock, clearCell, copyBlock, mirrorBlock, pasteBlock, rotateBlock, type Block, type Painter } from '../model/tools';
import { defaultMaterial, defaultSignal, freeName, type Axis, type Material, type Part, type Vec3 } from '../model/types';

export type DrawTool = 'orbit' | 'select' | 'wand' | 'pencil' | 'line' | 'rectangle' | 'ellipse' | 'fill' | 'fill3' | 'box' | 'sphere' | 'cylinder' | 'pick' | 'measure';
export type EditTab = 'draw' | 'parts' | 'regions' | 'environment' | 'scene';

export const tool = signal<DrawTool>('pencil');
export const tab = signal<EditTab>('draw');
export const layerOn = signal(true); // draw on a layer; otherwise on the body's surface
export const onlyLayer = signal(false); // and see nothing but it
export const axis = signal<Axis>(2);
export const layer = signal(0);
export const depth = signal(1); // layers that a 3-D brush or the selection covers
export const outline = signal(false); // rectangle and ellipse as outlines
export const paints = signal<Channel>('material'); // what drawing sets
export const paintValue = signal<Record<Exclude<Channel, 'material'>, number>>({ phase: 0.5, amplitude: 1, period: 1, stiffness: 1e6, part: 0 });
export const brush = signal<Brush>(defaultBrush());
export const entry = signal(1); // palette entry that is painted, 0 erases
export const other = signal(1); // palette entry that a gradient of materials goes to
export const part = signal(0); // number of the part that new voxels belong to, 0: none
export const region = signal<string | undefined>(undefined); // name of the selected one
export const hover = signal<{ cell: Vec3; material: number } | undefined>(undefined);
export const clipboard = signal<Block | undefined>(undefined);
export const floating = signal<{ block: Block; at: Vec3 } | undefined>(undefined); // a copy that is not put down yet
export const symmetry = signal<Symmetry>(noSymmetry([20, 20, 20]));
export const combining = signal<Combine>('replace'); // what a new selection does to the one that is there
export const wand = signal<'connected' | 'material' | 'phase'>('connected'); // what the wand picks by
export const measured = signal<{ from: Vec3; to: Vec3 } | undefined>(undefined); // cells, of the measuring tool

// Drawing needs the palette in view; elsewhere the mouse turns the body and drags handles.
export const activeTool = computed<DrawTool>(() => (tab.value === 'draw' ? tool.value : tab.value === 'parts' && (tool.value === 'select' || tool.value === 'wand') ? tool.value : 'orbit'));

export const DEEP: readonly DrawTool[] = ['box', 'cylinder', 'select'];

const COLORS = ['#d9793d', '#4f86c6', '#7fb069', '#c65b7c', '#e0b13f', '#7d6bb3', '#4fa8a0', '#b0784f', '#8a9199'];

// ---- materials

export function addMaterial(doc: Document, like?: Material): void {
  doc.edit(like ? 'Duplicate material' : 'Add material', (p) => {
    const base = like ?? { ...defaultMaterial(), color: COLORS[p.materials.length % COLORS.length]! };
    return { ...p, materials: [...p.materials, { ...base, name: freeName(like ? `${like.name} copy` : 'material', p.materials) }] };
  });
  entry.value = doc.props.value.materials.length;
}
// A material of the library; one that moves by itself brings a signal if there is none.
export function addFromLibrary(doc: Document, item: LibraryEntry): void {
  doc.edit(`Add ${item.name}`, (p) => {
    const material = makeMaterial(item);
    const signals = item.signal && !p.signals.length ? [{ ...defaultSignal(), ...item.signal, start: item.signal.period }] : p.signals;
    return { ...p, signals, materials: [...p.materials, { ...material, name: freeName(material.name, p.materials) }] };
  });
  entry.value = doc.props.value.materials.length;
  paints.value = 'material';
}

// Deletes a palette entry; its voxels become empty, and those of later entries keep their material.
export function deleteMaterial(doc: Document, index: number): void {
  const props = doc.props.value;
  const name = props.materials[index]!.name;
  const { grid } = doc;
  const stroke = doc.begin(`Delete material ${name}`);
  for (let cell = 0; cell < grid.cells; cell++) {
    const m = grid.material[cell]!;
    if (m === index + 1) clearCell(stroke, cell);
    else if (m > index + 1) stroke.set('material', cell, m - 1);
  }
  doc.finish({ props: { ...props, materials: props.materials.filter((_, i) => i !== index) } });
  entry.value = Math.min(entry.value, doc.props.value.materials.length);
}

export function changeMaterial(doc: Document, index: number, change: Partial<Material>, label: string): void {
  doc.edit(label, (p) => ({ ...p, materials: p.materials.map((m, i) => (i === index ? { ...m, ...change } : m)) }), `material ${index} ${label}`);
}

// Materials between two, in `steps` in all: stiffness by equal factors, the rest by equal steps.
export function between(a: Material, b: Material, steps: number): Material[] {
  const mix = (p: number, q: number, t: number) => p + (q - p) * t;
  return Array.from({ length: Math.max(0, steps - 2) }, (_, k) => {
    const t = (k + 1) / (steps - 1);
    const color = '#' + [1, 3, 5].map((i) => Math.round(mix(parseInt(a.color.slice(i, i + 2), 16), parseInt(b.color.slice(i, i + 2), 16), t)).toString(16).padStart(2, '0')).join('');
    return {
      ...a, name: `${a.name} to ${b.name} ${k + 1}`, color, youngs_modulus: Number((a.youngs_modulus * (b.youngs_modulus / a.youngs_modulus) ** t).toPrecision(4)),
      poissons_ratio: Number(mix(a.poissons_ratio, b.poissons_ratio, t).toPrecision(4)), density: Number(mix(a.density, b.density, t).toPrecision(4)), expansion: Number(mix(a.expansion, b.expansion, t).toPrecision(4)),
      friction: { static: Number(mix(a.friction.static, b.friction.static, t).toPrecision(4)), dynamic: Number(mix(a.friction.dynamic, b.friction.dynamic, t).toPrecision(4)) },
    };
  });
}

// ---- the selection

const size = (s: Selection): Vec3 => s.high.map((h, a) => h - s.low[a]! + 1) as Vec3;

export const selectAll = (doc: Document): void => {
  doc.selection.value = doc.grid.bounds();
};
export function select(doc: Document, found: Selection | undefined, how: Combine = combining.value): void {
  doc.selection.value = combine(doc.selection.value, found, how, doc.grid);
}
// What an edit without a drag acts on: the selection, or every voxel.
export const scope = (doc: Document): Selection | undefined => doc.selection.value ?? doc.grid.bounds();

export function copySelection(doc: Document): boolean {
  const s = doc.selection.value;
  if (!s) return false;
  clipboard.value = copyBlock(doc.grid, s);
  return true;
}
export function deleteSelection(doc: Document, label = 'Delete selection'): void {
  const s = doc.selection.value;
  if (s) doc.paint(label, (stroke) => clearBlock(doc.grid, stroke, s));
}
export function cutSelection(doc: Document): void {
  if (copySelection(doc)) deleteSelection(doc, 'Cut');
}
// Takes the copy in hand: it follows the pointer until it is put down.
export function paste(doc: Document): void {
  const block = clipboard.value;
  if (!block) return;
  const at: Vec3 = doc.selection.value ? [...doc.selection.value.low] : [0, 0, 0];
  if (layerOn.value) at[axis.value] = layer.value;
  floating.value = { block, at };
  tab.value = 'draw';
}
export function floatTo(doc: Document, cell: Vec3): void {
  const f = floating.value;
  if (!f) return;
  // The middle of its base is under the pointer; it stays inside.
  const at = cell.map((v, a) => (a === axis.value && layerOn.value ? v : v - Math.floor((f.block.size[a]! - 1) / 2))) as Vec3;
  floating.value = { block: f.block, at: at.map((v, a) => Math.max(0, Math.min(doc.grid.size[a]! - f.block.size[a]!, v))) as Vec3 };
}
export function putDown(doc: Document, keep = false): void {
  const f = floating.value;
  if (!f) return;
  const stroke = doc.begin('Paste');
  const selection = pasteBlock(doc.grid, stroke, f.block, f.at);
  doc.finish({ selection });
  if (!keep) floating.value = undefined;
}
export function changeFloating(change: (b: Block) => Block): void {
  const f = floating.value;
  if (f) floating.value = { block: change(f.block), at: f.at };
}

// Takes the selected voxels up, changes the block, and puts it down at a shifted place; or puts down a copy.
export function transformSelection(doc: Document, label: string, change: (b: Block) => Block, shift: Vec3 = [0, 0, 0], keep = false): void {
  const s = doc.selection.value;
  if (!s) return;
  const block = change(copyBlock(doc.grid, s));
  const at = s.low.map((v, a) => v + shift[a]!) as Vec3;
  const stroke = doc.begin(label);
  if (!keep) clearBlock(doc.grid, stroke, s);
  const put = pasteBlock(doc.grid, stroke, block, at);
  doc.finish({ selection: s.cells && block.size.every((n, a) => n === size(s)[a]) && label !== 'Mirror' && label !== 'Rotate' ? moved(s, shift) : put });
}
export const moveSelection = (doc: Document, shift: Vec3): void => transformSelection(doc, 'Move', (b) => b, shift);
export const duplicateSelection = (doc: Document, shift: Vec3): void => transformSelection(doc, 'Duplicate', (b) => b, shift, true);
export function mirrorSelection(doc: Document, a: Axis): void {
  if (floating.value) changeFloating((b) => mirrorBlock(b, a));
  else transformSelection(doc, 'Mirror', (b) => mirrorBlock(b, a));
}
export function rotateSelection(doc: Document, a: Axis): void {
  if (floating.value) changeFloating((b) => rotateBlock(b, a));
  else transformSelection(doc, 'Rotate', (b) => rotateBlock(b, a));
}
// Copies in a row, each `shift` cells from the one before and, for a wave of motion, `lag` cycles later.
export function repeatSelection(doc: Document, count: number, shift: Vec3, lag: number): void {
  const s = doc.selection.value;
  if (!s) return;
  const block = copyBlock(doc.grid, s);
  const stroke = doc.begin('Repeat');
  for (let k = 1; k <= count; k++) {
    const copy = { ...block, own: block.own.map((o) => [wrap(o[0]! + k * lag), ...o.slice(1)]) };
    pasteBlock(doc.grid, stroke, lag ? copy : block, s.low.map((v, a) => v + k * shift[a]!) as Vec3);
  }
  doc.finish({ selection: s });
}
const wrap = (phase: number): number => Number((phase - Math.floor(phase)).toPrecision(12));

// ---- brushes

// What a brush does to one cell: material, or a number of a voxel that is there.
export function painter(doc: Document, stroke: Painter, box?: Selection): (x: number, y: number, z: number) => void {
  const channel = paints.value;
  const { grid } = doc;
  const now = brush.value;
  const own = symmetry.value;
  const span = box ?? scope(doc) ?? { low: [0, 0, 0] as Vec3, high: grid.size.map((n) => n - 1) as Vec3 };
  const of = brushFunction(now, channel === 'material' ? entry.value : paintValue.value[channel], span, grid.size);
  const one = (cell: number, place: Vec3, copy: number) => {
    const there = grid.get(channel, cell);
    if (channel !== 'material') {
      if (!grid.material[cell]) return;
      const value = of(place, there);
      if (!Number.isFinite(value)) return;
      stroke.set(channel, cell, channel === 'phase' ? wrap(value + copy * own.lag) : channel === 'stiffness' ? Math.max(0, value) : channel === 'part' ? Math.max(0, Math.round(value)) : value);
      return;
    }
    const value = Math.round(of(place, there));
    const m = now.kind === 'value' ? entry.value : Number.isFinite(value) ? Math.max(0, Math.min(doc.props.value.materials.length, value)) : 0;
    if (!m) {
      clearCell(stroke, cell);
      return;
    }
    if (!there && part.value) stroke.set('part', cell, part.value);
    stroke.set('material', cell, m);
  };
  return (x, y, z) => {
    if (!isSymmetric(own)) {
      if (grid.inside(x, y, z)) one(grid.index(x, y, z), [x, y, z], 0);
      return;
    }
    // Images follow the original: its value, later by as many lags as copies lie between.
    const list = images(own, [x, y, z]);
    for (const { cell, copy } of list) if (grid.inside(...cell)) one(grid.index(...cell), [x, y, z], copy);
  };
}

export function fillSelection(doc: Document): void {
  const s = doc.selection.value;
  if (!s) return;
  doc.paint(entry.value || paints.value !== 'material' ? 'Fill selection' : 'Clear selection', (stroke) => {
    const paint = painter(doc, stroke, s);
    for (const cell of cellsOf(s, doc.grid)) paint(...doc.grid.place(cell));
  });
}

// The brush over everything at once: the selection, or all voxels; a formula of materials over the whole workspace.
export function applyBrush(doc: Document): void {
  const { grid } = doc;
  const channel = paints.value;
  if (channel === 'material' && brush.value.kind !== 'formula') {
    applyMaterials(doc);
    return;
  }
  const whole: Selection = { low: [0, 0, 0], high: grid.size.map((n) => n - 1) as Vec3 };
  const s = doc.selection.value ?? (channel === 'material' ? whole : grid.bounds());
  if (!s) return;
  const was = symmetry.value;
  symmetry.value = { ...was, mirror: [false, false, false], turns: 1 };
  try {
    doc.paint(`${channel === 'material' ? 'Materials' : channel[0]!.toUpperCase() + channel.slice(1)} by ${brush.value.kind}`, (stroke) => {
      const paint = painter(doc, stroke, s);
      for (const cell of cellsOf(s, grid)) paint(...grid.place(cell));
    });
  } finally {
    symmetry.value = was;
  }
}
// From the chosen material to another in steps, along the brush; the steps become materials of the palette.
function applyMaterials(doc: Document): void {
  const { grid } = doc;
  const s = scope(doc);
  const props = doc.props.value;
  const [a, b] = [props.materials[entry.value - 1], props.materials[other.value - 1]];
  if (!s || !a || !b) return;
  const steps = Math.max(2, brush.value.steps);
  const made = between(a, b, steps).reduce<Material[]>((list, m) => [...list, { ...m, name: freeName(m.name, [...props.materials, ...list]) }], []);
  const numbers = [entry.value, ...made.map((_, i) => props.materials.length + i + 1), other.value];
  const of = brushFunction({ ...brush.value, kind: brush.value.kind === 'wave' ? 'wave' : 'gradient', from: 0, to: 1 }, 0, s, grid.size);
  const stroke = doc.begin(`${a.name} to ${b.name} in ${steps} steps`);
  for (const cell of cellsOf(s, grid)) {
    if (!grid.material[cell]) continue;
    stroke.set('material', cell, numbers[Math.max(0, Math.min(steps - 1, Math.floor(of(grid.place(cell), 0) * steps)))]!);
  }
  doc.finish({ props: { ...props, materials: [...props.materials, ...made] } });
}

// ---- parts

export const partCells = (doc: Document, number: number): Selection | undefined => (doc.grid.has('part') ? where(doc.grid, (c) => doc.grid.get('part', c) === number) : undefined);

// A part of the selected voxels (or of all), separate from what it touches unless told otherwise.
export function addPart(doc: Document, separate: boolean): void {
  const s = scope(doc);
  const props = doc.props.value;
  const parts: Part[] = [...props.parts, { name: freeName('part', props.parts), separate }];
  const stroke = doc.begin('New part');
  if (s) for (const cell of cellsOf(s, doc.grid)) if (doc.grid.material[cell]) stroke.set('part', cell, parts.length);
  doc.finish({ props: { ...props, parts } });
  part.value = parts.length;
}
export function giveToPart(doc: Document, number: number): void {
  const s = doc.selection.value;
  if (!s) return;
  doc.paint(number ? `To part ${doc.props.value.parts[number - 1]!.name}` : 'To no part', (stroke) => {
    for (const cell of cellsOf(s, doc.grid)) if (doc.grid.material[cell]) stroke.set('part', cell, number);
  });
}
export function changePart(doc: Document, number: number, change: Partial<Part>, label: string): void {
  doc.edit(label, (p) => ({ ...p, parts: p.parts.map((o, i) => (i === number - 1 ? { ...o, ...change } : o)) }));
}
// Its voxels stay, and belong to none.
export function deletePart(doc: Document, number: number): void {
  const props = doc.props.value;
  const stroke = doc.begin(`Delete part ${props.parts[number - 1]!.name}`);
  for (let cell = 0; cell < doc.grid.cells; cell++) {
    const p = doc.grid.get('part', cell);
    if (p === number) stroke.set('part', cell, 0);
    else if (p > number) stroke.set('part', cell, p - 1);
  }
  doc.finish({ props: { ...props, parts: props.parts.filter((_, i) => i !== number - 1) } });
  part.value = 0;
}
// Cells of hidden parts, as a test; undefined: none is hidden.
export function hiddenCell(doc: Document): ((cell: number) => boolean) | undefined {
  const hidden = new Set(doc.props.value.parts.flatMap((p, i) => (p.hidden ? [i + 1] : [])));
  return hidden.size && doc.grid.has('part') ? (cell) => hidden.has(doc.grid.get('part', cell)) : undefined;
}
export { OWN, OWN_REST, ofCells };
