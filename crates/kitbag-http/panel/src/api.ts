// Types of the HTTP API. Generated from its OpenAPI document by `cargo xtask generate`; do not edit.

/**
 * A request for a pack. Every field is optional. A request without a task, a diff, sources, a document,
 * references, open files, tool results, diagnostics or a situation gets the overview of the repository.
 */
export interface PackRequest {
  /** Task of the agent, in plain language: a question, a bug report, a stack trace. */
  task?: string;
  /** Maximum number of tokens in the pack, as a number or as `32k`. */
  budget?: number | string;
  /**
   * Size of the model's context window in tokens. The budget, if not given, is this size minus
   * the reserves.
   */
  window?: number | string;
  /**
   * Model that reads the pack, such as `gpt-4o`. It determines the tokenizer and the context
   * window.
   */
  model?: string | null;
  /** Tokenizer, which overrides the model's: the name of a vocabulary or of an estimate. */
  tokenizer?: string | null;
  /** Profile, a named set of settings; defaults to `agent`. */
  profile?: string | null;
  /** Format of the text: `markdown`, `xml`, `json` or `plain`. */
  format?: "markdown" | "xml" | "json" | "plain" | null;
  /**
   * Folder of the repository; defaults to the current one, or to the first that a server serves. On a server
   * that serves several, `*` packs from those that the task is about.
   */
  repo?: string | null;
  /**
   * Branch, tag or commit whose files are packed, instead of those of the work tree. Defaults to `HEAD`
   * in a repository without a work tree.
   */
  ref?: string | null;
  /** Current context of the rules; defaults to `default`. */
  context?: string | null;
  /** Intent of the caller, for rules. */
  intent?: string | null;
  /**
   * Settings for this request only: keys of `context`, such as `context.selection.overflow`,
   * and their values, or nested objects. The prefix `context.` is optional.
   */
  options?: Record<string, unknown>;
  /**
   * Change to review, as in `git diff`: `""` or `true` for the work tree against `HEAD`, `staged`, a
   * base such as `main`, or a range such as `main...HEAD`.
   */
  diff?: string | boolean;
  /** Document open in the editor. */
  document?: Document | string;
  /** Position of the cursor in the document. */
  cursor?: string | number | Cursor;
  /** Selected lines of the document. */
  selection?: string | Selection;
  /** Open files, saved or not. */
  open_files?: (Document | string)[];
  /** Output of tools, each with a label. */
  tool_results?: ToolResult[];
  /** Paths that must be considered, each with an optional line range: `src/a.rs:10-40`. */
  references?: string[];
  /**
   * Output of compilers, linters and tests, whose format is detected: as text, as an object with
   * `name` and `content`, or as the JSON that they wrote.
   */
  diagnostics?: (string | Record<string, unknown> | unknown[])[];
  /** Sources that the caller supplies. */
  sources?: SourceLine[];
  /** Providers to switch on for this request. */
  providers?: string[];
  /** Providers to switch off for this request. */
  no_providers?: string[];
  /** Globs of the files to search; all files if empty. */
  include?: string[];
  /**
   * Globs of files that are not searched. With a line range, as in `src/a.rs:10-40`, only the chunks
   * that overlap these lines are left out.
   */
  exclude?: string[];
  /**
   * Patterns of files that are never read, in addition to the default denylist. Each consists of
   * one or more path components, which may contain the wildcards `*` and `?`: `*.secret`.
   */
  deny?: string[];
  /** Whether secrets in texts are replaced by markers; defaults to true. */
  redact?: boolean | null;
  /** Whether to fill the budget, also with search results that are hardly relevant. */
  fill?: boolean;
  /**
   * Name of a session that the caller chooses. Lines that an earlier pack of the session has shown are
   * not sent again unless they have changed. An unused session expires after an hour.
   */
  session?: string | null;
  /** Whether to forget what was sent in the session before. */
  repeat?: boolean;
  /** Maximum duration of the request in milliseconds. Sources that arrive later are not packed. */
  deadline_ms?: number | null;
  /** Identifier of the agent that makes the request. */
  agent_id?: string | null;
  /** Situation of the caller, in free form, for rules. */
  situation?: unknown;
  /** Identifier of the request in logs and events. */
  correlation_id?: string | null;
  /**
   * Time from which ages are measured: seconds since 1970, or a time such as
   * `2026-11-15T12:00:00Z`.
   */
  now?: string | number;
}

