// The text as the model receives it: to search, to copy and to download in each format.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { hasContent } from "../form";
import { count, integer } from "../format";
import { pack as packRequest } from "../session";
import { getState, updateForm } from "../store";
import type { Pack, PackRequest, PackSummary } from "../types";
import { visible } from "../visible";
import { WrapButton } from "./code";
import { copy } from "./copy";
import { IconButton } from "./parts";

interface Format {
  label: string;
  extension: string;
  mediaType: string;
}

const PLAIN: Format = { label: "Plain", extension: "txt", mediaType: "text/plain" };
const FORMATS: Record<string, Format> = {
  markdown: { label: "Markdown", extension: "md", mediaType: "text/markdown" },
  xml: { label: "XML", extension: "xml", mediaType: "application/xml" },
  json: { label: "JSON", extension: "json", mediaType: "application/json" },
  plain: PLAIN,
};
/** Matches beyond this number are counted as more. */
const MAX_MATCHES = 5000;

interface TextProps {
  pack: Pack;
  isPreview: boolean;
  summary: PackSummary | null;
}

export function TextView({ pack, isPreview, summary }: TextProps) {
  const { report } = pack;
  const content = report.content ?? "";
  const format = report.stats.format;
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const text = useRef<HTMLPreElement>(null);
  const matches = useMemo(() => matchesOf(content, query), [content, query]);
  useEffect(() => {
    if (text.current) markMatches(text.current, matches, query.length, at);
  }, [matches, at]);
  const move = (offset: number) => setAt(matches.length === 0 ? 0 : (at + offset + matches.length) % matches.length);
  const canRepack = !isPreview && (Boolean(pack.request.task) || hasContent(pack.request));
  return (
    <div class="text-panel">
      <div class="text-tools">
        <div class="segments" role="group" aria-label="Format">
          {Object.entries(FORMATS).map(([name, { label }]) => (
            <button type="button" class="segment" data-format={name} aria-pressed={name === format} disabled={!canRepack} onClick={() => repack(pack, summary, name)}>{label}</button>
          ))}
        </div>
        <div class="find">
          <input
            type="search" id="find" placeholder="Search the text" aria-label="Search the text" value={query} onInput={(event) => { setQuery(event.currentTarget.value); setAt(0); }}
            onKeyDown={(event) => { if (event.key === "Enter") { event.preventDefault(); move(event.shiftKey ? -1 : 1); } }}
          />
          <span class="muted number" id="find-count" role="status">{query === "" ? "" : matches.length === 0 ? "no match" : `${integer(at + 1)} of ${integer(matches.length)}`}</span>
          <IconButton icon="up" label="Previous match" disabled={matches.length === 0} onClick={() => move(-1)} />
          <IconButton icon="down" label="Next match" disabled={matches.length === 0} onClick={() => move(1)} />
        </div>
        <select id="jump" aria-label="Go to a file" value="" disabled={content === ""} onChange={(event) => { jumpTo(text.current, content, event.currentTarget.value); event.currentTarget.value = ""; }}>
          <option value="">Go to a file…</option>
          {report.stats.files_included.map((path) => <option value={path}>{visible(path)}</option>)}
        </select>
        <span class="muted number counts">{integer(content.length)} characters</span>
        <WrapButton />
        <button type="button" class="button" id="copy" disabled={content === ""} onClick={() => void copy(content, count(content.length, "character"))}>Copy</button>
        <button type="button" class="button" id="download" disabled={content === ""} onClick={() => download(content, format)}>Download</button>
      </div>
      <pre class="exact" tabIndex={0} role="region" aria-label="Text of the pack" ref={text}>{content === "" ? <span class="muted">{missingText(report.content, isPreview)}</span> : content}</pre>
    </div>
  );
}

function missingText(content: string | null | undefined, isPreview: boolean): string {
  if (isPreview) return "The text is rendered when you release the slider.";
  return content === "" ? "The text is empty." : "The text of this pack is not available.";
}

/** Packs the request on screen in another format, whatever the form contains now. */
function repack(pack: Pack, summary: PackSummary | null, format: string): void {
  const name = format as NonNullable<PackRequest["format"]>;
  if (!summary) updateForm({ format });
  void packRequest({ ...pack.request, format: name, agent_id: "page" }, summary);
}

/** Returns the positions of a text, ignoring case. */
function matchesOf(content: string, query: string): number[] {
  if (query === "") return [];
  const [text, wanted] = [content.toLowerCase(), query.toLowerCase()];
  // Lower case may have another length in a few scripts; then case is not ignored.
  const [haystack, needle] = text.length === content.length ? [text, wanted] : [content, query];
  const found: number[] = [];
  for (let at = haystack.indexOf(needle); at >= 0 && found.length < MAX_MATCHES; at = haystack.indexOf(needle, at + needle.length)) found.push(at);
  return found;
}

/** Marks matches without changing the text, and scrolls to the current one. */
function markMatches(element: HTMLElement, matches: number[], length: number, at: number): void {
  const node = element.firstChild;
  if (!(node instanceof Text)) return;
  const ranges = matches.map((start) => rangeOf(node, start, start + length));
  if ("highlights" in CSS) {
    CSS.highlights.set("found", new Highlight(...ranges));
    CSS.highlights.set("current", new Highlight(...ranges.slice(at, at + 1)));
  }
  if (ranges[at]) scrollTo(element, ranges[at]);
}

function rangeOf(node: Text, start: number, end: number): Range {
  const range = document.createRange();
  range.setStart(node, Math.min(start, node.length));
  range.setEnd(node, Math.min(end, node.length));
  return range;
}

function scrollTo(element: HTMLElement, range: Range): void {
  const [target, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
  element.scrollTop += target.top - box.top - element.clientHeight / 3;
  element.scrollLeft = Math.max(0, element.scrollLeft + target.left - box.left - element.clientWidth / 2);
}

/** Scrolls to the header of a file: the first line that names it as the formats do. */
function jumpTo(element: HTMLElement | null, content: string, path: string): void {
  const node = element?.firstChild;
  if (!element || !(node instanceof Text) || path === "") return;
  const headers = [`### ${path}`, `file="${path}"`, `"file": ${JSON.stringify(path)}`, `"file":${JSON.stringify(path)}`, path];
  const at = headers.map((header) => content.indexOf(header)).find((position) => position >= 0);
  if (at === undefined) return;
  const range = rangeOf(node, at, at + path.length);
  const top = range.getBoundingClientRect().top - element.getBoundingClientRect().top;
  element.scrollTop += top - 12;
  element.focus();
}

function download(text: string, format: string): void {
  const { extension, mediaType } = FORMATS[format] ?? PLAIN;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }));
  link.download = `kitbag-pack.${extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Copies the text of the pack on screen. */
export function copyText(): void {
  const content = getState().shown?.pack.report.content;
  if (content) void copy(content, count(content.length, "character"));
}
