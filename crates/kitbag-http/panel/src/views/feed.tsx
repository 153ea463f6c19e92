// The history: packs of this page and of agents, as they are made, and those of the records.

import { useMemo } from "preact/hooks";
import { compact, count, duration, integer, timestamp } from "../format";
import { open } from "../session";
import type { PackSummary } from "../types";
import { visible } from "../visible";
import { isNarrow } from "./rail";

const MAX_FILES = 2;

export function FeedList({ feed, currentId }: { feed: PackSummary[]; currentId: string }) {
  const onKeyDown = (event: KeyboardEvent) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = event.target instanceof Element ? event.target.closest("li") : null;
    const target = offset === 1 ? item?.nextElementSibling : offset === -1 ? item?.previousElementSibling : null;
    if (!target) return;
    event.preventDefault();
    target.querySelector("button")?.focus();
  };
  const isLost = feed.some(({ has_task: hasTask }) => !hasTask);
  const tabStop = feed.some(({ id }) => id === currentId) ? currentId : feed[0]?.id;
  return useMemo(() => (
    <>
      {isLost && <p class="note-plain muted" id="tasks-note">Records keep no tasks. To keep them, set <code>context.record.tasks</code> in your own configuration.</p>}
      <ol id="feed" class="feed" aria-label="Packs, newest first" onKeyDown={onKeyDown}>
        {feed.length === 0 && <li class="muted empty-note">Packs of agents and of this page appear here.</li>}
        {feed.map((summary, index) => (
          <FeedItem key={summary.id} summary={summary} isCurrent={summary.id === currentId} isTabStop={summary.id === tabStop} isRepeat={isRepeat(summary, feed[index - 1])} />
        ))}
      </ol>
    </>
  ), [feed, currentId]);
}

/** Returns whether a pack has the same title as the one above it, which is then not repeated. */
const isRepeat = (summary: PackSummary, above: PackSummary | undefined): boolean =>
  above !== undefined && summary.repo === above.repo && taskLabel(summary) === taskLabel(above);

interface ItemProps {
  summary: PackSummary;
  isCurrent: boolean;
  isTabStop: boolean;
  isRepeat: boolean;
}

function FeedItem({ summary, isCurrent, isTabStop, isRepeat }: ItemProps) {
  const source = interfaceLabel(summary);
  const agent = summary.agent_id === "page" || !summary.agent_id ? "" : summary.agent_id;
  // Every pack changes the list, but hardly any of its items.
  return useMemo(() => (
    <li>
      <button
        type="button" class="feed-item" data-id={summary.id} title={description(summary)} tabIndex={isTabStop ? 0 : -1} aria-current={isCurrent ? "true" : undefined}
        onClick={() => void openPack(summary.id)}
      >
        <span class={`feed-task${summary.has_task && summary.task ? "" : " is-unknown"}${isRepeat ? " visually-hidden" : ""}`}>{taskLabel(summary).slice(0, 160)}</span>
        <span class="feed-about">
          <span class={`chip interface-${source.toLowerCase()}`}>{source}</span>
          <span class="feed-who"><span class="feed-repo">{visible(summary.repo)}</span>{[agent, summary.profile === "agent" ? "" : summary.profile].filter(Boolean).map((it) => ` · ${visible(it)}`)}</span>
          {summary.partial && <span class="chip warn">partial</span>}
          <span class="number">{compact(summary.total_tokens)} of {compact(summary.budget)}</span>
          <time class="number">{timestamp(summary.created_at)}</time>
        </span>
      </button>
    </li>
  ), [summary, isCurrent, isTabStop, isRepeat]);
}

async function openPack(id: string): Promise<void> {
  if (await open(id) && isNarrow()) document.getElementById("result")?.scrollIntoView();
}

/** Returns the task of a pack on one line, or else its first files. */
export function taskLabel({ task, has_task: hasTask, files }: PackSummary): string {
  if (hasTask) return task ? visible(task.replace(/\s*\n\s*/g, " ")) : "No task";
  const names = (files ?? []).slice(0, MAX_FILES).map((path) => visible(path.slice(path.lastIndexOf("/") + 1)));
  return names.length > 0 ? `${names.join(", ")}${(files ?? []).length > MAX_FILES ? ", …" : ""}` : "Empty pack, task not kept";
}

function description(summary: PackSummary): string {
  return [
    `${count(summary.total_tokens, "token")} of ${integer(summary.budget)}`, count(summary.included, "chunk"), duration(summary.duration_ms), visible(summary.repo),
  ].join(", ");
}

/** Returns the label of the interface a pack was requested over. */
export function interfaceLabel(summary: PackSummary): string {
  if (summary.agent_id === "page") return "page";
  return ["http", "mcp", "cli"].includes(summary.interface) ? summary.interface.toUpperCase() : visible(summary.interface);
}