/** A document, possibly with unsaved changes. */
export interface Document {
  /** Path relative to the root. */
  path: string;
  /** Content of an unsaved buffer, if it differs from the file. */
  content?: string | null;
}

/** Position of the cursor. */
export interface Cursor {
  /** Line, starting at 1. */
  line: number;
  /** Column, starting at 1. */
  column?: number | null;
}

/** Selected lines of a document. */
export interface Selection {
  /** First selected line, starting at 1. */
  start_line: number;
  /** Last selected line; defaults to the first. */
  end_line?: number | null;
  /** Selected text, used to find the selection if the document has changed since. */
  text?: string | null;
}

/** Output of a tool, shown under a label. */
export interface ToolResult {
  /** Label of the output in the pack. */
  label: string;
  /** Text that the tool printed. */
  content: string;
}

/** A source supplied by the caller, as a JSON object. */
export interface SourceLine {
  /** Path of the file, relative to the root. */
  path: string;
  /** Content; read from the file if omitted. */
  content?: string | null;
  /** Kind of source, such as `open_file` or `search_result`. */
  kind?: "tool_result" | "document" | "diff" | "diagnostics" | "selection" | "open_file" | "cursor" | "heading" | "history" | "overview" | "search_result" | "rule" | "style" | "reference" | "other" | null;
  /** First line of the content. */
  start_line?: number | null;
  /** Last line of the content. */
  end_line?: number | null;
  /** Relevance, from 0 to 1. */
  relevance?: number | null;
  /** Time of the last change: seconds since 1970, or a time such as `2026-11-15T12:00:00Z`. */
  timestamp?: string | number;
  /**
   * Text shown instead of the content, such as the content with its surroundings. Line numbers
   * still refer to the content.
   */
  expanded_context?: string | null;
  /**
   * Symbol path of content that is a single chunk, such as `UserService.get_user`. The content
   * is then packed as it is and not parsed.
   */
  symbol?: string | null;
}

/** A search for chunks or files that are relevant to a task. */
export interface SearchRequest {
  /** Task of the agent, in plain language: a question, a bug report, an error message, names. */
  task?: string;
  /**
   * Folder of the repository; defaults to the current one, or to the first that a server serves. On a server
   * that serves several, `*` searches those that the task is about.
   */
  repo?: string | null;
  /** Branch, tag or commit to search instead of the work tree. */
  ref?: string | null;
  /** Globs of the files to search; all files if empty. */
  include?: string[];
  /** Globs of files that are not searched. */
  exclude?: string[];
  /** Maximum number of results; 20 by default. */
  limit?: number;
  /** Whether to return files instead of chunks. */
  files?: boolean;
  /** Maximum number of matching lines to return with each result; none by default. */
  lines?: number;
}

/** Switch of a provider. */
export interface ProviderSwitch {
  /** Whether the provider is enabled from now on; null restores the configured state. */
  enabled: boolean | null;
}

/** A pack. */
export interface Pack {
  /** Identifier for `/v1/packs/{id}`. */
  id: string;
  /** Version of this format. */
  version: number;
  /** The finished text; `null` in a preview. */
  content: string | null;
  /** Number of tokens in the text. */
  total_tokens: number;
  /** Maximum number of tokens. */
  budget: number;
  /** Tokenizer that counted the tokens. */
  tokenizer: Tokenizer;
  /**
   * Folder that the user works in, relative to the repository, if it is only a part of it. The whole
   * repository was searched, and the files of this folder were preferred.
   */
  preferred_folder?: string | null;
  /** Chunks in the pack, in rank order. */
  included: IncludedItem[];
  /** Chunks and sources that were left out, with the reasons. */
  excluded: ExcludedItem[];
  /**
   * Secrets on included lines that were replaced by markers: their locations, never their
   * values.
   */
  redactions: RedactionItem[];
  /** Statistics of the stages. */
  stats: ReportStats;
  /** Outcome of each provider, in the order in which their answers were merged. */
  providers: ProviderItem[];
  /** Decisions about rules: which apply, which do not, which are undecided, and who decided. */
  rules?: RuleDecision[];
  /** Variables for templates: the document, the cursor, and totals of the pack. */
  variables: Record<string, unknown>;
  /** Whether a deadline, or a limit of a parser, cut something off. */
  partial: boolean;
  /** Identifier of the request in logs and events. */
  correlation_id?: string | null;
  /** Id of the commit that files were read from; absent if they were read from the work tree. */
  commit?: string | null;
  /** Repositories that were chosen for the task from all of them, the most promising first. */
  repositories?: ChosenRepository[];
  /** Duration of each stage, followed by the sum as `total`. */
  timings: Timing[];
  /** Warnings for the caller. */
  warnings: string[];
}

