// Keyboard and mouse, on one page.
import { Dialog } from '../../ui/controls';

const GROUPS: [string, [string, string][]][] = [
  ['Anywhere', [
    ['Space', 'play, pause'], ['→', 'one step'], ['Shift →', 'a hundred steps'], ['Backspace', 'reset the simulation (simulating)'], ['Ctrl E', 'edit, simulate'], ['Ctrl Z, Ctrl Y', 'undo, redo'],
    ['Ctrl S', 'save'], ['Ctrl Shift E', 'save as'], ['Ctrl O', 'open'], ['Ctrl Shift S', 'picture of the view'], ['F', 'frame the body'], ['O', 'perspective, orthographic'], ['Alt 1 … 7', 'standard views'], ['?', 'this help'],
  ]],
  ['Mouse and touchpad', [
    ['left drag', 'draw; turn the view when not drawing'], ['right drag, Alt drag', 'turn the view'], ['middle drag, Shift drag', 'move the view'], ['wheel, pinch', 'zoom at the pointer'],
    ['double-click', 'select a body; probe a voxel (simulating)'], ['Ctrl drag', 'pull a voxel (simulating)'],
  ]],
  ['Drawing', [
    ['B L R E', 'pencil, line, rectangle, ellipse'], ['G, Shift G', 'fill the layer, fill the volume'], ['X U C', 'box, sphere, cylinder'], ['V', 'select'], ['I', 'take the material under the pointer'], ['H', 'turn the view'],
    ['0 … 9', 'erase, material 1 … 9'], ['[ ] or Page Down, Up', 'layer below, above'], ['Shift X, Y, Z', 'layers along x, y, z'], ['K', 'draw on a layer, on the surface'],
  ]],
  ['Selection', [
    ['Ctrl A', 'select all'], ['Ctrl C, X, V', 'copy, cut, paste'], ['Delete', 'delete'], ['Ctrl arrows', 'move by one voxel in the layer'], ['Ctrl Page keys', 'move by one layer'], ['M', 'mirror along the layer’s first axis'], ['T', 'turn a quarter about the layer’s axis'], ['Escape', 'let go'],
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
