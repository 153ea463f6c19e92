// The sliders of the weights. Moving one moves the others, so that they always sum to 1. What a weight
// would do shows while it is moved; once it is let go, it is packed.

import { byId, fill, h, property } from "../dom";
import { on, state, tell } from "../state";
import { FACTORS, type Factor } from "../types";
import { rebalance, type Weights } from "../weights";

const NAMES: Record<Factor, [string, string]> = {
  relevance: ["Relevance", "how well a chunk answers the task"],
  recency: ["Recency", "how lately its file changed"],
  source: ["Source", "how much its kind of source matters"],
};

interface Row {
  input: HTMLInputElement;
  output: HTMLOutputElement;
  part: HTMLElement;
}

export interface WeightActions {
  /** A weight is being moved. */
  moving: () => void;
  /** It was let go: at once by hand, or perhaps with more keys to come. */
  moved: (isByHand: boolean) => void;
}

/** Fills the section. */
export function weightsView(actions: WeightActions): void {
  const rows = new Map<Factor, Row>();
  const parts = h("div", { class: "proportions", "aria-hidden": "true" });
  const list = FACTORS.map((factor) => {
    const [name, meaning] = NAMES[factor];
    const id = `weight-${factor}`;
    const input = slider(factor, id, actions);
    const output = h("output", { for: id, class: "number" });
    const part = h("span", { class: `part ${factor}` });
    parts.append(part);
    rows.set(factor, { input, output, part });
    return h(
      "div", { class: "weight" },
      h("label", { for: id, title: meaning }, h("span", { class: `swatch ${factor}` }), name), input, output,
      h("span", { class: "unseen-text", id: `${id}-meaning` }, meaning),
    );
  });
  fill(byId("weights"), parts, ...list);

  const reset = byId("weights-reset");
  reset.addEventListener("click", () => {
    state.weights = null;
    tell("weights");
    byId(`weight-${FACTORS[0]}`).focus();
    actions.moved(true);
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

/** A slider. Browsers tell that it was let go only where its value is another than before, so that the
 * pointer is listened to as well. */
function slider(factor: Factor, id: string, actions: WeightActions): HTMLInputElement {
  let isHeld = false;
  let isMoved = false;
  const letGo = (isByHand: boolean) => {
    if (!isMoved) return;
    isMoved = false;
    actions.moved(isByHand);
  };
  const input = h("input", {
    type: "range", id, min: 0, max: 100, step: 1, class: `slider ${factor}`, "aria-describedby": `${id}-meaning`,
    onpointerdown: () => (isHeld = true),
    oninput: () => {
      isMoved = true;
      state.weights = rebalance(current(), factor, Number(input.value));
      tell("weights");
      actions.moving();
    },
    onchange: () => {
      if (!isHeld) letGo(false);
    },
  });
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, () => {
      if (!isHeld) return;
      isHeld = false;
      // After the last movement that comes with letting go.
      setTimeout(() => letGo(true), 0);
    });
  }
  return input;
}

const current = (): Weights => state.weights ?? state.baseWeights;
