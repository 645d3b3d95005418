// Environment: gravity, floor, damping, collisions; signals with a waveform editor; ground, solids, water and rules.
import { useRef } from 'preact/hooks';
import { Button, Choice, NumberField, Section, Segmented, TextField, Toggle, VectorField } from '../../ui/controls';
import { defaultSignal, freeName, type Damping, type Environment, type SignalDef } from '../../model/types';
import { continuously } from '../../model/document';
import { waveform } from '../../model/waveform';
import { formatUnit } from '../../model/units';
import { problemAt, useStudio } from './context';
import { GroundSection, RulesSection, SolidsSection, WaterSection } from './world';

export function EnvironmentPanel() {
  const { session } = useStudio();
  const { doc } = session;
  const e = doc.props.value.environment;
  const at = (key: string) => problemAt(session, `environment.${key}`, true);
  const change = (part: Partial<Environment>, label: string) => doc.edit(label, (p) => ({ ...p, environment: { ...p.environment, ...part } }), `environment ${label}`);
  const damping = (part: Partial<Damping>, label: string) => change({ damping: { ...e.damping, ...part } }, label);
  const falls = e.gravity.some((g) => g !== 0);
  const bond = typeof e.damping.bond === 'number' ? { stretch: e.damping.bond, rotation: e.damping.bond } : e.damping.bond;
  const setBond = (b: typeof bond) => damping({ bond: b.stretch === b.rotation ? b.stretch : b }, 'Bond damping');
  return (
    <>
      <Section title="World">
        <Toggle label="Gravity" value={falls} onChange={(on) => change({ gravity: on ? [0, 0, -9.81] : [0, 0, 0] }, 'Gravity')} />
        {falls && <VectorField label="Gravity" unit="m/s^2" value={e.gravity} problem={at('gravity')} onChange={(gravity) => change({ gravity }, 'Gravity')} />}
        <Toggle label="Floor at z = 0" value={e.floor} onChange={(floor) => change({ floor }, 'Floor')} />
        <Choice label="Collisions" value={e.collisions} problem={at('collisions')} tip="Contacts between voxels that are not neighbours"
          options={[{ value: 'off', text: 'off' }, { value: 'grid', text: 'on' }, ...(['all_every', 'surface_every', 'all_horizon', 'surface_horizon'] as const).map((v) => ({ value: v, text: `on (${v.replace('_', ', ')})` }))]}
          onChange={(collisions) => change({ collisions }, 'Collisions')} />
        {e.collisions !== 'off' && (
          <NumberField label="Touch at" value={e.collision_distance} unit="voxels" min={1} max={1.5} step={0.05} problem={at('collision_distance')}
            tip="Voxels touch others as balls of their size times this" onChange={(collision_distance) => change({ collision_distance }, 'Collision distance')} />
        )}
        {e.collisions !== 'off' && (
          <NumberField label="Watched within" value={e.collision_horizon} unit="voxels" min={1.5} max={10} step={0.5} problem={at('collision_horizon')}
            tip="Pairs of voxels closer than this are watched" onChange={(collision_horizon) => change({ collision_horizon }, 'Collision horizon')} />
        )}
        <Choice label="Elasticity" value={e.elasticity} problem={at('elasticity')} tip="solid: right shear, torsion and lateral contraction. beam: Bernoulli-Euler beams between voxels"
          options={[{ value: 'solid', text: 'solid' }, { value: 'beam', text: 'beam network' }]} onChange={(elasticity) => change({ elasticity }, 'Elasticity')} />
        <Choice label="Keep in plane" value={e.plane} problem={at('plane')}
          options={[{ value: 'none', text: 'no' }, { value: 'xy', text: 'x y' }, { value: 'xz', text: 'x z' }, { value: 'yz', text: 'y z' }]} onChange={(plane) => change({ plane }, 'Plane')} />
      </Section>
      <Section title="Damping ratios">
        <NumberField label="Stretching" value={bond.stretch} min={0} step={0.05} range={[0, 2]} problem={at('damping.bond')} tip="1: critical" onChange={(stretch) => setBond({ ...bond, stretch })} />
        <NumberField label="Bending, twisting" value={bond.rotation} min={0} step={0.05} range={[0, 2]} onChange={(rotation) => setBond({ ...bond, rotation })} />
        <NumberField label="Contacts" value={e.damping.contact} min={0} step={0.05} range={[0, 2]} problem={at('damping.contact')} onChange={(contact) => damping({ contact }, 'Contact damping')} />
        <NumberField label="Against the world" value={e.damping.ground} min={0} step={0.01} range={[0, 1]} problem={at('damping.ground')} tip="Slows all motion, as in a liquid; helps a body to come to rest" onChange={(ground) => damping({ ground }, 'Ground damping')} />
      </Section>
      <SignalsSection />
      <GroundSection />
      <SolidsSection />
      <WaterSection />
      <RulesSection />
    </>
  );
}

