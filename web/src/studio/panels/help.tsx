// Keyboard and mouse, on one page.
import { Dialog } from '../../ui/controls';

const GROUPS: [string, [string, string][]][] = [
  ['Anywhere', [
    ['Space', 'play, pause the simulation'], ['→, Shift →', 'one step, a hundred steps'], ['Ctrl E', 'edit, simulate'], ['Ctrl Z, Ctrl Y', 'undo, redo'], ['Ctrl O', 'open'],
    ['Ctrl S, Ctrl Shift S', 'save, save as'], ['Ctrl Shift E', 'export a picture, a video, a replay'], ['F', 'frame the body'], ['O', 'perspective, orthographic'], ['Alt 1 … 7', 'standard views'], ['N', 'measure'], ['?', 'this help'],
  ]],
  ['Time (simulating)', [
    ['P', 'play, pause the recording'], [', .', 'one picture back, on'], ['Home, End', 'the beginning, the present'], ['Backspace', 'reset; the run is kept to compare with'],
  ]],
  ['Mouse, touchpad, fingers', [
    ['left drag, one finger', 'draw; turn the view when not drawing'], ['right drag, Alt drag', 'turn the view'], ['middle drag, Shift drag', 'move the view'], ['wheel, pinch', 'zoom at the pointer'],
    ['two fingers', 'turn and zoom; three move'], ['double-click', 'select a body; probe a voxel (simulating)'], ['Ctrl drag', 'pull a voxel (simulating)'],
  ]],
  ['Drawing', [
    ['B L R E', 'pencil, line, rectangle, ellipse'], ['G, Shift G', 'fill the layer, fill the volume'], ['X U C', 'box, sphere, cylinder'], ['I', 'take the material under the pointer'], ['H', 'turn the view'],
    ['0 … 9', 'erase, material 1 … 9'], ['[ ] or Page Down, Up', 'layer below, above'], ['Shift X, Y, Z', 'layers along x, y, z'], ['K', 'draw on a layer, on the surface'], ['J', 'nothing but the layer'], ['Shift M', 'mirror across y while drawing'],
  ]],
  ['Selection', [
    ['V, W', 'select a box, pick with the wand'], ['Ctrl A', 'select all'], ['Ctrl drag', 'add to the selection; inside it: duplicate'], ['Ctrl C, X, V', 'copy, cut, paste'], ['Ctrl D', 'a copy in hand'], ['Enter', 'put it down'], ['Delete', 'delete'],
    ['Ctrl arrows, Page keys', 'move by one voxel'], ['M', 'mirror along the layer’s first axis'], ['T', 'turn a quarter about the layer’s axis'], ['Escape', 'let go'],
  ]],
];

export function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard and mouse" wide onClose={onClose}>
      <div class="help">
        {GROUPS.map(([title, rows]) => (
          <section key={title}><h3>{title}</h3><dl>{rows.map(([keys, what]) => <><dt key={keys}><kbd>{keys}</kbd></dt><dd>{what}</dd></>)}</dl></section>
        ))}
      </div>
    </Dialog>
  );
}
