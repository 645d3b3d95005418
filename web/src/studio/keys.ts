// The keyboard. Keys that would type into a field are left to it.
import { AXES, type Axis, type Vec3 } from '../model/types';
import { sides } from '../model/tools';
import type { StandardView } from '../view/rig';
import * as editing from './editing';
import type { Session } from './session';
import * as settings from './settings';
import type { StageView } from './stageview';

export interface Actions {
  open(): void;
  save(): void;
  saveAs(): void;
  help(): void;
  exports(): void;
  flat(): void;
}

const TOOLS: Record<string, editing.DrawTool> = {
  b: 'pencil', l: 'line', r: 'rectangle', e: 'ellipse', g: 'fill', x: 'box', u: 'sphere', c: 'cylinder', v: 'select', w: 'wand', i: 'pick', h: 'orbit',
};
const VIEWS: StandardView[] = ['iso', 'front', 'back', 'left', 'right', 'top', 'bottom'];

function typing(target: EventTarget | null): boolean {
  const e = target as HTMLElement | null;
  if (!e?.tagName) return false;
  if (e.tagName === 'TEXTAREA' || e.tagName === 'SELECT' || e.isContentEditable) return true;
  return e.tagName === 'INPUT' && !['range', 'checkbox', 'color', 'radio', 'button'].includes((e as HTMLInputElement).type);
}

