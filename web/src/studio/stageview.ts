// Shows the session in the 3-D view: the document while it is edited, the simulation or a solved shape otherwise; marks the hovered cell,
// the selection, probes, faults and pulls; and hands the mouse to the tool of the moment.
import { effect, signal, untracked } from '@preact/signals';
import * as THREE from 'three';
import { formatUnit } from '../model/units';
import type { Vec3 } from '../model/types';
import { meshOfGrid } from '../view/mesh';
import { legendFor, paintField, paintLinks, paintMaterials, type Legend } from '../view/paint';
import { Viewer, type Tool, type ViewPointer } from '../view/viewer';
import { Drawing } from './drawing';
import * as editing from './editing';
import { Handles } from './handles';
import type { Session } from './session';
import * as settings from './settings';

export const PROBE_COLORS = ['#e5484d', '#2f7de1', '#2f9e5f', '#d18b00', '#8e4ec6', '#0d9aa8', '#c2408f', '#7a6a4f'];

export class StageView implements Tool {
  readonly viewer: Viewer;
  readonly legend = signal<Legend | undefined>(undefined);
  readonly scale = signal(1); // magnification of solved shapes
  readonly animate = signal(true);
  readonly frameRate = signal(0);
  private readonly drawing: Drawing;
  private readonly handles: Handles;
  private readonly cursor: THREE.LineSegments;
  private readonly selectionBox: THREE.LineSegments;
  private readonly pullLine: THREE.Line;
  private index = new Map<number, number>(); // voxel number -> index in the mesh
  private pulling: { index: number; voxel: number; plane: THREE.Plane; offset: THREE.Vector3 } | undefined;
  private followed: THREE.Vector3 | undefined;
  private shapeCorners: Float32Array = new Float32Array(0);
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
    this.pullLine = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
      new THREE.LineBasicMaterial({ color: '#e5484d', depthTest: false, transparent: true }));
    this.pullLine.frustumCulled = false;
    this.pullLine.visible = false;
    this.pullLine.renderOrder = 11;
    viewer.marks.add(this.pullLine);
    viewer.onDraw = () => {
      this.handles.scale();
      if (this.fresh) {
        this.fresh = false;
        session.drawn();
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
    session.onMesh = () => {
      if (session.mode.peek() === 'simulate') this.showSimulation();
    };
    session.onFrame = () => {
      if (session.mode.peek() === 'simulate' && !session.shape.peek()) this.showFrame();
      else session.drawn();
    };
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
    // The simulation.
    effect(() => {
      if (session.mode.value === 'simulate') untracked(() => this.showSimulation());
    });
    effect(() => {
      const look = settings.look.value;
      const cut = settings.section.value;
      const mode = session.mode.value;
      const ghost = settings.ghost.value;
      if (mode === 'simulate') {
        viewer.body.setLook(look);
        viewer.body.setSection(cut.on ? { axis: cut.axis, at: cut.at, flip: cut.flip } : undefined);
        viewer.body.showGhost(ghost);
      }
      viewer.draw();
    });
    effect(() => {
      void settings.fixedRange.value;
      void doc.props.value.materials;
      if (session.mode.value === 'simulate') untracked(() => this.showFrame());
    });
    effect(() => {
      void session.probeData.value;
      void session.sim.value;
      void session.mode.value;
      untracked(() => this.mark());
    });
    effect(() => {
      const shape = session.shape.value;
      const moving = this.animate.value;
      void this.scale.value;
      untracked(() => {
        if (shape) this.showShape(moving);
        else if (session.mode.value === 'simulate') this.showFrame();
      });
    });
    effect(() => {
      this.followed = settings.follow.value ? this.bodyCenter() : undefined;
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
    this.pullLine.visible = false;
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

  // ---- the simulation

  private showSimulation(): void {
    const { viewer, session } = this;
    const mesh = session.mesh;
    viewer.faded.group.visible = false;
    viewer.stage.setLayer([1, 1, 1], 2, undefined);
    this.cursor.visible = false;
    if (!mesh) {
      viewer.body.setMesh(undefined);
      viewer.body.group.visible = false;
      viewer.draw();
      session.want();
      return;
    }
    viewer.pitch = mesh.pitch;
    if (viewer.body.mesh !== mesh) {
      viewer.body.setMesh(mesh);
      this.index = new Map(Array.from(mesh.voxel, (v, i) => [v, i]));
      this.followed = undefined;
    }
    const cut = settings.section.value;
    viewer.body.setLook(settings.look.value);
    viewer.body.setSection(cut.on ? { axis: cut.axis, at: cut.at, flip: cut.flip } : undefined);
    viewer.body.showGhost(settings.ghost.value);
    viewer.body.setColors(paintMaterials(session.doc.props.value.materials.map((m) => m.color)));
    if (this.first) {
      this.first = false;
      this.frameDocument();
    }
    this.showFrame();
    session.want();
  }
  private showFrame(): void {
    const { session, viewer } = this;
    const frame = session.frame;
    const mesh = viewer.body.mesh;
    if (session.shape.value) return;
    if (!frame || !mesh || frame.mesh !== mesh.id) {
      if (frame) session.drawn();
      return;
    }
    viewer.body.setFrame(frame.corners, frame.origin, frame.centers);
    if (settings.look.value === 'links' && frame.linkStress && frame.linkForce) {
      let most = 0;
      for (const s of frame.linkStress) if (Math.abs(s) > most) most = Math.abs(s);
      const range = settings.fixedRange.value?.[1] ?? (most || 1e-12);
      viewer.body.setLinks((tint, thickness, n) => paintLinks(frame.linkStress!, frame.linkForce!, tint, thickness, n, range));
      this.legend.value = { title: 'Link stress; thicker: more force', unit: 'Pa', map: 'diverging', low: -range, high: range };
    } else if (frame.field && frame.field.length === mesh.voxel.length) {
      const legend = legendFor(frame.fieldName, frame.fieldLabel, frame.unit, frame.min, frame.max, settings.fixedRange.value);
      viewer.body.setColors(paintField(frame.field, legend.map, legend.low, legend.high));
      this.legend.value = legend;
    } else {
      viewer.body.setColors(paintMaterials(session.doc.props.value.materials.map((m) => m.color)));
      this.legend.value = undefined;
    }
    if (settings.follow.value) {
      const now = this.bodyCenter();
      if (now && this.followed) {
        const d = now.clone().sub(this.followed);
        if (viewer.solidFloor) d.z = 0; // along the floor, so that falls and jumps are seen as such
        viewer.rig.target.add(d);
      }
      this.followed = now;
    }
    this.mark();
    this.fresh = true;
    viewer.draw();
  }
  // The frame's origin goes with the centre of mass.
  private bodyCenter(): THREE.Vector3 | undefined {
    const { frame } = this.session;
    return frame && this.viewer.body.mesh ? new THREE.Vector3(...frame.origin).divideScalar(this.viewer.body.mesh.pitch) : undefined;
  }
  private showShape(moving: boolean): void {
    const { session, viewer } = this;
    const shape = session.shape.value;
    const mesh = viewer.body.mesh;
    if (!shape || !mesh || shape.mesh !== mesh.id) return;
    if (this.shapeCorners.length !== shape.corners.length) this.shapeCorners = new Float32Array(shape.corners.length);
    const period = 1400; // ms of one swing
    const s = this.scale.value * (shape.kind === 'modes' ? (moving ? Math.sin((2 * Math.PI * performance.now()) / period) : 1) : moving ? 0.5 - 0.5 * Math.cos((2 * Math.PI * performance.now()) / (2 * period)) : 1);
    for (let i = 0; i < this.shapeCorners.length; i++) this.shapeCorners[i] = shape.corners[i]! + s * shape.motion[i]!;
    viewer.body.setFrame(this.shapeCorners, shape.origin);
    if (shape.field) {
      const legend = legendFor('displacement', shape.label, shape.unit, shape.min, shape.max);
      viewer.body.setColors(paintField(shape.field, legend.map, legend.low, legend.high));
      this.legend.value = legend;
    }
    viewer.clearHighlights('', new Set());
    viewer.labels.keep('', new Set());
    viewer.draw();
    if (moving)
      requestAnimationFrame(() => {
        if (this.session.shape.peek() === shape && this.animate.peek() && this.session.mode.peek() === 'simulate') this.showShape(true);
      });
  }

  // Outlines and labels of probes, of the voxel at fault and of the pull.
  private mark(): void {
    const { session, viewer } = this;
    if (session.mode.value !== 'simulate' || !viewer.body.mesh || session.shape.value) return;
    const kept = new Set<string>();
    const center = new THREE.Vector3();
    session.probes.value.forEach((probe, i) => {
      const data = session.probeData.value.find((d) => d.id === probe.id);
      const number = probe.voxel ?? data?.voxel;
      const index = number === undefined ? undefined : this.index.get(number);
      if (index === undefined) return;
      const id = `probe ${probe.id}`;
      const color = PROBE_COLORS[i % PROBE_COLORS.length]!;
      viewer.highlight(id, index, color);
      viewer.labels.set(id, { text: String(i + 1), at: viewer.body.center(index, center).clone(), tone: 'probe', color });
      kept.add(id);
    });
    const fault = session.sim.value?.fault;
    if (fault) {
      const index = this.index.get(fault.voxel);
      if (index !== undefined) {
        viewer.highlight('fault', index, '#e5484d');
        viewer.labels.set('fault', { text: fault.fault, at: viewer.body.center(index, center).clone(), tone: 'bad' });
        kept.add('fault');
      }
    }
    const pull = session.sim.value?.pull;
    this.pullLine.visible = !!pull;
    if (pull) {
      const index = this.index.get(pull.voxel);
      const from = index === undefined ? new THREE.Vector3(...pull.position).divideScalar(viewer.pitch) : viewer.body.center(index, center).clone();
      const to = new THREE.Vector3(...pull.target).divideScalar(viewer.pitch);
      const position = this.pullLine.geometry.getAttribute('position') as THREE.BufferAttribute;
      position.setXYZ(0, from.x, from.y, from.z);
      position.setXYZ(1, to.x, to.y, to.z);
      position.needsUpdate = true;
      viewer.labels.set('pull', { text: formatUnit(Math.hypot(...pull.force), 'N', 3), at: to, tone: 'plain' });
      kept.add('pull');
    }
    viewer.clearHighlights('', kept);
    viewer.labels.keep('', kept);
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
      const hit = this.session.sim.value && this.session.sim.value.surface < 60000 && !this.session.running.value ? this.pick(p) : undefined;
      editing.hover.value = hit && { cell: hit.cell, material: this.viewer.body.mesh!.material[hit.index]! };
    } else if (!this.handles.hover(p)) this.drawing.hover(p);
  }
  leave(): void {
    editing.hover.value = undefined;
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
