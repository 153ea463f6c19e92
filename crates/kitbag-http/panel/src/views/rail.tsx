// The request: task, repository, profile, model, budget, edits made by hand, weights and providers.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { loadChoices, loadExamples } from "../choices";
import { include, unpin } from "../edits";
import { describeExtraFields } from "../form";
import { hasOwnPack, submit } from "../session";
import { getState, PRICE_KEY, update, updateForm, type State } from "../store";
import { visible } from "../visible";
import { BudgetField } from "./budget";
import { FeedList } from "./feed";
import { InlineCode } from "./parts";
import { Suggestion } from "./problem";
import { ProviderSwitches } from "./providers";
import { WeightSliders } from "./weights";

const BUILT_IN_PROFILES = ["agent", "chunks", "inline-edit", "orchestrate", "overview", "review", "situation"];

export function Rail({ state }: { state: State }) {
  const isOpen = !isNarrow();
  return (
    <aside class="rail" aria-label="Request">
      <RequestForm state={state} />
      <EditList state={state} />
      <details class="block" open={isOpen}>
        <summary><h2>Weights</h2></summary>
        <WeightSliders state={state} />
      </details>
      <details class="block" open={isOpen}>
        <summary><h2>Providers</h2></summary>
        <ProviderSwitches state={state} />
      </details>
      <details class="block recent" open={isOpen}>
        <summary><h2>History</h2><span class="muted number" id="feed-count">{state.feed.length > 0 ? state.feed.length : ""}</span></summary>
        <FeedList feed={state.feed} currentId={state.shown?.pack.id ?? ""} />
      </details>
    </aside>
  );
}

function RequestForm({ state }: { state: State }) {
  const { form, invalid, repositories, models } = state;
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void packAndFocus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSubmit(event);
  };
  const names = state.profiles.length > 0 ? state.profiles.map(({ name }) => name) : BUILT_IN_PROFILES;
  const profiles = names.includes(form.profile) ? names : [...names, form.profile];
  return (
    <form id="request" autocomplete="off" onSubmit={onSubmit} onKeyDown={onKeyDown}>
      <Field id="task" label="Task" state={state}>
        <textarea
          id="task" rows={3} spellcheck={false} placeholder="A question, a bug report, a stack trace" aria-describedby="task-note"
          aria-invalid={invalid?.field === "task"} value={form.task} onInput={(event) => updateForm({ task: event.currentTarget.value })}
        />
      </Field>
      <ExtraFields state={state} />
      <div class="fields">
        <Field id="repo" label="Repository" state={state}>
          <select id="repo" value={form.repo} onChange={(event) => void chooseRepository(event.currentTarget.value)}>
            {repositories.map(({ name, path }) => <option value={name} title={path}>{visible(name)}</option>)}
          </select>
        </Field>
        <Field id="profile" label="Profile" state={state}>
          <select id="profile" value={form.profile} aria-describedby="profile-note" onChange={(event) => void chooseProfile(event.currentTarget.value)}>
            {profiles.map((name) => <option value={name}>{visible(name)}</option>)}
          </select>
        </Field>
        <Field id="model" label="Model" state={state}>
          <input
            id="model" list="models" placeholder="any" aria-invalid={invalid?.field === "model"} aria-describedby="model-note" value={form.model}
            onInput={(event) => updateForm({ model: event.currentTarget.value })}
          />
          <datalist id="models">{models.map(({ name }) => <option value={name} />)}</datalist>
        </Field>
        <PriceField state={state} />
      </div>
      <BudgetField state={state} />
      <button type="submit" class="primary" id="pack"><span id="pack-label">{state.isBusy ? "Packing…" : "Pack"}</span><kbd>Ctrl</kbd><kbd>↵</kbd></button>
    </form>
  );
}

/** Packs, and moves the focus to the result, so that single keys are shortcuts and not text. */
export async function packAndFocus(): Promise<void> {
  const active = document.activeElement;
  if (!(await submit())) return;
  const isTyping = active instanceof HTMLElement && active.matches("textarea, input, button");
  if (isTyping && document.activeElement === active) document.getElementById("result")?.focus({ preventScroll: !isNarrow() });
  if (isNarrow()) document.getElementById("result")?.scrollIntoView();
}

