// Ground, solids, water, and the rules by which voxels act by themselves: listed with their numbers, edited in place, added and removed.
import { Button, Choice, NumberField, Section, TextField, Toggle, VectorField } from '../../ui/controls';
import { freeName, type Props, type Vec3 } from '../../model/types';
import {
  GROUND_KINDS, groundOf, isSource, needsOther, newGround, newRule, newSolid, RULE_COMMON, RULE_KINDS, RULES, rulesOf, SOLID_KINDS, solidKind, solidShape, solidsOf, waterOf, withRest,
  type Friction, type Ground, type Rule, type RuleField, type RuleKind, type Solid, type SolidShape, type Water,
} from '../../model/world';
import { problemAt, useStudio } from './context';

const GROUND_WORDS: Record<string, string> = { slope: 'slope', steps: 'steps', stairs: 'stairs', gap: 'gap', rough: 'rough', heights: 'heights' };

// Adds one of several kinds.
function Add<T extends string>({ label, options, onAdd }: { label: string; options: readonly { value: T; text: string }[]; onAdd: (v: T) => void }) {
  return (
    <select class="compact add" aria-label={label} value="" onChange={(e) => { const v = e.currentTarget.value as T; e.currentTarget.value = ''; e.currentTarget.blur(); if (v) onAdd(v); }}>
      <option value="">add…</option>{options.map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}
    </select>
  );
}

function FrictionFields({ value, what, onChange }: { value: Friction | undefined; what: string; onChange: (f: Friction | undefined) => void }) {
  return (
    <>
      <Toggle label="Friction of its own" tip={`Otherwise only the friction of what touches the ${what} counts`} value={!!value} onChange={(on) => onChange(on ? { static: 1, dynamic: 0.5 } : undefined)} />
      {value && <NumberField label="Static" value={value.static} min={0} step={0.1} onChange={(s) => onChange({ static: s, dynamic: Math.min(s, value.dynamic) })} />}
      {value && <NumberField label="Sliding" value={value.dynamic} min={0} step={0.1} onChange={(d) => onChange({ static: Math.max(d, value.static), dynamic: d })} />}
    </>
  );
}
const without = <T extends object>(value: T, change: Partial<T>): T => {
  const out = { ...value, ...change };
  for (const key of Object.keys(change) as (keyof T)[]) if (change[key] === undefined) delete out[key];
  return out;
};

export function GroundSection() {
  const { session } = useStudio();
  const { doc } = session;
  const p = doc.props.value;
  const g = groundOf(p);
  const at = (key: string) => problemAt(session, `ground.${key}`, true);
  const change = (part: Partial<Ground>, label: string) => doc.edit(label, (q) => withRest(q, { ground: without(groundOf(q)!, part) }), `ground ${label}`);
  const add = (kind: (typeof GROUND_KINDS)[number]) => doc.edit('Add ground', (q) => ({ ...withRest(q, { ground: newGround(kind, doc.grid.size, q.pitch) }), environment: { ...q.environment, floor: false } }));
  const made = g && g.kind !== 'heights' && g.kind !== undefined;
  return (
    <Section key={g ? 'some' : 'none'} title="Ground" open={!!g}
      actions={g ? <Button label="Delete the ground" icon="trash" danger onClick={() => doc.edit('Delete ground', (q) => withRest(q, { ground: null }))} /> : <Add label="Add ground" options={GROUND_KINDS.map((k) => ({ value: k, text: GROUND_WORDS[k]! }))} onAdd={add} />}>
      {!g && <p class="hint">Ground that is not a plane: hills, stairs, a gap. It takes the place of the floor.</p>}
      {g && <Choice label="Kind of ground" value={g.kind ?? 'heights'} options={(made ? GROUND_KINDS : (['heights'] as const)).map((k) => ({ value: k, text: GROUND_WORDS[k]! }))} onChange={(kind) => change({ kind }, 'Kind of ground')} />}
      {g && !made && <p class="hint">{(g.points ?? []).join(' × ')} heights, as the file has them.</p>}
      {g && made && <NumberField label="Height of ground" value={g.height ?? 0} unit="m" min={0} problem={at('height')} onChange={(height) => change({ height }, 'Height of ground')} />}
      {g && made && <NumberField label="Length" value={g.length ?? 1} unit="m" min={1e-9} problem={at('length')} tip="Of a step, of the gap, between hills" onChange={(length) => change({ length }, 'Length of ground')} />}
      {g && g.kind === 'rough' && <NumberField label="Seed" value={g.seed ?? 0} integer min={0} step={1} problem={at('seed')} onChange={(seed) => change({ seed }, 'Seed of ground')} />}
      {g && <NumberField label="Points apart" value={g.spacing ?? 1} unit="m" min={1e-9} problem={at('spacing')} tip="Edges of steps are slopes of this width" onChange={(spacing) => change({ spacing }, 'Spacing of ground')} />}
      {g && <VectorField label="First point" unit="m" value={g.origin ?? [0, 0, 0]} problem={at('origin')} onChange={(origin) => change({ origin }, 'Place of ground')} />}
      {g && <FrictionFields what="ground" value={g.friction} onChange={(friction) => change({ friction }, 'Friction of ground')} />}
    </Section>
  );
}

