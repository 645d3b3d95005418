// What is seen, as files: pictures of any size, videos of the recording, and replay pages.
import { drawLegend } from '../ui/legend';
import { formatUnit } from '../model/units';
import { GifWriter } from '../ui/gif';
import { WebmWriter } from '../ui/webm';
import { SIDE_CORNERS, type Mesh } from '../view/mesh';
import type { Studio } from './panels/context';
import type { Session } from './session';
import { unitFor } from './scale';
import * as settings from './settings';

export type VideoKind = 'webm' | 'gif';
export interface Look { legend: boolean; marks: boolean }

// Draws what the view shows now into a canvas, with legend and time at a size that suits the picture.
function compose(studio: Studio, canvas: HTMLCanvasElement, width: number, height: number, look: Look): void {
  const { session } = studio;
  const stage = studio.stage!;
  const dark = settings.isDark();
  let labels: ReturnType<typeof stage.viewer.labels.list> = [];
  const scale = Math.max(0.75, Math.min(width, height) / 720);
  const context = stage.viewer.snapshot(width, height, look.marks, canvas, () => {
    labels = stage.viewer.labels.list(stage.viewer.rig.camera, width / scale, height / scale);
  });
  context.scale(scale, scale);
  if (look.marks) {
    // Labels are texts of the page: numbers of the rulers, probes.
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'center';
    for (const l of labels) {
      context.fillStyle = l.tone === 'axis' && l.color ? l.color : dark ? '#aab6c4' : '#4b5765';
      context.fillText(l.text, l.x, l.y + 4);
    }
    context.textAlign = 'left';
  }
  if (!look.legend) return;
  const legend = stage.legend.value;
  if (legend) drawLegend(context, width / scale, legend, dark);
  context.fillStyle = dark ? '#dfe6ee' : '#1d2733';
  context.font = '14px system-ui, sans-serif';
  const time = session.time.shown.value?.time ?? session.sim.value?.time;
  const text = [session.doc.props.value.name, session.mode.value === 'simulate' && time !== undefined ? `t = ${formatUnit(time, 's', 4)}` : ''];
  context.fillText(text.filter(Boolean).join('   '), 16, height / scale - 16);
}

const toBlob = (canvas: HTMLCanvasElement, type = 'image/png'): Promise<Blob> =>
  new Promise((resolve, reject) => canvas.toBlob((b) => (b ? resolve(b) : reject(new Error('the picture could not be made'))), type));

export async function exportPicture(studio: Studio, width: number, height: number, look: Look): Promise<Blob> {
  const canvas = document.createElement('canvas');
  compose(studio, canvas, width, height, look);
  return toBlob(canvas);
}

// Goes through the recording picture by picture: as smooth on a slow machine as on a fast one. `tell` says how far it is and returns whether
// to go on.
export async function exportVideo(
  studio: Studio, wide: number, high: number, look: Look & { kind: VideoKind; fps: number }, tell: (done: number) => boolean,
): Promise<{ blob: Blob; extension: string } | undefined> {
  const { session } = studio;
  const { time } = session;
  if (session.running.value) await session.do('sim.pause');
  const before = time.shown.value;
  const run = before?.run ?? time.now.value!.run;
  const [from, to] = time.range();
  const speed = time.speed.value;
  // Encoders want even numbers; a GIF of a large picture would be huge.
  const shrink = look.kind === 'gif' ? Math.min(1, 640 / wide) : 1;
  const width = 2 * Math.round((wide * shrink) / 2);
  const height = 2 * Math.round((high * shrink) / 2);
  const fps = look.kind === 'gif' ? Math.min(look.fps, 25) : look.fps;
  const count = Math.max(1, Math.min(5400, Math.round(((to - from) / speed) * fps)));
  const canvas = document.createElement('canvas');
  const writer = look.kind === 'gif' ? new GifWriter(width, height, fps) : await WebmWriter.create(width, height, fps);
  try {
    for (let k = 0; k < count; k++) {
      if (!tell(k / count)) return undefined;
      const t = Math.min(to, from + (k * speed) / fps);
      const frame = await time.fetch(run, t);
      if (!frame) throw new Error('the run is not kept any more');
      time.frame = frame;
      time.shown.value = { run, time: t };
      time.onFrame?.();
      if (time.compare.value !== 'off') await time.fetchOther(t);
      compose(studio, canvas, width, height, look);
      await writer.add(canvas);
    }
    return { blob: await writer.finish(), extension: look.kind };
  } finally {
    if (before) time.scrub(before.time, before.run);
    else time.live();
  }
}

// ---- the replay page, as docs/studio-protocol.md has it

async function pack(type: string, array: ArrayBufferView, count: number): Promise<object> {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream('deflate'));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = '';
  for (let i = 0; i < packed.length; i += 32768) text += String.fromCharCode(...packed.subarray(i, i + 32768));
  return { type, count, data: btoa(text) };
}

// Which side of its voxel each face is, by its corners.
function sidesOf(mesh: Mesh): Uint8Array {
  return Uint8Array.from(mesh.faceVoxel, (v, f) =>
    Math.max(0, SIDE_CORNERS.findIndex((side) => side.every((c) => mesh.face.subarray(4 * f, 4 * f + 4).includes(mesh.hexahedron[8 * v + c]!)))));
}
async function packMesh(mesh: Mesh): Promise<object> {
  return {
    voxels: mesh.voxel.length, corners: mesh.start.length / 3, faces: mesh.faceVoxel.length, origin: mesh.origin, shown: 'surface',
    voxel: await pack('u32', mesh.voxel, mesh.voxel.length), cell: await pack('i32', mesh.cell, mesh.cell.length), material: await pack('u16', mesh.material, mesh.material.length),
    start: await pack('f32', mesh.start, mesh.start.length), face: await pack('u32', mesh.face, mesh.face.length), face_voxel: await pack('u32', mesh.faceVoxel, mesh.faceVoxel.length),
    face_side: await pack('u8', sidesOf(mesh), mesh.faceVoxel.length), hexahedron: await pack('u32', mesh.hexahedron, mesh.hexahedron.length),
  };
}

