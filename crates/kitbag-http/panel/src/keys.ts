// Keyboard shortcuts. Single keys work outside of fields only, and can be switched off.

import { byId, fill, h } from "./dom";

export interface Shortcut {
  keys: string[];
  label: string;
  does: string;
  act: (key: string) => void;
}

const OFF = "kitbag.keys";

export function startKeys(shortcuts: Shortcut[], escape: () => void): { help: () => void } {
  const dialog = byId<HTMLDialogElement>("keys");
  const toggle = h("input", { type: "checkbox", id: "keys-on" });
  toggle.checked = localStorage.getItem(OFF) !== "off";
  toggle.addEventListener("change", () => localStorage.setItem(OFF, toggle.checked ? "on" : "off"));
  const rows = shortcuts.map(({ label, does }) => h("tr", {}, h("th", { scope: "row" }, ...caps(label)), h("td", {}, does)));
  const more: [string, string][] = [["Ctrl Enter", "Pack, from within the task"], ["↑ ↓", "Through the list that has the focus"], ["Esc", "Close, go back"]];
  const fixed = more.map(([label, does]) => h("tr", {}, h("th", { scope: "row" }, ...caps(label)), h("td", {}, does)));
  fill(dialog,
    h("h2", { id: "keys-title" }, "Keys"),
    h("table", { class: "keys" }, h("tbody", {}, ...rows, ...fixed)),
    h("label", { class: "check" }, toggle, "Single keys are shortcuts"),
    h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")));

  const help = () => dialog.showModal();
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) return escape();
    if (event.ctrlKey || event.metaKey || event.altKey || !toggle.checked || isTyping(event.target)) return;
    // The sheet is part of the page: its keys stay.
    if (document.querySelector("dialog[open]:not(#sheet)")) return;
    const found = shortcuts.find(({ keys }) => keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found.act(event.key);
  });
  return { help };
}

/** A label such as `Ctrl Enter` or `1 – 8` as key caps. */
function caps(label: string): (HTMLElement | string)[] {
  return label.split(" ").map((key) => (key === "–" ? " – " : h("kbd", {}, key)));
}

/** Whether a key goes into a field. Sliders and switches take only keys of their own. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !["range", "checkbox"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
