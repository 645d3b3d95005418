// The replay page: the view with time scrubbing, the summary and the plots.
import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import * as THREE from 'three';
import { Button, PlayPause, Section, Segmented, Toggle } from '../ui/controls';
import { Ended } from '../ui/ended';
import { drawLegend, LegendView } from '../ui/legend';
import { Icon } from '../ui/icons';
import { Chart, saveBlob, traceCsv } from '../ui/plot';
import { formatNumber, formatUnit, formatVector } from '../model/units';
import type { Look } from '../view/body';
import { legendFor, paintField, paintMaterials, type Legend } from '../view/paint';
import type { StandardView } from '../view/rig';
import { Viewer } from '../view/viewer';
import { readColumn, traceTitle } from '../studio/panels/quantities';
import { ScaleBar } from '../studio/panels/view';
import { roundRange, unitFor } from '../studio/scale';
import * as settings from '../studio/settings';
import type { Replay } from './data';

const now = signal(0); // s
const step = signal(0);
const drawn = signal(0); // s: the moment in the view, which may be a little late
const voxels = signal(0); // in it
const playing = signal(false);
const ended = new Ended(); // the replay, at its last frame
const speed = signal(1);
const loop = signal(true);
const field = signal('material');
const look = signal<Look>('voxels');
const legend = signal<Legend | undefined>(undefined);
const picked = signal('');

const VIEWS: StandardView[] = ['iso', 'front', 'back', 'left', 'right', 'top', 'bottom'];

