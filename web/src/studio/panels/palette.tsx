// The palette: materials to draw with, and every property of the one chosen.
import { useMemo, useState } from 'preact/hooks';
import { Button, Choice, Dialog, NumberField, Row, Section, Segmented, TextField, Toggle } from '../../ui/controls';
import { continuously } from '../../model/document';
import type { Channel } from '../../model/grid';
import type { Material } from '../../model/types';
import { formatUnit } from '../../model/units';
import { MAPS } from '../../view/colormap';
import * as editing from '../editing';
import { LIBRARY } from '../../model/library';
import { BrushControl, SelectionSection, SymmetrySection } from './brushes';
import { renamed } from '../../model/world';
import { problemAt, useStudio } from './context';

const CHANNELS: { value: Channel; text: string; tip: string }[] = [
  { value: 'material', text: 'Material', tip: 'Drawing sets the material of cells' },
  { value: 'phase', text: 'Phase', tip: 'Drawing sets the phase of voxels, in cycles' },
  { value: 'amplitude', text: 'Amplitude', tip: 'Drawing sets the factor of the signal’s amplitude' },
  { value: 'period', text: 'Period', tip: 'Drawing sets the factor of the signal’s period' },
  { value: 'stiffness', text: 'Stiffness', tip: 'Drawing sets Young’s modulus of single voxels' },
];

export function PalettePanel() {
  const { session } = useStudio();
  const { doc } = session;
  const { materials } = doc.props.value;
  const version = doc.voxels.value;
  const counts = useMemo(() => doc.grid.countPerMaterial(materials.length), [version, materials.length]);
  const chosen = editing.entry.value;
  const material = materials[chosen - 1];
  const channel = editing.paints.value;
  const [library, setLibrary] = useState(false);
  return (
    <>
      <Section title="Palette" actions={<><Button label="Library" icon="library" tip="Materials with numbers and where they are from" onClick={() => setLibrary(true)} /><Button label="Add material" icon="plus" onClick={() => editing.addMaterial(doc)} /></>}>
        <Segmented label="What drawing sets" value={channel} options={CHANNELS} onChange={(v) => (editing.paints.value = v)} />
        {channel === 'material' ? (
          <ul class="swatches" role="listbox" aria-label="Materials">
            <li role="option" aria-selected={chosen === 0} class={chosen === 0 ? 'on' : ''} title="Erase  (0)" tabIndex={0}
              onClick={() => (editing.entry.value = 0)} onKeyDown={(e) => e.key === 'Enter' && (editing.entry.value = 0)}>
              <i class="empty" /><span>Erase</span><kbd>0</kbd>
            </li>
            {materials.map((m, i) => (
              <li key={i} role="option" aria-selected={chosen === i + 1} class={chosen === i + 1 ? 'on' : ''} tabIndex={0}
                title={`Draw with ${m.name}${i < 9 ? `  (${i + 1})` : ''}`} onClick={() => (editing.entry.value = i + 1)}
                onKeyDown={(e) => e.key === 'Enter' && (editing.entry.value = i + 1)}>
                <i style={{ background: m.color }} /><span>{m.name}</span>
                <small title="voxels">{counts[i + 1] ? counts[i + 1]!.toLocaleString('en') : ''}</small>{i < 9 && <kbd>{i + 1}</kbd>}
                {problemAt(session, `materials[${i}]`, true) && <b class="mark" title={problemAt(session, `materials[${i}]`, true)!.message}>!</b>}
              </li>
            ))}
          </ul>
        ) : (
          <ActuationPaint channel={channel} />
        )}
        <BrushControl />
      </Section>
      <SymmetrySection />
      <SelectionSection key={editing.tool.value === 'select' || editing.tool.value === 'wand' ? 'used' : 'idle'} />
      {library && <LibraryDialog onClose={() => setLibrary(false)} />}
      {material && channel === 'material' && <MaterialEditor key={chosen} index={chosen - 1} material={material} />}
    </>
  );
}

const LABEL: Record<Exclude<Channel, 'material'>, string> = { phase: 'Phase', amplitude: 'Amplitude factor', period: 'Period factor', stiffness: 'Stiffness', part: 'Part' };

