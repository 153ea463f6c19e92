// Reasons for including a chunk. The report's are used if it has any; otherwise they are derived from
// the provider, the words that task and chunk share, and the ranking factors.

import { FACTORS, type Chunk } from "./types";
import { contributions, type Weights } from "./weights";

/** Reasons for chunks of providers other than search. */
const PROVIDER_REASONS: Record<string, string> = {
  cursor: "around the cursor",
  diagnostics: "referenced by an error or a stack trace",
  diff: "part of the change",
  document: "the open document",
  heading: "the section of the cursor",
  history: "a related commit",
  open_files: "open in the editor",
  overview: "part of the overview",
  references: "named in the request",
  rules: "from the rules of the repository",
  selection: "selected in the document",
  sources: "part of the request",
  style: "a convention of the project",
  tool_results: "output of a tool",
  tree: "the files of the repository",
};

const STOP_WORDS = new Set(`a about add all an and any are as at be by can do does for from get has have how if in into is it
  its make not of on or out so that the them then there this to use was what when where which who why will with you`.split(/\s+/));

const MAX_SHOWN_WORDS = 3;

/** Returns the reasons for including a chunk, most important first. */
export function reasonsFor(chunk: Chunk, weights: Weights, task: string): string[] {
  const reported = (chunk.why ?? []).filter((reason) => reason.trim() !== "");
  if (reported.length > 0) return reported;
  const providerReason = PROVIDER_REASONS[chunk.provider ?? ""];
  const matches = nameMatches(chunk, task);
  return [...(providerReason ? [providerReason] : []), ...matches, ...factorReasons(chunk, weights, matches.length > 0)];
}

/** Lists the words of the task that occur in the symbol and in the path. */
function nameMatches(chunk: Chunk, task: string): string[] {
  const words = keywords(task);
  const inSymbol = matching(words, chunk.symbol ?? "");
  const inPath = matching(words, chunk.path).filter((word) => !inSymbol.includes(word));
  const matches = [
    ...(inSymbol.length > 0 ? [`${quoted(inSymbol)} in its name`] : []),
    ...(inPath.length > 0 ? [`${quoted(inPath)} in its path`] : []),
  ];
  return matches.length > 0 ? [matches.join(", ")] : [];
}

function factorReasons(chunk: Chunk, weights: Weights, hasNameMatch: boolean): string[] {
  const { factors, score } = chunk;
  if (!factors || score === null) return [];
  const added = contributions(factors, weights);
  if (FACTORS.every((factor) => added[factor] <= 0)) return ["no matching factor"];
  const isRecent = factors.recency >= 0.5 && added.recency >= 0.15 * score;
  const isSearchResult = (chunk.provider ?? "search") === "search";
  return [...(isSearchResult ? relevanceReason(factors.relevance, hasNameMatch) : []), ...(isRecent ? ["changed recently"] : [])];
}

/** The relevance of a search result is the chance that it matters for the task. */
function relevanceReason(relevance: number, hasNameMatch: boolean): string[] {
  if (relevance >= 0.5) return ["very likely to matter"];
  if (relevance >= 0.2) return ["likely to matter"];
  if (hasNameMatch) return [];
  return [relevance >= 0.05 ? "may matter" : "a weak match"];
}

function keywords(text: string): string[] {
  return [...new Set(splitWords(text).filter((word) => word.length > 2 && !STOP_WORDS.has(word)))];
}

/** Returns the words that occur in a name, compared by their stems: `cookies` is in `merge_cookie`. */
function matching(words: string[], name: string): string[] {
  const stems = new Set(splitWords(name).map(stem));
  return words.filter((word) => stems.has(stem(word))).slice(0, MAX_SHOWN_WORDS);
}

/** Splits a text or an identifier in any case style into lowercase words. */
function splitWords(text: string): string[] {
  const separated = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2");
  return separated.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
}

function stem(word: string): string {
  const base = word.replace(/(?:ies|y)$/, "i").replace(/(?:ing|ed|es|s)$/, "");
  return base.length < 3 ? word : base.replace(/e$/, "");
}

const quoted = (words: string[]): string => words.map((word) => `“${word}”`).join(", ");
