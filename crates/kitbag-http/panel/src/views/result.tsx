// The result: totals, budget bar, notes and tabs of the pack on screen.

import { useMemo, useRef } from "preact/hooks";
import { expectedRelevant } from "../curve";
import { count, duration, integer, money } from "../format";
import { adopt, closeViewed, submit } from "../session";
import { stopSentence } from "../stop";
import { getState, isOutdated, TABS, update, type Shown, type State, type TabName } from "../store";
import type { PackSummary } from "../types";
import { visible } from "../visible";
import { BudgetBar } from "./budget-bar";
import { ChangesSummary, ChangesView } from "./changes";
import { ChunkSplit } from "./chunks";
import { DetailsView } from "./details";
import { formOf } from "./edit-buttons";
import { interfaceLabel, taskLabel } from "./feed";
import { FilesView } from "./files";
import { packAndFocus } from "./rail";
import { RulesView } from "./rules";
import { TextView } from "./text";

const LABELS: Record<TabName, string> = {
  included: "Included", files: "Files", excluded: "Left out", changes: "Compare", text: "Text", rules: "Rules", details: "Details",
};

export function Result({ state }: { state: State }) {
  const { shown } = state;
  if (!shown) return null;
  const isOld = isOutdated(state) || state.problem !== null;
  return (
    <div id="body" class={isOld ? "is-old" : ""}>
      <OldNote state={state} />
      {shown.summary && <ViewingBanner shown={shown} summary={shown.summary} />}
      <Headline state={state} shown={shown} />
      <BudgetBar pack={shown.pack} />
      <Warnings shown={shown} />
      {shown.changes && <ChangesSummary shown={shown} />}
      <Tabs state={state} shown={shown} />
    </div>
  );
}

/** Says that the pack on screen is not the one of the form. */
function OldNote({ state }: { state: State }) {
  if (state.problem) return <p class="old-note" id="old-note">Below is the last pack, made before this error.</p>;
  if (!isOutdated(state)) return null;
  return (
    <p class="old-note" id="old-note">
      The request has changed since this pack. <button type="button" class="link-button" onClick={() => void packAndFocus()}>Pack again</button>
    </p>
  );
}

function Headline({ state, shown }: { state: State; shown: Shown }) {
  const { report, request, settings } = shown.pack;
  const files = new Set(report.included.map((chunk) => chunk.path)).size;
  const total = report.timings.find((it) => it.stage === "total")?.ms;
  const expected = expectedRelevant(report.included);
  return (
    <header class="headline">
      <p class="big number">
        <b id="total">{integer(report.total_tokens)}</b><span class="of"> of {integer(report.budget)} tokens</span>
        {shown.isPreview && <span class="chip preview">preview</span>}
      </p>
      <dl class="facts-line">
        {state.price > 0 && <Fact id="cost" value={money(report.total_tokens, state.price)} name="cost" />}
        <Fact value={integer(report.included.length)} name={report.included.length === 1 ? "chunk" : "chunks"} />
        <Fact value={integer(files)} name={files === 1 ? "file" : "files"} />
        <Fact id="expected" value={expected < 10 ? expected.toFixed(1) : integer(Math.round(expected))} name="expected to matter" />
        <Fact value={visible(request.repo ?? state.repositories[0]?.name ?? "")} name="repository" />
        {total !== undefined && <Fact value={duration(total)} name={report.tokenizer.exact ? visible(report.tokenizer.name) : `${visible(report.tokenizer.name)}, estimate`} />}
      </dl>
      <p class="stop muted" id="stop">{stopSentence(report, settings)} <FillButton state={state} shown={shown} /></p>
    </header>
  );
}

/** Fills the budget of a pack that ends by relevance, where a larger budget alone changes nothing. */
function FillButton({ state, shown }: { state: State; shown: Shown }) {
  const { report, request } = shown.pack;
  const isStopped = report.excluded.some(({ reason }) => reason === "below_stop") && report.excluded.every(({ reason }) => reason !== "budget");
  if (!isStopped || request.fill || shown.isPreview) return null;
  return <button type="button" class="link-button" id="fill" onClick={() => void submit({ ...formOf(state, shown), fill: true })}>Fill the budget</button>;
}

const Fact = ({ value, name, id }: { value: string; name: string; id?: string }) => (
  <div class="fact"><dd class="number" id={id}>{value}</dd><dt>{name}</dt></div>
);

