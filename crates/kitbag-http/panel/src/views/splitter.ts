// The splitter between list and code, moved with the pointer or the arrow keys.

import { h, property } from "../dom";

const STORAGE_KEY = "kitbag.split";
/** Width of the code in percent. */
const [MIN, DEFAULT, MAX] = [30, 50, 70];

/** Renders a splitter. All of them share one position. */
export function splitter(): HTMLElement {
  const bar = h("div", {
    class: "splitter", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": "Width of the code",
    "aria-valuemin": MIN, "aria-valuemax": MAX, title: "Drag to resize the code",
    ondblclick: () => setPosition(bar, DEFAULT),
    onkeydown: (event: KeyboardEvent) => {
      const target = { ArrowLeft: storedPosition() + 2, ArrowRight: storedPosition() - 2, Home: MAX, End: MIN }[event.key];
      if (target === undefined) return;
      event.preventDefault();
      setPosition(bar, target);
    },
    onpointerdown: (event: PointerEvent) => {
      event.preventDefault();
      bar.setPointerCapture(event.pointerId);
    },
    onpointermove: (event: PointerEvent) => {
      const bounds = bar.parentElement?.getBoundingClientRect();
      if (!bounds || !bar.hasPointerCapture(event.pointerId)) return;
      setPosition(bar, (100 * (bounds.right - event.clientX - bar.clientWidth / 2)) / bounds.width);
    },
  });
  setPosition(bar, storedPosition());
  return bar;
}

function setPosition(bar: HTMLElement, percentage: number): void {
  const position = Math.round(Math.min(MAX, Math.max(MIN, percentage)));
  localStorage.setItem(STORAGE_KEY, String(position));
  property(document.documentElement, "--code-share", `${position}%`);
  bar.setAttribute("aria-valuenow", String(position));
}

function storedPosition(): number {
  const stored = Number(localStorage.getItem(STORAGE_KEY));
  return stored >= MIN && stored <= MAX ? stored : DEFAULT;
}
