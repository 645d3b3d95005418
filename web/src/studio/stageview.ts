// Shows the session in the 3-D view: the document while it is edited, the simulation or a solved shape otherwise; marks the hovered cell,
// the selection, probes, faults and pulls; and hands the mouse to the tool of the moment.
import { effect, signal, untracked } from '@preact/signals';
import * as THREE from 'three';
import { defaultBrush } from '../model/brush';
import { noSymmetry } from '../model/symmetry';
import type { Vec3 } from '../model/types';
import { hexColor } from '../view/colormap';
import { meshOfGrid } from '../view/mesh';
import { legendFor, paintField, paintMaterials, type Legend } from '../view/paint';
import { Viewer, type Tool, type ViewPointer } from '../view/viewer';
import { Drawing } from './drawing';
import * as editing from './editing';
import { EditMarks } from './editmarks';
import { Handles } from './handles';
import type { Session } from './session';
import * as settings from './settings';
import { SimView } from './simview';

export const PART_COLORS = ['#b9c1cb', '#d9793d', '#4f86c6', '#7fb069', '#c65b7c', '#e0b13f', '#7d6bb3', '#4fa8a0', '#b0784f'];

export class StageView implements Tool {
  readonly viewer: Viewer;
  readonly legend = signal<Legend | undefined>(undefined);
  readonly frameRate = signal(0);
  readonly pointed = signal<{ x: number; y: number; text: string } | undefined>(undefined); // what the pointer is over, while simulating
  readonly sim: SimView;
  private readonly drawing: Drawing;
  private readonly handles: Handles;
  private readonly marks: EditMarks;
  private readonly cursor: THREE.LineSegments;
  private pulling: { index: number; voxel: number; plane: THREE.Plane; offset: THREE.Vector3 } | undefined;
  private over: ViewPointer | undefined; // where the pointer rests
  private pointAgain = 0;
  private fresh = false; // a frame waits to be drawn
  private first = true;
  private worldFirst = true; // nothing was seen yet of what is around the body

