// Draws a mesh: deformed hexahedra, a smooth skin, or links; plus its ghost. Everything is one merged buffer per look, refilled from the
// corners of each frame. Lengths on the graphics side are in pitches, so that micrometres and metres have the same precision.
import * as THREE from 'three';
import { sectionFaces, type Mesh } from './mesh';
import type { Axis } from '../model/types';

export type Look = 'voxels' | 'skin' | 'links';
export interface Section { axis: Axis; at: number; flip: boolean }

const LIGHT = /* glsl */ `
  vec3 shade(vec3 color, vec3 n, vec3 toEye) {
    float key = max(dot(n, vec3(0.4357, -0.5325, 0.7262)), 0.0);
    float fill = max(dot(n, vec3(-0.7317, 0.6098, 0.3049)), 0.0);
    float sky = 0.5 + 0.5 * n.z;
    float edge = 1.0 - abs(dot(n, toEye));
    float rim = edge * edge * edge;
    return color * (0.46 + 0.44 * key + 0.18 * fill + 0.16 * sky) + 0.05 * rim;
  }`;

// flat: the normal of the face itself, from screen derivatives, and dark lines along its edges; otherwise normals of the vertices.
// shaded: what is darkened by the shadow of the body above it.
export function surfaceMaterial(flat: boolean, opacity: number, shaded = false): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    vertexShader: /* glsl */ `
      attribute vec3 tint; attribute vec2 place;
      varying vec3 vTint; varying vec2 vPlace; varying vec3 vView; varying vec3 vNormal;
      void main() {
        vTint = tint; vPlace = place;
        vec4 world = modelMatrix * vec4(position, 1.0);
        ${flat ? '' : 'vNormal = mat3(modelMatrix) * normal;'}
        vView = world.xyz;
        gl_Position = projectionMatrix * viewMatrix * world;
      }`,
    fragmentShader: /* glsl */ `
      uniform float opacity; uniform float edges; uniform vec3 edgeTint; uniform float orthographic; uniform vec3 forward;
      varying vec3 vTint; varying vec2 vPlace; varying vec3 vView; varying vec3 vNormal;
      ${shaded ? 'uniform sampler2D shadow; uniform vec4 shadowBox;' : ''}
      ${LIGHT}
      void main() {
        vec3 toEye = orthographic > 0.5 ? -forward : normalize(cameraPosition - vView);
        ${flat ? 'vec3 n = normalize(cross(dFdx(vView), dFdy(vView)));' : 'vec3 n = normalize(vNormal);'}
        // At the rim an interpolated normal may point away although its face does not.
        ${flat ? 'if (dot(n, toEye) < 0.0) n = -n;' : 'if (!gl_FrontFacing) n = -n;'}
        vec3 color = shade(vTint, n, toEye);
        ${flat ? `
        vec2 w = fwidth(vPlace);
        vec2 d = min(vPlace, 1.0 - vPlace) / max(w, vec2(1e-6));
        // Lines fade where a face is only a few pixels wide, or the body would turn black.
        float line = (1.0 - smoothstep(0.35, 1.15, min(d.x, d.y))) * clamp(0.22 / max(w.x, w.y) - 0.35, 0.0, 1.0);
        color = mix(color, color * edgeTint, edges * line);` : ''}
        ${shaded ? `
        vec2 under = (vView.xy - shadowBox.xy) / max(shadowBox.z, 1e-6) + 0.5;
        if (under == clamp(under, 0.0, 1.0)) color *= 1.0 - shadowBox.w * texture2D(shadow, under).r;` : ''}
        gl_FragColor = vec4(color, opacity);
      }`,
    uniforms: {
      ...(shaded ? { shadow: { value: null }, shadowBox: { value: new THREE.Vector4(0, 0, 1, 0) } } : {}),
      opacity: { value: opacity }, edges: { value: 0.42 }, edgeTint: { value: new THREE.Vector3(0.25, 0.25, 0.28) },
      orthographic: { value: 0 }, forward: { value: new THREE.Vector3(0, 1, 0) },
    },
    side: THREE.DoubleSide,
    transparent: opacity < 1,
    depthWrite: opacity >= 1,
  });
}

function linkMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    vertexShader: /* glsl */ `
      attribute vec3 from; attribute vec3 to; attribute vec3 tint; attribute float thickness;
      varying vec3 vTint; varying vec3 vView;
      void main() {
        vec3 d = to - from;
        vec3 z = length(d) > 0.0 ? normalize(d) : vec3(0.0, 0.0, 1.0);
        vec3 x = normalize(cross(z, abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
        vec3 y = cross(z, x);
        vec3 p = from + d * position.z + (x * position.x + y * position.y) * thickness;
        vTint = tint;
        vec4 world = modelMatrix * vec4(p, 1.0);
        vView = world.xyz;
        gl_Position = projectionMatrix * viewMatrix * world;
      }`,
    fragmentShader: /* glsl */ `
      varying vec3 vTint; varying vec3 vView;
      ${LIGHT}
      void main() {
        vec3 n = normalize(cross(dFdx(vView), dFdy(vView)));
        vec3 toEye = normalize(cameraPosition - vView);
        if (dot(n, toEye) < 0.0) n = -n;
        gl_FragColor = vec4(shade(vTint, n, toEye), 1.0);
      }`,
    side: THREE.DoubleSide,
  });
}

const PRISM = (() => {
  const position: number[] = [];
  const index: number[] = [];
  const sides = 5;
  for (let i = 0; i < sides; i++) {
    const a = (2 * Math.PI * i) / sides;
    position.push(Math.cos(a), Math.sin(a), 0, Math.cos(a), Math.sin(a), 1);
    const j = (i + 1) % sides;
    index.push(2 * i, 2 * j, 2 * i + 1, 2 * j, 2 * j + 1, 2 * i + 1);
  }
  return { position, index };
})();

export class Body {
  readonly group = new THREE.Group();
  mesh: Mesh | undefined;
  corners: Float32Array = new Float32Array(0); // m, relative to `origin`, of the state shown
  private centers: Float32Array | undefined;
  face: Uint32Array = new Uint32Array(0); // corners of the faces drawn, four each
  private faceVoxel: Uint32Array = new Uint32Array(0);
  private look: Look = 'voxels';
  private section: Section | undefined;
  private readonly surface: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private readonly skin: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private links: THREE.Mesh<THREE.InstancedBufferGeometry, THREE.ShaderMaterial> | undefined;
  private readonly ghost: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private tint: Uint8Array = new Uint8Array(0); // (3 n) colours of the voxels
  private skinNeighbours: { offset: Uint32Array; list: Uint32Array } | undefined;
  private skinCorner: Uint32Array = new Uint32Array(0); // corners that lie on the skin
  private overlay: { color: readonly [number, number, number]; strength: number } | undefined;
  private stale = { colors: true, positions: true };
  private painted: unknown; // who filled the colours last
  private readonly extent = new THREE.Box3();
  private extentOf: Float32Array | undefined;

  constructor(opacity = 1) {
    const make = (flat: boolean, alpha: number) => {
      const mesh = new THREE.Mesh(new THREE.BufferGeometry(), surfaceMaterial(flat, alpha));
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return mesh;
    };
    this.surface = make(true, opacity);
    this.skin = make(false, opacity);
    this.ghost = make(true, 0.14);
    this.ghost.material.uniforms.edges!.value = 0.3;
    this.ghost.visible = false;
    this.ghost.renderOrder = 2;
    if (opacity < 1) this.surface.renderOrder = 1;
  }

