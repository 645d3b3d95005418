// The view cube: shows where the eye is, and takes it to a face. Faces are seen in parallel projection, as in drawings.
import { useEffect, useRef } from 'preact/hooks';
import type { StandardView } from '../view/rig';
import type { Viewer } from '../view/viewer';

type V = readonly [number, number, number];
const FACES: { view: StandardView; text: string; normal: V; right: V; down: V }[] = [
  { view: 'front', text: 'Front', normal: [0, -1, 0], right: [1, 0, 0], down: [0, 0, -1] },
  { view: 'back', text: 'Back', normal: [0, 1, 0], right: [-1, 0, 0], down: [0, 0, -1] },
  { view: 'right', text: 'Right', normal: [1, 0, 0], right: [0, 1, 0], down: [0, 0, -1] },
  { view: 'left', text: 'Left', normal: [-1, 0, 0], right: [0, -1, 0], down: [0, 0, -1] },
  { view: 'top', text: 'Top', normal: [0, 0, 1], right: [1, 0, 0], down: [0, -1, 0] },
  { view: 'bottom', text: 'Bottom', normal: [0, 0, -1], right: [1, 0, 0], down: [0, 1, 0] },
];
const HALF = 1.55; // rem

export function ViewCube({ viewer, onView }: { viewer: Viewer; onView: (view: StandardView) => void }) {
  const cube = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let [was, high] = [NaN, NaN];
    const turn = () => {
      const { azimuth, elevation } = viewer.rig;
      if (azimuth === was && elevation === high) return;
      [was, high] = [azimuth, elevation];
      const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
      const rows = [[-sa, ca, 0], [se * ca, se * sa, -ce], [ce * ca, ce * sa, se]]; // right, down, towards the eye
      const m = [0, 1, 2].map((a) => `${rows[0]![a]!.toFixed(4)},${rows[1]![a]!.toFixed(4)},${rows[2]![a]!.toFixed(4)},0`);
      if (cube.current) cube.current.style.transform = `matrix3d(${m.join(',')},0,0,0,1)`;
    };
    viewer.onView.add(turn);
    turn();
    return () => void viewer.onView.delete(turn);
  }, [viewer]);
  const face = (f: (typeof FACES)[number]) => {
    const column = (v: V) => `${v[0]},${v[1]},${v[2]},0`;
    return `matrix3d(${column(f.right)},${column(f.down)},${column(f.normal)},0,0,0,1) translateZ(${HALF}rem)`;
  };
  return (
    <div class="viewcube" role="group" aria-label="View cube">
      <div class="cube" ref={cube}>
        {FACES.map((f) => <button key={f.view} type="button" style={{ transform: face(f) }} aria-label={`Look at the ${f.view}`} title={`Look at the ${f.view}`} onClick={() => onView(f.view)}>{f.text}</button>)}
      </div>
      <button type="button" class="home" aria-label="Look from the corner" title="Look from the corner  (Alt+1)" onClick={() => onView('iso')}>⌂</button>
    </div>
  );
}
