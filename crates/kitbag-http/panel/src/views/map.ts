// The treemap of tokens by folder and file, and a table with the same numbers.

import { fill, h, property } from "../dom";
import { strength, type FileTokens, type FolderTokens } from "../folders";
import { count, integer, percent } from "../format";
import { squarify, type Rectangle } from "../squarify";
import { pathElement, visible } from "../visible";

/** Sizes in pixels. */
const FOLDER_HEADER_HEIGHT = 24;
const TILE_GAP = 2;
const LETTER_WIDTH = 6.7;
const LABEL_PADDING = 14;

/** Renders the map. Picking a file calls `onPick` with its path. */
export function mapView(folders: FolderTokens[], onPick: (path: string) => void): HTMLElement {
  if (folders.length === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "Nothing to map"), h("p", {}, "The pack has no files."));
  }
  const total = folders.reduce((sum, folder) => sum + folder.tokens, 0);
  const map = h("div", { class: "treemap", role: "img", "aria-label": `Tokens by folder: ${description(folders, total)}` });
  // The layout is in pixels, so that labels are shown only where they fit.
  let layoutSize = "";
  new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = map;
    if (width === 0 || height === 0 || layoutSize === `${width} ${height}`) return;
    layoutSize = `${width} ${height}`;
    fill(map, ...tiles(folders, { x: 0, y: 0, width, height }, onPick));
  }).observe(map);
  return h("div", { class: "map-panel" }, map, table(folders, total, onPick));
}

function tiles(folders: FolderTokens[], within: Rectangle, onPick: (path: string) => void): HTMLElement[] {
  const places = squarify(folders.map((folder) => folder.tokens), within);
  return folders.flatMap((folder, index) => {
    const place = inset(places[index] ?? { ...within, width: 0, height: 0 }, 0.5);
    const title = `${visible(folder.name)} `;
    const hasHeader = place.height > FOLDER_HEADER_HEIGHT * 2.2 && place.width > 60;
    const box = placed(h("div", { class: `tree-folder folder-${folder.color}` },
      hasHeader && h("span", { class: "tree-head" }, title, h("b", { class: "number" }, integer(folder.tokens)))), place);
    const inner = hasHeader ? { ...place, y: place.y + FOLDER_HEADER_HEIGHT, height: place.height - FOLDER_HEADER_HEIGHT } : place;
    const cells = squarify(folder.files.map((file) => file.tokens), inset(inner, TILE_GAP));
    const files = folder.files.map((file, number) => tile(file, folder.color, strength(number), cells[number], onPick));
    return [box, ...files];
  });
}

function tile(file: FileTokens, color: number, fileStrength: number, cell: Rectangle | undefined, onPick: (path: string) => void): HTMLElement {
  const place = inset(cell ?? { x: 0, y: 0, width: 0, height: 0 }, 0.5);
  const name = visible(file.path.slice(file.path.lastIndexOf("/") + 1));
  const text = `${visible(file.path)}: ${count(file.tokens, "token")} in ${count(file.chunks, "chunk")}`;
  const element = placed(
    h("div", { class: `tree-file folder-${color}`, title: text, "data-path": file.path, onclick: () => onPick(file.path) },
      ...label(name, integer(file.tokens), place)),
    place,
  );
  property(element, "--strength", `${fileStrength}%`);
  return element;
}

/** Renders the label of a tile, horizontally or vertically, if it fits. */
function label(name: string, tokens: string, { width, height }: Rectangle): HTMLElement[] {
  const needed = Math.min(name.length, 14) * LETTER_WIDTH + LABEL_PADDING;
  const isHorizontal = width >= needed && height >= 22;
  const isVertical = !isHorizontal && height >= needed && width >= 22;
  if (!isHorizontal && !isVertical) return [];
  const space = isHorizontal ? height : width;
  return [h("span", { class: `tree-label${isVertical ? " is-vertical" : ""}` },
    h("span", { class: "tree-name" }, name),
    ...(space >= 40 ? [h("span", { class: "tree-tokens number" }, tokens)] : []))];
}

function table(folders: FolderTokens[], total: number, onPick: (path: string) => void): HTMLElement {
  const body = h("tbody");
  for (const folder of folders) {
    body.append(h("tr", { class: "folder-row" },
      h("th", { scope: "row" }, h("span", { class: `swatch folder-${folder.color}` }), visible(folder.name)),
      h("td", { class: "number of-chunks" }, integer(folder.files.length)),
      h("td", { class: "number" }, integer(folder.tokens)),
      h("td", { class: "number" }, percent(folder.tokens, total)),
    ));
    for (const file of folder.files) {
      body.append(h("tr", { class: "file-row" },
        h("th", { scope: "row" }, h("button", { type: "button", class: "link-button", onclick: () => onPick(file.path) }, pathElement(relative(file.path, folder.name)))),
        h("td", { class: "number muted of-chunks" }, integer(file.chunks)),
        h("td", { class: "number" }, integer(file.tokens)),
        h("td", { class: "number muted" }, percent(file.tokens, total)),
      ));
    }
  }
  const head = h("thead", {}, h("tr", {},
    h("th", { scope: "col" }, "Folder and file"), h("th", { scope: "col", class: "number of-chunks" }, "Files, chunks"),
    h("th", { scope: "col", class: "number" }, "Tokens"), h("th", { scope: "col", class: "number" }, "Share"),
  ));
  return h("div", { class: "scroll-x card", tabindex: 0, role: "region", "aria-label": "Tokens by folder and file" }, h("table", { class: "figures" }, head, body));
}

/** Returns a path relative to a folder. */
function relative(path: string, folder: string): string {
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

function description(folders: FolderTokens[], total: number): string {
  const largest = folders.slice(0, 5).map((folder) => `${visible(folder.name)} ${percent(folder.tokens, total)}`);
  return largest.join(", ") + (folders.length > 5 ? " and others" : "");
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
