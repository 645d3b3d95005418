// The page: bar above, tools to the left, the view in the middle, panels to the right, plots and status below.
import { effect, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, NumberInput, PlayPause, Segmented, Toggle } from '../ui/controls';
import { Icon } from '../ui/icons';
import { AXES, type Axis, type Vec3 } from '../model/types';
import { formatNumber, formatUnit, formatVector } from '../model/units';
import * as editing from './editing';
import { listenToKeys } from './keys';
import { StudioContext, useStudio, type Studio } from './panels/context';
import { EnvironmentPanel } from './panels/environment';
import { ImportDialog, mayLeave, OpenDialog, SaveDialog } from './panels/files';
import { HelpDialog } from './panels/help';
import { PalettePanel } from './panels/palette';
import { PartsPanel } from './panels/parts';
import { Plots } from './panels/plots';
import { RegionsPanel } from './panels/regions';
import { ScenePanel } from './panels/scene';
import { LivePanel, ProbesPanel, SolvePanel, SpeedControl } from './panels/simulate';
import { Timeline } from './panels/timeline';
import { Legend, ScaleBar, ViewBar } from './panels/view';
import { ExportDialog } from './panels/export';
import type { Session } from './session';
import * as settings from './settings';
import { StageView } from './stageview';

type DialogName = 'open' | 'demos' | 'autosaves' | 'save' | 'help' | 'export';

export function App({ session }: { session: Session }) {
  const [stage, setStage] = useState<StageView | undefined>(undefined);
  const [dialog, setDialog] = useState<DialogName | undefined>(undefined);
  const [file, setFile] = useState<File | undefined>(undefined);
  const host = useRef<HTMLDivElement>(null);
  const studio = useMemo<Studio>(() => ({ session, stage }), [session, stage]);
  const latest = useRef(studio);
  latest.current = studio;
  const save = () => {
    const path = session.info.value?.file;
    if (path) void session.attempt('Saving', () => session.save(path));
    else setDialog('save');
  };
  useEffect(() => {
    try {
      const made = new StageView(host.current!, session);
      setStage(made);
      Object.assign(window, { voxelasticStage: made });
    } catch (error) {
      host.current!.textContent = `The 3-D view needs WebGL 2, which this browser does not offer: ${(error as Error).message}`;
      host.current!.classList.add('no-view');
    }
    listenToKeys(session, () => latest.current.stage, {
      open: () => setDialog('open'), save, saveAs: () => setDialog('save'), help: () => setDialog('help'), exports: () => setDialog('export'), flat: () => toggleFlat(latest.current.stage),
    });
    window.addEventListener('beforeunload', (e) => {
      if (session.pending.value || (session.info.value?.saved === false && session.doc.done.value.length)) e.preventDefault();
    });
    effect(() => {
      document.title = `${session.unsaved.value ? '● ' : ''}${session.doc.props.value.name || session.fileName.value || 'untitled'} – Voxelastic`;
    });
    session.connect();
  }, []);
  const simulating = session.mode.value === 'simulate';
  return (
    <StudioContext.Provider value={studio}>
      <div class={`app ${simulating ? 'simulating' : 'editing'} ${settings.sideOpen.value ? '' : 'no-side'}`}
        onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); const f = e.dataTransfer?.files[0]; if (f) setFile(f); }}>
        <TopBar onDialog={setDialog} onImport={setFile} onSave={save} />
        <ToolRail />
        <main class="view">
          <div class="canvas" ref={host} />
          {!simulating && <DrawBar />}
          {simulating && <Readout />}
          {!simulating && <FirstSteps onDemos={() => setDialog('demos')} />}
          <ViewBar />
          <Legend />
          {stage && <LiveScale stage={stage} />}
          {stage?.pointed.value && <div class="pointed" data-testid="pointed" style={{ transform: `translate(${stage.pointed.value.x + 14}px, ${stage.pointed.value.y + 14}px)` }}>{stage.pointed.value.text}</div>}
          <Faults />
          <Notices />
        </main>
        {settings.sideOpen.value && <SidePanel />}
        {simulating && <div class="below"><Timeline /><Plots /></div>}
        <StatusBar />
      </div>
      {dialog === 'save' && <SaveDialog onClose={() => setDialog(undefined)} />}
      {dialog === 'export' && <ExportDialog onClose={() => setDialog(undefined)} />}
      {dialog === 'help' && <HelpDialog onClose={() => setDialog(undefined)} />}
      {(dialog === 'open' || dialog === 'demos' || dialog === 'autosaves') && <OpenDialog start={dialog === 'open' ? 'files' : dialog} onClose={() => setDialog(undefined)} />}
      {file && <ImportDialog file={file} onClose={() => setFile(undefined)} />}
      <Connection />
    </StudioContext.Provider>
  );
}

