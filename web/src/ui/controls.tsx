// The controls all panels are made of. Each has an accessible name, a tool tip with its shortcut, and shows problems beside itself.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatNumber, multipleFor, parseUnit, prettyUnit, type Multiple } from '../model/units';
import { continuously } from '../model/document';
import { Icon } from './icons';

export interface FieldProblem { message: string; severity: 'error' | 'warning' }

export function Button(props: {
  label: string; icon?: string; shortcut?: string; text?: boolean; primary?: boolean; active?: boolean; disabled?: boolean; danger?: boolean;
  filled?: boolean; tip?: string; caption?: string; testid?: string; onDown?: () => void; onClick: (e: MouseEvent) => void;
}) {
  const { label, icon, shortcut, text, primary, active, disabled, danger, tip } = props;
  const title = (tip ?? label) + (shortcut ? `  (${shortcut})` : '');
  const classes = ['button', primary && 'primary', active && 'active', danger && 'danger', !text && icon && 'square'].filter(Boolean).join(' ');
  return (
    <button type="button" class={classes} title={title} aria-label={label} aria-pressed={active === undefined ? undefined : active}
      disabled={disabled} data-testid={props.testid} onPointerDown={props.onDown} onClick={props.onClick}>
      {icon && <Icon name={icon} filled={props.filled} />}
      {(text || !icon) && <span>{props.caption ?? label}</span>}
    </button>
  );
}

// Plays or pauses: what it said when it was pressed, whatever has ended until it is let go.
export function PlayPause(props: { playing: boolean; ended: boolean; play: string; pause: string; shortcut: string; primary?: boolean; disabled?: boolean; onChange: (play: boolean) => void }) {
  const { playing } = props;
  const said = useRef(playing);
  return (
    <Button label={playing ? props.pause : props.play} icon={playing ? 'pause' : 'play'} filled={props.primary && !playing} primary={props.primary} shortcut={props.shortcut}
      disabled={props.disabled || props.ended} onDown={() => (said.current = playing)} onClick={(e) => props.onChange(!(e.detail > 0 ? said.current : playing))} />
  );
}

export function Segmented<T extends string | number>(props: {
  label: string; value: T; options: readonly { value: T; text: string; tip?: string }[]; onChange: (value: T) => void;
}) {
  return (
    <div class="segmented" role="radiogroup" aria-label={props.label}>
      {props.options.map((o) => (
        <button key={o.value} type="button" role="radio" aria-checked={o.value === props.value} title={o.tip ?? o.text}
          class={o.value === props.value ? 'on' : ''} onClick={() => props.onChange(o.value)}>{o.text}</button>
      ))}
    </div>
  );
}

export function Toggle(props: { label: string; value: boolean; tip?: string; disabled?: boolean; onChange: (value: boolean) => void }) {
  return (
    <label class="toggle" title={props.tip ?? props.label}>
      <span>{props.label}</span>
      <input type="checkbox" role="switch" checked={props.value} disabled={props.disabled} aria-label={props.label}
        onChange={(e) => props.onChange(e.currentTarget.checked)} />
    </label>
  );
}

export function Row(props: { label: string; tip?: string; children: ComponentChildren; problem?: FieldProblem }) {
  return (
    <div class={`row ${props.problem ? props.problem.severity : ''}`}>
      <span class="row-label" title={props.tip}>{props.label}</span>
      <div class="row-control">{props.children}</div>
      {props.problem && <p class="problem" role="alert">{props.problem.message}</p>}
    </div>
  );
}

export function Choice<T extends string>(props: {
  label: string; value: T; options: readonly { value: T; text: string }[]; onChange: (value: T) => void; tip?: string; problem?: FieldProblem; bare?: boolean;
}) {
  const select = (
    <select aria-label={props.label} title={props.tip} value={props.value} onChange={(e) => { props.onChange(e.currentTarget.value as T); e.currentTarget.blur(); }}>
      {props.options.map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}
    </select>
  );
  return props.bare ? select : <Row label={props.label} tip={props.tip} problem={props.problem}>{select}</Row>;
}