export function listenToKeys(session: Session, stage: () => StageView | undefined, actions: Actions): void {
  const { doc } = session;
  const run = (work: () => Promise<unknown>) => void session.attempt('', work);
  const moveLayer = (d: number) => {
    const top = doc.grid.size[editing.axis.value] - 1;
    editing.layer.value = Math.max(0, Math.min(top, editing.layer.value + d));
  };
  const undo = () => {
    const label = doc.undo();
    session.say(label ? `Undone: ${label}` : 'Nothing to undo');
  };
  const redo = () => {
    const label = doc.redo();
    session.say(label ? `Redone: ${label}` : 'Nothing to redo');
  };
  const shift = (key: string): Vec3 | undefined => {
    const d: Vec3 = [0, 0, 0];
    const [u, v] = sides(editing.axis.value);
    if (key === 'ArrowRight') d[u] = 1;
    else if (key === 'ArrowLeft') d[u] = -1;
    else if (key === 'ArrowUp') d[v] = 1;
    else if (key === 'ArrowDown') d[v] = -1;
    else if (key === 'PageUp') d[editing.axis.value] = 1;
    else if (key === 'PageDown') d[editing.axis.value] = -1;
    else return undefined;
    return d;
  };
  const withControl = (e: KeyboardEvent, key: string): boolean => {
    const editingScene = session.mode.value === 'edit';
    const d = editingScene && doc.selection.value ? shift(e.key) : undefined;
    if (d) {
      editing.moveSelection(doc, d);
      return true;
    }
    switch (key) {
      case 'z': if (e.shiftKey) redo(); else undo(); return true;
      case 'y': redo(); return true;
      case 's': if (e.shiftKey) actions.saveAs(); else actions.save(); return true;
      case 'e': if (e.shiftKey) actions.exports(); else run(() => session.setMode(editingScene ? 'simulate' : 'edit')); return true;
      case 'o': actions.open(); return true;
      case 'a': if (editingScene) { editing.selectAll(doc); editing.tool.value = 'select'; } return editingScene;
      case 'c': return editingScene && editing.copySelection(doc);
      case 'x': if (editingScene) editing.cutSelection(doc); return editingScene;
      case 'v': if (editingScene) editing.paste(doc); return editingScene;
      case 'd': if (editingScene && editing.copySelection(doc)) editing.paste(doc); return editingScene;
      default: return false;
    }
  };
  const plain = (e: KeyboardEvent, key: string): boolean => {
    const view = stage();
    switch (e.key) {
      case ' ': run(() => session.playPause()); return true;
      case 'ArrowRight': run(() => session.step(e.shiftKey ? 100 : 1)); return true;
      case 'f': case 'F': view?.frame(); return true;
      case 'o': settings.orthographic.value = !settings.orthographic.value; return true;
      case '?': actions.help(); return true;
      default:
    }
    if (session.mode.value === 'simulate') {
      const { time } = session;
      switch (e.key) {
        case 'Backspace': run(() => session.reset()); return true;
        case 'p': time.playPause(); return true;
        case 'n': settings.measuring.value = !settings.measuring.value; return true;
        case ',': time.nudge(-1); return true;
        case '.': time.nudge(1); return true;
        case 'Home': time.scrub(time.range()[0]); return true;
        case 'End': case 'Escape': time.live(); return true;
        default: return false;
      }
    }
    if (e.shiftKey && 'xyz'.includes(key) && key) {
      editing.axis.value = AXES.indexOf(key as 'x') as Axis;
      return true;
    }
    if (e.shiftKey && key === 'm') {
      // The mirror that is used most: across the body, on and off.
      const sym = editing.symmetry.value;
      editing.symmetry.value = { ...sym, mirror: [sym.mirror[0], !sym.mirror[1], sym.mirror[2]] };
      return true;
    }
    if (e.shiftKey && key === 'g') {
      editing.tool.value = 'fill3';
      return true;
    }
    switch (e.key) {
      case '[': case 'PageDown': moveLayer(-1); return true;
      case ']': case 'PageUp': moveLayer(1); return true;
      case 'j': actions.flat(); return true;
      case 'n': settings.measuring.value = !settings.measuring.value; return true;
      case 'Enter': if (!editing.floating.value) return false; editing.putDown(doc); return true;
      case 'k': editing.layerOn.value = !editing.layerOn.value; return true;
      case 'Delete': case 'Backspace': editing.deleteSelection(doc); return true;
      case 'm': editing.mirrorSelection(doc, sides(editing.axis.value)[0]); return true;
      case 't': editing.rotateSelection(doc, editing.axis.value); return true;
      case 'Escape':
        doc.cancel();
        if (editing.floating.value) editing.floating.value = undefined;
        else if (settings.measuring.value) settings.measuring.value = false;
        else doc.selection.value = undefined;
        return true;
      default:
    }
    if (/^[0-9]$/.test(e.key)) {
      const n = Number(e.key);
      if (n <= doc.props.value.materials.length) {
        editing.entry.value = n;
        editing.paints.value = 'material';
      }
      return true;
    }
    const tool = TOOLS[key];
    if (tool && !e.shiftKey) {
      editing.tool.value = tool;
      editing.tab.value = 'draw';
      return true;
    }
    return false;
  };
  let tabbed = false; // the focus came there by the Tab key
  window.addEventListener('pointerdown', () => (tabbed = false), true);
  window.addEventListener('keydown', (e) => {
    if (e.key === 'Tab') tabbed = true;
    if (document.querySelector('dialog[open]')) return;
    const key = e.key.toLowerCase();
    const control = e.ctrlKey || e.metaKey;
    if (typing(e.target)) {
      // Saving works from a field too; undo there belongs to the text.
      if (control && key === 's') {
        (e.target as HTMLElement).blur();
        if (e.shiftKey) actions.saveAs();
        else actions.save();
        e.preventDefault();
      }
      return;
    }
    let done = false;
    if (e.altKey && /^[1-7]$/.test(e.key)) {
      stage()?.viewer.rig.look(VIEWS[Number(e.key) - 1]!);
      done = true;
    } else if (control) done = withControl(e, key);
    else if (!e.altKey) {
      // A control that was reached with the Tab key takes Space itself; one that was clicked does not.
      if (e.key === ' ' && tabbed && document.activeElement?.matches('button, input, [role=option], circle')) return;
      done = plain(e, key);
    }
    if (done) e.preventDefault();
  });
}
