// The weight sliders. Moving one rebalances the others, so that they sum to 1. The page previews while a slider
// moves, and says how many chunks that changes.

import { problemOf, toRequest } from "../form";
import { count } from "../format";
import { hasOwnPack, preview, release } from "../session";
import { getState, update, updateForm, type State } from "../store";
import { FACTORS, type Factor } from "../types";
import { rebalance } from "../weights";
import { useRelease } from "./sliders";

const LABELS: Record<Factor, [name: string, meaning: string]> = {
  relevance: ["Relevance", "Chance that a chunk matters for the task"],
  recency: ["Recency", "How recently its file changed"],
  source: ["Source", "Priority of its kind of source"],
};

export function WeightSliders({ state }: { state: State }) {
  const weights = state.form.weights ?? state.baseWeights;
  const reset = () => {
    updateForm({ weights: null });
    document.getElementById("weight-relevance")?.focus();
    release();
  };
  return (
    <div id="weights">
      {state.form.weights !== null && <button type="button" class="quiet reset" id="weights-reset" onClick={reset}>Reset<span class="visually-hidden"> the weights</span></button>}
      {FACTORS.map((factor) => <WeightSlider key={factor} factor={factor} value={weights[factor]} />)}
      <p class="weight-effect muted number" id="weight-effect" role="status">{effectOf(state)}</p>
    </div>
  );
}

function WeightSlider({ factor, value }: { factor: Factor; value: number }) {
  const [name, meaning] = LABELS[factor];
  const id = `weight-${factor}`;
  const slider = useRelease(release);
  const onInput = (next: number) => {
    slider.onMove();
    const { form, baseWeights } = getState();
    updateForm({ weights: rebalance(form.weights ?? baseWeights, factor, next) });
    const moved = getState().form;
    if (hasOwnPack() && !problemOf(moved)) void preview(toRequest(moved), name);
    else update({ moved: null });
  };
  return (
    <div class="weight">
      <label for={id} title={meaning}><span class={`swatch ${factor}`} />{name}</label>
      <input
        type="range" id={id} min={0} max={100} step={1} class={`slider ${factor}`} value={value} aria-describedby={`${id}-meaning`}
        aria-valuetext={`${(value / 100).toFixed(2)} of 1`} style={{ "--share": `${value}%` }} {...slider.listeners}
        onInput={(event) => onInput(Number(event.currentTarget.value))}
      />
      <output for={id} class="number">{(value / 100).toFixed(2)}</output>
      <span class="visually-hidden" id={`${id}-meaning`}>{meaning}</span>
    </div>
  );
}

/** Says what the last move changed. Where relevance ends the pack, other weights only change the order. */
function effectOf({ moved, shown }: State): string {
  if (!moved) return shown ? "Move a weight to see how many chunks it changes." : "";
  const { weight, changed, reranked } = moved;
  if (changed > 0) return `${weight}: ${count(changed, "chunk changes", "chunks change")}, ${count(reranked, "moves", "move")}.`;
  const isStopped = shown?.pack.report.excluded.every(({ reason }) => reason !== "budget") ?? false;
  const order = reranked > 0 ? `the same chunks, ${count(reranked, "moves", "move")}` : "the same chunks in the same order";
  return `${weight}: ${order}.${isStopped ? " The pack ends by relevance, not by budget." : ""}`;
}
