// What stands around the body: the floor with its scale, the workspace's box, the grid of the layer that is drawn on, the axes.
import * as THREE from 'three';
import type { Axis, Vec3 } from '../model/types';
import { sides } from '../model/tools';

// 1, 2 or 5 times a power of ten, at least `value`.
export function niceStep(value: number): number {
  const p = 10 ** Math.floor(Math.log10(value));
  for (const m of [1, 2, 5, 10]) if (m * p >= value * 0.999999) return m * p;
  return 10 * p;
}

export class Stage {
  readonly group = new THREE.Group();
  private readonly floor: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly workspace = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.45 }));
  private readonly layer = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false }));
  private readonly axes = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true }));
  step = 0; // m between the fine lines of the floor

  constructor() {
    this.floor = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.ShaderMaterial({
        vertexShader: /* glsl */ `
          varying vec2 at;
          void main() { vec4 w = modelMatrix * vec4(position, 1.0); at = w.xy; gl_Position = projectionMatrix * viewMatrix * w; }`,
        fragmentShader: /* glsl */ `
          uniform vec3 ground; uniform vec3 ink; uniform float stride; uniform vec2 middle; uniform float reach; uniform float solid;
          varying vec2 at;
          float lines(float s) {
            vec2 g = at / s; vec2 w = fwidth(g);
            vec2 d = abs(fract(g - 0.5) - 0.5) / max(w, vec2(1e-6));
            return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.25, 0.6, max(w.x, w.y)));
          }
          void main() {
            float fade = 1.0 - smoothstep(0.25, 1.0, length(at - middle) / reach);
            float line = max(0.30 * lines(stride), 0.62 * lines(stride * 5.0));
            gl_FragColor = vec4(mix(ground, ink, line), fade * (solid > 0.5 ? 0.35 + 0.65 * line : 0.7 * line));
          }`,
        uniforms: {
          ground: { value: new THREE.Color() }, ink: { value: new THREE.Color() }, stride: { value: 1 },
          middle: { value: new THREE.Vector2() }, reach: { value: 100 }, solid: { value: 1 },
        },
        transparent: true, depthWrite: false, side: THREE.DoubleSide,
        polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2,
      }),
    );
    this.floor.renderOrder = -1;
    this.floor.frustumCulled = false;
    this.layer.renderOrder = 3;
    this.group.add(this.floor, this.workspace, this.layer, this.axes);
  }

  theme(dark: boolean): void {
    const u = this.floor.material.uniforms;
    (u.ground!.value as THREE.Color).set(dark ? '#1c232d' : '#e9edf2');
    (u.ink!.value as THREE.Color).set(dark ? '#5b6878' : '#93a0b1');
    this.workspace.material.color.set(dark ? '#7c8a9c' : '#7a8797');
    this.layer.material.color.set(dark ? '#8fb4ff' : '#3c6fd1');
  }
  // Follows the camera: the lines keep a legible distance from each other, and say what it is.
  update(target: THREE.Vector3, viewHeight: number, pitch: number, solid: boolean): void {
    this.step = niceStep((viewHeight * pitch) / 40);
    const u = this.floor.material.uniforms;
    u.stride!.value = this.step / pitch;
    u.reach!.value = viewHeight * 2.6;
    u.solid!.value = solid ? 1 : 0;
    (u.middle!.value as THREE.Vector2).set(target.x, target.y);
    this.floor.position.set(target.x, target.y, 0);
    this.floor.scale.setScalar(viewHeight * 5.4);
  }
  setFloor(shown: boolean): void {
    this.floor.visible = shown;
  }
  setWorkspace(size: Vec3, shown: boolean): void {
    this.workspace.visible = shown;
    this.workspace.geometry.dispose();
    const box = new THREE.BoxGeometry(...size);
    box.translate(size[0] / 2, size[1] / 2, size[2] / 2);
    this.workspace.geometry = new THREE.EdgesGeometry(box);
    const l = Math.max(2, Math.min(...size) * 0.35);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute([0, 0, 0, l, 0, 0, 0, 0, 0, 0, l, 0, 0, 0, 0, 0, 0, l], 3));
    geometry.setAttribute('color', new THREE.Float32BufferAttribute(
      [0.85, 0.2, 0.2, 0.85, 0.2, 0.2, 0.15, 0.6, 0.2, 0.15, 0.6, 0.2, 0.2, 0.4, 0.9, 0.2, 0.4, 0.9], 3));
    this.axes.geometry.dispose();
    this.axes.geometry = geometry;
    this.axes.visible = shown;
  }
  // The cells of one layer; none when `at` is undefined.
  setLayer(size: Vec3, axis: Axis, at: number | undefined): void {
    this.layer.visible = at !== undefined;
    if (at === undefined) return;
    const [u, v] = sides(axis);
    const points: number[] = [];
    const push = (p: number, q: number) => {
      const c = [0, 0, 0];
      c[u] = p;
      c[v] = q;
      c[axis] = at + 0.5;
      points.push(...c);
    };
    for (let p = 0; p <= size[u]; p++) {
      push(p, 0);
      push(p, size[v]);
    }
    for (let q = 0; q <= size[v]; q++) {
      push(0, q);
      push(size[u], q);
    }
    this.layer.geometry.dispose();
    this.layer.geometry = new THREE.BufferGeometry();
    this.layer.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
  }
}
