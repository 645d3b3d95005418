// Regions: supports, prescribed motions and loads. The list, presets, and everything about the one chosen.
import { Button, Choice, NumberField, Section, Segmented, TextField, VectorField } from '../../ui/controls';
import { isFixed, KIND_COLOR, KIND_LABEL, kindOf, preset, reshape, shapeKind, touched, type Preset, type ShapeKind } from '../../model/regions';
import { AXES, FREEDOMS, freeName, type Axis, type Freedom, type Region, type Vec3 } from '../../model/types';
import * as editing from '../editing';
import { renamed } from '../../model/world';
import { problemAt, useStudio } from './context';

const PRESETS: { kind: Preset; text: string; tip: string }[] = [
  { kind: 'cantilever', text: 'Cantilever', tip: 'Held at the low end of the axis, a force across it at the high end' },
  { kind: 'axial', text: 'Axial', tip: 'Held at the low end of the axis, pulled along it at the high end' },
  { kind: 'symmetry', text: 'Symmetry', tip: 'The low end of the axis stays in its plane' },
];

const NEW: { text: string; make: Omit<Region, 'name'>; name: string }[] = [
  { text: 'Fix', name: 'fix', make: { fixed: 'all' } },
  { text: 'Force', name: 'force', make: { force: [0, 0, -0.1] } },
  { text: 'Displacement', name: 'displacement', make: { fixed: 'all', displacement: [0, 0, 0.001] } },
  { text: 'Torque', name: 'torque', make: { torque: [0, 0, 0.001] } },
];

export function RegionsPanel() {
  const { session } = useStudio();
  const { doc } = session;
  const { regions, pitch } = doc.props.value;
  const chosen = regions.findIndex((r) => r.name === editing.region.value);
  const add = (list: Region[], label: string) => {
    doc.edit(label, (p) => ({ ...p, regions: [...p.regions, ...list] }));
    editing.region.value = list[list.length - 1]!.name;
  };
  // Where a new region goes: the selection, otherwise the low end of the body.
  const place = (): Region['box'] => {
    const s = doc.selection.value;
    if (s) return { corner: [...s.low], size: s.high.map((h, a) => h - s.low[a]! + 1) as Vec3 };
    const b = doc.grid.bounds() ?? { low: [0, 0, 0] as Vec3, high: doc.grid.size.map((n) => n - 1) as Vec3 };
    const size = b.high.map((h, a) => h - b.low[a]! + 1) as Vec3;
    size[0] = Math.min(1, size[0]);
    return { corner: [...b.low], size };
  };
  const remove = (index: number) => {
    doc.edit(`Delete region ${regions[index]!.name}`, (p) => ({ ...p, regions: p.regions.filter((_, i) => i !== index) }));
  };
  return (
    <>
      <Section title="Regions">
        <div class="buttons" role="group" aria-label="Add a region">
          {NEW.map((n) => (
            <Button key={n.text} label={n.text} icon="plus" text tip={`Add a region: ${n.text.toLowerCase()}. It takes the place of the selection.`}
              onClick={() => add([{ name: freeName(n.name, regions), box: place(), ...n.make }], `Add region ${n.text.toLowerCase()}`)} />
          ))}
        </div>
        {regions.length === 0 && <p class="hint">Nothing is held or loaded. Add a region, or a preset below.</p>}
        <ul class="list" aria-label="Regions">
          {regions.map((r, i) => {
            const kind = kindOf(r);
            const problem = problemAt(session, `regions[${i}]`, true);
            return (
              <li key={r.name} class={i === chosen ? 'on' : ''}>
                <button type="button" class="list-main" aria-pressed={i === chosen} onClick={() => (editing.region.value = r.name)}>
                  <i style={{ background: KIND_COLOR[kind] }} /><span>{r.name}</span><small>{KIND_LABEL[kind]}, {touched(r, doc.grid, pitch).length} voxels</small>
                </button>
                {problem && <b class="mark" title={problem.message}>!</b>}
                <Button label={`Delete region ${r.name}`} icon="trash" danger onClick={() => remove(i)} />
              </li>
            );
          })}
        </ul>
      </Section>
      {chosen >= 0 && <RegionEditor key={editing.region.value} index={chosen} region={regions[chosen]!} />}
      <Section title="Presets" open={regions.length === 0}>
        {PRESETS.map((p) => (
          <div class="row" key={p.kind}>
            <span class="row-label" title={p.tip}>{p.text}</span>
            <div class="buttons" role="group" aria-label={p.text}>
              {AXES.map((a, axis) => (
                <Button key={a} label={`${p.text} along ${a}`} caption={a} tip={`${p.tip}; axis ${a}`} text
                  onClick={() => add(preset(p.kind, axis as Axis, doc.props.value, doc.grid), `Preset ${p.kind} ${a}`)} />
              ))}
            </div>
          </div>
        ))}
      </Section>
    </>
  );
}

