// The 3-D view that the studio and the replay share: one canvas, one camera, bodies, the stage around them, marks and labels. It draws
// only when something changed.
import * as THREE from 'three';
import { Body } from './body';
import { Labels } from './labels';
import { EDGE_CORNERS } from './mesh';
import { Rig } from './rig';
import { Stage } from './stage';

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
  readonly marks = new THREE.Group();
  readonly canvas = document.createElement('canvas');
  pitch = 0.01; // m, of one unit of the view
  solidFloor = true;
  tool: Tool = {};
  onDraw: (() => void) | undefined;
  framesDrawn = 0;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly highlights = new Map<string, THREE.LineSegments>();
  private width = 1;
  private height = 1;
  private pending = false;
  private dragging: 'tool' | 'orbit' | 'pan' | undefined;
  private last = { x: 0, y: 0, moved: 0 };

  constructor(readonly host: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: smoothEdges(), preserveDrawingBuffer: false, powerPreference: 'high-performance' });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // colours are drawn as they are named
    THREE.ColorManagement.enabled = false;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('aria-label', '3-D view');
    this.canvas.setAttribute('role', 'img');
    host.append(this.canvas, this.labels.element);
    this.scene.add(this.stage.group, this.body.group, this.faded.group, this.marks);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.listen();
  }

  theme(dark: boolean): void {
    this.renderer.setClearColor(dark ? '#12171e' : '#f5f7fa', 1);
    this.stage.theme(dark);
    this.draw();
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
    const forward = this.rig.forward();
    this.body.setCamera(this.rig.orthographic, forward);
    this.faded.setCamera(this.rig.orthographic, forward);
    this.onDraw?.();
    this.renderer.render(this.scene, camera);
    this.labels.place(camera, this.width, this.height);
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
    for (const body of [this.body, this.faded]) {
      if (!body.mesh || !body.group.visible) continue;
      const { corners, origin, mesh } = body;
      const p = new THREE.Vector3();
      for (let i = 0; i < corners.length; i += 3) {
        p.set(corners[i]!, corners[i + 1]!, corners[i + 2]!).add(origin).divideScalar(mesh.pitch);
        box.expandByPoint(p);
      }
    }
    return box;
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
      this.last = { x: e.clientX, y: e.clientY, moved: 0 };
      if (e.button === 1 || (e.shiftKey && e.button !== 1)) this.dragging = 'pan';
      else if (e.button === 2 || e.altKey) this.dragging = 'orbit';
      else this.dragging = this.tool.down?.(this.pointer(e)) ? 'tool' : 'orbit';
      e.preventDefault();
    });
    canvas.addEventListener('pointermove', (e) => {
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
      const was = this.dragging;
      this.dragging = undefined;
      if (was === 'tool') this.tool.up?.(this.pointer(e));
      else if (was && this.last.moved < 4 && e.button === 0) this.tool.click?.(this.pointer(e));
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
