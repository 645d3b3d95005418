// Small line icons on a 20 x 20 grid, drawn for this page.
const PATHS: Record<string, string> = {
  orbit: 'M10 3a7 7 0 1 0 7 7M10 3c-2.5 2-2.5 12 0 14M3 10h9M14 3l3 1-1 3',
  select: 'M3 3h3M9 3h2M14 3h3v3M17 9v2M17 14v3h-3M11 17H9M6 17H3v-3M3 11V9M3 6V3',
  pencil: 'M4 16l1-4 8.5-8.5 3 3L8 15l-4 1zM11.5 5.5l3 3',
  line: 'M4 16L16 4M3 17h2v-2H3zM15 5h2V3h-2z',
  rectangle: 'M3 5h14v10H3z',
  ellipse: 'M10 4.5c4 0 7 2.5 7 5.5s-3 5.5-7 5.5S3 13 3 10s3-5.5 7-5.5z',
  fill: 'M4 10l6-6 5 5-6 6zM8 2l4 4M16.5 12c1 1.6 1.5 2.3 1.5 3a1.5 1.5 0 0 1-3 0c0-.7.5-1.4 1.5-3z',
  fill3: 'M10 2.5l6.5 3.7v7.6L10 17.5l-6.5-3.7V6.2zM3.5 6.2L10 10l6.5-3.8M10 10v7.5M10 13l3-1.7M10 15.5l5-2.8',
  box: 'M10 2.5l6.5 3.7v7.6L10 17.5l-6.5-3.7V6.2zM3.5 6.2L10 10l6.5-3.8M10 10v7.5',
  sphere: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM3 10c2 2.2 12 2.2 14 0M10 3c-2.2 2-2.2 12 0 14',
  cylinder: 'M4 5.5C4 4.1 6.7 3 10 3s6 1.1 6 2.5v9c0 1.4-2.7 2.5-6 2.5s-6-1.1-6-2.5zM4 5.5C4 6.9 6.7 8 10 8s6-1.1 6-2.5',
  pick: 'M12 4l4 4M10.5 5.5l4 4M13 7l2.2-2.2a1.4 1.4 0 0 0-2-2L11 5M12 8l-6 6-2.5 2.5L4 13l6-6',
  play: 'M6 3.5v13l10.5-6.5z',
  pause: 'M6 4v12M14 4v12',
  step: 'M4 4v12l8-6zM15 4v12',
  back: 'M13 5l-6 5 6 5zM5 5v10',
  on: 'M7 5l6 5-6 5zM15 5v10',
  film: 'M3 4h14v12H3zM3 8h14M3 12h14M7 4v12M13 4v12',
  ruler: 'M3 13L13 3l4 4L7 17zM6 10l2 2M8.5 7.5l2 2M11 5l2 2',
  library: 'M4 3v14M8 3v14M11 3.5l5 13.5',
  link: 'M8 12l4-4M6 9l-2 2a3 3 0 0 0 4 4l2-2M14 11l2-2a3 3 0 0 0-4-4l-2 2',
  lock: 'M5 9h10v8H5zM7 9V6a3 3 0 0 1 6 0v3',
  unlock: 'M5 9h10v8H5zM7 9V6a3 3 0 0 1 5.5-1.5',
  hidden: 'M2 10c2-3.5 4.8-5 8-5s6 1.5 8 5c-2 3.5-4.8 5-8 5s-6-1.5-8-5zM4 16L16 4',
  symmetry: 'M10 2v16M7 6H3v8h4M13 6h4v8h-4',
  repeat: 'M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h5v5h-5z',
  side: 'M3 4h14v12H3zM12 4v12',
  grow: 'M7 7h6v6H7zM10 4V2M10 18v-2M4 10H2M18 10h-2',
  shrink: 'M8 8h4v4H8zM10 2v3M10 18v-3M2 10h3M18 10h-3',
  reset: 'M4 10a6 6 0 1 0 2-4.5M6 2v4h4',
  undo: 'M7 4L3 8l4 4M3 8h9a4.5 4.5 0 0 1 0 9H8',
  redo: 'M13 4l4 4-4 4M17 8H8a4.5 4.5 0 0 0 0 9h4',
  save: 'M4 3h10l3 3v11H3V3zM6 3v5h7V3M6 17v-5h8v5',
  saveas: 'M9 17H3V3h10l3 3v3M6 3v5h6V3M11 17l.6-2.4 4.6-4.6 1.8 1.8-4.6 4.6z',
  open: 'M2.5 16V4h5l2 2h7v2.5M2.5 16l2.5-7.5h13L15.5 16z',
  new: 'M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M10 9v6M7 12h6',
  import: 'M10 3v9M6.5 8.5L10 12l3.5-3.5M3 13v4h14v-4',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  trash: 'M4 6h12M8 6V3.5h4V6M5.5 6l1 11h7l1-11M8.5 9v5M11.5 9v5',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  close: 'M5 5l10 10M15 5L5 15',
  help: 'M7.5 7.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.5v.5M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15z',
  sun: 'M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v2M10 16v2M2 10h2M16 10h2M4.4 4.4l1.4 1.4M14.2 14.2l1.4 1.4M4.4 15.6l1.4-1.4M14.2 5.8l1.4-1.4',
  moon: 'M16 12.5A7 7 0 0 1 7.5 4a7 7 0 1 0 8.5 8.5z',
  auto: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 3v14M10 6l5-1M10 9h7M10 12h6.7M10 15h4',
  camera: 'M3 6h3.5L8 4h4l1.5 2H17v10H3zM10 8a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  frame: 'M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4M7 8h6v4H7z',
  eye: 'M2 10c2-3.5 4.8-5 8-5s6 1.5 8 5c-2 3.5-4.8 5-8 5s-6-1.5-8-5zM10 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  warn: 'M10 3l8 14H2zM10 8v4M10 14.2v.6',
  check: 'M4 10.5l4 4 8-9',
  chart: 'M3 3v14h14M6 13l3-4 3 2 4-6',
  mirror: 'M10 2.5v15M8 6L3 15h5zM12 6l5 9h-5z',
  rotate: 'M15 6.5A6.5 6.5 0 1 0 16.5 11M16 2.5v4.5h-4.5',
  cut: 'M5.5 13a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM14.5 13a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM6.7 13.4L14 3M13.3 13.4L6 3',
  paste: 'M7 4H5v13h10V4h-2M7 3h6v3H7z',
  download: 'M10 3v9M6.5 8.5L10 12l3.5-3.5M3 16.5h14',
  magnet: 'M5 3v7a5 5 0 0 0 10 0V3h-3v7a2 2 0 0 1-4 0V3zM5 6h3M12 6h3',
  chevron: 'M7 4l6 6-6 6',
  target: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 1v5M10 14v5M1 10h5M14 10h5',
};

export type IconName = keyof typeof PATHS;

export function Icon({ name, filled = false }: { name: string; filled?: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" fill={filled ? 'currentColor' : 'none'} stroke="currentColor"
      stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">
      <path d={PATHS[name] ?? ''} />
    </svg>
  );
}
