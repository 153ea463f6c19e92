// The budget: a field, and a slider below the curve of what each thousand tokens adds.

import { useMemo } from "preact/hooks";
import { curveOf, gainAt, valueAt, type CurvePoint } from "../curve";
import { problemOf, toRequest } from "../form";
import { compact, integer, parseTokens } from "../format";
import { hasOwnPack, preview, release } from "../session";
import { getState, updateForm, type State } from "../store";
import type { Report } from "../types";
import { Field } from "./rail";
import { useRelease } from "./sliders";

const [WIDTH, HEIGHT] = [300, 52];
const MIN_TOKENS = 500;
/** Steps of the slider. */
const STEPS = 400;

export function BudgetField({ state }: { state: State }) {
  const { form, shown, invalid } = state;
  const typed = parseTokens(form.budget);
  const budget = typed ?? shown?.pack.report.budget ?? 0;
  return (
    <div class="budget">
      <Field id="budget" label="Budget, tokens" state={state}>
        <input
          id="budget" inputMode="text" placeholder={budget > 0 ? `${integer(budget)} (from the window)` : "from the window"} aria-describedby="budget-note"
          aria-invalid={invalid?.field === "budget"} value={form.budget} onInput={(event) => updateForm({ budget: event.currentTarget.value })}
        />
      </Field>
      {shown && budget > 0 && <BudgetSlider report={shown.pack.report} budget={budget} />}
    </div>
  );
}

function BudgetSlider({ report, budget }: { report: Report; budget: number }) {
  const points = useMemo(() => curveOf(report), [report]);
  const max = maximum(points, report.budget);
  const toSlider = (tokens: number) => Math.round(STEPS * shareOf(tokens, max));
  const toTokens = (step: number) => Math.max(MIN_TOKENS, Math.round((max * (step / STEPS) ** 2) / 100) * 100);
  const slider = useRelease(release);
  const onInput = (step: number) => {
    slider.onMove();
    updateForm({ budget: String(toTokens(step)) });
    const { form } = getState();
    if (hasOwnPack() && !problemOf(form)) void preview(toRequest(form));
  };
  const gain = gainAt(points, Math.min(budget, report.total_tokens || budget));
  return (
    <div class="curve-box">
      <Curve points={points} max={max} budget={budget} used={report.total_tokens} />
      <input
        type="range" id="budget-slider" class="slider" min={1} max={STEPS} value={toSlider(budget)} aria-label="Budget" aria-valuetext={`${integer(budget)} tokens`}
        style={{ "--share": `${(100 * toSlider(budget)) / STEPS}%` }} {...slider.listeners} onInput={(event) => onInput(Number(event.currentTarget.value))}
      />
      <p class="curve-note muted number" id="curve-note">{gainText(gain, points, report.total_tokens)}<span>{compact(max)}</span></p>
    </div>
  );
}

/** Draws the curve up to the used tokens in the accent color, and the rest in gray. */
function Curve({ points, max, budget, used }: { points: CurvePoint[]; max: number; budget: number; used: number }) {
  const top = Math.max(points.at(-1)?.value ?? 0, Number.EPSILON);
  const x = (tokens: number) => (WIDTH * shareOf(tokens, max)).toFixed(1);
  const y = (value: number) => (HEIGHT - 2 - ((HEIGHT - 6) * value) / top).toFixed(1);
  const line = points.filter(({ tokens }) => tokens <= max).map(({ tokens, value }) => `${x(tokens)},${y(value)}`).join(" ");
  const part = points.filter(({ tokens }) => tokens <= used).map(({ tokens, value }) => `${x(tokens)},${y(value)}`).join(" ");
  const end = x(Math.min(used, points.at(-1)?.tokens ?? 0));
  const label = `About ${valueAt(points, used).toFixed(1)} of ${top.toFixed(1)} relevant chunks expected in ${integer(used)} tokens`;
  return (
    <svg class="curve" id="curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon class="curve-fill" points={`0,${HEIGHT} ${part} ${end},${HEIGHT}`} />
      <polyline class="curve-rest" points={line} />
      <polyline class="curve-used" points={part} />
      <line class="curve-budget" x1={x(budget)} x2={x(budget)} y1="0" y2={HEIGHT} />
    </svg>
  );
}

/** Returns the position of a number of tokens, from 0 to 1. Small budgets get more room: the curve is steep there. */
const shareOf = (tokens: number, max: number): number => Math.sqrt(Math.min(tokens, max) / max);

function maximum(points: CurvePoint[], budget: number): number {
  const all = points.at(-1)?.tokens ?? 0;
  return Math.max(4000, Math.ceil(Math.max(Math.min(all, 200_000), Math.min(budget, 2 * all)) / 1000) * 1000);
}

function gainText(gain: number, points: CurvePoint[], used: number): string {
  if ((points.at(-1)?.tokens ?? 0) <= used) return "Nothing more was found";
  return `The next 1,000 tokens add about ${gain < 0.005 ? "0.00" : gain.toFixed(2)} relevant chunks`;
}
