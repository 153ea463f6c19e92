// Why a chunk is in. The report says it where it can; otherwise the page says what it can see itself:
// who brought the chunk, which words of the task its name has, how it compares, how new it is.

import { FACTORS, type Chunk } from "./types";
import { contributions, type Weights } from "./weights";

/** What is in without having been searched for. */
const BROUGHT: Record<string, string> = {
  cursor: "around the cursor",
  diagnostics: "an error or a stack trace points here",
  document: "the open document",
  heading: "what the cursor is under",
  history: "a change that is about the task",
  open_files: "open in the editor",
  references: "named in the request",
  rules: "a rule that applies",
  selection: "selected in the document",
  sources: "given with the request",
  style: "a convention of the project",
  tool_results: "what a tool said",
};

/** Words that say nothing about what is looked for. */
const EMPTY = new Set(`a about add all an and any are as at be by can do does for from get has have how if in into is it
  its make not of on or out so that the them then there this to use was what when where which who why will with you`.split(/\s+/));

const MOST_WORDS = 3;

/** Why a chunk is in, in short phrases; the first says most. */
export function why(chunk: Chunk, weights: Weights, task: string): string[] {
  const told = (chunk.why ?? []).filter((phrase) => phrase.trim() !== "");
  if (told.length > 0) return told;
  const brought = BROUGHT[chunk.provider ?? ""];
  const names = named(chunk, task);
  return [...(brought ? [brought] : []), ...names, ...weighed(chunk, weights, names.length > 0)];
}

/** Whether the reasons already say what kind of thing it is. */
export const saysKind = (chunk: Chunk): boolean => chunk.why === undefined && BROUGHT[chunk.provider ?? ""] !== undefined;

/** Which words of the task stand in the name of the symbol and in the path. */
function named(chunk: Chunk, task: string): string[] {
  const wanted = wordsOf(task);
  const inSymbol = matching(wanted, chunk.symbol ?? "");
  const inPath = matching(wanted, chunk.path).filter((word) => !inSymbol.includes(word));
  const places = [
    ...(inSymbol.length > 0 ? [`${quoted(inSymbol)} in its name`] : []),
    ...(inPath.length > 0 ? [`${quoted(inPath)} in its path`] : []),
  ];
  return places.length > 0 ? [places.join(", ")] : [];
}

/** What its factors say: how well a chunk that was searched for matches, and whether it is new. */
function weighed(chunk: Chunk, weights: Weights, isNamed: boolean): string[] {
  const { factors, score } = chunk;
  if (!factors || score === null) return [];
  const added = contributions(factors, weights);
  if (FACTORS.every((factor) => added[factor] <= 0)) return ["nothing speaks for it"];
  const isNew = factors.recency >= 0.5 && added.recency >= 0.15 * score;
  const isFound = chunk.provider === undefined || chunk.provider === "search";
  return [...(isFound ? matched(factors.relevance, isNamed) : []), ...(isNew ? ["changed lately"] : [])];
}

/** The relevance of what was searched for says where it stood among the matches, and not how well it fits. */
function matched(relevance: number, isNamed: boolean): string[] {
  if (relevance >= 0.995) return ["the best match"];
  if (relevance > 0.6) return ["among the best matches"];
  if (isNamed) return [];
  return [relevance > 0 ? "found by its text" : "no word of the task"];
}

function wordsOf(text: string): string[] {
  const words = parts(text).filter((word) => word.length > 2 && !EMPTY.has(word));
  return [...new Set(words)];
}

/** The words of the task that a name has, in one form or another: `cookies` is in `merge_cookie`. */
function matching(wanted: string[], name: string): string[] {
  const has = new Set(parts(name).map(stem));
  return wanted.filter((word) => has.has(stem(word))).slice(0, MOST_WORDS);
}

/** The words of a name: `mergeCookies`, `merge_cookies` and `merge-cookies` have the same two. */
function parts(text: string): string[] {
  const apart = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2");
  return apart.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
}

/** Enough of a word to know it again in another form. */
function stem(word: string): string {
  const base = word.replace(/(?:ies|y)$/, "i").replace(/(?:ing|ed|es|s)$/, "");
  return base.length < 3 ? word : base.replace(/e$/, "");
}

const quoted = (words: string[]): string => words.map((word) => `“${word}”`).join(", ");