function TopBar({ onDialog, onImport, onSave }: { onDialog: (d: DialogName) => void; onImport: (f: File) => void; onSave: () => void }) {
  const { session } = useStudio();
  const { doc } = session;
  const chooser = useRef<HTMLInputElement>(null);
  const done = doc.done.value;
  const undone = doc.undone.value;
  const run = (work: () => Promise<unknown>) => void session.attempt('', work);
  const formats = session.hello.value?.formats;
  const name = doc.props.value.name || session.fileName.value || 'untitled';
  const order: settings.Theme[] = ['auto', 'light', 'dark'];
  return (
    <header class="topbar">
      <span class="brand" aria-hidden="true"><Icon name="box" /></span>
      <div class="title"><b>{name}</b><small>{session.unsaved.value ? (session.fileName.value ? `${session.fileName.value}, edited` : 'not saved') : session.fileName.value || 'not saved'}</small></div>
      <div class="group" role="group" aria-label="File">
        <Button label="New scene" icon="new" onClick={() => mayLeave(session) && run(() => session.newScene())} />
        <Button label="Open" icon="open" shortcut="Ctrl+O" onClick={() => onDialog('open')} />
        <Button label="Save" icon="save" shortcut="Ctrl+S" onClick={onSave} />
        <Button label="Save as" icon="saveas" shortcut="Ctrl+Shift+S" onClick={() => onDialog('save')} />
        <Button label="Import a file" icon="import" tip="Import a scene or a mesh; dropping a file does the same" onClick={() => chooser.current?.click()} />
        <input ref={chooser} type="file" hidden aria-label="File to import" accept={[...(formats?.read ?? []), ...(formats?.mesh ?? [])].map((f) => `.${f.extension}`).join(',')}
          onChange={(e) => { const f = e.currentTarget.files?.[0]; e.currentTarget.value = ''; if (f) onImport(f); }} />
      </div>
      <div class="group" role="group" aria-label="History">
        <Button label="Undo" icon="undo" shortcut="Ctrl+Z" tip={done.length ? `Undo: ${done[done.length - 1]}` : 'Nothing to undo'} disabled={!done.length} onClick={() => doc.undo()} />
        <Button label="Redo" icon="redo" shortcut="Ctrl+Y" tip={undone.length ? `Redo: ${undone[undone.length - 1]}` : 'Nothing to redo'} disabled={!undone.length} onClick={() => doc.redo()} />
      </div>
      <div class="center">
        <Segmented label="Mode" value={session.mode.value} options={[{ value: 'edit', text: 'Edit', tip: 'Edit the scene  (Ctrl+E)' }, { value: 'simulate', text: 'Simulate', tip: 'See the simulation  (Ctrl+E)' }]} onChange={(m) => run(() => session.setMode(m))} />
        <div class="group transport" role="group" aria-label="Simulation">
          <Button label="Reset" icon="reset" shortcut="Backspace" disabled={!session.sim.value} onClick={() => run(() => session.reset())} />
          <PlayPause playing={session.running.value} ended={session.ended.now.value} play="Play" pause="Pause" primary shortcut="Space" onChange={(play) => run(() => session.setRunning(play))} />
          <Button label="One step" icon="step" shortcut="→" onClick={() => run(() => session.step())} />
          <SpeedControl />
        </div>
      </div>
      <span class="grow" />
      <CheckButton />
      <Button label={`Theme: ${settings.theme.value}`} icon={settings.theme.value === 'auto' ? 'auto' : settings.theme.value === 'light' ? 'sun' : 'moon'}
        onClick={() => (settings.theme.value = order[(order.indexOf(settings.theme.value) + 1) % 3]!)} />
      <Button label={settings.sideOpen.value ? 'Hide the panels' : 'Show the panels'} icon="side" active={settings.sideOpen.value} onClick={() => (settings.sideOpen.value = !settings.sideOpen.value)} />
      <Button label="Keyboard and mouse" icon="help" shortcut="?" onClick={() => onDialog('help')} />
    </header>
  );
}

