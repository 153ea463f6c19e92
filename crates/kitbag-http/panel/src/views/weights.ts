// The weight sliders. Moving one rebalances the others, so that they sum to 1. The page previews while a
// slider moves, and packs when it is released.

import { byId, fill, h, property } from "../dom";
import { notify, on, state } from "../state";
import { FACTORS, type Factor } from "../types";
import { rebalance, type Weights } from "../weights";

const LABELS: Record<Factor, [name: string, meaning: string]> = {
  relevance: ["Relevance", "how well a chunk matches the task"],
  recency: ["Recency", "how recently its file changed"],
  source: ["Source", "priority of its kind of source"],
};

interface Row {
  input: HTMLInputElement;
  output: HTMLOutputElement;
  part: HTMLElement;
}

export interface WeightActions {
  onMove: () => void;
  /** Called when a slider is released by the pointer, or after each key press. */
  onRelease: (isByPointer: boolean) => void;
}

/** Renders the sliders. */
export function weightsView(actions: WeightActions): void {
  const rows = new Map<Factor, Row>();
  const parts = h("div", { class: "proportions", "aria-hidden": "true" });
  const list = FACTORS.map((factor) => {
    const [name, meaning] = LABELS[factor];
    const id = `weight-${factor}`;
    const input = slider(factor, id, actions);
    const output = h("output", { for: id, class: "number" });
    const part = h("span", { class: `part ${factor}` });
    parts.append(part);
    rows.set(factor, { input, output, part });
    return h(
      "div", { class: "weight" },
      h("label", { for: id, title: meaning }, h("span", { class: `swatch ${factor}` }), name), input, output,
      h("span", { class: "visually-hidden", id: `${id}-meaning` }, meaning),
    );
  });
  fill(byId("weights"), parts, ...list);

  const reset = byId("weights-reset");
  reset.addEventListener("click", () => {
    state.weights = null;
    notify("weights");
    byId(`weight-${FACTORS[0]}`).focus();
    actions.onRelease(true);
  });

  const update = () => {
    const weights = current();
    for (const [factor, { input, output, part }] of rows) {
      const value = String(weights[factor]);
      if (input.value !== value) input.value = value;
      input.setAttribute("aria-valuetext", `${(weights[factor] / 100).toFixed(2)} of 1`);
      property(input, "--share", `${weights[factor]}%`);
      output.value = (weights[factor] / 100).toFixed(2);
      property(part, "--share", weights[factor]);
    }
    reset.hidden = state.weights === null;
  };
  on("weights", update);
  update();
}

/** Renders a slider. Browsers fire `change` only if the value differs from before, so releases are
 * detected by pointer events. */
function slider(factor: Factor, id: string, actions: WeightActions): HTMLInputElement {
  let isPressed = false;
  let isMoved = false;
  const release = (isByPointer: boolean) => {
    if (!isMoved) return;
    isMoved = false;
    actions.onRelease(isByPointer);
  };
  const input = h("input", {
    type: "range", id, min: 0, max: 100, step: 1, class: `slider ${factor}`, "aria-describedby": `${id}-meaning`,
    onpointerdown: () => (isPressed = true),
    oninput: () => {
      isMoved = true;
      state.weights = rebalance(current(), factor, Number(input.value));
      notify("weights");
      actions.onMove();
    },
    onchange: () => {
      if (!isPressed) release(false);
    },
  });
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, () => {
      if (!isPressed) return;
      isPressed = false;
      // The last `input` event can follow the release.
      setTimeout(() => release(true), 0);
    });
  }
  return input;
}

const current = (): Weights => state.weights ?? state.baseWeights;
