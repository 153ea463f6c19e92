// A chunk in the context of its file: which lines are in the pack, why the chunk is included or left out, and its
// score. A chunk that is not from a file, such as a rule or a commit, is shown as it is.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../client";
import { loadFile, type LoadedFile } from "../file-cache";
import { score } from "../format";
import { highlight } from "../highlight";
import type { Token } from "../highlight-lines";
import { update, type Shown, type State } from "../store";
import { FACTORS, type Chunk, type Pack } from "../types";
import { visible } from "../visible";
import { contributions, settingWeights, weightsOf } from "../weights";
import { reasonsFor } from "../why";
import { CodeLines } from "./code-lines";
import { CopyFile } from "./copy";
import { EditButtons } from "./edit-buttons";
import { InlineCode, Location, SymbolName } from "./parts";
import { tokensText } from "./result";

/** Lines shown around the chunk at first, and by the buttons above and below. */
const CONTEXT_LINES = 12;
const MORE_LINES = 100;
/** Lines shown from the chunk's first on, so that it can be scrolled to the top. */
const MIN_LINES = 60;
/** Reasons that mean that a file was never read. */
const UNREAD_REASONS = new Set(["denied", "outside_root", "binary", "too_large", "unreadable"]);
/** Providers whose chunks are not parts of files. */
const VIRTUAL_PROVIDERS = new Set(["rules", "history", "tool_results", "sources", "diagnostics", "style", "overview", "tree"]);
const KINDS: Record<string, string> = { search_result: "found by search", open_file: "open file", tool_result: "tool output", rule: "rule", style: "convention" };

interface PaneProps {
  state: State;
  shown: Shown;
  chunk: Chunk;
  rank: number | null;
}

export function CodePane({ state, shown, chunk, rank }: PaneProps) {
  const { pack } = shown;
  return (
    <section class="code" aria-label="Selected chunk">
      <header class="code-head">
        <h3><Location path={chunk.path} start={chunk.start_line} end={chunk.end_line} /></h3>
        <span class="code-tools">
          <WrapButton />
          {chunk.reason === undefined && <CopyFile path={chunk.path} pack={pack} />}
          <EditButtons target={{ chunk }} state={state} shown={shown} />
        </span>
        <p class="muted code-about">
          {chunk.symbol != null && <><SymbolName symbol={chunk.symbol} /> · </>}
          {rank !== null && `rank ${rank} · `}{tokensText(chunk.tokens)} · {kindText(chunk)}{chunk.part != null && ` · part ${visible(chunk.part)}`}
          {chunk.form !== undefined && chunk.form !== "full" && ` · ${chunk.form}`}
        </p>
        {chunk.reason !== undefined && <p class="verdict excluded"><b>Left out: </b><InlineCode text={chunk.detail || chunk.reason} /></p>}
      </header>
      <Reasons pack={pack} chunk={chunk} state={state} />
      <Lines pack={pack} chunk={chunk} line={state.line} />
    </section>
  );
}

function kindText({ kind, provider }: Chunk): string {
  const name = KINDS[kind] ?? visible(kind).replaceAll("_", " ");
  const isImplied = provider == null || kind.startsWith(provider) || provider.startsWith(kind) || kind === "search_result";
  return isImplied ? name : `${name} by ${visible(provider)}`;
}

export function WrapButton() {
  const [isOn, setOn] = useState(isWrapped());
  return <button type="button" class="quiet wrap" title="Toggle line wrapping (L)" aria-pressed={isOn} onClick={() => { toggleWrap(); setOn(isWrapped()); }}>Wrap</button>;
}

const WRAP_KEY = "kitbag.wrap";
const isWrapped = (): boolean => localStorage.getItem(WRAP_KEY) === "on";

export function toggleWrap(): void {
  localStorage.setItem(WRAP_KEY, isWrapped() ? "off" : "on");
  applyWrap();
}

