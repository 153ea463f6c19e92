// What problems are called on the page: by their kind, since a status says little to a reader. Hints that
// speak of the command line are said in the words of the form.

const TITLES: Record<string, string> = {
  budget: "The budget is not right",
  busy: "The server has too much to do",
  cancelled: "The work was broken off",
  configuration: "A setting is not right",
  context_overflow: "What must be in does not fit the budget",
  denied: "The file must not be read",
  diagnostics: "The diagnostics cannot be read",
  glob: "A pattern is not right",
  host: "The server is not called that",
  invalid_path: "The path is not right",
  lines: "There are no such lines",
  lost: "Kitbag failed",
  malformed: "The request cannot be read",
  needs_tokenizer: "The model's tokens cannot be counted here",
  no_document: "The request names no document",
  not_a_file: "It is not a file",
  not_for_requests: "Only the user of the server can set that",
  not_found: "It is not there",
  nothing_to_pack: "There is nothing to pack",
  origin: "Another page may not ask this server",
  outside_root: "The path leads out of the repository",
  panic: "Kitbag failed",
  provider_on_and_off: "A provider is switched on and off",
  reference: "A reference is not right",
  repository: "The repository cannot be read",
  request: "The request is not right",
  settings: "A setting is not right",
  source: "A source is not right",
  template: "The template is not right",
  timeout: "It took too long",
  token: "The server wants a token",
  tokenizer: "The tokens cannot be counted",
  too_large: "It is too large",
  unknown_model: "The model is not known",
  unknown_pack: "The pack is not kept any more",
  unknown_provider: "The provider is not known",
  unknown_repository: "The repository is not served",
  unreadable: "The file cannot be read",
};

const HINTS: Record<string, string> = {
  budget: "Give a larger budget, or leave it empty.",
  no_document: "Take what belongs to a document out of the request, or name the document.",
  not_found: "",
  nothing_to_pack: "Write what the agent is doing into the task.",
  unknown_pack: "The server keeps the last packs only; the newest are in the list of recent packs.",
};

/** What a kind of problem is called; nothing where the page does not know it. */
export function titleOf(code: string, status: number): string {
  const known = TITLES[code];
  if (known !== undefined) return known;
  return status === 422 ? "The request was refused" : "";
}

/** What to do about it on the page, where that is not what the server says. */
export const hintOf = (code: string): string | undefined => HINTS[code];