/** Tokenizer that counted the tokens of a pack. */
export interface Tokenizer {
  /** Name of the tokenizer. */
  name: string;
  /** Whether it is the model's own tokenizer, as opposed to an estimate. */
  exact: boolean;
  /** Error bound of an estimate, and how it was determined. */
  error?: string | null;
}

/** A chunk in the pack. */
export interface IncludedItem {
  /** Path of the file. */
  path: string;
  /** First line of the chunk. */
  start_line: number;
  /** Last line of the chunk. */
  end_line: number;
  /** Symbol path that the chunk belongs to. */
  symbol: string | null;
  /** Kind of its source. */
  kind: "tool_result" | "document" | "diff" | "diagnostics" | "selection" | "open_file" | "cursor" | "heading" | "history" | "overview" | "search_result" | "rule" | "style" | "reference" | "other";
  /** Provider that gathered it. */
  provider?: string | null;
  /** Number of this part of a split item, as `1 of 2`. */
  part?: string | null;
  /** Number of tokens in the lines shown. */
  tokens: number;
  /** Score by which the chunk was ranked. */
  score: number;
  /** Factors of the score. */
  factors: FactorsItem;
  /** `full`, `outline` or `truncated`. */
  form: "full" | "outline" | "truncated";
  /** Line ranges that are actually in the text. */
  shown: ([number, number])[];
  /** Whether the caller named or supplied it, so that it was included before anything else. */
  pinned?: boolean;
  /**
   * Short explanations of why the search selected the chunk, such as the words that it shares
   * with the task. Empty for chunks of other providers.
   */
  why?: string[];
  /** Lines that match the task best, in the order of the file. Only in previews, which have no text. */
  lines?: MatchedLine[];
  /** Duplicates that this chunk represents. */
  duplicates?: OriginItem[];
  /** Content of the lines shown, if they cannot be read from a file. */
  text?: string | null;
}

/** The factors that determine the score of a chunk. */
export interface FactorsItem {
  /** The relevance of the chunk to the task. */
  relevance: number;
  /** The recency of the last change to the chunk. */
  recency: number;
  /** The priority of the source's kind. */
  source: number;
}

/** A line of a result that matches the task. */
export interface MatchedLine {
  /** Number of the line. */
  line: number;
  /** Text of the line, without indentation. */
  text: string;
}

/** A duplicate represented by a chunk: an identical source, or a chunk that was merged into it. */
export interface OriginItem {
  /** Path of the file. */
  path: string;
  /** First line of the duplicate. */
  start_line: number;
  /** Last line of the duplicate. */
  end_line: number;
  /** Kind of its source. */
  kind: "tool_result" | "document" | "diff" | "diagnostics" | "selection" | "open_file" | "cursor" | "heading" | "history" | "overview" | "search_result" | "rule" | "style" | "reference" | "other";
  /** Provider that gathered it. */
  provider?: string | null;
}

/** A chunk, or a whole source, that is not in the pack. */
export interface ExcludedItem {
  /** Path of the file. */
  path: string;
  /** First line of the chunk. */
  start_line: number | null;
  /** Last line of the chunk. */
  end_line: number | null;
  /** Symbol path that the chunk belongs to. */
  symbol: string | null;
  /** Kind of its source. */
  kind: "tool_result" | "document" | "diff" | "diagnostics" | "selection" | "open_file" | "cursor" | "heading" | "history" | "overview" | "search_result" | "rule" | "style" | "reference" | "other";
  /** Provider that gathered it. */
  provider?: string | null;
  /** Number of tokens in the chunk. */
  tokens: number;
  /** Score by which the chunk was ranked. */
  score: number | null;
  /** Factors of the score. */
  factors: FactorsItem | null;
  /** Reason for the exclusion, as a code. */
  reason: string;
  /** Reason for the exclusion, in words. */
  detail: string;
  /** Whether the caller named or supplied it, so that it was tried before anything else. */
  pinned?: boolean;
  /** Duplicates that this chunk represents. */
  duplicates?: OriginItem[];
}

/**
 * A secret that was replaced by a marker. Contains its location and the rule that found it, never
 * the secret itself.
 */
