// HTTP client of the server that served the page.

import type { Routes } from "./api";
import type { FilePlace } from "./file-place";
import { hintFor, titleFor } from "./problems";
import type {
  FileLines, Model, Pack, PackRequest, PackSummary, Profile, Provider, Repository, Settings,
} from "./types";

/** An error response (problem details), or a failure to get a response. */
export class Problem extends Error {
  constructor(
    readonly title: string,
    readonly detail: string,
    readonly hint = "",
    readonly status = 0,
    readonly correlationId = "",
    readonly code = "",
  ) {
    super(detail || title);
  }
}

const TOKEN_KEY = "kitbag.token";

/** Access token, stored for this tab only. */
export const token = {
  get: (): string => sessionStorage.getItem(TOKEN_KEY) ?? "",
  set: (value: string): void => sessionStorage.setItem(TOKEN_KEY, value),
};

/** Adds the access token to `headers`, if there is one. */
export function withToken(headers: Record<string, string>): Record<string, string> {
  return token.get() ? { ...headers, Authorization: `Bearer ${token.get()}` } : headers;
}

export async function pack(request: PackRequest, signal: AbortSignal): Promise<Pack> {
  const report = await call("POST /v1/pack", { body: request, signal });
  return { id: report.id, request, report };
}

/** Selects chunks without rendering the text. Previews are not recorded or published. */
export async function preview(request: PackRequest, signal: AbortSignal): Promise<Pack> {
  const report = await call("POST /v1/preview", { body: request, signal });
  return { id: report.id, request, report };
}

export const packById = (id: string, signal?: AbortSignal): Promise<Pack> => call("GET /v1/packs/{id}", { id, ...(signal && { signal }) });

export async function recentPacks(): Promise<PackSummary[]> {
  return (await call("GET /v1/packs", { query: { limit: 200 } })).packs;
}

export async function repositories(): Promise<Repository[]> {
  return (await call("GET /v1/repos")).repos;
}

export async function models(): Promise<Model[]> {
  return (await call("GET /v1/models")).models;
}

export async function profiles(repo: string): Promise<Profile[]> {
  return (await call("GET /v1/profiles", { query: { repo } })).profiles;
}

export async function providers(repo: string, profile: string): Promise<Provider[]> {
  return (await call("GET /v1/providers", { query: { repo, profile } })).providers;
}

/** Returns the effective settings of a repository and profile, by key. */
export async function settings(repo: string, profile: string): Promise<Settings> {
  const report = await call("GET /v1/config", { query: { repo, profile } });
  return new Map(report.settings.map((item) => [item.key, item.value]));
}

/** Returns how far indexing is. */
export const progress = (): Promise<{ done: number; total: number }> => call("GET /v1/progress");

export const fileLines = (place: FilePlace, start: number, end: number): Promise<FileLines> =>
  call("GET /v1/file", { query: { ...place, start, end } });

type Route = keyof Routes;

interface CallOptions<R extends Route> {
  /** Value of `{id}` in the path. */
  id?: string;
  query?: Routes[R] extends { query: infer Query } ? Query : never;
  body?: Routes[R] extends { body: infer Body } ? Body : never;
  signal?: AbortSignal;
}

async function call<R extends Route>(route: R, options: CallOptions<R> = {}): Promise<Routes[R]["response"]> {
  const { id = "", query, body, signal } = options;
  const [method = "", template = ""] = route.split(" ");
  const entries = Object.entries((query ?? {}) as Record<string, unknown>).map(([name, value]) => [name, String(value)]);
  const parameters = new URLSearchParams(entries.filter(([, value]) => value !== ""));
  const path = template.replace("{id}", encodeURIComponent(id));
  const sentToken = token.get();
  const headers = { Accept: "application/json", ...(body !== undefined && { "Content-Type": "application/json" }) };
  const response = await send(parameters.size > 0 ? `${path}?${parameters}` : path, {
    method,
    headers: withToken(headers),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  // The token may have been entered while this request was on its way without it.
  if (response.status === 401 && token.get() !== sentToken) return call(route, options);
  if (!response.ok) throw await readProblem(response);
  return (await response.json()) as Routes[R]["response"];
}

async function send(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(
      "The server does not respond",
      "The connection was refused or interrupted.",
      "Check that `kitbag serve` is running, then pack again.",
    );
  }
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text();
  const title = response.statusText || `Status ${response.status}`;
  try {
    const json = JSON.parse(text) as Record<string, unknown>;
    const field = (key: string) => (typeof json[key] === "string" ? json[key] : "");
    const code = field("type").replace(/^urn:kitbag:/, "");
    return new Problem(
      titleFor(code, response.status) || field("title") || title, field("detail"), hintFor(code) ?? field("hint"),
      response.status, field("correlation_id"), code,
    );
  } catch {
    return new Problem(title, text.slice(0, 500), "", response.status);
  }
}