export function TextField(props: {
  label: string; value: string; onChange: (value: string) => void; placeholder?: string; problem?: FieldProblem; long?: boolean; bare?: boolean; onEnter?: () => void;
}) {
  const [text, setText] = useState(props.value);
  useLayoutEffect(() => setText(props.value), [props.value]); // at once: later it would undo what was typed meanwhile
  // What the field holds, not the state: a key may come before the page has caught up with the last one.
  const commit = (e: { currentTarget: { value: string } }) => {
    const typed = e.currentTarget.value;
    if (typed !== props.value) props.onChange(typed);
  };
  const input = props.long ? (
    <textarea rows={3} aria-label={props.label} placeholder={props.placeholder} value={text} onInput={(e) => setText(e.currentTarget.value)} onBlur={commit} />
  ) : (
    <input type="text" aria-label={props.label} placeholder={props.placeholder} value={text} spellcheck={false}
      onInput={(e) => setText(e.currentTarget.value)} onBlur={commit}
      onKeyDown={(e) => { if (e.key === 'Enter') { e.currentTarget.blur(); props.onEnter?.(); } if (e.key === 'Escape') { e.currentTarget.value = props.value; setText(props.value); } }} />
  );
  return props.bare ? input : <Row label={props.label} problem={props.problem}>{input}</Row>;
}

export interface NumberProps {
  label: string;
  value: number;
  unit?: string;
  min?: number;
  max?: number;
  integer?: boolean;
  step?: number; // of the arrow keys; otherwise a tenth of the number
  tip?: string;
  zero?: string; // what 0 means, in words
  multiple?: Multiple; // the unit is written elsewhere, and numbers are in this multiple of it
  onChange: (value: number) => void;
}

// A number that is typed with any unit of its kind ("2 MPa", "5e5"); the arrow keys nudge it.
export function NumberInput({ label, value, unit = '', min, max, integer, step, tip, zero, multiple: shared, onChange }: NumberProps) {
  const multiple = shared ?? multipleFor(value, unit);
  const shown = zero && value === 0 ? zero : formatNumber(value / multiple.factor, 10) + (multiple.name && !shared ? ` ${multiple.name}` : '');
  const [text, setText] = useState<string | undefined>(undefined);
  const [wrong, setWrong] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const show = (v: number) => `${formatNumber(v, 6)}${unit ? ` ${prettyUnit(unit)}` : ''}`;
  const judge = (v: number | undefined): string => {
    if (v === undefined || Number.isNaN(v)) return unit ? `Not a number of ${prettyUnit(unit)}` : 'Not a number';
    if (min !== undefined && v < min) return `At least ${show(min)}`;
    if (max !== undefined && v > max) return `At most ${show(max)}`;
    if (integer && !Number.isInteger(v)) return 'A whole number';
    return '';
  };
  const commit = () => {
    const typed = input.current?.value ?? shown; // what the field holds, not the state, which may lag behind the keys
    if (typed === shown) {
      setText(undefined);
      setWrong('');
      return;
    }
    const v = parseUnit(typed, unit, multiple);
    const problem = judge(v);
    setWrong(problem);
    if (!problem) {
      setText(undefined);
      if (v !== value) onChange(v!);
    }
  };
  const nudge = (direction: number, big: boolean) => {
    const size = step ?? (value === 0 ? multiple.factor : 10 ** Math.floor(Math.log10(Math.abs(value)) - 0.3));
    let v = Number((value + direction * size * (big ? 10 : 1)).toPrecision(12));
    if (min !== undefined) v = Math.max(min, v);
    if (max !== undefined) v = Math.min(max, v);
    setText(undefined);
    setWrong('');
    continuously(() => onChange(v));
  };
  return (
    <span class={`number ${wrong ? 'error' : ''}`}>
      <input ref={input} type="text" inputMode="decimal" aria-label={label} title={tip} value={text ?? shown} spellcheck={false}
        aria-invalid={!!wrong} autocomplete="off"
        onFocus={(e) => e.currentTarget.select()}
        onInput={(e) => setText(e.currentTarget.value)} onBlur={commit}
        onKeyDown={(e) => {
          if (e.key === 'Enter') commit();
          else if (e.key === 'Escape') { e.currentTarget.value = shown; setText(undefined); setWrong(''); e.currentTarget.blur(); }
          else if (e.key === 'ArrowUp' || e.key === 'ArrowDown') { e.preventDefault(); nudge(e.key === 'ArrowUp' ? 1 : -1, e.shiftKey); }
        }} />
      {wrong && <span class="wrong" role="alert">{wrong}</span>}
    </span>
  );
}

