// How a body moves along the floor, from what the server tells while it runs.
import { effect } from '@preact/signals';
import type { Session } from './session';

interface Sample { time: number; x: number; y: number; work: number; floor: boolean }
export interface Gait { window: number; speed: number; lengths: number; cost: number; duty: number }

const kept = new WeakMap<Session, { run: number; samples: Sample[] }>();

// Begins to listen; once per session.
export function watchGait(session: Session): void {
  const state = { run: -1, samples: [] as Sample[] };
  kept.set(session, state);
  effect(() => {
    const s = session.sim.value;
    if (!s) return;
    const run = s.recording?.run ?? -1;
    if (run !== state.run || (state.samples.at(-1)?.time ?? 0) > s.time) {
      state.run = run;
      state.samples = [];
    }
    if (state.samples.at(-1)?.time === s.time) return;
    state.samples.push({ time: s.time, x: s.center_of_mass[0], y: s.center_of_mass[1], work: s.energy.actuation_work ?? 0, floor: s.contacts.floor > 0 });
    if (state.samples.length > 4000) state.samples.splice(0, 2000);
  });
}

// What lies between two samples.
function at(samples: readonly Sample[], time: number): Sample {
  const i = Math.max(1, samples.findIndex((s) => s.time >= time));
  const [a, b] = [samples[i - 1]!, samples[i] ?? samples[i - 1]!];
  const t = b.time > a.time ? (time - a.time) / (b.time - a.time) : 0;
  const mix = (p: number, q: number) => p + (q - p) * t;
  return { time, x: mix(a.x, b.x), y: mix(a.y, b.y), work: mix(a.work, b.work), floor: a.floor };
}

// Over the last whole cycle of the signal, or the last second; undefined where nothing is driven on a floor.
export function gait(session: Session): Gait | undefined {
  void session.sim.value;
  const samples = kept.get(session)?.samples ?? [];
  const last = samples.at(-1);
  const { environment, pitch, signals } = session.doc.props.value;
  if (!last || !environment.floor || !signals.length || last.time <= 0) return undefined;
  const period = session.time.period ?? 1;
  // Whole cycles, as many as fit into two seconds, so that what swings to and fro does not count.
  const cycles = Math.min(Math.floor((last.time - samples[0]!.time) / period + 1e-6), Math.max(1, Math.round(2 / period)));
  if (cycles < 1) return undefined;
  const window = cycles * period;
  const first = at(samples, last.time - window);
  const distance = Math.hypot(last.x - first.x, last.y - first.y);
  const box = session.doc.grid.bounds();
  const length = box ? Math.max(box.high[0] - box.low[0] + 1, box.high[1] - box.low[1] + 1) * pitch : pitch;
  const g = Math.hypot(...environment.gravity);
  const weight = (session.sim.value?.mass ?? 0) * g;
  const within = samples.filter((s) => s.time >= first.time);
  return {
    window, speed: distance / window, lengths: distance / window / length,
    cost: distance > 0.02 * length ? (last.work - first.work) / (weight * distance) : NaN,
    duty: within.filter((s) => s.floor).length / within.length,
  };
}
