// Keyboard shortcuts. Single-key shortcuts work outside of inputs only, and can be turned off.

import { useEffect, useState } from "preact/hooks";
import { exclude, expand, isOfFile, pin, pinOf, unpin } from "../edits";
import type { Form } from "../form";
import { submit } from "../session";
import { chunkKey } from "../changes";
import { getState, TABS } from "../store";
import { toggleTheme } from "../theme";
import type { Chunk, Report } from "../types";
import { moveSelection } from "./chunks";
import { toggleWrap } from "./code";
import { packAndFocus } from "./rail";
import { openTab } from "./result";
import { copyText } from "./text";

interface Shortcut {
  keys: string;
  label: string;
  description: string;
  run: (key: string) => void;
}

const STORAGE_KEY = "kitbag.keys";

const SHORTCUTS: Shortcut[] = [
  { keys: "t", label: "T", description: "Edit the task", run: () => focusElement("task") },
  { keys: "p", label: "P", description: "Pack", run: () => void packAndFocus() },
  { keys: "b", label: "B", description: "Go to the budget", run: () => focusElement("budget-slider") },
  { keys: "w", label: "W", description: "Go to the weights", run: () => focusElement("weight-relevance") },
  { keys: "r", label: "R", description: "Go to the history", run: () => document.querySelector<HTMLElement>("#feed [tabindex='0']")?.focus() },
  { keys: "1234567", label: "1 – 7", description: "Open a tab", run: (key) => openTab(TABS[Number(key) - 1] ?? "included", true) },
  { keys: "/", label: "/", description: "Filter the list, or search the text", run: () => focusFilter() },
  { keys: "j", label: "J", description: "Next chunk", run: () => moveSelection(1) },
  { keys: "k", label: "K", description: "Previous chunk", run: () => moveSelection(-1) },
  { keys: "i", label: "I", description: "Pin or unpin the chunk", run: () => edit((form, chunk, report) => togglePin(form, chunk, report)) },
  { keys: "e", label: "E", description: "Expand to the whole file", run: () => edit((form, chunk, report) => expand(form, { chunk }, report)) },
  { keys: "x", label: "X", description: "Exclude the chunk", run: () => edit((form, chunk) => exclude(form, { chunk })) },
  { keys: "l", label: "L", description: "Toggle line wrapping", run: () => toggleWrap() },
  { keys: "c", label: "C", description: "Copy the text", run: () => copyText() },
  { keys: "d", label: "D", description: "Toggle dark mode", run: toggleTheme },
];
/** Shortcuts handled elsewhere, listed for completeness. */
const OTHERS = [
  { label: "Ctrl Enter", description: "Pack, from a field" },
  { label: "↑ ↓", description: "Move through the focused list" },
  { label: "Alt ←", description: "Back: undo the last change of the request" },
  { label: "Esc", description: "Leave a field, or close" },
];

export function useShortcuts(showHelp: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.key === "Escape" && isTyping(target) && !document.querySelector("dialog[open]")) {
        return document.getElementById("result")?.focus({ preventScroll: true });
      }
      if (event.ctrlKey || event.metaKey || event.altKey || !areKeysOn() || isTyping(target)) return;
      // The sheet is part of the page, so shortcuts work in it.
      if (document.querySelector("dialog[open]:not(#sheet)")) return;
      const key = event.key.toLowerCase();
      const run = key === "?" ? showHelp : SHORTCUTS.find(({ keys }) => key.length === 1 && keys.includes(key))?.run;
      if (!run) return;
      event.preventDefault();
      run(key);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

export function KeysHelp() {
  const [isOn, setOn] = useState(areKeysOn());
  const onChange = (isChecked: boolean) => {
    localStorage.setItem(STORAGE_KEY, isChecked ? "on" : "off");
    setOn(isChecked);
  };
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <table class="keys">
        <tbody>
          {[...SHORTCUTS, { label: "?", description: "Show keyboard shortcuts" }, ...OTHERS].map(({ label, description }) => (
            <tr><th scope="row">{label.split(" ").map((cap) => (cap === "–" ? " – " : <kbd>{cap}</kbd>))}</th><td>{description}</td></tr>
          ))}
        </tbody>
      </table>
      <label class="check"><input type="checkbox" id="keys-on" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />Enable single-key shortcuts</label>
      <form method="dialog"><button class="button">Close</button></form>
    </dialog>
  );
}

const areKeysOn = (): boolean => localStorage.getItem(STORAGE_KEY) !== "off";

/** Focuses an element, and opens the section it is in. */
function focusElement(id: string): void {
  const element = document.getElementById(id);
  const section = element?.closest("details");
  if (section) section.open = true;
  element?.focus();
}

function focusFilter(): void {
  const { tab } = getState();
  if (tab === "text") return focusElement("find");
  if (tab !== "excluded") openTab("included");
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>(".filter")?.select());
}

/** Changes the request by the selected chunk of the list on screen, and packs. */
function edit(change: (form: Form, chunk: Chunk, report: Report) => Form): void {
  const { shown, tab, selected, form } = getState();
  if (!shown || (tab !== "included" && tab !== "excluded")) return;
  const list: Chunk[] = shown.pack.report[tab];
  const chunk = list.find((it) => chunkKey(it) === selected) ?? list[0];
  if (chunk && isOfFile(chunk)) void submit(change(form, chunk, shown.pack.report));
}

function togglePin(form: Form, chunk: Chunk, report: Report): Form {
  const reference = pinOf(form, chunk);
  return reference === undefined ? pin(form, { chunk }, report) : unpin(form, reference);
}

/** Returns whether a key press is text input. Sliders and switches use only a few keys themselves. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !["range", "checkbox"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
