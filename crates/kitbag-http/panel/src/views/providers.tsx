// Provider switches, which apply to packs of this page only. Providers without input, such as that of the open
// document, are listed in a collapsed section.

import { compact, count } from "../format";
import { hasOwnPack, submit } from "../session";
import { getState, updateForm, type State } from "../store";
import type { PackRequest, Provider } from "../types";
import { visible } from "../visible";

/** Delay before packing after a switch, so that several switches make one pack. */
const SWITCH_DELAY_MS = 180;
/** Fields of the request that a provider needs. */
const INPUT_FIELDS: Record<string, (keyof PackRequest)[]> = {
  cursor: ["cursor"], document: ["document"], heading: ["cursor"], open_files: ["open_files"], references: ["references"], selection: ["selection"],
  sources: ["sources"], tool_results: ["tool_results"],
};

/** Providers that find something in the repository on their own. */
const FINDING_PROVIDERS = ["search", "overview", "tree", "history"];

let timer = 0;

export function ProviderSwitches({ state }: { state: State }) {
  const { providers, form } = state;
  const hasInput = ({ id }: Provider) => {
    const fields = INPUT_FIELDS[id];
    return !fields || fields.some((name) => form.extra[name] !== undefined) || (id === "references" && form.pins.length > 0);
  };
  const [active, idle] = [providers.filter(hasInput), providers.filter((it) => !hasInput(it))];
  const isOn = (provider: Provider) => form.switches[provider.id] ?? provider.enabled;
  const isIdle = providers.length > 0 && !active.some((it) => isOn(it) && FINDING_PROVIDERS.includes(it.id));
  return (
    <div id="providers">
      {Object.keys(form.switches).length > 0 && <button type="button" class="quiet reset" id="providers-reset" onClick={resetSwitches}>Reset<span class="visually-hidden"> the providers</span></button>}
      <div class="switches">{active.map((it) => <Switch key={it.id} provider={it} isOn={isOn(it)} state={state} />)}</div>
      {isIdle && <p class="note" id="providers-note">No enabled provider searches the repository. Enable search to find code for the task.</p>}
      {idle.length > 0 && (
        <details class="fold">
          <summary>{count(idle.length, "provider")} without input</summary>
          <div class="switches without-input">{idle.map((it) => <Switch key={it.id} provider={it} isOn={isOn(it)} state={state} />)}</div>
        </details>
      )}
    </div>
  );
}

function Switch({ provider, isOn, state }: { provider: Provider; isOn: boolean; state: State }) {
  const { id, description, enabled } = provider;
  const outcome = state.shown?.pack.report.providers.find((it) => it.id === id);
  const isBad = outcome !== undefined && ["failed", "timed_out", "late"].includes(outcome.outcome);
  const note = isBad ? outcome.outcome.replace("_", " ") : outcome && outcome.tokens > 0 ? compact(outcome.tokens) : "";
  const onChange = (isChecked: boolean) => {
    const { [id]: _old, ...others } = getState().form.switches;
    updateForm({ switches: isChecked === enabled ? others : { ...others, [id]: isChecked } });
    packSoon();
  };
  return (
    <label class={`switch${isBad ? " bad" : ""}`} title={visible(description)}>
      <input type="checkbox" role="switch" id={`provider-${id}`} checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span class="switch-track" />
      <span class="switch-name">{visible(id).replaceAll("_", " ")}</span>
      <span class="muted number">{note}</span>
    </label>
  );
}

function resetSwitches(): void {
  updateForm({ switches: {} });
  packSoon();
}

/** Enables a provider, and packs again. */
export function enableProvider(id: string): void {
  updateForm({ switches: { ...getState().form.switches, [id]: true } });
  packSoon();
}

function packSoon(): void {
  clearTimeout(timer);
  if (hasOwnPack()) timer = window.setTimeout(() => void submit(), SWITCH_DELAY_MS);
}
