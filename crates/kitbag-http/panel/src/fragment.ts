// The address of what is on screen, in the fragment of the URL, which browsers never send to a server. It has
// the request, or the id of a pack that was made elsewhere.

import { withoutSender } from "./form";
import type { PackRequest } from "./types";

export type Address = { request: PackRequest } | { packId: string } | null;

const TEXT_FIELDS = new Set(["task", "repo", "profile", "model", "format", "budget", "window", "tokenizer", "context", "intent", "session"]);
const LIST_FIELDS = new Set(["references", "exclude", "include", "providers", "no_providers", "deny"]);

/** Returns the fragment of a request: `task=...&budget=8000&references=src%2Fa.rs`. */
export function requestFragment(request: PackRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(withoutSender(request))) {
    if (LIST_FIELDS.has(name)) for (const item of value as string[]) parameters.append(name, item);
    else parameters.set(name, TEXT_FIELDS.has(name) ? String(value) : JSON.stringify(value));
  }
  return parameters.toString();
}

export const packFragment = (id: string): string => new URLSearchParams({ pack: id }).toString();

/** Reads a fragment. Values that cannot be read are left out. */
export function readFragment(fragment: string): Address {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const packId = parameters.get("pack");
  if (packId) return { packId };
  const request: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    const [first = ""] = parameters.getAll(name);
    const value = LIST_FIELDS.has(name) ? parameters.getAll(name) : TEXT_FIELDS.has(name) ? first : parsed(first);
    if (value !== undefined) request[name] = name === "budget" && /^\d+$/.test(first) ? Number(first) : value;
  }
  return Object.keys(request).length > 0 ? { request: request as PackRequest } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