function Warnings({ shown }: { shown: Shown }) {
  const { report } = shown.pack;
  const warnings = [...(report.partial ? ["The pack is partial: a deadline or a parser limit cut something off."] : []), ...report.warnings];
  if (warnings.length === 0) return null;
  return <ul class="warnings">{warnings.map((text) => <li>{visible(text)}</li>)}</ul>;
}

function ViewingBanner({ shown, summary }: { shown: Shown; summary: PackSummary }) {
  const { task } = shown.pack.request;
  return (
    <div class="viewing" role="note">
      <p><b>{originLabel(summary)}</b>: <span class="viewing-task">{taskLabel(task ? { ...summary, task, has_task: true } : summary)}</span></p>
      <div class="viewing-tools">
        <button type="button" class="quiet" onClick={() => void adopt()}>Use this request</button>
        <button type="button" class="quiet" onClick={closeViewed}>Close</button>
      </div>
    </div>
  );
}

function originLabel(summary: PackSummary): string {
  if (summary.agent_id === "page") return "Earlier pack of the page";
  const agent = summary.agent_id ? ` by ${visible(summary.agent_id)}` : "";
  if (summary.interface === "cli") return `Pack from the command line${agent}`;
  return ["http", "mcp"].includes(summary.interface) ? `Pack over ${interfaceLabel(summary)}${agent}` : `Pack from another program${agent}`;
}

/** Opens a tab, and moves the focus to it if it was opened by a key. */
export function openTab(tab: TabName, isFocused = false): void {
  update({ tab });
  if (isFocused) requestAnimationFrame(() => document.getElementById(`tab-${tab}`)?.focus({ preventScroll: true }));
}

/** Tabs that follow the ARIA authoring practices: one tab stop, arrow keys, a labeled panel. */
function Tabs({ state, shown }: { state: State; shown: Shown }) {
  const { report } = shown.pack;
  const row = useRef<HTMLDivElement>(null);
  const counts: Partial<Record<TabName, number>> = {
    included: report.included.length, excluded: report.excluded.length,
    ...(shown.changes && { changes: shown.changes.added.length + shown.changes.removed.length }),
    ...(report.rules && { rules: report.rules.length }),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = TABS.indexOf(state.tab);
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const to = by === undefined ? { Home: 0, End: TABS.length - 1 }[event.key] : (at + by + TABS.length) % TABS.length;
    if (to === undefined) return;
    event.preventDefault();
    openTab(TABS[to] ?? "included", true);
  };
  return (
    <div class="tab-box">
      <div class="tabs" role="tablist" aria-label="Views of the pack" ref={row} onKeyDown={onKeyDown}>
        {TABS.map((tab, index) => (
          <button
            type="button" role="tab" id={`tab-${tab}`} class="tab" aria-controls="panel" title={`${LABELS[tab]} (${index + 1})`} aria-selected={state.tab === tab}
            tabIndex={state.tab === tab ? 0 : -1} onClick={() => openTab(tab)} onFocus={(event) => event.currentTarget.scrollIntoView({ block: "nearest", inline: "nearest" })}
          >
            {LABELS[tab]}{counts[tab] !== undefined && <span class="tab-count number">{integer(counts[tab])}</span>}
          </button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${state.tab}`}><Panel state={state} shown={shown} /></div>
    </div>
  );
}

function Panel({ state, shown }: { state: State; shown: Shown }) {
  const { tab, form, selected, filter, line, price, feed } = state;
  return useMemo(() => {
    switch (tab) {
      case "included":
      case "excluded":
        return <ChunkSplit key={tab} name={tab} state={state} shown={shown} />;
      case "files":
        return <FilesView state={state} shown={shown} />;
      case "changes":
        return <ChangesView state={state} shown={shown} />;
      case "text":
        return <TextView pack={shown.pack} isPreview={shown.isPreview} summary={shown.summary} />;
      case "rules":
        return <RulesView state={state} shown={shown} />;
      default:
        return <DetailsView pack={shown.pack} />;
    }
    // The form counts only as far as its edits are shown.
  }, [shown, tab, form.pins, form.excludes, selected, filter, line, price, tab === "changes" ? feed : null]);
}

/** Returns a text about the tokens of a part, with its cost if there is a price. */
export function tokensText(tokens: number): string {
  const { price } = getState();
  return `${count(tokens, "token")}${price > 0 ? `, ${money(tokens, price)}` : ""}`;
}