export function SolidsSection() {
  const { session } = useStudio();
  const { doc } = session;
  const solids = solidsOf(doc.props.value);
  const set = (label: string, work: (list: Solid[]) => Solid[], merge?: string) => doc.edit(label, (q) => withRest(q, { solids: work(solidsOf(q)) }), merge);
  const add = (kind: (typeof SOLID_KINDS)[number]) => set('Add solid', (list) => [...list, newSolid(kind, freeName(kind, list), doc.grid.size, doc.props.value.pitch)]);
  return (
    <Section key={solids.length ? 'some' : 'none'} title="Solids" open={solids.length > 0} actions={<Add label="Add a solid" options={SOLID_KINDS.map((k) => ({ value: k, text: k }))} onAdd={add} />}>
      {!solids.length && <p class="hint">Fixed obstacles that bodies meet.</p>}
      {solids.map((s, i) => <SolidCard key={i} index={i} solid={s} onChange={(next, label) => set(label, (list) => list.map((o, k) => (k === i ? next : o)), `solid ${i} ${label}`)} onDelete={() => set('Delete solid', (list) => list.filter((_, k) => k !== i))} />)}
    </Section>
  );
}

function SolidCard({ index, solid: s, onChange, onDelete }: { index: number; solid: Solid; onChange: (s: Solid, label: string) => void; onDelete: () => void }) {
  const { session } = useStudio();
  const kind = solidKind(s);
  const shape = solidShape(s);
  const at = (key: string) => problemAt(session, `solids[${index}].${kind}.${key}`, true);
  const change = (part: Partial<SolidShape>, label: string) => onChange({ ...s, [kind]: { ...shape, ...part } }, label);
  const rename = (name: string) => {
    if (!name || solidsOf(session.doc.props.value).some((o, k) => k !== index && o.name === name)) session.say(name ? `There is already a solid “${name}”.` : 'A solid needs a name.', 'bad');
    else onChange({ ...s, name }, 'Rename solid');
  };
  return (
    <div class="card">
      <header><TextField label={`Name of solid ${index + 1}`} bare value={s.name} onChange={rename} /><small class="hint">{kind}</small><Button label={`Delete solid ${s.name}`} icon="trash" danger onClick={onDelete} /></header>
      {problemAt(session, `solids[${index}]`) && <p class="problem error" role="alert">{problemAt(session, `solids[${index}]`)!.message}</p>}
      <VectorField label="Middle" unit="m" value={shape.center} problem={at('center')} onChange={(center) => change({ center }, 'Place of solid')} />
      {kind === 'box' && <VectorField label="Size of solid" unit="m" value={shape.size!} problem={at('size')} onChange={(size) => change({ size }, 'Size of solid')} />}
      {shape.radius !== undefined && <NumberField label="Radius" value={shape.radius} unit="m" min={1e-9} problem={at('radius')} onChange={(radius) => change({ radius }, 'Radius of solid')} />}
      {shape.length !== undefined && <NumberField label="Length of solid" value={shape.length} unit="m" min={0} problem={at('length')} onChange={(length) => change({ length }, 'Length of solid')} />}
      {kind === 'cells' && <p class="hint">A mesh, as {(shape.size ?? []).join(' × ')} cubes.</p>}
      <VectorField label="Turned by" unit="rad" value={s.rotation ?? [0, 0, 0]} tip="A rotation vector, about its middle" onChange={(rotation) => onChange(without(s, { rotation: rotation.some((r) => r !== 0) ? rotation : undefined }), 'Turn solid')} />
      <FrictionFields what="solid" value={s.friction} onChange={(friction) => onChange(without(s, { friction }), 'Friction of solid')} />
    </div>
  );
}

