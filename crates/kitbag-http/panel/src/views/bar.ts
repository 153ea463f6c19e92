// The budget bar: what is kept free for prompt and answer, each file, the frame around them, and what
// is left. It is a picture; the same numbers stand in the map's table.

import { fill, h, property } from "../dom";
import { commonFolder, strength, type FolderTokens } from "../folders";
import { count, share, whole } from "../numbers";
import type { Pack } from "../types";
import { visible } from "../visible";

interface Part {
  name: string;
  tokens: number;
  className: string;
  path?: string;
  strength?: number;
}

const RESERVES = ["response", "system", "instruction", "completion"];

/** The bar of a pack. A click on a file calls `pick` with its path. */
export function barView(
  pack: Pack,
  folders: FolderTokens[],
  pick: (path: string) => void,
): HTMLElement {
  const kept = reserves(pack);
  const parts = [...kept, ...used(pack, folders)];
  const all = parts.reduce((sum, part) => sum + part.tokens, 0);
  const tip = h("p", { class: "bar-tip number", "aria-hidden": "true" });
  const rest = summary(pack);
  tip.textContent = rest;
  const segments = parts.filter((part) => part.tokens > 0).map((part) => {
    const text = `${visible(part.name)}: ${count(part.tokens, "token")}, ${share(part.tokens, all)}`;
    const { path } = part;
    const segment = h("span", {
      class: `bar-part ${part.className}${path === undefined ? "" : " is-file"}`,
      "data-path": path,
      onmouseenter: () => (tip.textContent = text),
      onclick: path === undefined ? undefined : () => pick(path),
    });
    property(segment, "--tokens", part.tokens);
    if (part.strength) property(segment, "--strength", `${part.strength}%`);
    return segment;
  });
  const bar = h("div", { class: "bar", role: "img", "aria-label": described(pack, kept), onmouseleave: () => (tip.textContent = rest) }, ...segments);
  return h("div", { class: "bar-box" }, bar, h("div", { class: "bar-foot" }, legend(kept, folders, pack), tip));
}

/** What is kept free, where the budget is what a window leaves and not given. */
function reserves(pack: Pack): Part[] {
  const { settings } = pack;
  const { budget } = pack.request;
  if (!settings || (budget !== undefined && budget !== null)) return [];
  return RESERVES.flatMap((name) => {
    const tokens = settings.get(`context.budget.${name}_reserve`);
    if (typeof tokens !== "number" || tokens <= 0) return [];
    return [{ name: `kept for the ${name === "system" ? "system prompt" : name}`, tokens, className: "reserve" }];
  });
}

function used(pack: Pack, folders: FolderTokens[]): Part[] {
  const { report } = pack;
  const files = folders.flatMap((folder) =>
    folder.files.map((file, at): Part => ({
      name: file.path, tokens: file.tokens, className: `folder-${folder.colour}`, path: file.path, strength: strength(at),
    })),
  );
  const inFiles = files.reduce((sum, file) => sum + file.tokens, 0);
  const frame = Math.max(0, report.total_tokens - inFiles);
  const free = Math.max(0, report.budget - report.total_tokens);
  return [
    ...files,
    { name: "headers and fences", tokens: frame, className: "frame" },
    { name: "free", tokens: free, className: "free" },
  ];
}

function summary({ report }: Pack): string {
  return `${whole(report.budget - report.total_tokens)} free of ${whole(report.budget)}`;
}

function described(pack: Pack, kept: Part[]): string {
  const { report } = pack;
  const before = kept.map((part) => `${whole(part.tokens)} ${part.name}, `).join("");
  return `Budget: ${before}${whole(report.total_tokens)} of ${whole(report.budget)} tokens used`;
}

function legend(kept: Part[], folders: FolderTokens[], pack: Pack): HTMLElement {
  const item = (className: string, name: string, tokens: number) =>
    h("li", {}, h("span", { class: `swatch ${className}` }), h("span", { class: "legend-name" }, visible(name)), h("span", { class: "number muted" }, whole(tokens)));
  const reserved = kept.reduce((sum, part) => sum + part.tokens, 0);
  const common = commonFolder(folders.map((folder) => folder.name));
  const short = (name: string) => (common ? `…/${name.slice(common.length)}` : name);
  const own = folders.filter((folder) => folder.colour > 0);
  const others = folders.filter((folder) => folder.colour === 0);
  const inFiles = folders.reduce((sum, folder) => sum + folder.tokens, 0);
  const frame = pack.report.total_tokens - inFiles;
  const list = h("ul", { class: "legend" });
  fill(
    list,
    reserved > 0 && item("reserve", "kept for prompt and answer", reserved),
    ...own.map((folder) => item(`folder-${folder.colour}`, short(folder.name), folder.tokens)),
    others.length > 0 && item("folder-0", `${others.length} more folders`, others.reduce((sum, it) => sum + it.tokens, 0)),
    frame > 0 && item("frame", "headers and fences", frame),
    item("free", "free", Math.max(0, pack.report.budget - pack.report.total_tokens)),
  );
  return list;
}