// A number with its label and, when a range is given, a slider over the sensible part of it.
export function NumberField(props: NumberProps & { range?: [number, number]; log?: boolean; problem?: FieldProblem }) {
  const { range, log, value } = props;
  const to = (v: number) => (log ? Math.log10(Math.max(v, range![0])) : v);
  const from = (s: number) => Number((log ? 10 ** s : s).toPrecision(3));
  return (
    <Row label={props.label} tip={props.tip} problem={props.problem}>
      {range && (
        <input type="range" class="slider" tabIndex={-1} aria-label={`${props.label}, slider`} min={to(range[0])} max={to(range[1])} step="any"
          value={to(Math.min(Math.max(value, range[0]), range[1]))} onInput={(e) => { const v = from(Number(e.currentTarget.value)); continuously(() => props.onChange(v)); }} />
      )}
      <NumberInput {...props} />
    </Row>
  );
}

export function VectorField(props: {
  label: string; value: readonly number[]; unit?: string; integer?: boolean; min?: number; step?: number; tip?: string; problem?: FieldProblem;
  names?: readonly string[]; onChange: (value: [number, number, number]) => void;
}) {
  const names = props.names ?? ['x', 'y', 'z'];
  const multiple = multipleFor(Math.max(...props.value.map(Math.abs)), props.unit ?? '');
  return (
    <div class={`row vector ${props.problem ? props.problem.severity : ''}`}>
      <span class="row-label" title={props.tip}>{props.label}{multiple.name && ` [${multiple.name}]`}</span>
      <div class="triple" role="group" aria-label={props.label}>
        {names.map((name, a) => (
          <label key={name}><i>{name}</i>
            <NumberInput label={`${props.label} ${name}`} value={props.value[a]!} unit={props.unit} integer={props.integer} min={props.min} step={props.step} multiple={multiple}
              onChange={(v) => props.onChange(props.value.map((o, i) => (i === a ? v : o)) as [number, number, number])} />
          </label>
        ))}
      </div>
      {props.problem && <p class="problem" role="alert">{props.problem.message}</p>}
    </div>
  );
}

export function Section(props: { title: string; open?: boolean; actions?: ComponentChildren; children: ComponentChildren }) {
  const [open, setOpen] = useState(props.open ?? true);
  return (
    <section class={`section ${open ? 'open' : ''}`}>
      <header>
        <button type="button" class="section-title" aria-expanded={open} onClick={() => setOpen(!open)}><Icon name="chevron" />{props.title}</button>
        <span class="section-actions">{props.actions}</span>
      </header>
      {open && <div class="section-body">{props.children}</div>}
    </section>
  );
}

// A dialog over the page: Escape and a click beside it close it, and the focus stays inside.
export function Dialog(props: { title: string; wide?: boolean; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class={props.wide ? 'wide' : ''} aria-label={props.title}
      onCancel={(e) => { e.preventDefault(); props.onClose(); }} onMouseDown={(e) => { if (e.target === dialog.current) props.onClose(); }}>
      <div class="dialog">
        <header><h2>{props.title}</h2><Button label="Close" icon="close" onClick={props.onClose} /></header>
        {props.children}
      </div>
    </dialog>
  );
}
