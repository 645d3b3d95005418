// A soft shadow on the floor: the body seen from straight above, fainter the higher it is, blurred, and laid on the floor. It is made anew
// only when the body has moved; and here rather than by the graphics card, because without one that took a third of a picture's time.
import * as THREE from 'three';
import type { Body } from './body';

const SIZE = 96; // cells of the shadow's picture along each side: soft things need few

export class Shadow {
  readonly plane: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly low = new Float32Array(SIZE * SIZE); // height of what is lowest over a cell, pitches
  private readonly dark = new Float32Array(SIZE * SIZE);
  private readonly work = new Float32Array(SIZE * SIZE);
  private readonly texels = new Uint8Array(SIZE * SIZE);
  readonly texture: THREE.DataTexture;
  private fresh = false;

  constructor() {
    this.texture = new THREE.DataTexture(this.texels, SIZE, SIZE, THREE.RedFormat, THREE.UnsignedByteType);
    this.texture.minFilter = this.texture.magFilter = THREE.LinearFilter;
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShaderMaterial({
      vertexShader: /* glsl */ `varying vec2 at; void main() { at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
      fragmentShader: /* glsl */ `uniform sampler2D from; uniform float strength; varying vec2 at; void main() { gl_FragColor = vec4(0.04, 0.06, 0.1, strength * texture2D(from, at).r); }`,
      uniforms: { from: { value: this.texture }, strength: { value: 0.34 } },
      transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    }));
    this.plane.renderOrder = -0.5;
    this.plane.frustumCulled = false;
    this.plane.visible = false;
  }

  theme(dark: boolean): void {
    this.plane.material.uniforms.strength!.value = dark ? 0.55 : 0.32;
  }

  get strength(): number {
    return this.plane.material.uniforms.strength!.value as number;
  }
  // `floor`: heights count from the floor; otherwise from the lowest of the body, which is on the ground somewhere.
  update(body: Body, moved: boolean, floor: boolean): void {
    if ((!moved && this.fresh) || !body.mesh) return;
    this.fresh = true;
    const box = body.box();
    if (box.isEmpty()) return;
    const size = Math.max(box.max.x - box.min.x, box.max.y - box.min.y, 1e-9);
    const half = size * 0.5 + Math.max(2, 0.12 * size);
    const x = (box.min.x + box.max.x) / 2;
    const y = (box.min.y + box.max.y) / 2;
    this.plane.position.set(x, y, 0);
    this.plane.scale.set(2 * half, 2 * half, 1);
    const scale = SIZE / (2 * half); // cells of a pitch
    this.drop(body, x - half, y - half, scale);
    const reach = Math.max(3, 0.35 * size);
    const base = floor ? 0 : box.min.z;
    for (let i = 0; i < this.low.length; i++) this.dark[i] = this.low[i] === Infinity ? 0 : Math.exp(-Math.max(this.low[i]! - base, 0) / reach);
    // Two boxes in a row are nearly a Gaussian, here about half a voxel wide.
    const width = Math.max(1, Math.round(0.55 * scale));
    for (let pass = 0; pass < 2; pass++) {
      smear(this.dark, this.work, width, 1, SIZE);
      smear(this.work, this.dark, width, SIZE, 1);
    }
    for (let i = 0; i < this.dark.length; i++) this.texels[i] = 255 * this.dark[i]!;
    this.texture.needsUpdate = true;
  }

  // How low the body hangs over each cell: by the boxes of its faces as seen from above.
  private drop(body: Body, left: number, front: number, scale: number): void {
    const { low } = this;
    const { corners, face, origin } = body;
    const s = scale / body.mesh!.pitch;
    const [ox, oy] = [origin.x * s - left * scale, origin.y * s - front * scale];
    low.fill(Infinity);
    for (let f = 0; f < face.length; f += 4) {
      let [x0, x1, y0, y1, z] = [Infinity, -Infinity, Infinity, -Infinity, Infinity];
      for (let c = f; c < f + 4; c++) {
        const k = 3 * face[c]!;
        const px = corners[k]!;
        const py = corners[k + 1]!;
        const pz = corners[k + 2]!;
        if (px < x0) x0 = px;
        if (px > x1) x1 = px;
        if (py < y0) y0 = py;
        if (py > y1) y1 = py;
        if (pz < z) z = pz;
      }
      const height = (z + origin.z) / body.mesh!.pitch;
      const a = clamp(Math.round(x0 * s + ox));
      const b = Math.max(a, clamp(Math.round(x1 * s + ox) - 1));
      const c = clamp(Math.round(y0 * s + oy));
      const d = Math.max(c, clamp(Math.round(y1 * s + oy) - 1));
      for (let j = c; j <= d; j++) for (let i = SIZE * j + a; i <= SIZE * j + b; i++) if (height < low[i]!) low[i] = height;
    }
  }
}

const clamp = (i: number): number => (i > 0 ? Math.min(i, SIZE - 1) : 0);

// The mean over 2 width + 1 cells along one direction, whose neighbours are `step` apart and rows `stride`; nothing lies outside.
function smear(from: Float32Array, to: Float32Array, width: number, step: number, stride: number): void {
  const share = 1 / (2 * width + 1);
  for (let row = 0; row < SIZE; row++) {
    const base = row * stride;
    let sum = 0;
    for (let i = 0; i < width; i++) sum += from[base + i * step]!;
    for (let i = 0; i < SIZE; i++) {
      if (i + width < SIZE) sum += from[base + (i + width) * step]!;
      if (i > width) sum -= from[base + (i - width - 1) * step]!;
      to[base + i * step] = sum > 0 ? sum * share : 0;
    }
  }
}