export function applyWrap(): void {
  document.documentElement.classList.toggle("is-wrapped", isWrapped());
  for (const button of document.querySelectorAll(".wrap")) button.setAttribute("aria-pressed", String(isWrapped()));
}

/** The reasons in words, and the score as a sum of factors. */
function Reasons({ pack, chunk, state }: { pack: Pack; chunk: Chunk; state: State }) {
  const weights = weightsOf(pack.request, pack.settings ? settingWeights(pack.settings) : state.baseWeights);
  const reasons = chunk.reason === undefined ? reasonsFor(chunk, weights, pack.request.task ?? "") : (chunk.why ?? []);
  const { factors } = chunk;
  const added = factors && contributions(factors, weights);
  const isSum = added !== null && added !== undefined && Math.abs(added.relevance + added.recency + added.source - (chunk.score ?? 0)) < 0.006;
  return (
    <div class="reasons-box">
      {reasons.length > 0 && <ul class="reasons" aria-label="Why">{reasons.map((reason) => <li><InlineCode text={reason} /></li>)}</ul>}
      {factors && chunk.score != null && (
        <p class="calculation muted number" aria-label="Score calculation">
          score <b>{score(chunk.score)}</b>{isSum ? " = " : ": "}
          {FACTORS.map((factor, index) => <span>{index > 0 && (isSum ? " + " : ", ")}{factor} {score(factors[factor])}{isSum && ` × ${(weights[factor] / 100).toFixed(2)}`}</span>)}
        </p>
      )}
      {(chunk.duplicates ?? []).length > 0 && <p class="muted also">Also represents {(chunk.duplicates ?? []).map((it, index) => <>{index > 0 && ", "}<Location path={it.path} start={it.start_line} end={it.end_line} /></>)}</p>}
    </div>
  );
}

function Lines({ pack, chunk, line }: { pack: Pack; chunk: Chunk; line: number | null }) {
  if (chunk.text != null) return <OwnLines chunk={chunk} text={chunk.text} />;
  if (UNREAD_REASONS.has(chunk.reason ?? "")) return <p class="muted pad">The file was not read.</p>;
  if (chunk.start_line == null || chunk.end_line == null) return <p class="muted pad">The lines of this source are unknown.</p>;
  return <FileLinesView pack={pack} chunk={chunk} start={chunk.start_line} end={chunk.end_line} line={line} />;
}

/** A chunk that has a text of its own. */
function OwnLines({ chunk, text }: { chunk: Chunk; text: string }) {
  const lines = text.replace(/\n$/, "").split("\n").map((line) => line.replace(/\r$/, ""));
  const language = lines.some((line) => line.startsWith("@@ ")) ? "diff" : chunk.path.endsWith(".md") ? "markdown" : "";
  const [tokens, setTokens] = useState<Token[][] | null>(null);
  useEffect(() => {
    setTokens(null);
    let isCurrent = true;
    void highlight(language, lines.join("\n")).then((found) => isCurrent && setTokens(found));
    return () => void (isCurrent = false);
  }, [text]);
  const first = chunk.start_line ?? 1;
  return <div class="code-lines"><CodeLines first={first} lines={lines} tokens={tokens} isOwn={() => true} isShown={chunk.shown ? within(chunk.shown) : () => true} isRedacted={() => false} /></div>;
}

interface FileProps {
  pack: Pack;
  chunk: Chunk;
  start: number;
  end: number;
  line: number | null;
}

