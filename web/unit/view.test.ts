import * as THREE from 'three';
import { describe, expect, it } from 'vitest';
import { Grid } from '../src/model/grid';
import { readBinary, writeBinary } from '../src/net/protocol';
import { groupColumns, readColumn } from '../src/studio/panels/quantities';
import { mapFor, rangeFor } from '../src/view/colormap';
import { meshOfGrid, sectionFaces, SIDE_CORNERS } from '../src/view/mesh';
import { Rig } from '../src/view/rig';
import { niceStep } from '../src/view/stage';

describe('mesh', () => {
  const block = (n: number) => {
    const g = new Grid([n, n, n]);
    g.material.fill(1);
    return g;
  };
  it('has the free faces only, with shared corners', () => {
    const mesh = meshOfGrid(block(3), 1, () => true);
    expect(mesh.faceVoxel.length).toBe(54);
    expect(mesh.voxel.length).toBe(26); // the middle one has no free face
    expect(mesh.start.length / 3).toBe(64);
  });
  it('turns its faces outwards', () => {
    const mesh = meshOfGrid(block(1), 1, () => true);
    for (let f = 0; f < 6; f++) {
      const p = [0, 1, 2].map((i) => [0, 1, 2].map((a) => mesh.start[3 * mesh.face[4 * f + i]! + a]!));
      const u = [0, 1, 2].map((a) => p[1]![a]! - p[0]![a]!);
      const v = [0, 1, 2].map((a) => p[2]![a]! - p[1]![a]!);
      const n = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
      const outward = [0, 1, 2].reduce((s, a) => s + n[a]! * (p[0]![a]! + p[2]![a]! - 1), 0);
      expect(outward).toBeGreaterThan(0);
    }
  });
  it('cuts open, showing what is inside', () => {
    const g = block(3);
    const mesh = meshOfGrid(g, 1, () => true);
    // A mesh of all voxels, as the server sends it for a section.
    const cut = sectionFaces(mesh, 2, 0, false);
    expect(cut.faceVoxel.length).toBe(9 + 9 + 12);
    expect(sectionFaces(mesh, 2, 2, false).faceVoxel.length).toBeGreaterThanOrEqual(54);
  });
  it('opens faces where links broke', () => {
    const g = new Grid([2, 1, 1]);
    g.material.fill(1);
    const mesh = meshOfGrid(g, 1, () => true);
    expect(sectionFaces(mesh, 0, 1, false).faceVoxel.length).toBe(10);
    const apart = { ...mesh, hexahedron: mesh.hexahedron.slice() };
    for (const c of SIDE_CORNERS[0]) apart.hexahedron[8 + c] = 100 + c;
    expect(sectionFaces(apart, 0, 1, false).faceVoxel.length).toBe(12);
  });
});

describe('camera', () => {
  it('does not fly backwards in a picture that began before the flight', () => {
    const rig = new Rig(() => undefined);
    rig.resize(400, 300);
    const before = rig.distance;
    rig.frame(new THREE.Box3(new THREE.Vector3(), new THREE.Vector3(40, 40, 40)));
    rig.update(performance.now() - 1000);
    expect(rig.distance).toBe(before);
    expect(rig.flying).toBe(true);
    rig.update(performance.now() + 1000);
    expect(rig.distance).toBeGreaterThan(60);
    expect(rig.flying).toBe(false);
  });
});

describe('colours', () => {
  it('gives signed fields a map with a middle at zero', () => {
    expect(mapFor('strain_x')).toBe('diverging');
    expect(mapFor('displacement')).toBe('sequential');
    expect(mapFor('displacement_z')).toBe('diverging');
    expect(rangeFor('stress', -1, 3)).toEqual([-3, 3]);
    expect(rangeFor('speed', 0.5, 3)).toEqual([0, 3]);
    expect(rangeFor('phase', 0, 0.5)).toEqual([0, 1]);
  });
  it('chooses round steps', () => {
    expect([0.0011, 0.02, 3, 7].map(niceStep)).toEqual([0.002, 0.02, 5, 10]);
  });
});

describe('protocol', () => {
  it('reads what it writes, arrays in place', () => {
    const message = writeBinary({ do: 'file.import', name: 'x' }, new Uint8Array([1, 2, 3]));
    expect(new DataView(message.buffer).getUint32(0, true) % 8).toBe(4);
    const head = JSON.stringify({ kind: 'frame', arrays: [['a', 'u8', 3], ['b', 'f64', 2]] });
    const padded = head.padEnd(head.length + ((8 - ((head.length + 4) % 8)) % 8));
    const bytes = new Uint8Array(4 + padded.length + 8 + 16);
    new DataView(bytes.buffer).setUint32(0, padded.length, true);
    bytes.set(new TextEncoder().encode(padded), 4);
    bytes.set([7, 8, 9], 4 + padded.length);
    new Float64Array(bytes.buffer, 4 + padded.length + 8, 2).set([1.5, -2]);
    const read = readBinary(bytes.buffer);
    expect([...read.arrays.a!]).toEqual([7, 8, 9]);
    expect([...read.arrays.b!]).toEqual([1.5, -2]);
    expect(() => readBinary(bytes.buffer.slice(0, bytes.length - 8))).toThrow(/cut off/);
  });
});

describe('traces', () => {
  it('belong to their names', () => {
    const columns = ['time_s', 'center_of_mass_x_m', 'center_of_mass_y_m', 'region_tip_displacement_z_m', 'energy_kinetic_J', 'contacts_floor_1'];
    const groups = groupColumns(columns, ['center_of_mass', 'region:tip.displacement', 'energy']);
    expect(groups.map((g) => [g.name, g.columns])).toEqual([
      ['center_of_mass', [1, 2]], ['region:tip.displacement', [3]], ['energy', [4]], ['contacts_floor_1', [5]],
    ]);
    expect(readColumn('speed_max_m_per_s')).toEqual({ name: 'speed max', unit: 'm/s' });
    expect(readColumn('contacts_floor_1')).toEqual({ name: 'contacts floor', unit: '' });
  });
});
