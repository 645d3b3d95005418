// The scene as a whole: name, workspace and lattice, when a run ends, what it records.
import { useMemo, useState } from 'preact/hooks';
import { Button, NumberField, Section, TextField, VectorField } from '../../ui/controls';
import { MAX_CELLS } from '../../model/grid';
import type { Stop, Vec3 } from '../../model/types';
import { formatUnit, formatVector } from '../../model/units';
import { problemAt, useStudio } from './context';
import { traceChoices, traceTitle } from './quantities';

export function ScenePanel() {
  const { session } = useStudio();
  const { doc } = session;
  const p = doc.props.value;
  const version = doc.voxels.value;
  const info = session.info.value;
  const facts = useMemo(() => {
    const counts = doc.grid.countPerMaterial(p.materials.length);
    const volume = p.pitch ** 3;
    const mass = p.materials.reduce((sum, m, i) => sum + counts[i + 1]! * volume * m.density, 0);
    const box = doc.grid.bounds();
    return { voxels: counts.slice(1).reduce((a, b) => a + b, 0), mass, size: box?.high.map((h, a) => (h - box.low[a]! + 1) * p.pitch), volume };
  }, [version, p.materials, p.pitch]);
  const stop = (part: Partial<Stop>, label: string) => doc.edit(label, (q) => ({ ...q, stop: { ...q.stop, ...part } }), `stop ${label}`);
  const at = (key: string) => problemAt(session, key, true);
  return (
    <>
      <Section title="Scene">
        <TextField label="Name" value={p.name} placeholder="untitled" problem={at('name')} onChange={(name) => doc.edit('Rename scene', (q) => ({ ...q, name }))} />
        <TextField label="Description" long value={p.description} problem={at('description')} onChange={(description) => doc.edit('Describe scene', (q) => ({ ...q, description }))} />
        <dl class="facts">
          <dt>Voxels</dt><dd>{facts.voxels.toLocaleString('en')}</dd>
          <dt>Body</dt><dd>{facts.size ? formatVector(facts.size, 'm', 4) : '–'}</dd>
          <dt>Mass</dt><dd>{formatUnit(facts.mass, 'kg')}</dd>
          <dt>Links</dt><dd>{info?.links?.toLocaleString('en') ?? '–'}</dd>
          <dt>Bodies</dt><dd>{info?.bodies ?? '–'}</dd>
          <dt>Time step</dt><dd>{info?.dt ? formatUnit(info.dt, 's') : '–'}</dd>
        </dl>
      </Section>
      <Workspace />
      <Section title="Stop a run" open={false}>
        <p class="hint">The run ends at the first condition that is met. 0: not used.</p>
        <NumberField label="Time" value={p.stop.time} unit="s" min={0} problem={at('stop.time')} onChange={(time) => stop({ time }, 'Stop time')} />
        <NumberField label="Steps" value={p.stop.steps} min={0} integer problem={at('stop.steps')} onChange={(steps) => stop({ steps }, 'Stop steps')} />
        <NumberField label="Cycles" value={p.stop.cycles} min={0} problem={at('stop.cycles')} tip="Periods of the first signal" onChange={(cycles) => stop({ cycles }, 'Stop cycles')} />
        <NumberField label="Kinetic energy" value={p.stop.kinetic_energy} unit="J" min={0} problem={at('stop.kinetic_energy')} tip="Stays below it for the settling time" onChange={(kinetic_energy) => stop({ kinetic_energy }, 'Stop energy')} />
        <NumberField label="Speed" value={p.stop.speed} unit="m/s" min={0} problem={at('stop.speed')} tip="No voxel is faster for the settling time" onChange={(speed) => stop({ speed }, 'Stop speed')} />
        <NumberField label="Settling time" value={p.stop.settle} unit="s" min={0} problem={at('stop.settle')} tip="0: a thousand steps" onChange={(settle) => stop({ settle }, 'Settling time')} />
      </Section>
      <Recorded />
    </>
  );
}