export function ReplayApp({ replay }: { replay: Replay }) {
  const host = useRef<HTMLDivElement>(null);
  const [viewer, setViewer] = useState<Viewer | undefined>(undefined);
  const view = useRef<Viewer>();
  const [options, setOptions] = useState(false);
  const shown = useRef({ ticket: 0, origin: undefined as THREE.Vector3 | undefined });
  const { json } = replay;

  useEffect(() => {
    const v = new Viewer(host.current!);
    v.pitch = json.pitch;
    v.solidFloor = json.floor;
    v.stage.setWorkspace(json.size, false);
    v.body.setMesh(replay.mesh);
    v.setWorld(replay.world, json.pitch);
    v.tool = {
      double: (p) => {
        const hit = v.body.pick(p.ray);
        const mesh = v.body.mesh!;
        const cell = hit && [0, 1, 2].map((a) => mesh.cell[3 * hit.voxel + a]!);
        picked.value = cell ? `voxel ${cell.join(', ')}: ${json.materials[mesh.material[hit!.voxel]! - 1]?.name ?? ''}` : '';
      },
    };
    now.value = replay.begin;
    view.current = v;
    Object.assign(window, { voxelasticViewer: v });
    setViewer(v);
    v.rig.frame(v.bodyBox(), false);
    // A body that grows has room: as much as it takes in the end, about where it begins.
    if (json.meshes?.length)
      void replay.moment(replay.end, 'material').then((m) => {
        const size = boxOf(m).getSize(new THREE.Vector3()).divideScalar(json.pitch);
        const box = v.bodyBox();
        v.rig.frame(box.setFromCenterAndSize(box.getCenter(new THREE.Vector3()), size.max(box.getSize(new THREE.Vector3()))), false);
      });
    const keys = (e: KeyboardEvent) => {
      if ((e.target as HTMLElement).tagName === 'SELECT' || e.ctrlKey || e.metaKey) return;
      if (e.altKey && /^[1-7]$/.test(e.key)) v.rig.look(VIEWS[Number(e.key) - 1]!);
      else if (e.key === ' ') playing.value = ended.now.value ? false : !playing.value;
      else if (e.key === 'ArrowRight') now.value = replay.time(Math.min(replay.count - 1, replay.at(now.value) + 1));
      else if (e.key === 'ArrowLeft') now.value = replay.time(Math.max(0, replay.at(now.value) - (replay.time(replay.at(now.value)) < now.value ? 0 : 1)));
      else if (e.key === 'Home') now.value = replay.begin;
      else if (e.key === 'End') now.value = replay.end;
      else if (e.key === 'f') v.rig.frame(v.bodyBox());
      else if (e.key === 'o') settings.orthographic.value = !settings.orthographic.value;
      else return;
      e.preventDefault();
    };
    window.addEventListener('keydown', keys);
  }, []);

  // What is drawn follows the time, the field and the look.
  const dark = settings.isDark();
  useEffect(() => {
    const v = view.current;
    if (!v) return;
    v.theme(dark);
    v.rig.orthographic = settings.orthographic.value;
    v.body.setLook(look.value);
    v.body.setEdges(settings.edges.value);
    v.body.showGhost(settings.ghost.value);
    const ticket = ++shown.current.ticket;
    const at = now.value;
    void replay.moment(at, field.value).then((frame) => {
      if (ticket !== shown.current.ticket) return;
      if (v.body.mesh !== frame.mesh) v.body.setMesh(frame.mesh);
      drawn.value = at;
      voxels.value = frame.mesh.voxel.length;
      v.body.setFrame(frame.corners, frame.origin);
      step.value = frame.step;
      if (replay.world?.sources.length) v.world.move(frame.time, v.labels);
      const info = json.fields.find((f) => f.name === field.value);
      if (info && frame.values) {
        // Over the whole run, in round numbers.
        const [least, most] = [info.min ?? 0, info.max ?? 1];
        const range = roundRange(info.name, least, most, 1e-9 * Math.max(Math.abs(least), Math.abs(most)));
        const made = legendFor(info.name, info.label, unitFor(info.name, info.unit), range[0], range[1], range);
        v.body.setColors(paintField(frame.values, made.map, made.low, made.high));
        legend.value = made;
      } else {
        v.body.setColors(paintMaterials(json.materials.map((m) => m.color)));
        legend.value = undefined;
      }
      // The middle of the body, which moves evenly; the frame's origin jumps from cell to cell.
      const place = boxOf(frame).getCenter(new THREE.Vector3()).divideScalar(json.pitch);
      if (settings.follow.value && shown.current.origin) v.rig.target.add(place.clone().sub(shown.current.origin));
      shown.current.origin = place;
      v.draw();
    });
  }, [viewer, now.value, field.value, look.value, dark, settings.orthographic.value, settings.edges.value, settings.ghost.value]);

  // Plays in real time, or slower or faster.
  useEffect(() => {
    if (!playing.value) return undefined;
    let begin = performance.now();
    if (now.value >= replay.end) now.value = replay.begin;
    let from = now.value;
    let id = 0;
    const tick = (clock: number) => {
      const t = from + (Math.max(0, clock - begin) / 1000) * speed.value;
      if (t <= replay.end) now.value = t;
      else if (loop.value) {
        begin = clock;
        from = replay.begin;
        now.value = replay.begin;
      } else {
        now.value = replay.end;
        playing.value = false;
        ended.note();
        return;
      }
      id = requestAnimationFrame(tick);
    };
    id = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(id);
  }, [playing.value, speed.value, loop.value]);

  const time = now.value;
  const order: settings.Theme[] = ['auto', 'light', 'dark'];
  return (
    <div class="replay">
      <header class="topbar">
        <span class="brand" aria-hidden="true"><Icon name="box" /></span>
        <div class="title"><b>{json.name || 'replay'}</b><small>replay of a run</small></div>
        <span class="grow" />
        <Button label={`Theme: ${settings.theme.value}`} icon={settings.theme.value === 'auto' ? 'auto' : settings.theme.value === 'light' ? 'sun' : 'moon'}
          onClick={() => (settings.theme.value = order[(order.indexOf(settings.theme.value) + 1) % 3]!)} />
      </header>
      <main class="view">
        <div class="canvas" ref={host} />
        <div class="readout"><b data-testid="time" data-value={time} data-drawn={drawn.value}>{time.toFixed(3)} s</b><small>step {step.value.toLocaleString('en')}, <span data-testid="voxels">{voxels.value.toLocaleString('en')}</span> voxels on the surface</small>{picked.value && <span>{picked.value}</span>}</div>
        <div class="viewbar">
          <div class="viewbar-row">
            <select class="compact" aria-label="Colour by" value={field.value} onChange={(e) => (field.value = e.currentTarget.value)}>
              <option value="material">material</option>
              {json.fields.map((f) => <option key={f.name} value={f.name}>{f.label || f.name}</option>)}
            </select>
            <Button label="View options" icon="eye" active={options} onClick={() => setOptions(!options)} />
            <Button label="Frame the body" icon="frame" shortcut="F" onClick={() => viewer?.rig.frame(viewer.bodyBox())} />
            <Button label="Save a picture of the view" icon="camera" onClick={() => void viewer?.picture((c, w) => legend.value && drawLegend(c, w, legend.value, dark)).then((b) => saveBlob('replay.png', b))} />
          </div>
          {options && (
            <div class="popover" role="group" aria-label="View options">
              <Segmented label="Look" value={look.value} options={[{ value: 'voxels', text: 'Voxels' }, { value: 'skin', text: 'Skin' }]} onChange={(v) => (look.value = v)} />
              <div class="views" role="group" aria-label="Standard views">
                {VIEWS.map((v) => <Button key={v} label={`${v} view`} caption={v[0]!.toUpperCase() + v.slice(1)} text onClick={() => viewer?.rig.look(v)} />)}
              </div>
              <Toggle label="Orthographic" value={settings.orthographic.value} onChange={(v) => (settings.orthographic.value = v)} />
              <Toggle label="Edges of voxels" value={settings.edges.value} onChange={(v) => (settings.edges.value = v)} />
              <Toggle label="Ghost of the start" value={settings.ghost.value} onChange={(v) => (settings.ghost.value = v)} />
              <Toggle label="Follow the body" value={settings.follow.value} onChange={(v) => (settings.follow.value = v)} />
            </div>
          )}
        </div>
        {legend.value && <LegendView legend={legend.value} />}
        {viewer && <ReplayScale viewer={viewer} />}
      </main>
      <aside class="side" aria-label="Summary and plots"><div class="side-body"><Summary replay={replay} /><Traces replay={replay} time={time} dark={dark} /></div></aside>
      <footer class="timeline">
        <PlayPause playing={playing.value} ended={ended.now.value} play="Play" pause="Pause" primary shortcut="Space" onChange={(play) => (playing.value = play)} />
        <input type="range" class="slider" aria-label="Time" min={replay.begin} max={replay.end} step="any" value={time} onInput={(e) => { playing.value = false; now.value = Number(e.currentTarget.value); }} />
        <output>{formatUnit(time, 's', 3)} of {formatUnit(replay.end, 's')}</output>
        <select aria-label="Speed" value={String(speed.value)} onChange={(e) => (speed.value = Number(e.currentTarget.value))}>
          {[0.01, 0.1, 0.25, 1, 2, 4].map((s) => <option key={s} value={String(s)}>{s === 1 ? 'real time' : s < 1 ? `1/${Math.round(1 / s)} ×` : `${s} ×`}</option>)}
        </select>
        <Toggle label="Loop" value={loop.value} onChange={(v) => (loop.value = v)} />
      </footer>
    </div>
  );
}

