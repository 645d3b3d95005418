// The drawing tools: from the pointer over the view to strokes of the document.
import * as THREE from 'three';
import type { Document, Selection } from '../model/document';
import { connected, isSelected, moved, ofMaterial, ofValue, type Combine } from '../model/selection';
import * as tools from '../model/tools';
import type { Axis, Vec3 } from '../model/types';
import { formatUnit } from '../model/units';
import type { Tool, Viewer, ViewPointer } from '../view/viewer';
import * as editing from './editing';
import * as settings from './settings';

interface Plane { axis: Axis; layer: number }

const LABELS: Partial<Record<editing.DrawTool, string>> = {
  pencil: 'Pencil', line: 'Line', rectangle: 'Rectangle', ellipse: 'Ellipse', fill: 'Fill layer', fill3: 'Fill volume',
  box: 'Box', sphere: 'Sphere', cylinder: 'Cylinder',
};

export class Drawing implements Tool {
  private from: Vec3 | undefined;
  private last: Vec3 | undefined;
  private plane: Plane = { axis: 2, layer: 0 };
  private moving: { grab: Vec3; selection: Selection; copy: boolean } | undefined;
  private before: { selection: Selection | undefined; how: Combine } | undefined; // while a new selection is dragged out
  private stroke: ReturnType<Document['begin']> | undefined;

  constructor(private readonly viewer: Viewer, private readonly doc: Document, private readonly say: (text: string) => void) {}

  // The cell where the ray meets a plane through the middle of a layer.
  private onPlane(ray: THREE.Ray, { axis, layer }: Plane): Vec3 | undefined {
    const normal = new THREE.Vector3().setComponent(axis, 1);
    const hit = ray.intersectPlane(new THREE.Plane(normal, -(layer + 0.5)), new THREE.Vector3());
    if (!hit) return undefined;
    const cell: Vec3 = [Math.floor(hit.x), Math.floor(hit.y), Math.floor(hit.z)];
    cell[axis] = layer;
    return cell;
  }
  // On the surface: the cell before the face that is hit, or the voxel itself when nothing is to be added to it.
  private onSurface(ray: THREE.Ray, within: boolean): { cell: Vec3; plane: Plane } | undefined {
    const hit = this.viewer.body.pick(ray);
    const mesh = this.viewer.body.mesh;
    if (hit && mesh) {
      const cell = [0, 1, 2].map((a) => mesh.cell[3 * hit.voxel + a]!) as Vec3;
      const at = ray.at(hit.distance, new THREE.Vector3());
      const d = [0, 1, 2].map((a) => at.getComponent(a) - cell[a]! - 0.5);
      const axis = d.reduce((best, v, a) => (Math.abs(v) > Math.abs(d[best]!) ? a : best), 0) as Axis;
      if (!within) cell[axis] += Math.sign(d[axis]!);
      return { cell, plane: { axis, layer: cell[axis] } };
    }
    const plane: Plane = { axis: 2, layer: 0 };
    const cell = this.onPlane(ray, plane);
    return cell && { cell, plane };
  }
  private at(p: ViewPointer, within: boolean): { cell: Vec3; plane: Plane } | undefined {
    if (!editing.layerOn.value || editing.activeTool.value === 'orbit') return this.onSurface(p.ray, within);
    const plane: Plane = { axis: editing.axis.value, layer: editing.layer.value };
    const cell = this.onPlane(p.ray, plane);
    return cell && { cell, plane };
  }
  // Whether the tool means voxels that are there rather than cells beside them.
  private get within(): boolean {
    const t = editing.tool.value;
    return t === 'fill' || t === 'fill3' || t === 'pick' || t === 'select' || t === 'wand' || settings.measuring.value || editing.paints.value !== 'material' || (editing.entry.value === 0 && editing.brush.value.kind === 'value');
  }

