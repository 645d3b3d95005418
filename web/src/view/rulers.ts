// Axes with their names and numbers: along the edges of a box (the workspace, or what the body takes up) that the eye sees best. Numbers are
// absolute places, in the unit that keeps them short.
import * as THREE from 'three';
import { formatNumber, multipleFor } from '../model/units';
import type { Labels } from './labels';
import type { Rig } from './rig';
import { niceStep } from './stage';

export const AXIS_COLORS = ['#d1453b', '#2f9e44', '#3b6fd8'] as const;
const NAMES = ['x', 'y', 'z'] as const;
const APART = 4.7; // letters' heights between numbers at least

export class Rulers {
  readonly group = new THREE.Group();
  shown = true;
  box: THREE.Box3 | undefined; // pitches; undefined: about the body
  private readonly lines: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private key = '';
  private wide = 0; // of the window, when the letter was measured
  private letter = 13; // pixels

  constructor() {
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.85 }));
    this.lines.frustumCulled = false;
    this.group.add(this.lines);
  }
  // Ground would hide them.
  set above(on: boolean) {
    this.lines.material.depthTest = !on;
    this.lines.renderOrder = on ? 7 : 0;
  }
  theme(dark: boolean): void {
    this.lines.material.opacity = dark ? 0.95 : 0.8;
    this.key = '';
  }

  update(rig: Rig, pitch: number, labels: Labels, body: () => THREE.Box3): void {
    if (!this.shown) {
      if (this.key !== 'none') labels.keep('ruler ', new Set());
      this.key = 'none';
      this.group.visible = false;
      return;
    }
    this.group.visible = true;
    // Letters grow with the screen.
    if (this.wide !== window.innerWidth) {
      this.wide = window.innerWidth;
      this.letter = parseFloat(getComputedStyle(document.documentElement).fontSize) || 13;
    }
    const step = niceStep(rig.pitchesPerPixel * pitch * APART * this.letter) / pitch;
    const box = (this.box ?? body()).clone();
    if (box.isEmpty()) return;
    if (!this.box) {
      // About a body that moves: at whole steps, so that the frame does not tremble.
      for (const a of [0, 1] as const) {
        box.min.setComponent(a, (Math.floor(box.min.getComponent(a) / step) - 1) * step);
        box.max.setComponent(a, (Math.ceil(box.max.getComponent(a) / step) + 1) * step);
      }
      box.min.z = Math.min(0, Math.floor(box.min.z / step + 0.2) * step); // what dips into the floor is on it
      box.max.z = Math.max(step, Math.ceil(box.max.z / step) * step);
    }
    const f = rig.forward();
    // x and y along the near edges of the floor, z up at the edge that is rightmost in the picture, away from time and legend.
    const near = [f.x > 0 ? box.min.x : box.max.x, f.y > 0 ? box.min.y : box.max.y];
    const flat = [Math.abs(f.x), Math.abs(f.y), Math.abs(f.z)];
    const right = new THREE.Vector3(-f.y, f.x, 0).negate();
    const corners = [[box.min.x, box.min.y], [box.max.x, box.min.y], [box.min.x, box.max.y], [box.max.x, box.max.y]] as const;
    const edge = corners.reduce((best, c) => (c[0] * right.x + c[1] * right.y > best[0] * right.x + best[1] * right.y ? c : best));
    const key = JSON.stringify([step, box.min, box.max, near, edge, pitch, flat.map((v) => v > 0.97)]);
    if (key === this.key) return;
    this.key = key;
    const position: number[] = [];
    const color: number[] = [];
    const kept = new Set<string>();
    const m = multipleFor(step * pitch, 'm');
    const tick = step * 0.16;
    for (const a of [0, 1, 2] as const) {
      if (flat[a]! > 0.97) continue; // the eye looks along it
      const at = (v: number): THREE.Vector3 => {
        const p = new THREE.Vector3(a === 2 ? edge[0] : near[0]!, a === 2 ? edge[1] : near[1]!, box.min.z);
        return p.setComponent(a, v);
      };
      const out = new THREE.Vector3();
      if (a === 0) out.y = near[1] === box.min.y ? -1 : 1;
      else if (a === 1) out.x = near[0] === box.min.x ? -1 : 1;
      else out.copy(right).normalize();
      const tone = new THREE.Color(AXIS_COLORS[a]);
      const line = (p: THREE.Vector3, q: THREE.Vector3) => {
        position.push(p.x, p.y, p.z, q.x, q.y, q.z);
        for (let i = 0; i < 2; i++) color.push(tone.r, tone.g, tone.b);
      };
      const low = box.min.getComponent(a);
      const high = box.max.getComponent(a);
      line(at(low), at(high));
      const count = Math.floor(high / step + 1e-6) - Math.ceil(low / step - 1e-6);
      const stride = Math.max(1, Math.ceil(count / 24));
      for (let k = Math.ceil(low / step - 1e-6); k <= high / step + 1e-6; k += stride) {
        const p = at(k * step);
        line(p, p.clone().addScaledVector(out, tick));
        const id = `ruler ${a} ${k}`;
        kept.add(id);
        labels.set(id, { text: formatNumber((k * step * pitch) / m.factor, 6), at: p.clone().addScaledVector(out, 2.6 * tick), tone: 'tick' });
      }
      const id = `ruler ${a}`;
      kept.add(id);
      labels.set(id, { text: `${NAMES[a]} [${m.name}]`, at: at(high).addScaledVector(out, (a === 2 ? 0 : a === 1 ? 5 : 2.6) * tick).setComponent(a, high + step * 0.55), tone: 'axis', color: AXIS_COLORS[a] });
    }
    labels.keep('ruler ', kept);
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry();
    this.lines.geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
    this.lines.geometry.setAttribute('color', new THREE.Float32BufferAttribute(color, 3));
  }
}
