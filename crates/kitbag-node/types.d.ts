// Types of requests and reports. Generated from those of the library by `cargo xtask generate`; do not edit.

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
  format?: string | null;
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
  kind?: string | null;
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

/** A question about a name. */
export interface SymbolRequest {
  /**
   * Name of a function, class, method or constant, optionally qualified: `login`,
   * `UserService.get_user`, `Rack::Response`.
   */
  name?: string;
  /** Folder of the repository; defaults to the current one, or to the first that a server serves. */
  repo?: string | null;
  /** Branch, tag or commit to search instead of the work tree. */
  ref?: string | null;
  /** Globs of the files to search; all files if empty. */
  include?: string[];
  /** Globs of files that are not searched. */
  exclude?: string[];
  /** Maximum number of definitions, of callers and of other references; 20 by default. */
  limit?: number;
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
  kind: string;
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
  form: string;
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
  kind: string;
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
  kind: string;
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

/** Where a name is defined and used. */
export interface SymbolReport {
  /** Version of this format. */
  version: number;
  /** Name as it was found, which may differ from the request in case. */
  name: string;
  /** Places where it is defined: code first, then tests, then other files. */
  definitions: SymbolPlace[];
  /** Places where it is called. */
  callers: SymbolPlace[];
  /** Other places where it occurs, except in comments. */
  references: SymbolPlace[];
  /** Number of definitions, including those beyond the limit. */
  definition_count: number;
  /** Number of calls, including those beyond the limit. */
  caller_count: number;
  /** Number of other references, including those beyond the limit. */
  reference_count: number;
  /** Similar names that exist, if the name does not. */
  suggestions: string[];
  /** Warnings for the caller. */
  warnings: string[];
}

/** A line with a name. */
export interface SymbolPlace {
  /** Path of the file. */
  path: string;
  /** Line with the name. */
  line: number;
  /** Last line of the definition, or `line`. */
  end_line: number;
  /** Text of the line, without indentation. */
  text: string;
  /** Symbol path of the definition, or of the definition that contains the line. */
  symbol?: string | null;
}
