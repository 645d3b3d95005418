// What the user chose about the page itself, kept in the browser: theme, view, which panels. None of it is part of a scene.
import { effect, signal, type Signal } from '@preact/signals';
import type { Look } from '../view/body';
import type { Axis } from '../model/types';

// A signal that remembers its value; without storage (a private window) it just forgets.
function remembered<T>(key: string, start: T): Signal<T> {
  let value = start;
  try {
    const text = localStorage.getItem(`voxelastic.${key}`);
    if (text !== null) value = JSON.parse(text) as T;
  } catch {
    value = start;
  }
  const out = signal(value);
  let first = true;
  effect(() => {
    const now = JSON.stringify(out.value);
    if (first) {
      first = false;
      return;
    }
    try {
      localStorage.setItem(`voxelastic.${key}`, now);
    } catch {
      // No storage: nothing to remember.
    }
  });
  return out;
}

export type Theme = 'auto' | 'light' | 'dark';

export const theme = remembered<Theme>('theme', 'auto');
export const orthographic = remembered('orthographic', false);
export const edges = remembered('edges', true);
export const plotsOpen = remembered('plots', true);

export const look = signal<Look>('voxels');
export const field = signal('material');
export const ghost = signal(false);
export const follow = signal(true);
export type ScaleMode = 'run' | 'held' | 'moment';
export const scaleMode = remembered<ScaleMode>('scale', 'run');
export const held = signal<Record<string, [number, number]>>({}); // ranges that the user holds, by field
export interface Overlays { regions: boolean; fixed: boolean; loads: boolean; contacts: boolean }
export const overlays = remembered<Overlays>('overlays', { regions: true, fixed: true, loads: true, contacts: true });
export const shadow = remembered('shadow', true);
export const world = remembered('world', true); // ground, solids, water, sources
export const rulers = remembered('rulers', true);
export const measuring = signal(false); // the mouse measures
export const sideOpen = remembered('side', true);
export const plotWindow = remembered('plot window', 0); // s; 0: all of the run
export const section = signal<{ on: boolean; axis: Axis; at: number; flip: boolean }>({ on: false, axis: 1, at: 0, flip: true });

// Follows the system unless the user chose.
export const systemDark = signal(false);
export const isDark = (): boolean => (theme.value === 'auto' ? systemDark.value : theme.value === 'dark');

export function followSystemTheme(): void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  systemDark.value = query.matches;
  query.addEventListener('change', () => (systemDark.value = query.matches));
  effect(() => {
    document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  });
}
