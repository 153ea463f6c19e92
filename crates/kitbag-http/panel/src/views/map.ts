// The treemap of tokens by folder and file, and the table of the same numbers.

import { fill, h, property } from "../dom";
import { strength, type FileTokens, type FolderTokens } from "../folders";
import { count, share, whole } from "../numbers";
import { squarify, type Rectangle } from "../squarify";
import { pathName, visible } from "../visible";

/** Pixels: the line of a folder's name, the gap around tiles, and what a letter takes. */
const HEAD = 24;
const GAP = 2;
const LETTER = 6.7;
const PADDING = 14;

/** The map of a pack. Picking a file calls `pick` with its path. */
export function mapView(folders: FolderTokens[], pick: (path: string) => void): HTMLElement {
  if (folders.length === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "Nothing to map"), h("p", {}, "The pack has no files."));
  }
  const total = folders.reduce((sum, folder) => sum + folder.tokens, 0);
  const map = h("div", { class: "treemap", role: "img", "aria-label": `Tokens by folder: ${spoken(folders, total)}` });
  // It is laid out in pixels, so that labels are where they have room.
  let drawn = "";
  new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = map;
    if (width === 0 || height === 0 || drawn === `${width} ${height}`) return;
    drawn = `${width} ${height}`;
    fill(map, ...tiles(folders, { x: 0, y: 0, width, height }, pick));
  }).observe(map);
  return h("div", { class: "map-panel" }, map, table(folders, total, pick));
}

function tiles(folders: FolderTokens[], within: Rectangle, pick: (path: string) => void): HTMLElement[] {
  const places = squarify(folders.map((folder) => folder.tokens), within);
  return folders.flatMap((folder, at) => {
    const place = inset(places[at] ?? { ...within, width: 0, height: 0 }, 0.5);
    const title = `${visible(folder.name)} `;
    const hasHead = place.height > HEAD * 2.2 && place.width > 60;
    const box = placed(h("div", { class: `tree-folder folder-${folder.colour}` },
      hasHead && h("span", { class: "tree-head" }, title, h("b", { class: "number" }, whole(folder.tokens)))), place);
    const inner = hasHead ? { ...place, y: place.y + HEAD, height: place.height - HEAD } : place;
    const cells = squarify(folder.files.map((file) => file.tokens), inset(inner, GAP));
    const files = folder.files.map((file, number) => tile(file, folder.colour, strength(number), cells[number], pick));
    return [box, ...files];
  });
}

function tile(file: FileTokens, colour: number, strong: number, cell: Rectangle | undefined, pick: (path: string) => void): HTMLElement {
  const place = inset(cell ?? { x: 0, y: 0, width: 0, height: 0 }, 0.5);
  const name = visible(file.path.slice(file.path.lastIndexOf("/") + 1));
  const text = `${visible(file.path)}: ${count(file.tokens, "token")} in ${count(file.chunks, "chunk")}`;
  const element = placed(
    h("div", { class: `tree-file folder-${colour}`, title: text, "data-path": file.path, onclick: () => pick(file.path) },
      ...label(name, whole(file.tokens), place)),
    place,
  );
  property(element, "--strength", `${strong}%`);
  return element;
}

/** The label of a tile: across or down, where most of it fits, and otherwise none. */
function label(name: string, tokens: string, { width, height }: Rectangle): HTMLElement[] {
  const needed = Math.min(name.length, 14) * LETTER + PADDING;
  const isAcross = width >= needed && height >= 22;
  const isDown = !isAcross && height >= needed && width >= 22;
  if (!isAcross && !isDown) return [];
  const room = isAcross ? height : width;
  return [h("span", { class: `tree-label${isDown ? " is-down" : ""}` },
    h("span", { class: "tree-name" }, name),
    ...(room >= 40 ? [h("span", { class: "tree-tokens number" }, tokens)] : []))];
}

function table(folders: FolderTokens[], total: number, pick: (path: string) => void): HTMLElement {
  const body = h("tbody");
  for (const folder of folders) {
    body.append(h("tr", { class: "folder-row" },
      h("th", { scope: "row" }, h("span", { class: `swatch folder-${folder.colour}` }), visible(folder.name)),
      h("td", { class: "number of-chunks" }, whole(folder.files.length)),
      h("td", { class: "number" }, whole(folder.tokens)),
      h("td", { class: "number" }, share(folder.tokens, total)),
    ));
    for (const file of folder.files) {
      body.append(h("tr", { class: "file-row" },
        h("th", { scope: "row" }, h("button", { type: "button", class: "linkish", onclick: () => pick(file.path) }, pathName(within(file.path, folder.name)))),
        h("td", { class: "number muted of-chunks" }, whole(file.chunks)),
        h("td", { class: "number" }, whole(file.tokens)),
        h("td", { class: "number muted" }, share(file.tokens, total)),
      ));
    }
  }
  const head = h("thead", {}, h("tr", {},
    h("th", { scope: "col" }, "Folder and file"), h("th", { scope: "col", class: "number of-chunks" }, "Files, chunks"),
    h("th", { scope: "col", class: "number" }, "Tokens"), h("th", { scope: "col", class: "number" }, "Share"),
  ));
  return h("div", { class: "scroll-x card", tabindex: 0, role: "region", "aria-label": "Tokens by folder and file" }, h("table", { class: "figures" }, head, body));
}

/** The path of a file as seen from its folder. */
function within(path: string, folder: string): string {
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

function spoken(folders: FolderTokens[], total: number): string {
  const told = folders.slice(0, 5).map((folder) => `${visible(folder.name)} ${share(folder.tokens, total)}`);
  return told.join(", ") + (folders.length > 5 ? " and others" : "");
}

function inset(place: Rectangle, by: number): Rectangle {
  return {
    x: place.x + by, y: place.y + by,
    width: Math.max(0, place.width - 2 * by), height: Math.max(0, place.height - 2 * by),
  };
}

function placed(element: HTMLElement, place: Rectangle): HTMLElement {
  property(element, "left", `${place.x.toFixed(2)}px`);
  property(element, "top", `${place.y.toFixed(2)}px`);
  property(element, "width", `${place.width.toFixed(2)}px`);
  property(element, "height", `${place.height.toFixed(2)}px`);
  return element;
}
