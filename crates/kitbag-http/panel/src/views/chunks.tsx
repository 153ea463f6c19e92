// The lists of included and left-out chunks, with a filter, sortable columns and the selected chunk next to them.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { chunkKey } from "../changes";
import { pinOf } from "../edits";
import { colors, distinguishingFolders } from "../folders";
import { count, integer, relevance as relevanceText } from "../format";
import { orderNote, reasonGroups, type ReasonGroup } from "../stop";
import { chunksOf, update, type Shown, type State } from "../store";
import type { Chunk, ListName } from "../types";
import { lineRange, visible } from "../visible";
import { CodePane } from "./code";
import { EditButtons } from "./edit-buttons";
import { Empty } from "./parts";
import { Splitter } from "./splitter";

type Column = "rank" | "path" | "tokens" | "relevance";

interface Row {
  chunk: Chunk;
  key: string;
  rank: number;
  /** Text that the filter searches. */
  text: string;
}

const PAGE_SIZE = 200;
const WIDE = "(min-width: 1100px)";

export function ChunkSplit({ name, state, shown }: { name: ListName; state: State; shown: Shown }) {
  const { pack } = shown;
  const isWide = useMedia(WIDE);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [column, setColumn] = useState<Column>("rank");
  const [isDescending, setDescending] = useState(false);
  const [group, setGroup] = useState("");
  const rows = useMemo(() => rowsOf(chunksOf(pack, name)), [pack, name]);
  const found = useMemo(() => foundRows(rows, { filter: state.filter, group, column, isDescending }), [rows, state.filter, group, column, isDescending]);
  // The pane shows a listed chunk, whatever was selected before.
  const selected = found.find(({ key }) => key === state.selected) ?? found[0];
  const select = (row: Row | undefined) => {
    if (!row) return;
    update({ selected: row.key, line: null });
    if (!isWide) setSheetOpen(true);
  };
  const sortBy = (next: Column) => {
    setDescending(next === column ? !isDescending : next === "tokens" || next === "relevance");
    setColumn(next);
  };
  const pane = selected && <CodePane key="pane" state={state} shown={shown} chunk={selected.chunk} rank={name === "included" ? selected.rank : null} />;
  return (
    <div class="split">
      <div class="list">
        <ListTools name={name} filter={state.filter} found={found} all={rows} group={group} onGroup={setGroup} />
        {name === "included" && <OrderNote shown={shown} />}
        {found.length === 0 ? <NoRows name={name} filter={state.filter} /> : (
          <ChunkTable name={name} shown={shown} state={state} rows={found} selected={selected} sort={{ column, isDescending, sortBy }} onSelect={select} />
        )}
      </div>
      {isWide ? <><Splitter />{pane}</> : isSheetOpen && pane && <Sheet onClose={() => setSheetOpen(false)}>{pane}</Sheet>}
    </div>
  );
}

/** Returns whether a media query matches. */
export function useMedia(query: string): boolean {
  const [isMatch, setMatch] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const list = window.matchMedia(query);
    const onChange = () => setMatch(list.matches);
    list.addEventListener("change", onChange);
    return () => list.removeEventListener("change", onChange);
  }, [query]);
  return isMatch;
}

/** A sheet over the page, where the code does not fit next to the list. */
function Sheet({ children, onClose }: { children: preact.ComponentChildren; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    return () => document.querySelector<HTMLElement>(".chunks [aria-current]")?.focus({ preventScroll: true });
  }, []);
  return (
    <dialog class="sheet" id="sheet" aria-label="Selected chunk" ref={dialog} onClose={onClose}>
      <button type="button" class="quiet back" onClick={onClose}>← Back to the list</button>
      {children}
    </dialog>
  );
}

function rowsOf(chunks: Chunk[]): Row[] {
  return chunks.map((chunk, index) => ({
    chunk, key: chunkKey(chunk), rank: index + 1,
    text: [chunk.path, chunk.symbol, chunk.kind, chunk.provider, chunk.form, chunk.reason, chunk.detail].join(" ").toLowerCase(),
  }));
}

interface Search {
  filter: string;
  group: string;
  column: Column;
  isDescending: boolean;
}