function RegionEditor({ index, region: r }: { index: number; region: Region }) {
  const { session } = useStudio();
  const { doc } = session;
  const regions = doc.props.value.regions;
  const at = (key: string, below = true) => problemAt(session, `regions[${index}].${key}`, below);
  const own = problemAt(session, `regions[${index}]`);
  const change = (part: Partial<Region>, label: string) =>
    doc.edit(label, (p) => ({ ...p, regions: p.regions.map((o, i) => (i === index ? { ...o, ...part } : o)) }), `region ${r.name} ${label}`);
  const rename = (name: string) => {
    if (!name || regions.some((o, i) => i !== index && o.name === name)) {
      session.say(name ? `There is already a region “${name}”.` : 'A region needs a name.', 'bad');
      return;
    }
    doc.edit('Rename region', (p) => renamed({ ...p, regions: p.regions.map((o, i) => (i === index ? { ...o, name } : o)) }, 'region', r.name, name));
    editing.region.value = name;
  };
  const units = r.units === 'metres' ? 'm' : '';
  const hold = r.fixed === 'all' ? 'all' : r.fixed === 'clamp' ? 'clamp' : isFixed(r) ? 'some' : 'none';
  const freedoms = Array.isArray(r.fixed) ? r.fixed : [];
  return (
    <Section title={`Region “${r.name}”`}>
      {own && <p class={`problem ${own.severity}`} role="alert">{own.message}</p>}
      <TextField label="Name" value={r.name} problem={at('name')} onChange={rename} />
      <Choice<ShapeKind> label="Shape" value={shapeKind(r)}
        options={[{ value: 'box', text: 'box' }, { value: 'sphere', text: 'sphere' }, { value: 'cylinder', text: 'cylinder' }, { value: 'ellipsoid', text: 'ellipsoid' }]}
        onChange={(kind) => doc.edit('Region shape', (p) => ({ ...p, regions: p.regions.map((o, i) => (i === index ? reshape(o, kind) : o)) }))} />
      {r.box && (
        <>
          <VectorField label={`Corner (${r.units ?? 'voxels'})`} value={r.box.corner} unit={units} step={units ? undefined : 1} problem={at('box.corner')} onChange={(corner) => change({ box: { ...r.box!, corner } }, 'Move region')} />
          <VectorField label={`Size (${r.units ?? 'voxels'})`} value={r.box.size} unit={units} step={units ? undefined : 1} min={0} problem={at('box.size') ?? at('box', false)} onChange={(size) => change({ box: { ...r.box!, size } }, 'Size region')} />
        </>
      )}
      {r.sphere && (
        <>
          <VectorField label={`Centre (${r.units ?? 'voxels'})`} value={r.sphere.center} unit={units} onChange={(center) => change({ sphere: { ...r.sphere!, center } }, 'Move region')} />
          <NumberField label={`Radius (${r.units ?? 'voxels'})`} value={r.sphere.radius} unit={units} min={0} problem={at('sphere')} onChange={(radius) => change({ sphere: { ...r.sphere!, radius } }, 'Size region')} />
        </>
      )}
      {r.cylinder && (
        <>
          <VectorField label={`Centre (${r.units ?? 'voxels'})`} value={r.cylinder.center} unit={units} onChange={(center) => change({ cylinder: { ...r.cylinder!, center } }, 'Move region')} />
          <NumberField label={`Radius (${r.units ?? 'voxels'})`} value={r.cylinder.radius} unit={units} min={0} problem={at('cylinder')} onChange={(radius) => change({ cylinder: { ...r.cylinder!, radius } }, 'Size region')} />
          <NumberField label={`Length (${r.units ?? 'voxels'})`} value={r.cylinder.length} unit={units} min={0} onChange={(length) => change({ cylinder: { ...r.cylinder!, length } }, 'Size region')} />
          <Choice label="Axis" value={r.cylinder.axis} options={AXES.map((a) => ({ value: a, text: a }))} onChange={(axis) => change({ cylinder: { ...r.cylinder!, axis } }, 'Turn region')} />
        </>
      )}
      {r.ellipsoid && (
        <>
          <VectorField label={`Centre (${r.units ?? 'voxels'})`} value={r.ellipsoid.center} unit={units} onChange={(center) => change({ ellipsoid: { ...r.ellipsoid!, center } }, 'Move region')} />
          <VectorField label={`Half axes (${r.units ?? 'voxels'})`} value={r.ellipsoid.radius} unit={units} min={0} problem={at('ellipsoid')} onChange={(radius) => change({ ellipsoid: { ...r.ellipsoid!, radius } }, 'Size region')} />
        </>
      )}
      <p class="hint">Drag the dots in the view: white moves, coloured ones size. Ctrl leaves the voxel grid.</p>
      <div class="row"><span class="row-label">Held</span>
        <Segmented label="Held" value={hold}
          options={[{ value: 'none', text: 'not', tip: 'Moves freely' }, { value: 'some', text: 'partly', tip: 'Some freedoms are held' }, { value: 'all', text: 'all', tip: 'Nothing moves freely' }, { value: 'clamp', text: 'clamp', tip: 'All, as a face bonded through the voxels’ centres' }]}
          onChange={(v) => change({ fixed: v === 'none' ? undefined : v === 'some' ? ['x', 'y', 'z'] : v }, 'Hold region')} />
      </div>
      {hold === 'some' && (
        <div class="freedoms" role="group" aria-label="Held freedoms">
          {FREEDOMS.map((f) => (
            <label key={f} title={f.length === 1 ? `no motion along ${f}` : `no turning about ${f[1]}`}>
              <input type="checkbox" aria-label={f.length === 1 ? `hold ${f}` : `hold turning about ${f[1]}`} checked={freedoms.includes(f)}
                onChange={(e) => {
                  const next: Freedom[] = e.currentTarget.checked ? FREEDOMS.filter((o) => o === f || freedoms.includes(o)) : freedoms.filter((o) => o !== f);
                  if (next.length) change({ fixed: next }, 'Hold region');
                }} />{f.length === 1 ? f : `turn ${f[1]}`}
            </label>
          ))}
        </div>
      )}
      {hold !== 'none' && (
        <VectorField label="Displacement" unit="m" value={r.displacement ?? [0, 0, 0]} problem={at('displacement')} tip="Where held translations are taken to"
          onChange={(displacement) => change({ displacement }, 'Displacement')} />
      )}
      {(hold === 'all' || hold === 'clamp') && (
        <VectorField label="Rotation" unit="rad" step={0.1} value={r.rotation ?? [0, 0, 0]} problem={at('rotation')} tip="Rotation vector about the region’s middle"
          onChange={(rotation) => change({ rotation }, 'Rotation')} />
      )}
      {hold !== 'all' && hold !== 'clamp' && (
        <>
          <VectorField label="Force" unit="N" value={r.force ?? [0, 0, 0]} problem={at('force')} tip="In all, shared equally by the region’s voxels" onChange={(force) => change({ force }, 'Force')} />
          <VectorField label="Torque" unit="N m" value={r.torque ?? [0, 0, 0]} problem={at('torque')} tip="In all, shared equally by the region’s voxels" onChange={(torque) => change({ torque }, 'Torque')} />
        </>
      )}
      <NumberField label="Ramp" value={r.ramp ?? 0} unit="s" min={0} problem={at('ramp')} tip="Loads and motions grow smoothly to full in this time" onChange={(ramp) => change({ ramp }, 'Ramp')} />
    </Section>
  );
}
