// Shows the session in the 3-D view: the document while it is edited, the simulation or a solved shape otherwise; marks the hovered cell,
// the selection, probes, faults and pulls; and hands the mouse to the tool of the moment.
import { effect, signal, untracked } from '@preact/signals';
import * as THREE from 'three';
import type { Vec3 } from '../model/types';
import { meshOfGrid } from '../view/mesh';
import { legendFor, paintField, paintMaterials, type Legend } from '../view/paint';
import { Viewer, type Tool, type ViewPointer } from '../view/viewer';
import { Drawing } from './drawing';
import * as editing from './editing';
import { Handles } from './handles';
import type { Session } from './session';
import * as settings from './settings';
import { SimView } from './simview';

export class StageView implements Tool {
  readonly viewer: Viewer;
  readonly legend = signal<Legend | undefined>(undefined);
  readonly frameRate = signal(0);
  readonly pointed = signal<{ x: number; y: number; text: string } | undefined>(undefined); // what the pointer is over, while simulating
  readonly sim: SimView;
  private readonly drawing: Drawing;
  private readonly handles: Handles;
  private readonly cursor: THREE.LineSegments;
  private readonly selectionBox: THREE.LineSegments;
  private pulling: { index: number; voxel: number; plane: THREE.Plane; offset: THREE.Vector3 } | undefined;
  private over: ViewPointer | undefined; // where the pointer rests
  private pointAgain = 0;
  private fresh = false; // a frame waits to be drawn
  private first = true;

  constructor(host: HTMLElement, readonly session: Session) {
    this.viewer = new Viewer(host);
    const { viewer } = this;
    viewer.tool = this;
    this.drawing = new Drawing(viewer, session.doc);
    this.handles = new Handles(viewer, session.doc);
    const cube = new THREE.EdgesGeometry(new THREE.BoxGeometry(1, 1, 1));
    const outline = (color: string) => {
      const lines = new THREE.LineSegments(cube, new THREE.LineBasicMaterial({ color, depthTest: false, transparent: true }));
      lines.visible = false;
      lines.renderOrder = 9;
      viewer.marks.add(lines);
      return lines;
    };
    this.cursor = outline('#1f6feb');
    this.selectionBox = outline('#0aa2a2');
    viewer.onDraw = () => {
      this.handles.scale();
      if (this.fresh) {
        this.fresh = false;
        session.drawn();
        // The body may move under a pointer that rests.
        if (this.over && performance.now() > this.pointAgain + 150) this.point(this.viewer.pointer(this.over.event));
      }
    };
    // A scene with something in it is looked at first; an empty one is drawn on.
    session.onOpen = (filled) => {
      editing.tool.value = filled ? 'orbit' : 'pencil';
      editing.tab.value = 'draw';
      editing.paints.value = 'material';
      editing.entry.value = 1;
      editing.layer.value = 0;
      editing.region.value = undefined;
      settings.section.value = { ...settings.section.value, on: false };
      this.first = true;
    };
    this.sim = new SimView(viewer, session, this.legend, () => {
      this.cursor.visible = false;
      if (!this.first) return;
      this.first = false;
      this.frameDocument();
    }, () => (this.fresh = true));
    this.watch();
    this.countFrames();
  }

