// What is around the body: ground and fixed solids, the surface of water, sources of light and heat.
import * as THREE from 'three';
import type { Vec3 } from '../model/types';
import { formatUnit } from '../model/units';
import { surfaceMaterial } from './body';
import type { Labels } from './labels';

export interface Source { kind: 'light' | 'heat'; name: string; position: Vec3; swing: Vec3; frequency: Vec3; strength: number; radius: number }
// Corners in m; faces of four of them, with a colour each.
export interface WorldData { corners: Float32Array; face: Uint32Array; color: Uint8Array; water: number | null; everywhere: boolean; sources: Source[] }

const SOURCE_COLORS = { light: '#e8b10c', heat: '#e5484d' } as const;

export class World {
  readonly group = new THREE.Group();
  data: WorldData | undefined;
  pitch = 0.01; // m
  shown = true;
  private readonly land: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private readonly water: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly sources = new THREE.Group();
  private time = 0;

  constructor() {
    this.land = new THREE.Mesh(new THREE.BufferGeometry(), surfaceMaterial(true, 1, true));
    this.land.material.uniforms.edges!.value = 0.18;
    this.water = new THREE.Mesh(new THREE.CircleGeometry(1, 64), new THREE.MeshBasicMaterial({ color: '#3b8ad8', transparent: true, opacity: 0.22, depthWrite: false, side: THREE.DoubleSide }));
    this.water.renderOrder = 6; // over what is in it
    for (const o of [this.land, this.water]) o.frustumCulled = false;
    this.group.add(this.land, this.water, this.sources);
  }
  theme(dark: boolean): void {
    this.water.material.color.set(dark ? '#4f9fe8' : '#3b8ad8');
    this.water.material.opacity = dark ? 0.26 : 0.22;
  }
  // Whether there is ground: then the floor's grid would lie across it.
  get hasGround(): boolean {
    return !!this.data?.face.length;
  }

  set(data: WorldData | undefined, pitch: number, labels: Labels): void {
    this.data = data;
    this.pitch = pitch;
    const faces = (data?.face.length ?? 0) / 4;
    this.land.visible = faces > 0;
    this.land.geometry.dispose();
    this.land.geometry = new THREE.BufferGeometry();
    if (data && faces) {
      const position = new Float32Array(12 * faces);
      const tint = new Uint8Array(12 * faces);
      const place = new Float32Array(8 * faces);
      const index = new Uint32Array(6 * faces);
      for (let f = 0; f < faces; f++) {
        for (let c = 0; c < 4; c++) {
          const k = 3 * data.face[4 * f + c]!;
          for (let a = 0; a < 3; a++) {
            position[12 * f + 3 * c + a] = data.corners[k + a]! / pitch;
            tint[12 * f + 3 * c + a] = data.color[3 * f + a]!;
          }
        }
        place.set([0, 0, 1, 0, 1, 1, 0, 1], 8 * f);
        index.set([4 * f, 4 * f + 1, 4 * f + 2, 4 * f, 4 * f + 2, 4 * f + 3], 6 * f);
      }
      const { geometry } = this.land;
      geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
      geometry.setAttribute('tint', new THREE.BufferAttribute(tint, 3, true));
      geometry.setAttribute('place', new THREE.BufferAttribute(place, 2));
      geometry.setIndex(new THREE.BufferAttribute(index, 1));
    }
    this.water.visible = data?.water !== null && data?.water !== undefined;
    for (const o of [...this.sources.children]) {
      this.sources.remove(o);
      o.traverse((part) => part instanceof THREE.Mesh && part.geometry.dispose());
    }
    for (const s of data?.sources ?? []) this.sources.add(lamp(s, pitch));
    labels.keep('world ', new Set());
    this.move(this.time, labels);
  }

  // Sources swing; each says what it is.
  move(time: number, labels: Labels): void {
    this.time = time;
    const kept = new Set<string>();
    this.data?.sources.forEach((s, i) => {
      const lampAt = this.sources.children[i]!;
      const at = s.position.map((p, a) => (p + s.swing[a]! * Math.sin(2 * Math.PI * s.frequency[a]! * time)) / this.pitch);
      lampAt.position.set(at[0]!, at[1]!, at[2]!);
      if (!this.shown) return;
      const id = `world ${i}`;
      kept.add(id);
      labels.set(id, { text: `${s.name || s.kind} ${s.kind === 'heat' ? formatUnit(s.strength, 'K', 3) : ''}`.trim(), at: lampAt.position.clone().setZ(lampAt.position.z + 1.6), tone: 'axis', color: SOURCE_COLORS[s.kind] });
    });
    labels.keep('world ', kept);
  }
  // The body's shadow on ground and solids; none: a strength of 0.
  shade(texture: THREE.Texture, x: number, y: number, side: number, strength: number): void {
    this.land.material.uniforms.shadow!.value = texture;
    (this.land.material.uniforms.shadowBox!.value as THREE.Vector4).set(x, y, side, strength);
  }
  // Water goes on to where the eye can see.
  update(target: THREE.Vector3, viewHeight: number): void {
    this.group.visible = this.shown;
    if (!this.water.visible) return;
    this.water.position.set(target.x, target.y, this.data!.water! / this.pitch);
    this.water.scale.setScalar(viewHeight * 2.2);
  }
}

// A ball, and the circle at which it is half as strong.
function lamp(s: Source, pitch: number): THREE.Group {
  const group = new THREE.Group();
  const color = SOURCE_COLORS[s.kind];
  const size = Math.max(0.5, Math.min(1.5, (0.1 * s.radius) / pitch));
  group.add(new THREE.Mesh(new THREE.SphereGeometry(size, 20, 14), new THREE.MeshBasicMaterial({ color })));
  const glow = new THREE.Mesh(new THREE.SphereGeometry(1.7 * size, 20, 14), new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.25, depthWrite: false }));
  group.add(glow);
  const radius = s.radius / pitch;
  const circle = new THREE.Mesh(new THREE.RingGeometry(radius - 0.06, radius + 0.06, 96), new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.5, depthWrite: false, side: THREE.DoubleSide }));
  group.add(circle);
  for (const o of group.children) o.renderOrder = 5;
  return group;
}
