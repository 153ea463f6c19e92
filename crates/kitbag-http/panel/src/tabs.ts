// Tabs as the ARIA practices describe them: arrow keys move, one tab stop, each panel labelled.

import { fill, h } from "./dom";
import { whole } from "./numbers";

export interface Tab {
  id: string;
  label: string;
  count?: number;
  /** Made when the tab is first opened. */
  content: () => HTMLElement;
}

export interface Tabs {
  element: HTMLElement;
  open: (id: string, focus?: boolean) => void;
  current: () => string;
}

/** A row of tabs over the panel of the one that is open. */
export function tabs(list: Tab[], first: string, opened: (id: string) => void): Tabs {
  const panel = h("div", { class: "panel", role: "tabpanel", id: "panel" });
  const made = new Map<string, HTMLElement>();
  const buttons = list.map((tab, at) => h("button", {
    type: "button", role: "tab", id: `tab-${tab.id}`, class: "tab", "aria-controls": "panel", title: `${tab.label} (${at + 1})`,
    onclick: () => open(tab.id),
  }, tab.label, tab.count !== undefined && h("span", { class: "tab-count number" }, whole(tab.count))));
  const row = h("div", { class: "tabs", role: "tablist", "aria-label": "Views of the pack" }, ...buttons);
  let current = "";

  const reveal = () => {
    const button = buttons[list.findIndex((tab) => tab.id === current)];
    if (!button) return;
    const { offsetLeft: left, offsetWidth: width } = button;
    const room = 40;
    if (left - room < row.scrollLeft) row.scrollLeft = left - room;
    else if (left + width + room > row.scrollLeft + row.clientWidth) row.scrollLeft = left + width + room - row.clientWidth;
  };
  const open = (id: string, focus = false) => {
    const at = list.findIndex((tab) => tab.id === id);
    const tab = list[at];
    if (!tab) return;
    current = tab.id;
    buttons.forEach((button, other) => {
      button.setAttribute("aria-selected", String(other === at));
      button.setAttribute("tabindex", other === at ? "0" : "-1");
    });
    if (focus) buttons[at]?.focus({ preventScroll: true });
    reveal();
    const content = made.get(tab.id) ?? tab.content();
    made.set(tab.id, content);
    panel.setAttribute("aria-labelledby", `tab-${tab.id}`);
    fill(panel, content);
    opened(tab.id);
  };
  row.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = list.findIndex((tab) => tab.id === current);
    const to = by === undefined ? { Home: 0, End: list.length - 1 }[event.key] : (at + by + list.length) % list.length;
    if (to === undefined) return;
    event.preventDefault();
    open(list[to]?.id ?? "", true);
  });
  // The edges fade where there are more tabs than fit.
  const edges = () => {
    box.classList.toggle("has-before", row.scrollLeft > 4);
    box.classList.toggle("has-after", row.scrollLeft + row.clientWidth < row.scrollWidth - 4);
  };
  row.addEventListener("scroll", edges, { passive: true });
  const box = h("div", { class: "tab-row" }, row);
  new ResizeObserver(() => {
    reveal();
    edges();
  }).observe(row);
  open(first);
  return { element: h("div", { class: "tab-box" }, box, panel), open, current: () => current };
}