// The box around a body, m.
function boxOf(frame: { corners: Float32Array; origin: readonly number[] }): THREE.Box3 {
  const box = new THREE.Box3();
  const p = new THREE.Vector3();
  for (let k = 0; k < frame.corners.length; k += 3) box.expandByPoint(p.fromArray(frame.corners, k));
  return box.translate(p.fromArray(frame.origin as number[]));
}

function ReplayScale({ viewer }: { viewer: Viewer }) {
  const tick = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => tick.value++, 300);
    return () => clearInterval(timer);
  }, []);
  void tick.value;
  return <ScaleBar viewer={viewer} />;
}

// The largest of the run, with when: "4.65 % at 1.28 s".
function peak(s: Record<string, any>, name: string, format: (v: number) => string): string | undefined {
  const value = s[`${name}_max`];
  if (typeof value !== 'number') return undefined;
  const time = s[`${name}_max_time`];
  return value > 0 && typeof time === 'number' ? `${format(value)} at ${formatUnit(time, 's', 3)}` : format(value);
}

function Summary({ replay }: { replay: Replay }) {
  const { json } = replay;
  const s = json.summary;
  const rows: [string, string | undefined][] = [
    ['Status', s.status], ['Stopped by', s.stop_reason], ['Voxels', s.voxels?.toLocaleString('en')], ['Links', s.links?.toLocaleString('en')],
    ['Steps', s.steps?.toLocaleString('en')], ['Time', s.time !== undefined ? formatUnit(s.time, 's') : undefined], ['Time step', s.dt ? formatUnit(s.dt, 's') : undefined],
    ['Largest displacement', peak(s, 'displacement', (v) => formatUnit(v, 'm', 4))], ['Largest strain', peak(s, 'strain', (v) => `${formatNumber(100 * v, 3)} %`)],
    ['Largest stress', peak(s, 'stress', (v) => formatUnit(v, 'Pa', 3))], ['Largest speed', peak(s, 'speed', (v) => formatUnit(v, 'm/s', 3))],
    ['Travelled', s.gait?.distance > 0.5 * json.pitch ? `${formatUnit(s.gait.distance, 'm', 3)}, ${formatUnit(s.gait.speed, 'm/s', 3)}` : undefined],
    ['Body lengths per second', s.gait?.distance > 0.5 * json.pitch ? formatNumber(s.gait.speed_body_lengths, 3) : undefined],
    ['Cost of transport', s.gait?.distance > 0.5 * json.pitch && s.gait.cost_of_transport ? formatNumber(s.gait.cost_of_transport, 3) : undefined],
    ['Duty factor', s.gait?.distance > 0.5 * json.pitch && s.gait.duty_factor !== null ? formatNumber(s.gait.duty_factor, 2) : undefined],
    ['Centre of mass moved', s.center_of_mass_start && s.center_of_mass_end ? formatVector((s.center_of_mass_end as number[]).map((v, i) => v - s.center_of_mass_start[i]), 'm', 4) : undefined],
    ['Kinetic energy', s.energy?.kinetic !== undefined ? formatUnit(s.energy.kinetic, 'J', 3) : undefined], ['Elastic energy', s.energy?.elastic !== undefined ? formatUnit(s.energy.elastic, 'J', 3) : undefined],
    ['Computed in', s.wall_seconds !== undefined ? formatUnit(s.wall_seconds, 's', 3) : undefined], ['State hash', s.state_hash],
  ];
  return (
    <Section title="Summary">
      {json.description && <p class="description">{json.description}</p>}
      <dl class="facts">{rows.filter(([, v]) => v).map(([k, v]) => <><dt key={k}>{k}</dt><dd>{v}</dd></>)}</dl>
      <p class="hint">Voxelastic {json.version}</p>
    </Section>
  );
}

