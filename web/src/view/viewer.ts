// The 3-D view that the studio and the replay share: one canvas, one camera, bodies, the stage around them, marks and labels. It draws
// only when something changed.
import * as THREE from 'three';
import { Body } from './body';
import { Labels } from './labels';
import { EDGE_CORNERS } from './mesh';
import { Rig } from './rig';
import { Rulers } from './rulers';
import { Shadow } from './shadow';
import { Stage } from './stage';
import { World, type WorldData } from './world';

// A pointer over the view: the ray in pitches, the place in pixels.
export interface ViewPointer { ray: THREE.Ray; x: number; y: number; event: PointerEvent | MouseEvent }

// What the left button does. `down` returns whether it takes the drag; otherwise the camera does.
export interface Tool {
  down?(p: ViewPointer): boolean;
  move?(p: ViewPointer): void;
  up?(p: ViewPointer): void;
  hover?(p: ViewPointer): void;
  leave?(): void;
  double?(p: ViewPointer): void;
  click?(p: ViewPointer): void;
  cancel?(): void; // a second finger came: what the first began is not meant
}

// Whether pictures are computed by the processor. Smooth edges then cost half of the pictures per second, and are left out, unless the
// browser's storage asks for them ("voxelastic.smooth": true).
function smoothEdges(): boolean {
  try {
    const wish = localStorage.getItem('voxelastic.smooth');
    if (wish !== null) return wish === 'true';
  } catch {
    // No storage, no wish.
  }
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return !/swiftshader|llvmpipe|software/i.test(name);
}

export class Viewer {
  readonly scene = new THREE.Scene();
  readonly rig = new Rig(() => this.draw());
  readonly stage = new Stage();
  readonly labels = new Labels();
  readonly body = new Body();
  readonly faded = new Body(0.13);
  readonly other = new Body(0.4); // a second run, to compare with
  readonly shadow = new Shadow();
  readonly rulers = new Rulers();
  readonly world = new World();
  readonly marks = new THREE.Group();
  readonly canvas = document.createElement('canvas');
  pitch = 0.01; // m, of one unit of the view
  solidFloor = true;
  shadows = true;
  tool: Tool = {};
  onDraw: (() => void) | undefined;
  readonly onView = new Set<() => void>(); // told after each picture
  framesDrawn = 0;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly highlights = new Map<string, THREE.LineSegments>();
  private width = 1;
  private height = 1;
  private pending = false;
  private dragging: 'tool' | 'orbit' | 'pan' | 'fingers' | undefined;
  private last = { x: 0, y: 0, moved: 0 };
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private spread = 0; // pixels between two fingers

