// The switches of the providers. They hold for the page's own packs, and change nothing for others.
// Those that have something to work with come first; those that wait for what only a caller gives, such
// as an open document, are folded away.

import { byId, fill, h } from "../dom";
import { compact, count } from "../numbers";
import { on, state, tell } from "../state";
import type { PackRequest, ProviderOutcome } from "../types";
import { visible } from "../visible";

interface Known {
  id: string;
  isOn: boolean;
  /** Whether a request of this page gives it something to work with. */
  isFed: boolean;
  note: string;
  title: string;
  problem: boolean;
}

const PROBLEMS = ["failed", "timed_out", "late"];

/** The field of a request that a provider works with. All others work with the task and the repository. */
const NEEDS: Record<string, keyof PackRequest> = {
  document: "document", selection: "selection", cursor: "cursor", heading: "cursor", open_files: "open_files",
  tool_results: "tool_results", references: "references", sources: "sources",
};

/** Fills the section, and calls `switched` whenever one was switched. */
export function providersView(switched: () => void): void {
  const section = byId("providers");
  const reset = byId("providers-reset");
  const inputs = new Map<string, HTMLInputElement>();
  let isUnfolded = false;
  let shown = "";

  const row = (provider: Known) => {
    const input = h("input", {
      type: "checkbox", role: "switch", id: `provider-${provider.id}`,
      onchange: () => {
        state.switched.set(provider.id, input.checked);
        tell("providers");
        switched();
      },
    });
    input.checked = provider.isOn;
    inputs.set(provider.id, input);
    return h(
      "label", { class: `switch${provider.problem ? " bad" : ""}`, title: provider.title }, input,
      h("span", { class: "switch-track", "aria-hidden": "true" }),
      h("span", { class: "switch-name" }, visible(provider.id).replaceAll("_", " ")),
      h("span", { class: "number muted" }, provider.note),
    );
  };
  const update = () => {
    const list = known();
    const wanted = JSON.stringify(list);
    reset.hidden = state.switched.size === 0;
    tellUnfed(list);
    if (wanted === shown) return;
    shown = wanted;
    const focused = [...inputs].find(([, input]) => input === document.activeElement)?.[0];
    inputs.clear();
    const fed = list.filter((provider) => provider.isFed).map(row);
    const unfed = list.filter((provider) => !provider.isFed).map(row);
    const fold = h("details", { class: "fold", ontoggle: () => (isUnfolded = fold.open) },
      h("summary", {}, count(unfed.length, "other takes", "others take"), " what a caller gives"),
      h("div", { class: "switches unfed" }, ...unfed));
    fold.open = isUnfolded;
    const nothing = h("p", { class: "muted" }, "The server has told of none yet.");
    fill(section, list.length > 0 ? h("div", { class: "switches" }, ...fed) : nothing, unfed.length > 0 && fold);
    if (focused) inputs.get(focused)?.focus();
  };

  reset.addEventListener("click", () => {
    state.switched.clear();
    shown = "";
    tell("providers");
    section.querySelector<HTMLInputElement>("input")?.focus();
    switched();
  });
  on("providers", update);
  on("carried", update);
  update();
}

function known(): Known[] {
  const outcomes = new Map(outcomesHere().map((outcome) => [outcome.id, outcome]));
  return state.providers.map(({ id, description = "", enabled }) => {
    const outcome = outcomes.get(id);
    const need = NEEDS[id];
    const note = outcome ? noteOf(outcome) : "";
    return {
      id,
      isOn: state.switched.get(id) ?? enabled ?? true,
      isFed: need === undefined || state.carried[need] !== undefined,
      note,
      title: [description, outcome && outcome.tokens > 0 ? `${count(outcome.tokens, "token")} in this pack.` : ""].filter(Boolean).join(" "),
      problem: PROBLEMS.includes(outcome?.outcome ?? ""),
    };
  });
}

/** What became of the providers in the pack that is shown, where it is one of the form's. */
function outcomesHere(): ProviderOutcome[] {
  return state.pack && !state.visiting ? state.pack.report.providers : [];
}

function noteOf({ outcome, tokens }: ProviderOutcome): string {
  if (tokens > 0) return compact(tokens);
  return PROBLEMS.includes(outcome) ? outcome.replace("_", " ") : "";
}

/** Says so where nothing that is on can find anything. */
function tellUnfed(list: Known[]): void {
  const isUnfed = list.length > 0 && !list.some((provider) => provider.isFed && provider.isOn);
  const note = byId("profile-note");
  note.hidden = !isUnfed;
  note.textContent = isUnfed ? "Nothing that is on looks for code: it packs what a caller gives. Switch search on to find some." : "";
}
