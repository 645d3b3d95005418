// While it runs: live settings, probes, and the solvers.
import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Button, Choice, NumberField, Section, Toggle, VectorField } from '../../ui/controls';
import { formatNumber, formatUnit, formatVector } from '../../model/units';
import type { ProbeData } from '../../net/protocol';
import { PROBE_COLORS } from '../simview';
import { useStudio } from './context';

export function LivePanel() {
  const { session } = useStudio();
  const live = session.live.value;
  const sim = session.sim.value;
  if (!sim) return <NoSimulation />;
  const set = (change: object) => void session.attempt('', () => session.setLive(change));
  const defs = session.doc.props.value;
  return (
    <>
      <Section title="State">
        <dl class="facts" data-testid="facts">
          <Extreme label="Largest displacement" field="displacement" now={sim.displacement_max} unit="m" testid="displacement-max" />
          <Extreme label="Largest strain" field="strain" now={sim.strain_max} unit="strain" testid="strain-max" />
          <Extreme label="Fastest voxel" field="speed" now={sim.speed_max} unit="m/s" testid="speed-max" />
          <dt>Centre of mass</dt><dd data-testid="center-of-mass">{formatVector(sim.center_of_mass, 'm', 3)}</dd>
          <dt>Kinetic energy</dt><dd>{formatUnit(sim.energy.kinetic ?? 0, 'J', 3)}</dd>
          <dt>Elastic energy</dt><dd>{formatUnit(sim.energy.elastic ?? 0, 'J', 3)}</dd>
          <dt>Contacts</dt><dd>{sim.contacts.floor} with the floor, {sim.contacts.pairs} between voxels</dd>
          {(sim.broken > 0 || sim.yielded > 0) && <><dt>Links</dt><dd>{sim.broken} broken, {sim.yielded} yielded</dd></>}
          {(sim.life.grown > 0 || sim.life.removed > 0) && <><dt>Voxels</dt><dd data-testid="life">{sim.life.present.toLocaleString('en')} now; {sim.life.grown.toLocaleString('en')} grown, {sim.life.removed.toLocaleString('en')} removed</dd></>}
          {(sim.life.bonds > 0 || sim.life.bonded > 0) && <><dt>Bonds</dt><dd data-testid="bonds">{sim.life.bonds.toLocaleString('en')} now; {sim.life.bonded.toLocaleString('en')} made, {sim.life.released.toLocaleString('en')} let go</dd></>}
          <dt>Time step</dt><dd>{formatUnit(sim.dt, 's', 3)}</dd>
          {sim.state_hash && <><dt title="Equal hashes: the same motion, bit by bit">State hash</dt><dd><code>{sim.state_hash}</code></dd></>}
        </dl>
      </Section>
      <Gait />
      {live && (
        <Section title="While it runs">
          <p class="hint">Changes act at once and end with a reset. They are not part of the scene.</p>
          <VectorField label="Gravity" unit="m/s^2" step={1} value={live.gravity} onChange={(gravity) => set({ gravity })} />
          <NumberField label="Stretch damping" value={live.damping.stretch} min={0} step={0.05} range={[0, 2]} onChange={(stretch) => set({ damping: { ...live.damping, stretch } })} />
          <NumberField label="Bend damping" value={live.damping.rotation} min={0} step={0.05} range={[0, 2]} onChange={(rotation) => set({ damping: { ...live.damping, rotation } })} />
          <NumberField label="Contact damping" value={live.damping.contact} min={0} step={0.05} range={[0, 2]} onChange={(contact) => set({ damping: { ...live.damping, contact } })} />
          <NumberField label="World damping" value={live.damping.ground} min={0} step={0.01} range={[0, 1]} onChange={(ground) => set({ damping: { ...live.damping, ground } })} />
          {Object.entries(live.signals).map(([name, s]) => (
            <div class="card" key={name}>
              <header><b>Signal “{name}”</b></header>
              <NumberField label={`Temperature of ${name}`} value={s.base} unit="K" step={1} range={[-50, 50]} onChange={(base) => set({ signals: { [name]: { ...s, base } } })} />
              <NumberField label={`Amplitude of ${name}`} value={s.amplitude} unit="K" step={1} range={[0, 50]} onChange={(amplitude) => set({ signals: { [name]: { ...s, amplitude } } })} />
              {s.period > 0 && <NumberField label={`Period of ${name}`} value={s.period} unit="s" min={1e-9} range={[0.01, 10]} log onChange={(period) => set({ signals: { [name]: { ...s, period } } })} />}
            </div>
          ))}
          {Object.entries(live.regions).map(([name, r]) => {
            const def = defs.regions.find((d) => d.name === name);
            const held = !!def?.fixed?.length;
            return (
              <div class="card" key={name}>
                <header><b>Region “{name}”</b></header>
                {held
                  ? <VectorField label={`Displacement of ${name}`} unit="m" value={r.displacement} onChange={(displacement) => set({ regions: { [name]: { displacement, ramp: 0.05 } } })} />
                  : <VectorField label={`Force on ${name}`} unit="N" value={r.force} onChange={(force) => set({ regions: { [name]: { force, torque: r.torque } } })} />}
              </div>
            );
          })}
        </Section>
      )}
    </>
  );
}