export interface RedactionItem {
  /** Path of the file. */
  path: string;
  /** Line of the marker. */
  line: number;
  /** Rule that found the secret. */
  rule: string;
}

/** Statistics of the stages. */
export interface ReportStats {
  /** Number of files searched. */
  files_searched: number;
  /** Number of sources considered. */
  sources: number;
  /** Number of sources merged with an identical one. */
  merged_sources: number;
  /** Number of files that the sources belong to. */
  files: number;
  /** Number of chunks that the sources were split into. */
  chunks: number;
  /** Number of chunks in the pack. */
  included: number;
  /** Number of chunks and sources left out. */
  excluded: number;
  /** Number of chunks with the same content as another. */
  duplicates: number;
  /** Number of chunks that overlapped another. */
  overlaps: number;
  /** Number of chunks with nearly the same words as another. */
  near_duplicates: number;
  /** Number of secrets on included lines that were replaced, by rule. */
  redactions: Record<string, number>;
  /** Share of the budget that is used. */
  utilization: number;
  /** Format of the text, or `template`. */
  format: string;
  /** Files in the pack without duplicates, in the order of their best chunk. */
  files_included: string[];
  /** Number of chunks that were left out or truncated because they did not fit. */
  chunks_over_budget: number;
  /** Whether any chunk was left out or truncated because it did not fit. */
  was_truncated: boolean;
  /** Mean relevance of the chunks in the pack; 0 if there are none. */
  average_relevance: number;
  /** Share of token counts that were found in the cache. */
  cache_hit_rate: number;
}

/** Outcome of a provider, and its share of the pack. */
export interface ProviderItem {
  /** Id of the provider. */
  id: string;
  /** `ok`, `empty`, `timed_out`, `failed`, `off`, or `late` if the deadline passed first. */
  outcome: ProviderOutcome;
  /** Reason for the outcome, in words. */
  detail?: string | null;
  /** Number of sources that it returned. */
  sources: number;
  /** Number of its chunks in the pack. */
  chunks: number;
  /** Number of tokens in those chunks. */
  tokens: number;
  /** Duration of the call in milliseconds. */
  ms: number;
}

/** The outcome of calling a provider. */
export type ProviderOutcome = "ok" | "empty" | "timed_out" | "failed" | "off" | "late";

/** Whether a rule applies, and why. */
export interface RuleDecision {
  /** Name of the rule. */
  name: string;
  /** File of the rule, relative to the root. */
  path: string;
  /** Line of the rule in its file, from 1. */
  line: number;
  /** Convention of the file. */
  convention: Convention;
  /** Description of the rule. */
  description?: string | null;
  /** Condition in plain language. */
  condition?: string | null;
  /** Whether the rule applies. */
  outcome: ConditionOutcome;
  /** Whether the rule is injected: it applies, or is undecided and such rules are injected. */
  injected: boolean;
  /** Reason for the outcome. */
  reason: string;
  /** `matchers`, or the name of the judge. */
  decided_by?: string | null;
  /** Contexts and files that the rule injects or imports. */
  injects?: string[];
  /** Word similarity to the situation, from 0 to 1; the order of undecided rules. */
  similarity: number;
  /** Files of the pack that the rule is for. It does not apply, because the request names none of them. */
  matching_files?: string[];
}

/** The convention that a rule file follows. */
export type Convention = "context" | "claude_md" | "agents_md" | "claude_rule" | "copilot" | "cursor" | "skill";

/** Whether a condition holds. */
export type ConditionOutcome = "fails" | "undecided" | "holds";

/** A repository that was chosen from many. */
export interface ChosenRepository {
  /** Name, with which its paths begin. */
  name: string;
  /** Score by which it was chosen; only comparable within one request. */
  score: number;
  /**
   * Chance that the task is about it rather than about another one, by which the relevance of what is found
   * in it is multiplied.
   */
  likelihood: number;
  /** Whether the task names it. */
  named: boolean;
  /** Words of the task for which it was chosen, the most telling first. */
  words: string[];
  /** Names of repositories that are nearly the same, such as forks, and were not searched for that reason. */
  copies?: string[];
}

/** Duration of a stage. */
export interface Timing {
  /** Name of the stage. */
  stage: string;
  /** Duration in milliseconds. */
  ms: number;
}

