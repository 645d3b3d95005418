// How the body is shown: look, colours, section, ghost, camera. Used in both modes.
import { Button, NumberInput, Segmented, Toggle } from '../../ui/controls';
import type { StandardView } from '../../view/rig';
import type { Axis } from '../../model/types';
import { LegendView } from '../../ui/legend';
import { ViewCube } from '../../ui/viewcube';
import { exportPicture } from '../exports';
import { saveBlob } from '../../ui/plot';
import { formatUnit } from '../../model/units';
import { niceStep } from '../../view/stage';
import * as settings from '../settings';
import { useStudio } from './context';
import { useState } from 'preact/hooks';

const VIEWS: { view: StandardView; text: string; key: string }[] = [
  { view: 'iso', text: 'Iso', key: 'Alt+1' }, { view: 'front', text: 'Front', key: 'Alt+2' }, { view: 'back', text: 'Back', key: 'Alt+3' }, { view: 'left', text: 'Left', key: 'Alt+4' },
  { view: 'right', text: 'Right', key: 'Alt+5' }, { view: 'top', text: 'Top', key: 'Alt+6' }, { view: 'bottom', text: 'Bottom', key: 'Alt+7' },
];

export function screenshot(studio: ReturnType<typeof useStudio>): void {
  const { session, stage } = studio;
  if (!stage) return;
  const { canvas } = stage.viewer;
  void exportPicture(studio, canvas.width, canvas.height, { legend: true, marks: true })
    .then((blob) => saveBlob(`${(session.doc.props.value.name || 'picture').replace(/[^\w-]+/g, '_')}.png`, blob));
}

// The measures by kind, as a list to choose from.
const GROUPS: [string, RegExp][] = [['Body', /^(material|part|state|phase|amplitude|period)$/], ['Motion', /^(displacement|speed)/], ['Strain', /^(strain|growth)/], ['Stress', /^(stress|pressure|energy)/], ['Others', /./]];

export function ColorBy() {
  const { session } = useStudio();
  const fields = session.hello.value?.fields ?? [];
  const left = new Set(fields);
  const groups = GROUPS.map(([title, pattern]) => ({ title, list: fields.filter((f) => left.has(f) && pattern.test(f.name) && left.delete(f)) }));
  return (
    <select class="compact" aria-label="Colour by" title="Colour by" value={settings.field.value} onChange={(e) => { settings.field.value = e.currentTarget.value; e.currentTarget.blur(); }}>
      {groups.map((g) => g.list.length > 0 && <optgroup key={g.title} label={g.title}>{g.list.map((f) => <option key={f.name} value={f.name}>{f.label || f.name}</option>)}</optgroup>)}
    </select>
  );
}

export function ViewBar() {
  const studio = useStudio();
  const { session, stage } = studio;
  const [open, setOpen] = useState(false);
  const simulating = session.mode.value === 'simulate';
  return (
    <div class="viewbar">
      <div class="viewbar-row">
        {simulating && <ColorBy />}
        <Button label="View options" icon="eye" active={open} onClick={() => setOpen(!open)} />
        <Button label="Measure" icon="ruler" shortcut="N" tip="Drag from one voxel to another" active={settings.measuring.value} onClick={() => (settings.measuring.value = !settings.measuring.value)} />
        <Button label="Frame the body" icon="frame" shortcut="F" onClick={() => stage?.frame()} />
        <Button label="Save a picture of the view" icon="camera" onClick={() => screenshot(studio)} />
      </div>
      {stage && !open && <ViewCube viewer={stage.viewer} onView={(v) => { settings.orthographic.value = v !== 'iso'; stage.viewer.rig.look(v); }} />}
      {open && (
        <div class="popover" role="group" aria-label="View options">
          <Segmented label="Look" value={settings.look.value}
            options={[{ value: 'voxels', text: 'Voxels', tip: 'Deformed hexahedra that share corners' }, { value: 'skin', text: 'Skin', tip: 'Smooth surface' }, { value: 'links', text: 'Links', tip: 'Links between voxels: stress as colour, force as thickness' }]}
            onChange={(v) => (settings.look.value = v)} />
          <div class="views" role="group" aria-label="Standard views">
            {VIEWS.map((v) => <Button key={v.view} label={`${v.text} view`} caption={v.text} text shortcut={v.key} onClick={() => stage?.viewer.rig.look(v.view)} />)}
          </div>
          <Toggle label="Orthographic" tip="Parallel projection  (O)" value={settings.orthographic.value} onChange={(v) => (settings.orthographic.value = v)} />
          <Toggle label="Edges of voxels" value={settings.edges.value} onChange={(v) => (settings.edges.value = v)} />
          <Toggle label="Ghost of the start" value={settings.ghost.value} disabled={!simulating} onChange={(v) => (settings.ghost.value = v)} />
          <Toggle label="Follow the body" value={settings.follow.value} disabled={!simulating} tip="The camera goes with the centre of mass" onChange={(v) => (settings.follow.value = v)} />
          <Toggle label="Ground, solids, water" value={settings.world.value} onChange={(v) => (settings.world.value = v)} />
          <Toggle label="Shadow" value={settings.shadow.value} onChange={(v) => (settings.shadow.value = v)} />
          <Toggle label="Rulers" tip="Axes with names and numbers" value={settings.rulers.value} onChange={(v) => (settings.rulers.value = v)} />
          {simulating && <OverlayControl />}
          <SectionControl />
          {simulating && <RangeControl />}
        </div>
      )}
    </div>
  );
}