function Traces({ replay, time, dark }: { replay: Replay; time: number; dark: boolean }) {
  const { columns, data } = replay.trace;
  if (!data[0]?.length) return null;
  // Columns that differ only in their last letter, as x, y and z do, share a chart.
  const groups = new Map<string, number[]>();
  columns.forEach((c, i) => {
    if (i === 0) return;
    const { name } = readColumn(c);
    const key = name.startsWith('energy') ? 'energy' : name.replace(/ [wxyz]$/, '');
    groups.set(key, [...(groups.get(key) ?? []), i]);
  });
  return (
    <Section title="Plots" actions={<Button label="Save as CSV" icon="download" text onClick={() => saveBlob('trace.csv', new Blob([traceCsv(columns, data)], { type: 'text/csv' }))} />}>
      {[...groups].map(([name, list]) => <Trace key={name} name={name} list={list} replay={replay} time={time} dark={dark} />)}
    </Section>
  );
}

function Trace({ name, list, replay, time, dark }: { name: string; list: number[]; replay: Replay; time: number; dark: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>();
  const [units, setUnits] = useState('');
  useEffect(() => {
    chart.current = new Chart(host.current!);
    return () => chart.current?.destroy();
  }, []);
  useEffect(() => {
    const { columns, data } = replay.trace;
    const read = list.map((c) => readColumn(columns[c]!));
    setUnits(chart.current!.set(data[0]!, list.map((c, i) => ({ label: read[i]!.name.slice(list.length > 1 ? name.length : 0).trim() || read[i]!.name, values: data[c]! })), read[0]!.unit, dark, time));
  }, [time, dark]);
  return (
    <figure class="plot" aria-label={`Plot of ${name}`} data-testid="plot"><figcaption><span>{traceTitle(name.replace(/ /g, '_')).replace(/_/g, ' ')}</span><small>{units}</small></figcaption><div class="plot-host" ref={host} /></figure>
  );
}
