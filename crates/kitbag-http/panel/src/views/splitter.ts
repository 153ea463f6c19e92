// The bar between list and code: it is dragged, or moved with the arrow keys, and stays where it was put.

import { h, property } from "../dom";

const KEY = "kitbag.split";
const [LEAST, USUAL, MOST] = [30, 50, 70];

/** The bar of a split view. All of them stand at the same place. */
export function splitter(): HTMLElement {
  const bar = h("div", {
    class: "splitter", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": "Width of the code",
    "aria-valuemin": LEAST, "aria-valuemax": MOST, title: "Drag to give the code more or less room",
    ondblclick: () => put(bar, USUAL),
    onkeydown: (event: KeyboardEvent) => {
      const to = { ArrowLeft: place() + 2, ArrowRight: place() - 2, Home: MOST, End: LEAST }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      put(bar, to);
    },
    onpointerdown: (event: PointerEvent) => {
      event.preventDefault();
      bar.setPointerCapture(event.pointerId);
    },
    onpointermove: (event: PointerEvent) => {
      const whole = bar.parentElement?.getBoundingClientRect();
      if (!whole || !bar.hasPointerCapture(event.pointerId)) return;
      put(bar, (100 * (whole.right - event.clientX - bar.clientWidth / 2)) / whole.width);
    },
  });
  put(bar, place());
  return bar;
}

function put(bar: HTMLElement, share: number): void {
  const to = Math.round(Math.min(MOST, Math.max(LEAST, share)));
  localStorage.setItem(KEY, String(to));
  property(document.documentElement, "--code-share", `${to}%`);
  bar.setAttribute("aria-valuenow", String(to));
}

function place(): number {
  const kept = Number(localStorage.getItem(KEY));
  return kept >= LEAST && kept <= MOST ? kept : USUAL;
}
