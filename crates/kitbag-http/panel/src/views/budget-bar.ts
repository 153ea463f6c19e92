// The budget bar: reserves, files, formatting overhead and free tokens. It is an image; the table of
// the map has the same numbers.

import { fill, h, property } from "../dom";
import { commonFolder, strength, type FolderTokens } from "../folders";
import { count, integer, percent } from "../format";
import type { Pack } from "../types";
import { visible } from "../visible";

interface Segment {
  name: string;
  tokens: number;
  className: string;
  path?: string;
  strength?: number;
}

const RESERVES = ["response", "system", "instruction", "completion"];

/** Renders the bar of a pack. A click on a file calls `onPick` with its path. */
export function budgetBar(pack: Pack, folders: FolderTokens[], onPick: (path: string) => void): HTMLElement {
  const { total_tokens: used, budget } = pack.report;
  const reserves = reserveSegments(pack);
  const segments = [...reserves, ...usedSegments(pack, folders)];
  const total = sum(segments);
  const summary = `${integer(budget - used)} of ${integer(budget)} tokens free`;
  const tip = h("p", { class: "bar-tip number", "aria-hidden": "true" }, summary);
  const elements = segments.filter((segment) => segment.tokens > 0).map((segment) => {
    const text = `${visible(segment.name)}: ${count(segment.tokens, "token")}, ${percent(segment.tokens, total)}`;
    const { path } = segment;
    const element = h("span", {
      class: `bar-part ${segment.className}${path === undefined ? "" : " is-file"}`,
      "data-path": path,
      onmouseenter: () => (tip.textContent = text),
      onclick: path === undefined ? undefined : () => onPick(path),
    });
    property(element, "--tokens", segment.tokens);
    if (segment.strength) property(element, "--strength", `${segment.strength}%`);
    return element;
  });
  const reserved = reserves.map((segment) => `${integer(segment.tokens)} ${segment.name}, `).join("");
  const label = `Budget: ${reserved}${integer(used)} of ${integer(budget)} tokens used`;
  const bar = h("div", { class: "bar", role: "img", "aria-label": label, onmouseleave: () => (tip.textContent = summary) }, ...elements);
  return h("div", { class: "bar-box" }, bar, h("div", { class: "bar-foot" }, legend(reserves, folders, pack), tip));
}

/** Returns the reserves of the context window. They do not apply if the request gives a budget. */
function reserveSegments({ settings, request }: Pack): Segment[] {
  if (!settings || (request.budget ?? null) !== null) return [];
  return RESERVES.flatMap((name) => {
    const tokens = settings.get(`context.budget.${name}_reserve`);
    if (typeof tokens !== "number" || tokens <= 0) return [];
    return [{ name: `reserved for the ${name === "system" ? "system prompt" : name}`, tokens, className: "reserve" }];
  });
}

function usedSegments({ report }: Pack, folders: FolderTokens[]): Segment[] {
  const files = folders.flatMap((folder) =>
    folder.files.map((file, index): Segment => ({
      name: file.path, tokens: file.tokens, className: `folder-${folder.color}`, path: file.path, strength: strength(index),
    })),
  );
  return [
    ...files,
    { name: "headers and fences", tokens: Math.max(0, report.total_tokens - sum(files)), className: "frame" },
    { name: "free", tokens: Math.max(0, report.budget - report.total_tokens), className: "free" },
  ];
}

function legend(reserves: Segment[], folders: FolderTokens[], { report }: Pack): HTMLElement {
  const item = (className: string, name: string, tokens: number) =>
    h("li", {}, h("span", { class: `swatch ${className}` }), h("span", { class: "legend-name" }, visible(name)), h("span", { class: "number muted" }, integer(tokens)));
  const reserved = sum(reserves);
  const parent = commonFolder(folders.map((folder) => folder.name));
  const shortName = (name: string) => (parent ? `…/${name.slice(parent.length)}` : name);
  const colored = folders.filter((folder) => folder.color > 0);
  const others = folders.filter((folder) => folder.color === 0);
  const overhead = report.total_tokens - sum(folders);
  const list = h("ul", { class: "legend" });
  fill(
    list,
    reserved > 0 && item("reserve", "reserved for prompt and response", reserved),
    ...colored.map((folder) => item(`folder-${folder.color}`, shortName(folder.name), folder.tokens)),
    others.length > 0 && item("folder-0", count(others.length, "more folder"), sum(others)),
    overhead > 0 && item("frame", "headers and fences", overhead),
    item("free", "free", Math.max(0, report.budget - report.total_tokens)),
  );
  return list;
}

const sum = (items: { tokens: number }[]): number => items.reduce((total, item) => total + item.tokens, 0);