const REPLAY_FIELDS = ['strain', 'displacement', 'stress', 'stress_mises', 'speed', 'contact_force'];
const REPLAY_FRAMES = 400;

export async function exportReplay(session: Session, tell: (done: number) => boolean): Promise<{ blob: Blob; extension: string } | undefined> {
  const { time } = session;
  const run = time.shown.value?.run ?? time.now.value!.run;
  const reply = await session.do<{ recording: NonNullable<typeof time.current.value> }>('run.get', { run });
  const info = reply.recording;
  await session.do('run.page');
  const first = await time.fetch(run, info.from, 'displacement');
  const mesh = first && time.meshes.get(first.mesh);
  if (!first || !mesh || !time.page) throw new Error('the run is not kept any more');
  const fields = REPLAY_FIELDS.filter((f) => (info.fields[f]?.max ?? 0) > (info.fields[f]?.min ?? 0));
  const labels = new Map((session.hello.value?.fields ?? []).map((f) => [f.name, f]));
  const count = Math.min(REPLAY_FRAMES, info.frames);
  const frames: object[] = [];
  const meshes = [first.mesh];
  for (let k = 0; k < count; k++) {
    if (!tell(k / count)) return undefined;
    const t = info.from + ((info.to - info.from) * k) / Math.max(1, count - 1);
    const out: Record<string, unknown> = {};
    for (const field of fields.length ? fields : ['displacement']) {
      const frame = await time.fetch(run, t, field);
      if (!frame) break;
      const number = meshes.indexOf(frame.mesh) < 0 ? meshes.push(frame.mesh) - 1 : meshes.indexOf(frame.mesh);
      if (!out.corners) {
        const box = [Infinity, Infinity, Infinity, 0, 0, 0];
        const top = [-Infinity, -Infinity, -Infinity];
        frame.corners.forEach((v, i) => {
          box[i % 3] = Math.min(box[i % 3]!, v);
          top[i % 3] = Math.max(top[i % 3]!, v);
        });
        for (let a = 0; a < 3; a++) box[3 + a] = Math.max((top[a]! - box[a]!) / 65535, mesh.pitch / 256);
        const numbers = Uint16Array.from(frame.corners, (v, i) => Math.round((v - box[i % 3]!) / box[3 + (i % 3)]!));
        Object.assign(out, { time: frame.time, step: 0, ...(number && { mesh: number }), origin: frame.origin, box, corners: await pack('u16', numbers, numbers.length) });
      }
      const { min, max } = info.fields[field]!;
      const values = Uint8Array.from(frame.field ?? [], (v) => Math.max(0, Math.min(255, Math.round((255 * (v - min)) / Math.max(max - min, 1e-300)))));
      out[field] = await pack('u8', values, values.length);
    }
    if (!out.corners) break;
    if (out.time !== (frames.at(-1) as typeof out | undefined)?.time) frames.push(out); // where links broke the picture before stays
  }
  const packed: object[] = [];
  for (const id of meshes) packed.push(await packMesh(time.meshes.get(id)!));
  const { trace } = session;
  const columns = session.traceColumns.value;
  const rows = trace[0]?.length ?? 0;
  const table = new Float64Array(rows * columns.length);
  for (let r = 0; r < rows; r++) columns.forEach((_, c) => (table[r * columns.length + c] = trace[c]?.[r] ?? NaN));
  const sim = session.sim.value;
  const props = session.doc.props.value;
  const world = session.world.value;
  const land = world?.face.length ? {
    corners: await pack('f32', world.corners, world.corners.length), face: await pack('u32', world.face, world.face.length), color: await pack('u8', world.color, world.color.length),
  } : {};
  const data = {
    format: 1, version: session.hello.value?.version ?? '',
    summary: { name: props.name, voxels: sim?.voxels, links: sim?.links, time: info.to, state_hash: sim?.state_hash ?? '', hash: sim?.hash, displacement_max: info.fields.displacement?.max, strain_max: info.fields.strain?.max },
    name: props.name, description: props.description, pitch: mesh.pitch, size: session.doc.grid.size, floor: props.environment.floor,
    materials: props.materials.map((m, i) => ({ name: m.name, color: info.colors[i] ?? m.color.slice(0, 7) })),
    mesh: packed[0], meshes: packed.slice(1),
    fields: fields.map((f) => ({ name: f, label: labels.get(f)?.label ?? f, unit: unitFor(f, labels.get(f)?.unit ?? '') === 'strain' ? '' : (labels.get(f)?.unit ?? ''), min: info.fields[f]!.min, max: info.fields[f]!.max })),
    frames, ...(world && { world: { water: world.water, everywhere: world.everywhere, sources: world.sources, ...land } }),
    trace: { columns, rows, data: await pack('f64', table, table.length) },
  };
  const escape = (t: string) => t.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  const page = new TextDecoder().decode(time.page).replace('<title>Voxelastic replay</title>', () => `<title>${escape(props.name || 'replay')} – Voxelastic</title>`);
  const json = JSON.stringify(data).replace(/</g, '\\u003c');
  return {
    blob: new Blob([page.replace('<!--VOXELASTIC-REPLAY-->', () => `<script type="application/json" id="voxelastic-replay">${json}</script>`)], { type: 'text/html' }),
    extension: 'html',
  };
}
