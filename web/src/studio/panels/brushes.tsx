// How drawing gives values: plainly, as a gradient or a wave, or by a formula; symmetry; and what is selected.
import { useMemo, useState } from 'preact/hooks';
import { Button, Choice, NumberField, Row, Section, Segmented, TextField, VectorField } from '../../ui/controls';
import type { Along, BrushKind } from '../../model/brush';
import { parseFormula } from '../../model/formula';
import { cellsOf, grow, ofMaterial, ofValue, shrink, type Combine } from '../../model/selection';
import { AXES, type Axis, type Vec3 } from '../../model/types';
import * as editing from '../editing';
import { useStudio } from './context';

const KINDS: { value: BrushKind; text: string; tip: string }[] = [
  { value: 'value', text: 'Plain', tip: 'The same everywhere' }, { value: 'gradient', text: 'Gradient', tip: 'From one value to another, along an axis or from a point' },
  { value: 'wave', text: 'Wave', tip: 'Swings between two values' }, { value: 'formula', text: 'Formula', tip: 'Of x, y and z' },
];

// What a channel's numbers mean.
const UNIT: Record<string, string> = { phase: 'cycles', stiffness: 'Pa' };

export function BrushControl() {
  const { session } = useStudio();
  const { doc } = session;
  const b = editing.brush.value;
  const channel = editing.paints.value;
  const set = (part: Partial<typeof b>) => (editing.brush.value = { ...editing.brush.value, ...part });
  const material = channel === 'material';
  const { materials } = doc.props.value;
  const wrong = useMemo(() => {
    if (b.kind !== 'formula' || !b.formula.trim()) return '';
    try {
      parseFormula(b.formula);
      return '';
    } catch (e) {
      return (e as Error).message;
    }
  }, [b.kind, b.formula]);
  const unit = UNIT[channel] ?? '';
  const apply = () => {
    try {
      if (editing.brush.value.kind === 'formula' && !editing.brush.value.formula.trim()) throw new Error('Type a formula first.');
      editing.applyBrush(doc);
    } catch (e) {
      // What is wrong with a formula stands beside it.
      if (editing.brush.value.kind !== 'formula' || !editing.brush.value.formula.trim()) session.say((e as Error).message, 'bad');
    }
  };
  return (
    <div class="stack">
      <Segmented label="Brush" value={b.kind} options={KINDS} onChange={(kind) => set({ kind, ...(channel === 'stiffness' && b.to <= 1 ? { from: 1e5, to: 1e6 } : {}) })} />
      {(b.kind === 'gradient' || b.kind === 'wave') && (
        <>
          <Choice<Along> label="Along" value={b.along} options={[...AXES.map((a) => ({ value: a as Along, text: a })), { value: 'point', text: 'from a point' }]} onChange={(along) => set({ along })} />
          {b.along === 'point' && <VectorField label="Point (cells)" value={b.point} step={1} onChange={(point) => set({ point })} />}
          {material ? (
            <>
              <Choice label="To material" value={String(editing.other.value)} options={materials.map((m, i) => ({ value: String(i + 1), text: m.name }))} onChange={(v) => (editing.other.value = Number(v))} />
              <NumberField label="Steps" value={b.steps} integer min={2} max={32} step={1} tip="Materials in all; those between are made" onChange={(steps) => set({ steps })} />
            </>
          ) : (
            <>
              <NumberField label="From" value={b.from} unit={unit} onChange={(from) => set({ from })} />
              <NumberField label="To" value={b.to} unit={unit} onChange={(to) => set({ to })} />
            </>
          )}
          {b.kind === 'wave' && <NumberField label="Wavelength (cells)" value={b.length} min={0.1} step={1} onChange={(length) => set({ length })} />}
        </>
      )}
      {b.kind === 'formula' && (
        <>
          <TextField label="Formula" value={b.formula} placeholder={material ? '(r < 6) * 1' : '0.5*(y > 9) + x/nx'} problem={wrong ? { message: wrong, severity: 'error' } : undefined} onChange={(formula) => set({ formula })} onEnter={apply} />
          <p class="hint">Of x, y, z (cells from 0), r (cells from the middle), nx, ny, nz and v, the value there; sin, sqrt, mod, min, floor …; x &gt; 3 is 1 or 0. Enter applies it.{material ? ' The result is the number of a material, 0 for nothing.' : ''}</p>
        </>
      )}
      {b.kind !== 'value' && (
        <Button label="Apply" text caption={doc.selection.value ? 'Apply to the selection' : material && b.kind === 'formula' ? 'Apply to the workspace' : 'Apply to all voxels'} tip="Or draw: every tool gives this" onClick={apply} />
      )}
    </div>
  );
}