  private watch(): void {
    const { session, viewer } = this;
    const { doc } = session;
    effect(() => viewer.theme(settings.isDark()));
    effect(() => {
      viewer.rig.orthographic = settings.orthographic.value;
      viewer.draw();
    });
    effect(() => {
      viewer.body.setEdges(settings.edges.value);
      viewer.draw();
    });
    // The document.
    effect(() => {
      void doc.voxels.value;
      void doc.props.value.pitch;
      void editing.layer.value;
      void editing.axis.value;
      void editing.layerOn.value;
      void editing.activeTool.value;
      void settings.section.value;
      void settings.look.value;
      const mode = session.mode.value;
      untracked(() => (mode === 'edit' ? this.showDocument() : undefined));
    });
    effect(() => {
      void doc.props.value.materials;
      void editing.paints.value;
      void doc.voxels.value;
      const mode = session.mode.value;
      untracked(() => (mode === 'edit' ? this.colorDocument() : undefined));
    });
    effect(() => {
      const { floor } = doc.props.value.environment;
      viewer.solidFloor = floor;
      viewer.stage.setWorkspace(doc.grid.size, session.mode.value === 'edit');
      void doc.voxels.value;
      viewer.draw();
    });
    effect(() => {
      void doc.props.value.regions;
      void doc.voxels.value;
      const edit = session.mode.value === 'edit';
      const editable = edit && editing.tab.value === 'regions';
      void editing.region.value;
      untracked(() => this.handles.update(edit, editable));
    });
    effect(() => {
      const h = editing.hover.value;
      const on = !!h && session.mode.value === 'edit' && editing.activeTool.value !== 'orbit';
      this.cursor.visible = on;
      if (h) this.cursor.position.set(h.cell[0] + 0.5, h.cell[1] + 0.5, h.cell[2] + 0.5);
      viewer.draw();
    });
    effect(() => {
      const s = doc.selection.value;
      this.selectionBox.visible = !!s && session.mode.value === 'edit';
      if (s) {
        this.selectionBox.scale.set(...(s.high.map((h, a) => h - s.low[a]! + 1.04) as Vec3));
        this.selectionBox.position.set(...(s.high.map((h, a) => (h + s.low[a]! + 1) / 2) as Vec3));
      }
      viewer.draw();
    });
    effect(() => {
      viewer.shadows = settings.shadow.value;
      viewer.draw();
    });
    effect(() => {
      const edit = session.mode.value === 'edit';
      void doc.voxels.value;
      viewer.rulers.shown = settings.rulers.value;
      viewer.rulers.box = edit ? new THREE.Box3(new THREE.Vector3(), new THREE.Vector3(...doc.grid.size)) : undefined;
      viewer.draw();
    });
  }

  // Counts frames of the last second, for people who want to know.
  private countFrames(): void {
    let before = this.viewer.framesDrawn;
    setInterval(() => {
      const now = this.viewer.framesDrawn;
      this.frameRate.value = now - before;
      before = now;
    }, 1000);
  }

  frame(): void {
    const box = this.viewer.bodyBox();
    if (box.isEmpty()) box.set(new THREE.Vector3(), new THREE.Vector3(...this.session.doc.grid.size));
    this.viewer.rig.frame(box);
  }
  // The first look at a document: the whole of it.
  frameDocument(): void {
    const box = this.viewer.bodyBox();
    const size = this.session.doc.grid.size;
    if (box.isEmpty()) box.set(new THREE.Vector3(), new THREE.Vector3(...size));
    // What stands or falls is seen with its floor.
    if (this.session.doc.props.value.environment.floor) box.min.z = Math.min(0, box.min.z);
    this.viewer.rig.frame(box, false);
  }

  // ---- the document

  private showDocument(): void {
    const { viewer, session } = this;
    const { doc } = session;
    const { pitch } = doc.props.value;
    viewer.pitch = pitch;
    const drawing = editing.activeTool.value !== 'orbit';
    const onLayer = drawing && editing.layerOn.value;
    const axis = editing.axis.value;
    const layer = Math.max(0, Math.min(doc.grid.size[axis] - 1, editing.layer.value));
    if (layer !== editing.layer.value) editing.layer.value = layer;
    const cut = settings.section.value;
    const kept = (c: Vec3) => !cut.on || onLayer || (cut.flip ? c[cut.axis] >= cut.at : c[cut.axis] <= cut.at);
    const c: Vec3 = [0, 0, 0];
    const solid = meshOfGrid(doc.grid, pitch, (x, y, z) => {
      c[0] = x;
      c[1] = y;
      c[2] = z;
      return onLayer ? c[axis] === layer : kept(c);
    });
    viewer.body.setSection(undefined);
    viewer.body.showGhost(false);
    viewer.body.setLook(settings.look.value === 'skin' && !onLayer ? 'skin' : 'voxels');
    viewer.body.setMesh(solid);
    viewer.faded.setMesh(
      onLayer
        ? meshOfGrid(doc.grid, pitch, (x, y, z) => {
            c[0] = x;
            c[1] = y;
            c[2] = z;
            return c[axis] !== layer;
          })
        : undefined,
    );
    viewer.faded.group.visible = onLayer;
    viewer.stage.setLayer(doc.grid.size, axis, onLayer ? layer : undefined);
    viewer.clearHighlights('', new Set());
    viewer.labels.keep('', new Set());
    this.colorDocument();
    if (this.first && session.hello.value) {
      this.first = false;
      this.frameDocument();
    }
    viewer.draw();
  }
  private colorDocument(): void {
    const { viewer, session } = this;
    const { doc } = session;
    const channel = editing.paints.value;
    const bodies = [viewer.body, viewer.faded];
    if (channel !== 'material' && editing.tab.value === 'draw') {
      let min = Infinity;
      let max = -Infinity;
      for (const body of bodies)
        for (const cell of body.mesh?.voxel ?? []) {
          const v = doc.grid.get(channel, cell);
          min = Math.min(min, v);
          max = Math.max(max, v);
        }
      if (min > max) min = max = 0;
      const legend = legendFor(channel, channel, channel === 'phase' ? 'cycles' : 'factor', min, max);
      for (const body of bodies) {
        const mesh = body.mesh;
        if (!mesh) continue;
        const values = Float64Array.from(mesh.voxel, (cell) => doc.grid.get(channel, cell));
        body.setColors(paintField(values, legend.map, legend.low, legend.high));
      }
      this.legend.value = legend;
    } else {
      const colors = doc.props.value.materials.map((m) => m.color);
      for (const body of bodies) body.setColors(paintMaterials(colors));
      this.legend.value = undefined;
    }
    viewer.draw();
  }

