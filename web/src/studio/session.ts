// The session: the document, the connection to the server, and what the server said last. The panels read its signals and call its
// methods; nothing else talks to the server.
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { Document } from '../model/document';
import { Grid } from '../model/grid';
import { readScene, type SceneJson } from '../model/scene';
import { defaultProps, type Vec3 } from '../model/types';
import { Client, CommandError, type LinkState } from '../net/client';
import type {
  Autosave, BinaryMessage, Hello, ProbeData, ProbeSpec, Problem, SceneInfo, SceneReply, Settings, SimStatus, SolveEvent,
} from '../net/protocol';
import { Ended } from '../ui/ended';
import { remember, thumbnail } from '../ui/thumbnail';
import { meshOfMessage, type Mesh } from '../view/mesh';
import type { WorldData } from '../view/world';
import * as settings from './settings';
import { TimeLine } from './time';

export type Mode = 'edit' | 'simulate';
export interface Frame {
  run: number;
  mesh: number;
  time: number;
  origin: Vec3;
  corners: Float32Array;
  centers?: Float32Array;
  field?: Float32Array;
  fieldName: string;
  fieldLabel: string;
  unit: string;
  min: number;
  max: number;
  linkStress?: Float32Array;
  linkForce?: Float32Array;
  contacts?: Float32Array; // centre and force of each voxel that touches something
}
export interface Shape {
  job: number;
  mode: number;
  frequency: number | null;
  kind: 'linear' | 'modes';
  mesh: number;
  origin: Vec3;
  corners: Float32Array;
  motion: Float32Array;
  field?: Float32Array;
  name: string;
  label: string;
  unit: string;
  min: number;
  max: number;
}
export interface Notice { id: number; text: string; tone: 'good' | 'bad' | 'plain' }

const SYNC_MS = 200;

export class Session {
  readonly doc = new Document();
  readonly link = signal<LinkState>('connecting');
  readonly hello = signal<Hello | undefined>(undefined);
  readonly info = signal<SceneInfo | undefined>(undefined);
  readonly mode = signal<Mode>('edit');
  readonly sim = signal<SimStatus | undefined>(undefined);
  readonly live = signal<Settings | undefined>(undefined);
  readonly probes = signal<ProbeSpec[]>([]);
  readonly probeData = signal<ProbeData[]>([]);
  readonly traceNames = signal<string[]>([]);
  readonly traceColumns = signal<string[]>([]);
  readonly traceVersion = signal(0);
  readonly traceMissing = signal<string[]>([]);
  readonly solve = signal<SolveEvent | undefined>(undefined);
  readonly shape = signal<Shape | undefined>(undefined);
  readonly autosaves = signal<Autosave[]>([]);
  readonly notices = signal<Notice[]>([]);
  readonly busy = signal('');
  readonly pending = signal(false); // edits that the server has not seen yet
  trace: number[][] = []; // per column
  mesh: Mesh | undefined;
  private coming: Mesh | undefined; // without a picture yet
  frame: Frame | undefined;
  onOpen: ((filled: boolean) => void) | undefined; // another scene is there
  onMesh: (() => void) | undefined;
  onFrame: (() => void) | undefined;
  readonly time: TimeLine;
  private readonly client: Client;
  private sent = -1; // doc.changes that the server has
  private simChanges = -1; // doc.changes of the scene that is simulated
  private sending: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private noticeId = 0;
  private wanting = false;
  private simSerial = 0;

  readonly problems = computed<Problem[]>(() => this.info.value?.problems ?? []);
  readonly errors = computed(() => this.problems.value.filter((p) => p.severity === 'error'));
  readonly unsaved = computed(() => this.pending.value || this.info.value?.saved === false);
  readonly ended = new Ended(); // the run, by its condition or a fault
  readonly running = computed(() => this.sim.value?.state === 'running');
  // Whether the simulation is of the scene as it is now.
  readonly stale = computed(() => {
    void this.doc.changes.value;
    return !this.sim.value || this.simChanges !== this.doc.changes.value;
  });
  readonly world = signal<WorldData | undefined>(undefined); // what is around the body of the scene
  private worldOf: readonly unknown[] = []; // the members it was asked for
  readonly fileName = computed(() => this.info.value?.file ?? '');

