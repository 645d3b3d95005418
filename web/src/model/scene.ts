// Scenes in and out: the native JSON that the server hands over (voxels as `layers`, never as shapes) to a document's parts, and back.
import { Grid } from './grid';
import { readActuation, readField, readLayers, writeActuation, writeField, writeLayers, type ActuationJson, type FieldJson, type LayersJson } from './layers';
import {
  defaultEnvironment, defaultMaterial, defaultOutput, defaultSignal, defaultStop,
  type Environment, type Material, type Part, type Props, type Region, type SignalDef, type Vec3,
} from './types';

type Json = any;

export interface SceneJson {
  voxelastic: 1;
  [key: string]: Json;
}

function gravityOf(value: Json): Vec3 {
  if (value === true) return [0, 0, -9.81];
  if (typeof value === 'number') return [0, 0, -value];
  if (Array.isArray(value)) return value as Vec3;
  return [0, 0, 0];
}

const EDITED = new Set(['voxelastic', '$schema', 'name', 'description', 'lattice', 'materials', 'shapes', 'layers', 'actuation', 'regions', 'environment', 'signals', 'stop', 'output', 'parts', 'fields']);

// What the page does not edit: scenes of other programs have more.
function restOf(json: SceneJson): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(json)) if (!EDITED.has(key)) rest[key] = value;
  const { stiffness: _s, part: _p, ...fields } = (json.fields ?? {}) as Record<string, unknown>;
  if (Object.keys(fields).length) rest.fields = fields;
  return rest;
}

export function readScene(json: SceneJson): { props: Props; grid: Grid } {
  if (json.voxelastic !== 1) throw new Error('this is not a scene of format version 1');
  if (json.shapes?.length) throw new Error('shapes must have been turned into voxels first');
  const lattice = json.lattice as { pitch: number; size: Vec3 };
  const materials = ((json.materials ?? []) as Partial<Material>[]).map((m): Material => ({
    ...defaultMaterial(), ...m, friction: { ...defaultMaterial().friction, ...m.friction },
  }));
  const env = (json.environment ?? {}) as Json;
  const environment: Environment = {
    ...defaultEnvironment(), ...env, gravity: gravityOf(env.gravity),
    damping: { ...defaultEnvironment().damping, ...env.damping },
  };
  const signals = ((json.signals ?? []) as Partial<SignalDef>[]).map((s): SignalDef => ({
    ...defaultSignal(), amplitude: s.waveform === 'table' ? 1 : 0, period: s.waveform === 'table' ? 0 : 1, ...s,
  }));
  const props: Props = {
    name: json.name ?? '', description: json.description ?? '', pitch: lattice.pitch, materials,
    regions: (json.regions ?? []) as Region[], environment, signals,
    parts: ((json.parts ?? []) as Part[]).map((p) => ({ name: p.name, separate: p.separate ?? false })),
    stop: { ...defaultStop(), ...json.stop }, output: { ...defaultOutput(), ...json.output }, rest: restOf(json),
  };
  const grid = new Grid(lattice.size);
  if (json.layers) readLayers(json.layers as LayersJson, grid, materials);
  if (json.actuation) readActuation(json.actuation as ActuationJson, grid);
  for (const key of ['stiffness', 'part'] as const) if (json.fields?.[key]) readField(json.fields[key] as FieldJson, grid, key);
  return { props, grid };
}

// Members that are the default are left out, so that the file says what is particular about the scene.
function sparse<T extends object>(value: T, rest: T): Partial<T> {
  const out: Partial<T> = {};
  for (const key of Object.keys(value) as (keyof T)[])
    if (value[key] !== undefined && JSON.stringify(value[key]) !== JSON.stringify(rest[key])) out[key] = value[key];
  return out;
}

function writeMaterial(m: Material): Json {
  const out = sparse(m, { ...defaultMaterial(), name: '' }) as Json;
  if (m.law !== 'bilinear') {
    delete out.yield_stress;
    delete out.plastic_modulus;
  }
  if (m.law !== 'table') delete out.table;
  if (out.signal === '') delete out.signal;
  return out;
}

function writeSignal(s: SignalDef): Json {
  const table = s.waveform === 'table';
  const out = sparse(s, { ...defaultSignal(), name: '', amplitude: table ? 1 : 0, period: table ? 0 : 1 }) as Json;
  if (!table) delete out.table;
  return out;
}

function writeRegion(r: Region): Json {
  const zero = (v: Vec3 | undefined) => !v || v.every((x) => x === 0);
  const out: Json = { ...r };
  if (Array.isArray(r.fixed) && !r.fixed.length) delete out.fixed;
  if (!r.fixed || (Array.isArray(r.fixed) && !r.fixed.length)) delete out.displacement;
  for (const key of ['displacement', 'rotation', 'force', 'torque'] as const) if (zero(out[key])) delete out[key];
  if (!out.ramp) delete out.ramp;
  if (!out.thickness) delete out.thickness;
  if (out.units === 'voxels') delete out.units;
  if (!out.rotation) delete out.rotation;
  if (out.pivot === undefined) delete out.pivot;
  return out;
}

export function writeScene(props: Props, grid: Grid): SceneJson {
  const json: SceneJson = { voxelastic: 1 };
  if (props.name) json.name = props.name;
  if (props.description) json.description = props.description;
  json.lattice = { pitch: props.pitch, size: grid.size };
  json.materials = props.materials.map(writeMaterial);
  const layers = writeLayers(grid, props.materials);
  if (layers) json.layers = layers;
  const actuation = writeActuation(grid);
  if (actuation) json.actuation = actuation;
  if (props.parts.length) json.parts = props.parts.map((p) => ({ name: p.name, ...(p.separate && { separate: true }) }));
  const { fields: others, ...rest } = props.rest;
  const fields: Json = { ...(others as object | undefined) };
  for (const key of ['stiffness', 'part'] as const) {
    const field = writeField(grid, key);
    if (field) fields[key] = field;
  }
  if (Object.keys(fields).length) json.fields = fields;
  Object.assign(json, rest);
  if (props.regions.length) json.regions = props.regions.map(writeRegion);
  const environment = sparse(props.environment, defaultEnvironment());
  if (Object.keys(environment).length) json.environment = environment;
  if (props.signals.length) json.signals = props.signals.map(writeSignal);
  const stop = sparse(props.stop, defaultStop());
  if (Object.keys(stop).length) json.stop = stop;
  const output = sparse(props.output, defaultOutput());
  if (Object.keys(output).length) json.output = output;
  return json;
}
