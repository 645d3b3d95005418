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
export const fixedRange = signal<[number, number] | undefined>(undefined);
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
