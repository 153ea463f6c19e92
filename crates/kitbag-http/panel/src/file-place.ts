// Where the server finds a file of a pack: its repository, the commit and the path there.

import type { Pack } from "./types";

export interface FilePlace {
  repo: string;
  /** Commit; empty for the files as they are now. */
  ref: string;
  path: string;
}

/** Returns the place of a path in a pack. Paths in a pack of all repositories begin with the name of theirs. */
export function placeOf({ request, report }: Pick<Pack, "request" | "report">, path: string): FilePlace {
  const names = request.repo === "*" ? (report.repositories ?? []).map(({ name }) => name) : [];
  const repo = names.find((name) => path.startsWith(`${name}/`));
  if (repo === undefined) return { repo: request.repo ?? "", ref: report.commit ?? "", path };
  return { repo, ref: "", path: path.slice(repo.length + 1) };
}
