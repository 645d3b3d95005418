// Regions in the view: their shapes, arrows of what they do, and the handles with which the selected one is moved and sized.
import * as THREE from 'three';
import type { Document } from '../model/document';
import { extent, inVoxels, KIND_COLOR, kindOf, touched } from '../model/regions';
import { AXES, type Axis, type Region, type Vec3 } from '../model/types';
import type { Viewer, ViewPointer } from '../view/viewer';
import * as editing from './editing';

interface Handle { at: THREE.Vector3; axis: Axis | undefined; side: -1 | 0 | 1 }

const PICK_PX = 13;
// Places and box sides snap to voxels, radii to halves of voxels; with Ctrl both to twentieths.
const round = (v: number, free: boolean): number => (free ? Math.round(v * 20) / 20 : Math.round(v));
const roundRadius = (v: number, free: boolean): number => (free ? Math.round(v * 20) / 20 : Math.round(v * 2) / 2);

export class Handles {
  readonly group = new THREE.Group();
  private handles: Handle[] = [];
  private readonly dots = new THREE.Group();
  private readonly dotGeometry = new THREE.SphereGeometry(1, 16, 12);
  private drag: { handle: Handle; region: Region; plane: THREE.Plane; start: THREE.Vector3 } | undefined;
  private hot = -1;
  private drags = 0; // counts them: each is one step of undo

  constructor(private readonly viewer: Viewer, private readonly doc: Document) {
    this.group.add(this.dots);
    viewer.marks.add(this.group);
  }

  private selected(): Region | undefined {
    return this.doc.props.value.regions.find((r) => r.name === editing.region.value);
  }

  // Draws all regions anew; handles only for the selected one while regions are edited.
  update(shown: boolean, editable: boolean): void {
    for (const child of [...this.group.children]) if (child !== this.dots) this.remove(child);
    this.dots.clear();
    this.handles = [];
    if (!shown) return;
    const { grid } = this.doc;
    const pitch = this.doc.props.value.pitch;
    for (const region of this.doc.props.value.regions) {
      const active = editable && region.name === editing.region.value;
      const kind = kindOf(region);
      const color = new THREE.Color(KIND_COLOR[kind]);
      const shape = inVoxels(region, grid, pitch);
      const { low, high } = extent(shape);
      const middle = new THREE.Vector3(...low.map((l, a) => (l + high[a]!) / 2) as Vec3);
      const size = low.map((l, a) => Math.max(0.02, high[a]! - l)) as Vec3;
      let geometry: THREE.BufferGeometry;
      if (shape.box) geometry = new THREE.BoxGeometry(...size);
      else if (shape.cylinder) {
        geometry = new THREE.CylinderGeometry(shape.cylinder.radius, shape.cylinder.radius, shape.cylinder.length, 40);
        if (shape.cylinder.axis === 'x') geometry.rotateZ(Math.PI / 2);
        if (shape.cylinder.axis === 'z') geometry.rotateX(Math.PI / 2);
      } else {
        geometry = new THREE.SphereGeometry(0.5, 32, 20);
        geometry.scale(...size);
      }
      const inflate = 1.002; // just outside the voxels' faces
      const fill = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color, transparent: true, opacity: active ? 0.42 : 0.28, depthWrite: false }));
      fill.position.copy(middle);
      fill.scale.setScalar(inflate);
      fill.renderOrder = 4;
      const lines = new THREE.LineSegments(
        new THREE.EdgesGeometry(geometry, 30), new THREE.LineBasicMaterial({ color, transparent: true, opacity: active ? 1 : 0.7, depthTest: !active }));
      lines.position.copy(middle);
      lines.scale.setScalar(inflate);
      lines.renderOrder = 5;
      this.group.add(fill, lines);
      this.arrows(region, middle, color, Math.max(...grid.size));
      if (active) {
        for (const a of [0, 1, 2] as Axis[])
          for (const side of [-1, 1] as const) {
            const at = middle.clone();
            at.setComponent(a, side < 0 ? low[a]! : high[a]!);
            this.handles.push({ at, axis: a, side });
          }
        this.handles.push({ at: middle.clone(), axis: undefined, side: 0 });
      }
    }
    this.handles.forEach((h, i) => {
      const tone = h.axis === undefined ? '#ffffff' : ['#e5484d', '#30a46c', '#3b82f6'][h.axis]!;
      const dot = new THREE.Mesh(this.dotGeometry, new THREE.MeshBasicMaterial({ color: tone, depthTest: false, transparent: true }));
      dot.position.copy(h.at);
      dot.renderOrder = 12 + i;
      this.dots.add(dot);
    });
    this.viewer.draw();
  }
  private remove(child: THREE.Object3D): void {
    this.group.remove(child);
    child.traverse((o) => {
      if (o instanceof THREE.Mesh || o instanceof THREE.LineSegments || o instanceof THREE.Line) o.geometry.dispose();
    });
  }
  private arrows(region: Region, middle: THREE.Vector3, color: THREE.Color, span: number): void {
    const length = Math.max(2, span * 0.28);
    const add = (v: Vec3 | undefined, double: boolean) => {
      if (!v || v.every((x) => x === 0)) return;
      const arrow = new THREE.Group();
      const part = (geometry: THREE.BufferGeometry, at: number) => {
        geometry.translate(0, at, 0);
        const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true }));
        mesh.renderOrder = 8;
        arrow.add(mesh);
      };
      part(new THREE.CylinderGeometry(length * 0.022, length * 0.022, length * 0.75, 12), length * 0.375);
      part(new THREE.ConeGeometry(length * 0.075, length * 0.26, 20), length * 0.87);
      // A torque has two heads, as in drawings of mechanisms.
      if (double) part(new THREE.ConeGeometry(length * 0.075, length * 0.26, 20), length * 0.67);
      arrow.position.copy(middle);
      arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...v).normalize());
      this.group.add(arrow);
    };
    add(region.force, false);
    add(region.torque, true);
    add(region.displacement, false);
  }
  // Dots have the same size on the screen at any distance.
  scale(): void {
    const { rig } = this.viewer;
    this.dots.children.forEach((dot, i) => dot.scale.setScalar(rig.pitchesPerPixel * (i === this.hot ? 8 : 5.5)));
  }

  private find(p: ViewPointer): number {
    let best = -1;
    let distance = PICK_PX;
    this.handles.forEach((h, i) => {
      const s = this.viewer.toScreen(h.at);
      const d = Math.hypot(s.x - p.x, s.y - p.y);
      if (d < distance) {
        distance = d;
        best = i;
      }
    });
    return best;
  }
  hover(p: ViewPointer): boolean {
    const now = this.find(p);
    if (now !== this.hot) {
      this.hot = now;
      this.viewer.draw();
    }
    this.viewer.canvas.style.cursor = now >= 0 ? 'grab' : '';
    return now >= 0;
  }
  down(p: ViewPointer): boolean {
    const i = this.find(p);
    const region = this.selected();
    if (i < 0 || !region) return false;
    const handle = this.handles[i]!;
    const forward = this.viewer.rig.forward();
    // The middle moves in the lattice plane that faces the eye most; a side along its axis, in the plane through it that does.
    let normal: THREE.Vector3;
    if (handle.axis === undefined) {
      const a = [0, 1, 2].reduce((b, k) => (Math.abs(forward.getComponent(k)) > Math.abs(forward.getComponent(b)) ? k : b), 0);
      normal = new THREE.Vector3().setComponent(a, 1);
    } else {
      const along = new THREE.Vector3().setComponent(handle.axis, 1);
      normal = forward.clone().addScaledVector(along, -forward.dot(along));
      if (normal.lengthSq() < 1e-4) normal.set(0, 0, 0).setComponent((handle.axis + 1) % 3, 1);
      normal.normalize();
    }
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, handle.at);
    const start = p.ray.intersectPlane(plane, new THREE.Vector3()) ?? handle.at.clone();
    const voxels = inVoxels(region, this.doc.grid, this.doc.props.value.pitch);
    this.drags++;
    this.drag = { handle: { ...handle, at: handle.at.clone() }, region: voxels, plane, start };
    return true;
  }
  move(p: ViewPointer): boolean {
    if (!this.drag) return false;
    const { handle, region, plane, start } = this.drag;
    const hit = p.ray.intersectPlane(plane, new THREE.Vector3());
    if (!hit) return true;
    const d = hit.sub(start).toArray() as Vec3;
    const free = (p.event as MouseEvent).ctrlKey;
    const next = handle.axis === undefined ? moved(region, d.map((v) => round(v, free)) as Vec3) : sized(region, handle.axis, handle.side, d[handle.axis], free);
    this.doc.edit(
      handle.axis === undefined ? `Move region ${region.name}` : `Size region ${region.name}`,
      (props) => ({ ...props, regions: props.regions.map((r) => (r.name === region.name ? next : r)) }),
      `drag ${this.drags}`,
    );
    return true;
  }
  up(): boolean {
    const was = !!this.drag;
    this.drag = undefined;
    return was;
  }
  get dragging(): boolean {
    return !!this.drag;
  }
  // How many voxels the region acts on, for its label.
  count(region: Region): number {
    return touched(region, this.doc.grid, this.doc.props.value.pitch).length;
  }
}