/** An error response. */
export interface Problem {
  /** Kind of problem: `urn:kitbag:` followed by a code. */
  type: string;
  /** Reason phrase of the status. */
  title: string;
  /** HTTP status. */
  status: number;
  /** Explanation of this occurrence. */
  detail: string;
  /** Advice on how to fix it. */
  hint: string | null;
  /** Correlation id of the request. */
  correlation_id: string;
}

/** The results of a search. */
export interface SearchReport {
  /** Version of this format. */
  version: number;
  /** Results, best first. */
  results: SearchResult[];
  /** Repositories that were chosen for the task from all of them, the most promising first. */
  repositories?: ChosenRepository[];
  /** Number of files searched. */
  files_searched: number;
  /** Warnings for the caller. */
  warnings: string[];
}

/** A chunk or file that was found. */
export interface SearchResult {
  /** Path of the file. */
  path: string;
  /** First line of the chunk or file. */
  start_line: number;
  /** Last line of the chunk or file. */
  end_line: number;
  /** Symbol path that the chunk belongs to. */
  symbol: string | null;
  /**
   * Kind of the result: `function` or `class`, for example, for a chunk, and `code` or `test`
   * for a file.
   */
  kind: string;
  /** Number of tokens. */
  tokens: number;
  /** Chance that the result matters for the task, from 0 to 1. */
  relevance: number;
  /** Score from which the relevance follows, as a logarithm: the sum of the factors. */
  score: number;
  /**
   * Factors of the score, the largest contribution first. Empty for chunks of low-ranked files,
   * which are not scored individually.
   */
  factors: SearchFactor[];
  /** Score of the file. */
  file_score: number;
  /** Factors of the file's score. */
  file_factors: SearchFactor[];
  /** Reasons in words, if lines were requested. */
  why?: string[];
  /** Lines that match the task best, in the order of the file, if they were requested. */
  lines?: MatchedLine[];
}

/** Contribution of one feature to a score. */
export interface SearchFactor {
  /** Name of the feature. */
  name: string;
  /** Value of the feature. */
  value: number;
  /** Contribution to the score, which may be negative. */
  contribution: number;
}

/** Recent packs. */
export interface PackList {
  /** Packs, newest first. */
  packs: PackSummary[];
  /** Cursor of the next page; null on the last one. */
  next_cursor: string | null;
}

/** A pack as listed by `/v1/packs` and published as an event. */
export interface PackSummary {
  /** Identifier for `/v1/packs/{id}`. */
  id: string;
  /** Creation time (RFC 3339). */
  created_at: string;
  /** Name of the repository, or its folder if this server does not serve it. */
  repo: string;
  /**
   * First 500 characters of the task. Records keep it only if the user's configuration says so; if
   * it is unknown, a sentence that says how long it was.
   */
  task: string;
  /** Whether the task is known. */
  has_task: boolean;
  /** Name of the profile that was applied. */
  profile: string;
  /** Number of tokens of the pack. */
  total_tokens: number;
  /** Token budget. */
  budget: number;
  /** Number of included chunks. */
  included: number;
  /** Number of excluded chunks and sources. */
  excluded: number;
  /** Time it took to make, in milliseconds. */
  duration_ms: number;
  /** Agent that sent the request. */
  agent_id: string | null;
  /** Correlation id of the request. */
  correlation_id: string | null;
  /** Whether the deadline left something out. */
  partial: boolean;
  /** Interface of the request: `http`, `mcp`, `cli` or `library`. */
  interface: string;
  /** Whether this server made the pack. Packs of other processes are known by their records. */
  is_own: boolean;
  /** First files of the pack, in the order of their best chunk. */
  files: string[];
}

/** A recent pack with its request. */
export interface PackDetails {
  /** Identifier of the pack. */
  id: string;
  /** Request as it was received. */
  request: Record<string, unknown>;
  /** Report on the pack, with its text. */
  report: Report;
}

