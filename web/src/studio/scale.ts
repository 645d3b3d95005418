// The range of colours: fixed over the run, held, or of the moment; never below what is noise, and always of round numbers.
import { mapFor } from '../view/colormap';
import type { Legend } from '../view/paint';
import { legendFor } from '../view/paint';
import type { Props } from '../model/types';
import * as settings from './settings';

const ROUND = [1, 2, 3, 4, 5, 6, 8, 10];

// The next round number away from zero.
export function roundUp(value: number): number {
  if (value === 0 || !Number.isFinite(value)) return 0;
  const a = Math.abs(value);
  const p = 10 ** Math.floor(Math.log10(a) + 1e-12);
  const m = ROUND.find((r) => r * p >= a * (1 - 1e-9)) ?? 10;
  return Math.sign(value) * Number((m * p).toPrecision(3));
}

// What differs by less is round-off, in the field's unit.
export function noiseFloor(field: string, props: Props, mass = 0): number {
  const stiff = Math.max(1, ...props.materials.map((m) => m.youngs_modulus));
  if (/^(strain|growth)/.test(field)) return 1e-5;
  if (/^(stress|pressure)/.test(field)) return 1e-6 * stiff;
  if (field.startsWith('displacement')) return 1e-4 * props.pitch;
  if (field === 'speed') return 1e-2 * props.pitch;
  if (field === 'energy') return 0.5e-10 * stiff;
  if (field === 'contact_force') return Math.max(1e-12, 1e-4 * mass * 9.81);
  if (field === 'temperature') return 0.1;
  return 1e-9;
}

// Strains read as percentages.
export const unitFor = (field: string, unit: string): string => (/^(strain|growth)/.test(field) ? 'strain' : unit);

// The range that is drawn for values between `min` and `max`.
export function roundRange(field: string, min: number, max: number, floor: number): [number, number] {
  if (field === 'state') return [0, 2];
  if (field === 'phase') return [0, 1];
  if (mapFor(field) === 'diverging') {
    const a = roundUp(Math.max(Math.abs(min), Math.abs(max), floor));
    return [-a, a];
  }
  if (field === 'amplitude' || field === 'period' || field === 'part') return [Math.min(0, min), Math.max(1, roundUp(max))];
  if (field === 'temperature') {
    const step = roundUp(Math.max(max - min, floor) / 4);
    return [Math.floor(min / step + 1e-9) * step, Math.max(Math.ceil(max / step - 1e-9) * step, Math.floor(min / step + 1e-9) * step + step)];
  }
  return [min < -floor ? roundUp(min) : 0, roundUp(Math.max(max, floor))];
}

export interface Span { min: number; max: number }

// The legend of a field: `moment` is the range now, `run` that of the whole run so far.
export function scaleLegend(field: string, label: string, unit: string, moment: Span, run: Span | undefined, floor: number): Legend {
  const mode = settings.scaleMode.value;
  const held = settings.held.value[field];
  const span = mode === 'run' && run ? { min: Math.min(run.min, moment.min), max: Math.max(run.max, moment.max) } : moment;
  const range = mode === 'held' && held ? held : roundRange(field, span.min, span.max, floor);
  return legendFor(field, label, unitFor(field, unit), range[0], range[1], range);
}