  constructor(readonly host: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: smoothEdges(), preserveDrawingBuffer: false, powerPreference: 'high-performance' });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // colours are drawn as they are named
    THREE.ColorManagement.enabled = false;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('aria-label', '3-D view');
    this.canvas.setAttribute('role', 'img');
    host.append(this.canvas, this.labels.element);
    this.scene.add(this.stage.group, this.world.group, this.shadow.plane, this.body.group, this.faded.group, this.other.group, this.rulers.group, this.marks);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.listen();
  }

  theme(dark: boolean): void {
    this.renderer.setClearColor(dark ? '#12171e' : '#f5f7fa', 1);
    this.stage.theme(dark);
    this.rulers.theme(dark);
    this.shadow.theme(dark);
    this.world.theme(dark);
    this.draw();
  }
  // What is around the body; undefined: nothing.
  setWorld(data: WorldData | undefined, pitch: number): void {
    this.world.set(data, pitch, this.labels);
    this.stage.setFloor(this.solidFloor || !(this.world.shown && this.world.hasGround));
    this.draw();
  }
  showWorld(on: boolean): void {
    this.world.shown = on;
    this.setWorld(this.world.data, this.world.pitch);
  }
  draw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame((now) => {
      this.pending = false;
      this.render(now);
    });
  }
  private render(now: number): void {
    const flying = this.rig.update(now);
    const camera = this.rig.camera;
    this.stage.update(this.rig.target, this.rig.viewHeight, this.pitch, this.solidFloor);
    this.world.update(this.rig.target, this.rig.viewHeight);
    const forward = this.rig.forward();
    for (const body of [this.body, this.faded, this.other]) body.setCamera(this.rig.orthographic, forward);
    this.onDraw?.();
    const moved = this.body.flush();
    this.faded.flush();
    this.other.flush();
    const land = this.world.shown && this.world.hasGround;
    const shaded = this.shadows && this.body.group.visible && this.rig.elevation > 0.02;
    this.shadow.plane.visible = shaded && this.solidFloor;
    if (shaded && (this.solidFloor || land)) this.shadow.update(this.body, moved, this.solidFloor);
    if (land) this.world.shade(this.shadow.texture, this.shadow.plane.position.x, this.shadow.plane.position.y, this.shadow.plane.scale.x, shaded ? this.shadow.strength : 0);
    this.rulers.above = land;
    this.rulers.update(this.rig, this.pitch, this.labels, () => this.bodyBox());
    this.renderer.render(this.scene, camera);
    this.labels.place(camera, this.width, this.height);
    for (const told of this.onView) told();
    this.framesDrawn++;
    if (flying) this.draw();
  }
  private resize(): void {
    this.width = Math.max(1, this.host.clientWidth);
    this.height = Math.max(1, this.host.clientHeight);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(this.width, this.height, true);
    this.rig.resize(this.width, this.height);
    this.draw();
  }

  // Box of the voxels shown, in pitches.
  bodyBox(): THREE.Box3 {
    const box = new THREE.Box3();
    for (const body of [this.body, this.faded]) if (body.mesh && body.group.visible) box.union(body.box());
    return box;
  }

  // The same, with what stands beside it.
  allBox(): THREE.Box3 {
    const { mesh, group } = this.other;
    return mesh && group.visible ? this.bodyBox().union(this.other.box().clone().translate(group.position)) : this.bodyBox();
  }

  // An outline about a voxel of the body (its index in the mesh), or none.
  highlight(id: string, index: number | undefined, color: string): void {
    let lines = this.highlights.get(id);
    if (index === undefined || !this.body.mesh) {
      if (lines) lines.visible = false;
      return;
    }
    if (!lines) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(72), 3));
      lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ depthTest: false, transparent: true }));
      lines.frustumCulled = false;
      lines.renderOrder = 10;
      this.highlights.set(id, lines);
      this.marks.add(lines);
    }
    lines.visible = true;
    lines.material = lines.material as THREE.LineBasicMaterial;
    (lines.material as THREE.LineBasicMaterial).color.set(color);
    const { mesh, corners, origin } = this.body;
    const attribute = lines.geometry.getAttribute('position') as THREE.BufferAttribute;
    EDGE_CORNERS.forEach((edge, e) =>
      edge.forEach((c, i) => {
        const k = 3 * mesh!.hexahedron[8 * index + c]!;
        attribute.setXYZ(
          2 * e + i,
          (corners[k]! + origin.x) / mesh!.pitch, (corners[k + 1]! + origin.y) / mesh!.pitch, (corners[k + 2]! + origin.z) / mesh!.pitch,
        );
      }),
    );
    attribute.needsUpdate = true;
  }
  clearHighlights(prefix: string, keep: Set<string>): void {
    for (const [id, lines] of this.highlights) if (id.startsWith(prefix) && !keep.has(id)) lines.visible = false;
  }

  // Place of a point (pitches) in pixels of the view.
  toScreen(p: THREE.Vector3): { x: number; y: number } {
    const v = p.clone().project(this.rig.camera);
    return { x: ((v.x + 1) / 2) * this.width, y: ((1 - v.y) / 2) * this.height };
  }
  pointer(event: PointerEvent | MouseEvent): ViewPointer {
    const rect = this.canvas.getBoundingClientRect();
    const x = event.clientX - rect.left;
    const y = event.clientY - rect.top;
    this.rig.update(performance.now());
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((x / rect.width) * 2 - 1, 1 - (y / rect.height) * 2), this.rig.camera);
    return { ray: caster.ray, x, y, event };
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    canvas.addEventListener('pointerdown', (e) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(e.pointerId);
      e.preventDefault();
      if (e.pointerType === 'touch') {
        this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
        if (this.fingers.size > 1) {
          // Two fingers move the eye and never draw: what the first one began is taken back.
          if (this.dragging === 'tool') this.tool.cancel?.();
          this.dragging = 'fingers';
          this.spread = 0;
          return;
        }
      }
      this.last = { x: e.clientX, y: e.clientY, moved: 0 };
      if (e.button === 1 || (e.shiftKey && e.button !== 1)) this.dragging = 'pan';
      else if (e.button === 2 || e.altKey) this.dragging = 'orbit';
      else this.dragging = this.tool.down?.(this.pointer(e)) ? 'tool' : 'orbit';
    });
    canvas.addEventListener('pointermove', (e) => {
      if (this.fingers.has(e.pointerId)) {
        const before = [...this.fingers.values()];
        this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
        if (this.dragging === 'fingers') {
          this.moveFingers(before);
          return;
        }
      }
      if (!this.dragging) {
        this.tool.hover?.(this.pointer(e));
        return;
      }
      const dx = e.clientX - this.last.x;
      const dy = e.clientY - this.last.y;
      this.last = { x: e.clientX, y: e.clientY, moved: this.last.moved + Math.abs(dx) + Math.abs(dy) };
      if (this.dragging === 'tool') this.tool.move?.(this.pointer(e));
      else if (this.dragging === 'pan') this.rig.pan(dx, dy);
      else this.rig.orbit(dx, dy);
    });
    const end = (e: PointerEvent) => {
      this.fingers.delete(e.pointerId);
      const was = this.dragging;
      if (was === 'fingers') {
        // The finger that is left does not begin to draw.
        if (!this.fingers.size) this.dragging = undefined;
        return;
      }
      this.dragging = undefined;
      if (was === 'tool') this.tool.up?.(this.pointer(e));
      else if (was && this.last.moved < 4 && e.button === 0) this.tool.click?.(this.pointer(e));
      if (e.pointerType === 'touch') this.tool.leave?.();
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('pointerleave', () => {
      if (!this.dragging) this.tool.leave?.();
    });
    canvas.addEventListener('dblclick', (e) => this.tool.double?.(this.pointer(e)));
    canvas.addEventListener(
      'wheel',
      (e) => {
        e.preventDefault();
        const rect = canvas.getBoundingClientRect();
        const lines = e.deltaMode === 1 ? 16 : 1;
        const speed = e.ctrlKey ? 0.01 : 0.0015; // a pinch comes as a wheel with Ctrl
        this.rig.zoom(
          Math.exp(Math.max(-120, Math.min(120, e.deltaY * lines)) * speed),
          ((e.clientX - rect.left) / rect.width) * 2 - 1, 1 - ((e.clientY - rect.top) / rect.height) * 2,
        );
      },
      { passive: false },
    );
  }

  // Two fingers turn by where they go and zoom by how far they are apart; three move the view.
  private moveFingers(before: { x: number; y: number }[]): void {
    const now = [...this.fingers.values()];
    const middle = (list: { x: number; y: number }[]) => ({
      x: list.reduce((sum, p) => sum + p.x, 0) / list.length, y: list.reduce((sum, p) => sum + p.y, 0) / list.length,
    });
    const from = middle(before);
    const to = middle(now);
    if (now.length >= 3) {
      this.rig.pan(to.x - from.x, to.y - from.y);
      return;
    }
    if (now.length < 2) return;
    this.rig.orbit(to.x - from.x, to.y - from.y);
    const spread = Math.hypot(now[0]!.x - now[1]!.x, now[0]!.y - now[1]!.y);
    if (this.spread > 0 && spread > 0) {
      const rect = this.canvas.getBoundingClientRect();
      this.rig.zoom(this.spread / spread, ((to.x - rect.left) / rect.width) * 2 - 1, 1 - ((to.y - rect.top) / rect.height) * 2);
    }
    this.spread = spread;
  }

  // A picture of any size, without touching the view: what `paint` draws over it has coordinates of `width` x `height` divided by `scale`.
  snapshot(width: number, height: number, marks: boolean, target: HTMLCanvasElement, during?: () => void): CanvasRenderingContext2D {
    const size = this.renderer.getSize(new THREE.Vector2());
    const ratio = this.renderer.getPixelRatio();
    const shown = [this.marks.visible, this.rulers.group.visible] as const;
    this.marks.visible = marks && shown[0];
    this.rulers.group.visible = marks && shown[1];
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.rig.resize(width, height);
    this.render(performance.now());
    during?.();
    if (target.width !== width || target.height !== height) {
      target.width = width;
      target.height = height;
    }
    const context = target.getContext('2d')!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.canvas, 0, 0);
    this.marks.visible = shown[0];
    this.rulers.group.visible = shown[1];
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(size.x, size.y, true);
    this.rig.resize(this.width, this.height);
    this.draw();
    return context;
  }

  // A picture of the view as it is, with `paint` drawing legend and captions over it.
  async picture(paint?: (context: CanvasRenderingContext2D, width: number, height: number) => void): Promise<Blob> {
    this.render(performance.now());
    const out = document.createElement('canvas');
    out.width = this.canvas.width;
    out.height = this.canvas.height;
    const context = out.getContext('2d')!;
    context.drawImage(this.canvas, 0, 0);
    const ratio = this.renderer.getPixelRatio();
    context.scale(ratio, ratio);
    paint?.(context, this.width, this.height);
    return new Promise((resolve, reject) => out.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
  }
}