// A quantity now, and what it was at most over the run with when and where.
function Extreme({ label, field, now, unit, testid }: { label: string; field: 'displacement' | 'strain' | 'speed'; now: number; unit: string; testid: string }) {
  const { session } = useStudio();
  const peak = session.sim.value?.peaks?.[field];
  return (
    <><dt>{label}</dt><dd data-testid={testid} data-value={now} data-most={Math.max(now, peak?.value ?? 0)}>{formatUnit(now, unit, 4)}
      {peak && peak.value > now * 1.0005 && <small title="The largest of the run so far, when, and in which cell"><br />{formatUnit(peak.value, unit, 4)} at {formatUnit(peak.time, 's', 3)}{peak.cell && <><br />in cell {peak.cell.join(', ')}</>}</small>}</dd></>
  );
}

// How it walks, from the start of the run.
function Gait() {
  const { session } = useStudio();
  const g = session.sim.value?.gait;
  const { environment, signals } = session.doc.props.value;
  if (!g || !environment.floor || !signals.length || !g.duration) return null;
  const show = (v: number | null, text: (n: number) => string) => (v === null || v === undefined ? '–' : text(v));
  return (
    <Section title="Gait">
      <dl class="facts" data-testid="gait">
        <dt title="Along the floor, from the start of the run">Speed</dt><dd>{show(g.speed, (v) => formatUnit(v, 'm/s', 3))}</dd>
        <dt>Body lengths a second</dt><dd data-testid="body-lengths">{show(g.speed_lengths, (v) => formatNumber(v, 3))}</dd>
        <dt title="Work of the signals per weight and distance">Cost of transport</dt><dd>{show(g.cost_of_transport, (v) => formatNumber(v, 3))}</dd>
        <dt title="Part of the time that a voxel touches the floor, in the mean over those that do">Duty factor</dt><dd>{show(g.duty_factor, (v) => `${formatNumber(100 * v, 3)} %`)}</dd>
      </dl>
    </Section>
  );
}

function NoSimulation() {
  const { session } = useStudio();
  return (
    <Section title="No simulation yet">
      <p class="hint">Press play to simulate the scene as it is drawn.</p>
      {session.errors.value.map((p) => <p key={p.path + p.message} class="problem error">{p.message}</p>)}
    </Section>
  );
}

export function ProbesPanel() {
  const { session } = useStudio();
  const probes = session.probes.value;
  const { regions } = session.doc.props.value;
  const [region, setRegion] = useState('');
  const free = regions.filter((r) => !probes.some((p) => p.region === r.name));
  const set = (next: typeof probes) => void session.attempt('', () => session.setProbes(next));
  const chosen = free.some((r) => r.name === region) ? region : (free[0]?.name ?? '');
  return (
    <Section title="Probes">
      <p class="hint">Double-click a voxel in the view to probe it, again to let it go. Ctrl-drag pulls a voxel.</p>
      {free.length > 0 && (
        <div class="row">
          <select aria-label="Region to probe" value={chosen} onChange={(e) => setRegion(e.currentTarget.value)}>
            {free.map((r) => <option key={r.name} value={r.name}>{r.name}</option>)}
          </select>
          <Button label="Probe region" icon="plus" text onClick={() => set([...probes, { id: `r ${chosen}`, region: chosen }])} />
        </div>
      )}
      {probes.map((p, i) => (
        <ProbeCard key={p.id} number={i + 1} data={session.probeData.value.find((d) => d.id === p.id)} onRemove={() => set(probes.filter((q) => q.id !== p.id))} />
      ))}
    </Section>
  );
}

