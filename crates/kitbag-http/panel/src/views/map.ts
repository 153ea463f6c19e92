// The treemap of tokens by folder and file, and the table of the same numbers.

import { h, property } from "../dom";
import { strength, type FolderTokens } from "../folders";
import { count, share, whole } from "../numbers";
import { squarify } from "../squarify";
import { pathName, visible } from "../visible";

const SIZE = { x: 0, y: 0, width: 1600, height: 800 };
const HEAD = 44;

/** The map of a pack. Picking a file calls `pick` with its path. */
export function mapView(folders: FolderTokens[], pick: (path: string) => void): HTMLElement {
  if (folders.length === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "Nothing to map"), h("p", {}, "The pack has no files."));
  }
  const total = folders.reduce((sum, folder) => sum + folder.tokens, 0);
  const map = h("div", { class: "treemap", role: "img", "aria-label": `Tokens by folder: ${spoken(folders, total)}` });
  const places = squarify(folders.map((folder) => folder.tokens), SIZE);
  folders.forEach((folder, at) => {
    const place = places[at];
    if (!place) return;
    const hasHead = place.height > HEAD * 2.2 && place.width > 130;
    const box = placed(h("div", { class: `tree-folder folder-${folder.colour}` }), place);
    if (hasHead) box.append(h("span", { class: "tree-head" }, visible(folder.name), " ", h("b", { class: "number" }, whole(folder.tokens))));
    map.append(box);
    const inner = hasHead ? { ...place, y: place.y + HEAD, height: place.height - HEAD } : place;
    const cells = squarify(folder.files.map((file) => file.tokens), inset(inner));
    folder.files.forEach((file, number) => {
      const cell = cells[number];
      if (!cell) return;
      const name = file.path.slice(file.path.lastIndexOf("/") + 1);
      const isRoomy = cell.width > 90 && cell.height > 44;
      const strong = strength(number);
      const text = `${visible(file.path)}: ${count(file.tokens, "token")} in ${count(file.chunks, "chunk")}`;
      const tile = placed(
        h("div", { class: `tree-file folder-${folder.colour}`, title: text, "data-path": file.path, onclick: () => pick(file.path) },
          isRoomy && h("span", { class: "tree-name" }, visible(name)),
          isRoomy && cell.height > 84 && h("span", { class: "tree-tokens number" }, whole(file.tokens)),
        ),
        cell,
      );
      property(tile, "--strength", `${strong}%`);
      map.append(tile);
    });
  });
  return h("div", { class: "map-panel" }, map, table(folders, total, pick));
}

function table(folders: FolderTokens[], total: number, pick: (path: string) => void): HTMLElement {
  const body = h("tbody");
  for (const folder of folders) {
    body.append(h("tr", { class: "folder-row" },
      h("th", { scope: "row" }, h("span", { class: `swatch folder-${folder.colour}` }), visible(folder.name)),
      h("td", { class: "number" }, whole(folder.files.length)),
      h("td", { class: "number" }, whole(folder.tokens)),
      h("td", { class: "number" }, share(folder.tokens, total)),
    ));
    for (const file of folder.files) {
      body.append(h("tr", { class: "file-row" },
        h("th", { scope: "row" }, h("button", { type: "button", class: "linkish", onclick: () => pick(file.path) }, pathName(within(file.path, folder.name)))),
        h("td", { class: "number muted" }, whole(file.chunks)),
        h("td", { class: "number" }, whole(file.tokens)),
        h("td", { class: "number muted" }, share(file.tokens, total)),
      ));
    }
  }
  const head = h("thead", {}, h("tr", {},
    h("th", { scope: "col" }, "Folder and file"), h("th", { scope: "col", class: "number" }, "Files, chunks"),
    h("th", { scope: "col", class: "number" }, "Tokens"), h("th", { scope: "col", class: "number" }, "Share"),
  ));
  return h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Tokens by folder and file" }, h("table", { class: "figures" }, head, body));
}

/** The path of a file as seen from its folder. */
function within(path: string, folder: string): string {
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

function spoken(folders: FolderTokens[], total: number): string {
  const told = folders.slice(0, 5).map((folder) => `${visible(folder.name)} ${share(folder.tokens, total)}`);
  return told.join(", ") + (folders.length > 5 ? " and others" : "");
}

function inset(place: { x: number; y: number; width: number; height: number }) {
  const by = 4;
  return {
    x: place.x + by, y: place.y + by,
    width: Math.max(0, place.width - 2 * by), height: Math.max(0, place.height - 2 * by),
  };
}

function placed(element: HTMLElement, place: { x: number; y: number; width: number; height: number }): HTMLElement {
  property(element, "left", `${(100 * place.x) / SIZE.width}%`);
  property(element, "top", `${(100 * place.y) / SIZE.height}%`);
  property(element, "width", `${(100 * place.width) / SIZE.width}%`);
  property(element, "height", `${(100 * place.height) / SIZE.height}%`);
  return element;
}