/** A pack, with details of how it was made. */
export interface Report {
  /** Version of this format. */
  version: number;
  /** The finished text; `null` in a preview. */
  content: string | null;
  /** Number of tokens in the text. */
  total_tokens: number;
  /** Maximum number of tokens. */
  budget: number;
  /** Tokenizer that counted the tokens. */
  tokenizer: Tokenizer;
  /**
   * Folder that the user works in, relative to the repository, if it is only a part of it. The whole
   * repository was searched, and the files of this folder were preferred.
   */
  preferred_folder?: string | null;
  /** Chunks in the pack, in rank order. */
  included: IncludedItem[];
  /** Chunks and sources that were left out, with the reasons. */
  excluded: ExcludedItem[];
  /**
   * Secrets on included lines that were replaced by markers: their locations, never their
   * values.
   */
  redactions: RedactionItem[];
  /** Statistics of the stages. */
  stats: ReportStats;
  /** Outcome of each provider, in the order in which their answers were merged. */
  providers: ProviderItem[];
  /** Decisions about rules: which apply, which do not, which are undecided, and who decided. */
  rules?: RuleDecision[];
  /** Variables for templates: the document, the cursor, and totals of the pack. */
  variables: Record<string, unknown>;
  /** Whether a deadline, or a limit of a parser, cut something off. */
  partial: boolean;
  /** Identifier of the request in logs and events. */
  correlation_id?: string | null;
  /** Id of the commit that files were read from; absent if they were read from the work tree. */
  commit?: string | null;
  /** Repositories that were chosen for the task from all of them, the most promising first. */
  repositories?: ChosenRepository[];
  /** Duration of each stage, followed by the sum as `total`. */
  timings: Timing[];
  /** Warnings for the caller. */
  warnings: string[];
}

/** A pack as published by `/v1/events`: its summary, and what is in it. */
export interface PackEvent {
  /** Identifier for `/v1/packs/{id}`. */
  id: string;
  /** Creation time (RFC 3339). */
  created_at: string;
  /** Name of the repository, or its folder if this server does not serve it. */
  repo: string;
  /**
   * First 500 characters of the task. Records keep it only if the user's configuration says so; if
   * it is unknown, a sentence that says how long it was.
   */
  task: string;
  /** Whether the task is known. */
  has_task: boolean;
  /** Name of the profile that was applied. */
  profile: string;
  /** Number of tokens of the pack. */
  total_tokens: number;
  /** Token budget. */
  budget: number;
  /** Number of included chunks. */
  included: number;
  /** Number of excluded chunks and sources. */
  excluded: number;
  /** Time it took to make, in milliseconds. */
  duration_ms: number;
  /** Agent that sent the request. */
  agent_id: string | null;
  /** Correlation id of the request. */
  correlation_id: string | null;
  /** Whether the deadline left something out. */
  partial: boolean;
  /** Interface of the request: `http`, `mcp`, `cli` or `library`. */
  interface: string;
  /** Whether this server made the pack. Packs of other processes are known by their records. */
  is_own: boolean;
  /** First files of the pack, in the order of their best chunk. */
  files: string[];
  /** Chunks of the pack, best first. */
  chunks: PackChunk[];
}

/** A chunk of a published pack. */
export interface PackChunk {
  /** Path of the file. */
  path: string;
  /** First line of the chunk. */
  start_line: number;
  /** Last line of the chunk. */
  end_line: number;
  /** Symbol path that the chunk belongs to. */
  symbol: string | null;
  /** Number of tokens in the lines shown. */
  tokens: number;
  /** `full`, `outline` or `truncated`. */
  form: "full" | "outline" | "truncated";
}

/** Providers of a repository and profile. */
export interface ProviderList {
  /** Providers, in the order in which their answers are merged. */
  providers: ProviderEntry[];
}

/** A provider. */
export interface ProviderEntry {
  /** Id of the provider, as used in requests and settings. */
  id: string;
  /** Title of the section that contains its sources. */
  title: string;
  /** One-sentence description of the sources it gathers. */
  description: string;
  /** Priority of its sources, if it overrides the priority of their kinds. */
  priority: number | null;
  /** Whether the provider was switched on or off at run time; null if the configuration decides. */
  switched: boolean | null;
  /** Whether it is enabled, by the configuration or by a switch. */
  enabled: boolean;
}

/** Description of a provider, for listings. */
export interface ProviderInfo {
  /** Id of the provider, as used in requests and settings. */
  id: string;
  /** Title of the section that contains its sources. */
  title: string;
  /** One-sentence description of the sources it gathers. */
  description: string;
  /** Priority of its sources, if it overrides the priority of their kinds. */
  priority: number | null;
  /** Whether the provider was switched on or off at run time; null if the configuration decides. */
  switched: boolean | null;
}

/** The configuration of a repository. */
export interface ConfigReport {
  /** Version of this format. */
  version: number;
  /** Configuration files that were read. */
  files: string[];
  /** Settings, in the order of the reference. */
  settings: ConfigItem[];
  /** Names of all profiles. */
  profiles: string[];
  /** Warnings for the user. */
  warnings: string[];
}