export function WaterSection() {
  const { session } = useStudio();
  const { doc } = session;
  const w = waterOf(doc.props.value);
  const at = (key: string) => problemAt(session, `water.${key}`, true);
  const change = (part: Partial<Water>, label: string) => doc.edit(label, (q) => withRest(q, { water: without(waterOf(q)!, part) }), `water ${label}`);
  return (
    <Section title="Water">
      <Toggle label="Water" value={!!w} onChange={(on) => doc.edit(on ? 'Add water' : 'Delete water', (q) => withRest(q, { water: on ? {} : null }))} />
      {w && <Toggle label="Has a surface" tip="Otherwise it is everywhere" value={w.level !== undefined} onChange={(on) => change({ level: on ? Number((0.5 * doc.grid.size[2] * doc.props.value.pitch).toPrecision(3)) : undefined }, 'Surface of water')} />}
      {w?.level !== undefined && <NumberField label="Level" value={w.level} unit="m" problem={at('level')} onChange={(level) => change({ level }, 'Level of water')} />}
      {w && <NumberField label="Density of water" value={w.density ?? 1000} unit="kg/m^3" min={0} problem={at('density')} onChange={(density) => change({ density }, 'Density of water')} />}
      {w && <NumberField label="Drag across faces" value={w.normal_drag ?? 1} min={0} problem={at('normal_drag')} onChange={(normal_drag) => change({ normal_drag }, 'Drag of water')} />}
      {w && <NumberField label="Drag along faces" value={w.tangential_drag ?? 0.05} min={0} problem={at('tangential_drag')} onChange={(tangential_drag) => change({ tangential_drag }, 'Drag of water')} />}
      {w && (['x', 'y', 'z'] as const).map((axis, a) => (
        <TextField key={axis} label={`Flow along ${axis} [m/s]`} value={w.flow?.[a] ?? ''} placeholder="still" problem={at('flow')} onChange={(text) => {
          const flow = [0, 1, 2].map((i) => (i === a ? text : (w.flow?.[i] ?? ''))) as [string, string, string];
          change({ flow: flow.some((f) => f) ? (flow.map((f) => f || '0') as [string, string, string]) : undefined }, 'Flow of water');
        }} />
      ))}
    </Section>
  );
}

export function RulesSection() {
  const { session } = useStudio();
  const { doc } = session;
  const rules = rulesOf(doc.props.value);
  const set = (label: string, work: (list: Rule[], p: Props) => Rule[], merge?: string) => doc.edit(label, (q) => withRest(q, { rules: work(rulesOf(q), q) }), merge);
  const add = (kind: RuleKind) => set('Add rule', (list, q) => [...list, newRule(kind, q, doc.grid.size)]);
  return (
    <Section key={rules.length ? 'some' : 'none'} title="Rules" open={rules.length > 0} actions={<Add label="Add a rule" options={RULE_KINDS.map((k) => ({ value: k, text: RULES[k].title }))} onAdd={add} />}>
      {!rules.length && <p class="hint">What voxels do by themselves: conduct impulses, control their size, stick, grow, disappear; light and heat; forces, new voxels, when the run ends.</p>}
      {rules.map((r, i) => (
        <RuleCard key={i} index={i} rule={r} onChange={(part, label) => set(label, (list) => list.map((o, k) => (k === i ? without(o, part) : o)), `rule ${i} ${label}`)} onDelete={() => set('Delete rule', (list) => list.filter((_, k) => k !== i))} />
      ))}
    </Section>
  );
}

