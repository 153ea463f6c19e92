// The budget bar: files, formatting overhead and free tokens. It is an image; the files tab has the same numbers.

import { useMemo, useState } from "preact/hooks";
import { commonFolder, folders, strength, type FolderTokens } from "../folders";
import { count, integer, percent } from "../format";
import { update } from "../store";
import type { Pack } from "../types";
import { visible } from "../visible";

interface Segment {
  name: string;
  tokens: number;
  className: string;
  path?: string;
  strength?: number;
}

const MAX_LEGEND = 4;

export function BudgetBar({ pack }: { pack: Pack }) {
  const { report } = pack;
  const { total_tokens: used, budget } = report;
  const found = useMemo(() => folders(report), [report]);
  const [hovered, setHovered] = useState<Segment | null>(null);
  const summary = `${integer(budget - used)} of ${integer(budget)} tokens free`;
  const tip = hovered ? `${visible(hovered.name)}: ${count(hovered.tokens, "token")}, ${percent(hovered.tokens, budget)}` : summary;
  const bar = useMemo(() => (
    <div class="bar" role="img" aria-label={`Budget: ${integer(used)} of ${integer(budget)} tokens used`} onMouseLeave={() => setHovered(null)}>
      {segmentsOf(pack, found).filter(({ tokens }) => tokens > 0).map((segment) => (
        <span
          class={`bar-part ${segment.className}${segment.path === undefined ? "" : " is-file"}`} data-path={segment.path}
          style={{ "--tokens": segment.tokens, ...(segment.strength && { "--strength": `${segment.strength}%` }) }}
          onMouseEnter={() => setHovered(segment)} onClick={() => segment.path !== undefined && showFile(segment.path)}
        />
      ))}
    </div>
  ), [pack, found]);
  return <div class="bar-box">{bar}<div class="bar-foot"><Legend found={found} /><p class="bar-tip number" aria-hidden="true">{tip}</p></div></div>;
}

/** Lists the chunks of a file. */
export const showFile = (path: string): void => update({ tab: "included", filter: path, selected: "", line: null });

function segmentsOf({ report }: Pack, found: FolderTokens[]): Segment[] {
  const files = found.flatMap((folder) => folder.files.map((file, index): Segment => ({
    name: file.path, tokens: file.tokens, className: `folder-${folder.color}`, path: file.path, strength: strength(index),
  })));
  return [
    ...files,
    { name: "headers and fences", tokens: Math.max(0, report.total_tokens - sum(files)), className: "frame" },
    { name: "free", tokens: Math.max(0, report.budget - report.total_tokens), className: "free" },
  ];
}

/** Names the largest folders. The row has one line, so that the page does not move while a slider does. */
function Legend({ found }: { found: FolderTokens[] }) {
  const parent = commonFolder(found.map(({ name }) => name));
  // The common parent is left out, unless it is a folder of its own.
  const shortName = (name: string) => (parent ? `…/${name.slice(parent.length) || name.split("/").slice(-2).join("/")}` : name);
  const named = found.slice(0, MAX_LEGEND);
  const others = found.slice(MAX_LEGEND);
  const item = (className: string, name: string, tokens: number) => (
    <li><span class={`swatch ${className}`} /><span class="legend-name"><LegendName name={visible(name)} /></span><span class="number muted">{integer(tokens)}</span></li>
  );
  return (
    <ul class="legend">
      {named.map(({ name, tokens, color }) => item(`folder-${color}`, shortName(name), tokens))}
      {others.length > 0 && item("folder-0", `${others.length} more`, sum(others))}
    </ul>
  );
}

/** The last folder of a path is shown on every screen, its parents where there is room. */
function LegendName({ name }: { name: string }) {
  const cut = name.replace(/\/$/, "").lastIndexOf("/") + 1;
  return <>{cut > 0 && <span class="legend-parent">{name.slice(0, cut)}</span>}{name.slice(cut)}</>;
}

const sum = (items: { tokens: number }[]): number => items.reduce((total, item) => total + item.tokens, 0);
