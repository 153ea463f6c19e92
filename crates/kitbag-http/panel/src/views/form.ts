// The request: task, repository, profile, budget, model.

import { byId, fill, h } from "../dom";
import { tokens } from "../numbers";
import { state } from "../state";
import type { Model, PackRequest, Profile, Repository } from "../types";
import { visible } from "../visible";
import { weightOptions, weightsOf } from "../weights";

const PROFILES = ["agent", "orchestrate", "inline-edit", "chunks", "situation"];

export interface Form {
  /** The request as it stands; `null`, with the reason shown, where it cannot be sent. */
  request: () => PackRequest | null;
  adopt: (request: PackRequest) => void;
  offer: (repositories: Repository[], profiles: Profile[], models: Model[]) => void;
  format: string;
  repo: () => string;
  profile: () => string;
}

export function formView(submit: () => void, settingsChanged: () => void): Form {
  const task = byId<HTMLTextAreaElement>("task");
  const repo = byId<HTMLSelectElement>("repo");
  const profile = byId<HTMLSelectElement>("profile");
  const budget = byId<HTMLInputElement>("budget");
  const model = byId<HTMLInputElement>("model");
  byId("request").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  task.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  });
  budget.addEventListener("input", () => void readBudget(budget));
  repo.addEventListener("change", settingsChanged);
  profile.addEventListener("change", settingsChanged);

  const form: Form = {
    format: "",
    repo: () => repo.value,
    profile: () => profile.value || "agent",
    request: () => {
      const tokens = readBudget(budget);
      if (tokens === null) return null;
      const request: PackRequest = { task: task.value.trim(), agent_id: "page" };
      if (repo.value) request.repo = repo.value;
      if (profile.value && profile.value !== "agent") request.profile = profile.value;
      if (tokens !== undefined) request.budget = tokens;
      if (model.value.trim()) request.model = model.value.trim();
      if (form.format) request.format = form.format;
      return withSwitches(request);
    },
    adopt: (request) => {
      task.value = request.task ?? "";
      if (request.repo !== undefined) choose(repo, request.repo);
      choose(profile, request.profile ?? "agent");
      budget.value = request.budget === undefined || request.budget === null ? "" : String(request.budget);
      model.value = request.model ?? "";
      form.format = request.format ?? "";
      const weights = weightsOf(request, state.baseWeights);
      state.weights = JSON.stringify(weights) === JSON.stringify(state.baseWeights) ? null : weights;
      state.switched = new Map([
        ...(request.providers ?? []).map((id): [string, boolean] => [id, true]),
        ...(request.no_providers ?? []).map((id): [string, boolean] => [id, false]),
      ]);
    },
    offer: (repositories, profiles, models) => {
      fill(repo, ...repositories.map(({ name, path }) => h("option", { value: name, title: path }, visible(name))));
      const names = profiles.length > 0 ? profiles.map(({ name }) => name) : PROFILES;
      fill(profile, ...names.map((name) => h("option", { value: name }, visible(name))));
      choose(profile, "agent");
      fill(byId("models"), ...models.map(({ name }) => h("option", { value: name })));
    },
  };
  form.offer([], [], []);
  return form;
}

function withSwitches(request: PackRequest): PackRequest {
  if (state.weights) request.options = weightOptions(state.weights);
  const ids = (isOn: boolean) => [...state.switched].filter(([, value]) => value === isOn).map(([id]) => id);
  if (ids(true).length > 0) request.providers = ids(true);
  if (ids(false).length > 0) request.no_providers = ids(false);
  return request;
}

/** The budget; `undefined` where the window decides, `null` where it is not a number. */
function readBudget(input: HTMLInputElement): number | null | undefined {
  const note = byId("budget-note");
  const text = input.value.trim();
  const value = text === "" ? undefined : tokens(text);
  const isWrong = value === null;
  note.hidden = !isWrong;
  note.textContent = isWrong ? "A number of tokens, such as 8000 or 32k." : "";
  input.setAttribute("aria-invalid", String(isWrong));
  if (isWrong) input.focus();
  return value;
}

function choose(select: HTMLSelectElement, value: string): void {
  const isKnown = [...select.options].some((option) => option.value === value);
  if (!isKnown && value) select.append(h("option", { value }, visible(value)));
  select.value = value;
}
