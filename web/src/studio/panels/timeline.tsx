// Time under the view: the run so far, with marks where something happened. Drag to go back, play it at any speed, loop it, compare two runs.
import { useState } from 'preact/hooks';
import { Button, Choice, PlayPause } from '../../ui/controls';
import { formatNumber, formatUnit, multipleFor } from '../../model/units';
import type { Compare, Loop } from '../time';
import { ExportDialog } from './export';
import { useStudio } from './context';

const SPEEDS = ['0.01', '0.05', '0.1', '0.25', '0.5', '1', '2', '4', '10'];
const SPEED_TEXT: Record<string, string> = { '0.01': '1/100 ×', '0.05': '1/20 ×', '0.1': '1/10 ×', '0.25': '1/4 ×', '0.5': '1/2 ×', '1': '1 ×', '2': '2 ×', '4': '4 ×', '10': '10 ×' };

export function Timeline() {
  const { session } = useStudio();
  const [exporting, setExporting] = useState(false);
  const { time } = session;
  const now = time.now.value;
  const last = time.last.value;
  const shown = time.shown.value;
  if (!now) return null;
  const past = !!last && shown?.run === last.run;
  const brief = past ? last : now;
  const at = shown?.time ?? now.to;
  const info = time.current.value;
  const span = Math.max(brief.to - brief.from, 1e-12);
  // The present is a little later than the last picture, and so may be what happened last.
  const place = (t: number) => `${Math.max(0, Math.min(100, (100 * (t - brief.from)) / span))}%`;
  const unit = multipleFor(brief.to, 's');
  const recorded = brief.frames > 1;
  return (
    <section class="time" aria-label="Time">
      <div class="time-row">
        <PlayPause playing={time.playing.value} ended={time.ended.now.value} play="Play the recording" pause="Pause the recording" shortcut="P" disabled={!recorded} onChange={(play) => time.setPlaying(play)} />
        <Button label="One picture back" icon="back" shortcut="," disabled={!recorded} onClick={() => time.nudge(-1)} />
        <Button label="One picture on" icon="on" shortcut="." disabled={!recorded} onClick={() => time.nudge(1)} />
        <div class="track">
          <input type="range" class="slider" aria-label="Moment" min={brief.from} max={brief.to} step="any" value={at} disabled={!recorded}
            onInput={(e) => { time.playing.value = false; time.scrub(Number(e.currentTarget.value), brief.run); }} />
          {time.loop.value === 'cycle' && recorded && time.period !== undefined && (() => {
            const [a, b] = time.range();
            return <i class="cycle" style={{ left: place(a), width: `${(100 * (b - a)) / span}%` }} />;
          })()}
          {info?.marks.slice(0, 200).map((m, i) => (
            <button key={i} type="button" class={`mark-at ${m.kind}`} style={{ left: place(m.time) }} title={`${formatUnit(m.time, 's', 4)}: ${m.text}`} aria-label={`${m.text} at ${formatUnit(m.time, 's', 4)}`}
              onClick={() => { time.playing.value = false; time.scrub(m.time, brief.run); }} />
          ))}
        </div>
        <output data-testid="moment" data-value={at}>{formatNumber(at / unit.factor, 4)}<small> of {formatNumber(brief.to / unit.factor, 4)} {unit.name}</small></output>
        <Button label="Live" caption="Live" text active={!shown} tip="Back to the present" onClick={() => time.live()} />
        <Button label="Export" icon="download" text tip="Picture, video or replay of what is seen" onClick={() => setExporting(true)} />
      </div>
      <div class="time-row more">
        <label>Speed<Choice bare label="Speed of the recording" value={String(time.speed.value)} options={SPEEDS.map((v) => ({ value: v, text: SPEED_TEXT[v]! }))} onChange={(v) => (time.speed.value = Number(v))} /></label>
        <label>Loop<Choice<Loop> bare label="Loop" value={time.loop.value} options={[{ value: 'off', text: 'no' }, { value: 'all', text: 'all of it' }, ...(time.period ? [{ value: 'cycle' as const, text: 'one cycle of the signal' }] : [])]} onChange={(v) => (time.loop.value = v)} /></label>
        {last && (
          <>
            <label>Run<Choice bare label="Run shown" value={past ? 'last' : 'this'} options={[{ value: 'this', text: 'this one' }, { value: 'last', text: 'the last one' }]} onChange={(v) => time.scrub(at, v === 'last' ? last.run : now.run)} /></label>
            <label>Compare<Choice<Compare> bare label="Compare with the other run" value={time.compare.value} options={[{ value: 'off', text: 'no' }, { value: 'ghost', text: 'as a ghost' }, { value: 'beside', text: 'side by side' }]} onChange={(v) => (time.compare.value = v)} /></label>
          </>
        )}
        <span class="grow" />
        <small class="hint" title="Pictures of this run that are kept">{brief.frames.toLocaleString('en')} {brief.frames === 1 ? 'picture' : 'pictures'}{last ? '; the last run is kept to compare with' : ''}</small>
      </div>
      {exporting && <ExportDialog onClose={() => setExporting(false)} />}
    </section>
  );
}
