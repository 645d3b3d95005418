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

const LINES = 100; // to each side of the middle
const PIECES = 20; // of a line, along which it fades

// Lines of the floor at whole numbers, every fifth stronger; the shader spaces and fades them.
function floorLines(): THREE.BufferGeometry {
  const position: number[] = [];
  const strength: number[] = [];
  for (let i = -LINES; i <= LINES; i++)
    for (let k = 0; k < PIECES; k++)
      for (const e of [k, k + 1]) {
        const t = LINES * ((2 * e) / PIECES - 1);
        position.push(i, t, 0);
        strength.push(i % 5 ? 0.3 : 0.62);
      }
  const n = position.length;
  for (let v = 0; v < n; v += 3) {
    position.push(position[v + 1]!, position[v]!, 0);
    strength.push(strength[v / 3]!);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute('strength', new THREE.Float32BufferAttribute(strength, 1));
  return geometry;
}

function floorMaterial(lines: boolean): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    vertexShader: /* glsl */ `
      ${lines ? 'attribute float strength;' : 'const float strength = 0.35;'}
      uniform vec2 middle; uniform float reach; varying float alpha;
      void main() {
        vec4 w = modelMatrix * vec4(position, 1.0);
        alpha = strength * (1.0 - smoothstep(0.2, 1.0, length(w.xy - middle) / reach));
        gl_Position = projectionMatrix * viewMatrix * w;
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 tint; varying float alpha;
      void main() { gl_FragColor = vec4(tint, alpha); }`,
    uniforms: { tint: { value: new THREE.Color() }, middle: { value: new THREE.Vector2() }, reach: { value: 100 } },
    transparent: true, depthWrite: false, side: THREE.DoubleSide,
    polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2,
  });
}

export class Stage {
  readonly group = new THREE.Group();
  // Lines and a disc rather than a shader that computes lines for every point: that costs three quarters of a picture without a graphics card.
  private readonly floor = new THREE.Group();
  private readonly disc = new THREE.Mesh(new THREE.RingGeometry(0, 1, 48, 8), floorMaterial(false));
  private readonly grid = new THREE.LineSegments(floorLines(), floorMaterial(true));
  private readonly workspace = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.45 }));
  private readonly layer = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false }));
  private readonly axes = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true }));
  step = 0; // m between the fine lines of the floor

  constructor() {
    this.disc.renderOrder = -2;
    this.grid.renderOrder = -1;
    for (const part of [this.disc, this.grid]) part.frustumCulled = false;
    this.floor.add(this.disc, this.grid);
    this.layer.renderOrder = 3;
    this.layer.visible = false; // until there is one
    this.group.add(this.floor, this.workspace, this.layer, this.axes);
  }

  theme(dark: boolean): void {
    (this.disc.material.uniforms.tint!.value as THREE.Color).set(dark ? '#2a3441' : '#dfe5ec');
    (this.grid.material.uniforms.tint!.value as THREE.Color).set(dark ? '#5b6878' : '#93a0b1');
    this.workspace.material.color.set(dark ? '#7c8a9c' : '#7a8797');
    this.layer.material.color.set(dark ? '#8fb4ff' : '#3c6fd1');
  }
  // Follows the camera: the lines keep a legible distance from each other, and say what it is.
  // One grid at a time: that of a layer takes the place of the floor's lines.
  update(target: THREE.Vector3, viewHeight: number, pitch: number, solid: boolean): void {
    this.grid.visible = !this.layer.visible;
    this.step = niceStep((viewHeight * pitch) / 40);
    const stride = this.step / pitch;
    const reach = Math.min(viewHeight * 2.6, 0.98 * LINES * stride);
    for (const part of [this.disc, this.grid]) {
      part.material.uniforms.reach!.value = reach;
      (part.material.uniforms.middle!.value as THREE.Vector2).set(target.x, target.y);
    }
    this.disc.visible = solid;
    this.disc.position.set(target.x, target.y, 0);
    this.disc.scale.setScalar(reach);
    // Whole numbers of strong lines, so that lines stay where they are while the middle moves.
    const whole = 5 * stride;
    this.grid.position.set(Math.round(target.x / whole) * whole, Math.round(target.y / whole) * whole, 0);
    this.grid.scale.setScalar(stride);
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