const PROBE_ROWS: [keyof ProbeData, string, string][] = [
  ['position', 'Position', 'm'], ['displacement', 'Displacement', 'm'], ['velocity', 'Velocity', 'm/s'], ['strain', 'Strain', 'strain'], ['stress', 'Stress', 'Pa'],
  ['force', 'Force', 'N'], ['contact_force', 'Contact force', 'N'], ['reaction', 'Reaction', 'N'], ['reaction_moment', 'Reaction moment', 'N m'],
];

function ProbeCard({ number, data, onRemove }: { number: number; data: ProbeData | undefined; onRemove: () => void }) {
  const { session } = useStudio();
  const title = data?.region ? `Region ${data.region}` : data?.cell ? `Voxel ${data.cell.join(', ')}` : 'Probe';
  const material = data?.material ? session.doc.props.value.materials[data.material - 1]?.name : undefined;
  const what = useSignal('displacement');
  const trace = data?.region ? `region:${data.region}.displacement` : data?.cell ? `voxel:${data.cell.join(',')}.${what.value}` : '';
  return (
    <div class="card" data-testid="probe">
      <header>
        <b><i class="dot" style={{ background: PROBE_COLORS[(number - 1) % PROBE_COLORS.length] }}>{number}</i>{title}</b>
        {material && <small>{material}</small>}
 {data?.cell && <select class="mini" aria-label={`Quantity of probe ${number} to plot`} value={what.value} onChange={(e) => (what.value = e.currentTarget.value)}>
          {['displacement', 'strain', 'stress', 'velocity', 'force', 'contact_force', 'growth', 'pressure'].map((q) => <option key={q} value={q}>{q.replace('_', ' ')}</option>)}</select>}
        {trace && <Button label={`Plot ${data?.region ? 'displacement' : what.value} of ${title}`} icon="chart" disabled={session.traceNames.value.includes(trace)}
          onClick={() => void session.attempt('', () => session.setTraces([...session.traceNames.value, trace]))} />}
        <Button label={`Remove probe ${number}`} icon="close" onClick={onRemove} />
      </header>
      {data?.error && <p class="problem error">{data.error}</p>}
      {data && !data.error && (
        <dl class="facts">
          {PROBE_ROWS.map(([key, label, unit]) => {
            const v = data[key] as number[] | undefined;
            return v && <Fact key={key} label={label} text={formatVector(v, unit, 3)} value={v} name={String(key)} />;
          })}
          {data.pressure !== undefined && <Fact label="Pressure" text={formatUnit(data.pressure, 'Pa', 4)} />}
          {data.growth !== undefined && data.growth !== 0 && <Fact label="Growth" text={formatNumber(data.growth, 3)} />}
          {data.energy !== undefined && <Fact label="Elastic energy" text={formatUnit(data.energy, 'J', 3)} />}
        </dl>
      )}
    </div>
  );
}

const Fact = ({ label, text, value, name }: { label: string; text: string; value?: number[]; name?: string }) => (
  <><dt>{label}</dt><dd data-quantity={name} data-value={value?.join(' ')}>{text}</dd></>
);

export function SolvePanel() {
  const { session, stage } = useStudio();
  const [count, setCount] = useState(6);
  const job = session.solve.value;
  const shape = session.shape.value;
  const running = job?.state === 'running';
  const available = session.hello.value?.solve ?? false;
  const start = (kind: 'equilibrium' | 'linear' | 'modes') => void session.attempt('', () => session.startSolve(kind, count));
  if (!available) return <Section title="Solve"><p class="hint">This build has no solvers.</p></Section>;
  return (
    <>
      <Section title="Solve">
        <div class="solve">
          <Button label="Find equilibrium" text disabled={running} tip="The simulation goes to where all forces balance" onClick={() => start('equilibrium')} />
          <Button label="Linear solve" text disabled={running} tip="Small displacements, straight from the stiffness" onClick={() => start('linear')} />
          <Button label="Find modes" text disabled={running} tip="Natural frequencies and shapes" onClick={() => start('modes')} />
        </div>
        <NumberField label="Number of modes" value={count} integer min={1} max={100} step={1} onChange={setCount} />
        {running && (
          <div class="working" role="status"><span>{NAMES[job.kind]}: working, {formatNumber(job.seconds, 3)} s{job.progress ? `, ${job.progress.done.toLocaleString('en')} ${job.progress.what}` : ''}</span>
            <Button label="Cancel" text onClick={() => void session.attempt('', () => session.do('solve.cancel'))} /></div>
        )}
        {job && (job.state === 'failed' || job.state === 'cancelled') && <p class="problem error" role="alert">{job.message ?? 'Cancelled.'}</p>}
        {job?.state === 'done' && <SolveResult />}
      </Section>
      {shape && stage && (
        <Section title="Shape">
          <p class="hint">{shape.kind === 'modes' ? `Mode ${shape.mode + 1}${shape.frequency === null ? '' : `, ${formatUnit(shape.frequency, 'Hz')}`}` : 'Linear answer'}, magnified {formatNumber(stage.sim.scale.value, 3)} times.</p>
          <NumberField label="Magnify" value={stage.sim.scale.value} min={0} range={[0.1, 100]} log onChange={(v) => (stage.sim.scale.value = v)} />
          <Toggle label="Animate" value={stage.sim.animate.value} onChange={(v) => (stage.sim.animate.value = v)} />
          <Button label="Back to the simulation" text onClick={() => { session.shape.value = undefined; session.want(); }} />
        </Section>
      )}
    </>
  );
}

