// The camera: a target, a distance and two angles, z up. Both projections come from the same numbers, so switching keeps the picture.
import * as THREE from 'three';

export type StandardView = 'iso' | 'front' | 'back' | 'left' | 'right' | 'top' | 'bottom';

const ANGLES: Record<StandardView, [number, number]> = {
  // azimuth of the eye about z from +x, elevation
  iso: [-Math.PI / 3.2, Math.PI / 7],
  front: [-Math.PI / 2, 0],
  back: [Math.PI / 2, 0],
  left: [Math.PI, 0],
  right: [0, 0],
  top: [-Math.PI / 2, Math.PI / 2],
  bottom: [-Math.PI / 2, -Math.PI / 2],
};

const FOV = 32; // degrees: long enough a lens to judge straight lines

export class Rig {
  readonly target = new THREE.Vector3(10, 10, 10);
  distance = 60;
  azimuth = ANGLES.iso[0];
  elevation = ANGLES.iso[1];
  orthographic = false;
  private readonly perspective = new THREE.PerspectiveCamera(FOV, 1, 0.1, 1000);
  private readonly parallel = new THREE.OrthographicCamera();
  private aspect = 1;
  private height = 1;
  private flight: { from: number[]; to: number[]; begin: number; ms: number } | undefined;

  constructor(private readonly changed: () => void) {}

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.orthographic ? this.parallel : this.perspective;
  }
  // Height, in pitches, of what is seen at the target.
  get viewHeight(): number {
    return 2 * this.distance * Math.tan((FOV * Math.PI) / 360);
  }
  get pitchesPerPixel(): number {
    return this.viewHeight / this.height;
  }
  forward(out = new THREE.Vector3()): THREE.Vector3 {
    const c = Math.cos(this.elevation);
    return out.set(-c * Math.cos(this.azimuth), -c * Math.sin(this.azimuth), -Math.sin(this.elevation));
  }
  resize(width: number, height: number): void {
    this.aspect = width / Math.max(1, height);
    this.height = Math.max(1, height);
  }
  get flying(): boolean {
    return this.flight !== undefined;
  }
  // Brings the cameras up to date; true while a flight goes on.
  update(now: number): boolean {
    let flying = false;
    if (this.flight) {
      const { from, to, begin, ms } = this.flight;
      const t = Math.max(0, Math.min(1, (now - begin) / ms)); // a picture's time is that of its beginning, which may be before the flight's
      const s = t * t * (3 - 2 * t);
      const v = from.map((f, i) => f + (to[i]! - f) * s);
      this.target.set(v[0]!, v[1]!, v[2]!);
      [this.distance, this.azimuth, this.elevation] = [v[3]!, v[4]!, v[5]!];
      flying = t < 1;
      if (!flying) this.flight = undefined;
    }
    const camera = this.camera;
    const forward = this.forward();
    camera.position.copy(this.target).addScaledVector(forward, -this.distance);
    // Straight down or up, "up" in the picture is where the azimuth points.
    camera.up.set(0, 0, 1);
    if (Math.abs(this.elevation) > 1.5) {
      const s = Math.sign(this.elevation);
      camera.up.set(-Math.cos(this.azimuth) * s, -Math.sin(this.azimuth) * s, 0);
    }
    camera.lookAt(this.target);
    if (camera instanceof THREE.PerspectiveCamera) {
      camera.aspect = this.aspect;
      camera.near = this.distance / 200;
      camera.far = this.distance * 50;
    } else {
      const h = this.viewHeight / 2;
      camera.top = h;
      camera.bottom = -h;
      camera.left = -h * this.aspect;
      camera.right = h * this.aspect;
      camera.near = -this.distance * 50;
      camera.far = this.distance * 50;
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return flying;
  }
  orbit(dx: number, dy: number): void {
    this.flight = undefined;
    this.azimuth -= dx * 0.007;
    this.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.elevation + dy * 0.007));
    this.changed();
  }
  pan(dx: number, dy: number): void {
    this.flight = undefined;
    const m = this.camera.matrixWorld;
    const right = new THREE.Vector3().setFromMatrixColumn(m, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(m, 1);
    const s = this.pitchesPerPixel;
    this.target.addScaledVector(right, -dx * s).addScaledVector(up, dy * s);
    this.changed();
  }
  // Zooms and keeps the point under the cursor (-1..1 each way) where it is.
  zoom(factor: number, x = 0, y = 0): void {
    this.flight = undefined;
    const before = this.viewHeight;
    this.distance = Math.max(0.5, Math.min(1e6, this.distance * factor));
    const d = (before - this.viewHeight) / 2;
    const m = this.camera.matrixWorld;
    this.target
      .addScaledVector(new THREE.Vector3().setFromMatrixColumn(m, 0), x * d * this.aspect)
      .addScaledVector(new THREE.Vector3().setFromMatrixColumn(m, 1), y * d);
    this.changed();
  }
  look(view: StandardView): void {
    const [azimuth, elevation] = ANGLES[view];
    // The short way round.
    const turn = Math.atan2(Math.sin(azimuth - this.azimuth), Math.cos(azimuth - this.azimuth));
    this.fly([this.target.x, this.target.y, this.target.z, this.distance, this.azimuth + turn, elevation]);
  }
  // Frames a box (in pitches).
  frame(box: THREE.Box3, fly = true): void {
    if (box.isEmpty()) return;
    const center = box.getCenter(new THREE.Vector3());
    const radius = Math.max(1, box.getSize(new THREE.Vector3()).length() / 2);
    const fit = radius / Math.sin((FOV * Math.PI) / 360) / Math.min(1, this.aspect);
    const to = [center.x, center.y, center.z, fit * 1.04, this.azimuth, this.elevation];
    if (fly) this.fly(to);
    else {
      this.target.copy(center);
      this.distance = fit * 1.04;
      this.flight = undefined;
      this.changed();
    }
  }
  private fly(to: number[]): void {
    const calm = typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.flight = {
      from: [this.target.x, this.target.y, this.target.z, this.distance, this.azimuth, this.elevation],
      to, begin: performance.now(), ms: calm ? 1 : 260,
    };
    this.changed();
  }
}
