// What acts on the body, drawn over the simulation: regions, held faces, loads, and contacts with their forces. Each can be switched off.
import * as THREE from 'three';
import { extent, inVoxels, isFixed, KIND_COLOR, kindOf, touched } from '../model/regions';
import type { Region, Vec3 } from '../model/types';
import type { Mesh } from '../view/mesh';
import type { Viewer } from '../view/viewer';
import type { Frame, Session } from './session';
import * as settings from './settings';

const UP = new THREE.Vector3(0, 1, 0);

interface Acting { region: Region; voxels: number[]; outline: THREE.LineSegments; start: THREE.Vector3; arrows: { object: THREE.Group; offset: number }[] }

export class Overlays {
  readonly group = new THREE.Group();
  private acting: Acting[] = [];
  private held: { mesh: THREE.Mesh; corners: Uint32Array } | undefined;
  private readonly contacts: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly points: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private mesh: Mesh | undefined;
  private strongest = 0;
  private run = -1;

  constructor(private readonly viewer: Viewer, private readonly session: Session) {
    const lines = new THREE.LineBasicMaterial({ color: '#e8590c', depthTest: false, transparent: true });
    this.contacts = new THREE.LineSegments(new THREE.BufferGeometry(), lines);
    this.points = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: '#e8590c', size: 5, sizeAttenuation: false, depthTest: false, transparent: true }));
    for (const o of [this.contacts, this.points]) {
      o.frustumCulled = false;
      o.renderOrder = 8;
      this.group.add(o);
    }
    viewer.marks.add(this.group);
  }

  // Draws anew what belongs to the scene: after another mesh, another scene, a switch.
  rebuild(mesh: Mesh | undefined): void {
    this.mesh = mesh;
    for (const a of this.acting) {
      this.drop(a.outline);
      for (const { object } of a.arrows) this.drop(object);
    }
    this.acting = [];
    if (this.held) this.drop(this.held.mesh);
    this.held = undefined;
    if (!mesh) return;
    const { doc } = this.session;
    const { regions, pitch } = doc.props.value;
    const at = new Map<number, number>();
    for (let i = 0; i < mesh.voxel.length; i++) at.set(doc.grid.index(mesh.cell[3 * i]!, mesh.cell[3 * i + 1]!, mesh.cell[3 * i + 2]!), i);
    const span = Math.max(...doc.grid.size);
    const fixed = new Set<number>();
    for (const region of regions) {
      const voxels = touched(region, doc.grid, pitch).flatMap((c) => at.get(c) ?? []);
      if (isFixed(region)) for (const v of voxels) fixed.add(v);
      const color = new THREE.Color(KIND_COLOR[kindOf(region)]);
      const { low, high } = extent(inVoxels(region, doc.grid, pitch));
      const size = low.map((l, a) => Math.max(0.02, high[a]! - l)) as Vec3;
      const outline = new THREE.LineSegments(new THREE.EdgesGeometry(new THREE.BoxGeometry(...size)), new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.8 }));
      outline.position.set(...(low.map((l, a) => (l + high[a]!) / 2) as Vec3));
      outline.renderOrder = 5;
      this.group.add(outline);
      const acting: Acting = { region, voxels, outline, start: outline.position.clone(), arrows: [] };
      for (const [v, double] of [[region.force, false], [region.torque, true]] as const)
        if (v?.some((x) => x !== 0)) {
          const object = makeArrow(v, double, color, Math.max(2, span * 0.24));
          this.group.add(object);
          acting.arrows.push({ object, offset: 0 });
        }
      this.acting.push(acting);
    }
    if (fixed.size) this.held = this.makeHeld(mesh, fixed);
    this.show();
  }
  show(): void {
    const o = settings.overlays.value;
    for (const a of this.acting) {
      a.outline.visible = o.regions;
      for (const { object } of a.arrows) object.visible = o.loads;
    }
    if (this.held) this.held.mesh.visible = o.fixed;
    if (!o.contacts) this.contacts.visible = this.points.visible = false;
    this.viewer.draw();
  }
  // Moves everything along with a picture.
  move(frame: Frame & { contacts?: Float32Array }): void {
    const mesh = this.mesh;
    if (!mesh) return;
    const { body } = this.viewer;
    const p = new THREE.Vector3();
    const mean = new THREE.Vector3();
    for (const a of this.acting) {
      if (!a.voxels.length) continue;
      mean.set(0, 0, 0);
      const stride = Math.max(1, Math.floor(a.voxels.length / 60));
      let count = 0;
      for (let i = 0; i < a.voxels.length; i += stride, count++) {
        body.center(a.voxels[i]!, p);
        mean.add(p).sub(cellCenter(mesh, a.voxels[i]!, p));
      }
      mean.divideScalar(count);
      a.outline.position.copy(a.start).add(mean);
      for (const { object } of a.arrows) object.position.copy(a.outline.position);
    }
    if (this.held) {
      const attribute = this.held.mesh.geometry.getAttribute('position') as THREE.BufferAttribute;
      const out = attribute.array as Float32Array;
      const { corners, origin } = body;
      const list = this.held.corners;
      for (let i = 0; i < list.length; i++) {
        const k = 3 * list[i]!;
        out[3 * i] = (corners[k]! + origin.x) / mesh.pitch;
        out[3 * i + 1] = (corners[k + 1]! + origin.y) / mesh.pitch;
        out[3 * i + 2] = (corners[k + 2]! + origin.z) / mesh.pitch;
      }
      attribute.needsUpdate = true;
    }
    this.moveContacts(frame);
  }
  private moveContacts(frame: Frame): void {
    const list = frame.contacts;
    const on = settings.overlays.value.contacts && !!list && list.length > 0;
    this.contacts.visible = this.points.visible = on;
    if (!on || !this.mesh) return;
    const run = this.session.time.now.peek()?.run ?? 0;
    if (run !== this.run) {
      this.run = run;
      this.strongest = 0;
    }
    const { pitch } = this.mesh;
    const count = list.length / 6;
    for (let i = 3; i < list.length; i += 6) this.strongest = Math.max(this.strongest, Math.hypot(list[i]!, list[i + 1]!, list[i + 2]!));
    // The strongest contact of the run is a quarter of the body long.
    const length = (Math.max(3, 0.25 * Math.max(...this.session.doc.grid.size))) / Math.max(this.strongest, 1e-300);
    // Dots smaller than voxels: where many touch, one still sees what they touch.
    this.points.material.size = Math.max(1.5, Math.min(5, 0.3 / this.viewer.rig.pitchesPerPixel));
    const lines = room(this.contacts.geometry, 18 * count);
    const dots = room(this.points.geometry, 3 * count);
    const eye = this.viewer.rig.forward();
    const [ox, oy, oz] = frame.origin;
    for (let i = 0, k = 0; i < count; i++, k += 6) {
      const [fx, fy, fz] = [list[k + 3]! * length, list[k + 4]! * length, list[k + 5]! * length];
      // From the side that touches, against the force.
      const reach = 0.5 / Math.max(1e-300, Math.abs(fx), Math.abs(fy), Math.abs(fz));
      const x = (list[k]! + ox) / pitch - fx * reach;
      const y = (list[k + 1]! + oy) / pitch - fy * reach;
      const z = (list[k + 2]! + oz) / pitch - fz * reach;
      dots[3 * i] = x;
      dots[3 * i + 1] = y;
      dots[3 * i + 2] = z;
      // The head: to both sides, across the line of sight.
      const [sx, sy, sz] = [fy * eye.z - fz * eye.y, fz * eye.x - fx * eye.z, fx * eye.y - fy * eye.x];
      const wide = (0.09 * Math.hypot(fx, fy, fz)) / Math.max(1e-300, Math.hypot(sx, sy, sz));
      let o = 18 * i;
      for (const [px, py, pz, side] of [[x, y, z, 0], [x + 0.78 * fx, y + 0.78 * fy, z + 0.78 * fz, wide], [x + 0.78 * fx, y + 0.78 * fy, z + 0.78 * fz, -wide]] as const) {
        lines[o++] = px + side * sx;
        lines[o++] = py + side * sy;
        lines[o++] = pz + side * sz;
        lines[o++] = x + fx;
        lines[o++] = y + fy;
        lines[o++] = z + fz;
      }
    }
  }
  private makeHeld(mesh: Mesh, fixed: Set<number>): { mesh: THREE.Mesh; corners: Uint32Array } {
    const faces: number[] = [];
    for (let f = 0; f < mesh.faceVoxel.length; f++) if (fixed.has(mesh.faceVoxel[f]!)) faces.push(f);
    const corners = new Uint32Array(4 * faces.length);
    const index = new Uint32Array(6 * faces.length);
    faces.forEach((f, i) => {
      for (let c = 0; c < 4; c++) corners[4 * i + c] = mesh.face[4 * f + c]!;
      index.set([4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3], 6 * i);
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * corners.length), 3));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const object = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({
      color: KIND_COLOR.fix, transparent: true, opacity: 0.5, depthWrite: false, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2,
    }));
    object.frustumCulled = false;
    object.renderOrder = 4;
    this.group.add(object);
    return { mesh: object, corners };
  }
  private drop(object: THREE.Object3D): void {
    this.group.remove(object);
    object.traverse((o) => {
      if (o instanceof THREE.Mesh || o instanceof THREE.LineSegments) o.geometry.dispose();
    });
  }
}

