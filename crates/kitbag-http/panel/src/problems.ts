// Titles of problems by their code, and hints that replace those written for the command line.

const TITLES: Record<string, string> = {
  budget: "Invalid budget",
  busy: "Server busy",
  cancelled: "Cancelled",
  configuration: "Invalid setting",
  conflicting_provider: "A provider is both enabled and disabled",
  context_overflow: "Internal error: the pack exceeds its budget",
  denied: "Access to the file is denied",
  diagnostics: "Unreadable diagnostics",
  glob: "Invalid pattern",
  host: "Unknown host name",
  internal: "Internal error",
  invalid_path: "Invalid path",
  lines: "Invalid line range",
  malformed: "Malformed request",
  needs_tokenizer: "No tokenizer for this model",
  no_document: "The request has no document",
  not_a_file: "Not a file",
  not_for_requests: "Requests cannot change this setting",
  not_found: "Not found",
  nothing_to_pack: "Nothing to pack",
  origin: "Cross-origin request",
  outside_root: "The path is outside the repository",
  panic: "Internal error",
  reference: "Invalid reference",
  repository: "Unreadable repository",
  request: "Invalid request",
  settings: "Invalid setting",
  source: "Invalid source",
  template: "Invalid template",
  timeout: "Timed out",
  token: "Token required",
  tokenizer: "Tokens cannot be counted",
  too_large: "Too large",
  unknown_model: "Unknown model",
  unknown_pack: "This pack is no longer available",
  unknown_provider: "Unknown provider",
  unknown_repository: "Unknown repository",
  unreadable: "Unreadable file",
};

const HINTS: Record<string, string> = {
  budget: "Enter a larger budget, or leave the field empty.",
  no_document: "Remove the fields that refer to a document, or add the document.",
  not_found: "",
  nothing_to_pack: "Enter a task.",
  unknown_pack: "The server keeps only recent packs.",
};

/** Returns the title for a problem code, or an empty string if there is none. */
export const titleFor = (code: string, status: number): string =>
  TITLES[code] ?? (status === 422 ? "Invalid request" : "");

/** Returns a hint that replaces the server's. */
export const hintFor = (code: string): string | undefined => HINTS[code];