  // ---- the mouse

  private get simulating(): boolean {
    return this.session.mode.value === 'simulate';
  }
  pick(p: ViewPointer): { index: number; voxel: number; cell: Vec3 } | undefined {
    const mesh = this.viewer.body.mesh;
    const hit = this.viewer.body.pick(p.ray);
    if (!hit || !mesh) return undefined;
    const i = hit.voxel;
    return { index: i, voxel: mesh.voxel[i]!, cell: [mesh.cell[3 * i]!, mesh.cell[3 * i + 1]!, mesh.cell[3 * i + 2]!] };
  }
  down(p: ViewPointer): boolean {
    if (!this.simulating) return this.handles.down(p) || this.drawing.down(p);
    const e = p.event as MouseEvent;
    if (!(e.ctrlKey || e.metaKey)) return false;
    const hit = this.pick(p);
    if (!hit || this.session.shape.value) return false;
    const at = this.viewer.body.center(hit.index, new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.viewer.rig.forward(), at);
    const start = p.ray.intersectPlane(plane, new THREE.Vector3()) ?? at.clone();
    this.pulling = { index: hit.index, voxel: hit.voxel, plane, offset: at.sub(start) };
    this.move(p);
    return true;
  }
  move(p: ViewPointer): void {
    if (!this.simulating) {
      if (!this.handles.move(p)) this.drawing.move(p);
      return;
    }
    if (!this.pulling) return;
    const hit = p.ray.intersectPlane(this.pulling.plane, new THREE.Vector3());
    if (!hit) return;
    const target = hit.add(this.pulling.offset).multiplyScalar(this.viewer.pitch).toArray();
    this.session.tell('sim.pull', { voxel: this.pulling.voxel, target });
  }
  up(): void {
    if (this.pulling) {
      this.session.tell('sim.pull', { voxel: this.pulling.voxel, target: null });
      this.pulling = undefined;
    } else if (!this.handles.up()) this.drawing.up();
  }
  hover(p: ViewPointer): void {
    if (this.simulating) {
      this.point(p);
    } else if (!this.handles.hover(p)) this.drawing.hover(p);
  }
  // What the pointer is over: the voxel, its material and the value of its colour. Large bodies are asked less often.
  private point(p: ViewPointer): void {
    const mesh = this.viewer.body.mesh;
    const now = performance.now();
    this.over = p;
    if (!mesh || now < this.pointAgain) return;
    const hit = this.pick(p);
    this.pointAgain = now + Math.max(40, 8 * (performance.now() - now));
    editing.hover.value = hit && { cell: hit.cell, material: mesh.material[hit.index]! };
    if (!hit) {
      this.pointed.value = undefined;
      return;
    }
    const name = this.session.doc.props.value.materials[mesh.material[hit.index]! - 1]?.name ?? '';
    this.pointed.value = { x: p.x, y: p.y, text: this.sim.valueAt(hit.index) ?? name };
  }
  leave(): void {
    editing.hover.value = undefined;
    this.pointed.value = undefined;
    this.over = undefined;
  }
  double(p: ViewPointer): void {
    if (!this.simulating) {
      this.drawing.double(p);
      return;
    }
    const hit = this.pick(p);
    if (!hit) return;
    const { probes } = this.session;
    const id = `v${hit.voxel}`;
    const next = probes.value.some((q) => q.id === id) ? probes.value.filter((q) => q.id !== id) : [...probes.value, { id, voxel: hit.voxel, cell: hit.cell }];
    void this.session.attempt('', () => this.session.setProbes(next.map(({ id: i, voxel, region }) => (region ? { id: i, region } : { id: i, voxel }))));
  }
}