  hover(p: ViewPointer): void {
    const found = editing.activeTool.value === 'orbit' && !editing.floating.value ? this.onSurface(p.ray, true) : this.at(p, this.within && !editing.floating.value);
    const inside = found && this.doc.grid.inside(...found.cell);
    if (editing.floating.value && found) editing.floatTo(this.doc, found.cell);
    editing.hover.value = inside ? { cell: found.cell, material: this.doc.grid.at(...found.cell) } : undefined;
  }
  leave(): void {
    editing.hover.value = undefined;
  }
  down(p: ViewPointer): boolean {
    const tool = editing.activeTool.value;
    const control = (p.event as MouseEvent).ctrlKey || (p.event as MouseEvent).metaKey;
    if (editing.floating.value) {
      this.hover(p);
      editing.putDown(this.doc, control);
      this.from = undefined;
      return true;
    }
    if (settings.measuring.value) {
      const found = this.at(p, true);
      if (!found) return false;
      this.plane = found.plane;
      this.from = found.cell;
      editing.measured.value = { from: found.cell, to: found.cell };
      return true;
    }
    if (tool === 'orbit') return false;
    const found = this.at(p, this.within);
    if (!found) return false;
    const { cell, plane } = found;
    // Beside the workspace the mouse turns the view.
    if (!this.doc.grid.inside(...cell)) {
      if (tool === 'select' && editing.combining.value === 'replace') this.doc.selection.value = undefined;
      return false;
    }
    this.plane = plane;
    this.from = this.last = cell;
    if (tool === 'pick') {
      const m = this.doc.grid.at(...cell);
      editing.entry.value = m;
      editing.paints.value = 'material';
      editing.tool.value = 'pencil';
      return true;
    }
    if (tool === 'wand') {
      editing.select(this.doc, this.wand(cell), control ? 'add' : editing.combining.value);
      return true;
    }
    if (tool === 'select') {
      const s = this.doc.selection.value;
      if (s && isSelected(s, ...cell) && editing.combining.value === 'replace') this.moving = { grab: cell, selection: s, copy: control };
      else {
        this.before = { selection: s, how: control ? 'add' : editing.combining.value };
        this.drawSelection(cell);
      }
      return true;
    }
    try {
      this.stroke = this.doc.begin(this.label(tool));
      this.drag(cell);
    } catch (error) {
      this.cancel();
      this.say((error as Error).message); // a formula that is none
    }
    return true;
  }
  private wand(cell: Vec3): Selection | undefined {
    const { grid } = this.doc;
    if (!grid.at(...cell)) return undefined;
    const index = grid.index(...cell);
    if (editing.wand.value === 'material') return ofMaterial(grid, grid.material[index]!);
    if (editing.wand.value === 'phase') return ofValue(grid, 'phase', grid.get('phase', index));
    return connected(grid, index, false);
  }
  private label(tool: editing.DrawTool): string {
    const what = editing.paints.value;
    const name = LABELS[tool] ?? 'Draw';
    if (what !== 'material') return `${name}: paint ${what}`;
    return editing.entry.value ? name : `${name}: erase`;
  }
  move(p: ViewPointer): void {
    const cell = this.onPlane(p.ray, this.plane);
    if (!cell || !this.from) return;
    editing.hover.value = this.doc.grid.inside(...cell) ? { cell, material: this.doc.grid.at(...cell) } : undefined;
    if (settings.measuring.value) {
      // Across the body, the surface under the pointer; otherwise the plane it began on.
      const found = this.at(p, true);
      editing.measured.value = { from: this.from, to: found ? found.cell : cell };
    } else if (this.moving) {
      const { grab, selection } = this.moving;
      this.doc.selection.value = moved(selection, cell.map((v, a) => v - grab[a]!) as Vec3);
    } else if (this.before) this.drawSelection(cell);
    else if (this.stroke) this.drag(cell);
  }
  private drawSelection(cell: Vec3): void {
    const inside = cell.map((v, a) => Math.max(0, Math.min(this.doc.grid.size[a]! - 1, v))) as Vec3;
    const drawn = this.deep(this.from!, inside);
    this.doc.selection.value = this.before!.selection;
    editing.select(this.doc, drawn, this.before!.how);
    this.tell(drawn.low, drawn.high, inside);
  }
  // A second finger: what the first one began is not meant.
  cancel(): void {
    if (this.stroke) this.doc.cancel();
    if (this.moving) this.doc.selection.value = this.moving.selection;
    if (this.before) this.doc.selection.value = this.before.selection;
    this.end();
  }
  private end(): void {
    this.stroke = undefined;
    this.moving = undefined;
    this.before = undefined;
    this.from = undefined;
    this.viewer.labels.keep('size ', new Set());
  }
  up(): void {
    if (this.moving) {
      const now = this.doc.selection.value!;
      const { selection, copy } = this.moving;
      const shift = now.low.map((v, a) => v - selection.low[a]!) as Vec3;
      this.doc.selection.value = selection;
      if (shift.some((v) => v !== 0)) (copy ? editing.duplicateSelection : editing.moveSelection)(this.doc, shift);
      // A click inside selects anew, as a drag there would have moved it.
      else if (this.from) this.doc.selection.value = this.deep(this.from, this.from);
    }
    if (this.stroke) this.doc.finish();
    this.end();
  }
  // Selects the connected voxels of all materials.
  double(p: ViewPointer): void {
    const found = this.at(p, true);
    if (!found || !this.doc.grid.at(...found.cell)) return;
    if (editing.tool.value === 'select' || editing.activeTool.value === 'orbit') {
      const body = connected(this.doc.grid, this.doc.grid.index(...found.cell), false);
      if (body) this.doc.selection.value = body;
    }
  }

