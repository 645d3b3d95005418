// The shape of a signal over time, -1..1 (a table: its values), as docs/scene-format.md has it. For the editor's curve only.
import type { SignalDef } from './types';

export function waveform(s: Pick<SignalDef, 'waveform' | 'period' | 'phase' | 'table'>, t: number): number {
  if (s.waveform === 'table') {
    const table = s.table ?? [];
    const last = table[table.length - 1];
    if (!last) return 0;
    const shifted = s.period ? ((((t / s.period + s.phase) % 1) + 1) % 1) * s.period : t;
    if (shifted >= last[0]) return last[1];
    for (let i = 1; i < table.length; i++) {
      const [a, b] = [table[i - 1]!, table[i]!];
      if (shifted <= b[0]) return a[1] + ((b[1] - a[1]) * (shifted - a[0])) / Math.max(1e-300, b[0] - a[0]);
    }
    return last[1];
  }
  const c = ((((t / s.period + s.phase) % 1) + 1) % 1);
  if (s.waveform === 'square') return c < 0.5 ? 1 : -1;
  if (s.waveform === 'ramp') return c < 0.25 ? 4 * c : c < 0.75 ? 2 - 4 * c : 4 * c - 4;
  return Math.sin(2 * Math.PI * c);
}
