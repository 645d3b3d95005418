// The simulation in the view: the present, a moment of the past, a solved shape, and a second run beside or behind it; with colours, marks and
// what acts on the body.
import { effect, signal, untracked, type Signal } from '@preact/signals';
import * as THREE from 'three';
import { formatUnit } from '../model/units';
import type { Mesh } from '../view/mesh';
import { paintField, paintLinks, paintMaterials, type Legend } from '../view/paint';
import type { Viewer } from '../view/viewer';
import { Overlays } from './overlays';
import { noiseFloor, roundUp, scaleLegend, unitFor, type Span } from './scale';
import type { Frame, Session } from './session';
import * as settings from './settings';

export const PROBE_COLORS = ['#e5484d', '#2f7de1', '#2f9e5f', '#d18b00', '#8e4ec6', '#0d9aa8', '#c2408f', '#7a6a4f'];

export class SimView {
  readonly scale = signal(1); // magnification of solved shapes
  readonly animate = signal(true);
  readonly overlays: Overlays;
  index = new Map<number, number>(); // voxel number -> index in the mesh
  measure: { from: number; to: number } | undefined; // two voxels of the mesh between which it is measured
  values: Float32Array | undefined; // of the field shown, per voxel of the mesh
  private readonly pullLine: THREE.Line;
  private followed: THREE.Vector3 | undefined;
  private shapeCorners: Float32Array = new Float32Array(0);
  private spans = new Map<string, Span>(); // ranges over the run so far, by field
  private spansOf = -1;

