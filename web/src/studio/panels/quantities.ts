// The quantities that can be traced, as the engine names them, and how their columns read on the page.
import type { Props, Vec3 } from '../../model/types';

const GENERAL = ['center_of_mass', 'energy', 'displacement_max', 'strain_max', 'speed_max', 'contacts', 'momentum', 'angular_momentum', 'dt', 'broken', 'yielded', 'voxels', 'bonds'];
const VOXEL = ['position', 'displacement', 'velocity', 'strain', 'stress', 'force', 'contact_force', 'growth', 'pressure'];

export function traceChoices(props: Props, cells: readonly Vec3[]): string[] {
  return [
    ...GENERAL,
    ...props.signals.map((s) => `signal:${s.name}`),
    ...props.regions.flatMap((r) => ['displacement', ...(r.fixed?.length ? ['reaction', 'reaction_moment'] : [])].map((q) => `region:${r.name}.${q}`)),
    ...cells.flatMap((c) => VOXEL.map((q) => `voxel:${c.join(',')}.${q}`)),
  ];
}

const WORDS: Record<string, string> = {
  center_of_mass: 'Centre of mass', energy: 'Energy', displacement_max: 'Largest displacement', strain_max: 'Largest strain', speed_max: 'Fastest voxel', contacts: 'Contacts', momentum: 'Momentum',
  angular_momentum: 'Angular momentum', dt: 'Time step', broken: 'Broken links', yielded: 'Yielded links', voxels: 'Voxels', bonds: 'Bonds', reaction_moment: 'Reaction moment', contact_force: 'Contact force',
};
const word = (name: string): string => WORDS[name] ?? (name.charAt(0).toUpperCase() + name.slice(1)).replace(/_/g, ' ');

// "voxel:4,3,5.contact_force" as people say it: "Contact force of voxel 4, 3, 5".
export function traceTitle(name: string): string {
  const signal = /^signal:(.*)$/.exec(name);
  if (signal) return `Signal ${signal[1]}`;
  const own = /^(voxel|region):(.*)\.([a-z_]+)$/.exec(name);
  if (own) return `${word(own[3]!)} of ${own[1] === 'voxel' ? `voxel ${own[2]!.replace(/,/g, ', ')}` : own[2]}`;
  const part = /^energy\.(.*)$/.exec(name);
  return part ? `Energy: ${part[1]!.replace(/_/g, ' ')}` : word(name);
}

// Columns end in their unit; _1 marks a number without one.
const UNITS: [RegExp, string][] = [
  [/_kg_m2_per_s$/, 'kg m^2/s'], [/_kg_m_per_s$/, 'kg m/s'], [/_rad_per_s$/, 'rad/s'], [/_m_per_s$/, 'm/s'], [/_N_m$/, 'N m'],
  [/(strain|growth)(_[xyz])?_1$/, 'strain'], [/(strain)_max_1$/, 'strain'], [/_Pa$/, 'Pa'], [/_K$/, 'K'], [/_J$/, 'J'], [/_N$/, 'N'], [/_m$/, 'm'], [/_s$/, 's'], [/_1$/, ''],
];

// "region:tip.displacement_z_m" is "region:tip displacement z" in m.
export function readColumn(column: string): { name: string; unit: string } {
  for (const [pattern, unit] of UNITS) if (pattern.test(column)) return { name: column.replace(unit === 'strain' ? /_1$/ : pattern, '').replace(/_/g, ' '), unit };
  return { name: column.replace(/_/g, ' '), unit: '' };
}

// Which trace a column belongs to: the longest name that begins it.
export function groupColumns(columns: readonly string[], names: readonly string[]): { name: string; columns: number[] }[] {
  const plain = (s: string) => s.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase();
  const groups = names.map((name) => ({ name, columns: [] as number[] }));
  const order = [...groups].sort((a, b) => b.name.length - a.name.length);
  columns.forEach((column, i) => {
    if (i === 0) return;
    const found = order.find((g) => plain(column).startsWith(plain(g.name)));
    if (found) found.columns.push(i);
    else groups.push({ name: column, columns: [i] });
  });
  return groups.filter((g) => g.columns.length);
}