  constructor(url: string) {
    this.client = new Client(url, {
      state: (state) => {
        this.link.value = state;
        if (state === 'open') void this.start();
      },
      event: (name, data) => this.onEvent(name, data),
      binary: (message) => this.onBinary(message),
    });
    this.time = new TimeLine(this);
    // Edits reach the server a moment after they are made: it checks and autosaves them.
    effect(() => {
      const now = this.doc.changes.value;
      untracked(() => {
        if (now === this.sent || !this.hello.value) return;
        this.pending.value = true;
        this.syncSoon();
      });
    });
    // What is around the body is worked out by the server, when that has changed.
    effect(() => {
      if (!this.info.value) return;
      untracked(() => void this.askWorld().catch(() => undefined));
    });
    // Another colour of a solved shape.
    effect(() => {
      const field = settings.field.value;
      const shape = this.shape.peek();
      if (shape && shape.name !== field) void this.attempt('', () => this.showShape(shape.mode));
    });
    effect(() => {
      const shown = settings.section.value.on || settings.look.value === 'links' ? 'all' : 'surface';
      const view = { shown, field: settings.field.value, links: settings.look.value === 'links', centers: settings.look.value === 'links', contacts: settings.overlays.value.contacts };
      if (this.hello.value) this.client.do('view.set', view).then(() => this.want(), (e: Error) => this.viewRefused(e));
    });
  }

