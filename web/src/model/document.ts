// The document that is edited: properties and voxels, and the history of reversible commands. Every edit goes through here, so every
// edit can be undone.
import { signal } from '@preact/signals';
import { applyChange, Grid, Stroke, type GridChange } from './grid';
import { readScene, writeScene, type SceneJson } from './scene';
import type { Selection } from './selection';
import { defaultProps, type Props } from './types';

export type { Selection };

interface Command {
  label: string;
  props?: [Props, Props];
  change?: GridChange;
  grids?: [Grid, Grid]; // a new workspace
  selection?: [Selection | undefined, Selection | undefined];
  merge?: string; // commands of the same key that follow within a moment are one; those of one drag always
  time: number;
}

const MERGE_MS = 1200;

let continuous = false;
// Edits made in here are part of one movement: of a slider, of a colour, of a key that is held.
export function continuously(work: () => void): void {
  continuous = true;
  try {
    work();
  } finally {
    continuous = false;
  }
}
const HISTORY = 1000;

export class Document {
  readonly props = signal<Props>(defaultProps());
  readonly voxels = signal(0); // counts changes of the grid
  readonly selection = signal<Selection | undefined>(undefined);
  readonly changes = signal(0); // counts all changes, undo and redo included
  readonly done = signal<readonly string[]>([]); // labels, oldest first
  readonly undone = signal<readonly string[]>([]);
  grid = new Grid([20, 20, 20]);
  private past: Command[] = [];
  private future: Command[] = [];
  private stroke: { stroke: Stroke; label: string; selection: Selection | undefined } | undefined;

  // Takes another scene; the history begins anew.
  load(props: Props, grid: Grid): void {
    this.past = [];
    this.future = [];
    this.stroke = undefined;
    this.grid = grid;
    this.selection.value = undefined;
    this.props.value = props;
    this.touched(true);
  }
  loadJson(json: SceneJson): void {
    const { props, grid } = readScene(json);
    this.load(props, grid);
  }
  toJson(): SceneJson {
    return writeScene(this.props.value, this.grid);
  }

  // Changes properties. Changes with the same `merge` that belong to one movement are one step of undo.
  edit(label: string, change: (props: Props) => Props, merge?: string): void {
    this.finish();
    const before = this.props.value;
    const after = change(before);
    if (after === before) return;
    this.props.value = after;
    this.push({ label, props: [before, after], merge: continuous || merge?.startsWith('drag ') ? merge : undefined, time: Date.now() });
  }

  // Paints: begin, set cells through the stroke, `show` what is there so far, finish.
  begin(label: string): Stroke {
    this.finish();
    const stroke = new Stroke(this.grid, this.lockedCell());
    this.stroke = { stroke, label, selection: this.selection.value };
    return stroke;
  }
  // Cells of locked parts do not change.
  private lockedCell(): ((cell: number) => boolean) | undefined {
    const locked = new Set(this.props.value.parts.flatMap((p, i) => (p.locked ? [i + 1] : [])));
    return locked.size && this.grid.has('part') ? (cell) => locked.has(this.grid.get('part', cell)) : undefined;
  }
  get drawing(): boolean {
    return this.stroke !== undefined;
  }
  show(): void {
    this.voxels.value++;
  }
  cancel(): void {
    this.stroke?.stroke.rewind();
    this.stroke = undefined;
    this.show();
  }
  // Ends the stroke; with properties or a selection that belong to the same step.
  finish(extra: { props?: Props; selection?: Selection | null } = {}): boolean {
    const now = this.stroke;
    if (!now) return false;
    this.stroke = undefined;
    const change = now.stroke.finish();
    const props = extra.props && extra.props !== this.props.value ? ([this.props.value, extra.props] as [Props, Props]) : undefined;
    const selection = extra.selection === undefined ? now.selection : (extra.selection ?? undefined);
    if (!change && !props) {
      if (extra.selection !== undefined) this.selection.value = selection;
      return false;
    }
    if (props) this.props.value = props[1];
    this.selection.value = selection;
    this.push({ label: now.label, change, props, selection: [now.selection, selection], time: Date.now() }, !!change);
    return true;
  }
  // One call for a change that needs no drawing in between.
  paint(label: string, draw: (stroke: Stroke) => void, extra?: { props?: Props; selection?: Selection | null }): boolean {
    draw(this.begin(label));
    return this.finish(extra);
  }
  // A new workspace, with the voxels in it, and other properties if need be.
  replaceGrid(label: string, grid: Grid, props: Props = this.props.value): void {
    this.finish();
    const command: Command = {
      label, grids: [this.grid, grid], props: [this.props.value, props], selection: [this.selection.value, undefined], time: Date.now(),
    };
    this.grid = grid;
    this.props.value = props;
    this.selection.value = undefined;
    this.push(command, true);
  }

  undo(): string | undefined {
    this.finish();
    const command = this.past.pop();
    if (!command) return undefined;
    if (command.change) applyChange(this.grid, command.change, false);
    if (command.grids) this.grid = command.grids[0];
    if (command.props) this.props.value = command.props[0];
    if (command.selection) this.selection.value = command.selection[0];
    this.future.push(command);
    this.touched(!!(command.change || command.grids));
    return command.label;
  }
  redo(): string | undefined {
    this.finish();
    const command = this.future.pop();
    if (!command) return undefined;
    if (command.grids) this.grid = command.grids[1];
    if (command.change) applyChange(this.grid, command.change, true);
    if (command.props) this.props.value = command.props[1];
    if (command.selection) this.selection.value = command.selection[1];
    this.past.push(command);
    this.touched(!!(command.change || command.grids));
    return command.label;
  }

  private push(command: Command, voxels = false): void {
    const last = this.past[this.past.length - 1];
    const same = last && command.merge && last.merge === command.merge && !this.future.length;
    const mergeable = same && (command.merge!.startsWith('drag ') || command.time - last.time < MERGE_MS);
    if (mergeable && last.props && command.props) {
      last.props = [last.props[0], command.props[1]];
      last.time = command.time;
    } else {
      this.past.push(command);
      if (this.past.length > HISTORY) this.past.shift();
    }
    this.future = [];
    this.touched(voxels);
  }
  private touched(voxels: boolean): void {
    if (voxels) this.voxels.value++;
    this.done.value = this.past.map((c) => c.label);
    this.undone.value = this.future.map((c) => c.label);
    this.changes.value++;
  }
}
