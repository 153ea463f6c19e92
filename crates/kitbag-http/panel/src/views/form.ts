// The request form: task, repository, profile, budget and model, and the additional fields of a loaded
// request.

import { byId, fill, h } from "../dom";
import { describeExtraFields, extraFieldsOf, fitsSliders, hasContent, withoutWeights } from "../extra-fields";
import { parseTokens } from "../format";
import { notify, on, state } from "../state";
import type { Model, PackRequest, Profile, Repository } from "../types";
import { visible } from "../visible";
import { weightOptions, weightsOf } from "../weights";

const DEFAULT_PROFILE = "agent";
const BUILT_IN_PROFILES = ["agent", "orchestrate", "inline-edit", "chunks", "situation"];

export interface Form {
  /** Returns the request, or null if an input is invalid. The invalid input is marked, and focused
   * unless `keepFocus` is set. */
  request: (options?: { keepFocus: boolean }) => PackRequest | null;
  /** Loads a request. `reload` loads the settings of its repository, which the weights depend on. */
  load: (request: PackRequest, reload: () => Promise<void>) => Promise<void>;
  setChoices: (repositories: Repository[], models: Model[]) => void;
  setProfiles: (profiles: Profile[]) => void;
  format: string;
  repo: () => string;
  profile: () => string;
}

export function formView(onSubmit: () => void, onChoice: (isRepository: boolean) => void): Form {
  const task = byId<HTMLTextAreaElement>("task");
  const repo = byId<HTMLSelectElement>("repo");
  const profile = byId<HTMLSelectElement>("profile");
  const budget = byId<HTMLInputElement>("budget");
  const model = byId<HTMLInputElement>("model");
  byId("request").addEventListener("submit", (event) => {
    event.preventDefault();
    onSubmit();
  });
  task.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSubmit();
  });
  task.addEventListener("input", () => setError(task, ""));
  budget.addEventListener("input", () => void readBudget(budget));
  repo.addEventListener("change", () => onChoice(true));
  profile.addEventListener("change", () => onChoice(false));
  on("extraFields", renderExtraFields);

  const form: Form = {
    format: "",
    repo: () => repo.value,
    profile: () => profile.value || DEFAULT_PROFILE,
    request: ({ keepFocus } = { keepFocus: false }) => {
      const tokens = readBudget(budget);
      const isTaskValid = checkTask(task);
      const invalid = isTaskValid ? (tokens === null ? budget : null) : task;
      if (!keepFocus) invalid?.focus();
      if (tokens === null || !isTaskValid) return null;
      const request: PackRequest = { ...state.extraFields, agent_id: "page" };
      if (task.value.trim()) request.task = task.value.trim();
      if (repo.value) request.repo = repo.value;
      if (profile.value && profile.value !== DEFAULT_PROFILE) request.profile = profile.value;
      if (tokens !== undefined) request.budget = tokens;
      if (model.value.trim()) request.model = model.value.trim();
      if (form.format) request.format = form.format as NonNullable<PackRequest["format"]>;
      return withSwitches(request);
    },
    load: async (request, reload) => {
      task.value = request.task ?? "";
      setError(task, task.value ? "" : "The task of this pack is unknown. Enter it again.");
      task.setAttribute("aria-invalid", "false");
      if (request.repo) choose(repo, request.repo);
      choose(profile, request.profile ?? DEFAULT_PROFILE);
      budget.value = String(request.budget ?? "");
      void readBudget(budget);
      model.value = request.model ?? "";
      form.format = request.format ?? "";
      await reload();
      loadSwitches(request);
    },
    setChoices: (repositories, models) => {
      const chosen = repo.value;
      fill(repo, ...repositories.map(({ name, path }) => h("option", { value: name, title: path }, visible(name))));
      if (repositories.some(({ name }) => name === chosen)) repo.value = chosen;
      fill(byId("models"), ...models.map(({ name }) => h("option", { value: name })));
    },
    setProfiles: (profiles) => {
      const chosen = profile.value || DEFAULT_PROFILE;
      const names = profiles.length > 0 ? profiles.map(({ name }) => name) : BUILT_IN_PROFILES;
      fill(profile, ...names.map((name) => h("option", { value: name }, visible(name))));
      choose(profile, names.includes(chosen) ? chosen : DEFAULT_PROFILE);
    },
  };
  form.setProfiles([]);
  return form;
}

/** Loads the weights, the provider switches and the additional fields of a request. */
function loadSwitches(request: PackRequest): void {
  const weights = weightsOf(request, state.baseWeights);
  const isOnSliders = fitsSliders(request, weights);
  const hasOwnWeights = isOnSliders && JSON.stringify(weights) !== JSON.stringify(state.baseWeights);
  state.weights = hasOwnWeights ? weights : null;
  state.providerOverrides = new Map([
    ...(request.providers ?? []).map((id): [string, boolean] => [id, true]),
    ...(request.no_providers ?? []).map((id): [string, boolean] => [id, false]),
  ]);
  state.extraFields = extraFieldsOf(request, isOnSliders);
  notify("weights", "extraFields", "providers");
}

function withSwitches(request: PackRequest): PackRequest {
  if (state.weights) {
    request.options = { ...withoutWeights(request.options ?? {}), ...weightOptions(state.weights) };
  }
  const switched = (isOn: boolean) => [...state.providerOverrides].filter(([, value]) => value === isOn).map(([id]) => id);
  if (switched(true).length > 0) request.providers = switched(true);
  if (switched(false).length > 0) request.no_providers = switched(false);
  return request;
}

/** Renders a chip for each additional field, which removes it. */
function renderExtraFields(): void {
  const section = byId("extra-fields");
  const fields = describeExtraFields(state.extraFields);
  section.hidden = fields.length === 0;
  fill(section, h("span", { class: "extra-fields-title" }, "Additional fields"), ...fields.map(({ name, label, value }) => h("button", {
    type: "button", class: "chip-button", "data-field": name, title: visible(value), "aria-label": `Remove ${label}`,
    onclick: () => {
      delete state.extraFields[name];
      notify("extraFields", "providers");
      (section.querySelector<HTMLElement>("button") ?? byId("task")).focus();
    },
  }, visible(label), h("span", { class: "drop", "aria-hidden": "true" }, "×"))));
}

/** Returns whether there is something to pack, and marks the input if not. */
function checkTask(input: HTMLTextAreaElement): boolean {
  const isValid = input.value.trim() !== "" || hasContent(state.extraFields);
  setError(input, isValid ? "" : "Enter a task: a question, a bug report, a stack trace.");
  return isValid;
}

/** Returns the budget: undefined if empty, null if invalid. */
function readBudget(input: HTMLInputElement): number | null | undefined {
  const text = input.value.trim();
  const value = text === "" ? undefined : parseTokens(text);
  const budget = value === 0 ? null : value;
  setError(input, budget === null ? "Enter a number of tokens, such as 8000 or 32k." : "");
  return budget;
}

/** Shows an error next to an input, or clears it. */
function setError(input: HTMLElement, text: string): void {
  const note = byId(`${input.id}-note`);
  note.hidden = text === "";
  note.textContent = text;
  input.setAttribute("aria-invalid", String(text !== ""));
}

function choose(select: HTMLSelectElement, value: string): void {
  const isKnown = [...select.options].some((option) => option.value === value);
  if (!isKnown && value) select.append(h("option", { value }, visible(value)));
  select.value = value;
}