// How the check went; the list leads to the places.
function CheckButton() {
  const { session } = useStudio();
  const [open, setOpen] = useState(false);
  const problems = session.problems.value;
  const errors = session.errors.value.length;
  const go = (path: string) => {
    setOpen(false);
    void session.attempt('', () => session.setMode('edit'));
    const index = Number(/\[(\d+)\]/.exec(path)?.[1] ?? -1);
    if (path.startsWith('materials')) {
      editing.tab.value = 'draw';
      editing.paints.value = 'material';
      if (index >= 0) editing.entry.value = index + 1;
    } else if (path.startsWith('regions')) {
      editing.tab.value = 'regions';
      editing.region.value = session.doc.props.value.regions[index]?.name;
    } else if (/^(environment|signals|ground|solids|water|rules)/.test(path)) editing.tab.value = 'environment';
    else editing.tab.value = 'scene';
  };
  if (!session.info.value) return null;
  return (
    <div class="checks">
      <button type="button" class={`button check ${errors ? 'error' : problems.length ? 'warning' : 'good'}`} data-testid="check" aria-expanded={open}
        title={problems.length ? 'What the check of the scene found' : 'The scene is valid'} onClick={() => problems.length && setOpen(!open)}>
        <Icon name={problems.length ? 'warn' : 'check'} /><span>{errors ? `${errors} to fix` : problems.length ? `${problems.length} to note` : 'valid'}</span>
      </button>
      {open && problems.length > 0 && (
        <ul class="popover problems" aria-label="Problems">
          {problems.map((p) => <li key={p.path + p.message}><button type="button" class={p.severity} onClick={() => go(p.path)}><span>{p.message}</span>{p.path && <code>{p.path}</code>}</button></li>)}
        </ul>
      )}
    </div>
  );
}

const TOOLS: { tool: editing.DrawTool; label: string; key: string; tip: string }[] = [
  { tool: 'orbit', label: 'Turn the view', key: 'H', tip: 'Left drag turns the view' },
  { tool: 'select', label: 'Select', key: 'V', tip: 'Drag a box; drag inside it to move' },
  { tool: 'wand', label: 'Wand', key: 'W', tip: 'Pick voxels by what they have in common' },
  { tool: 'pencil', label: 'Pencil', key: 'B', tip: 'Draw freely' },
  { tool: 'line', label: 'Line', key: 'L', tip: 'Drag from end to end' },
  { tool: 'rectangle', label: 'Rectangle', key: 'R', tip: 'Drag from corner to corner' },
  { tool: 'ellipse', label: 'Ellipse', key: 'E', tip: 'Drag its bounding rectangle' },
  { tool: 'fill', label: 'Fill layer', key: 'G', tip: 'Fill connected cells of the layer' },
  { tool: 'fill3', label: 'Fill volume', key: 'Shift+G', tip: 'Fill connected cells in all directions' },
  { tool: 'box', label: 'Box', key: 'X', tip: 'Drag the base; as deep as the depth says' },
  { tool: 'sphere', label: 'Sphere', key: 'U', tip: 'Drag from the centre' },
  { tool: 'cylinder', label: 'Cylinder', key: 'C', tip: 'Drag the radius; as deep as the depth says' },
  { tool: 'pick', label: 'Take material', key: 'I', tip: 'Take the material under the pointer' },
];

function ToolRail() {
  const { session } = useStudio();
  const simulating = session.mode.value === 'simulate';
  if (simulating) return null;
  return (
    <nav class="tools" aria-label="Tools">
      {TOOLS.map((t) => (
        <Button key={t.tool} label={t.label} icon={t.tool} shortcut={t.key} tip={`${t.label}: ${t.tip}`} active={editing.activeTool.value === t.tool && !settings.measuring.value}
          onClick={() => { editing.tool.value = t.tool; if (!(editing.tab.value === 'parts' && (t.tool === 'select' || t.tool === 'wand'))) editing.tab.value = 'draw'; settings.measuring.value = false; }} />
      ))}
    </nav>
  );
}

