// Opening, saving and importing: dialogs over the page.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, Choice, Dialog, NumberField, TextField } from '../../ui/controls';
import { Icon } from '../../ui/icons';
import { readScene, type SceneJson } from '../../model/scene';
import { pasteBlock, copyBlock } from '../../model/tools';
import { freeName, type Vec3 } from '../../model/types';
import type { Autosave } from '../../net/protocol';
import { CommandError } from '../../net/client';
import * as editing from '../editing';
import type { Session } from '../session';
import { remembered, sceneThumbnail } from '../../ui/thumbnail';
import { useStudio } from './context';

interface Entry { name: string; kind: 'scene' | 'mesh' | 'folder'; bytes: number; modified: number }

const when = (seconds: number): string => new Date(seconds * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const size = (bytes: number): string => (bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

function FileList(props: { folder: string; onFolder: (path: string) => void; onFile: (path: string, entry: Entry) => void; chosen?: string }) {
  const { session } = useStudio();
  const [entries, setEntries] = useState<Entry[] | undefined>(undefined);
  useEffect(() => {
    setEntries(undefined);
    session.do<{ entries: Entry[] }>('file.list', { path: props.folder }).then((r) => setEntries(r.entries), (e: Error) => { session.say(e.message, 'bad'); setEntries([]); });
  }, [props.folder]);
  const pictures = useMemo(() => remembered(), [props.folder]);
  const join = (name: string) => (props.folder ? `${props.folder}/${name}` : name);
  const parts = props.folder ? props.folder.split('/') : [];
  return (
    <div class="files">
      <nav aria-label="Folder">
        <button type="button" onClick={() => props.onFolder('')}>{session.hello.value?.folder || 'folder'}</button>
        {parts.map((p, i) => <button type="button" key={i} onClick={() => props.onFolder(parts.slice(0, i + 1).join('/'))}>/ {p}</button>)}
      </nav>
      <ul aria-label="Files">
        {entries?.map((e) => (
          <li key={e.name} class={join(e.name) === props.chosen ? 'on' : ''}>
            <button type="button" onClick={() => (e.kind === 'folder' ? props.onFolder(join(e.name)) : props.onFile(join(e.name), e))}>
              {pictures[`${session.hello.value?.folder ?? ''}/${join(e.name)}`] ? <img class="thumb small" src={pictures[`${session.hello.value?.folder ?? ''}/${join(e.name)}`]} alt="" /> : <Icon name={e.kind === 'folder' ? 'open' : e.kind === 'mesh' ? 'sphere' : 'box'} />}<span>{e.name}</span>
              <small>{e.kind === 'folder' ? '' : size(e.bytes)}</small><small>{e.kind === 'folder' ? '' : when(e.modified)}</small>
            </button>
          </li>
        ))}
        {entries?.length === 0 && <li class="none">No scenes here.</li>}
      </ul>
    </div>
  );
}

// Asks before unsaved changes would be lost.
export function mayLeave(session: Session): boolean {
  return !session.unsaved.value || !session.doc.done.value.length || window.confirm('The scene has unsaved changes. Go on without saving them?');
}

const demoPictures: Record<string, string> = {};

export function OpenDialog({ start, onClose }: { start: 'files' | 'demos' | 'autosaves'; onClose: () => void }) {
  const { session } = useStudio();
  const [page, setPage] = useState(start);
  const [folder, setFolder] = useState('');
  const [thumbs, setThumbs] = useState<Record<string, string>>({ ...demoPictures });
  const [demos, setDemos] = useState<{ name: string; description: string }[]>([]);
  useEffect(() => {
    let closed = false;
    void session.do<{ demos: typeof demos }>('demo.list').then(async (r) => {
      setDemos(r.demos);
      // One after the other, so that the list is there at once.
      for (const d of r.demos) {
        if (closed) return;
        demoPictures[d.name] ??= await session.do<{ scene: SceneJson }>('demo.get', { name: d.name }).then((g) => sceneThumbnail(g.scene), () => '');
        if (!closed) setThumbs({ ...demoPictures });
      }
    }, () => undefined);
    void session.do<{ autosaves: Autosave[] }>('autosave.list').then((r) => (session.autosaves.value = r.autosaves), () => undefined);
    return () => {
      closed = true;
    };
  }, []);
  const open = (work: () => Promise<void>) => {
    if (!mayLeave(session)) return;
    void session.attempt('Opening', async () => {
      await work();
      onClose();
    });
  };
  const saves = session.autosaves.value;
  return (
    <Dialog title="Open" wide onClose={onClose}>
      <div class="tabs" role="tablist">
        {(['files', 'demos', 'autosaves'] as const).map((p) => (
          <button key={p} type="button" role="tab" aria-selected={page === p} class={page === p ? 'on' : ''} onClick={() => setPage(p)}>
            {p === 'files' ? 'Files' : p === 'demos' ? 'Demos' : `Recovered${saves.length ? ` (${saves.length})` : ''}`}
          </button>
        ))}
      </div>
      {page === 'files' && <FileList folder={folder} onFolder={setFolder} onFile={(path, e) => (e.kind === 'scene' ? open(() => session.openFile(path)) : session.say('Meshes come in through Import.', 'plain'))} />}
      {page === 'demos' && (
        <ul class="demos" aria-label="Demos">
          {demos.map((d) => <li key={d.name}><button type="button" class="with-thumb" onClick={() => open(() => session.openDemo(d.name))}>{thumbs[d.name] ? <img class="thumb" src={thumbs[d.name]} alt="" /> : <i class="thumb" />}<b>{d.name}</b><span>{d.description}</span></button></li>)}
        </ul>
      )}
      {page === 'autosaves' && (
        <ul class="demos" aria-label="Recovered scenes">
          {saves.map((a) => (
            <li key={a.id}><button type="button" onClick={() => open(() => session.openAutosave(a.id))}><b>{a.name || a.file || 'untitled'}</b>
              <span>{when(a.time)}, {a.voxels.toLocaleString('en')} voxels{a.file ? `, of ${a.file}` : ', never saved'}</span></button>
              <Button label={`Forget ${a.name || a.file || 'untitled'}`} icon="trash" danger onClick={() => void session.attempt('', async () => {
                await session.do('autosave.remove', { autosave: a.id });
                session.autosaves.value = session.autosaves.value.filter((o) => o.id !== a.id);
              })} /></li>
          ))}
          {saves.length === 0 && <li class="none">Nothing was left behind: every scene was saved.</li>}
        </ul>
      )}
    </Dialog>
  );
}

export function SaveDialog({ onClose }: { onClose: () => void }) {
  const { session } = useStudio();
  const info = session.info.value;
  const first = info?.file ?? `${(session.doc.props.value.name || 'untitled').replace(/[^\w.-]+/g, '-')}.json`;
  const [path, setPath] = useState(first);
  const [folder, setFolder] = useState(first.includes('/') ? first.slice(0, first.lastIndexOf('/')) : '');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const save = (overwrite: boolean): void => void session.attempt('Saving', async () => {
    try {
      await session.save(path, overwrite);
      onClose();
    } catch (e) {
      if (e instanceof CommandError && e.code === 'exists' && window.confirm(`${path} exists. Replace it?`)) {
        await session.save(path, true);
        onClose();
      } else if (!(e instanceof CommandError && e.code === 'exists')) throw e;
    }
  });
  const formats = session.hello.value?.formats.write ?? [];
  return (
    <Dialog title="Save as" wide onClose={onClose}>
      <form class="save" onSubmit={(e) => { e.preventDefault(); save(false); }}>
        <input ref={input} type="text" aria-label="File name" value={path} spellcheck={false} onInput={(e) => setPath(e.currentTarget.value)} />
        <button type="submit" class="button primary"><span>Save</span></button>
      </form>
      <p class="hint">The format follows the ending: {formats.map((f) => `.${f.extension} (${f.name})`).join(', ')}.</p>
      <FileList folder={folder} chosen={path} onFolder={(f) => { setFolder(f); setPath(`${f ? `${f}/` : ''}${path.split('/').pop()!}`); }} onFile={setPath} />
    </Dialog>
  );
}

// Adds another scene's voxels and materials to the document, as one step.
export function insertScene(session: Session, scene: SceneJson, at: Vec3, label: string): void {
  const { props, grid } = readScene(scene);
  const { doc } = session;
  const materials = [...doc.props.value.materials];
  const map = props.materials.map((m) => {
    const same = materials.findIndex((o) => JSON.stringify({ ...o, signal: undefined }) === JSON.stringify({ ...m, signal: undefined }));
    if (same >= 0) return same + 1;
    materials.push({ ...m, name: freeName(m.name, materials), signal: undefined });
    return materials.length;
  });
  const box = grid.bounds();
  const need = box ? (box.high.map((h, a) => h - box.low[a]! + 1 + at[a]!) as Vec3) : doc.grid.size;
  const fits = need.every((n, a) => n <= doc.grid.size[a]!);
  const target = fits ? doc.grid : doc.grid.resized(need.map((n, a) => Math.max(n, doc.grid.size[a]!)) as Vec3);
  const next = { ...doc.props.value, materials };
  if (!box) return;
  const block = copyBlock(grid, box);
  block.material = block.material.map((m) => (m ? map[m - 1]! : 0));
  if (fits) {
    const stroke = doc.begin(label);
    const selection = pasteBlock(doc.grid, stroke, block, at);
    doc.finish({ props: next, selection });
  } else {
    pasteBlock(target, { set: (c: Parameters<typeof target.set>[0], i: number, v: number) => target.set(c, i, v) } as never, block, at);
    doc.replaceGrid(label, target, next);
  }
}

export function ImportDialog({ file, onClose }: { file: File; onClose: () => void }) {
  const { session } = useStudio();
  const formats = session.hello.value?.formats;
  const extension = file.name.split('.').pop()?.toLowerCase() ?? '';
  const isMesh = !!formats?.mesh.some((f) => f.extension === extension);
  const known = isMesh || !!formats?.read.some((f) => f.extension === extension);
  const [longest, setLongest] = useState(40);
  const [unit, setUnit] = useState(0.001);
  const [material, setMaterial] = useState(session.doc.props.value.materials[Math.max(0, editing.entry.value - 1)]?.name ?? 'mesh');
  const work = (insert: boolean) => void session.attempt('Importing', async () => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const reply = await session.importFile(file.name, bytes, isMesh ? { longest, unit, material } : {});
    if (insert) insertScene(session, reply.scene, [0, 0, 0], `Insert ${file.name}`);
    else session.replaceBy(reply.scene, `Import ${file.name}`);
    session.say(`Imported ${file.name}`, 'good');
    onClose();
  });
  return (
    <Dialog title={`Import ${file.name}`} onClose={onClose}>
      {!known && <p class="problem error">Files ending in .{extension} cannot be read. Known: {[...(formats?.read ?? []), ...(formats?.mesh ?? [])].map((f) => `.${f.extension}`).join(', ')}.</p>}
      {isMesh && (
        <>
          <NumberField label="Voxels along the longest side" value={longest} integer min={1} max={500} step={1} range={[5, 200]} onChange={setLongest} />
          <Choice label="The file’s unit" value={String(unit)} options={[{ value: '0.001', text: 'millimetre' }, { value: '0.01', text: 'centimetre' }, { value: '1', text: 'metre' }, { value: '0.0254', text: 'inch' }]} onChange={(v) => setUnit(Number(v))} />
          <TextField label="Material" value={material} onChange={setMaterial} />
        </>
      )}
      <p class="hint">Both can be undone.</p>
      <div class="dialog-buttons">
        <Button label="Insert into this scene" text disabled={!known} onClick={() => work(true)} />
        <Button label="Replace this scene" text primary disabled={!known} onClick={() => work(false)} />
      </div>
    </Dialog>
  );
}
