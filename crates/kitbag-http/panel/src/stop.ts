// Where a pack stopped and why, in words, and the reasons of the chunks that were left out.

import { below, count, integer } from "./format";
import type { Chunk, Report, Settings } from "./types";

interface ReasonText {
  title: string;
  explanation: string;
}

const REASONS: Record<string, ReasonText> = {
  below_stop: { title: "Not likely to matter", explanation: "Their relevance is below the point at which the pack stops." },
  binary: { title: "Binary files", explanation: "They contain no text." },
  budget: { title: "Did not fit", explanation: "They were next in rank, but the budget was used up." },
  denied: { title: "Denied", explanation: "Files with secrets, and files that the configuration denies, are never read." },
  empty: { title: "Empty", explanation: "There is only whitespace." },
  duplicate: { title: "Duplicates", explanation: "The same content is in the pack already." },
  line_too_long: { title: "Too long a line", explanation: "A single line exceeds the size of a chunk." },
  max_chunks: { title: "Over the number of chunks", explanation: "The request limits the number of chunks." },
  near_duplicate: { title: "Nearly the same", explanation: "A chunk with nearly the same words is in the pack." },
  outside_root: { title: "Outside of the repository", explanation: "Only files below the root are read." },
  overlap: { title: "Overlaps", explanation: "Their lines overlap a chunk with a higher rank." },
  score: { title: "Score too low", explanation: "Their score is below the configured minimum." },
  already_sent: { title: "Sent before", explanation: "An earlier pack of the session has these lines." },
  provider_limit: { title: "Over the limit of a provider", explanation: "The provider returns a limited number of items." },
  too_many_sources: { title: "Too many sources", explanation: "The number of sources is limited." },
  too_large: { title: "Too large", explanation: "The file exceeds the maximum size." },
  unparsed: { title: "Not parsed", explanation: "A parser reached its limit." },
  unreadable: { title: "Unreadable", explanation: "The file could not be read." },
};

export interface ReasonGroup extends ReasonText {
  reason: string;
  chunks: Chunk[];
}

/** Groups chunks by the reason of their exclusion, the most interesting groups first. */
export function reasonGroups(excluded: Chunk[]): ReasonGroup[] {
  const groups = new Map<string, Chunk[]>();
  for (const chunk of excluded) groups.set(chunk.reason ?? "", [...(groups.get(chunk.reason ?? "") ?? []), chunk]);
  const order = ["budget", "below_stop"];
  const rank = (reason: string) => (order.includes(reason) ? order.indexOf(reason) : order.length);
  return [...groups]
    .sort(([a, first], [b, second]) => rank(a) - rank(b) || second.length - first.length || (a < b ? -1 : 1))
    .map(([reason, chunks]) => ({ reason, chunks, ...(REASONS[reason] ?? { title: reason.replaceAll("_", " "), explanation: "" }) }));
}

/** Says where the pack stopped and why. */
export function stopSentence(report: Report, settings: Settings | undefined): string {
  const { included, excluded, total_tokens: used, budget } = report;
  if (included.length === 0) return excluded.length === 0 ? "Nothing was found." : "Nothing is in the pack.";
  const overBudget = excluded.filter(({ reason }) => reason === "budget").length;
  if (overBudget > 0) return `Stopped at the budget: ${count(overBudget, "chunk that may matter does", "chunks that may matter do")} not fit.`;
  const stopped = excluded.filter(({ reason }) => reason === "below_stop");
  if (stopped.length > 0) {
    const limit = settings?.get("context.selection.stop_below");
    const best = Math.max(...stopped.map(({ factors }) => factors?.relevance ?? 0));
    const isKnown = typeof limit === "number";
    const [where, next] = isKnown ? [` of ${limit}`, below(best, limit)] : ["", best.toFixed(3)];
    return `Stopped at the relevance limit${where}: the next of ${count(stopped.length, "chunk")} has ${next}. ${integer(budget - used)} tokens are free.`;
  }
  return `Everything that was found is in the pack. ${integer(budget - used)} tokens are free.`;
}

/** Explains an order in which scores do not decrease, or returns null if they do. */
export function orderNote(included: Chunk[], profile: string): string | null {
  const ranked = included.filter(({ pinned }) => pinned !== true);
  const isByScore = ranked.every((chunk, index) => index === 0 || (chunk.score ?? 0) <= (ranked[index - 1]?.score ?? 0) + 1e-9);
  if (!isByScore) return `The profile ${profile} orders by the priority of providers first, and by score within each.`;
  return ranked.length < included.length ? "Pinned chunks come first, then the others by score." : null;
}