const plus = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

export function moved(r: Region, d: Vec3): Region {
  if (r.box) return { ...r, box: { ...r.box, corner: plus(r.box.corner, d) } };
  if (r.sphere) return { ...r, sphere: { ...r.sphere, center: plus(r.sphere.center, d) } };
  if (r.cylinder) return { ...r, cylinder: { ...r.cylinder, center: plus(r.cylinder.center, d) } };
  return { ...r, ellipsoid: { ...r.ellipsoid!, center: plus(r.ellipsoid!.center, d) } };
}

// Drags one side along its axis by `d`; a side snaps and does not pass the opposite one.
export function sized(r: Region, a: Axis, side: -1 | 0 | 1, d: number, free: boolean): Region {
  if (r.box) {
    const corner: Vec3 = [...r.box.corner];
    const size: Vec3 = [...r.box.size];
    if (side > 0) size[a] = Math.max(0, round(corner[a] + size[a] + d, free) - corner[a]);
    else {
      const high = corner[a] + size[a];
      corner[a] = Math.min(high, round(corner[a] + d, free));
      size[a] = high - corner[a];
    }
    return { ...r, box: { corner, size } };
  }
  const grow = d * side;
  if (r.sphere) return { ...r, sphere: { ...r.sphere, radius: Math.max(0.25, roundRadius(r.sphere.radius + grow, free)) } };
  if (r.cylinder) {
    const c = r.cylinder;
    if (AXES[a] !== c.axis) return { ...r, cylinder: { ...c, radius: Math.max(0.25, roundRadius(c.radius + grow, free)) } };
    const center: Vec3 = [...c.center];
    const length = Math.max(0, round(c.length + grow, free));
    center[a] += (side * (length - c.length)) / 2;
    return { ...r, cylinder: { ...c, center, length } };
  }
  const radius: Vec3 = [...r.ellipsoid!.radius];
  radius[a] = Math.max(0.25, roundRadius(radius[a] + grow, free));
  return { ...r, ellipsoid: { ...r.ellipsoid!, radius } };
}