function ActuationPaint({ channel }: { channel: Exclude<Channel, 'material'> }) {
  const value = editing.paintValue.value[channel];
  const set = (v: number) => (editing.paintValue.value = { ...editing.paintValue.value, [channel]: v });
  const { session } = useStudio();
  const drives = session.doc.props.value.signals.length > 0;
  return (
    <div class="stack">
      {editing.brush.value.kind === 'value' && (
        <NumberField label={LABEL[channel]} value={value} unit={channel === 'phase' ? 'cycles' : channel === 'stiffness' ? 'Pa' : ''} min={channel === 'period' ? 1e-6 : channel === 'stiffness' ? 0 : undefined}
          range={channel === 'phase' ? [0, 1] : channel === 'stiffness' ? [1e3, 1e9] : [0, 2]} log={channel === 'stiffness'} tip={channel === 'stiffness' ? '0: that of the material' : undefined} onChange={set} />
      )}
      {channel === 'phase' && editing.brush.value.kind === 'value' && (
        <div class="quick" role="group" aria-label="Common phases">
          {[0, 0.25, 0.5, 0.75].map((p) => (
            <button key={p} type="button" class={value === p ? 'on' : ''} onClick={() => set(p)}>
              <i style={{ background: MAPS.cyclic.stops[Math.round(p * 6)] }} />{p}
            </button>
          ))}
        </div>
      )}
      <p class="hint">{channel === 'stiffness' ? 'Draw over voxels with any tool. It takes the place of the material’s Young’s modulus (linear law).' : 'Draw over voxels with any tool. It acts on materials with an expansion that a signal drives.'}
        {!drives && channel !== 'stiffness' && ' There is no signal yet: add one under Environment.'}</p>
    </div>
  );
}

export function MaterialEditor({ index, material: m }: { index: number; material: Material }) {
  const { session } = useStudio();
  const { doc } = session;
  const at = (key: string) => problemAt(session, `materials[${index}].${key}`);
  const change = (part: Partial<Material>, label: string) => editing.changeMaterial(doc, index, part, label);
  const { signals, materials } = doc.props.value;
  const rename = (name: string) => {
    if (name && !materials.some((o, i) => i !== index && o.name === name)) doc.edit('Rename material', (p) => renamed({ ...p, materials: p.materials.map((o, i) => (i === index ? { ...o, name } : o)) }, 'material', m.name, name));
    else session.say(name ? `There is already a material “${name}”.` : 'A material needs a name.', 'bad');
  };
  return (
    <Section title="Material" actions={
      <>
        <Button label="Duplicate material" icon="copy" onClick={() => editing.addMaterial(doc, m)} />
        <Button label="Delete material" icon="trash" danger disabled={materials.length <= 1} onClick={() => editing.deleteMaterial(doc, index)} />
      </>
    }>
      <TextField label="Name" value={m.name} problem={at('name')} onChange={rename} />
      <Row label="Colour" problem={at('color')}>
        <input type="color" aria-label="Colour" value={m.color.slice(0, 7)} onInput={(e) => { const color = e.currentTarget.value; continuously(() => change({ color }, 'Colour')); }} />
        <code>{m.color}</code>
      </Row>
      <NumberField label="Young’s modulus" value={m.youngs_modulus} unit="Pa" min={1e-3} max={1e15} range={[1e3, 1e9]} log problem={at('youngs_modulus')}
        tip="Stiffness. Silicone rubber 0.05 to 5 MPa, TPU 10 to 50 MPa, PLA 3 GPa. Stiffer needs smaller time steps."
        onChange={(v) => change({ youngs_modulus: v }, 'Young’s modulus')} />
      <NumberField label="Poisson’s ratio" value={m.poissons_ratio} min={0} max={0.49} step={0.01} range={[0, 0.49]} problem={at('poissons_ratio')}
        tip="Lateral contraction: 0 none, 0.3 most solids, 0.49 nearly incompressible rubber." onChange={(v) => change({ poissons_ratio: v }, 'Poisson’s ratio')} />
      <NumberField label="Density" value={m.density} unit="kg/m^3" min={1e-6} max={1e9} range={[10, 1e4]} log problem={at('density')}
        tip="Water 1000 kg/m³, silicone 1100, foam 30 to 200." onChange={(v) => change({ density: v }, 'Density')} />
      <Toggle label="Rigid" value={m.rigid ?? false} tip="Its voxels do not deform: those that are connected move as one body. Young’s modulus is then that of its contacts."
        onChange={(rigid) => change(rigid ? { rigid, law: 'linear', expansion: 0, failure_stress: 0 } : { rigid: undefined }, 'Rigid')} />
      {!m.rigid && <NumberField label="Expansion" value={m.expansion} unit="1/K" min={-1000} max={1000} step={0.001} range={[-0.05, 0.05]} problem={at('expansion')}
        tip="Thermal expansion: what a signal of 1 K changes a voxel’s side by. 0.01 with ±10 K is ±10 %." onChange={(v) => change({ expansion: v }, 'Expansion')} />}
      {m.expansion !== 0 && (
        <Choice label="Driven by" value={m.signal ?? ''} problem={at('signal')}
          options={[{ value: '', text: signals[0] ? `first signal (${signals[0].name})` : 'no signal yet' }, ...signals.map((s) => ({ value: s.name, text: s.name }))]}
          onChange={(v) => change({ signal: v || undefined }, 'Driven by')} />
      )}
      <NumberField label="Static friction" value={m.friction.static} min={0} step={0.05} range={[0, 2]} problem={at('friction.static') ?? at('friction')}
        tip="Coefficient against the floor at rest; not below the dynamic one."
        onChange={(v) => change({ friction: { static: v, dynamic: Math.min(v, m.friction.dynamic) } }, 'Friction')} />
      <NumberField label="Dynamic friction" value={m.friction.dynamic} min={0} step={0.05} range={[0, 2]} problem={at('friction.dynamic')}
        tip="Coefficient against the floor while sliding."
        onChange={(v) => change({ friction: { dynamic: v, static: Math.max(v, m.friction.static) } }, 'Friction')} />
      {!m.rigid && <Choice label="Law" value={m.law} problem={at('law')} tip="How stress follows strain"
        options={[{ value: 'linear', text: 'linear' }, { value: 'bilinear', text: 'bilinear: yields' }, { value: 'table', text: 'table of points' }]}
        onChange={(law) => change(law === 'bilinear'
          ? { law, yield_stress: m.yield_stress || m.youngs_modulus * 0.05, plastic_modulus: m.plastic_modulus || m.youngs_modulus * 0.1 }
          : law === 'table' ? { law, table: m.table ?? [[0, 0], [0.1, 0.1 * m.youngs_modulus], [0.5, 0.3 * m.youngs_modulus]] } : { law }, 'Material law')} />}
      {m.law === 'bilinear' && (
        <>
          <NumberField label="Yield stress" value={m.yield_stress} unit="Pa" min={0} range={[1e2, 1e8]} log problem={at('yield_stress')}
            onChange={(v) => change({ yield_stress: v }, 'Yield stress')} />
          <NumberField label="Plastic modulus" value={m.plastic_modulus} unit="Pa" min={0} range={[1e2, 1e9]} log problem={at('plastic_modulus')}
            tip="Slope beyond the yield stress; below Young’s modulus." onChange={(v) => change({ plastic_modulus: v }, 'Plastic modulus')} />
        </>
      )}
      {m.law === 'table' && <StressTable index={index} material={m} />}
      {!m.rigid && <NumberField label="Breaks at" value={m.failure_stress} zero="never breaks" unit="Pa" min={0} problem={at('failure_stress')} tip="Tension at which a link breaks; 0: it never breaks."
        onChange={(v) => change({ failure_stress: v }, 'Failure stress')} />}
    </Section>
  );
}

