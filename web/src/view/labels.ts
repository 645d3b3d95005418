// Short texts that stick to points of the scene.
import * as THREE from 'three';

export interface Label { text: string; at: THREE.Vector3; tone?: 'plain' | 'bad' | 'probe' | 'tick' | 'axis' | 'size'; color?: string }

const EDGE = 28; // pixels

export class Labels {
  readonly element = document.createElement('div');
  private readonly items = new Map<string, { label: Label; div: HTMLDivElement; at: string; class: string; color: string }>();

  constructor() {
    this.element.className = 'labels';
    this.element.setAttribute('aria-hidden', 'true');
  }
  set(id: string, label: Label | undefined): void {
    const old = this.items.get(id);
    if (!label) {
      old?.div.remove();
      this.items.delete(id);
      return;
    }
    const item = old ?? { label, div: document.createElement('div'), at: '', class: '', color: '' };
    if (!old) this.element.append(item.div);
    // What is as it was is not touched: the browser would work out the page anew.
    const name = `label ${label.tone ?? 'plain'}`;
    const color = label.color ?? '';
    if (item.class !== name) item.div.className = item.class = name;
    if (item.label.text !== label.text || !old) item.div.textContent = label.text;
    if (item.color !== color) item.div.style.setProperty('--tone', (item.color = color));
    item.label = label;
    this.items.set(id, item);
  }
  // Lets go of those that begin with `prefix` and are not in `ids`; rulers, sizes and sources keep theirs unless they are named.
  keep(prefix: string, ids: Set<string>): void {
    for (const id of [...this.items.keys()]) if (id.startsWith(prefix) && !ids.has(id) && (prefix || !/^(ruler|size|measure|world) /.test(id))) this.set(id, undefined);
  }
  // Where they are in a picture of that size, for pictures that are saved.
  list(camera: THREE.Camera, width: number, height: number): { text: string; x: number; y: number; tone: string; color?: string }[] {
    const p = new THREE.Vector3();
    return [...this.items.values()].flatMap(({ label }) => {
      p.copy(label.at).project(camera);
      if (p.z > 1 || p.z < -1) return [];
      return [{ text: label.text, x: ((p.x + 1) / 2) * width, y: ((1 - p.y) / 2) * height, tone: label.tone ?? 'plain', color: label.color }];
    });
  }
  place(camera: THREE.Camera, width: number, height: number): void {
    const p = new THREE.Vector3();
    for (const item of this.items.values()) {
      p.copy(item.label.at).project(camera);
      const hidden = p.z > 1 || p.z < -1 || Math.abs(p.x) > 1.1 || Math.abs(p.y) > 1.1;
      // Names of axes stay whole at the edge of the view.
      const edge = item.label.tone === 'axis' ? EDGE : -Infinity;
      const x = Math.max(edge, Math.min(width - edge, ((p.x + 1) / 2) * width));
      const at = hidden ? '' : `translate(${x.toFixed(1)}px, ${(((1 - p.y) / 2) * height).toFixed(1)}px)`;
      if (at === item.at && item.div.style.display === (hidden ? 'none' : '')) continue;
      item.at = at;
      item.div.style.display = hidden ? 'none' : '';
      item.div.style.transform = at;
    }
  }
}
