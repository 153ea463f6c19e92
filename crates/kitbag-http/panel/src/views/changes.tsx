// Differences from another pack: the one before, or any of the history.

import type { Change } from "../changes";
import { chunkKey } from "../changes";
import { count, integer, timestamp } from "../format";
import { compareWith } from "../session";
import { update, type Shown, type State } from "../store";
import type { PackSummary } from "../types";
import { visible } from "../visible";
import { taskLabel } from "./feed";
import { Empty, Location, SymbolName } from "./parts";

const MAX_LISTED = 300;

/** The summary above the tabs. */
export function ChangesSummary({ shown }: { shown: Shown }) {
  const { changes } = shown;
  if (!changes) return null;
  const { added, removed, reshaped, reranked } = changes;
  const isSame = added.length + removed.length + reshaped.length === 0;
  return (
    <p class="changes-summary" id="changes-summary">
      {isSame ? <span class="muted">Same chunks as the pack before{reranked > 0 && `, ${integer(reranked)} with a different rank`}.</span> : (
        <>
          <span class="muted">Compared with the pack before:</span>
          {added.length > 0 && <span class="added">+{integer(added.length)} added</span>}
          {removed.length > 0 && <span class="removed">−{integer(removed.length)} removed</span>}
          {reshaped.length > 0 && <span class="muted">{integer(reshaped.length)} in another form</span>}
          <button type="button" class="link-button" onClick={() => update({ tab: "changes" })}>Show changes</button>
        </>
      )}
    </p>
  );
}

export function ChangesView({ state, shown }: { state: State; shown: Shown }) {
  return (
    <div>
      <PackChoice feed={state.feed} shown={shown} />
      <ChangeLists shown={shown} />
    </div>
  );
}

/** Chooses the pack to compare with. */
function PackChoice({ feed, shown }: { feed: PackSummary[]; shown: Shown }) {
  const others = feed.filter(({ id }) => id !== shown.pack.id);
  const baselineId = shown.baseline?.id ?? "";
  const isListed = others.some(({ id }) => id === baselineId);
  return (
    <div class="field compare-field">
      <label for="compare">Compare with</label>
      <select id="compare" value={baselineId} onChange={(event) => void compareWith(event.currentTarget.value)}>
        <option value="">{shown.baseline && !isListed ? "the pack before" : "no other pack"}</option>
        {others.map((it) => <option value={it.id}>{timestamp(it.created_at)} · {visible(it.repo)} · {integer(it.total_tokens)} tokens · {taskLabel(it).slice(0, 80)}</option>)}
      </select>
    </div>
  );
}

function ChangeLists({ shown }: { shown: Shown }) {
  const { changes, baseline, pack } = shown;
  if (!changes || !baseline) {
    return <Empty title="Nothing to compare with yet"><p>Change a weight, a provider or the budget to see which chunks are added and removed, or choose a pack above.</p></Empty>;
  }
  const { added, removed, reshaped, unchanged, reranked } = changes;
  const repos = [baseline.request.repo ?? "", pack.request.repo ?? ""];
  if (added.length + removed.length + reshaped.length === 0) {
    return <Empty title="Same chunks"><p>{reranked > 0 ? `${count(reranked, "chunk has", "chunks have")} a different rank.` : "The order is the same, too."}</p></Empty>;
  }
  return (
    <div class="changes">
      {repos[0] !== repos[1] && <p class="warnings wide">The packs are of different repositories: {visible(repos[0] ?? "")} and {visible(repos[1] ?? "")}.</p>}
      <p class="muted wide">{integer(baseline.report.total_tokens)} → {integer(pack.report.total_tokens)} tokens, {count(unchanged, "chunk")} unchanged, {integer(reranked)} with a different rank.</p>
      <Section title="Added" className="added" list={added} />
      <Section title="Removed" className="removed" list={removed} />
      {reshaped.length > 0 && <Section title="In another form" className="reshaped" list={reshaped} />}
    </div>
  );
}

function Section({ title, className, list }: { title: string; className: string; list: Change[] }) {
  return (
    <section class={`change-part ${className}`}>
      <h3>{title} <span class="number muted">{integer(list.length)}</span></h3>
      {list.length === 0 ? <p class="muted">None.</p> : <ul>{list.slice(0, MAX_LISTED).map((change) => <Item change={change} />)}</ul>}
      {list.length > MAX_LISTED && <p class="muted">and {integer(list.length - MAX_LISTED)} more</p>}
    </section>
  );
}

function Item({ change: { chunk, before, after, reason } }: { change: Change }) {
  const tab = chunk.reason === undefined && after !== null ? "included" : "excluded";
  return (
    <li>
      <button type="button" class="link-button" onClick={() => update({ tab, selected: chunkKey(chunk), filter: "", line: null })}>
        <Location path={chunk.path} start={chunk.start_line} end={chunk.end_line} />
      </button>
      {chunk.symbol != null && <SymbolName symbol={chunk.symbol} />}
      <span class="muted number place">{ranks(before, after)}</span>
      <span class="muted reason-text">{before !== null && after !== null ? "" : before === null ? "Before: " : "Now: "}{visible(reason)}</span>
    </li>
  );
}

function ranks(before: number | null, after: number | null): string {
  if (before !== null && after !== null) return `rank ${before} → ${after}`;
  return before === null ? `rank ${after ?? ""} now` : `rank ${before} before`;
}