// Points of strain and stress, one per line, with the curve above.
function StressTable({ index, material }: { index: number; material: Material }) {
  const { session } = useStudio();
  const table = material.table ?? [];
  const most = Math.max(1e-9, ...table.map((p) => p[0]));
  const top = Math.max(1e-9, ...table.map((p) => p[1]));
  const text = table.map(([e, s]) => `${e} ${s}`).join('\n');
  const points = table.map(([e, s]) => `${(8 + (e / most) * 184).toFixed(1)},${(72 - (s / top) * 62).toFixed(1)}`).join(' ');
  return (
    <div class="stack">
      <svg class="curve" viewBox="0 0 200 80" role="img" aria-label="Stress over strain">
        <path d="M8 8V72H196" class="axis" /><polyline points={points} />
        <text x="12" y="14">{formatUnit(top, 'Pa', 3)}</text><text x="194" y="68" text-anchor="end">strain {most}</text>
      </svg>
      <TextField label="Points: strain and stress in Pa, one pair a line" long value={text} problem={problemAt(session, `materials[${index}].table`, true)}
        onChange={(t) => {
          const rows = t.split('\n').filter((l) => l.trim()).map((l) => l.trim().split(/[\s,;]+/).map(Number));
          if (rows.some((r) => r.length !== 2 || r.some(Number.isNaN))) {
            session.say('Each line needs two numbers: strain and stress in Pa.', 'bad');
            return;
          }
          editing.changeMaterial(session.doc, index, { table: rows as [number, number][] }, 'Stress table');
        }} />
    </div>
  );
}

// Materials to begin with; a click adds one.
function LibraryDialog({ onClose }: { onClose: () => void }) {
  const { session } = useStudio();
  const kinds = [...new Set(LIBRARY.map((e) => e.kind))];
  return (
    <Dialog title="Library of materials" wide onClose={onClose}>
      <p class="hint">Soft materials differ by batch, cure and strain: these are starting points, with where they are from.</p>
      <div class="library">
        {kinds.map((kind) => (
          <section key={kind}><h3>{kind}</h3>
            <ul aria-label={kind}>{LIBRARY.filter((e) => e.kind === kind).map((e) => (
              <li key={e.name}><button type="button" onClick={() => { editing.addFromLibrary(session.doc, e); session.say(e.signal ? `Added ${e.name}, with a signal that drives it` : `Added ${e.name}`, 'good'); onClose(); }}>
                <i style={{ background: e.color }} /><b>{e.name}</b><span>{formatUnit(e.youngs_modulus, 'Pa', 3)}, ν {e.poissons_ratio}, {e.density} kg/m³{e.expansion ? `, ${100 * e.expansion} % per K` : ''}</span><small>{e.source}</small></button></li>
            ))}</ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