// Positions of a geometry, at least so many numbers, to be filled and drawn: grown now and then rather than made for each picture.
function room(geometry: THREE.BufferGeometry, count: number): Float32Array {
  let attribute = geometry.getAttribute('position') as THREE.BufferAttribute | undefined;
  if (!attribute || attribute.array.length < count) {
    geometry.dispose(); // frees the buffer on the graphics side
    attribute = new THREE.BufferAttribute(new Float32Array(Math.ceil((1.5 * count) / 6) * 6), 3);
    attribute.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute('position', attribute);
  }
  geometry.setDrawRange(0, count / 3);
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, count);
  attribute.needsUpdate = true;
  return attribute.array as Float32Array;
}

const cellCenter = (mesh: Mesh, v: number, out: THREE.Vector3): THREE.Vector3 => out.set(mesh.cell[3 * v]! + 0.5, mesh.cell[3 * v + 1]! + 0.5, mesh.cell[3 * v + 2]! + 0.5);

// An arrow from the origin; with two heads for a torque, as in drawings of mechanisms.
export function makeArrow(v: Vec3, double: boolean, color: THREE.Color, length: number): THREE.Group {
  const arrow = new THREE.Group();
  const part = (geometry: THREE.BufferGeometry, at: number) => {
    geometry.translate(0, at, 0);
    const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true }));
    mesh.renderOrder = 8;
    arrow.add(mesh);
  };
  part(new THREE.CylinderGeometry(length * 0.022, length * 0.022, length * 0.75, 12), length * 0.375);
  part(new THREE.ConeGeometry(length * 0.075, length * 0.26, 20), length * 0.87);
  if (double) part(new THREE.ConeGeometry(length * 0.075, length * 0.26, 20), length * 0.67);
  arrow.quaternion.setFromUnitVectors(UP, new THREE.Vector3(...v).normalize());
  return arrow;
}
