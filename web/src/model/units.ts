// Numbers with units, as people read and type them. Inside everything is SI; shown is a multiple that keeps the number short.

export interface Multiple { name: string; factor: number; from?: number }

const MULTIPLES: Record<string, Multiple[]> = {
  m: [{ name: 'µm', factor: 1e-6 }, { name: 'mm', factor: 1e-3 }, { name: 'm', factor: 1 }],
  s: [{ name: 'µs', factor: 1e-6 }, { name: 'ms', factor: 1e-3 }, { name: 's', factor: 1 }],
  Pa: [{ name: 'Pa', factor: 1 }, { name: 'kPa', factor: 1e3 }, { name: 'MPa', factor: 1e6 }, { name: 'GPa', factor: 1e9 }],
  N: [{ name: 'µN', factor: 1e-6 }, { name: 'mN', factor: 1e-3 }, { name: 'N', factor: 1 }, { name: 'kN', factor: 1e3 }],
  'N m': [{ name: 'µN m', factor: 1e-6 }, { name: 'mN m', factor: 1e-3 }, { name: 'N m', factor: 1 }],
  J: [{ name: 'nJ', factor: 1e-9 }, { name: 'µJ', factor: 1e-6 }, { name: 'mJ', factor: 1e-3 }, { name: 'J', factor: 1 }],
  'J/m^3': [{ name: 'J/m³', factor: 1 }, { name: 'kJ/m³', factor: 1e3 }],
  'm/s': [{ name: 'mm/s', factor: 1e-3 }, { name: 'm/s', factor: 1 }],
  kg: [{ name: 'mg', factor: 1e-6 }, { name: 'g', factor: 1e-3 }, { name: 'kg', factor: 1 }],
  strain: [{ name: 'ppm', factor: 1e-6 }, { name: '%', factor: 1e-2, from: 1e-4 }],
  Hz: [{ name: 'Hz', factor: 1 }, { name: 'kHz', factor: 1e3 }],
};

const PRETTY: Record<string, string> = {
  'kg/m^3': 'kg/m³', 'm/s^2': 'm/s²', 'J/m^3': 'J/m³', 'kg m/s': 'kg m/s', '1/K': '1/K', 'm^3': 'm³',
};

export const prettyUnit = (unit: string): string => PRETTY[unit] ?? unit;

// A number with at most `digits` significant digits and no needless zeros; large and small ones as 1.2e-5.
export function formatNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : value < 0 ? '−∞' : '–';
  if (value === 0) return '0';
  const a = Math.abs(value);
  if (a >= 1e6 || a < 1e-4) {
    const [m, e] = value.toExponential(digits - 1).split('e');
    return `${Number(m)}e${Number(e)}`;
  }
  return String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(a + 1))))));
}

// The multiple in which `value` is 1 to 999, as far as there is one; strains are percentages from 0.01 % on.
export function multipleFor(value: number, unit: string): Multiple {
  const list = MULTIPLES[unit];
  if (!list) return { name: prettyUnit(unit), factor: 1 };
  const a = Math.abs(value);
  if (a === 0) return list.find((m) => m.factor === (unit === 'm' ? 1e-3 : unit === 'strain' ? 0.01 : 1))!;
  let best = list[0]!;
  for (const m of list) if (a >= (m.from ?? m.factor) * 0.99999) best = m;
  return best;
}

export function formatUnit(value: number, unit: string, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  const m = multipleFor(value, unit);
  const number = formatNumber(value / m.factor, digits);
  return m.name ? `${number} ${m.name}` : number;
}

// Three numbers, each in the unit that keeps it short: "11.65 m, -98 mm, 61 mm". What is a rounding error beside the largest is 0.
export function formatVector(v: readonly number[], unit: string, digits = 4): string {
  const most = Math.max(...v.map((x) => (Number.isFinite(x) ? Math.abs(x) : 0)));
  const least = (MULTIPLES[unit]?.[0]?.factor ?? 1) * 1e-9;
  if (most <= least) return formatUnit(0, unit);
  return v.map((x) => (Math.abs(x) <= Math.max(1e-6 * most, least) ? '0' : formatUnit(x, unit, digits))).join(', ');
}

const squash = (text: string): string => text.toLowerCase().replace(/[µμ]/g, 'u').replace(/³/g, '^3').replace(/²/g, '^2').replace(/\s+/g, '');

// "2.5 MPa", "2.5e6", "3 cm" with the unit "Pa", "m"; a number alone is in `shown`. Undefined when it is not a number with that unit.
export function parseUnit(text: string, unit: string, shown?: Multiple): number | undefined {
  const match = /^\s*([-+−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(.*?)\s*$/i.exec(text.replace(',', '.'));
  if (!match) return undefined;
  const number = Number(match[1]!.replace('−', '-'));
  const name = match[2]!;
  if (!name) return number * (shown?.factor ?? 1);
  const extra: Multiple[] = unit === 'm' ? [{ name: 'cm', factor: 0.01 }, { name: 'in', factor: 0.0254 }] : unit === 's' ? [{ name: 'min', factor: 60 }] : [];
  const list = [...(MULTIPLES[unit] ?? []), ...extra, { name: unit, factor: 1 }, { name: prettyUnit(unit), factor: 1 }];
  // MPa and mPa differ by their case only, so an exact match goes first.
  const found = list.find((m) => m.name === name) ?? list.find((m) => squash(m.name) === squash(name));
  // 2.5 MPa is 2500000, not 2500000.0000000005.
  return found ? Number((number * found.factor).toPrecision(15)) : undefined;
}
