// What the drawing tools are set to, and the edits that several places of the page offer.
import { computed, signal } from '@preact/signals';
import type { Document, Selection } from '../model/document';
import type { Channel } from '../model/grid';
import { clearBlock, copyBlock, mirrorBlock, pasteBlock, rotateBlock, type Block } from '../model/tools';
import { defaultMaterial, freeName, type Axis, type Material, type Vec3 } from '../model/types';

export type DrawTool = 'orbit' | 'select' | 'pencil' | 'line' | 'rectangle' | 'ellipse' | 'fill' | 'fill3' | 'box' | 'sphere' | 'cylinder' | 'pick';
export type EditTab = 'draw' | 'regions' | 'environment' | 'scene';

export const tool = signal<DrawTool>('pencil');
export const tab = signal<EditTab>('draw');
export const layerOn = signal(true); // draw on a layer; otherwise on the body's surface
export const axis = signal<Axis>(2);
export const layer = signal(0);
export const depth = signal(1); // layers that a 3-D brush or the selection covers
export const outline = signal(false); // rectangle and ellipse as outlines
export const paints = signal<Channel>('material'); // what drawing sets
export const paintValue = signal({ phase: 0.5, amplitude: 1, period: 1 });
export const entry = signal(1); // palette entry that is painted, 0 erases
export const region = signal<string | undefined>(undefined); // name of the selected one
export const hover = signal<{ cell: Vec3; material: number } | undefined>(undefined);
export const clipboard = signal<Block | undefined>(undefined);

// Drawing needs the palette in view; elsewhere the mouse turns the body and drags handles.
export const activeTool = computed<DrawTool>(() => (tab.value === 'draw' ? tool.value : 'orbit'));

export const DEEP: readonly DrawTool[] = ['box', 'cylinder', 'select'];

const COLORS = ['#d9793d', '#4f86c6', '#7fb069', '#c65b7c', '#e0b13f', '#7d6bb3', '#4fa8a0', '#b0784f', '#8a9199'];

export function addMaterial(doc: Document, like?: Material): void {
  doc.edit(like ? 'Duplicate material' : 'Add material', (p) => {
    const base = like ?? { ...defaultMaterial(), color: COLORS[p.materials.length % COLORS.length]! };
    return { ...p, materials: [...p.materials, { ...base, name: freeName(like ? `${like.name} copy` : 'material', p.materials) }] };
  });
  entry.value = doc.props.value.materials.length;
}

// Deletes a palette entry; its voxels become empty, and those of later entries keep their material.
export function deleteMaterial(doc: Document, index: number): void {
  const props = doc.props.value;
  const name = props.materials[index]!.name;
  const { grid } = doc;
  const stroke = doc.begin(`Delete material ${name}`);
  for (let cell = 0; cell < grid.cells; cell++) {
    const m = grid.material[cell]!;
    if (m === index + 1) stroke.set('material', cell, 0);
    else if (m > index + 1) stroke.set('material', cell, m - 1);
  }
  doc.finish({ props: { ...props, materials: props.materials.filter((_, i) => i !== index) } });
  entry.value = Math.min(entry.value, doc.props.value.materials.length);
}

export function changeMaterial(doc: Document, index: number, change: Partial<Material>, label: string): void {
  doc.edit(label, (p) => ({ ...p, materials: p.materials.map((m, i) => (i === index ? { ...m, ...change } : m)) }), `material ${index} ${label}`);
}

// ---- the selection

export const selectAll = (doc: Document): void => {
  const box = doc.grid.bounds();
  doc.selection.value = box;
};

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
// Pastes where the selection is, or at the lowest corner; on the current layer when one is drawn on.
export function paste(doc: Document): void {
  const block = clipboard.value;
  if (!block) return;
  const at: Vec3 = doc.selection.value ? [...doc.selection.value.low] : [0, 0, 0];
  if (layerOn.value) at[axis.value] = layer.value;
  let selection: Selection | undefined;
  const stroke = doc.begin('Paste');
  selection = pasteBlock(doc.grid, stroke, block, at);
  doc.finish({ selection });
  if (doc.selection.value !== selection) doc.selection.value = selection;
}
// Takes the selected voxels up, changes the block, and puts it down at a shifted place.
export function transformSelection(doc: Document, label: string, change: (b: Block) => Block, shift: Vec3 = [0, 0, 0]): void {
  const s = doc.selection.value;
  if (!s) return;
  const block = change(copyBlock(doc.grid, s));
  const at = s.low.map((v, a) => v + shift[a]!) as Vec3;
  const stroke = doc.begin(label);
  clearBlock(doc.grid, stroke, s);
  const selection = pasteBlock(doc.grid, stroke, block, at);
  doc.finish({ selection });
}
export const moveSelection = (doc: Document, shift: Vec3): void => transformSelection(doc, 'Move', (b) => b, shift);
export const mirrorSelection = (doc: Document, a: Axis): void => transformSelection(doc, 'Mirror', (b) => mirrorBlock(b, a));
export const rotateSelection = (doc: Document, a: Axis): void => transformSelection(doc, 'Rotate', (b) => rotateBlock(b, a));
export function fillSelection(doc: Document): void {
  const s = doc.selection.value;
  if (!s) return;
  doc.paint(entry.value ? 'Fill selection' : 'Clear selection', (stroke) => {
    for (let z = s.low[2]; z <= s.high[2]; z++)
      for (let y = s.low[1]; y <= s.high[1]; y++)
        for (let x = s.low[0]; x <= s.high[0]; x++) if (doc.grid.inside(x, y, z)) paintCell(doc, stroke, doc.grid.index(x, y, z));
  });
}

// What a brush does to one cell: material, or the actuation of a voxel that is there.
export function paintCell(doc: Document, stroke: { set(c: Channel, cell: number, v: number): void }, cell: number): void {
  const channel = paints.value;
  if (channel === 'material') {
    stroke.set('material', cell, entry.value);
    if (!entry.value) {
      stroke.set('phase', cell, 0);
      stroke.set('amplitude', cell, 1);
      stroke.set('period', cell, 1);
    }
  } else if (doc.grid.material[cell]) stroke.set(channel, cell, paintValue.value[channel]);
}
