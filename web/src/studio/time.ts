// Time that has been: the recordings that the server keeps of this run and of the one before. Any moment of them can be shown, played at any
// speed, looped, and laid beside another run.
import { computed, effect, signal, untracked } from '@preact/signals';
import type { BinaryMessage, RunBrief, RunInfo } from '../net/protocol';
import { Ended } from '../ui/ended';
import { meshOfMessage, type Mesh } from '../view/mesh';
import type { Frame, Session } from './session';
import * as settings from './settings';

export type Loop = 'off' | 'all' | 'cycle';
export type Compare = 'off' | 'ghost' | 'beside';
export type Recorded = Frame;

export class TimeLine {
  readonly shown = signal<{ run: number; time: number } | undefined>(undefined); // undefined: the present
  readonly playing = signal(false);
  readonly ended = new Ended(); // what was played
  readonly speed = signal(1); // seconds of the run per second
  readonly loop = signal<Loop>('off');
  readonly compare = signal<Compare>('off');
  readonly info = signal<ReadonlyMap<number, RunInfo>>(new Map());
  readonly now = computed<RunBrief | undefined>(() => this.session.sim.value?.recording ?? undefined);
  readonly last = computed<RunBrief | undefined>(() => this.session.sim.value?.last_run ?? undefined);
  // The picture of the moment shown, and of the other run, when they are there.
  frame: Recorded | undefined;
  other: Recorded | undefined;
  readonly meshes = new Map<number, Mesh>();
  onFrame: (() => void) | undefined; // a picture of the past is there
  onOther: (() => void) | undefined; // one of the run to compare with
  page: Uint8Array | undefined; // the replay's page, when it was asked for
  private readonly come = new Map<number, Recorded>();
  private fetching = false;
  private wanted: { run: number; time: number } | undefined;
  private otherBusy = false;
  private tick = 0;
  private asked = 0;

  constructor(private readonly session: Session) {
    // A new run begins in the present.
    let before = -1;
    effect(() => {
      const run = this.now.value?.run ?? -1;
      if (run === before) return;
      before = run;
      untracked(() => {
        this.live();
        this.forget();
      });
    });
    // Marks and extremes are fetched when there are more of them, and now and then.
    effect(() => {
      const brief = this.now.value;
      if (!brief) return;
      const known = this.info.peek().get(brief.run);
      const late = performance.now() - this.asked > 1000 && (!known || known.to !== brief.to);
      if (!known || known.marks.length !== brief.marks || late) untracked(() => this.ask(brief.run));
    });
    effect(() => {
      const brief = this.last.value;
      if (brief && !this.info.peek().has(brief.run)) untracked(() => this.ask(brief.run));
    });
    effect(() => {
      void settings.field.value;
      const at = this.shown.value;
      untracked(() => at && this.request(at.run, at.time));
    });
    effect(() => {
      void settings.field.value;
      if (this.compare.value !== 'off') untracked(() => this.askOther());
      else this.other = undefined;
      this.onOther?.();
    });
  }

  private forget(): void {
    const kept = new Set([this.now.value?.run, this.last.value?.run]);
    this.info.value = new Map([...this.info.value].filter(([run]) => kept.has(run)));
    if (this.meshes.size > 40) this.meshes.clear();
    this.other = undefined;
  }
  private ask(run: number): void {
    this.asked = performance.now();
    this.session.do<{ recording: RunInfo }>('run.get', { run }).then(
      (r) => (this.info.value = new Map(this.info.value).set(run, r.recording)),
      () => undefined, // it is gone: another has begun
    );
  }
  // What is known of the run that is shown.
  readonly current = computed<RunInfo | undefined>(() => this.info.value.get(this.shown.value?.run ?? this.now.value?.run ?? -1));

  // ---- moving in time

