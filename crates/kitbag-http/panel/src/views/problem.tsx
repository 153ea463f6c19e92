// Errors, the question for a token, and values that the server suggests instead of a wrong one.

import { useEffect, useRef } from "preact/hooks";
import { token } from "../client";
import { submit } from "../session";
import { getState, update, updateForm, type State } from "../store";
import { visible } from "../visible";
import { InlineCode } from "./parts";
import { packAndFocus } from "./rail";

export function ProblemBox({ state }: { state: State }) {
  const { problem, invalid } = state;
  if (!problem || problem.status === 401) return null;
  return (
    <div class="problem" role="alert">
      <h2>{visible(problem.title)}</h2>
      {problem.detail !== "" && problem.detail !== problem.title && <p><InlineCode text={problem.detail} /></p>}
      {problem.hint !== "" && <p class="hint"><InlineCode text={problem.hint} /></p>}
      {(problem.correlationId !== "" || problem.status > 0) && (
        <p class="muted trace">
          {problem.status > 0 && `Status ${problem.status}`}{problem.code !== "" && `, ${visible(problem.code)}`}
          {problem.correlationId !== "" && <> · Correlation id <code>{visible(problem.correlationId)}</code></>}
        </p>
      )}
      <div class="problem-tools">
        {invalid && <Suggestion state={state} />}
        <button type="button" class="quiet" onClick={() => void packAndFocus()}>Try again</button>
        <button type="button" class="quiet" onClick={() => update({ problem: null, invalid: null })}>Dismiss</button>
      </div>
    </div>
  );
}

/** A button that replaces a wrong value by the one that the server suggests. */
export function Suggestion({ state }: { state: State }) {
  const { problem, invalid } = state;
  const suggested = /did you mean `([^`]+)`/.exec(`${problem?.hint ?? ""} ${problem?.detail ?? ""}`)?.[1];
  if (!suggested || !invalid) return null;
  const { field } = invalid;
  const wrong = /`([^`]+)`/.exec(problem?.detail ?? "")?.[1] ?? "";
  const apply = () => {
    const { form } = getState();
    if (field === "pins") updateForm({ pins: form.pins.map((pin) => pin.replace(wrong, suggested)) });
    else if (field in form) updateForm({ [field]: suggested });
    void submit();
  };
  return <button type="button" class="link-button suggestion" onClick={apply}>Use {visible(suggested)}</button>;
}

/** Asks for the token of the server once. */
export function TokenDialog({ onToken }: { onToken: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const onSubmit = () => {
    token.set(input.current?.value ?? "");
    update({ problem: null });
    onToken();
  };
  return (
    <dialog id="token" aria-labelledby="token-title" ref={dialog}>
      <form method="dialog" onSubmit={onSubmit}>
        <h2 id="token-title">This server requires a token</h2>
        <div class="field"><label for="token-value">Token</label><input type="password" id="token-value" autocomplete="off" required ref={input} /></div>
        <p class="muted">The token was set when the server was started. It is stored for this tab only.</p>
        <button class="button">Continue</button>
      </form>
    </dialog>
  );
}