// What the tool works on: the layer, its axis, the depth; and what the selection can do.
function DrawBar() {
  const { session, stage } = useStudio();
  const { doc } = session;
  void doc.voxels.value;
  const floating = editing.floating.value;
  if (editing.activeTool.value === 'orbit' && !floating) return null;
  const axis = editing.axis.value;
  const size = doc.grid.size;
  const tool = editing.tool.value;
  const selection = doc.selection.value;
  const pitch = doc.props.value.pitch;
  return (
    <div class="drawbar">
      <div class="bar" role="group" aria-label="Layer">
        <Toggle label="Layer" tip="Draw on one layer; otherwise on the body’s surface  (K)" value={editing.layerOn.value} onChange={(v) => (editing.layerOn.value = v)} />
        {editing.layerOn.value && (
          <>
            <Segmented label="Layer axis" value={axis} options={AXES.map((a, i) => ({ value: i as Axis, text: a, tip: `Layers along ${a}  (Shift+${a.toUpperCase()})` }))} onChange={(a) => (editing.axis.value = a)} />
            <Button label="Layer below" icon="minus" shortcut="[" onClick={() => (editing.layer.value = Math.max(0, editing.layer.value - 1))} />
            <input type="range" class="slider" aria-label="Layer" min={0} max={size[axis] - 1} step={1} value={editing.layer.value} onInput={(e) => (editing.layer.value = Number(e.currentTarget.value))} />
            <Button label="Layer above" icon="plus" shortcut="]" onClick={() => (editing.layer.value = Math.min(size[axis] - 1, editing.layer.value + 1))} />
            <span class="inline" title={`${AXES[axis]} from ${formatUnit(editing.layer.value * pitch, 'm')}`}>{AXES[axis]}<NumberInput label="Layer number" value={editing.layer.value} integer min={0} max={size[axis] - 1} step={1} onChange={(v) => (editing.layer.value = v)} /><small>of {size[axis]}</small></span>
            <Button label="Only this layer" icon="layer" active={editing.onlyLayer.value} tip="See nothing but this layer, from straight above" shortcut="J" onClick={() => toggleFlat(stage)} />
          </>
        )}
        {editing.DEEP.includes(tool) && <label class="inline" title="Layers that the tool covers, from the layer that is drawn on upwards">Depth, layers<NumberInput label="Depth" value={editing.depth.value} integer min={1} step={1} onChange={(v) => (editing.depth.value = v)} /></label>}
        {tool === 'wand' && <Segmented label="Pick by" value={editing.wand.value} options={[{ value: 'connected', text: 'Connected' }, { value: 'material', text: 'Material' }, { value: 'phase', text: 'Phase' }]} onChange={(v) => (editing.wand.value = v)} />}
        {(tool === 'rectangle' || tool === 'ellipse') && <Toggle label="Outline" value={editing.outline.value} onChange={(v) => (editing.outline.value = v)} />}
      </div>
      {floating && (
        <div class="bar" role="group" aria-label="Copy in hand">
          <span class="hint">Click to put it down; Ctrl-click keeps it in hand.</span>
          <Button label="Put down" text shortcut="Enter" onClick={() => editing.putDown(doc)} />
          {AXES.map((a, i) => <Button key={`m${a}`} label={`Mirror along ${a}`} caption={a} icon="mirror" text onClick={() => editing.mirrorSelection(doc, i as Axis)} />)}
          {AXES.map((a, i) => <Button key={`r${a}`} label={`Turn about ${a}`} caption={a} icon="rotate" text onClick={() => editing.rotateSelection(doc, i as Axis)} />)}
          <Button label="Let go" icon="close" shortcut="Escape" onClick={() => (editing.floating.value = undefined)} />
        </div>
      )}
      {!floating && (selection || (tool === 'select' && editing.clipboard.value)) && (
        <div class="bar" role="group" aria-label="Selection">
          {selection && <span class="hint">{selection.high.map((h, a) => h - selection.low[a]! + 1).join(' × ')}</span>}
          <Button label="Copy" icon="copy" shortcut="Ctrl+C" disabled={!selection} onClick={() => editing.copySelection(doc)} />
          <Button label="Cut" icon="cut" shortcut="Ctrl+X" disabled={!selection} onClick={() => editing.cutSelection(doc)} />
          <Button label="Paste" icon="paste" shortcut="Ctrl+V" disabled={!editing.clipboard.value} onClick={() => editing.paste(doc)} />
          <Button label="Fill selection" icon="fill" disabled={!selection} onClick={() => editing.fillSelection(doc)} />
          <Button label="Delete selection" icon="trash" shortcut="Delete" danger disabled={!selection} onClick={() => editing.deleteSelection(doc)} />
          {AXES.map((a, i) => <Button key={`m${a}`} label={`Mirror along ${a}`} caption={a} icon="mirror" text disabled={!selection} onClick={() => editing.mirrorSelection(doc, i as Axis)} />)}
          {AXES.map((a, i) => <Button key={`r${a}`} label={`Turn about ${a}`} caption={a} icon="rotate" text disabled={!selection} onClick={() => editing.rotateSelection(doc, i as Axis)} />)}
        </div>
      )}
    </div>
  );
}

