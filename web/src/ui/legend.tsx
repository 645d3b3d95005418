// The legend of the colours, on the page and on pictures.
import type { ComponentChildren } from 'preact';
import type { Legend } from '../view/paint';
import { MAPS } from '../view/colormap';
import { formatNumber, multipleFor } from '../model/units';

function ticks(legend: Legend): { text: string; at: number }[] {
  const m = multipleFor(Math.max(Math.abs(legend.low), Math.abs(legend.high)), legend.unit);
  return [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: formatNumber((legend.low + (legend.high - legend.low) * at) / m.factor, 3) }));
}
const unitOf = (legend: Legend): string => multipleFor(Math.max(Math.abs(legend.low), Math.abs(legend.high)), legend.unit).name;

export function LegendView({ legend, children }: { legend: Legend; children?: ComponentChildren }) {
  const unit = unitOf(legend);
  return (
    <figure class="legend" aria-label={`Legend: ${legend.title}${unit ? `, ${unit}` : ''}`}>
      <figcaption>{legend.title}{unit && <small> [{unit}]</small>}</figcaption>
      {legend.entries ? (
        <ul>{legend.entries.map((e) => <li key={e.text}><i style={{ background: e.color }} />{e.text}</li>)}</ul>
      ) : (
        <div class="scale">
          <div class="bar" style={{ background: `linear-gradient(to top, ${MAPS[legend.map].stops.join(', ')})` }} />
          <ol>{ticks(legend).reverse().map((t) => <li key={t.at}>{t.text}</li>)}</ol>
        </div>
      )}
      {children}
    </figure>
  );
}

// The same on a picture, at its right edge.
export function drawLegend(c: CanvasRenderingContext2D, width: number, legend: Legend, dark: boolean): void {
  const x = width - 110;
  const y = 46;
  const h = 180;
  c.fillStyle = dark ? '#dfe6ee' : '#1d2733';
  c.font = '13px system-ui, sans-serif';
  c.textAlign = 'right';
  const unit = unitOf(legend);
  c.fillText(legend.title + (unit ? ` [${unit}]` : ''), width - 18, y - 14);
  c.textAlign = 'left';
  const gradient = c.createLinearGradient(0, y + h, 0, y);
  const { stops } = MAPS[legend.map];
  stops.forEach((s, i) => gradient.addColorStop(i / (stops.length - 1), s));
  c.fillStyle = gradient;
  c.fillRect(x + 20, y, 14, h);
  c.fillStyle = dark ? '#dfe6ee' : '#1d2733';
  for (const t of ticks(legend)) c.fillText(t.text, x + 42, y + h * (1 - t.at) + 4);
}
