// Makes elements. Data always becomes text nodes and attribute values, never markup: there is no way
// through these functions to have a string parsed as HTML, as a style or as a script.

export type Child = Node | string | number | null | undefined | false;

type Listener = (event: never) => void;
type Value = string | number | boolean | null | undefined | Listener;
export type Attributes = Record<string, Value>;

const FORBIDDEN = new Set(["style", "innerHTML", "outerHTML", "srcdoc"]);
const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes, listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, attributes);
  element.append(...kept(children));
  return element;
}

/** The same for SVG. */
export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  assign(element, attributes);
  element.append(...kept(children));
  return element;
}

/** Replaces what is in an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...kept(children));
}

/** The element of that id, which is in the page's own HTML. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element \`${id}\``);
  return element as T;
}

/** Sets a custom property, which is how data reaches the style sheet: a length, a share, a colour. */
export function property(element: HTMLElement | SVGElement, name: string, value: string | number) {
  element.style.setProperty(name, String(value));
}

function assign(element: Element, attributes: Attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (FORBIDDEN.has(name)) throw new Error(`\`${name}\` cannot be set from data`);
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
}

function kept(children: Child[]): (Node | string)[] {
  const there = children.filter((child) => child !== null && child !== undefined && child !== false);
  return there.map((child) => (child instanceof Node ? child : String(child)));
}
