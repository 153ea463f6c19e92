// Keyboard shortcuts. Single-key shortcuts work outside of inputs only, and can be turned off.

import { byId, fill, h } from "./dom";

export interface Shortcut {
  keys: string[];
  label: string;
  description: string;
  run: (key: string) => void;
}

const STORAGE_KEY = "kitbag.keys";

/** Shortcuts handled elsewhere, listed for completeness. */
const OTHER_SHORTCUTS = [
  { label: "Ctrl Enter", description: "Pack, from the task field" },
  { label: "↑ ↓", description: "Move through the focused list" },
  { label: "Esc", description: "Close or go back" },
];

export function startKeys(shortcuts: Shortcut[], onEscape: () => void): { showHelp: () => void } {
  const dialog = byId<HTMLDialogElement>("keys");
  const toggle = h("input", { type: "checkbox", id: "keys-on" });
  toggle.checked = localStorage.getItem(STORAGE_KEY) !== "off";
  toggle.addEventListener("change", () => localStorage.setItem(STORAGE_KEY, toggle.checked ? "on" : "off"));
  const rows = [...shortcuts, ...OTHER_SHORTCUTS].map(({ label, description }) =>
    h("tr", {}, h("th", { scope: "row" }, ...keyCaps(label)), h("td", {}, description)));
  fill(dialog,
    h("h2", { id: "keys-title" }, "Keyboard shortcuts"),
    h("table", { class: "keys" }, h("tbody", {}, ...rows)),
    h("label", { class: "check" }, toggle, "Enable single-key shortcuts"),
    h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")));

  const showHelp = () => dialog.showModal();
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) return onEscape();
    if (event.ctrlKey || event.metaKey || event.altKey || !toggle.checked || isTyping(event.target)) return;
    // The sheet is part of the page, so shortcuts work in it.
    if (document.querySelector("dialog[open]:not(#sheet)")) return;
    const shortcut = shortcuts.find(({ keys }) => keys.includes(event.key));
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run(event.key);
  });
  return { showHelp };
}

/** Renders a label such as `Ctrl Enter` or `1 – 8` as key caps. */
function keyCaps(label: string): (HTMLElement | string)[] {
  return label.split(" ").map((key) => (key === "–" ? " – " : h("kbd", {}, key)));
}

/** Returns whether a key press is text input. Sliders and switches use only a few keys themselves. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !["range", "checkbox"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
