// A soft shadow on the floor: the body seen from straight above, fainter the higher it is, blurred, and laid on the floor. It is made anew
// only when the body has moved.
import * as THREE from 'three';
import type { Body } from './body';

const SIZE = 160; // pixels of the shadow's picture: soft things need few

const FULL = /* glsl */ `varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`;

// A Gaussian of nine taps along one direction.
const BLUR = /* glsl */ `
  uniform sampler2D from; uniform vec2 step; varying vec2 at;
  void main() {
    float sum = 0.227 * texture2D(from, at).r;
    sum += 0.194 * (texture2D(from, at + step).r + texture2D(from, at - step).r);
    sum += 0.122 * (texture2D(from, at + 2.0 * step).r + texture2D(from, at - 2.0 * step).r);
    sum += 0.054 * (texture2D(from, at + 3.0 * step).r + texture2D(from, at - 3.0 * step).r);
    sum += 0.016 * (texture2D(from, at + 4.0 * step).r + texture2D(from, at - 4.0 * step).r);
    gl_FragColor = vec4(sum, sum, sum, 1.0);
  }`;

export class Shadow {
  readonly plane: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly camera = new THREE.OrthographicCamera();
  private readonly scene = new THREE.Scene();
  private readonly targets = [0, 1].map(() => new THREE.WebGLRenderTarget(SIZE, SIZE, { depthBuffer: false, generateMipmaps: false }));
  private readonly caster = new THREE.Mesh();
  private readonly holder = new THREE.Group();
  private readonly height: THREE.ShaderMaterial;
  private readonly blur: THREE.ShaderMaterial;
  private readonly quad = new THREE.Scene();
  private readonly still = new THREE.Camera();
  private fresh = false;

  constructor() {
    this.height = new THREE.ShaderMaterial({
      vertexShader: /* glsl */ `varying float high; void main() { vec4 w = modelMatrix * vec4(position, 1.0); high = w.z; gl_Position = projectionMatrix * viewMatrix * w; }`,
      fragmentShader: /* glsl */ `uniform float reach; varying float high; void main() { float a = exp(-max(high, 0.0) / reach); gl_FragColor = vec4(a, a, a, 1.0); }`,
      uniforms: { reach: { value: 10 } },
      side: THREE.DoubleSide, depthTest: false, depthWrite: false, transparent: true,
      blending: THREE.CustomBlending, blendEquation: THREE.MaxEquation, blendSrc: THREE.OneFactor, blendDst: THREE.OneFactor,
    });
    this.blur = new THREE.ShaderMaterial({
      vertexShader: FULL, fragmentShader: BLUR, uniforms: { from: { value: null }, step: { value: new THREE.Vector2() } }, depthTest: false, depthWrite: false,
    });
    this.quad.add(new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.blur));
    this.caster.frustumCulled = false;
    this.caster.material = this.height;
    this.holder.add(this.caster);
    this.scene.add(this.holder);
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShaderMaterial({
      vertexShader: /* glsl */ `varying vec2 at; void main() { at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
      fragmentShader: /* glsl */ `uniform sampler2D from; uniform float strength; varying vec2 at; void main() { gl_FragColor = vec4(0.04, 0.06, 0.1, strength * texture2D(from, at).r); }`,
      uniforms: { from: { value: this.targets[0]!.texture }, strength: { value: 0.34 } },
      transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    }));
    this.plane.renderOrder = -0.5;
    this.plane.frustumCulled = false;
    this.plane.visible = false;
  }

  theme(dark: boolean): void {
    this.plane.material.uniforms.strength!.value = dark ? 0.55 : 0.32;
  }

  update(renderer: THREE.WebGLRenderer, body: Body, moved: boolean): void {
    if ((!moved && this.fresh) || !body.mesh) return;
    this.fresh = true;
    const { corners, origin, mesh } = body;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < corners.length; i++) {
      const v = corners[i]!;
      const a = i % 3;
      if (v < low[a]!) low[a] = v;
      if (v > high[a]!) high[a] = v;
    }
    const place = [origin.x, origin.y, origin.z];
    const size = Math.max(high[0]! - low[0]!, high[1]! - low[1]!, 1e-9) / mesh.pitch;
    const half = size * 0.5 + Math.max(2, 0.12 * size);
    const x = (place[0]! + (low[0]! + high[0]!) / 2) / mesh.pitch;
    const y = (place[1]! + (low[1]! + high[1]!) / 2) / mesh.pitch;
    this.plane.position.set(x, y, 0);
    this.plane.scale.set(2 * half, 2 * half, 1);
    Object.assign(this.camera, { left: -half, right: half, top: half, bottom: -half, near: -1e5, far: 1e5 });
    this.camera.position.set(x, y, 0);
    this.camera.up.set(0, 1, 0);
    this.camera.rotation.set(0, 0, 0);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.height.uniforms.reach!.value = Math.max(3, 0.35 * size);
    const from = body.caster;
    this.caster.geometry = from.geometry;
    this.caster.position.copy(from.position);
    this.holder.scale.copy(body.group.scale);
    const before = renderer.getRenderTarget();
    const color = renderer.getClearColor(new THREE.Color());
    const alpha = renderer.getClearAlpha();
    renderer.setClearColor(0x000000, 1);
    renderer.setRenderTarget(this.targets[0]!);
    renderer.clear();
    renderer.render(this.scene, this.camera);
    // The nearer the floor, the sharper: one blur, as wide as a voxel or so.
    const pixel = Math.max(1 / SIZE, (0.5 / (2 * half)) * 0.6);
    for (const [source, target, dx, dy] of [[0, 1, pixel, 0], [1, 0, 0, pixel]] as const) {
      this.blur.uniforms.from!.value = this.targets[source]!.texture;
      (this.blur.uniforms.step!.value as THREE.Vector2).set(dx, dy);
      renderer.setRenderTarget(this.targets[target]!);
      renderer.render(this.quad, this.still);
    }
    renderer.setRenderTarget(before);
    renderer.setClearColor(color, alpha);
  }
}