  // The far cell of a box that is as deep as the depth says, within the workspace.
  private deep(a: Vec3, b: Vec3): Selection {
    const { axis } = this.plane;
    const far: Vec3 = [...b];
    far[axis] = Math.min(this.doc.grid.size[axis] - 1, a[axis] + editing.depth.value - 1);
    return tools.boxOf(a, far);
  }
  // How large what is dragged out is, beside the pointer.
  private tell(low: Vec3, high: Vec3, at: Vec3): void {
    const n = high.map((h, a) => Math.abs(h - low[a]!) + 1);
    const { pitch } = this.doc.props.value;
    this.viewer.labels.set('size drag', { text: `${n.join(' × ')}  =  ${n.map((v) => formatUnit(v * pitch, 'm', 4)).join(' × ')}`, at: new THREE.Vector3(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5), tone: 'size' });
    this.viewer.draw();
  }

  private drag(cell: Vec3): void {
    const stroke = this.stroke!;
    const from = this.from!;
    const { axis } = this.plane;
    const visit = editing.painter(this.doc, stroke);
    const tool = editing.tool.value;
    if (tool === 'pencil') {
      tools.line(this.last!, cell, visit);
      this.last = cell;
    } else {
      stroke.rewind();
      const [u, v] = tools.sides(axis);
      const radius = Math.hypot(cell[u] - from[u], cell[v] - from[v]) + 0.5;
      switch (tool) {
        case 'line': tools.line(from, cell, visit); break;
        case 'rectangle': tools.box(from, cell, visit, editing.outline.value ? axis : undefined); break;
        case 'ellipse': tools.ellipse(from, cell, axis, visit, editing.outline.value); break;
        case 'fill': this.fill(from, axis, visit); break;
        case 'fill3': this.fill(from, undefined, visit); break;
        case 'box': { const s = this.deep(from, cell); tools.box(s.low, s.high, visit); break; }
        case 'sphere': tools.sphere(from, radius, visit); break;
        case 'cylinder': tools.cylinder(from, radius, axis, editing.depth.value, visit); break;
        default:
      }
      const s = tool === 'box' ? this.deep(from, cell) : tools.boxOf(from, cell);
      if (tool === 'sphere' || tool === 'cylinder') {
        const r = Math.floor(radius);
        this.tell([0, 0, 0], (tool === 'sphere' ? [2 * r, 2 * r, 2 * r] : [2 * r, 2 * r, editing.depth.value - 1]) as Vec3, cell);
      } else if (tool !== 'fill' && tool !== 'fill3') this.tell(s.low, s.high, cell);
    }
    this.doc.show();
  }
  // The cells are collected first: painting while flooding would change what is flooded.
  private fill(from: Vec3, axis: Axis | undefined, visit: tools.Visit): void {
    const cells: Vec3[] = [];
    tools.flood(this.doc.grid, from, axis, (x, y, z) => cells.push([x, y, z]));
    for (const c of cells) visit(...c);
  }
}