function SignalsSection() {
  const { session } = useStudio();
  const { doc } = session;
  const { signals, materials } = doc.props.value;
  const driven = materials.some((m) => m.expansion !== 0);
  const add = () => doc.edit('Add signal', (p) => ({ ...p, signals: [...p.signals, { ...defaultSignal(), start: 1, name: freeName('signal', p.signals) }] }));
  return (
    <Section title="Signals" actions={<Button label="Add signal" icon="plus" onClick={add} />}>
      {signals.length === 0 && <p class="hint">A signal swells and shrinks voxels whose material has an expansion, like a temperature.</p>}
      {signals.length > 0 && !driven && <p class="hint">No material has an expansion yet, so the signals drive nothing.</p>}
      {signals.map((s, i) => <SignalEditor key={i} index={i} signal={s} />)}
    </Section>
  );
}

function SignalEditor({ index, signal: s }: { index: number; signal: SignalDef }) {
  const { session } = useStudio();
  const { doc } = session;
  const at = (key: string) => problemAt(session, `signals[${index}].${key}`, true);
  const change = (part: Partial<SignalDef>, label: string) =>
    doc.edit(label, (p) => ({ ...p, signals: p.signals.map((o, i) => (i === index ? { ...o, ...part } : o)) }), `signal ${index} ${label}`);
  const rename = (name: string) => {
    if (!name || doc.props.value.signals.some((o, i) => i !== index && o.name === name)) {
      session.say(name ? `There is already a signal “${name}”.` : 'A signal needs a name.', 'bad');
      return;
    }
    doc.edit('Rename signal', (p) => ({
      ...p,
      signals: p.signals.map((o, i) => (i === index ? { ...o, name } : o)),
      materials: p.materials.map((m) => (m.signal === s.name ? { ...m, signal: name } : m)),
    }));
  };
  const span = s.period || Math.max(1e-9, ...(s.table ?? []).map((p) => p[0]));
  return (
    <div class="card">
      <header>
        <TextField label={`Name of signal ${index + 1}`} bare value={s.name} onChange={rename} />
        <Button label={`Delete signal ${s.name}`} icon="trash" danger onClick={() => doc.edit('Delete signal', (p) => ({
          ...p, signals: p.signals.filter((_, i) => i !== index), materials: p.materials.map((m) => (m.signal === s.name ? { ...m, signal: undefined } : m)),
        }))} />
      </header>
      {problemAt(session, `signals[${index}]`) && <p class="problem error" role="alert">{problemAt(session, `signals[${index}]`)!.message}</p>}
      <Segmented label="Waveform" value={s.waveform}
        options={[{ value: 'sine', text: 'Sine' }, { value: 'square', text: 'Square' }, { value: 'ramp', text: 'Triangle' }, { value: 'table', text: 'Points' }]}
        onChange={(w) => change(w === 'table'
          ? { waveform: w, table: s.table ?? [[0, 0], [span * 0.25, 1], [span * 0.75, -1], [span, 0]] }
          : { waveform: w, period: s.period || 1 }, 'Waveform')} />
      <WaveEditor index={index} signal={s} onTable={(table) => change({ table }, 'Waveform points')} />
      <NumberField label="Amplitude" value={s.amplitude} unit="K" range={[0, 50]} problem={at('amplitude')} tip="A voxel’s side changes by expansion times this" onChange={(amplitude) => change({ amplitude }, 'Amplitude')} />
      <NumberField label="Period" value={s.period} unit="s" min={s.waveform === 'table' ? 0 : 1e-9} range={[0.01, 10]} log problem={at('period')}
        onChange={(period) => change(s.start === s.period ? { period, start: period } : { period }, 'Period')} />
      <NumberField label="Phase" value={s.phase} unit="cycles" step={0.05} range={[0, 1]} problem={at('phase')} onChange={(phase) => change({ phase }, 'Phase')} />
      <NumberField label="Base" value={s.base} unit="K" step={1} problem={at('base')} tip="Temperature about which it swings" onChange={(base) => change({ base }, 'Base')} />
      <NumberField label="Reference" value={s.reference} unit="K" step={1} problem={at('reference')} tip="Temperature at which nothing is expanded" onChange={(reference) => change({ reference }, 'Reference')} />
      <NumberField label="Wave ramps up over" value={s.start} unit="s" min={0} zero="at once, with a kick" problem={at('start')} tip="The amplitude grows smoothly from 0 in this time; new signals take their first cycle" onChange={(start) => change({ start }, 'Start')} />
      <Toggle label="Contract only" value={s.contract_only} tip="Cuts off sizes above the size at rest" onChange={(contract_only) => change({ contract_only }, 'Contract only')} />
    </div>
  );
}

