// Named parts: pieces of the body that are bonded to what they touch or separate from it, and can be hidden, locked, moved and repeated.
import { useMemo } from 'preact/hooks';
import { Button, Section, TextField } from '../../ui/controls';
import { cellsOf } from '../../model/selection';
import * as editing from '../editing';
import { PART_COLORS } from '../stageview';
import { useStudio } from './context';
import { SelectionSection } from './brushes';

export function PartsPanel() {
  const { session } = useStudio();
  const { doc } = session;
  const { parts, environment } = doc.props.value;
  const version = doc.voxels.value;
  const counts = useMemo(() => {
    const out = new Array<number>(parts.length + 1).fill(0);
    for (let c = 0; c < doc.grid.cells; c++) if (doc.grid.material[c]) out[doc.grid.get('part', c)] = (out[doc.grid.get('part', c)] ?? 0) + 1;
    return out;
  }, [version, parts.length]);
  const s = doc.selection.value;
  const chosen = editing.part.value;
  const rename = (number: number, name: string) => {
    if (!name || parts.some((p, i) => i !== number - 1 && p.name === name)) session.say(name ? `There is already a part “${name}”.` : 'A part needs a name.', 'bad');
    else editing.changePart(doc, number, { name }, 'Rename part');
  };
  const apart = parts.some((p) => p.separate);
  return (
    <>
      <Section title="Parts">
        <p class="hint">{s ? 'A new part takes the selected voxels.' : 'Select voxels (V, or the wand) and make them a part.'} A separate part touches its neighbours without being bonded to them.</p>
        <div class="buttons" role="group" aria-label="New part">
          <Button label="New separate part" icon="plus" text caption="Separate part" disabled={!s} onClick={() => editing.addPart(doc, true)} />
          <Button label="New bonded part" icon="plus" text caption="Bonded part" disabled={!s} onClick={() => editing.addPart(doc, false)} />
        </div>
        <ul class="list parts" aria-label="Parts">
          {parts.map((p, i) => (
            <li key={i} class={chosen === i + 1 ? 'on' : ''}>
              <button type="button" class="list-main" aria-pressed={chosen === i + 1} title="New voxels belong to it; its voxels are selected"
                onClick={() => { editing.part.value = chosen === i + 1 ? 0 : i + 1; doc.selection.value = editing.partCells(doc, i + 1); }}>
                <i style={{ background: PART_COLORS[(i + 1) % PART_COLORS.length] }} /><span>{p.name}</span><small>{(counts[i + 1] ?? 0).toLocaleString('en')}</small>
              </button>
              <Button label={`${p.separate ? 'Bond' : 'Separate'} ${p.name}`} icon="link" active={!p.separate} tip={p.separate ? 'Separate. Click: bonded to what it touches' : 'Bonded to what it touches. Click: separate'} onClick={() => editing.changePart(doc, i + 1, { separate: !p.separate }, p.separate ? `Bond ${p.name}` : `Separate ${p.name}`)} />
              <Button label={`${p.hidden ? 'Show' : 'Hide'} ${p.name}`} icon={p.hidden ? 'hidden' : 'eye'} onClick={() => editing.changePart(doc, i + 1, { hidden: !p.hidden }, p.hidden ? `Show ${p.name}` : `Hide ${p.name}`)} />
              <Button label={`${p.locked ? 'Unlock' : 'Lock'} ${p.name}`} icon={p.locked ? 'lock' : 'unlock'} active={p.locked} onClick={() => editing.changePart(doc, i + 1, { locked: !p.locked }, p.locked ? `Unlock ${p.name}` : `Lock ${p.name}`)} />
              <Button label={`Delete part ${p.name}`} icon="trash" tip="Its voxels stay" onClick={() => editing.deletePart(doc, i + 1)} />
            </li>
          ))}
        </ul>
        {parts.length === 0 && <p class="hint">There are none yet: everything that touches is bonded.</p>}
        {apart && environment.collisions === 'off' && <p class="problem warning">Separate parts go through each other: switch collisions on under Environment.</p>}
        {chosen > 0 && parts[chosen - 1] && (
          <div class="stack">
            <TextField label="Name" value={parts[chosen - 1]!.name} onChange={(name) => rename(chosen, name)} />
            <div class="buttons">
              <Button label="Give it the selection" text disabled={!s || !cellsOf(s, doc.grid).some((c) => doc.grid.material[c] && doc.grid.get('part', c) !== chosen)} onClick={() => editing.giveToPart(doc, chosen)} />
              <Button label="Take the selection out" text disabled={!s} onClick={() => editing.giveToPart(doc, 0)} />
            </div>
            <p class="hint">Drag inside the selection to move it, Ctrl-drag to duplicate it; repeat it below. What is drawn now belongs to this part.</p>
          </div>
        )}
      </Section>
      <SelectionSection />
    </>
  );
}
