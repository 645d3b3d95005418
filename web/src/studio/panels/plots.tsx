// The drawer of live plots below the view.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Chart, chartsPng, saveBlob, traceCsv } from '../../ui/plot';
import { Button } from '../../ui/controls';
import * as settings from '../settings';
import { useStudio } from './context';
import { groupColumns, readColumn, traceChoices, traceTitle } from './quantities';

const WINDOWS = [0.2, 0.5, 1, 2, 5, 10, 30];

export function Plots() {
  const { session } = useStudio();
  const names = session.traceNames.value;
  const columns = session.traceColumns.value;
  const groups = groupColumns(columns, names);
  const charts = useRef(new Map<string, Chart>());
  const cells = session.probeData.value.flatMap((p) => (p.cell ? [p.cell] : []));
  const choices = traceChoices(session.doc.props.value, cells).filter((c) => !names.includes(c));
  const file = (session.doc.props.value.name || 'trace').replace(/[^\w-]+/g, '_');
  const open = settings.plotsOpen.value;
  const set = (next: string[]) => void session.attempt('', () => session.setTraces(next));
  return (
    <section class={`plots ${open ? 'open' : ''}`} aria-label="Plots">
      <header>
        <Button label={open ? 'Hide plots' : 'Show plots'} icon="chart" active={open} onClick={() => (settings.plotsOpen.value = !open)} />
        <b>Plots</b>
        <select aria-label="Add a plot" value="" disabled={!session.sim.value}
          onChange={(e) => { const v = e.currentTarget.value; e.currentTarget.value = ''; e.currentTarget.blur(); if (v) set([...names, v]); }}>
          <option value="">add a quantity…</option>
          {choices.map((c) => <option key={c} value={c}>{traceTitle(c)}</option>)}
        </select>
        {session.traceMissing.value.length > 0 && <small class="hint">not in this scene: {session.traceMissing.value.map(traceTitle).join(', ')}</small>}
        <span class="grow" />
        <label class="inline">Shown<select class="window" aria-label="Shown part of the plots" value={String(settings.plotWindow.value)} onChange={(e) => { settings.plotWindow.value = Number(e.currentTarget.value); e.currentTarget.blur(); }}>
          <option value="0">all</option>{WINDOWS.map((w) => <option key={w} value={w}>last {w} s</option>)}</select></label>
        <Button label="Save as CSV" icon="download" text disabled={!columns.length} tip="All plotted quantities as a CSV file"
          onClick={() => saveBlob(`${file}.csv`, new Blob([traceCsv(columns, session.trace)], { type: 'text/csv' }))} />
        <Button label="Save as PNG" icon="camera" text disabled={!groups.length} tip="The plots as a picture"
          onClick={() => void chartsPng(groups.map((g) => ({ chart: charts.current.get(g.name)!, title: traceTitle(g.name) })).filter((c) => c.chart), settings.isDark()).then((b) => saveBlob(`${file}.png`, b))} />
      </header>
      {open && (
        <div class="charts">
          {groups.map((g) => (
            <Plot key={g.name + g.columns.join()} name={g.name} columns={g.columns} register={(c) => (c ? charts.current.set(g.name, c) : charts.current.delete(g.name))}
              onRemove={() => set(names.filter((n) => n !== g.name))} />
          ))}
          {groups.length === 0 && <p class="hint">Add a quantity to plot it while the simulation runs.</p>}
        </div>
      )}
    </section>
  );
}

function Plot({ name, columns, register, onRemove }: { name: string; columns: number[]; register: (c: Chart | undefined) => void; onRemove: () => void }) {
  const { session } = useStudio();
  const title = traceTitle(name);
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>();
  const [size, setSize] = useState(0);
  const [units, setUnits] = useState('');
  useEffect(() => {
    chart.current = new Chart(host.current!);
    register(chart.current);
    const observer = new ResizeObserver(() => setSize((n) => n + 1));
    observer.observe(host.current!);
    return () => {
      observer.disconnect();
      chart.current?.destroy();
      register(undefined);
    };
  }, []);
  const version = session.traceVersion.value;
  const dark = settings.isDark();
  useEffect(() => {
    const { trace } = session;
    const header = session.traceColumns.value;
    if (!trace[0] || columns.some((c) => !trace[c])) return;
    const read = columns.map((c) => readColumn(header[c]!));
    const common = read.length > 1 ? read.map((r) => r.name).reduce((a, b) => { let i = 0; while (i < a.length && a[i] === b[i]) i++; return a.slice(0, i); }) : '';
    const window = settings.plotWindow.value;
    const shown = session.time.shown.value?.time;
    const times = trace[0];
    const end = Math.max(shown ?? -Infinity, shown === undefined ? (times[times.length - 1] ?? 0) : shown);
    // The part that is shown: up to the moment, as long as the window.
    let from = 0;
    let to = times.length;
    if (window > 0) {
      while (from < to && times[from]! < end - window) from++;
      while (to > from + 1 && times[to - 1]! > end) to--;
    }
    const part = (column: number[]) => (from > 0 || to < column.length ? column.slice(from, to) : column);
    const used = chart.current?.set(part(times), columns.map((c, i) => ({ label: read[i]!.name.slice(common.length) || read[i]!.name, values: part(trace[c]!) })), read[0]!.unit, dark, shown);
    setUnits(used ?? '');
  }, [version, dark, size, settings.plotWindow.value, session.time.shown.value?.time]);
  return (
    <figure class="plot" aria-label={`Plot of ${title}`} data-testid="plot" data-rows={session.trace[0]?.length ?? 0}>
      <figcaption><span title={title}>{title}</span><small>{units}</small><Button label={`Remove plot ${title}`} icon="close" onClick={onRemove} /></figcaption>
      <div class="plot-host" ref={host} />
    </figure>
  );
}