function RuleCard({ index, rule: r, onChange, onDelete }: { index: number; rule: Rule; onChange: (part: Partial<Rule>, label: string) => void; onDelete: () => void }) {
  const { session } = useStudio();
  const { materials, regions } = session.doc.props.value;
  const info = RULES[r.kind];
  const at = (key: string) => problemAt(session, `rules[${index}].${key}`, true);
  const network = r.kind === 'control' && Array.isArray(r.layers);
  const field = (f: RuleField) => {
    const label = f.label;
    const set = (value: unknown) => onChange({ [f.key]: value }, `${info.title}: ${label}`);
    switch (f.type) {
      case 'number':
        return <NumberField key={f.key} label={label} value={(r[f.key] as number | undefined) ?? f.usual} unit={f.unit} min={f.min} max={f.max} integer={f.integer} step={f.integer ? 1 : undefined} zero={f.zero} tip={f.tip} problem={at(f.key)} onChange={(v) => set(v === f.usual ? undefined : v)} />;
      case 'vector':
        return <VectorField key={f.key} label={label} unit={f.unit} integer={f.integer} min={f.min} value={(r[f.key] as Vec3 | undefined) ?? f.usual} problem={at(f.key)} onChange={set} />;
      case 'formula':
        return <TextField key={f.key} label={label} value={String(r[f.key] ?? '')} placeholder="formula" problem={at(f.key)} onChange={(v) => set(v || undefined)} />;
      case 'material':
        return <Choice key={f.key} label={label} value={String(r[f.key] ?? '')} problem={at(f.key)} options={[...(needsOther(r.kind) ? [] : [{ value: '', text: 'the same' }]), ...materials.map((m) => ({ value: m.name, text: m.name }))]} onChange={(v) => set(v || undefined)} />;
      case 'choice':
        return <Choice key={f.key} label={label} value={String(r[f.key] ?? f.usual)} problem={at(f.key)} options={f.options.map((o) => ({ value: o, text: o }))} onChange={(v) => set(v === f.usual ? undefined : v)} />;
      case 'switch':
        return <Toggle key={f.key} label={label} value={r[f.key] === true} onChange={(v) => set(v || undefined)} />;
    }
  };
  const title = `${index + 1}. ${info.title}`;
  return (
    <div class="card rule" role="group" aria-label={`Rule ${index + 1}`}>
      <header><b title={info.says}>{title}{r.name ? `: ${r.name}` : ''}</b><Button label={`Delete rule ${index + 1}`} icon="trash" danger onClick={onDelete} /></header>
      {problemAt(session, `rules[${index}]`) && <p class="problem error" role="alert">{problemAt(session, `rules[${index}]`)!.message}</p>}
      {!isSource(r.kind) && r.kind !== 'supply' && <Choice label="Voxels of" value={r.material ?? ''} problem={at('material')} options={[{ value: '', text: 'all materials' }, ...materials.map((m) => ({ value: m.name, text: m.name }))]} onChange={(v) => onChange({ material: v || undefined }, 'Material of rule')} />}
      {!isSource(r.kind) && r.kind !== 'supply' && (regions.length > 0 || r.region) && <Choice label="In region" value={r.region ?? ''} problem={at('region')} options={[{ value: '', text: 'everywhere' }, ...regions.map((g) => ({ value: g.name, text: g.name }))]} onChange={(v) => onChange({ region: v || undefined }, 'Region of rule')} />}
      {network && <p class="hint">A network: {(r.inputs as unknown[] | undefined)?.length ?? 0} inputs, layers of {(r.layers as number[]).join(', ')}.</p>}
      {info.fields.filter((f) => !(network && f.key === 'value')).map(field)}
      {RULE_COMMON.map(field)}
    </div>
  );
}