  constructor(
    private readonly viewer: Viewer, private readonly session: Session, private readonly legend: Signal<Legend | undefined>,
    private readonly first: () => void, private readonly fresh: () => void,
  ) {
    this.overlays = new Overlays(viewer, session);
    this.pullLine = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
      new THREE.LineBasicMaterial({ color: '#e5484d', depthTest: false, transparent: true }));
    this.pullLine.frustumCulled = false;
    this.pullLine.visible = false;
    this.pullLine.renderOrder = 11;
    viewer.marks.add(this.pullLine);
    this.watch();
  }
  private get on(): boolean {
    return this.session.mode.peek() === 'simulate';
  }

  private watch(): void {
    const { session, viewer } = this;
    const { time } = session;
    session.onMesh = () => this.on && this.show();
    session.onFrame = () => {
      if (this.on && !session.shape.peek() && !time.shown.peek()) this.showFrame();
      else session.drawn();
      if (time.compare.peek() !== 'off' && !time.shown.peek()) time.askOther();
    };
    time.onFrame = () => this.on && this.show();
    time.onOther = () => this.on && this.showOther();
    effect(() => {
      if (session.mode.value === 'simulate') untracked(() => this.show());
      else this.hide();
    });
    effect(() => {
      const look = settings.look.value;
      const cut = settings.section.value;
      const ghost = settings.ghost.value;
      if (session.mode.value === 'simulate') {
        viewer.body.setLook(look);
        viewer.body.setSection(cut.on ? { axis: cut.axis, at: cut.at, flip: cut.flip } : undefined);
        viewer.body.showGhost(ghost);
      }
      viewer.draw();
    });
    effect(() => {
      void settings.scaleMode.value;
      void settings.held.value;
      void session.doc.props.value.materials;
      void time.info.value;
      if (session.mode.value === 'simulate') untracked(() => this.showFrame());
    });
    effect(() => {
      void settings.overlays.value;
      if (session.mode.value === 'simulate') untracked(() => this.overlays.show());
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
        else if (this.on) this.show();
      });
    });
    effect(() => {
      this.followed = settings.follow.value ? this.center() : undefined;
    });
    effect(() => {
      void time.compare.value;
      untracked(() => this.showOther());
    });
  }
  private hide(): void {
    this.pullLine.visible = false;
    this.viewer.other.group.visible = false;
    this.overlays.group.visible = false;
  }

  // What is to be seen: the frame of the moment, live or recorded.
  frame(): Frame | undefined {
    return this.session.time.shown.peek() ? this.session.time.frame : this.session.frame;
  }
  private mesh(): Mesh | undefined {
    const { time } = this.session;
    return time.shown.peek() && time.frame ? time.meshes.get(time.frame.mesh) : this.session.mesh;
  }
  show(): void {
    const { viewer, session } = this;
    const mesh = this.mesh();
    viewer.faded.group.visible = false;
    viewer.stage.setLayer([1, 1, 1], 2, undefined);
    this.overlays.group.visible = true;
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
      this.overlays.rebuild(mesh);
    }
    const cut = settings.section.value;
    viewer.body.setLook(settings.look.value);
    viewer.body.setSection(cut.on ? { axis: cut.axis, at: cut.at, flip: cut.flip } : undefined);
    viewer.body.showGhost(settings.ghost.value);
    this.first();
    this.showFrame();
    session.want();
  }

  // The range of a field over the run that is shown, as far as it is known.
  private spanOf(frame: Frame): Span | undefined {
    const { time } = this.session;
    const { run } = frame;
    if (run !== this.spansOf) {
      this.spansOf = run;
      this.spans = new Map();
    }
    const known = time.info.value.get(run)?.fields[frame.fieldName];
    const so = this.spans.get(frame.fieldName);
    const min = Math.min(so?.min ?? Infinity, known?.min ?? Infinity, frame.min);
    const max = Math.max(so?.max ?? -Infinity, known?.max ?? -Infinity, frame.max);
    const span = { min, max };
    this.spans.set(frame.fieldName, span);
    return span;
  }
  showFrame(): void {
    const { session, viewer } = this;
    const frame = this.frame();
    const mesh = viewer.body.mesh;
    if (session.shape.value) return;
    if (!frame || !mesh || frame.mesh !== mesh.id) {
      if (frame) session.drawn();
      return;
    }
    viewer.body.setFrame(frame.corners, frame.origin, frame.centers);
    const floor = noiseFloor(frame.fieldName, session.doc.props.value, session.sim.value?.mass);
    this.values = undefined;
    if (settings.look.value === 'links' && frame.linkStress && frame.linkForce) {
      let most = noiseFloor('stress', session.doc.props.value);
      for (const s of frame.linkStress) if (Math.abs(s) > most) most = Math.abs(s);
      const span = this.spanOf({ ...frame, fieldName: 'links', min: -most, max: most });
      const range = settings.scaleMode.value === 'held' ? (settings.held.value.links?.[1] ?? roundUp(most)) : roundUp(settings.scaleMode.value === 'run' ? span!.max : most);
      viewer.body.setLinks((tint, thickness, n) => paintLinks(frame.linkStress!, frame.linkForce!, tint, thickness, n, range));
      this.legend.value = { title: 'Link stress; thicker: more force', unit: 'Pa', map: 'diverging', low: -range, high: range };
    } else if (frame.field && frame.field.length === mesh.voxel.length) {
      const legend = scaleLegend(frame.fieldName, frame.fieldLabel, frame.unit, frame, this.spanOf(frame), floor);
      viewer.body.setColors(paintField(frame.field, legend.map, legend.low, legend.high));
      this.values = frame.field;
      this.setLegend(legend);
    } else {
      const colors = this.colors();
      viewer.body.setColors(paintMaterials(colors), colors.join());
      this.legend.value = undefined;
    }
    if (settings.follow.value) {
      const now = this.center();
      if (now && this.followed) {
        const d = now.clone().sub(this.followed);
        if (viewer.solidFloor) d.z = 0; // along the floor, so that falls and jumps are seen as such
        viewer.rig.target.add(d);
      }
      this.followed = now;
    }
    this.overlays.move(frame);
    if (viewer.world.data?.sources.length) viewer.world.move(frame.time, viewer.labels);
    this.mark();
    this.fresh();
    viewer.draw();
  }
  // A new object only when something changed: the page draws the legend anew for each.
  private setLegend(legend: Legend): void {
    const old = this.legend.peek();
    if (!old || old.title !== legend.title || old.low !== legend.low || old.high !== legend.high || old.unit !== legend.unit || old.map !== legend.map) this.legend.value = legend;
  }
  private colors(): string[] {
    const at = this.session.time.shown.peek();
    const own = at && this.session.time.info.value.get(at.run)?.colors;
    return own ?? this.session.doc.props.value.materials.map((m) => m.color);
  }
  // The frame's origin goes with the centre of mass.
  private center(): THREE.Vector3 | undefined {
    const frame = this.frame();
    return frame && this.viewer.body.mesh ? new THREE.Vector3(...frame.origin).divideScalar(this.viewer.body.mesh.pitch) : undefined;
  }

  private beside = false; // another run is seen there
  // The other run: behind this one, half seen through, or beside it.
  private showOther(): void {
    const { viewer, session } = this;
    const { time } = session;
    const mode = time.compare.value;
    const frame = time.other;
    const mesh = frame && time.meshes.get(frame.mesh);
    viewer.other.group.visible = mode !== 'off' && !!mesh && this.on && !session.shape.value;
    if (mode === 'off' || !frame || !mesh) {
      this.beside = false;
      viewer.draw();
      return;
    }
    const { other } = viewer;
    if (other.mesh !== mesh) other.setMesh(mesh);
    other.setOpacity(mode === 'ghost' ? 0.4 : 1);
    other.setTint(mode === 'ghost' ? [120, 130, 150] : undefined, 0.6);
    const legend = this.legend.value;
    if (frame.field && frame.field.length === mesh.voxel.length && legend && !legend.entries && frame.fieldName !== 'material') other.setColors(paintField(frame.field, legend.map, legend.low, legend.high));
    else other.setColors(paintMaterials(time.info.value.get(frame.run)?.colors ?? this.colors()));
    other.setFrame(frame.corners, frame.origin);
    // Beside: one and a half widths of the workspace away across the view.
    const width = (Math.max(...session.doc.grid.size) * 1.15) * mesh.pitch;
    const right = new THREE.Vector3().setFromMatrixColumn(viewer.rig.camera.matrixWorld, 0).setZ(0).normalize();
    const away = mode === 'beside' ? right.multiplyScalar(width / mesh.pitch) : new THREE.Vector3();
    other.group.position.copy(away);
    other.group.visible = this.on;
    if (mode === 'beside' && !this.beside) viewer.rig.frame(viewer.allBox()); // both are seen
    this.beside = mode === 'beside';
    viewer.draw();
  }

  private showShape(moving: boolean): void {
    const { session, viewer } = this;
    const shape = session.shape.value;
    // Shapes are about the present's mesh.
    if (shape && viewer.body.mesh !== session.mesh && session.mesh) {
      viewer.body.setMesh(session.mesh);
      this.index = new Map(Array.from(session.mesh.voxel, (v, i) => [v, i]));
      this.overlays.rebuild(session.mesh);
    }
    const mesh = viewer.body.mesh;
    if (!shape || !mesh || shape.mesh !== mesh.id) return;
    if (this.shapeCorners.length !== shape.corners.length) this.shapeCorners = new Float32Array(shape.corners.length);
    const period = 1400; // ms of one swing
    const s = this.scale.value * (shape.kind === 'modes' ? (moving ? Math.sin((2 * Math.PI * performance.now()) / period) : 1) : moving ? 0.5 - 0.5 * Math.cos((2 * Math.PI * performance.now()) / (2 * period)) : 1);
    for (let i = 0; i < this.shapeCorners.length; i++) this.shapeCorners[i] = shape.corners[i]! + s * shape.motion[i]!;
    viewer.body.setFrame(this.shapeCorners, shape.origin);
    this.values = shape.field;
    if (shape.field && shape.name !== 'material') {
      const floor = 1e-12 * Math.max(Math.abs(shape.min), Math.abs(shape.max), 1e-300);
      const title = shape.kind === 'modes' ? `${shape.label}, at a motion of one voxel side` : shape.label;
      const legend = scaleLegend(shape.name, title, shape.unit, shape, shape, floor);
      viewer.body.setColors(paintField(shape.field, legend.map, legend.low, legend.high));
      this.setLegend(legend);
    } else {
      viewer.body.setColors(paintMaterials(this.colors()));
      this.legend.value = undefined;
    }
    this.overlays.move({ ...shape, run: -1, time: 0, corners: this.shapeCorners, fieldName: shape.name, fieldLabel: shape.label });
    viewer.clearHighlights('', new Set());
    viewer.labels.keep('', new Set());
    viewer.other.group.visible = false;
    viewer.draw();
    if (moving)
      requestAnimationFrame(() => {
        if (this.session.shape.peek() === shape && this.animate.peek() && this.on) this.showShape(true);
      });
  }

  // The value of the field at a voxel of the mesh, as text.
  valueAt(index: number): string | undefined {
    const value = this.values?.[index];
    if (value === undefined) return undefined;
    const shape = this.session.shape.peek();
    const frame = this.frame();
    const name = shape ? shape.name : frame?.fieldName ?? '';
    const unit = unitFor(name, shape ? shape.unit : frame?.unit ?? '');
    const label = shape ? shape.label : frame?.fieldLabel ?? name;
    return `${label} ${formatUnit(value, unit, 4)}`;
  }

  // Outlines and labels of probes, of the voxel at fault and of the pull.
  mark(): void {
    const { session, viewer } = this;
    if (session.mode.value !== 'simulate' || !viewer.body.mesh || session.shape.value) return;
    const kept = new Set<string>();
    const center = new THREE.Vector3();
    const past = !!session.time.shown.value;
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
    const fault = past ? undefined : session.sim.value?.fault;
    if (fault) {
      const index = this.index.get(fault.voxel);
      if (index !== undefined) {
        viewer.highlight('fault', index, '#e5484d');
        viewer.labels.set('fault', { text: fault.fault, at: viewer.body.center(index, center).clone(), tone: 'bad' });
        kept.add('fault');
      }
    }
    const pull = past ? undefined : session.sim.value?.pull;
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
    if (this.measure && settings.measuring.value && this.measure.to < viewer.body.mesh.voxel.length) {
      const [a, b] = [viewer.body.center(this.measure.from, center).clone(), viewer.body.center(this.measure.to, center).clone()];
      viewer.highlight('from', this.measure.from, '#0aa2a2');
      viewer.highlight('to', this.measure.to, '#0aa2a2');
      viewer.labels.set('distance', { text: formatUnit(a.distanceTo(b) * viewer.pitch, 'm', 4), at: a.add(b).multiplyScalar(0.5), tone: 'plain' });
      for (const id of ['from', 'to', 'distance']) kept.add(id);
    }
    viewer.clearHighlights('', kept);
    viewer.labels.keep('', kept);
    viewer.draw();
  }
}
