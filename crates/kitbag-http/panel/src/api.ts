// Talks to the server that the page came from, and to no other.

import { hintOf, titleOf } from "./problems";
import type {
  FileLines, Model, Pack, PackRequest, Profile, Provider, Report, Repository, Settings, Summary,
} from "./types";

/** An error as the server tells it (problem details), or what comes nearest to one. */
export class Problem extends Error {
  constructor(
    readonly title: string,
    readonly detail: string,
    readonly hint = "",
    readonly status = 0,
    readonly correlation = "",
    readonly code = "",
  ) {
    super(detail || title);
  }
}

const TOKEN = "kitbag.token";

/** The token of a server that wants one; kept for this tab alone. */
export const token = {
  get: (): string => sessionStorage.getItem(TOKEN) ?? "",
  set: (value: string): void => sessionStorage.setItem(TOKEN, value),
};

export function headers(more: Record<string, string> = {}): Record<string, string> {
  const known = token.get();
  return known ? { ...more, Authorization: `Bearer ${known}` } : more;
}

export const pack = (request: PackRequest, signal: AbortSignal): Promise<Pack> =>
  packed("/v1/pack", request, signal);

/** Decides what would be in, without the text. Nothing is recorded, and nobody is told. */
export const preview = (request: PackRequest, signal: AbortSignal): Promise<Pack> =>
  packed("/v1/preview", request, signal);

async function packed(path: string, request: PackRequest, signal: AbortSignal): Promise<Pack> {
  const report = await json<Report>(path, { method: "POST", body: request, signal });
  return { id: report.id ?? "", request, report };
}

export const packById = (id: string): Promise<Pack> =>
  json<Pack>(`/v1/packs/${encodeURIComponent(id)}`);

export async function recent(): Promise<Summary[]> {
  return list<Summary>(await json("/v1/packs?limit=50"), "packs");
}

export async function repositories(): Promise<Repository[]> {
  return list<Repository>(await json("/v1/repos"), "repos");
}

export async function models(): Promise<Model[]> {
  return named<Model>(list(await json("/v1/models"), "models"));
}

export async function profiles(repo: string): Promise<Profile[]> {
  return named<Profile>(list(await json(`/v1/profiles?${query({ repo })}`), "profiles"));
}

export async function providers(repo: string, profile: string): Promise<Provider[]> {
  return list(await json(`/v1/providers?${query({ repo, profile })}`), "providers");
}

/** The settings that hold where a request says nothing, by key. */
export async function settings(repo: string, profile: string): Promise<Settings> {
  const found = await json<Record<string, unknown>>(`/v1/config?${query({ repo, profile })}`);
  const entries = list<{ key: string; value: unknown }>(found, "settings");
  return new Map(entries.map((entry) => [entry.key, entry.value]));
}

export function file(repo: string, path: string, start: number, end: number): Promise<FileLines> {
  const words = { path, start: String(start), end: String(end), repo };
  return json<FileLines>(`/v1/file?${query(words)}`);
}

/** A query of what is given. */
function query(words: Record<string, string>): URLSearchParams {
  return new URLSearchParams(Object.entries(words).filter(([, value]) => value !== ""));
}

interface Options {
  method?: string;
  body?: unknown;
  signal?: AbortSignal;
}

async function json<T>(path: string, options: Options = {}): Promise<T> {
  const { method = "GET", body, signal } = options;
  const known = token.get();
  const sent: RequestInit = { method, headers: headers({ Accept: "application/json" }) };
  if (signal) sent.signal = signal;
  if (body !== undefined) {
    sent.body = JSON.stringify(body);
    sent.headers = headers({ Accept: "application/json", "Content-Type": "application/json" });
  }
  const response = await answer(path, sent);
  // The token may have been given while this was on its way without it.
  if (response.status === 401 && token.get() !== known) return json<T>(path, options);
  if (!response.ok) throw await problem(response);
  return (await response.json()) as T;
}

async function answer(path: string, sent: RequestInit): Promise<Response> {
  try {
    return await fetch(path, sent);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(
      "The server does not answer",
      "The connection was refused or broken off.",
      "Is `kitbag serve` still running? The page tries again by itself when you pack again.",
    );
  }
}

/** Reads an error from an answer, whatever it is made of. */
export async function problem(response: Response): Promise<Problem> {
  const text = await response.text();
  const title = response.statusText || `Status ${response.status}`;
  try {
    const told = JSON.parse(text) as Record<string, unknown>;
    const word = (key: string) => (typeof told[key] === "string" ? (told[key] as string) : "");
    const code = word("type").replace(/^urn:kitbag:/, "");
    return new Problem(
      titleOf(code, response.status) || word("title") || title, word("detail"), hintOf(code) ?? word("hint"),
      response.status, word("correlation_id"), code,
    );
  } catch {
    return new Problem(title, text.slice(0, 500), "", response.status);
  }
}

function list<T>(value: unknown, name: string): T[] {
  if (Array.isArray(value)) return value as T[];
  const inner = (value as Record<string, unknown> | null)?.[name];
  return Array.isArray(inner) ? (inner as T[]) : [];
}

/** Lists of names may come as plain strings. */
function named<T extends { name: string }>(items: (T | string)[]): T[] {
  return items.map((item) => (typeof item === "string" ? ({ name: item } as T) : item));
}