  setMesh(mesh: Mesh | undefined): void {
    this.mesh = mesh;
    this.centers = undefined;
    if (mesh) {
      this.corners = mesh.start;
      this.tint = new Uint8Array(3 * mesh.voxel.length).fill(160);
      this.painted = undefined;
      this.ghostOf(mesh);
    }
    this.rebuild();
    if (mesh) this.setFrame(mesh.start, mesh.origin);
    this.group.visible = !!mesh && mesh.voxel.length > 0;
  }
  setLook(look: Look): void {
    this.look = look;
    this.refresh();
  }
  setSection(section: Section | undefined): void {
    if (JSON.stringify(section) === JSON.stringify(this.section)) return;
    this.section = section;
    this.rebuild();
    this.refresh();
  }
  // Blends every colour with one, so that two bodies in one picture are told apart; undefined: no.
  setTint(color: readonly [number, number, number] | undefined, strength: number): void {
    this.overlay = color ? { color, strength } : undefined;
    this.painted = undefined;
    this.stale.colors = true;
  }
  showGhost(on: boolean): void {
    this.ghost.visible = on;
  }
  setEdges(on: boolean): void {
    this.surface.material.uniforms.edges!.value = on ? 0.42 : 0;
  }
  setOpacity(opacity: number): void {
    for (const mesh of [this.surface, this.skin]) {
      mesh.material.uniforms.opacity!.value = opacity;
      mesh.material.transparent = opacity < 1;
      mesh.material.depthWrite = opacity >= 1;
    }
  }
  // For the light at the rim, which depends on the direction of sight.
  setCamera(orthographic: boolean, forward: THREE.Vector3): void {
    for (const mesh of [this.surface, this.skin, this.ghost]) {
      mesh.material.uniforms.orthographic!.value = orthographic ? 1 : 0;
      (mesh.material.uniforms.forward!.value as THREE.Vector3).copy(forward);
    }
  }

  // Colours of the voxels, 0..255, three per voxel. With a `key`, nothing is done if that is what they are already.
  setColors(fill: (tint: Uint8Array, mesh: Mesh) => void, key?: unknown): void {
    if (!this.mesh || (key !== undefined && key === this.painted)) return;
    this.painted = key;
    fill(this.tint, this.mesh);
    const mix = this.overlay;
    if (mix) for (let i = 0; i < this.tint.length; i++) this.tint[i] = this.tint[i]! * (1 - mix.strength) + mix.color[i % 3]! * mix.strength;
    this.stale.colors = true;
  }
  setFrame(corners: Float32Array, origin: readonly number[], centers?: Float32Array): void {
    const mesh = this.mesh;
    if (!mesh || corners.length !== mesh.start.length) return;
    this.corners = corners;
    this.extentOf = undefined; // the array may be the same one, filled anew
    this.centers = centers;
    this.group.scale.setScalar(1 / mesh.pitch);
    this.surface.position.set(origin[0]!, origin[1]!, origin[2]!);
    this.skin.position.copy(this.surface.position);
    this.links?.position.copy(this.surface.position);
    this.refresh();
  }
  // Thickness and colour of the links; thickness in pitches.
  setLinks(fill: (tint: Float32Array, thickness: Float32Array, count: number) => void): void {
    const geometry = this.links?.geometry;
    if (!geometry || !this.mesh) return;
    const tint = geometry.getAttribute('tint') as THREE.InstancedBufferAttribute;
    const thickness = geometry.getAttribute('thickness') as THREE.InstancedBufferAttribute;
    fill(tint.array as Float32Array, thickness.array as Float32Array, this.mesh.link.length / 2);
    const scaled = thickness.array as Float32Array;
    for (let i = 0; i < scaled.length; i++) scaled[i]! *= this.mesh.pitch;
    tint.needsUpdate = true;
    thickness.needsUpdate = true;
  }

  get origin(): THREE.Vector3 {
    return this.surface.position;
  }
  // What the body takes up, in pitches.
  box(): THREE.Box3 {
    const { corners, extent, origin, mesh } = this;
    if (!mesh || this.extentOf === corners) return mesh ? extent : extent.makeEmpty();
    this.extentOf = corners;
    let [x0, y0, z0, x1, y1, z1] = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    for (let i = 0; i < corners.length; i += 3) {
      const x = corners[i]!;
      const y = corners[i + 1]!;
      const z = corners[i + 2]!;
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
      if (y < y0) y0 = y;
      if (y > y1) y1 = y;
      if (z < z0) z0 = z;
      if (z > z1) z1 = z;
    }
    extent.min.set(x0, y0, z0).add(origin).divideScalar(mesh.pitch);
    extent.max.set(x1, y1, z1).add(origin).divideScalar(mesh.pitch);
    return extent;
  }
  get faces(): number {
    return this.faceVoxel.length;
  }
  // Middle of a voxel, by its index in the mesh, in pitches.
  center(index: number, out: THREE.Vector3): THREE.Vector3 {
    out.set(0, 0, 0);
    const mesh = this.mesh!;
    for (let c = 0; c < 8; c++) {
      const k = 3 * mesh.hexahedron[8 * index + c]!;
      out.x += this.corners[k]!;
      out.y += this.corners[k + 1]!;
      out.z += this.corners[k + 2]!;
    }
    return out.multiplyScalar(1 / 8).add(this.origin).divideScalar(mesh.pitch);
  }