// The layer as it is, like a drawing on squared paper: nothing else, seen along its axis without perspective.
export function toggleFlat(stage: StageView | undefined): void {
  const on = !editing.onlyLayer.value;
  editing.onlyLayer.value = on;
  settings.orthographic.value = on;
  stage?.viewer.rig.look(on ? (['right', 'front', 'top'] as const)[editing.axis.value] : 'iso');
}

function SidePanel() {
  const { session } = useStudio();
  const page = useSignal<'live' | 'probes' | 'solve'>('live');
  const simulating = session.mode.value === 'simulate';
  const bad = (prefix: string[]) => session.problems.value.some((p) => prefix.some((q) => p.path.startsWith(q)));
  const tabs: { id: string; text: string; on: boolean; mark?: boolean; go: () => void }[] = simulating
    ? ([['live', 'Live'], ['probes', 'Probes'], ['solve', 'Solve']] as const).map(([id, text]) => ({ id, text, on: page.value === id, go: () => (page.value = id) }))
    : ([['draw', 'Draw', ['materials']], ['parts', 'Parts', ['parts']], ['regions', 'Regions', ['regions']], ['environment', 'Environment', ['environment', 'signals', 'ground', 'solids', 'water', 'rules']], ['scene', 'Scene', ['lattice', 'stop', 'output', 'name', 'layers']]] as const).map(
        ([id, text, paths]) => ({ id, text, on: editing.tab.value === id, mark: bad([...paths]), go: () => (editing.tab.value = id) }));
  return (
    <aside class="side" aria-label="Panels">
      <div class="tabs" role="tablist">
        {tabs.map((t) => <button key={t.id} type="button" role="tab" aria-selected={t.on} class={t.on ? 'on' : ''} onClick={t.go}>{t.text}{t.mark && <b class="mark" title="The check found something here">!</b>}</button>)}
      </div>
      <div class="side-body" role="tabpanel">
        {session.problems.value.filter((p) => !p.path && !simulating).map((p) => <p key={p.message} class={`problem ${p.severity}`} role="alert">{p.message}</p>)}
        {!simulating && editing.tab.value === 'draw' && <PalettePanel />}
        {!simulating && editing.tab.value === 'parts' && <PartsPanel />}
        {!simulating && editing.tab.value === 'regions' && <RegionsPanel />}
        {!simulating && editing.tab.value === 'environment' && <EnvironmentPanel />}
        {!simulating && editing.tab.value === 'scene' && <ScenePanel />}
        {simulating && page.value === 'live' && <LivePanel />}
        {simulating && page.value === 'probes' && <ProbesPanel />}
        {simulating && page.value === 'solve' && <SolvePanel />}
      </div>
    </aside>
  );
}

// On an empty workspace: what to do first.
function FirstSteps({ onDemos }: { onDemos: () => void }) {
  const { session } = useStudio();
  const version = session.doc.voxels.value;
  const empty = useMemo(() => session.doc.grid.count() === 0, [version]);
  if (!empty || !session.hello.value) return null;
  return (
    <div class="first">
      <span><b>Drag on the grid to draw.</b> Right drag turns the view, Space plays, ? tells the rest.</span>
      <Button label="Open a demo" text onClick={onDemos} />
    </div>
  );
}