  // Period of the first signal, as it is now; undefined: nothing repeats.
  get period(): number | undefined {
    const signals = Object.values(this.session.live.value?.signals ?? {});
    return signals.find((s) => s.period > 0 && s.amplitude !== 0)?.period;
  }
  scrub(time: number, run = this.shown.value?.run ?? this.now.value?.run): void {
    const brief = run === this.last.value?.run ? this.last.value : this.now.value;
    if (run === undefined || !brief) return;
    this.shown.value = { run, time: Math.max(brief.from, Math.min(brief.to, time)) };
  }
  live(): void {
    this.playing.value = false;
    if (!this.shown.value) return;
    this.shown.value = undefined;
    this.frame = undefined;
    this.onFrame?.();
  }
  // One picture of the recording back or on.
  nudge(direction: number): void {
    const info = this.current.value;
    if (!info) return;
    this.playing.value = false;
    this.scrub((this.shown.value?.time ?? info.to) + direction * Math.max(info.interval, 1e-9), info.run);
  }
  // The part of the run that is played: all of it, or the whole cycle about the moment.
  range(): [number, number] {
    const run = this.shown.value?.run ?? this.now.value?.run;
    const brief = run === this.last.value?.run ? this.last.value : this.now.value;
    if (!brief) return [0, 0];
    const period = this.period;
    if (this.loop.value !== 'cycle' || !period || brief.to - brief.from < period) return [brief.from, brief.to];
    const t = this.shown.value?.time ?? brief.to;
    const begin = Math.min(brief.from + Math.floor((t - brief.from) / period + 1e-9) * period, brief.to - period);
    return [begin, begin + period];
  }
  playPause(): void {
    if (!this.ended.now.value) this.setPlaying(!this.playing.value);
  }
  setPlaying(play: boolean): void {
    if (!play || this.playing.value) {
      this.playing.value = play;
      return;
    }
    const brief = this.now.value;
    if (!brief) return;
    if (this.session.running.value) void this.session.attempt('', () => this.session.do('sim.pause'));
    const [from, to] = this.range();
    const at = this.shown.value;
    if (!at || (at.time >= to - 1e-12 && this.loop.value === 'off')) this.scrub(from, at?.run ?? brief.run);
    this.playing.value = true;
    let last = performance.now();
    const mine = ++this.tick;
    const [begin, end] = this.range(); // the cycle stays the one it was
    const step = (now: number) => {
      if (!this.playing.value || mine !== this.tick || !this.shown.value) return;
      let time = this.shown.value.time + ((now - last) / 1000) * this.speed.value;
      last = now;
      if (time > end) {
        if (this.loop.value === 'off') {
          this.scrub(end);
          this.playing.value = false;
          this.ended.note();
          return;
        }
        time = begin + ((time - begin) % Math.max(end - begin, 1e-12));
      }
      this.scrub(time);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // ---- pictures from the server

  // One request is under way at a time; the newest wish wins.
  private request(run: number, time: number): void {
    this.wanted = { run, time };
    if (!this.fetching) void this.work();
  }
  private async work(): Promise<void> {
    this.fetching = true;
    try {
      while (this.wanted) {
        const { run, time } = this.wanted;
        this.wanted = undefined;
        const frame = await this.fetch(run, time);
        if (!frame || !this.shown.value) continue;
        this.frame = frame;
        this.onFrame?.();
        if (this.compare.value !== 'off') await this.fetchOther(time);
      }
    } finally {
      this.fetching = false;
    }
  }
  // The picture of a moment, with its mesh; undefined: the run is not kept any more.
  async fetch(run: number, time: number, field = settings.field.peek()): Promise<Recorded | undefined> {
    try {
      await this.session.do('run.frame', { run, time, field });
      const frame = this.come.get(run);
      if (frame && !this.meshes.has(frame.mesh)) await this.session.do('run.mesh', { run, mesh: frame.mesh });
      return frame;
    } catch {
      return undefined;
    }
  }
  // The same moment of the other run.
  askOther(): void {
    if (this.otherBusy || this.compare.peek() === 'off' || !this.last.peek()) return;
    const time = this.shown.peek()?.time ?? this.session.frame?.time ?? 0;
    this.otherBusy = true;
    void this.fetchOther(time).finally(() => (this.otherBusy = false));
  }
  async fetchOther(time: number): Promise<void> {
    const run = this.shown.peek()?.run === this.last.peek()?.run ? this.now.peek()?.run : this.last.peek()?.run;
    if (run === undefined) return;
    this.other = await this.fetch(run, time);
    this.onOther?.();
  }
  onBinary({ kind, head, arrays, ...rest }: BinaryMessage): void {
    if (kind === 'recorded')
      this.come.set(head.run, {
        run: head.run, mesh: head.mesh, time: head.time, origin: head.origin, corners: arrays.corners as Float32Array, field: arrays.field as Float32Array | undefined,
        fieldName: head.field?.name ?? 'material', fieldLabel: head.field?.label ?? '', unit: head.field?.unit ?? '', min: head.field?.min ?? 0, max: head.field?.max ?? 0,
      });
    else if (kind === 'recorded_mesh') this.meshes.set(head.mesh, meshOfMessage({ kind, head, arrays, ...rest }));
    else if (kind === 'replay_page') this.page = new Uint8Array(arrays.text as Uint8Array);
  }
}
