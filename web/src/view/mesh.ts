// The surface that is drawn: corners that neighbours share, free faces, and the hexahedra behind them. It comes from the server for a
// simulation and from a replay file; meshOfGrid makes the same of an undeformed document.
import type { Grid } from '../model/grid';
import type { Axis, Vec3 } from '../model/types';
import type { BinaryMessage } from '../net/protocol';

export interface Mesh {
  id: number;
  pitch: number; // m
  origin: Vec3; // m; corners are relative to it
  voxel: Uint32Array; // (n) number of each voxel in the simulation
  cell: Int32Array; // (3 n)
  material: Uint16Array; // (n) 1.. in the palette
  start: Float32Array; // (3 m) m
  face: Uint32Array; // (4 f) corners, counter-clockwise from outside
  faceVoxel: Uint32Array; // (f)
  hexahedron: Uint32Array; // (8 n)
  link: Uint32Array; // (2 l)
}

// Corners of each side of a hexahedron, counter-clockwise from outside: -x +x -y +y -z +z. Corner c is at x = c&1, y = c>>1&1, z = c>>2.
export const SIDE_CORNERS = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]] as const;
export const EDGE_CORNERS = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]] as const;

export function meshOfMessage(message: BinaryMessage): Mesh {
  const { head, arrays } = message;
  return {
    id: head.mesh, pitch: head.pitch, origin: head.origin,
    voxel: arrays.voxel as Uint32Array, cell: arrays.cell as Int32Array, material: arrays.material as Uint16Array,
    start: arrays.start as Float32Array, face: arrays.face as Uint32Array, faceVoxel: arrays.face_voxel as Uint32Array,
    hexahedron: arrays.hexahedron as Uint32Array, link: (arrays.link as Uint32Array | undefined) ?? new Uint32Array(0),
  };
}

// The voxels of a document that `shown` lets through; a face is free where the neighbour is not shown.
export function meshOfGrid(grid: Grid, pitch: number, shown: (x: number, y: number, z: number) => boolean): Mesh {
  const [nx, ny, nz] = grid.size;
  const index = new Int32Array(grid.cells).fill(-1);
  const cells: number[] = [];
  let cell = 0;
  for (let z = 0; z < nz; z++)
    for (let y = 0; y < ny; y++)
      for (let x = 0; x < nx; x++, cell++)
        if (grid.material[cell] && shown(x, y, z)) {
          index[cell] = cells.length / 3;
          cells.push(x, y, z);
        }
  const n = cells.length / 3;
  const strides = [1, nx, nx * ny];
  const face: number[] = [];
  const faceVoxel: number[] = [];
  const surface: number[] = []; // voxels with a free face
  const keep = new Int32Array(n).fill(-1);
  for (let v = 0; v < n; v++) {
    const c = [cells[3 * v]!, cells[3 * v + 1]!, cells[3 * v + 2]!];
    const at = grid.index(c[0]!, c[1]!, c[2]!);
    for (let side = 0; side < 6; side++) {
      const a = side >> 1;
      const up = side & 1;
      const edge = up ? c[a]! + 1 >= grid.size[a as Axis] : c[a]! === 0;
      if (!edge && index[at + (up ? strides[a]! : -strides[a]!)]! >= 0) continue;
      if (keep[v]! < 0) {
        keep[v] = surface.length;
        surface.push(v);
      }
      face.push(side);
      faceVoxel.push(keep[v]!);
    }
  }
  const nodes = new Int32Array((nx + 1) * (ny + 1) * (nz + 1)).fill(-1);
  const start: number[] = [];
  const hexahedron = new Uint32Array(8 * surface.length);
  const material = new Uint16Array(surface.length);
  const voxel = new Uint32Array(surface.length);
  const cellOut = new Int32Array(3 * surface.length);
  surface.forEach((v, i) => {
    const x = cells[3 * v]!;
    const y = cells[3 * v + 1]!;
    const z = cells[3 * v + 2]!;
    cellOut.set([x, y, z], 3 * i);
    voxel[i] = grid.index(x, y, z);
    material[i] = grid.material[grid.index(x, y, z)]!;
    for (let c = 0; c < 8; c++) {
      const X = x + (c & 1);
      const Y = y + ((c >> 1) & 1);
      const Z = z + (c >> 2);
      const at = X + (nx + 1) * (Y + (ny + 1) * Z);
      if (nodes[at]! < 0) {
        nodes[at] = start.length / 3;
        start.push(X * pitch, Y * pitch, Z * pitch);
      }
      hexahedron[8 * i + c] = nodes[at]!;
    }
  });
  const faces = new Uint32Array(4 * faceVoxel.length);
  faceVoxel.forEach((v, f) => SIDE_CORNERS[face[f]!]!.forEach((c, i) => (faces[4 * f + i] = hexahedron[8 * v + c]!)));
  return {
    id: 0, pitch, origin: [0, 0, 0], voxel, cell: cellOut, material, start: Float32Array.from(start),
    face: faces, faceVoxel: Uint32Array.from(faceVoxel), hexahedron, link: new Uint32Array(0),
  };
}

// The free faces of the part of a mesh on one side of a lattice plane; needs a mesh of all voxels.
export function sectionFaces(mesh: Mesh, axis: Axis, at: number, flip: boolean): { face: Uint32Array; faceVoxel: Uint32Array } {
  const n = mesh.voxel.length;
  const shown = (v: number) => (flip ? mesh.cell[3 * v + axis]! >= at : mesh.cell[3 * v + axis]! <= at);
  const faces: number[] = [];
  const owners: number[] = [];
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < 3 * n; i++) {
    const a = i % 3;
    low[a] = Math.min(low[a]!, mesh.cell[i]!);
    high[a] = Math.max(high[a]!, mesh.cell[i]!);
  }
  const nx = high[0]! - low[0]! + 1;
  const ny = high[1]! - low[1]! + 1;
  const nz = high[2]! - low[2]! + 1;
  const strides = [1, nx, nx * ny];
  const place = (v: number) =>
    mesh.cell[3 * v]! - low[0]! + nx * (mesh.cell[3 * v + 1]! - low[1]! + ny * (mesh.cell[3 * v + 2]! - low[2]!));
  const index = new Int32Array(n ? nx * ny * nz : 0).fill(-1);
  for (let v = 0; v < n; v++) if (shown(v)) index[place(v)] = v;
  for (let v = 0; v < n; v++) {
    if (!shown(v)) continue;
    for (let side = 0; side < 6; side++) {
      const a = side >> 1;
      const up = side & 1;
      const corners = SIDE_CORNERS[side]!;
      const c = mesh.cell[3 * v + a]!;
      const w = (up ? c < high[a]! : c > low[a]!) ? index[place(v) + (up ? strides[a]! : -strides[a]!)]! : -1;
      // Where a link is broken the neighbours have corners of their own, and both faces are free.
      if (w >= 0 && corners.every((k) => mesh.hexahedron[8 * v + k] === mesh.hexahedron[8 * w + (k ^ (1 << a))])) continue;
      for (const k of corners) faces.push(mesh.hexahedron[8 * v + k]!);
      owners.push(v);
    }
  }
  return { face: Uint32Array.from(faces), faceVoxel: Uint32Array.from(owners) };
}
