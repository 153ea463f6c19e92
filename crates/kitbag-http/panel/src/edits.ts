// Edits of a pack by hand: pinning, expanding and excluding chunks, files and folders. They change the request:
// pins are references, exclusions are globs or line ranges.

import type { Form } from "./form";
import type { Chunk, Report } from "./types";

/** What an edit applies to. The path of a folder ends in a slash. */
export type Target = { chunk: Chunk } | { path: string };

/** Returns the reference of a chunk: `src/a.rs:10-40`. */
export function referenceTo({ path, start_line: start, end_line: end }: Chunk): string {
  return start === null || end === null ? path : `${path}:${start}-${end}`;
}

/** Returns the reference that pins a chunk, or undefined if it is not pinned. */
export function pinOf(form: Form, chunk: Chunk): string | undefined {
  return form.pins.find((pin) => pin === referenceTo(chunk) || pin === chunk.path);
}

/** Pins what the pack shows of the target: the chunk, or all included chunks of the file or folder. */
export function pin(form: Form, target: Target, report: Report): Form {
  return withPins(form, chunksOf(target, report).map(referenceTo));
}

/** Pins whole files: of the chunk, the file, or the files of the folder that are in the pack. */
export function expand(form: Form, target: Target, report: Report): Form {
  const paths = new Set(chunksOf(target, report).map(({ path }) => path));
  const pins = form.pins.filter((reference) => !paths.has(pathOf(reference)));
  return withPins({ ...form, pins }, [...paths]);
}

export function unpin(form: Form, reference: string): Form {
  return { ...form, pins: form.pins.filter((it) => it !== reference) };
}

/** Leaves the target out of the search, and removes its pins. */
export function exclude(form: Form, target: Target): Form {
  const excluded = "chunk" in target ? referenceTo({ ...target.chunk, path: globOf(target.chunk.path) }) : globOf(target.path);
  const isGone = (reference: string) => ("chunk" in target
    ? reference === referenceTo(target.chunk)
    : target.path.endsWith("/") ? reference.startsWith(target.path) : pathOf(reference) === target.path);
  return { ...form, pins: form.pins.filter((it) => !isGone(it)), excludes: added(form.excludes, [excluded]) };
}

export function include(form: Form, excluded: string): Form {
  return { ...form, excludes: form.excludes.filter((it) => it !== excluded) };
}

/** Returns whether a chunk belongs to a file of the repository, so that it can be named in a request. */
export const isOfFile = (chunk: Chunk): boolean => chunk.text == null && chunk.start_line !== null && !["history", "rule", "overview", "tool_result"].includes(chunk.kind);

/** Returns the glob that matches exactly one path from the root. */
export function globOf(path: string): string {
  return `/${path.replace(/[*?[\]{}!\\]/g, (character) => (character === "\\" ? "\\\\" : `[${character}]`)).replace(/\/$/, "")}`;
}

function chunksOf(target: Target, report: Report): Chunk[] {
  if ("chunk" in target) return [target.chunk];
  const isWithin = ({ path }: Chunk) => (target.path.endsWith("/") ? path.startsWith(target.path) : path === target.path);
  const found: Chunk[] = report.included.filter(isWithin);
  return found.filter(isOfFile);
}

function withPins(form: Form, references: string[]): Form {
  const whole = new Set(form.pins);
  const wanted = references.filter((reference) => !whole.has(pathOf(reference)));
  return { ...form, pins: added(form.pins, wanted) };
}

/** Returns the path of a reference, without its line range. */
export const pathOf = (reference: string): string => reference.replace(/:\d+(-\d+)?$/, "");

const added = (list: string[], items: string[]): string[] => [...new Set([...list, ...items])];
