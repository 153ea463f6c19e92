/** Packs repository context for language models into an exact token budget. */

import type {
  PackRequest,
  Report,
  SearchReport,
  SearchRequest,
  SymbolReport,
  SymbolRequest,
} from "./types";

export * from "./types";

/** A pack, with details of how it was made. */
export interface Pack extends Report {
  /** The finished text. */
  content: string;
}

/** The decision of a pack, without its text. */
export interface Preview extends Report {
  content: null;
}

/** Options of every call, besides the fields of its request. */
export interface CallOptions {
  /** Ends the call and its work; the promise is then rejected with the reason of the signal. */
  signal?: AbortSignal;
}

/** Options of `pack` and `preview`. */
export type PackOptions = Omit<PackRequest, "task"> & CallOptions;
/** Options of `overview`. */
export type OverviewOptions = Omit<PackRequest, "task" | "repo"> & CallOptions;
/** Options of `search`. */
export type SearchOptions = Omit<SearchRequest, "task"> & CallOptions;
/** Options of `findSymbol`. */
export type SymbolOptions = Omit<SymbolRequest, "name"> & CallOptions;

/** Options of an engine. */
export interface EngineOptions {
  /**
   * Repositories to watch: while nothing changes in one, requests about it do not look for changes. The first call
   * waits until they are watched; if one cannot be, every call fails with the reason.
   */
  watch?: string | string[];
  /**
   * Called while an index is brought up to date for a call, with the number of files read and the number to read.
   * It need not see every number. If it throws, the call ends its work and fails with the error.
   */
  progress?: (done: number, total: number) => void;
}

/** Answers requests, and keeps what it has learned about repositories in memory. */
export class Engine {
  constructor(options?: EngineOptions);
  /** Watches a repository from now on. Later calls wait until it is watched. */
  watch(repo: string): Promise<void>;
  /** Packs the code that is relevant to a task. Without a task, it packs an overview of the repository. */
  pack(task?: string, options?: PackOptions): Promise<Pack>;
  /** Decides what `pack` would include, without its text. */
  preview(task?: string, options?: PackOptions): Promise<Preview>;
  /** Packs an overview of a repository: files, README, entry points, central symbols. */
  overview(repo?: string, options?: OverviewOptions): Promise<Pack>;
  /** Searches for chunks or files that are relevant to a task. */
  search(task: string, options?: SearchOptions): Promise<SearchReport>;
  /** Finds the definitions, callers and references of a name. */
  findSymbol(name: string, options?: SymbolOptions): Promise<SymbolReport>;
}

/** An error that prevents an answer. */
export class KitbagError extends Error {
  /**
   * Code for programs, such as `repository` or `unknown_model`. It is `platform_package` if the package for this
   * platform is not installed or cannot be loaded.
   */
  code: string;
  /** Suggestion how to fix it, if there is one. */
  hint?: string;
}

/** An invalid request: an unknown field, a wrong type, a repository that does not exist. */
export class RequestError extends KitbagError {}

/** Packs the code that is relevant to a task. Without a task, it packs an overview of the repository. */
export function pack(task?: string, options?: PackOptions): Promise<Pack>;
/** Decides what `pack` would include, without its text. */
export function preview(task?: string, options?: PackOptions): Promise<Preview>;
/** Packs an overview of a repository: files, README, entry points, central symbols. */
export function overview(repo?: string, options?: OverviewOptions): Promise<Pack>;
/** Searches for chunks or files that are relevant to a task. */
export function search(task: string, options?: SearchOptions): Promise<SearchReport>;
/** Finds the definitions, callers and references of a name. */
export function findSymbol(name: string, options?: SymbolOptions): Promise<SymbolReport>;
