// The drawing tools: from the pointer over the view to strokes of the document.
import * as THREE from 'three';
import type { Document, Selection } from '../model/document';
import * as tools from '../model/tools';
import type { Axis, Vec3 } from '../model/types';
import type { Tool, Viewer, ViewPointer } from '../view/viewer';
import * as editing from './editing';

interface Plane { axis: Axis; layer: number }

const LABELS: Partial<Record<editing.DrawTool, string>> = {
  pencil: 'Pencil', line: 'Line', rectangle: 'Rectangle', ellipse: 'Ellipse', fill: 'Fill layer', fill3: 'Fill volume',
  box: 'Box', sphere: 'Sphere', cylinder: 'Cylinder',
};

export class Drawing implements Tool {
  private from: Vec3 | undefined;
  private last: Vec3 | undefined;
  private plane: Plane = { axis: 2, layer: 0 };
  private moving: { grab: Vec3; selection: Selection } | undefined;
  private stroke: ReturnType<Document['begin']> | undefined;

  constructor(private readonly viewer: Viewer, private readonly doc: Document) {}

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
    if (!editing.layerOn.value) return this.onSurface(p.ray, within);
    const plane: Plane = { axis: editing.axis.value, layer: editing.layer.value };
    const cell = this.onPlane(p.ray, plane);
    return cell && { cell, plane };
  }
  // Whether the tool means voxels that are there rather than cells beside them.
  private get within(): boolean {
    const t = editing.tool.value;
    return t === 'fill' || t === 'fill3' || t === 'pick' || t === 'select' || editing.paints.value !== 'material' || editing.entry.value === 0;
  }

  hover(p: ViewPointer): void {
    const found = editing.activeTool.value === 'orbit' ? this.onSurface(p.ray, true) : this.at(p, this.within);
    const inside = found && this.doc.grid.inside(...found.cell);
    editing.hover.value = inside ? { cell: found.cell, material: this.doc.grid.at(...found.cell) } : undefined;
  }
  leave(): void {
    editing.hover.value = undefined;
  }
  down(p: ViewPointer): boolean {
    const tool = editing.activeTool.value;
    if (tool === 'orbit') return false;
    const found = this.at(p, this.within);
    if (!found) return false;
    const { cell, plane } = found;
    // Beside the workspace the mouse turns the view.
    if (!this.doc.grid.inside(...cell)) {
      if (tool === 'select') this.doc.selection.value = undefined;
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
    if (tool === 'select') {
      const s = this.doc.selection.value;
      if (s && cell.every((v, a) => v >= s.low[a]! && v <= s.high[a]!)) this.moving = { grab: cell, selection: s };
      else this.doc.selection.value = this.deep(cell, cell);
      return true;
    }
    this.stroke = this.doc.begin(this.label(tool));
    this.drag(cell);
    return true;
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
    if (this.moving) {
      const { grab, selection } = this.moving;
      const d = cell.map((v, a) => v - grab[a]!) as Vec3;
      this.doc.selection.value = {
        low: selection.low.map((v, a) => v + d[a]!) as Vec3, high: selection.high.map((v, a) => v + d[a]!) as Vec3,
      };
    } else if (editing.tool.value === 'select') {
      this.doc.selection.value = this.deep(this.from, cell.map((v, a) => Math.max(0, Math.min(this.doc.grid.size[a]! - 1, v))) as Vec3);
    } else this.drag(cell);
  }
  up(): void {
    if (this.moving) {
      const now = this.doc.selection.value!;
      const { selection } = this.moving;
      const shift = now.low.map((v, a) => v - selection.low[a]!) as Vec3;
      this.moving = undefined;
      this.doc.selection.value = selection;
      if (shift.some((v) => v !== 0)) editing.moveSelection(this.doc, shift);
      // A click inside selects anew, as a drag there would have moved it.
      else if (this.from) this.doc.selection.value = this.deep(this.from, this.from);
    }
    if (this.stroke) this.doc.finish();
    this.stroke = undefined;
    this.from = undefined;
  }
  // Selects the connected voxels of all materials.
  double(p: ViewPointer): void {
    const found = this.at(p, true);
    if (!found || !this.doc.grid.at(...found.cell)) return;
    const { grid } = this.doc;
    const low: Vec3 = [...found.cell];
    const high: Vec3 = [...found.cell];
    const seen = new Uint8Array(grid.cells);
    const stack = [grid.index(...found.cell)];
    seen[stack[0]!] = 1;
    while (stack.length) {
      const c = grid.place(stack.pop()!);
      for (const a of [0, 1, 2] as Axis[]) {
        low[a] = Math.min(low[a], c[a]);
        high[a] = Math.max(high[a], c[a]);
        for (const s of [-1, 1]) {
          const n: Vec3 = [...c];
          n[a] += s;
          if (!grid.at(...n)) continue;
          const cell = grid.index(...n);
          if (!seen[cell]) {
            seen[cell] = 1;
            stack.push(cell);
          }
        }
      }
    }
    if (editing.tool.value === 'select' || editing.activeTool.value === 'orbit') this.doc.selection.value = { low, high };
  }

  // The far cell of a box that is as deep as the depth says, within the workspace.
  private deep(a: Vec3, b: Vec3): Selection {
    const { axis } = this.plane;
    const far: Vec3 = [...b];
    far[axis] = Math.min(this.doc.grid.size[axis] - 1, a[axis] + editing.depth.value - 1);
    return tools.boxOf(a, far);
  }

  private drag(cell: Vec3): void {
    const { grid } = this.doc;
    const stroke = this.stroke!;
    const from = this.from!;
    const { axis } = this.plane;
    const visit: tools.Visit = (x, y, z) => {
      if (grid.inside(x, y, z)) editing.paintCell(this.doc, stroke, grid.index(x, y, z));
    };
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