const NAMES = { equilibrium: 'Equilibrium', linear: 'Linear solve', modes: 'Modes' } as const;

function SolveResult() {
  const { session } = useStudio();
  const job = session.solve.value!;
  const r = job.result ?? {};
  if (job.kind === 'modes') {
    const frequencies = (r.frequencies ?? []) as number[];
    return (
      <div class="stack">
        <p class="hint">{frequencies.length} modes in {formatNumber(job.seconds, 3)} s{r.rigid ? `, ${r.rigid} of them rigid` : ''}{r.unstable ? `, ${r.unstable} unstable` : ''}.</p>
        <ol class="modes" aria-label="Modes">
          {frequencies.map((f, i) => (
            <li key={i}><button type="button" aria-pressed={session.shape.value?.mode === i && session.shape.value.kind === 'modes'} class={session.shape.value?.mode === i ? 'on' : ''}
              onClick={() => void session.attempt('', () => session.showShape(i))}><span>Mode {i + 1}</span><b>{formatUnit(f, 'Hz', 5)}</b></button></li>
          ))}
        </ol>
      </div>
    );
  }
  if (job.kind === 'linear')
    return (
      <dl class="facts" data-testid="linear-result">
        <dt>Largest displacement</dt><dd>{formatUnit(r.displacement_max, 'm', 5)}</dd>
        <dt>Largest strain</dt><dd>{formatUnit(r.strain_max, 'strain', 3)}</dd>
        <dt>Elastic energy</dt><dd>{formatUnit(r.energy, 'J', 4)}</dd>
        {Object.entries((r.regions ?? {}) as Record<string, { displacement: number[]; reaction: number[] }>).map(([name, v]) => (
          <><dt key={name}>{name}</dt><dd>moved {formatVector(v.displacement, 'm', 4)}<br />reaction {formatVector(v.reaction, 'N', 4)}</dd></>
        ))}
        <dt>Took</dt><dd>{formatNumber(job.seconds, 3)} s</dd>
      </dl>
    );
  return (
    <div class="stack" data-testid="equilibrium-result">
      <p class={r.status === 'stable' ? 'good' : 'hint'}>{r.message || `Equilibrium: ${r.status}`}</p>
      <dl class="facts"><dt>Iterations</dt><dd>{r.iterations}</dd><dt>Energy</dt><dd>{formatUnit(r.energy ?? 0, 'J', 4)}</dd><dt>Took</dt><dd>{formatNumber(job.seconds, 3)} s</dd></dl>
    </div>
  );
}

export function SpeedControl() {
  const { session } = useStudio();
  const speed = session.sim.value?.speed ?? { mode: 'real', factor: 1 };
  const value = speed.mode === 'max' ? 'max' : String(speed.factor);
  const options = [
    { value: '0.01', text: '1/100 ×' }, { value: '0.1', text: '1/10 ×' }, { value: '0.25', text: '1/4 ×' }, { value: '1', text: 'real time' }, { value: '4', text: '4 ×' },
    { value: 'max', text: 'as fast as possible' },
  ];
  if (!options.some((o) => o.value === value)) options.unshift({ value, text: `${value} ×` });
  return (
    <Choice bare label="Speed" tip="Speed of the simulation" value={value} options={options}
      onChange={(v) => void session.attempt('', () => session.do('sim.speed', v === 'max' ? { mode: 'max' } : { mode: 'real', factor: Number(v) }))} />
  );
}