// Time and speed, large enough to read across a room.
function Readout() {
  const { session } = useStudio();
  const sim = session.sim.value;
  if (!sim) return null;
  const past = session.time.shown.value;
  const big = (n: number) => (n >= 1e9 ? `${formatNumber(n / 1e9, 3)} G` : n >= 1e6 ? `${formatNumber(n / 1e6, 3)} M` : n >= 1e3 ? `${formatNumber(n / 1e3, 3)} k` : `${formatNumber(n, 3)} `);
  return (
    <div class="readout" aria-live="off">
      <b data-testid="time" data-value={past?.time ?? sim.time}>{(past?.time ?? sim.time).toFixed(3)} s</b>
      {past && <span class="state past" data-testid="past">{past.run === session.time.last.value?.run ? 'the last run, recorded' : 'recorded'}</span>}
      <span class={`state ${sim.state}`} data-testid="state">{sim.state === 'stopped' && sim.stop ? `stopped: ${sim.stop.reason}` : sim.state}</span>
      {sim.state === 'running' && (
        <>
          <span title="Simulated seconds per second" data-testid="rtf">{formatNumber(sim.rate.real_time, 3)} × real time</span>
          <span title="Voxels times steps per second" data-testid="rate" data-value={sim.rate.voxel_steps}>{big(sim.rate.voxel_steps)}voxel-steps/s</span>
        </>
      )}
      <small>step {sim.step.toLocaleString('en')}, {sim.voxels.toLocaleString('en')} voxels</small>
      {session.stale.value && <small class="stale">The scene has changed; play starts anew.</small>}
    </div>
  );
}

function Faults() {
  const { session } = useStudio();
  const fault = session.mode.value === 'simulate' ? session.sim.value?.fault : null;
  if (!fault) return null;
  return (
    <div class="fault" role="alert" data-testid="fault">
      <Icon name="warn" /><div><b>The simulation cannot go on: {fault.fault}</b><p>{fault.message}</p></div>
      <Button label="Reset" text onClick={() => void session.attempt('', () => session.reset())} />
      <Button label="Edit the scene" text onClick={() => void session.attempt('', () => session.setMode('edit'))} />
    </div>
  );
}

function LiveScale({ stage }: { stage: StageView }) {
  const tick = useSignal(0);
  useEffect(() => {
    let last = 0;
    const timer = setInterval(() => {
      const now = stage.viewer.rig.pitchesPerPixel * stage.viewer.pitch;
      if (now !== last) {
        last = now;
        tick.value++;
      }
    }, 150);
    return () => clearInterval(timer);
  }, [stage]);
  void tick.value;
  return <ScaleBar viewer={stage.viewer} />;
}

function StatusBar() {
  const { session, stage } = useStudio();
  const { doc } = session;
  const h = editing.hover.value;
  const pitch = doc.props.value.pitch;
  const version = doc.voxels.value;
  const voxels = useMemo(() => doc.grid.count(), [version]);
  return (
    <footer class="status">
      <span data-testid="voxels">{voxels.toLocaleString('en')} voxels</span>
      <span>{doc.grid.size.join(' × ')} cells of {formatUnit(pitch, 'm')}</span>
      {h && <span data-testid="hover">cell {h.cell.join(', ')} at {formatVector(h.cell.map((c) => (c + 0.5) * pitch) as Vec3, 'm', 4)}: {doc.props.value.materials[(session.mode.value === 'edit' ? doc.grid.at(...h.cell) : h.material) - 1]?.name ?? 'empty'}</span>}
      <span class="grow" />
      {session.busy.value && <span class="busy" role="status">{session.busy.value}…</span>}
      {stage && session.running.value && <span title="Pictures drawn in the last second" data-testid="fps">{stage.frameRate.value} pictures/s</span>}
      {session.info.value?.hash && <span title="Hash of the compiled scene: equal hashes, equal motion" data-testid="hash">{session.info.value.hash}</span>}
      <span>{session.pending.value ? 'autosaving…' : session.info.value ? 'autosaved' : ''}</span>
      <span>{session.hello.value ? `Voxelastic ${session.hello.value.version}` : ''}</span>
    </footer>
  );
}

function Notices() {
  const { session } = useStudio();
  return (
    <div class="notices" role="status" aria-live="polite">
      {session.notices.value.map((n) => <div key={n.id} class={`notice ${n.tone}`}><span>{n.text}</span><Button label="Dismiss" icon="close" onClick={() => session.dismiss(n.id)} /></div>)}
    </div>
  );
}

function Connection() {
  const { session } = useStudio();
  const state = session.link.value;
  if (state === 'open' || (state === 'connecting' && !session.hello.value)) return null;
  return (
    <div class="lost" role="alert">
      {state === 'replaced' ? (
        <><b>The studio is open in another tab.</b><Button label="Use it here" text primary onClick={() => location.reload()} /></>
      ) : (
        <span><b>The connection to the server is lost. Trying again…</b><br />If it has ended, start it again: the page it opens has what was not saved under Open, Recovered.</span>
      )}
    </div>
  );
}
