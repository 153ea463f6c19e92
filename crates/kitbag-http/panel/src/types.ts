// The shapes of the HTTP API that the page reads. They follow the engine's report; what is optional
// there is optional here, and what the page does not know it does not show.

export interface Factors {
  relevance: number;
  recency: number;
  source: number;
}

export type Factor = keyof Factors;

export const FACTORS: readonly Factor[] = ["relevance", "recency", "source"];

export interface Origin {
  path: string;
  start_line: number;
  end_line: number;
  kind: string;
  provider?: string;
}

/** What included and excluded chunks have in common, so that one list can show both. */
export interface Chunk {
  path: string;
  start_line: number | null;
  end_line: number | null;
  symbol: string | null;
  kind: string;
  provider?: string;
  part?: string;
  tokens: number;
  score: number | null;
  factors: Factors | null;
  also?: Origin[];
  form?: string;
  shown?: [number, number][];
  reason?: string;
  detail?: string;
  /** Why it is where it is, in short phrases. */
  why?: string[];
  /** Its text, where it is no file of the repository. */
  text?: string;
}

export interface ProviderOutcome {
  id: string;
  outcome: string;
  detail?: string;
  sources: number;
  chunks: number;
  tokens: number;
  ms: number;
}

export interface Redaction {
  path: string;
  line: number;
  rule: string;
}

export interface Timing {
  stage: string;
  ms: number;
}

export interface Rule {
  name: string;
  path: string;
  line?: number;
  convention?: string;
  description?: string;
  condition?: string;
  outcome: string;
  injected?: boolean;
  reason?: string;
  decided_by?: string;
  injects?: string[];
}

export interface Report {
  id?: string;
  version: number;
  content: string | null;
  total_tokens: number;
  budget: number;
  tokenizer: { name: string; exact: boolean; error?: string };
  included: Chunk[];
  excluded: Chunk[];
  redactions: Redaction[];
  stats: Record<string, unknown> & { utilisation: number; format: string };
  providers: ProviderOutcome[];
  variables: Record<string, unknown>;
  partial: boolean;
  correlation_id?: string;
  timings: Timing[];
  warnings: string[];
  rules?: Rule[];
}

/** A request as the page makes it. Others may have more fields, which the page keeps. */
export interface PackRequest {
  task?: string;
  repo?: string;
  profile?: string;
  budget?: number | string;
  model?: string;
  format?: string;
  options?: Record<string, unknown>;
  providers?: string[];
  no_providers?: string[];
  agent_id?: string;
  correlation_id?: string;
  [field: string]: unknown;
}

/** A pack and what was asked for. */
export interface Pack {
  id: string;
  request: PackRequest;
  report: Report;
  /** The settings that its request came on top of, where the page could read them. */
  settings?: Settings;
}

/** Settings by key. */
export type Settings = Map<string, unknown>;

/** One line of the list of recent packs, and the data of an event. Packs of other processes are known
 * from their records, which keep no task and may lack more. */
export interface Summary {
  id: string;
  time: string | number;
  repo?: string | null;
  /** The task, or what is known of it: `has_task` says which. */
  task?: string | null;
  has_task?: boolean;
  profile?: string | null;
  total_tokens: number;
  budget: number;
  included: number;
  excluded: number;
  duration_ms?: number | null;
  agent_id?: string | null;
  correlation_id?: string | null;
  partial?: boolean;
  source?: string;
}

export interface Repository {
  name: string;
  path: string;
}

export interface Model {
  name: string;
  window?: number;
}

export interface Profile {
  name: string;
  description?: string;
}

export interface Provider {
  id: string;
  title?: string;
  description?: string;
  enabled?: boolean;
}

export interface FileLines {
  path: string;
  /** The first and the last line that are here; 0 where there is none. */
  start_line: number;
  end_line: number;
  /** How many lines the file has. */
  line_count: number;
  content: string;
}