function foundRows(rows: Row[], { filter, group, column, isDescending }: Search): Row[] {
  const words = filter.trim().toLowerCase().split(/\s+/);
  const found = rows.filter((row) => (!group || row.chunk.reason === group) && words.every((word) => row.text.includes(word)));
  const value = ({ chunk, rank }: Row) => ({ rank, tokens: chunk.tokens, relevance: chunk.factors?.relevance ?? -1, path: 0 })[column];
  const byPath = (a: Row, b: Row) => (a.chunk.path < b.chunk.path ? -1 : a.chunk.path > b.chunk.path ? 1 : (a.chunk.start_line ?? 0) - (b.chunk.start_line ?? 0));
  const order = (a: Row, b: Row) => (column === "path" ? byPath(a, b) : value(a) - value(b));
  return found.sort((a, b) => order(a, b) * (isDescending ? -1 : 1) || a.rank - b.rank);
}

interface ToolsProps {
  name: ListName;
  filter: string;
  found: Row[];
  all: Row[];
  group: string;
  onGroup: (group: string) => void;
}

function ListTools({ name, filter, found, all, group, onGroup }: ToolsProps) {
  const groups = useMemo(() => (name === "excluded" ? reasonGroups(all.map(({ chunk }) => chunk)) : []), [name, all]);
  const chosen = groups.find(({ reason }) => reason === group) ?? (groups.length === 1 ? groups[0] : undefined);
  const tokens = found.reduce((sum, { chunk }) => sum + chunk.tokens, 0);
  return (
    <div class="list-tools">
      <input
        type="search" class="filter" placeholder="Filter by path, symbol, kind" aria-label={`Filter ${name} chunks`} value={filter}
        onInput={(event) => update({ filter: event.currentTarget.value })}
      />
      {groups.length > 1 && (
        <div class="chips" role="group" aria-label="Reasons">
          {groups.map((it) => <GroupChip key={it.reason} group={it} isChosen={it.reason === group} onClick={() => onGroup(it.reason === group ? "" : it.reason)} />)}
        </div>
      )}
      {chosen && <p class="muted list-note">{chosen.title}: {chosen.explanation}</p>}
      <p class="muted list-note number" role="status">{found.length < all.length ? `${integer(found.length)} of ${count(all.length, "chunk")} · ${count(tokens, "token")}` : ""}</p>
    </div>
  );
}

const GroupChip = ({ group, isChosen, onClick }: { group: ReasonGroup; isChosen: boolean; onClick: () => void }) => (
  <button type="button" class="chip-button" data-reason={group.reason} aria-pressed={isChosen} onClick={onClick}>
    {visible(group.title)} <span class="number">{integer(group.chunks.length)}</span>
  </button>
);

function OrderNote({ shown }: { shown: Shown }) {
  const { report, request } = shown.pack;
  const note = orderNote(report.included, request.profile ?? "agent");
  return note && <p class="muted list-note" id="order-note">{visible(note)}</p>;
}

function NoRows({ name, filter }: { name: ListName; filter: string }) {
  if (filter) {
    return <Empty title="No chunk matches the filter"><button type="button" class="button" onClick={() => update({ filter: "" })}>Clear the filter</button></Empty>;
  }
  return <Empty title={name === "included" ? "The pack is empty" : "Nothing was left out"}>{name === "included" && <p>The tab Left out says why.</p>}</Empty>;
}

interface TableProps {
  name: ListName;
  shown: Shown;
  state: State;
  rows: Row[];
  selected: Row | undefined;
  sort: { column: Column; isDescending: boolean; sortBy: (column: Column) => void };
  onSelect: (row: Row | undefined) => void;
}

function ChunkTable({ name, shown, state, rows, selected, sort, onSelect }: TableProps) {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const body = useRef<HTMLTableSectionElement>(null);
  const palette = useMemo(() => colors(shown.pack.report), [shown]);
  const parents = useMemo(() => distinguishingFolders(rows.map(({ chunk }) => visible(chunk.path))), [rows]);
  const added = useMemo(() => new Set((shown.changes?.added ?? []).map(({ chunk }) => chunkKey(chunk))), [shown]);
  const isComparable = (shown.baseline?.request.profile ?? "agent") === (shown.pack.request.profile ?? "agent");
  const listed = rows.slice(0, limit);
  const move = (offset: number) => {
    const index = listed.findIndex(({ key }) => key === selected?.key);
    const next = listed[Math.min(listed.length - 1, Math.max(0, index + offset))];
    if (!next) return;
    update({ selected: next.key, line: null });
    const element = body.current?.querySelector<HTMLElement>(`tr:nth-child(${listed.indexOf(next) + 1})`);
    element?.scrollIntoView({ block: "nearest" });
    element?.querySelector<HTMLElement>(".where")?.focus({ preventScroll: true });
  };
  moveSelection = move;
  const onKeyDown = (event: KeyboardEvent) => {
    const offset = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e6, End: 1e6 }[event.key];
    if (offset === undefined) return;
    event.preventDefault();
    move(offset);
  };
  return (
    <>
      <table class={`chunks ${name}`} aria-label={name === "included" ? "Included chunks" : "Chunks that were left out"}>
        <TableHead sort={sort} />
        <tbody ref={body} onKeyDown={onKeyDown}>
          {listed.map((row) => (
            <ChunkRow
              key={row.key} row={row} parent={parents.get(visible(row.chunk.path)) ?? ""} color={palette.get(row.chunk.path) ?? null} isNew={name === "included" && isComparable && added.has(row.key)}
              isPinned={pinOf(state.form, row.chunk) !== undefined} isSelected={row.key === selected?.key} state={state} shown={shown} onSelect={onSelect}
            />
          ))}
        </tbody>
      </table>
      {rows.length > limit && <button type="button" class="quiet more" onClick={() => setLimit(limit + PAGE_SIZE)}>Show {Math.min(PAGE_SIZE, rows.length - limit)} more of {integer(rows.length)}</button>}
    </>
  );
}

