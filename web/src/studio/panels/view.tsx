// How the body is shown: look, colours, section, ghost, camera. Used in both modes.
import { Button, NumberInput, Segmented, Toggle } from '../../ui/controls';
import type { StandardView } from '../../view/rig';
import type { Axis } from '../../model/types';
import { LegendView, drawLegend } from '../../ui/legend';
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
  const dark = settings.isDark();
  void stage.viewer
    .picture((c, width, height) => {
      const legend = stage.legend.value;
      if (legend) drawLegend(c, width, legend, dark);
      c.fillStyle = dark ? '#dfe6ee' : '#1d2733';
      c.font = '13px system-ui, sans-serif';
      const sim = session.sim.value;
      c.fillText([session.doc.props.value.name, session.mode.value === 'simulate' && sim ? `t = ${formatUnit(sim.time, 's')}` : ''].filter(Boolean).join('   '), 16, height - 16);
    })
    .then((blob) => saveBlob(`${(session.doc.props.value.name || 'picture').replace(/[^\w-]+/g, '_')}.png`, blob));
}

export function ViewBar() {
  const studio = useStudio();
  const { session, stage } = studio;
  const [open, setOpen] = useState(false);
  const simulating = session.mode.value === 'simulate';
  const fields = session.hello.value?.fields ?? [];
  return (
    <div class="viewbar">
      <div class="viewbar-row">
        {simulating && (
          <select class="compact" aria-label="Colour by" title="Colour by" value={settings.field.value} onChange={(e) => { settings.fixedRange.value = undefined; settings.field.value = e.currentTarget.value; e.currentTarget.blur(); }}>
            {fields.map((f) => <option key={f.name} value={f.name}>{f.label || f.name}</option>)}
          </select>
        )}
        <Button label="View options" icon="eye" active={open} onClick={() => setOpen(!open)} />
        <Button label="Frame the body" icon="frame" shortcut="F" onClick={() => stage?.frame()} />
        <Button label="Save a picture of the view" icon="camera" shortcut="Ctrl+Shift+S" onClick={() => screenshot(studio)} />
      </div>
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

function RangeControl() {
  const { stage } = useStudio();
  const legend = stage?.legend.value;
  if (!legend || legend.entries) return null;
  const fixed = settings.fixedRange.value;
  return (
    <div class="stack">
      <Toggle label="Hold the colour range" tip="Otherwise it follows the values" value={!!fixed} onChange={(on) => (settings.fixedRange.value = on ? [legend.low, legend.high] : undefined)} />
      {fixed && (
        <div class="pair">
          <NumberInput label="Lowest colour" unit={legend.unit} value={fixed[0]} onChange={(v) => (settings.fixedRange.value = [v, Math.max(v, fixed[1])])} />
          <NumberInput label="Highest colour" unit={legend.unit} value={fixed[1]} onChange={(v) => (settings.fixedRange.value = [Math.min(v, fixed[0]), v])} />
        </div>
      )}
    </div>
  );
}

export function Legend() {
  const { stage } = useStudio();
  const legend = stage?.legend.value;
  return legend ? <LegendView legend={legend} /> : null;
}

// A bar of a round length at the target's distance.
export function ScaleBar({ viewer }: { viewer: { rig: { pitchesPerPixel: number }; pitch: number } }) {
  const perPixel = viewer.rig.pitchesPerPixel * viewer.pitch;
  const length = niceStep(perPixel * 70);
  return <div class="scalebar" aria-label={`Scale: ${formatUnit(length, 'm')}`}><i style={{ width: `${(length / perPixel).toFixed(0)}px` }} /><span>{formatUnit(length, 'm')}</span></div>;
}