  connect(): void {
    this.client.open();
  }
  do<T>(name: string, args: object = {}, bytes?: Uint8Array): Promise<T> {
    return this.client.do<T>(name, args, bytes);
  }
  tell(name: string, args: object = {}): void {
    this.client.tell(name, args);
  }
  say(text: string, tone: Notice['tone'] = 'plain'): void {
    // One at a time, and never the same twice: the newest takes the place of the one before.
    const id = ++this.noticeId;
    this.notices.value = [{ id, text, tone }];
    setTimeout(() => this.dismiss(id), tone === 'bad' || text.length > 60 ? 12000 : 4000);
  }
  dismiss(id: number): void {
    this.notices.value = this.notices.value.filter((n) => n.id !== id);
  }
  // Runs something for a button: shows that it works, and says what went wrong.
  async attempt<T>(label: string, work: () => Promise<T>): Promise<T | undefined> {
    this.busy.value = label;
    try {
      return await work();
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), 'bad');
      return undefined;
    } finally {
      this.busy.value = '';
    }
  }

  // ---- the scene

  private async start(): Promise<void> {
    try {
      const again = this.hello.peek() !== undefined;
      const hello = await this.do<Hello>('hello');
      batch(() => {
        this.hello.value = hello;
        this.autosaves.value = hello.autosaves;
        this.solve.value = hello.solve_job ?? undefined;
        this.probes.value = hello.probes;
        this.traceNames.value = hello.trace.names;
        // After a short loss of the connection the page's document is the newer one.
        if (again && this.pending.value) this.sent = -1;
        else if (!again || hello.scene?.revision !== this.info.value?.revision) this.take(hello.scene);
        this.sim.value = hello.sim && hello.sim.state !== 'none' ? hello.sim : undefined;
        if (hello.sim && hello.scene && hello.sim.revision === hello.scene.revision) {
          this.simChanges = this.doc.changes.value;
          this.simSerial = hello.sim.serial;
          this.mode.value = 'simulate';
        }
      });
      if (!again && hello.autosaves.length)
        this.say(`Not saved last time: ${hello.autosaves.length === 1 ? 'a scene' : `${hello.autosaves.length} scenes`}. See Open, Recovered.`);
      if (this.sent < 0) await this.sync();
      if (this.sim.value) {
        void this.do<{ settings: Settings }>('sim.settings').then((r) => (this.live.value = r.settings));
        await this.do('trace.get').catch(() => undefined);
        this.want();
      }
    } catch (error) {
      this.say((error as Error).message, 'bad');
    }
  }
  // The server's scene becomes the document.
  private take(reply: SceneReply | null): void {
    if (reply?.scene) {
      this.doc.loadJson(reply.scene);
      this.onOpen?.(this.doc.grid.count() > 0);
      this.info.value = { ...reply };
      this.sent = this.doc.changes.value;
      this.pending.value = false;
    } else {
      this.doc.load(defaultProps(), new Grid([20, 20, 20]));
      this.onOpen?.(false);
      this.info.value = undefined;
      this.sent = this.doc.changes.value;
    }
  }
  // A moment after the last edit, and not in the middle of a stroke, which would end it.
  private syncSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.doc.drawing) this.syncSoon();
      else void this.sync().catch((e: Error) => this.say(e.message, 'bad'));
    }, SYNC_MS);
  }
  // Brings the server's scene up to date; resolves when it is.
  async sync(): Promise<void> {
    clearTimeout(this.timer);
    this.doc.finish();
    while (this.sending) await this.sending;
    const now = this.doc.changes.peek();
    if (now === this.sent) {
      this.pending.value = false;
      return;
    }
    this.sending = (async () => {
      const reply = await this.do<SceneInfo>('scene.set', { scene: this.doc.toJson() });
      this.sent = now;
      const file = reply.file === undefined ? (this.info.peek()?.file ?? null) : reply.file;
      batch(() => {
        this.info.value = { ...reply, file };
        this.pending.value = this.doc.changes.peek() !== this.sent;
      });
      // What was edited, or opened, meanwhile.
      if (this.pending.peek()) this.syncSoon();
    })();
    try {
      await this.sending;
    } finally {
      this.sending = undefined;
    }
  }
  // Before another scene takes the place of this one: its last edits are autosaved, and do not reach the server after the other.
  private autosave(): Promise<void> {
    return this.sync().catch(() => undefined);
  }
  private async askWorld(): Promise<void> {
    const { rest, pitch } = this.doc.props.value;
    const members = [rest.ground, rest.solids, rest.water, rest.rules, pitch, this.doc.grid];
    if (members.every((m, i) => m === this.worldOf[i]) && this.worldOf.length) return;
    this.worldOf = members;
    if (!members.slice(0, 4).some((m) => m !== undefined)) {
      this.world.value = undefined;
      return;
    }
    const { world } = await this.do<{ world: boolean }>('scene.world');
    if (!world) this.worldOf = []; // the scene has errors: what was there stays until it has none
  }
  async newScene(): Promise<void> {
    await this.autosave();
    await this.closeSim();
    await this.do('scene.new');
    this.worldOf = [];
    batch(() => {
      this.world.value = undefined;
      this.take(null);
      this.mode.value = 'edit';
    });
  }
  private async openWith(command: string, args: object): Promise<void> {
    await this.autosave();
    const reply = await this.do<SceneReply>(command, args);
    await this.closeSim();
    batch(() => {
      this.take(reply);
      this.mode.value = 'edit';
    });
  }
  // A small picture of the document, for the list of files.
  private picture(path: string): void {
    if (this.doc.grid.cells > 2e6) return;
    remember(`${this.hello.value?.folder ?? ''}/${path}`, thumbnail(this.doc.grid, this.doc.props.value.materials.map((m) => m.color.slice(0, 7))));
  }
  openFile = async (path: string): Promise<void> => {
    await this.openWith('file.open', { path });
    this.picture(path);
  };
  openDemo = (name: string) => this.openWith('demo.open', { name });
  async openAutosave(id: string): Promise<void> {
    await this.openWith('autosave.open', { autosave: id });
    this.autosaves.value = this.autosaves.value.filter((a) => a.id !== id);
  }
  async save(path: string, overwrite = false): Promise<void> {
    await this.sync();
    const reply = await this.do<{ path: string; hash: string; revision: number }>('file.save', { path, overwrite });
    const info = this.info.value;
    this.info.value = info
      ? { ...info, file: reply.path, saved: true, revision: reply.revision }
      : { revision: reply.revision, saved: true, file: reply.path, hash: reply.hash, problems: [], voxels: null, links: null, bodies: null, dt: null };
    this.picture(reply.path);
    this.say(`Saved ${reply.path}`, 'good');
  }
  importFile(name: string, bytes: Uint8Array, options: object): Promise<{ scene: SceneJson; problems: Problem[] }> {
    return this.do('file.import', { name, ...options }, bytes);
  }
  // The scene of a file takes the place of the document, as one step that can be undone.
  replaceBy(scene: SceneJson, label: string): void {
    const { props, grid } = readScene(scene);
    this.doc.replaceGrid(label, grid, props);
  }

  // ---- the simulation

  async enterSimulation(play = false): Promise<boolean> {
    if (!this.doc.grid.count()) {
      this.say('There is nothing to simulate yet: draw some voxels first.', 'bad');
      return false;
    }
    await this.sync();
    if (this.errors.value.length) {
      this.say(`The scene cannot be simulated yet: ${this.errors.value[0]!.message}`, 'bad');
      return false;
    }
    const changes = this.doc.changes.value;
    this.frame = undefined;
    this.shape.value = undefined;
    const reply = await this.do<{ sim: SimStatus }>('sim.new');
    batch(() => {
      this.simChanges = changes;
      this.simSerial = reply.sim.serial;
      this.sim.value = reply.sim;
      this.solve.value = undefined;
      this.mode.value = 'simulate';
    });
    this.live.value = (await this.do<{ settings: Settings }>('sim.settings')).settings;
    await this.setTraces(this.traceNames.value.length ? this.traceNames.value : this.defaultTraces());
    if (this.probes.value.length) await this.do('probe.set', { probes: this.probes.value });
    // It starts when everything that is to be recorded is set: a stiff body may come to rest within a blink.
    if (play) await this.do('sim.play');
    return true;
  }
  private defaultTraces(): string[] {
    const { output, regions } = this.doc.props.value;
    if (output.trace.length) return output.trace.slice(0, 6);
    const loaded = regions.find((r) => r.force?.some((f) => f !== 0));
    return loaded ? [`region:${loaded.name}.displacement`, 'energy'] : ['center_of_mass', 'energy'];
  }
  // Space: what the button says.
  async playPause(): Promise<void> {
    if (!this.ended.now.value) await this.setRunning(!this.running.value);
  }
  async setRunning(run: boolean): Promise<void> {
    if (!run) await this.do('sim.pause'); // no harm where it has stopped by itself
    else if (this.stale.value) await this.enterSimulation(true);
    else {
      this.mode.value = 'simulate';
      this.shape.value = undefined;
      this.time.live();
      await this.do('sim.play');
    }
    this.want();
  }
  async step(steps = 1): Promise<void> {
    if (this.stale.value && !(await this.enterSimulation(false))) return;
    this.mode.value = 'simulate';
    this.time.live();
    await this.do('sim.step', { steps });
    this.want();
  }
  async reset(): Promise<void> {
    if (this.stale.value) {
      await this.enterSimulation(false);
      return;
    }
    this.shape.value = undefined;
    await this.do('sim.reset');
    this.live.value = (await this.do<{ settings: Settings }>('sim.settings')).settings;
    this.want();
  }
  async setMode(mode: Mode): Promise<void> {
    if (mode === this.mode.value) return;
    if (mode === 'edit') {
      if (this.running.value) await this.do('sim.pause');
      this.mode.value = 'edit';
      return;
    }
    if (this.stale.value) await this.enterSimulation(false);
    else this.mode.value = 'simulate';
    this.want();
  }
  private async closeSim(): Promise<void> {
    if (this.sim.value) await this.do('sim.close').catch(() => undefined);
    batch(() => {
      this.sim.value = undefined;
      this.shape.value = undefined;
      this.solve.value = undefined;
      this.probes.value = [];
      this.probeData.value = [];
      this.traceNames.value = [];
      this.traceColumns.value = [];
      this.live.value = undefined;
    });
    this.trace = [];
    this.mesh = undefined;
    this.coming = undefined;
    this.frame = undefined;
    this.simChanges = -1;
  }
  async setLive(change: object): Promise<void> {
    const reply = await this.do<{ settings: Settings }>('sim.set', change);
    this.live.value = reply.settings;
  }
  async setTraces(names: string[]): Promise<void> {
    const reply = await this.do<{ columns: string[]; missing?: string[] }>('trace.set', { names, every: 0 });
    batch(() => {
      this.traceNames.value = names;
      this.traceColumns.value = reply.columns;
      this.traceMissing.value = reply.missing ?? [];
    });
  }
  async setProbes(probes: ProbeSpec[]): Promise<void> {
    this.probes.value = probes;
    this.probeData.value = this.probeData.value.filter((d) => probes.some((p) => p.id === d.id));
    await this.do('probe.set', { probes });
  }
  async startSolve(kind: SolveEvent['kind'], count = 6): Promise<void> {
    if (this.stale.value && !(await this.enterSimulation(false))) return;
    this.mode.value = 'simulate';
    this.shape.value = undefined;
    const reply = await this.do<{ job: number }>('solve.start', kind === 'modes' ? { kind, count } : { kind });
    if (this.solve.value?.job !== reply.job) this.solve.value = { job: reply.job, kind, state: 'running', seconds: 0 };
  }
  async showShape(mode = 0): Promise<void> {
    const job = this.solve.value;
    if (!job) return;
    this.time.live();
    // A shape in the colours of its materials hardly shows what it is; the choice stays the user's.
    if (!this.shape.value && settings.field.value === 'material') settings.field.value = 'displacement';
    await this.do('solve.shape', { job: job.job, mode, field: settings.field.value });
  }
  // Tells the server that the page is ready for a frame; at most one is under way.
  want(): void {
    if (this.wanting || !this.sim.peek() || this.mode.peek() !== 'simulate') return;
    this.wanting = true;
    this.client.tell('frame.want');
  }
  // To be called when the last frame is on screen.
  drawn(): void {
    this.wanting = false;
    this.want();
  }
  private viewRefused(error: Error): void {
    this.say(error.message, 'bad');
    if (error instanceof CommandError && error.code === 'limit') {
      settings.section.value = { ...settings.section.peek(), on: false };
      if (settings.look.peek() === 'links') settings.look.value = 'voxels';
    }
  }

  // ---- what the server says by itself

  private onEvent(name: string, data: any): void {
    switch (name) {
      case 'status': {
        const status = data as SimStatus;
        if (status.state === 'none') {
          if (status.serial >= this.simSerial) this.sim.value = undefined;
          return;
        }
        if (status.serial < this.simSerial) return;
        if (this.running.value && (status.state === 'stopped' || status.state === 'failed')) this.ended.note();
        this.sim.value = status;
        this.want();
        return;
      }
      case 'probes':
        this.probeData.value = data.probes;
        return;
      case 'solve': {
        this.solve.value = data as SolveEvent;
        if (data.state === 'done' && data.kind === 'linear') void this.attempt('', () => this.showShape(0));
        if (data.state === 'done' && data.kind === 'modes' && data.result?.frequencies?.length) void this.attempt('', () => this.showShape(0));
        return;
      }
      case 'error':
        this.say(data.error?.message ?? data.message ?? 'failed', 'bad');
        return;
      default:
    }
  }
  private takeMesh(): void {
    this.mesh = this.coming;
    this.coming = undefined;
    if (this.frame?.mesh !== this.mesh?.id) this.frame = undefined;
    this.onMesh?.();
  }
  private onBinary({ kind, head, arrays, ...rest }: BinaryMessage): void {
    switch (kind) {
      case 'mesh':
        // While something is shown, a new mesh waits for its first picture: until then it has only the pose of the start.
        this.coming = meshOfMessage({ kind, head, arrays, ...rest });
        this.wanting = false;
        if (!this.frame || !this.mesh) this.takeMesh();
        this.want();
        return;
      case 'frame':
        this.frame = {
          run: head.run ?? -1, mesh: head.mesh, time: head.time, origin: head.origin, corners: arrays.corners as Float32Array,
          centers: arrays.centers as Float32Array | undefined, field: arrays.field as Float32Array | undefined,
          fieldName: head.field?.name ?? 'material', fieldLabel: head.field?.label ?? '', unit: head.field?.unit ?? '',
          min: head.field?.min ?? 0, max: head.field?.max ?? 0,
          contacts: arrays.contacts as Float32Array | undefined,
          linkStress: arrays.link_stress as Float32Array | undefined, linkForce: arrays.link_force as Float32Array | undefined,
        };
        if (this.coming?.id === this.frame.mesh) this.takeMesh();
        this.onFrame?.();
        return;
      case 'trace': {
        const columns = head.columns as string[];
        const data = arrays.rows as Float64Array;
        const n = columns.length;
        if (head.first === 0 || this.trace.length !== n) this.trace = columns.map(() => []);
        this.trace.forEach((column, c) => {
          column.length = Math.min(column.length, head.first as number);
          for (let r = 0; r < head.rows; r++) column.push(data[r * n + c]!);
        });
        this.traceColumns.value = columns;
        this.traceVersion.value++;
        return;
      }
      case 'world':
        this.world.value = {
          corners: (arrays.corners as Float32Array | undefined) ?? new Float32Array(0), face: (arrays.face as Uint32Array | undefined) ?? new Uint32Array(0),
          color: (arrays.color as Uint8Array | undefined) ?? new Uint8Array(0), water: head.water, everywhere: head.everywhere, sources: head.sources,
        };
        return;
      case 'shape':
        this.shape.value = {
          job: head.job, mode: head.mode, frequency: head.frequency ?? null, kind: this.solve.value?.kind === 'modes' ? 'modes' : 'linear',
          mesh: head.mesh, origin: head.origin, corners: arrays.corners as Float32Array, motion: arrays.motion as Float32Array,
          field: arrays.field as Float32Array | undefined, name: head.field?.name ?? 'material', label: head.field?.label ?? '', unit: head.field?.unit ?? '',
          min: head.field?.min ?? 0, max: head.field?.max ?? 1,
        };
        return;
      default:
        this.time.onBinary({ kind, head, arrays, ...rest });
    }
  }
}