/** Moves the selection of the list on screen. */
export let moveSelection: (offset: number) => void = () => undefined;

function TableHead({ sort }: { sort: TableProps["sort"] }) {
  const column = (id: Column, label: string, title: string) => (
    <th scope="col" class={`c-${id}`} aria-sort={sort.column === id ? (sort.isDescending ? "descending" : "ascending") : "none"}>
      <button type="button" class="sort" title={title} onClick={() => sort.sortBy(id)}>{label}</button>
    </th>
  );
  return (
    <thead>
      <tr>
        {column("rank", "#", "Rank")}{column("path", "Chunk", "File, lines and symbol")}{column("tokens", "Tokens", "Tokens of the lines shown")}
        {column("relevance", "Rel.", "Chance that the chunk matters for the task")}
      </tr>
    </thead>
  );
}

/** Returns the last part of a symbol path, which says most. Headings are kept. */
const shortSymbol = (symbol: string): string => (/\s/.test(symbol) ? symbol : (symbol.split(/\.|::/).filter(Boolean).at(-1) ?? symbol));

interface RowProps {
  row: Row;
  /** Folders that distinguish the file from others with its name. */
  parent: string;
  color: number | null;
  isNew: boolean;
  isPinned: boolean;
  isSelected: boolean;
  state: State;
  shown: Shown;
  onSelect: (row: Row) => void;
}

function ChunkRow({ row, parent, color, isNew, isPinned, isSelected, state, shown, onSelect }: RowProps) {
  const { chunk } = row;
  const path = visible(chunk.path);
  const cut = path.lastIndexOf("/") + 1;
  const lines = lineRange(chunk.start_line, chunk.end_line);
  const [firstLine = ""] = lines.split("-");
  const relevance = chunk.factors?.relevance ?? null;
  return (
    <tr class={`${isSelected ? "is-selected" : ""}${isNew ? " is-new" : ""}`} onClick={() => onSelect(row)}>
      <td class="c-rank number">{row.rank}</td>
      <td class="c-path">
        <span class="where-line">
          <span class={`swatch ${color === null ? "none" : `folder-${color}`}`} />
          <button
            type="button" class="where" tabIndex={isSelected ? 0 : -1} aria-current={isSelected ? "true" : undefined} aria-label={`${path}${lines}`} title={`${path}${lines}`}
            onClick={(event) => { event.stopPropagation(); onSelect(row); }}
          >
            {parent !== "" && <span class="parent">{parent}</span>}<span class="file">{path.slice(cut)}</span><span class="lines number">{firstLine}<span class="last-line">{lines.slice(firstLine.length)}</span></span>
          </button>
          {(isPinned || chunk.pinned) && <span class="chip pinned">pinned</span>}
          {isNew && <span class="chip new">new</span>}
          {chunk.form !== undefined && chunk.form !== "full" && <span class="chip form">{chunk.form}</span>}
          <span class="row-details">
            {chunk.symbol != null && <span class="symbol" title={visible(chunk.symbol)}>{shortSymbol(visible(chunk.symbol))}</span>}
            {cut > 0 && <span class="folder muted"><span>{path.slice(0, cut - 1)}</span></span>}
          </span>
        </span>
        <EditButtons target={{ chunk }} state={state} shown={shown} isTabStop={isSelected} />
      </td>
      <td class="c-tokens number">{integer(chunk.tokens)}</td>
      <td class="c-relevance number">{relevance === null ? "–" : relevanceText(relevance)}</td>
    </tr>
  );
}
