// The request: task, repository, profile, budget, model, and what a request that was taken over carries
// beyond these.

import { beyondForm, carriedFields, fitSliders, isEnough, withoutWeights } from "../carried";
import { byId, fill, h } from "../dom";
import { tokens } from "../numbers";
import { on, state, tell } from "../state";
import type { Model, PackRequest, Profile, Repository } from "../types";
import { visible } from "../visible";
import { weightOptions, weightsOf } from "../weights";

const PROFILES = ["agent", "orchestrate", "inline-edit", "chunks", "situation"];

export interface Form {
  /** The request as it stands; `null` where it cannot be sent, with the reason shown at the field, which gets
   * the focus unless something else is being done. */
  request: (isAside?: boolean) => PackRequest | null;
  /** Takes a request over: first its fields, and once its repository's settings are there, the rest. */
  adopt: (request: PackRequest, reread: () => Promise<void>) => Promise<void>;
  offer: (repositories: Repository[], models: Model[]) => void;
  offerProfiles: (profiles: Profile[]) => void;
  format: string;
  repo: () => string;
  profile: () => string;
}

export function formView(submit: () => void, choiceChanged: (isRepository: boolean) => void): Form {
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
  task.addEventListener("input", () => note(task, ""));
  budget.addEventListener("input", () => void readBudget(budget));
  repo.addEventListener("change", () => choiceChanged(true));
  profile.addEventListener("change", () => choiceChanged(false));
  on("carried", drawCarried);

  const form: Form = {
    format: "",
    repo: () => repo.value,
    profile: () => profile.value || "agent",
    request: (isAside = false) => {
      const tokens = readBudget(budget);
      const hasTask = readTask(task);
      const wrong = hasTask ? (tokens === null ? budget : null) : task;
      if (!isAside) wrong?.focus();
      if (tokens === null || !hasTask) return null;
      const request: PackRequest = { ...state.carried, agent_id: "page" };
      if (task.value.trim()) request.task = task.value.trim();
      if (repo.value) request.repo = repo.value;
      if (profile.value && profile.value !== "agent") request.profile = profile.value;
      if (tokens !== undefined) request.budget = tokens;
      if (model.value.trim()) request.model = model.value.trim();
      if (form.format) request.format = form.format;
      return withSwitches(request);
    },
    adopt: async (request, reread) => {
      task.value = request.task ?? "";
      note(task, task.value ? "" : "Its task is not kept: write it again.");
      task.setAttribute("aria-invalid", "false");
      if (request.repo) choose(repo, request.repo);
      choose(profile, request.profile ?? "agent");
      budget.value = request.budget === undefined || request.budget === null ? "" : String(request.budget);
      void readBudget(budget);
      model.value = request.model ?? "";
      form.format = request.format ?? "";
      await reread();
      adoptRest(request);
    },
    offer: (repositories, models) => {
      const chosen = repo.value;
      fill(repo, ...repositories.map(({ name, path }) => h("option", { value: name, title: path }, visible(name))));
      if (repositories.some(({ name }) => name === chosen)) repo.value = chosen;
      fill(byId("models"), ...models.map(({ name }) => h("option", { value: name })));
    },
    offerProfiles: (profiles) => {
      const chosen = profile.value || "agent";
      const names = profiles.length > 0 ? profiles.map(({ name }) => name) : PROFILES;
      fill(profile, ...names.map((name) => h("option", { value: name }, visible(name))));
      choose(profile, names.includes(chosen) ? chosen : "agent");
    },
  };
  form.offerProfiles([]);
  return form;
}

/** What a request says beyond the fields: weights, switches, and what the form has no field for. */
function adoptRest(request: PackRequest): void {
  const weights = weightsOf(request, state.baseWeights);
  const isFitting = fitSliders(request, weights);
  const isMoved = isFitting && JSON.stringify(weights) !== JSON.stringify(state.baseWeights);
  state.weights = isMoved ? weights : null;
  state.switched = new Map([
    ...(request.providers ?? []).map((id): [string, boolean] => [id, true]),
    ...(request.no_providers ?? []).map((id): [string, boolean] => [id, false]),
  ]);
  state.carried = beyondForm(request, isFitting);
  tell("weights", "carried", "providers");
}

function withSwitches(request: PackRequest): PackRequest {
  if (state.weights) {
    request.options = { ...withoutWeights(request.options ?? {}), ...weightOptions(state.weights) };
  }
  const ids = (isOn: boolean) => [...state.switched].filter(([, value]) => value === isOn).map(([id]) => id);
  if (ids(true).length > 0) request.providers = ids(true);
  if (ids(false).length > 0) request.no_providers = ids(false);
  return request;
}

/** Shows what is sent along, each to be dropped. */
function drawCarried(): void {
  const place = byId("carried");
  const fields = carriedFields(state.carried);
  place.hidden = fields.length === 0;
  fill(place, h("span", { class: "carried-title" }, "Sent along"), ...fields.map(({ name, label, value }) => h("button", {
    type: "button", class: "chip-button", "data-field": name, title: visible(value),
    "aria-label": `Do not send ${label} along`,
    onclick: () => {
      delete state.carried[name];
      tell("carried", "providers");
      (place.querySelector<HTMLElement>("button") ?? byId("task")).focus();
    },
  }, visible(label), h("span", { class: "drop", "aria-hidden": "true" }, "×"))));
}

/** Whether there is something to pack; where not, that is said at the field. */
function readTask(input: HTMLTextAreaElement): boolean {
  const isThere = input.value.trim() !== "" || isEnough(state.carried);
  note(input, isThere ? "" : "Write what the agent is doing: a question, a bug report, a stack trace.");
  return isThere;
}

/** The budget; `undefined` where the window decides, `null` where it is not a number. */
function readBudget(input: HTMLInputElement): number | null | undefined {
  const text = input.value.trim();
  const value = text === "" ? undefined : tokens(text);
  const found = value === 0 ? null : value;
  note(input, found === null ? "A number of tokens, such as 8000 or 32k." : "");
  return found;
}

/** Says what is wrong with a field, next to it, or that nothing is. */
function note(input: HTMLElement, text: string): void {
  const place = byId(`${input.id}-note`);
  place.hidden = text === "";
  place.textContent = text;
  input.setAttribute("aria-invalid", String(text !== ""));
}

function choose(select: HTMLSelectElement, value: string): void {
  const isKnown = [...select.options].some((option) => option.value === value);
  if (!isKnown && value) select.append(h("option", { value }, visible(value)));
  select.value = value;
}
