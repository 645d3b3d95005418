// Small pictures of scenes, drawn without the 3-D view: voxels from the corner, back to front, in three shades.
import { readScene, type SceneJson } from '../model/scene';
import type { Grid } from '../model/grid';
import { hexColor } from '../view/colormap';

export function thumbnail(grid: Grid, colors: readonly string[], width = 132, height = 92): string {
  const box = grid.bounds();
  const canvas = document.createElement('canvas');
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  const c = canvas.getContext('2d')!;
  if (!box) return canvas.toDataURL('image/png');
  const n = [0, 1, 2].map((a) => box.high[a]! - box.low[a]! + 1) as [number, number, number];
  // Large scenes are drawn from every second, third ... voxel.
  const stride = Math.max(1, Math.ceil(Math.cbrt((n[0] * n[1] * n[2]) / 40000)));
  const [X, Y, Z] = [[0.8, 0.28], [0.55, -0.34], [0, -0.92]] as const;
  const ends = [0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z) => [x * n[0] * X[0] + y * n[1] * Y[0], x * n[0] * X[1] + y * n[1] * Y[1] + z * n[2] * Z[1]])));
  const low = [Math.min(...ends.map((e) => e[0]!)), Math.min(...ends.map((e) => e[1]!))];
  const high = [Math.max(...ends.map((e) => e[0]!)), Math.max(...ends.map((e) => e[1]!))];
  const scale = Math.min((canvas.width - 16) / (high[0]! - low[0]!), (canvas.height - 16) / (high[1]! - low[1]!));
  c.translate(canvas.width / 2 - ((low[0]! + high[0]!) / 2) * scale, canvas.height / 2 - ((low[1]! + high[1]!) / 2) * scale);
  c.scale(scale, scale);
  const shades = colors.map((hex) => [1, 0.78, 0.6].map((f) => `rgb(${hexColor(hex).map((v) => Math.round(v * f)).join()})`));
  const at = (x: number, y: number, z: number) => (x < n[0] && y >= 0 && z < n[2] ? grid.at(box.low[0] + x, box.low[1] + y, box.low[2] + z) : 0);
  const face = (style: string, x: number, y: number, z: number, u: readonly number[], v: readonly number[]) => {
    const px = x * X[0] + y * Y[0];
    const py = x * X[1] + y * Y[1] + z * Z[1];
    c.fillStyle = c.strokeStyle = style;
    c.lineWidth = 0.06;
    c.beginPath();
    c.moveTo(px, py);
    c.lineTo(px + u[0]! * stride, py + u[1]! * stride);
    c.lineTo(px + (u[0]! + v[0]!) * stride, py + (u[1]! + v[1]!) * stride);
    c.lineTo(px + v[0]! * stride, py + v[1]! * stride);
    c.closePath();
    c.fill();
    c.stroke();
  };
  for (let y = n[1] - 1 - ((n[1] - 1) % stride); y >= 0; y -= stride)
    for (let x = 0; x < n[0]; x += stride)
      for (let z = 0; z < n[2]; z += stride) {
        const m = at(x, y, z);
        if (!m) continue;
        const s = shades[m - 1] ?? shades[0]!;
        if (!at(x, y, z + stride)) face(s[0]!, x, y, z + stride, X, Y);
        if (!at(x, y - stride, z)) face(s[1]!, x, y, z, X, Z);
        if (!at(x + stride, y, z)) face(s[2]!, x + stride, y, z, Y, Z);
      }
  return canvas.toDataURL('image/png');
}

export function sceneThumbnail(json: SceneJson): string {
  const { props, grid } = readScene(json);
  return thumbnail(grid, props.materials.map((m) => m.color.slice(0, 7)));
}

// Those of files, kept in the browser by folder and name; a few dozen.
const KEY = 'voxelastic.thumbnails';
export function remember(place: string, picture: string): void {
  try {
    const all = Object.entries(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, string>).filter(([k]) => k !== place);
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries([...all.slice(-39), [place, picture]])));
  } catch {
    // No storage: no pictures.
  }
}
export function remembered(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}