  // The nearest face that a ray (in pitches) meets: index of its voxel in the mesh, the distance and the side's normal.
  pick(ray: THREE.Ray): { voxel: number; distance: number; face: number } | undefined {
    const mesh = this.mesh;
    if (!mesh || !this.group.visible) return undefined;
    const { corners, face, faceVoxel } = this;
    const local = new THREE.Ray(ray.origin.clone().multiplyScalar(mesh.pitch).sub(this.origin), ray.direction.clone());
    const a = new THREE.Vector3();
    const b = new THREE.Vector3();
    const c = new THREE.Vector3();
    const hit = new THREE.Vector3();
    let best: { voxel: number; distance: number; face: number } | undefined;
    for (let f = 0; f < faceVoxel.length; f++) {
      // A sphere about the face sorts out most of them cheaply.
      const k0 = 3 * face[4 * f]!;
      const k2 = 3 * face[4 * f + 2]!;
      const mx = (corners[k0]! + corners[k2]!) / 2 - local.origin.x;
      const my = (corners[k0 + 1]! + corners[k2 + 1]!) / 2 - local.origin.y;
      const mz = (corners[k0 + 2]! + corners[k2 + 2]!) / 2 - local.origin.z;
      const along = mx * local.direction.x + my * local.direction.y + mz * local.direction.z;
      const off = mx * mx + my * my + mz * mz - along * along;
      const ex = corners[k0]! - corners[k2]!;
      const ey = corners[k0 + 1]! - corners[k2 + 1]!;
      const ez = corners[k0 + 2]! - corners[k2 + 2]!;
      if (off > (ex * ex + ey * ey + ez * ez) * 2) continue;
      for (const tri of [[0, 1, 2], [0, 2, 3]] as const) {
        a.fromArray(corners, 3 * face[4 * f + tri[0]]!);
        b.fromArray(corners, 3 * face[4 * f + tri[1]]!);
        c.fromArray(corners, 3 * face[4 * f + tri[2]]!);
        if (!local.intersectTriangle(a, b, c, false, hit)) continue;
        const distance = hit.distanceTo(local.origin) / mesh.pitch;
        if (!best || distance < best.distance) best = { voxel: faceVoxel[f]!, distance, face: f };
      }
    }
    return best;
  }

  dispose(): void {
    for (const mesh of [this.surface, this.skin, this.ghost, this.links]) {
      mesh?.geometry.dispose();
      mesh?.material.dispose();
    }
  }

  private ghostOf(mesh: Mesh): void {
    this.ghost.geometry.dispose();
    this.ghost.geometry = faceGeometry(mesh.face);
    fillFaces(this.ghost.geometry, mesh.face, mesh.start);
    const tint = this.ghost.geometry.getAttribute('tint') as THREE.BufferAttribute;
    (tint.array as Uint8Array).fill(150);
    this.ghost.position.set(mesh.origin[0], mesh.origin[1], mesh.origin[2]);
  }

  private rebuild(): void {
    const mesh = this.mesh;
    if (!mesh) return;
    if (this.section) {
      const cut = sectionFaces(mesh, this.section.axis, this.section.at, this.section.flip);
      this.face = cut.face;
      this.faceVoxel = cut.faceVoxel;
    } else {
      this.face = mesh.face;
      this.faceVoxel = mesh.faceVoxel;
    }
    this.surface.geometry.dispose();
    this.surface.geometry = faceGeometry(this.face);
    this.skinNeighbours = undefined;
    if (this.links) {
      this.group.remove(this.links);
      this.links.geometry.dispose();
      this.links = undefined;
    }
    this.stale = { colors: true, positions: true };
  }