/** A setting and its effective value. */
export interface ConfigItem {
  /** Key of the setting. */
  key: string;
  /** Effective value. */
  value: unknown;
  /**
   * Origin of the value: a file with line and column, an environment variable, `--set`, a
   * profile, `remainder` for a weight that gets what the others leave, or `default`.
   */
  from: string;
}

/** Served repositories. */
export interface RepositoryList {
  /**
   * Repositories, in the order given on the command line, the first of which is the default; then those
   * of the served folder, by name.
   */
  repos: ServedRepository[];
}

/** A served repository. */
export interface ServedRepository {
  /**
   * Name used in requests: the shortest suffix of the path that no other repository shares, or
   * `owner/name` in a folder of repositories.
   */
  name: string;
  /** Absolute path of the folder; for a token that is for some of the repositories, its name again. */
  path: string;
}

/** A range of lines of a file. */
export interface FileLines {
  /** Path of the file. */
  path: string;
  /** Language, detected from the file name or the first line. */
  language: string | null;
  /** First returned line; 0 if there are no lines. */
  start_line: number;
  /** Last returned line; 0 if there are no lines. */
  end_line: number;
  /** Number of lines in the file. */
  line_count: number;
  /** Content of the lines, with secrets replaced by markers. */
  content: string;
  /** Whether the range was cut because it exceeds the maximum size. */
  truncated: boolean;
  /** Secrets on these lines that were replaced by markers. */
  redactions: RedactionItem[];
}

/** Known models. */
export interface ModelList {
  /** Models known by name; longer names match by these prefixes. */
  models: ModelEntry[];
}

/** A model that requests can name. */
export interface ModelEntry {
  /** Name, as used in requests. */
  name: string;
  /** Tokenizer; null if it is not built in. */
  tokenizer: string | null;
  /** Size of the context window, in tokens. */
  window: number;
}

/** Profiles of a repository. */
export interface ProfileList {
  /** Built-in and configured profiles, by name. */
  profiles: ProfileEntry[];
}

/** A profile that requests can name. */
export interface ProfileEntry {
  /** Name, as used in requests. */
  name: string;
  /** Whether requests that name no profile use this one. */
  default: boolean;
}

/** Progress of indexing. */
export interface Progress {
  /** Number of files read. */
  done: number;
  /** Number of files to read; equal to `done` if nothing is being indexed. */
  total: number;
  /**
   * Number of repositories of the served folder that were done when the server started: those that have a
   * summary, for requests to all repositories, and those that cannot be read.
   */
  summarized: number;
  /** Number of repositories of the served folder when the server started. */
  repositories: number;
}

/** Health of the server. */
export interface Health {
  /** Always `ok`. */
  status: string;
  /** Version of the program. */
  version: string;
}

/** Whether requests should be sent to the server. */
export interface Readiness {
  /** `starting` until its repositories are indexed or summarized, `ready`, or `draining` before it stops. */
  status: string;
}

/** Types of each JSON route, by method and path. */
export interface Routes {
  "POST /v1/pack": { query: { fields?: string }; body: PackRequest; response: Pack };
  "POST /v1/preview": { query: { fields?: string }; body: PackRequest; response: Pack };
  "POST /v1/search": { query: { fields?: string }; body: SearchRequest; response: SearchReport };
  "GET /v1/packs": { query: { repo?: string; limit?: number; cursor?: string }; response: PackList };
  "GET /v1/packs/{id}": { response: PackDetails };
  "GET /v1/providers": { query: { repo?: string; profile?: string; ref?: string }; response: ProviderList };
  "PUT /v1/providers/{id}": { body: ProviderSwitch; response: ProviderInfo };
  "GET /v1/config": { query: { repo?: string; profile?: string; ref?: string }; response: ConfigReport };
  "GET /v1/repos": { response: RepositoryList };
  "GET /v1/file": { query: { repo?: string; ref?: string; path: string; start?: number; end?: number }; response: FileLines };
  "GET /v1/models": { response: ModelList };
  "GET /v1/profiles": { query: { repo?: string; ref?: string }; response: ProfileList };
  "GET /v1/progress": { response: Progress };
  "GET /healthz": { response: Health };
  "GET /readyz": { response: Readiness };
  "GET /openapi.json": { response: Record<string, unknown> };
}