  constructor(host: HTMLElement, readonly session: Session) {
    this.viewer = new Viewer(host);
    const { viewer } = this;
    viewer.tool = this;
    this.drawing = new Drawing(viewer, session.doc, (text) => session.say(text, 'bad'));
    this.marks = new EditMarks(viewer, session.doc);
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
      editing.part.value = 0;
      editing.floating.value = undefined;
      editing.measured.value = undefined;
      editing.symmetry.value = noSymmetry(session.doc.grid.size);
      editing.brush.value = defaultBrush();
      settings.section.value = { ...settings.section.value, on: false };
      this.first = true;
      this.worldFirst = true;
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
      void editing.onlyLayer.value;
      void doc.props.value.parts;
      void editing.activeTool.value;
      void settings.section.value;
      void settings.look.value;
      const mode = session.mode.value;
      untracked(() => (mode === 'edit' ? this.showDocument() : undefined));
    });
    effect(() => {
      void doc.props.value.materials;
      void editing.paints.value;
      void editing.tab.value;
      void doc.props.value.parts;
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
      const on = !!h && session.mode.value === 'edit' && (editing.activeTool.value !== 'orbit' || settings.measuring.value) && !editing.floating.value;
      this.cursor.visible = on;
      if (h) this.cursor.position.set(h.cell[0] + 0.5, h.cell[1] + 0.5, h.cell[2] + 0.5);
      viewer.draw();
    });
    effect(() => {
      const shown = session.mode.value === 'edit';
      void doc.selection.value;
      void doc.voxels.value;
      void editing.floating.value;
      void editing.symmetry.value;
      void editing.measured.value;
      void settings.measuring.value;
      void editing.activeTool.value;
      untracked(() => this.marks.update(shown));
    });
    effect(() => {
      const world = session.world.value;
      const { pitch, environment } = doc.props.value;
      viewer.solidFloor = environment.floor;
      untracked(() => {
        viewer.setWorld(world, pitch);
        // It comes a moment after the scene.
        if (world && this.worldFirst) this.frameDocument();
        if (world) this.worldFirst = false;
      });
    });
    effect(() => viewer.showWorld(settings.world.value));
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
    const box = this.session.mode.value === 'simulate' ? this.viewer.allBox() : this.viewer.bodyBox();
    if (box.isEmpty()) box.set(new THREE.Vector3(), new THREE.Vector3(...this.session.doc.grid.size));
    this.viewer.rig.frame(box);
  }
  // The first look at a document: the whole of it.
  frameDocument(): void {
    const box = this.viewer.bodyBox();
    const size = this.session.doc.grid.size;
    // Below an empty one there is room for what is said there.
    if (box.isEmpty()) box.set(new THREE.Vector3(0, 0, -0.22 * size[2]), new THREE.Vector3(...size));
    // What stands or falls is seen with its floor.
    if (this.session.doc.props.value.environment.floor) box.min.z = Math.min(0, box.min.z);
    // Ground and solids say where a body is: some of them is seen, too.
    if (this.viewer.world.hasGround) box.expandByScalar(0.3 * box.getSize(new THREE.Vector3()).length());
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
    const hidden = editing.hiddenCell(doc);
    const solid = meshOfGrid(doc.grid, pitch, (x, y, z) => {
      c[0] = x;
      c[1] = y;
      c[2] = z;
      return (onLayer ? c[axis] === layer : kept(c)) && !hidden?.(doc.grid.index(x, y, z));
    });
    viewer.body.setSection(undefined);
    viewer.body.showGhost(false);
    viewer.body.setLook(settings.look.value === 'skin' && !onLayer ? 'skin' : 'voxels');
    viewer.body.setMesh(solid);
    viewer.faded.setMesh(
      onLayer && !editing.onlyLayer.value
        ? meshOfGrid(doc.grid, pitch, (x, y, z) => {
            c[0] = x;
            c[1] = y;
            c[2] = z;
            return c[axis] !== layer && !hidden?.(doc.grid.index(x, y, z));
          })
        : undefined,
    );
    viewer.faded.group.visible = onLayer && !editing.onlyLayer.value;
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
    if ((channel !== 'material' && editing.tab.value === 'draw') || editing.tab.value === 'parts') {
      const shown = editing.tab.value === 'parts' ? 'part' : channel;
      let min = Infinity;
      let max = -Infinity;
      for (const body of bodies)
        for (const cell of body.mesh?.voxel ?? []) {
          const v = doc.grid.get(shown, cell);
          min = Math.min(min, v);
          max = Math.max(max, v);
        }
      if (min > max) min = max = 0;
      if (shown === 'part') {
        const names = doc.props.value.parts.map((q) => q.name);
        const rgb = ['no part', ...names].map((_, i) => hexColor(PART_COLORS[i % PART_COLORS.length]!));
        for (const body of bodies)
          body.setColors((tint, mesh) => {
            for (let v = 0; v < mesh.voxel.length; v++) tint.set(rgb[doc.grid.get('part', mesh.voxel[v]!)] ?? rgb[0]!, 3 * v);
          });
        this.legend.value = { title: 'Parts', unit: '', map: 'sequential', low: 0, high: 1, entries: ['no part', ...names].map((text, i) => ({ text, color: PART_COLORS[i % PART_COLORS.length]! })) };
      } else {
        const legend = legendFor(shown, shown, shown === 'phase' ? 'cycles' : shown === 'stiffness' ? 'Pa' : 'factor', min, max);
        for (const body of bodies) {
          const mesh = body.mesh;
          if (!mesh) continue;
          const values = Float64Array.from(mesh.voxel, (cell) => doc.grid.get(shown as Exclude<typeof shown, 'material'>, cell));
          body.setColors(paintField(values, legend.map, legend.low, legend.high));
        }
        this.legend.value = legend;
      }
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
  cancel(): void {
    if (this.pulling) this.up();
    else if (!this.handles.up()) this.drawing.cancel();
  }
  down(p: ViewPointer): boolean {
    if (!this.simulating) return (!editing.floating.value && this.handles.down(p)) || this.drawing.down(p);
    if (settings.measuring.value) {
      const at = this.pick(p);
      this.sim.measure = at && { from: at.index, to: at.index };
      this.sim.mark();
      return !!at;
    }
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
    if (this.sim.measure && settings.measuring.value) {
      const at = this.pick(p);
      if (at) this.sim.measure = { from: this.sim.measure.from, to: at.index };
      this.sim.mark();
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