export const isNarrow = (): boolean => window.matchMedia("(max-width: 820px)").matches;

async function chooseRepository(repo: string): Promise<void> {
  updateForm({ repo, pins: [], excludes: [] });
  await loadChoices(true);
  if (!getState().shown) void loadExamples();
}

async function chooseProfile(profile: string): Promise<void> {
  updateForm({ profile, weights: null });
  await loadChoices(false);
}

/** A field with its label, and its problem with the value that the server suggests. */
export function Field({ id, label, state, children }: { id: string; label: string; state: State; children: JSX.Element | JSX.Element[] }) {
  const { invalid } = state;
  const isInvalid = invalid?.field === id;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <p class="note error" id={`${id}-note`} role="status" hidden={!isInvalid}>
        {isInvalid && <><InlineCode text={invalid.message} /> <Suggestion state={state} /></>}
      </p>
    </div>
  );
}

function PriceField({ state }: { state: State }) {
  const [text, setText] = useState(state.price > 0 ? String(state.price) : "");
  const onInput = (text: string) => {
    setText(text);
    const price = Math.max(0, Number(text.replace(",", ".")) || 0);
    localStorage.setItem(PRICE_KEY, String(price));
    update({ price });
  };
  return (
    <div class="field">
      <label for="price">Price, $ per million</label>
      <input id="price" inputMode="decimal" placeholder="none" value={text} onInput={(event) => onInput(event.currentTarget.value)} />
    </div>
  );
}

/** Chips for fields of a loaded request that have no input. */
function ExtraFields({ state }: { state: State }) {
  const fields = describeExtraFields(state.form.extra);
  if (fields.length === 0) return null;
  const drop = (name: string) => updateForm({ extra: Object.fromEntries(Object.entries(state.form.extra).filter(([key]) => key !== name)) });
  return (
    <div id="extra-fields" class="edits" role="group" aria-label="Additional request fields">
      <span class="edits-title">Additional fields</span>
      {fields.map(({ name, label, value }) => <Chip key={name} label={label} title={value} data-field={name} name={`Remove ${label}`} onClick={() => drop(name)} />)}
    </div>
  );
}

/** Pins and exclusions. Removing one packs again. */
function EditList({ state }: { state: State }) {
  const { form } = state;
  if (form.pins.length + form.excludes.length === 0 && !form.fill) return null;
  const change = (next: typeof form) => {
    update({ form: next });
    if (hasOwnPack()) void submit(next);
  };
  return (
    <div class="edits" id="edits" role="group" aria-label="Edits">
      {form.pins.length > 0 && <span class="edits-title">Pinned</span>}
      {form.pins.map((pin) => <Chip key={pin} label={pin} title={pin} class="pinned" name={`Unpin ${pin}`} onClick={() => change(unpin(form, pin))} />)}
      {form.excludes.length > 0 && <span class="edits-title">Excluded</span>}
      {form.excludes.map((glob) => <Chip key={glob} label={glob.replace(/^\//, "")} title={glob} class="excluded" name={`Include ${glob} again`} onClick={() => change(include(form, glob))} />)}
      {form.fill && <Chip label="fill the budget" title="Search results that are hardly relevant fill the budget" name="Do not fill the budget" onClick={() => change({ ...form, fill: false })} />}
    </div>
  );
}

interface ChipProps {
  label: string;
  title: string;
  name: string;
  class?: string;
  onClick: () => void;
}

const Chip = ({ label, title, name, class: className = "", onClick, ...more }: ChipProps & Record<string, unknown>) => (
  <button type="button" class={`chip-button ${className}`} title={visible(title)} aria-label={visible(name)} onClick={onClick} {...more}>
    <span class="chip-text">{visible(label)}</span><span class="drop" aria-hidden="true">×</span>
  </button>
);
