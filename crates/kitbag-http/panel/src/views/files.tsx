// The files of the pack as a tree: what is in and what it costs. Folders can be collapsed.

import { useMemo, useState } from "preact/hooks";
import { integer, money, percent } from "../format";
import { update, type Shown, type State } from "../store";
import { treeOf, type TreeEntry } from "../tree";
import { visible } from "../visible";
import { showFile } from "./budget-bar";
import { CopyFile } from "./copy";
import { EditButtons } from "./edit-buttons";
import { Empty, Icon } from "./parts";

export function FilesView({ state, shown }: { state: State; shown: Shown }) {
  const { report } = shown.pack;
  const [isAll, setAll] = useState(false);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const entries = useMemo(() => treeOf(report.included, isAll ? report.excluded.filter(({ start_line: line }) => line !== null) : []), [report, isAll]);
  if (report.included.length === 0 && !isAll) return <Empty title="No file is in the pack" />;
  const toggle = (path: string) => setClosed(new Set(closed.has(path) ? [...closed].filter((it) => it !== path) : [...closed, path]));
  const isHidden = ({ path }: TreeEntry) => [...closed].some((folder) => path !== folder && path.startsWith(folder));
  return (
    <div class="files">
      <label class="check files-all"><input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />Show files that were left out</label>
      <table class="figures file-tree" aria-label="Files of the pack">
        <thead>
          <tr>
            <th scope="col">File</th><th scope="col" class="number">Chunks</th><th scope="col" class="number">Tokens</th><th scope="col" class="number c-share">Share</th>
            {state.price > 0 && <th scope="col" class="number">Cost</th>}<th scope="col"><span class="visually-hidden">Edit</span></th>
          </tr>
        </thead>
        <tbody>
          {entries.filter((entry) => !isHidden(entry)).map((entry) => (
            <Entry key={entry.path} entry={entry} isClosed={closed.has(entry.path)} onToggle={toggle} state={state} shown={shown} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The name of one or more folders, which breaks after slashes. */
const FolderName = ({ name }: { name: string }) => <>{name.split(/(?<=\/)(?=.)/).map((part) => [part, <wbr />])}</>;

interface EntryProps {
  entry: TreeEntry;
  isClosed: boolean;
  onToggle: (path: string) => void;
  state: State;
  shown: Shown;
}

function Entry({ entry, isClosed, onToggle, state, shown }: EntryProps) {
  const { path, name, isFolder, tokens, chunks, leftOut } = entry;
  const open = () => (tokens > 0 ? showFile(path) : update({ tab: "excluded", filter: path, selected: "" }));
  return (
    <tr class={`${isFolder ? "folder-row" : "file-row"}${tokens === 0 ? " is-off" : ""}`} data-path={path}>
      <th scope="row" style={{ "--depth": entry.depth }}>
        {isFolder
          ? <button type="button" class="tree-button" aria-expanded={!isClosed} onClick={() => onToggle(path)}><span class={`twist${isClosed ? "" : " is-open"}`}><Icon name="down" /></span><span><FolderName name={visible(name)} /></span></button>
          : <button type="button" class="tree-button" title={visible(path)} onClick={open}>{visible(name)}</button>}
      </th>
      <td class="number">{chunks > 0 ? integer(chunks) : ""}{leftOut > 0 && <span class="muted"> {chunks > 0 ? "+" : ""}{integer(leftOut)} out</span>}</td>
      <td class="number">{tokens > 0 ? integer(tokens) : "–"}</td>
      <td class="number c-share">{tokens > 0 ? percent(tokens, shown.pack.report.total_tokens) : ""}</td>
      {state.price > 0 && <td class="number">{tokens > 0 ? money(tokens, state.price) : ""}</td>}
      <td class="c-edit">{!isFolder && tokens > 0 && <CopyFile path={path} pack={shown.pack} />}<EditButtons target={{ path }} state={state} shown={shown} /></td>
    </tr>
  );
}
