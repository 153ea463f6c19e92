// Types of the page, most of them parts of the generated API types.

import type { Routes } from "./api";

export type PackRequest = Routes["POST /v1/pack"]["body"];
export type PackSummary = Routes["GET /v1/packs"]["response"]["packs"][number];
export type Report = Routes["GET /v1/packs/{id}"]["response"]["report"];
export type ProviderOutcome = Report["providers"][number];
export type Rule = NonNullable<Report["rules"]>[number];
export type Repository = Routes["GET /v1/repos"]["response"]["repos"][number];
export type Model = Routes["GET /v1/models"]["response"]["models"][number];
export type Profile = Routes["GET /v1/profiles"]["response"]["profiles"][number];
export type Provider = Routes["GET /v1/providers"]["response"]["providers"][number];
export type FileLines = Routes["GET /v1/file"]["response"];

type IncludedChunk = Report["included"][number];
type ExcludedChunk = Report["excluded"][number];

/** An included or excluded chunk. Fields of only one of the two are optional. */
export type Chunk = Pick<ExcludedChunk, keyof IncludedChunk & keyof ExcludedChunk> &
  Partial<Omit<IncludedChunk, keyof ExcludedChunk>> &
  Partial<Omit<ExcludedChunk, keyof IncludedChunk>>;

/** Name of a list of chunks. */
export type ListName = "included" | "excluded";

export type Factors = NonNullable<Chunk["factors"]>;
export type Factor = keyof Factors;

export const FACTORS: readonly Factor[] = ["relevance", "recency", "source"];

/** Settings by key. */
export type Settings = Map<string, unknown>;

/** A pack and its request. */
export interface Pack {
  id: string;
  request: PackRequest;
  report: Report;
  /** Settings the request was applied to, if the page could read them. */
  settings?: Settings;
}