  // Where the body is changed in several ways between two pictures, its buffers are filled once.
  private refresh(): void {
    this.stale.positions = true;
  }
  // Brings the buffers up to date; true: the shape has changed since the last picture.
  flush(): boolean {
    const mesh = this.mesh;
    if (!mesh || (!this.stale.positions && !this.stale.colors)) return false;
    const moved = this.stale.positions;
    this.stale.positions = false;
    const look = this.look === 'links' && !mesh.link.length ? 'voxels' : this.look;
    this.surface.visible = look === 'voxels';
    this.skin.visible = look === 'skin';
    if (look === 'voxels') {
      if (moved) fillFaces(this.surface.geometry, this.face, this.corners);
      if (this.stale.colors) this.fillTint();
    } else if (look === 'skin') {
      this.fillSkin();
    } else {
      this.fillLinks();
    }
    if (this.links) this.links.visible = look === 'links';
    return moved;
  }

  private fillTint(): void {
    const attribute = this.surface.geometry.getAttribute('tint') as THREE.BufferAttribute;
    const out = attribute.array as Uint8Array;
    const { tint, faceVoxel } = this;
    for (let f = 0, o = 0; f < faceVoxel.length; f++) {
      const t = 3 * faceVoxel[f]!;
      for (let c = 0; c < 4; c++, o += 3) {
        out[o] = tint[t]!;
        out[o + 1] = tint[t + 1]!;
        out[o + 2] = tint[t + 2]!;
      }
    }
    attribute.needsUpdate = true;
    this.stale.colors = false;
  }

