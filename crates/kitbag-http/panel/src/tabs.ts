// Tabs that follow the ARIA authoring practices: one tab stop, arrow keys, a labeled panel.

import { fill, h } from "./dom";
import { integer } from "./format";

export interface Tab {
  id: string;
  label: string;
  count?: number;
  /** Renders the panel when the tab is first opened. */
  content: () => HTMLElement;
}

export interface Tabs {
  element: HTMLElement;
  open: (id: string, focus?: boolean) => void;
  current: () => string;
}

/** Renders a row of tabs above the panel of the open one. */
export function tabs(list: Tab[], first: string, onOpen: (id: string) => void): Tabs {
  const panel = h("div", { class: "panel", role: "tabpanel", id: "panel" });
  const panels = new Map<string, HTMLElement>();
  const buttons = list.map((tab, index) => h("button", {
    type: "button", role: "tab", id: `tab-${tab.id}`, class: "tab", "aria-controls": "panel", title: `${tab.label} (${index + 1})`,
    onclick: () => open(tab.id),
  }, tab.label, tab.count !== undefined && h("span", { class: "tab-count number" }, integer(tab.count))));
  const row = h("div", { class: "tabs", role: "tablist", "aria-label": "Views of the pack" }, ...buttons);
  let current = "";

  const scrollToCurrent = () => {
    const button = buttons[list.findIndex((tab) => tab.id === current)];
    if (!button) return;
    const { offsetLeft: left, offsetWidth: width } = button;
    const margin = 40;
    if (left - margin < row.scrollLeft) row.scrollLeft = left - margin;
    else if (left + width + margin > row.scrollLeft + row.clientWidth) row.scrollLeft = left + width + margin - row.clientWidth;
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
    scrollToCurrent();
    const content = panels.get(tab.id) ?? tab.content();
    panels.set(tab.id, content);
    panel.setAttribute("aria-labelledby", `tab-${tab.id}`);
    fill(panel, content);
    onOpen(tab.id);
  };
  row.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = list.findIndex((tab) => tab.id === current);
    const to = by === undefined ? { Home: 0, End: list.length - 1 }[event.key] : (at + by + list.length) % list.length;
    if (to === undefined) return;
    event.preventDefault();
    open(list[to]?.id ?? "", true);
  });
  // The edges fade while tabs are scrolled out of view.
  const updateEdges = () => {
    box.classList.toggle("has-before", row.scrollLeft > 4);
    box.classList.toggle("has-after", row.scrollLeft + row.clientWidth < row.scrollWidth - 4);
  };
  row.addEventListener("scroll", updateEdges, { passive: true });
  const box = h("div", { class: "tab-row" }, row);
  new ResizeObserver(() => {
    scrollToCurrent();
    updateEdges();
  }).observe(row);
  open(first);
  return { element: h("div", { class: "tab-box" }, box, panel), open, current: () => current };
}