const W = 260;
const H = 84;

// Two periods of the signal. The points of a table are dragged; a double-click adds one, and one on a point removes it.
function WaveEditor({ index, signal: s, onTable }: { index: number; signal: SignalDef; onTable: (table: [number, number][]) => void }) {
  const svg = useRef<SVGSVGElement>(null);
  const table = s.waveform === 'table' ? (s.table ?? []) : undefined;
  const span = table ? Math.max(1e-9, table[table.length - 1]?.[0] ?? 1, s.period) : 2 * s.period;
  const top = table ? Math.max(1, ...table.map((p) => Math.abs(p[1]))) : 1.1;
  const x = (t: number) => 6 + (t / span) * (W - 12);
  const y = (v: number) => H / 2 - (v / top) * (H / 2 - 8);
  const points: string[] = [];
  for (let i = 0; i <= 160; i++) {
    const t = (span * i) / 160;
    points.push(`${x(t).toFixed(1)},${y(waveform(s, t)).toFixed(1)}`);
  }
  const place = (e: { clientX: number; clientY: number }): [number, number] => {
    const r = svg.current!.getBoundingClientRect();
    const t = ((((e.clientX - r.left) / r.width) * W - 6) / (W - 12)) * span;
    const v = ((H / 2 - ((e.clientY - r.top) / r.height) * H) / (H / 2 - 8)) * top;
    const fine = span / 200;
    return [Math.max(0, Math.round(t / fine) * fine), Math.max(-top, Math.min(top, Math.round(v * 50) / 50))];
  };
  const drag = (i: number) => (e: PointerEvent) => {
    const target = e.currentTarget as Element;
    target.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent) => {
      const [t, v] = place(m);
      const low = i === 0 ? 0 : table![i - 1]![0] + span / 1000;
      const high = i === 0 ? 0 : (table![i + 1]?.[0] ?? (s.period || Infinity)) - (table![i + 1] ? span / 1000 : 0);
      continuously(() => onTable(table!.map((p, k) => (k === i ? [Number(Math.max(low, Math.min(high, t)).toPrecision(6)), v] : p))));
    };
    const up = () => {
      target.removeEventListener('pointermove', move as EventListener);
      target.removeEventListener('pointerup', up);
    };
    target.addEventListener('pointermove', move as EventListener);
    target.addEventListener('pointerup', up);
  };
  const double = (e: MouseEvent) => {
    if (!table) return;
    const [t, v] = place(e);
    if (table.some((p) => Math.abs(p[0] - t) < span / 500)) return;
    onTable([...table, [Number(t.toPrecision(6)), v] as [number, number]].sort((a, b) => a[0] - b[0]));
  };
  return (
    <div class="wave">
      <svg ref={svg} viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`Waveform of signal ${index + 1}`} onDblClick={double}>
        <path class="axis" d={`M6 ${H / 2}H${W - 6}`} />
        <polyline points={points.join(' ')} />
        {table?.map(([t, v], i) => (
          <circle key={i} cx={x(t)} cy={y(v)} r={5} tabIndex={0} aria-label={`Point ${i + 1}: ${t} s, ${v}`} onPointerDown={drag(i)}
            onDblClick={(e) => { e.stopPropagation(); if (i > 0 && table.length > 2) onTable(table.filter((_, k) => k !== i)); }} />
        ))}
      </svg>
      <small>{table ? 'Drag points; double-click adds or removes one.' : `two periods, ${formatUnit(2 * s.period, 's')}`}</small>
    </div>
  );
}
