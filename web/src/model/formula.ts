// Formulas of x, y, z, as people write them: 0.5*(x>9) + 0.1*sin(2*pi*y/ny). x, y, z count cells from 0; r is the distance from the middle of
// the workspace in cells; nx, ny, nz are its sizes; v is the value that is there.

export type Variables = Record<string, number>;
export type Formula = (at: Variables) => number;

const FUNCTIONS: Record<string, (...a: number[]) => number> = {
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2, exp: Math.exp, log: Math.log, sqrt: Math.sqrt,
  abs: Math.abs, floor: Math.floor, ceil: Math.ceil, round: Math.round, sign: Math.sign, min: Math.min, max: Math.max, pow: Math.pow,
  mod: (a, b) => a - b! * Math.floor(a / b!), frac: (a) => a - Math.floor(a), step: (a, b) => (b! >= a ? 1 : 0), clamp: (v, a, b) => Math.max(a!, Math.min(b!, v)),
};
const COUNTS: Record<string, number> = { atan2: 2, pow: 2, mod: 2, step: 2, clamp: 3 };
const CONSTANTS: Record<string, number> = { pi: Math.PI, e: Math.E };
export const VARIABLES = ['x', 'y', 'z', 'r', 'nx', 'ny', 'nz', 'v'] as const;

const LEVELS: string[][] = [['||'], ['&&'], ['==', '!=', '<=', '>=', '<', '>'], ['+', '-'], ['*', '/', '%']];
const APPLY: Record<string, (a: number, b: number) => number> = {
  '||': (a, b) => (a || b ? 1 : 0), '&&': (a, b) => (a && b ? 1 : 0), '==': (a, b) => (a === b ? 1 : 0), '!=': (a, b) => (a !== b ? 1 : 0),
  '<=': (a, b) => (a <= b ? 1 : 0), '>=': (a, b) => (a >= b ? 1 : 0), '<': (a, b) => (a < b ? 1 : 0), '>': (a, b) => (a > b ? 1 : 0),
  '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a - b * Math.floor(a / b),
};

// Throws an Error that says what is wrong and where.
export function parseFormula(text: string): Formula {
  const tokens = [...text.matchAll(/\s*(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|[A-Za-z_]\w*|\|\||&&|[<>=!]=|[-+*/%^()<>,?:])|\s*(\S)/gi)].map((m) => ({ text: m[1] ?? '', bad: m[2], at: m.index! }));
  const wrong = tokens.find((t) => t.bad);
  if (wrong) throw new Error(`“${wrong.bad}” is not understood`);
  let i = 0;
  const peek = () => tokens[i]?.text ?? '';
  const take = (what: string) => {
    if (peek() !== what) throw new Error(peek() ? `“${what}” is missing before “${peek()}”` : `“${what}” is missing at the end`);
    i++;
  };
  const choice = (): Formula => {
    const test = binary(0);
    if (peek() !== '?') return test;
    i++;
    const yes = choice();
    take(':');
    const no = choice();
    return (v) => (test(v) ? yes(v) : no(v));
  };
  const binary = (level: number): Formula => {
    if (level === LEVELS.length) return unary();
    let left = binary(level + 1);
    while (LEVELS[level]!.includes(peek())) {
      const apply = APPLY[tokens[i++]!.text]!;
      const [a, b] = [left, binary(level + 1)];
      left = (v) => apply(a(v), b(v));
    }
    return left;
  };
  const unary = (): Formula => {
    if (peek() === '-') {
      i++;
      const a = unary();
      return (v) => -a(v);
    }
    if (peek() === '+') i++;
    return power();
  };
  const power = (): Formula => {
    const base = atom();
    if (peek() !== '^') return base;
    i++;
    const exponent = unary();
    return (v) => base(v) ** exponent(v);
  };
  const atom = (): Formula => {
    const t = peek();
    if (!t) throw new Error('the formula ends too early');
    i++;
    if (t === '(') {
      const inner = choice();
      take(')');
      return inner;
    }
    if (/^[\d.]/.test(t)) {
      const n = Number(t);
      return () => n;
    }
    const name = t.toLowerCase();
    if (FUNCTIONS[name]) {
      take('(');
      const list = [choice()];
      while (peek() === ',') {
        i++;
        list.push(choice());
      }
      take(')');
      const wanted = COUNTS[name] ?? (name === 'min' || name === 'max' ? list.length : 1);
      if (list.length !== wanted) throw new Error(`${name} takes ${wanted} ${wanted === 1 ? 'number' : 'numbers'}`);
      const f = FUNCTIONS[name]!;
      return (v) => f(...list.map((g) => g(v)));
    }
    if (name in CONSTANTS) return () => CONSTANTS[name]!;
    if ((VARIABLES as readonly string[]).includes(name)) return (v) => v[name] ?? 0;
    throw new Error(/^\w+$/.test(t) ? `“${t}” is not known; there are ${VARIABLES.join(', ')}` : `“${t}” is misplaced`);
  };
  const whole = choice();
  if (i < tokens.length) throw new Error(`“${peek()}” is misplaced`);
  return whole;
}
