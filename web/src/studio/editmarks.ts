// What the editor draws over the body: the selection, a copy in hand, planes of symmetry, what is measured.
import * as THREE from 'three';
import type { Document } from '../model/document';
import { Grid } from '../model/grid';
import { isSelected } from '../model/selection';
import { isSymmetric } from '../model/symmetry';
import type { Axis, Vec3 } from '../model/types';
import { formatUnit } from '../model/units';
import { meshOfGrid } from '../view/mesh';
import { paintMaterials } from '../view/paint';
import { AXIS_COLORS } from '../view/rulers';
import type { Viewer } from '../view/viewer';
import * as editing from './editing';
import * as settings from './settings';

const SELECTED = '#0aa2a2';

export class EditMarks {
  private readonly group = new THREE.Group();
  private readonly box: THREE.LineSegments;
  private readonly cells: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly planes = new THREE.Group();
  private readonly line: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private block: unknown;

  constructor(private readonly viewer: Viewer, private readonly doc: Document) {
    this.box = new THREE.LineSegments(new THREE.EdgesGeometry(new THREE.BoxGeometry(1, 1, 1)), new THREE.LineBasicMaterial({ color: SELECTED, depthTest: false, transparent: true }));
    this.box.renderOrder = 9;
    this.cells = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({
      color: SELECTED, transparent: true, opacity: 0.38, depthWrite: false, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2,
    }));
    this.cells.frustumCulled = false;
    this.cells.renderOrder = 6;
    this.line = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: SELECTED, depthTest: false, transparent: true }));
    this.line.frustumCulled = false;
    this.line.renderOrder = 12;
    this.group.add(this.box, this.cells, this.planes, this.line);
    viewer.marks.add(this.group);
  }

  update(shown: boolean): void {
    this.group.visible = shown;
    if (!shown) {
      this.viewer.labels.keep('measure ', new Set());
      return;
    }
    this.select();
    this.hold();
    this.mirror();
    this.measure();
    this.viewer.draw();
  }
  private select(): void {
    const s = this.doc.selection.value;
    this.box.visible = !!s;
    this.cells.visible = !!s?.cells;
    if (!s) return;
    this.box.scale.set(...(s.high.map((h, a) => h - s.low[a]! + 1.04) as Vec3));
    this.box.position.set(...(s.high.map((h, a) => (h + s.low[a]! + 1) / 2) as Vec3));
    if (!s.cells) return;
    const mesh = meshOfGrid(this.doc.grid, 1, (x, y, z) => isSelected(s, x, y, z));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(mesh.start, 3));
    const index = new Uint32Array((mesh.face.length / 4) * 6);
    for (let f = 0; f < mesh.face.length / 4; f++) {
      const c = mesh.face.subarray(4 * f, 4 * f + 4);
      index.set([c[0]!, c[1]!, c[2]!, c[0]!, c[2]!, c[3]!], 6 * f);
    }
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.cells.geometry.dispose();
    this.cells.geometry = geometry;
  }
  // The copy in hand, half seen through, where it would be put down.
  private hold(): void {
    const f = editing.floating.value;
    const { other } = this.viewer;
    other.group.visible = !!f;
    if (!f) {
      this.block = undefined;
      return;
    }
    const { pitch, materials } = this.doc.props.value;
    if (this.block !== f.block) {
      this.block = f.block;
      const grid = new Grid(f.block.size);
      grid.material.set(f.block.material);
      other.setMesh(meshOfGrid(grid, pitch, () => true));
      other.setOpacity(0.55);
      other.setTint(undefined, 0);
      other.setColors(paintMaterials(materials.map((m) => m.color)));
      other.group.position.set(0, 0, 0);
    }
    other.setFrame(other.mesh!.start, f.at.map((v) => v * pitch));
    other.group.visible = true;
  }
  private mirror(): void {
    for (const child of [...this.planes.children]) {
      this.planes.remove(child);
      child.traverse((o) => o instanceof THREE.Mesh && o.geometry.dispose());
    }
    const s = editing.symmetry.value;
    if (!isSymmetric(s) || editing.activeTool.value === 'orbit') return;
    const size = this.doc.grid.size;
    for (const a of [0, 1, 2] as Axis[]) {
      if (!s.mirror[a]) continue;
      const span: Vec3 = [...size];
      span[a] = 0.02;
      const geometry = new THREE.BoxGeometry(...span);
      const at = size.map((n) => n / 2) as Vec3;
      at[a] = s.center[a];
      const fill = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: AXIS_COLORS[a], transparent: true, opacity: 0.07, depthWrite: false, side: THREE.DoubleSide }));
      const edges = new THREE.LineSegments(new THREE.EdgesGeometry(geometry), new THREE.LineBasicMaterial({ color: AXIS_COLORS[a], transparent: true, opacity: 0.7 }));
      for (const o of [fill, edges]) {
        o.position.set(...at);
        o.renderOrder = 7;
        this.planes.add(o);
      }
    }
    if (s.turns > 1) {
      const from: Vec3 = [...s.center];
      const to: Vec3 = [...s.center];
      from[s.axis] = 0;
      to[s.axis] = size[s.axis] * 1.08;
      this.planes.add(new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(...from), new THREE.Vector3(...to)]), new THREE.LineBasicMaterial({ color: AXIS_COLORS[s.axis] })));
    }
  }
  private measure(): void {
    const m = settings.measuring.value ? editing.measured.value : undefined;
    this.line.visible = !!m;
    if (!m) {
      this.viewer.labels.keep('measure ', new Set());
      return;
    }
    const center = (c: Vec3) => new THREE.Vector3(c[0] + 0.5, c[1] + 0.5, c[2] + 0.5);
    const [a, b] = [center(m.from), center(m.to)];
    this.line.geometry.dispose();
    this.line.geometry = new THREE.BufferGeometry().setFromPoints([a, b]);
    const { pitch } = this.doc.props.value;
    const d = m.to.map((v, i) => v - m.from[i]!);
    this.viewer.labels.set('measure distance', {
      text: `${formatUnit(a.distanceTo(b) * pitch, 'm', 4)}   (${d.map((v, i) => `${'xyz'[i]} ${v}`).filter((_, i) => d[i] !== 0).join(', ') || '0'} cells)`, at: a.clone().add(b).multiplyScalar(0.5), tone: 'size',
    });
  }
}