  // The skin: corners of free faces, each moved to the mean of itself and its neighbours, twice; normals and colours follow.
  private buildSkin(): void {
    const mesh = this.mesh!;
    const m = mesh.start.length / 3;
    const local = new Int32Array(m).fill(-1);
    const corner: number[] = [];
    for (const k of this.face)
      if (local[k]! < 0) {
        local[k] = corner.length;
        corner.push(k);
      }
    const n = corner.length;
    const degree = new Uint32Array(n + 1);
    const faces = this.faceVoxel.length;
    for (let f = 0; f < faces; f++) for (let i = 0; i < 4; i++) degree[local[this.face[4 * f + i]!]! + 1]! += 2;
    for (let i = 0; i < n; i++) degree[i + 1]! += degree[i]!;
    const list = new Uint32Array(degree[n]!);
    const next = degree.slice();
    const index: number[] = [];
    for (let f = 0; f < faces; f++) {
      const c = [0, 1, 2, 3].map((i) => local[this.face[4 * f + i]!]!);
      index.push(c[0]!, c[1]!, c[2]!, c[0]!, c[2]!, c[3]!);
      for (let i = 0; i < 4; i++) {
        list[next[c[i]!]!++] = c[(i + 1) & 3]!;
        list[next[c[i]!]!++] = c[(i + 3) & 3]!;
      }
    }
    this.skinCorner = Uint32Array.from(corner);
    this.skinNeighbours = { offset: degree, list };
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * n), 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * n), 3));
    geometry.setAttribute('tint', new THREE.BufferAttribute(new Uint8Array(3 * n), 3, true));
    geometry.setAttribute('place', new THREE.BufferAttribute(new Float32Array(2 * n), 2));
    geometry.setIndex(index);
    this.skin.geometry.dispose();
    this.skin.geometry = geometry;
    this.stale.colors = true;
  }

  private fillSkin(): void {
    if (!this.skinNeighbours) this.buildSkin();
    const { offset, list } = this.skinNeighbours!;
    const n = this.skinCorner.length;
    const geometry = this.skin.geometry;
    const position = geometry.getAttribute('position') as THREE.BufferAttribute;
    let from = new Float32Array(3 * n);
    let to = position.array as Float32Array;
    for (let i = 0; i < n; i++)
      for (let a = 0; a < 3; a++) from[3 * i + a] = this.corners[3 * this.skinCorner[i]! + a]!;
    // Taubin's pair of steps: the second undoes the shrinking of the first. An even number of passes ends in the attribute's own array.
    const weights = [0.63, -0.4, 0.63, -0.4, 0.5];
    for (const w of weights) {
      for (let i = 0; i < n; i++) {
        const low = offset[i]!;
        const high = offset[i + 1]!;
        let x = 0;
        let y = 0;
        let z = 0;
        for (let j = low; j < high; j++) {
          const k = 3 * list[j]!;
          x += from[k]!;
          y += from[k + 1]!;
          z += from[k + 2]!;
        }
        const s = w / Math.max(1, high - low);
        to[3 * i] = from[3 * i]! * (1 - w) + x * s;
        to[3 * i + 1] = from[3 * i + 1]! * (1 - w) + y * s;
        to[3 * i + 2] = from[3 * i + 2]! * (1 - w) + z * s;
      }
      [from, to] = [to as Float32Array<ArrayBuffer>, from];
    }
    if (from !== position.array) (position.array as Float32Array).set(from);
    position.needsUpdate = true;
    geometry.computeVertexNormals();
    if (!this.stale.colors) return;
    const sum = new Float32Array(3 * n);
    const times = new Float32Array(n);
    const index = geometry.index!.array;
    for (let f = 0; f < this.faceVoxel.length; f++) {
      const t = 3 * this.faceVoxel[f]!;
      for (const i of [0, 1, 2, 5]) {
        const c = index[6 * f + i]!;
        times[c]!++;
        for (let a = 0; a < 3; a++) sum[3 * c + a]! += this.tint[t + a]!;
      }
    }
    const tint = geometry.getAttribute('tint') as THREE.BufferAttribute;
    for (let i = 0; i < 3 * n; i++) (tint.array as Uint8Array)[i] = sum[i]! / Math.max(1, times[Math.floor(i / 3)]!);
    tint.needsUpdate = true;
    this.stale.colors = false;
  }

  private fillLinks(): void {
    const mesh = this.mesh!;
    const l = mesh.link.length / 2;
    if (!this.links) {
      const geometry = new THREE.InstancedBufferGeometry();
      geometry.setAttribute('position', new THREE.Float32BufferAttribute(PRISM.position, 3));
      geometry.setIndex(PRISM.index);
      for (const [name, width] of [['from', 3], ['to', 3], ['tint', 3], ['thickness', 1]] as const)
        geometry.setAttribute(name, new THREE.InstancedBufferAttribute(new Float32Array(width * l), width));
      (geometry.getAttribute('tint').array as Float32Array).fill(0.6);
      (geometry.getAttribute('thickness').array as Float32Array).fill(0.06 * mesh.pitch);
      geometry.instanceCount = l;
      this.links = new THREE.Mesh(geometry, linkMaterial());
      this.links.frustumCulled = false;
      this.links.position.copy(this.origin);
      this.group.add(this.links);
    }
    const from = this.links.geometry.getAttribute('from') as THREE.InstancedBufferAttribute;
    const to = this.links.geometry.getAttribute('to') as THREE.InstancedBufferAttribute;
    const centers = this.centers;
    const p = new THREE.Vector3();
    for (let i = 0; i < l; i++)
      for (const [attribute, v] of [[from, mesh.link[2 * i]!], [to, mesh.link[2 * i + 1]!]] as const) {
        const out = attribute.array as Float32Array;
        if (centers) {
          for (let a = 0; a < 3; a++) out[3 * i + a] = centers[3 * v + a]!;
        } else {
          this.center(v, p).multiplyScalar(mesh.pitch).sub(this.origin).toArray(out, 3 * i);
        }
      }
    from.needsUpdate = true;
    to.needsUpdate = true;
  }
}

function faceGeometry(face: Uint32Array): THREE.BufferGeometry {
  const f = face.length / 4;
  const geometry = new THREE.BufferGeometry();
  const index = new Uint32Array(6 * f);
  const place = new Float32Array(8 * f);
  for (let i = 0; i < f; i++) {
    const v = 4 * i;
    index.set([v, v + 1, v + 2, v, v + 2, v + 3], 6 * i);
    place.set([0, 0, 1, 0, 1, 1, 0, 1], 8 * i);
  }
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(12 * f), 3));
  geometry.setAttribute('tint', new THREE.BufferAttribute(new Uint8Array(12 * f), 3, true));
  geometry.setAttribute('place', new THREE.BufferAttribute(place, 2));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  return geometry;
}

function fillFaces(geometry: THREE.BufferGeometry, face: Uint32Array, corners: Float32Array): void {
  const attribute = geometry.getAttribute('position') as THREE.BufferAttribute;
  const out = attribute.array as Float32Array;
  for (let i = 0, o = 0; i < face.length; i++, o += 3) {
    const k = 3 * face[i]!;
    out[o] = corners[k]!;
    out[o + 1] = corners[k + 1]!;
    out[o + 2] = corners[k + 2]!;
  }
  attribute.needsUpdate = true;
}
