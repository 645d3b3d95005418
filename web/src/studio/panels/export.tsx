// One click to take what is seen elsewhere: a picture, a video, or a page that replays the run.
import { useState } from 'preact/hooks';
import { Button, Choice, Dialog, NumberField, Row, Toggle } from '../../ui/controls';
import { saveBlob } from '../../ui/plot';
import { exportPicture, exportReplay, exportVideo, type VideoKind } from '../exports';
import { useStudio } from './context';

const SIZES: [string, number, number][] = [['As on the screen', 0, 0], ['1280 × 720', 1280, 720], ['1920 × 1080', 1920, 1080], ['2560 × 1440', 2560, 1440], ['3840 × 2160 (4K)', 3840, 2160], ['1080 × 1080', 1080, 1080], ['Other', -1, -1]];

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const studio = useStudio();
  const { session, stage } = studio;
  const [size, setSize] = useState('1920 × 1080');
  const [width, setWidth] = useState(1600);
  const [height, setHeight] = useState(900);
  const [legend, setLegend] = useState(true);
  const [marks, setMarks] = useState(true);
  const [kind, setKind] = useState<VideoKind>('webm');
  const [fps, setFps] = useState(30);
  const [busy, setBusy] = useState<{ what: string; done: number; stop: boolean } | undefined>(undefined);
  const simulating = session.mode.value === 'simulate';
  const recorded = simulating && (session.time.now.value?.frames ?? 0) > 1;
  const chosen = SIZES.find((s) => s[0] === size)!;
  const pixels = (): [number, number] => {
    if (chosen[1] > 0) return [chosen[1], chosen[2]];
    if (chosen[1] < 0) return [width, height];
    const c = stage!.viewer.canvas;
    return [c.width, c.height];
  };
  const name = (session.doc.props.value.name || 'picture').replace(/[^\w-]+/g, '_');
  const go = (what: string, work: (tell: (done: number) => boolean) => Promise<{ blob: Blob; extension: string } | undefined>) => {
    if (!stage) return;
    const state = { what, done: 0, stop: false };
    setBusy(state);
    void session.attempt('', async () => {
      try {
        const made = await work((done) => {
          state.done = done;
          setBusy({ ...state });
          return !state.stop;
        });
        if (made) {
          saveBlob(`${name}.${made.extension}`, made.blob);
          onClose();
        }
      } finally {
        setBusy(undefined);
      }
    });
    stopper = () => (state.stop = true);
  };
  let stopper: () => void = () => undefined;
  return (
    <Dialog title="Export" onClose={onClose}>
      <Choice label="Size" value={size} options={SIZES.map(([s]) => ({ value: s, text: s }))} onChange={setSize} />
      {chosen[1] < 0 && (
        <Row label="Pixels"><span class="pair">
          <input type="number" aria-label="Width" min={16} max={3840} value={width} onInput={(e) => setWidth(clampSize(e.currentTarget.value))} />
          <input type="number" aria-label="Height" min={16} max={2160} value={height} onInput={(e) => setHeight(clampSize(e.currentTarget.value))} /></span></Row>
      )}
      <Toggle label="With legend and time" value={legend} onChange={setLegend} />
      <Toggle label="With marks and rulers" value={marks} onChange={setMarks} />
      <div class="export-buttons">
        <Button label="Save picture" icon="camera" text primary disabled={!!busy} onClick={() => go('Picture', async () => ({ blob: await exportPicture(studio, ...pixels(), { legend, marks }), extension: 'png' }))} />
      </div>
      {simulating && (
        <>
          <Choice<VideoKind> label="Video" value={kind} options={[{ value: 'webm', text: 'WebM' }, { value: 'gif', text: 'GIF, at most 640 pixels wide' }]} onChange={setKind} />
          <NumberField label="Pictures a second" value={fps} integer min={1} max={60} step={1} onChange={setFps} />
          <p class="hint">{session.time.loop.value === 'cycle' ? 'One cycle of the signal' : 'All of the run'}, at {session.time.speed.value} × its speed: set both in the bar below the view.</p>
          <div class="export-buttons">
            <Button label="Save video" icon="film" text disabled={!!busy || !recorded} onClick={() => go('Video', (tell) => exportVideo(studio, ...pixels(), { legend, marks, kind, fps }, tell))} />
            <Button label="Save replay" icon="download" text disabled={!!busy || !recorded} tip="One page that shows the run anywhere, without a server" onClick={() => go('Replay', (tell) => exportReplay(session, tell))} />
          </div>
        </>
      )}
      {busy && <div class="working" role="status"><span>{busy.what}: {Math.round(100 * busy.done)} %</span><progress max={1} value={busy.done} /><Button label="Stop" text onClick={() => { busy.stop = true; stopper(); }} /></div>}
    </Dialog>
  );
}

const clampSize = (text: string): number => Math.max(16, Math.min(3840, Math.round(Number(text) || 16)));