function SectionControl() {
  const { session } = useStudio();
  const s = settings.section.value;
  void session.doc.voxels.value;
  const size = session.doc.grid.size[s.axis];
  const set = (part: Partial<typeof s>) => (settings.section.value = { ...s, ...part });
  return (
    <div class="stack">
      <Toggle label="Section" tip="Cut the body open along a layer of the lattice" value={s.on} onChange={(on) => set({ on, at: Math.floor(size / 2) })} />
      {s.on && (
        <>
          <Segmented label="Section axis" value={s.axis} options={[{ value: 0 as Axis, text: 'x' }, { value: 1 as Axis, text: 'y' }, { value: 2 as Axis, text: 'z' }]}
            onChange={(axis) => set({ axis, at: Math.floor(session.doc.grid.size[axis] / 2) })} />
          <input type="range" class="slider" aria-label="Section layer" min={0} max={size - 1} step={1} value={s.at} onInput={(e) => set({ at: Number(e.currentTarget.value) })} />
          <Toggle label="Other side" value={s.flip} onChange={(flip) => set({ flip })} />
        </>
      )}
    </div>
  );
}

function OverlayControl() {
  const o = settings.overlays.value;
  const set = (part: Partial<typeof o>) => (settings.overlays.value = { ...o, ...part });
  return (
    <div class="stack" role="group" aria-label="Drawn over the body">
      <Toggle label="Regions" value={o.regions} onChange={(regions) => set({ regions })} />
      <Toggle label="Held faces" value={o.fixed} onChange={(fixed) => set({ fixed })} />
      <Toggle label="Loads" value={o.loads} onChange={(loads) => set({ loads })} />
      <Toggle label="Contacts and their forces" value={o.contacts} onChange={(contacts) => set({ contacts })} />
    </div>
  );
}

const MODES: { value: settings.ScaleMode; text: string; tip: string }[] = [
  { value: 'run', text: 'Run', tip: 'Fixed over the run: it only grows' }, { value: 'held', text: 'Held', tip: 'As it is now, or as you type it' }, { value: 'moment', text: 'Moment', tip: 'Follows the values of each moment' },
];

// How the range of colours is chosen; what is held can be typed.
function setMode(mode: settings.ScaleMode, field: string, low: number, high: number): void {
  if (mode === 'held') settings.held.value = { ...settings.held.value, [field]: [low, high] };
  settings.scaleMode.value = mode;
}

function RangeControl() {
  const { stage } = useStudio();
  const legend = stage?.legend.value;
  if (!legend || legend.entries) return null;
  const field = settings.look.value === 'links' ? 'links' : settings.field.value;
  const held = settings.held.value[field];
  const set = (range: [number, number]) => (settings.held.value = { ...settings.held.value, [field]: range });
  return (
    <div class="stack">
      <span class="row-label">Colours fixed over the</span>
      <Segmented label="Colour range" value={settings.scaleMode.value} options={MODES} onChange={(v) => setMode(v, field, legend.low, legend.high)} />
      {settings.scaleMode.value === 'held' && held && (
        <div class="pair">
          <NumberInput label="Lowest colour" unit={legend.unit} value={held[0]} onChange={(v) => set([v, Math.max(v, held[1])])} />
          <NumberInput label="Highest colour" unit={legend.unit} value={held[1]} onChange={(v) => set([Math.min(v, held[0]), v])} />
        </div>
      )}
    </div>
  );
}

const MODE_TEXT: Record<settings.ScaleMode, string> = { run: 'over the run', held: 'held', moment: 'this moment' };

export function Legend() {
  const { session, stage } = useStudio();
  const legend = stage?.legend.value;
  if (!legend) return null;
  const simulating = session.mode.value === 'simulate' && !legend.entries && !session.shape.value;
  const field = settings.look.value === 'links' ? 'links' : settings.field.value;
  const mode = settings.scaleMode.value;
  const next = MODES[(MODES.findIndex((m) => m.value === mode) + 1) % 3]!;
  const extreme = session.time.current.value?.fields[field];
  return (
    <LegendView legend={legend}>
      {simulating && <button type="button" class="scale-mode" title={`${MODES.find((m) => m.value === mode)!.tip}. Click: ${next.tip.toLowerCase()}`} aria-label={`Colour range: ${MODE_TEXT[mode]}`} onClick={() => setMode(next.value, field, legend.low, legend.high)}>{MODE_TEXT[mode]}</button>}
      {simulating && extreme && extreme.max_voxel >= 0 && legend.unit !== 'cycles' && (
        <small class="extreme" title="Over all of the run so far, at the pictures that were recorded">most {formatUnit(Math.abs(extreme.max) >= Math.abs(extreme.min) ? extreme.max : extreme.min, legend.unit, 3)} at {formatUnit(Math.abs(extreme.max) >= Math.abs(extreme.min) ? extreme.max_time : extreme.min_time, 's', 3)}</small>
      )}
    </LegendView>
  );
}

// A bar of a round length at the target's distance.
export function ScaleBar({ viewer }: { viewer: { rig: { pitchesPerPixel: number }; pitch: number } }) {
  const perPixel = viewer.rig.pitchesPerPixel * viewer.pitch;
  const length = niceStep(perPixel * 70);
  return <div class="scalebar" aria-label={`Scale: ${formatUnit(length, 'm')}`}><i style={{ width: `${(length / perPixel).toFixed(0)}px` }} /><span>{formatUnit(length, 'm')}</span></div>;
}

