// Motion between the frames of a replay.
import { describe, expect, it } from 'vitest';
import { Grid } from '../src/model/grid';
import { carry, curve, Replay, type Place } from '../src/replay/data';
import { meshOfGrid, type Mesh } from '../src/view/mesh';

const frame = (time: number, x: number, z: number, origin: [number, number, number] = [0, 0, 0]): Place => ({ time, origin, corners: Float32Array.from([x - origin[0], 0, z - origin[2]]) });

describe('between frames', () => {
  it('eight frames of a swing look like the swing, whatever the origins', () => {
    const at = (i: number) => frame(i / 8, Math.sin((2 * Math.PI * i) / 8), 5, [i % 2, 0, 0]);
    let worst = 0;
    for (let i = 1; i < 9; i++)
      for (let k = 0; k <= 10; k++) {
        const got = curve(k / 10, at(i), at(i + 1), at(i - 1), at(i + 2), false)[0]! + at(i).origin[0];
        worst = Math.max(worst, Math.abs(got - Math.sin((2 * Math.PI * (i + k / 10)) / 8)));
      }
    expect(worst).toBeLessThan(0.02); // straight lines are 0.076 off: 1 - cos(pi / 8)
  });
  it('passes through frames, also at the ends and with uneven times', () => {
    const [a, b, c] = [frame(0, 1, 1), frame(0.1, 3, 1), frame(0.5, 2, 1)];
    expect(curve(0, a, b, undefined, c, false)[0]).toBeCloseTo(1, 6);
    expect(curve(1, a, b, undefined, c, false)[0]).toBeCloseTo(3, 6);
    expect(curve(0.5, b, c, a, undefined, false)[0]).toBeGreaterThan(2);
    expect(curve(0.5, a, b, undefined, undefined, false)[0]).toBeCloseTo(2, 6);
  });
  it('does not swing into the floor', () => {
    const list = [frame(0, 0, 4), frame(1, 0, 0), frame(2, 0, 0), frame(3, 0, 4)];
    expect(curve(0.5, list[1]!, list[2]!, list[0], list[3], true)[2]).toBe(0);
    expect(curve(0.5, list[1]!, list[2]!, list[0], list[3], false)[2]).toBeLessThan(-0.1);
  });
});

// A row of voxels, of which some are there.
const row = (present: number[]): Mesh => {
  const grid = new Grid([4, 1, 1]);
  for (const x of present) grid.material[x] = 1;
  return meshOfGrid(grid, 1, () => true);
};
const shifted = (mesh: Mesh, time: number, x: number, origin: [number, number, number] = [0, 0, 0]) =>
  ({ time, mesh, origin, corners: mesh.start.map((v, k) => v - origin[k % 3]! + (k % 3 === 0 ? x : 0)) });

describe('between meshes', () => {
  it('corners that both have are carried over; others go with their voxel, or stay', () => {
    const a = shifted(row([0, 1, 3]), 0, 0);
    const got = carry(a, shifted(row([1, 2]), 1, 0.5, [7, 0, 0]));
    expect(got.origin).toEqual([7, 0, 0]);
    a.mesh.voxel.forEach((voxel, i) => {
      for (let c = 0; c < 8; c++) {
        const at = 3 * a.mesh.hexahedron[8 * i + c]!;
        // Voxel 3 is not there any more, and touches nothing that is.
        expect(got.corners[at]! + 7 - a.corners[at]!, `voxel ${voxel}, corner ${c}`).toBeCloseTo(voxel === 3 ? 0 : 0.5, 5);
        expect(got.corners[at + 1]).toBeCloseTo(a.corners[at + 1]!, 5);
      }
    });
  });
});

const pack = async (type: string, array: ArrayBufferView & { length: number }) => {
  const stream = new Blob([array as BlobPart]).stream().pipeThrough(new CompressionStream('deflate'));
  return { type, count: array.length, data: Buffer.from(await new Response(stream).arrayBuffer()).toString('base64') };
};
// As recorders write it: the first mesh whole, of later ones only what nothing else tells.
const packMesh = async (mesh: Mesh, whole: boolean) => ({
  voxels: mesh.voxel.length, corners: mesh.start.length / 3, faces: mesh.faceVoxel.length, origin: [0, 0, 0], voxel: await pack('u32', mesh.voxel), cell: await pack('i32', mesh.cell),
  material: await pack('u16', mesh.material), hexahedron: whole ? await pack('u32', mesh.hexahedron) : await pack('u16', Uint16Array.from(mesh.hexahedron)),
  face_voxel: whole ? await pack('u32', mesh.faceVoxel) : await pack('u16', Uint16Array.from(mesh.faceVoxel)),
  face_side: await pack('u8', Uint8Array.from(mesh.faceVoxel, (v, f) => sideOf(mesh, v, f))),
  ...(whole && { start: await pack('f32', mesh.start), face: await pack('u32', mesh.face) }),
});
const CORNERS = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
const sideOf = (mesh: Mesh, v: number, f: number) => CORNERS.findIndex((side) => side.every((c, i) => mesh.hexahedron[8 * v + c] === mesh.face[4 * f + i]));
const packFrame = async (mesh: Mesh, time: number, number: number | undefined, phase: boolean) => ({
  time, step: 10 * time, origin: [0, 0, 0], box: [0, 0, 0, 1, 1, 1], corners: await pack('u16', Uint16Array.from(mesh.start)),
  ...(number !== undefined && { mesh: number }), ...(phase && { phase: await pack('u8', Uint8Array.from(mesh.voxel)) }),
});

describe('replays of bodies that change', () => {
  it('every moment has the mesh of its frame, and its fields', async () => {
    const [whole, less] = [row([0, 1, 2]), row([1, 2])];
    const json = {
      format: 1, version: '', summary: {}, name: '', description: '', pitch: 1, size: [4, 1, 1], floor: false, materials: [],
      mesh: await packMesh(whole, true), meshes: [await packMesh(less, false)], fields: [{ name: 'phase', label: '', unit: '', min: 0, max: 255 }],
      frames: [await packFrame(whole, 0, undefined, true), await packFrame(whole, 1, undefined, false), await packFrame(less, 2, 1, true), await packFrame(less, 3, 1, false)],
    };
    const replay = await Replay.read(JSON.stringify(json));
    for (const [time, mesh] of [[0, whole], [0.5, whole], [1.9, whole], [2, less], [2.5, less], [3, less]] as const) {
      const moment = await replay.moment(time, 'phase');
      for (const name of ['voxel', 'cell', 'start', 'face', 'faceVoxel', 'hexahedron', 'material'] as const) expect([...moment.mesh[name]], `${name} at ${time}`).toEqual([...mesh[name]]);
      expect([...moment.values!], `values at ${time}`).toEqual([...mesh.voxel]);
      expect(moment.corners.length).toBe(mesh.start.length);
      moment.corners.forEach((v, k) => expect(v).toBeCloseTo(mesh.start[k]!, 5));
    }
    // Files of bodies that do not change have one mesh, and their frames do not name it.
    const { meshes: _, ...old } = { ...json, frames: json.frames.slice(0, 2) };
    const still = await Replay.read(JSON.stringify(old));
    expect((await still.moment(0.5, 'material')).mesh.voxel.length).toBe(3);
    await expect(Replay.read(JSON.stringify({ ...json, meshes: [] })).then((r) => r.moment(2, 'material'))).rejects.toThrow('no mesh 1');
  });
});
