// Choices of the form: repositories, models, profiles, providers and settings, and tasks to begin with.

import * as client from "./client";
import { Problem } from "./client";
import { getState, update } from "./store";
import type { Report, Settings } from "./types";
import { settingWeights } from "./weights";

const OVERVIEW_BUDGET = 3000;
const MAX_EXAMPLES = 4;
/** Definitions that are too common to ask about. */
const COMMON_NAMES = /^(main|test|init|setup|run|get|set|new|_.*|.{1,3})$/i;

let turn = 0;

/** Loads what depends on the repository and profile. */
export async function loadChoices(isRepository: boolean): Promise<void> {
  turn += 1;
  const current = turn;
  const { repo, profile } = getState().form;
  const profiles = isRepository ? await orEmpty(client.profiles(repo)) : getState().profiles;
  const [providers, settings] = await Promise.all([
    orEmpty(client.providers(repo, profile)),
    client.settings(repo, profile).catch((): Settings => new Map()),
  ]);
  if (current !== turn) return;
  update({ profiles, providers, settings, baseWeights: settingWeights(settings) });
}

/** Loads the repositories and models. Returns false if the server requires a token. */
export async function loadServer(): Promise<boolean> {
  const [repositories, models] = await Promise.all([orEmpty(client.repositories()), orEmpty(client.models())]);
  if (getState().problem?.status === 401) return false;
  const { form } = getState();
  const repo = repositories.some(({ name }) => name === form.repo) ? form.repo : (repositories[0]?.name ?? "");
  update({ repositories, models, form: { ...form, repo } });
  await loadChoices(true);
  return true;
}

/** Suggests tasks from the central symbols of the repository. */
export async function loadExamples(): Promise<void> {
  const { repo } = getState().form;
  update({ examples: [] });
  const overview = await client.preview({ repo, profile: "overview", budget: OVERVIEW_BUDGET, agent_id: "page" }, AbortSignal.timeout(60_000)).catch(() => null);
  if (overview && getState().form.repo === repo) update({ examples: exampleTasks(overview.report) });
}

/** Returns questions about symbols of different files, most central first. */
export function exampleTasks(report: Pick<Report, "included">): string[] {
  const names = report.included.filter(({ kind, text }) => kind === "overview" && text != null).flatMap(({ text }) => {
    const found = [...(text ?? "").matchAll(/^\s+\d+: .*?\b(?:class|struct|trait|interface|enum|type|def|fn|func|function)\s+(\w+)/gm)];
    return found.map(([, name = ""]) => name).filter((name) => !COMMON_NAMES.test(name)).slice(0, 1);
  });
  const templates = [
    (name: string) => `How does ${name} work?`, (name: string) => `Where is ${name} used, and what would break if it changed?`,
    (name: string) => `Add tests for ${name}`, (name: string) => `Why could ${name} fail?`,
  ];
  return [...new Set(names)].slice(0, MAX_EXAMPLES).map((name, index) => (templates[index] ?? templates[0])?.(name) ?? name);
}

export function orEmpty<T>(list: Promise<T[]>): Promise<T[]> {
  return list.catch((error: unknown): T[] => {
    if (error instanceof Problem && (error.status === 401 || error.status === 0)) update({ problem: error });
    return [];
  });
}