export function SymmetrySection() {
  const s = editing.symmetry.value;
  const set = (part: Partial<typeof s>) => (editing.symmetry.value = { ...s, ...part });
  const on = s.mirror.some(Boolean) || s.turns > 1;
  return (
    <Section title={`Symmetry${on ? ': on' : ''}`} open={on}>
      <Row label="Mirror across" tip="Everything that is drawn is drawn on the other side too"><span class="buttons">
        {AXES.map((a, i) => <Button key={a} label={`Mirror across ${a}`} caption={a} text active={s.mirror[i]} onClick={() => set({ mirror: s.mirror.map((m, k) => (k === i ? !m : m)) as [boolean, boolean, boolean] })} />)}</span></Row>
      <Row label="Turned copies"><span class="pair">
        <Choice bare label="Turned copies" value={String(s.turns)} options={[{ value: '1', text: 'none' }, ...[2, 3, 4, 5, 6, 8].map((n) => ({ value: String(n), text: String(n) }))]} onChange={(v) => set({ turns: Number(v) })} />
        <Choice bare label="Axis of turned copies" value={String(s.axis)} options={AXES.map((a, i) => ({ value: String(i), text: `about ${a}` }))} onChange={(v) => set({ axis: Number(v) as Axis })} /></span></Row>
      {on && (
        <>
          <VectorField label="Middle (cells)" value={s.center} step={0.5} tip="10 lies between cell 9 and cell 10" onChange={(center) => set({ center })} />
          <NumberField label="Copies swing later by" value={s.lag} unit="cycles" step={0.05} range={[0, 1]} tip="Where phases are drawn: 0.5 lets mirrored legs take turns" onChange={(lag) => set({ lag })} />
        </>
      )}
    </Section>
  );
}

const COMBINE: { value: Combine; text: string; tip: string }[] = [
  { value: 'replace', text: 'New', tip: 'A new selection takes the place of the old one' }, { value: 'add', text: 'Add', tip: 'It is added  (Ctrl)' },
  { value: 'subtract', text: 'Less', tip: 'It is taken away' }, { value: 'intersect', text: 'Common', tip: 'What both have stays' },
];

export function SelectionSection() {
  const { session } = useStudio();
  const { doc } = session;
  const s = doc.selection.value;
  const version = doc.voxels.value;
  const [count, setCount] = useState(1);
  const [shift, setShift] = useState<Vec3>([4, 0, 0]);
  const [lag, setLag] = useState(0);
  const voxels = useMemo(() => (s ? cellsOf(s, doc.grid).filter((c) => doc.grid.material[c]).length : 0), [s, version]);
  const place = s?.low ?? ([0, 0, 0] as Vec3);
  const size = s ? (s.high.map((h, a) => h - s.low[a]! + 1) as Vec3) : ([1, 1, 1] as Vec3);
  const box = (low: Vec3, n: Vec3) => {
    const inside = low.map((v, a) => Math.max(0, Math.min(doc.grid.size[a]! - 1, Math.round(v)))) as Vec3;
    doc.selection.value = { low: inside, high: inside.map((v, a) => Math.min(doc.grid.size[a]! - 1, v + Math.max(1, Math.round(n[a]!)) - 1)) as Vec3 };
    editing.tool.value = 'select';
  };
  const first = s ? cellsOf(s, doc.grid).find((c) => doc.grid.material[c]) : undefined;
  return (
    <Section title="Selection" open={editing.tool.value === 'select' || editing.tool.value === 'wand' || !!s}>
      <Segmented label="New selections" value={editing.combining.value} options={COMBINE} onChange={(v) => (editing.combining.value = v)} />
      <VectorField label="Place (cells)" value={place} integer min={0} step={1} onChange={(v) => box(v, size)} />
      <VectorField label="Size (cells)" value={size} integer min={1} step={1} onChange={(v) => box(place, v)} />
      <div class="buttons" role="group" aria-label="Change the selection">
        <Button label="Grow" icon="grow" text tip="One voxel more all around" disabled={!s} onClick={() => (doc.selection.value = grow(s!, doc.grid))} />
        <Button label="Shrink" icon="shrink" text tip="Without its outer voxels" disabled={!s} onClick={() => (doc.selection.value = shrink(s!, doc.grid))} />
        <Button label="Same material" text tip="All voxels of the chosen material" onClick={() => editing.select(doc, ofMaterial(doc.grid, Math.max(1, editing.entry.value)))} />
        <Button label="Same phase" text tip="All voxels of the phase of the first selected one" disabled={first === undefined} onClick={() => editing.select(doc, ofValue(doc.grid, 'phase', doc.grid.get('phase', first!)), editing.combining.value === 'replace' ? 'replace' : editing.combining.value)} />
        <Button label="All" text onClick={() => editing.selectAll(doc)} />
        <Button label="None" text disabled={!s} onClick={() => (doc.selection.value = undefined)} />
      </div>
      {s && (
        <>
          <p class="hint" data-testid="selected">{voxels.toLocaleString('en')} voxels selected{s.cells ? '' : ', a box'}.</p>
          <Row label="Repeat"><span class="pair"><NumberFieldBare label="Copies" value={count} onChange={setCount} />
            <Button label="Repeat" icon="repeat" text onClick={() => editing.repeatSelection(doc, count, shift, lag)} /></span></Row>
          <VectorField label="Each further by (cells)" value={shift} integer step={1} onChange={setShift} />
          <NumberField label="Each later by" value={lag} unit="cycles" step={0.05} tip="Added to the phases of each copy" onChange={setLag} />
        </>
      )}
    </Section>
  );
}

function NumberFieldBare({ label, value, onChange }: { label: string; value: number; onChange: (v: number) => void }) {
  return <input type="number" class="count" aria-label={label} min={1} max={1000} value={value} onInput={(e) => onChange(Math.max(1, Math.min(1000, Math.round(Number(e.currentTarget.value) || 1))))} />;
}
