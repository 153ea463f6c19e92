// The switches of the providers. They hold for the page's own packs, and change nothing for others.

import { byId, fill, h } from "../dom";
import { count } from "../numbers";
import { on, state, tell } from "../state";
import { visible } from "../visible";

interface Known {
  id: string;
  isOn: boolean;
  note: string;
  problem: boolean;
}

const PROBLEMS = ["failed", "timed_out", "late"];

let atStart: { id: string; enabled?: boolean }[] = [];

/** What the server has, for the time before the first pack. */
export function knowProviders(list: { id: string; enabled?: boolean }[]): void {
  atStart = list;
  tell("providers");
}

/** Fills the section, and calls `switched` whenever one was switched. */
export function providersView(switched: () => void): void {
  const section = byId("providers");
  const reset = byId("providers-reset");
  const inputs = new Map<string, HTMLInputElement>();
  let shown = "";

  const update = () => {
    const list = known();
    const wanted = JSON.stringify(list);
    reset.hidden = state.switched.size === 0;
    if (wanted === shown) return;
    shown = wanted;
    const focused = [...inputs].find(([, input]) => input === document.activeElement)?.[0];
    inputs.clear();
    const rows = list.map((provider) => {
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
        "label", { class: `switch${provider.note ? " is-wide" : ""}${provider.problem ? " bad" : ""}` }, input,
        h("span", { class: "switch-track", "aria-hidden": "true" }),
        h("span", { class: "switch-name" }, visible(provider.id)),
        h("span", { class: "number muted" }, provider.note),
      );
    });
    fill(section, ...(rows.length > 0 ? rows : [h("p", { class: "muted" }, "Known after the first pack.")]));
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
  update();
}

function known(): Known[] {
  const report = state.pack?.report;
  if (!report || report.providers.length === 0) {
    return atStart.map(({ id, enabled }) => ({
      id, isOn: state.switched.get(id) ?? enabled ?? true, note: "", problem: false,
    }));
  }
  return report.providers.map(({ id, outcome, tokens }) => ({
    id,
    isOn: state.switched.get(id) ?? outcome !== "off",
    note: note(outcome, tokens),
    problem: PROBLEMS.includes(outcome),
  }));
}

function note(outcome: string, tokens: number): string {
  if (tokens > 0) return count(tokens, "token");
  return PROBLEMS.includes(outcome) ? outcome.replace("_", " ") : "";
}