function Workspace() {
  const { session } = useStudio();
  const { doc } = session;
  void doc.voxels.value;
  const { pitch } = doc.props.value;
  const size = doc.grid.size;
  const at = (key: string) => problemAt(session, key, true);
  const resize = (next: Vec3) => {
    if (next.some((n) => n < 1) || next[0] * next[1] * next[2] > MAX_CELLS) {
      session.say(`The workspace has 1 to ${MAX_CELLS.toLocaleString('en')} cells.`, 'bad');
      return;
    }
    doc.replaceGrid('Workspace size', doc.grid.resized(next));
  };
  // The body moves to the origin; regions, which are named in voxels, move along.
  const fit = () => {
    const b = doc.grid.bounds();
    if (!b) return;
    const shift = b.low.map((l) => -l) as Vec3;
    const next = b.high.map((h, a) => h - b.low[a]! + 1) as Vec3;
    const moveTo = (c: Vec3): Vec3 => c.map((v, a) => v + shift[a]!) as Vec3;
    const regions = doc.props.value.regions.map((r) => {
      if (r.units && r.units !== 'voxels') return r;
      return {
        ...r,
        ...(r.box && { box: { ...r.box, corner: moveTo(r.box.corner) } }),
        ...(r.sphere && { sphere: { ...r.sphere, center: moveTo(r.sphere.center) } }),
        ...(r.cylinder && { cylinder: { ...r.cylinder, center: moveTo(r.cylinder.center) } }),
        ...(r.ellipsoid && { ellipsoid: { ...r.ellipsoid, center: moveTo(r.ellipsoid.center) } }),
      };
    });
    // Numbers of voxels that the page does not edit move along too.
    const fields = Object.fromEntries(Object.entries((doc.props.value.rest.fields ?? {}) as Record<string, { origin?: Vec3 }>).map(([k, f]) => [k, { ...f, origin: moveTo(f.origin ?? [0, 0, 0]) }]));
    const rest = Object.keys(fields).length ? { ...doc.props.value.rest, fields } : doc.props.value.rest;
    doc.replaceGrid('Fit workspace', doc.grid.resized(next, shift), { ...doc.props.value, regions, rest });
  };
  return (
    <Section title="Workspace" actions={<Button label="Fit to body" text tip="Shrink the workspace to the body; the body moves to the origin" onClick={fit} />}>
      <NumberField label="Voxel side" value={pitch} unit="m" min={1e-9} max={1000} range={[1e-4, 0.1]} log problem={at('lattice.pitch')}
        tip="Pitch of the lattice" onChange={(v) => doc.edit('Voxel side', (q) => ({ ...q, pitch: v }), 'pitch')} />
      <VectorField label="Cells" value={size} integer min={1} step={1} problem={at('lattice.size')} onChange={resize} />
      <dl class="facts"><dt>Size</dt><dd>{formatVector(size.map((n) => n * pitch), 'm')}</dd></dl>
    </Section>
  );
}

function Recorded() {
  const { session } = useStudio();
  const { doc } = session;
  const { output } = doc.props.value;
  const [choice, setChoice] = useState('center_of_mass');
  const set = (trace: string[], label: string) => doc.edit(label, (q) => ({ ...q, output: { ...q.output, trace } }));
  return (
    <Section title="Recorded by a run" open={false}>
      <ul class="list" aria-label="Recorded quantities">
        {output.trace.map((t, i) => (
          <li key={t}><span class="list-main" title={t}>{traceTitle(t)}</span>
            {problemAt(session, `output.trace[${i}]`) && <b class="mark" title={problemAt(session, `output.trace[${i}]`)!.message}>!</b>}
            <Button label={`Do not record ${t}`} icon="trash" onClick={() => set(output.trace.filter((o) => o !== t), 'Record less')} /></li>
        ))}
      </ul>
      <div class="row">
        <select aria-label="Quantity to record" value={choice} onChange={(e) => setChoice(e.currentTarget.value)}>
          {traceChoices(doc.props.value, []).map((t) => <option key={t} value={t}>{traceTitle(t)}</option>)}
        </select>
        <Button label="Record" icon="plus" text disabled={output.trace.includes(choice)} onClick={() => set([...output.trace, choice], 'Record quantity')} />
      </div>
      <NumberField label="Every" value={output.every} unit="s" min={0} tip="0: about a thousand rows in all" onChange={(every) => doc.edit('Record every', (q) => ({ ...q, output: { ...q.output, every } }), 'every')} />
    </Section>
  );
}
