// The sliders of the weights. Moving one moves the others, so that they always sum to 1.

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

/** Fills the section, and calls `moved` whenever a weight was moved. */
export function weightsView(moved: () => void): void {
  const rows = new Map<Factor, Row>();
  const parts = h("div", { class: "proportions", "aria-hidden": "true" });
  const list = FACTORS.map((factor) => {
    const [name, meaning] = NAMES[factor];
    const id = `weight-${factor}`;
    const input = h("input", {
      type: "range", id, min: 0, max: 100, step: 1, class: `slider ${factor}`,
      "aria-describedby": `${id}-meaning`,
      oninput: () => {
        state.weights = rebalance(current(), factor, Number(input.value));
        tell("weights");
        moved();
      },
    });
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
    moved();
  });

  const update = () => {
    const weights = current();
    for (const [factor, { input, output, part }] of rows) {
      input.value = String(weights[factor]);
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

const current = (): Weights => state.weights ?? state.baseWeights;
