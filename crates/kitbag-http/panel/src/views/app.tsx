// The page as a whole.

import { useEffect, useMemo, useState } from "preact/hooks";
import { useStore, type State } from "../store";
import { toggleTheme } from "../theme";
import { KeysHelp, useShortcuts } from "./keys";
import { ProblemBox, TokenDialog } from "./problem";
import { isNarrow, Rail } from "./rail";
import { Result } from "./result";
import { Welcome } from "./welcome";

const showHelp = (): void => document.querySelector<HTMLDialogElement>("#keys")?.showModal();

export function App({ onStart }: { onStart: () => void }) {
  const state = useStore();
  useShortcuts(showHelp);
  const { shown, problem, isBusy } = state;
  const help = useMemo(() => <KeysHelp />, []);
  const isFormVisible = useFormVisibility();
  return (
    <>
      <a class="skip" href="#result" onClick={(event) => { event.preventDefault(); document.getElementById("result")?.focus(); }}>Skip to the pack</a>
      <Top state={state} />
      <div class="layout">
        <Rail state={state} />
        <main id="result" tabIndex={-1} aria-busy={isBusy} data-pack={shown?.isPreview ? shown.baseline?.id : shown?.pack.id} data-preview={shown?.isPreview ? shown.pack.id : undefined}>
          {isBusy && <div class="progress" id="progress" />}
          {state.indexing && <IndexProgress indexing={state.indexing} />}
          <p id="announce" class="visually-hidden" role="status">{state.message}</p>
          <ProblemBox state={state} />
          {shown ? <Result state={state} /> : !problem && !isBusy && <Welcome state={state} />}
          {!shown && isBusy && !state.indexing && <p class="muted waiting">Packing…</p>}
          <button type="button" class="button to-form" hidden={isFormVisible} onClick={scrollToForm}>↑ Request</button>
        </main>
      </div>
      {help}
      {problem?.status === 401 && <TokenDialog onToken={onStart} />}
    </>
  );
}

function Top({ state }: { state: State }) {
  const text = { connecting: "connecting", live: "live", lost: "no connection, retrying" }[state.connection];
  return (
    <header class="top">
      <h1 class="mark"><img src="/icon.svg" alt="" width="24" height="24" /><span>Kitbag</span></h1>
      <p class="motto">What the model will see, and why</p>
      <div class="top-tools">
        <p class={`live is-${state.connection}`} id="live" role="status"><span class="live-dot" /><span id="live-text">{text}</span></p>
        <button type="button" class="plain" id="theme" title="Toggle dark mode (D)" onClick={toggleTheme}>Theme</button>
        <button type="button" class="plain" id="help" title="Keyboard shortcuts (?)" onClick={showHelp}>Shortcuts</button>
      </div>
    </header>
  );
}

function IndexProgress({ indexing: { done, total } }: { indexing: { done: number; total: number } }) {
  return (
    <div class="indexing" role="status">
      <label for="index-progress">Reading the repository: {done.toLocaleString("en")} of {total.toLocaleString("en")} files</label>
      <progress id="index-progress" value={done} max={Math.max(1, total)} />
    </div>
  );
}

/** Returns whether any part of the form is on screen. */
function useFormVisibility(): boolean {
  const [isVisible, setVisible] = useState(true);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setVisible(entry?.isIntersecting ?? true));
    const form = document.getElementById("request");
    if (form) observer.observe(form);
    return () => observer.disconnect();
  }, []);
  return isVisible;
}

function scrollToForm(): void {
  window.scrollTo({ top: 0 });
  if (!isNarrow()) return;
  document.getElementById("task")?.focus();
}
