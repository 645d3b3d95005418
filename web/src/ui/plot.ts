// One chart: a thin layer over uPlot that follows the theme and the size of its box, and can be painted into a picture.
import uPlot from 'uplot';
import { formatNumber, multipleFor } from '../model/units';

export interface Series { label: string; values: ArrayLike<number> }

const LINES = ['#2f7de1', '#e0792b', '#2f9e5f', '#c2408f', '#8e4ec6', '#0d9aa8', '#b8860b', '#6b7685', '#d04545'];

export class Chart {
  private plot: uPlot | undefined;
  private key = '';
  private units = '';

  constructor(private readonly host: HTMLElement) {}

  // Draws times (s) and series that share a unit; tells the units used, as "mm over s".
  set(times: ArrayLike<number>, series: readonly Series[], unit: string, dark: boolean, cursor?: number): string {
    const n = times.length;
    let most = 0;
    for (const s of series) for (let i = 0; i < n; i++) if (Math.abs(s.values[i]!) > most && Number.isFinite(s.values[i]!)) most = Math.abs(s.values[i]!);
    const m = multipleFor(most, unit);
    const tm = multipleFor(n ? times[n - 1]! : 1, 's');
    const data: uPlot.AlignedData = [
      Float64Array.from({ length: n }, (_, i) => times[i]! / tm.factor),
      ...series.map((s) => Array.from({ length: n }, (_, i) => (Number.isFinite(s.values[i]!) ? s.values[i]! / m.factor : null))), // null: not recorded yet
    ] as unknown as uPlot.AlignedData;
    const key = JSON.stringify([series.map((s) => s.label), m.name, tm.name, dark, this.host.clientWidth, this.host.clientHeight]);
    if (key !== this.key || !this.plot) {
      this.key = key;
      this.plot?.destroy();
      const root = parseFloat(getComputedStyle(document.documentElement).fontSize) || 14;
      const small = Math.round(root * 0.8);
      const ink = dark ? '#aab6c4' : '#4b5765';
      const faint = dark ? '#2a333e' : '#e6eaef';
      const axis = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 }, font: `${small}px system-ui, sans-serif` };
      this.plot = new uPlot(
        {
          width: Math.max(120, this.host.clientWidth), height: Math.max(60, this.host.clientHeight - Math.round(root * (series.length > 5 ? 3 : 1.7))), // two lines of legend for many
          scales: { x: { time: false } },
          legend: { show: true, live: true },
          cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false } },
          axes: [
            { ...axis, size: Math.round(root * 1.7), gap: 2 },
            { ...axis, size: Math.round(root * 3.7), gap: 3, values: (_: uPlot, v: number[]) => v.map((x) => formatNumber(x, 5)) },
          ],
          series: [
            { label: 'time', value: (_: uPlot, v: number | null) => (v === null ? '–' : `${formatNumber(v, 5)} ${tm.name}`) },
            ...series.map((s, i) => ({
              label: s.label, stroke: LINES[i % LINES.length]!, width: 1.5, points: { show: false },
              value: (_: uPlot, v: number | null) => (v === null || v === undefined ? '–' : `${formatNumber(v, 5)} ${m.name}`),
            })),
          ],
        },
        data, this.host,
      );
    } else this.plot.setData(data);
    if (cursor !== undefined && this.plot) {
      const left = this.plot.valToPos(cursor / tm.factor, 'x');
      this.plot.setCursor({ left, top: 10 }, false);
    }
    this.units = `${m.name ? `${m.name} ` : ''}over ${tm.name}`;
    return this.units;
  }
  // Paints the chart with its labels at a place of a picture; returns its height.
  paint(context: CanvasRenderingContext2D, x: number, y: number, title: string, dark: boolean): number {
    if (!this.plot) return 0;
    const ratio = window.devicePixelRatio || 1;
    const { canvas } = this.plot.ctx;
    context.fillStyle = dark ? '#e8edf3' : '#1d2733';
    context.font = '600 13px system-ui, sans-serif';
    context.fillText(`${title}, ${this.units}`, x + 8, y + 16);
    context.drawImage(canvas, x, y + 24, canvas.width / ratio, canvas.height / ratio);
    context.font = '11px system-ui, sans-serif';
    let at = x + 60;
    this.plot.series.slice(1).forEach((s, i) => {
      context.fillStyle = LINES[i % LINES.length]!;
      context.fillRect(at, y + 30 + canvas.height / ratio, 10, 3);
      context.fillStyle = dark ? '#aab6c4' : '#4b5765';
      context.fillText(String(s.label), at + 14, y + 34 + canvas.height / ratio);
      at += 24 + context.measureText(String(s.label)).width;
    });
    return canvas.height / ratio + 48;
  }
  get width(): number {
    return this.host.clientWidth;
  }
  destroy(): void {
    this.plot?.destroy();
    this.plot = undefined;
  }
}

export function saveBlob(name: string, blob: Blob): void {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

// All columns of a trace, as `voxelastic run` writes them.
export function traceCsv(columns: readonly string[], data: readonly ArrayLike<number>[]): string {
  const quote = (s: string) => (/[",\n]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s);
  const lines = [columns.map(quote).join(',')];
  for (let r = 0; r < (data[0]?.length ?? 0); r++) lines.push(data.map((c) => (Number.isNaN(c[r]!) ? '' : String(c[r]))).join(','));
  return lines.join('\n') + '\n';
}

// The charts one below the other, as one picture.
export async function chartsPng(charts: readonly { chart: Chart; title: string }[], dark: boolean): Promise<Blob> {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(...charts.map((c) => c.chart.width), 200) + 16;
  const probe = document.createElement('canvas').getContext('2d')!;
  const height = charts.reduce((sum, c) => sum + c.chart.paint(probe, 0, 0, c.title, dark), 0) + 8;
  const canvas = document.createElement('canvas');
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  context.fillStyle = dark ? '#171c23' : '#ffffff';
  context.fillRect(0, 0, width, height);
  let y = 4;
  for (const { chart, title } of charts) y += chart.paint(context, 8, y, title, dark);
  return new Promise((resolve, reject) => canvas.toBlob((b) => (b ? resolve(b) : reject(new Error('no picture'))), 'image/png'));
}
