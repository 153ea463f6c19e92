// Provider switches, which apply to packs of this page only. Providers without input, such as that of the
// open document, are listed in a collapsed section.

import { byId, fill, h } from "../dom";
import { compact, count } from "../format";
import { notify, on, state } from "../state";
import type { PackRequest, ProviderOutcome } from "../types";
import { visible } from "../visible";

interface ProviderRow {
  id: string;
  isOn: boolean;
  /** Whether requests of this page contain what the provider works on. */
  hasInput: boolean;
  note: string;
  title: string;
  hasFailed: boolean;
}

const FAILURES = ["failed", "timed_out", "late"];

/** Request field that a provider works on. All others work on the task and the repository. */
const INPUT_FIELDS: Record<string, keyof PackRequest> = {
  document: "document", selection: "selection", cursor: "cursor", heading: "cursor", open_files: "open_files",
  tool_results: "tool_results", references: "references", sources: "sources",
};

/** Renders the switches, and calls `onSwitch` when one changes. */
export function providersView(onSwitch: () => void): void {
  const section = byId("providers");
  const reset = byId("providers-reset");
  const inputs = new Map<string, HTMLInputElement>();
  let isOpen = false;
  let rendered = "";

  const render = () => {
    const rows = providerRows();
    const key = JSON.stringify(rows);
    reset.hidden = state.providerOverrides.size === 0;
    renderProfileNote(rows);
    if (key === rendered) return;
    rendered = key;
    const focused = [...inputs].find(([, input]) => input === document.activeElement)?.[0];
    inputs.clear();
    const switches = (hasInput: boolean) => rows.filter((row) => row.hasInput === hasInput).map((row) => {
      const { label, input } = switchView(row, onSwitch);
      inputs.set(row.id, input);
      return label;
    });
    const withInput = switches(true);
    const withoutInput = switches(false);
    const fold = h("details", { class: "fold", ontoggle: () => (isOpen = fold.open) },
      h("summary", {}, count(withoutInput.length, "provider"), " without input"),
      h("div", { class: "switches without-input" }, ...withoutInput));
    fold.open = isOpen;
    const empty = h("p", { class: "muted" }, "No providers loaded yet.");
    fill(section, rows.length > 0 ? h("div", { class: "switches" }, ...withInput) : empty, withoutInput.length > 0 && fold);
    if (focused) inputs.get(focused)?.focus();
  };

  reset.addEventListener("click", () => {
    state.providerOverrides.clear();
    rendered = "";
    notify("providers");
    section.querySelector<HTMLInputElement>("input")?.focus();
    onSwitch();
  });
  on("providers", render);
  on("extraFields", render);
  render();
}

function switchView(row: ProviderRow, onSwitch: () => void): { label: HTMLElement; input: HTMLInputElement } {
  const input = h("input", {
    type: "checkbox", role: "switch", id: `provider-${row.id}`,
    onchange: () => {
      state.providerOverrides.set(row.id, input.checked);
      notify("providers");
      onSwitch();
    },
  });
  input.checked = row.isOn;
  const label = h(
    "label", { class: `switch${row.hasFailed ? " bad" : ""}`, title: row.title }, input,
    h("span", { class: "switch-track", "aria-hidden": "true" }),
    h("span", { class: "switch-name" }, visible(row.id).replaceAll("_", " ")),
    h("span", { class: "number muted" }, row.note),
  );
  return { label, input };
}

function providerRows(): ProviderRow[] {
  // A viewed pack says nothing about the providers of the form.
  const outcomes = state.pack && !state.viewing ? state.pack.report.providers : [];
  return state.providers.map(({ id, description, enabled }) => {
    const outcome = outcomes.find((it) => it.id === id);
    const field = INPUT_FIELDS[id];
    const tokens = outcome && outcome.tokens > 0 ? `${count(outcome.tokens, "token")} in this pack.` : "";
    return {
      id,
      isOn: state.providerOverrides.get(id) ?? enabled,
      hasInput: field === undefined || state.extraFields[field] !== undefined,
      note: outcome ? outcomeNote(outcome) : "",
      title: [description, tokens].filter(Boolean).join(" "),
      hasFailed: FAILURES.includes(outcome?.outcome ?? ""),
    };
  });
}

function outcomeNote({ outcome, tokens }: ProviderOutcome): string {
  if (tokens > 0) return compact(tokens);
  return FAILURES.includes(outcome) ? outcome.replace("_", " ") : "";
}

/** Shows a note if no enabled provider has input. */
function renderProfileNote(rows: ProviderRow[]): void {
  const isIdle = rows.length > 0 && !rows.some((row) => row.hasInput && row.isOn);
  const note = byId("profile-note");
  note.hidden = !isIdle;
  note.textContent = isIdle ? "No enabled provider searches the repository. Enable search to find code for the task." : "";
}