function FileLinesView({ pack, chunk, start, end, line }: FileProps) {
  const [loaded, setLoaded] = useState<{ key: string; file: LoadedFile } | null>(null);
  const [tokens, setTokens] = useState<{ file: LoadedFile; tokens: Token[][] | null } | null>(null);
  const [failure, setFailure] = useState<{ key: string; error: unknown } | null>(null);
  const [range, setRange] = useState({ key: "", from: 0, to: 0 });
  const box = useRef<HTMLDivElement>(null);
  const key = `${pack.id}\n${chunk.path}:${start}-${end}`;
  useEffect(() => {
    let isCurrent = true;
    void loadFile(pack, chunk.path, start, end).then(
      (file) => {
        if (!isCurrent) return;
        setLoaded({ key, file });
        void file.tokens.then((found) => isCurrent && setTokens({ file, tokens: found }));
      },
      (error: unknown) => isCurrent && setFailure({ key, error }),
    );
    return () => void (isCurrent = false);
  }, [key]);
  const isLoaded = loaded?.key === key;
  // Scrolls to the chunk when it is first shown, or to the line of a redaction.
  useLayoutEffect(() => {
    if (isLoaded) scrollToLine(box.current, line !== null ? line - CONTEXT_LINES / 2 : start - 3);
  }, [isLoaded, key, line]);
  if (failure?.key === key) return <Failure pack={pack} chunk={chunk} error={failure.error} />;
  if (!loaded) return <div class="code-lines" aria-busy="true" />;
  const { file, lines } = loaded.file;
  const [first, last] = [file.start_line, file.start_line + lines.length - 1];
  if (isLoaded && start > last) return <p class="muted pad">The file no longer has these lines.</p>;
  const { from, to } = range.key === key ? range : { from: Math.max(first, start - CONTEXT_LINES), to: Math.min(last, Math.max(end + CONTEXT_LINES, start + MIN_LINES)) };
  const redacted = new Set(pack.report.redactions.filter((it) => it.path === chunk.path).map((it) => it.line));
  const spans = pack.report.included.filter((it) => it.path === chunk.path && it.text == null).flatMap((it) => it.shown ?? []);
  const known = tokens?.file === loaded.file ? tokens.tokens : null;
  return (
    <div class="code-lines" ref={box} aria-busy={!isLoaded}>
      {from > first && <button type="button" class="quiet stretch" onClick={() => setRange({ key, from: Math.max(first, from - MORE_LINES), to })}>↑ More lines above</button>}
      <CodeLines
        first={from} lines={lines.slice(from - first, to - first + 1)} tokens={known ? known.slice(from - first, to - first + 1) : null} isOwn={(it) => it >= start && it <= end}
        isShown={within(spans)} isRedacted={(it) => redacted.has(it)}
      />
      {to < last && <button type="button" class="quiet stretch" onClick={() => setRange({ key, from, to: Math.min(last, to + MORE_LINES) })}>↓ More lines below</button>}
    </div>
  );
}

function scrollToLine(container: HTMLElement | null, line: number): void {
  const box = container?.querySelector<HTMLElement>(".line-box");
  const first = box?.querySelector<HTMLElement>(".line");
  const target = box?.querySelector<HTMLElement>(`[data-line="${Math.max(1, Math.round(line))}"]`) ?? first;
  if (box && first && target) box.scrollTop = target.offsetTop - first.offsetTop;
}

function Failure({ pack, chunk, error }: { pack: Pack; chunk: Chunk; error: unknown }) {
  const problem = error instanceof Problem ? error : new Problem("The file cannot be shown", String(error));
  if (problem.code !== "not_found") return <div class="pad"><p><b>{problem.title}</b></p><p class="muted">{visible(problem.detail)}</p></div>;
  const isVirtual = VIRTUAL_PROVIDERS.has(chunk.provider ?? "") || chunk.path.startsWith(`${chunk.kind}/`);
  const hasText = chunk.reason === undefined && (pack.report.content ?? "") !== "";
  return (
    <div class="pad">
      <p><b>{isVirtual ? "Not a file of the repository" : "The file no longer exists"}</b></p>
      <p class="muted">{isVirtual ? `Provided by ${visible(chunk.provider ?? "a provider")} for this pack.` : "It existed when the pack was made."}</p>
      {hasText && <button type="button" class="quiet see-text" onClick={() => update({ tab: "text" })}>Show the text of the pack</button>}
    </div>
  );
}

const within = (spans: [number, number][]) => (line: number): boolean => spans.some(([start, end]) => start <= line && line <= end);
