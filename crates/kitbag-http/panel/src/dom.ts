// Element creation. Data becomes text nodes and attribute values only: none of these functions parses a
// string as HTML, CSS or JavaScript.

export type Child = Node | string | number | null | undefined | false;

type Listener = (event: never) => void;
type Value = string | number | boolean | null | undefined | Listener;
export type Attributes = Record<string, Value>;

const FORBIDDEN = new Set(["style", "innerHTML", "outerHTML", "srcdoc"]);

/** Creates an element with attributes, listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, attributes);
  element.append(...present(children));
  return element;
}

/** Replaces the children of an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...present(children));
}

/** Returns an element of the static HTML. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element \`${id}\``);
  return element as T;
}

/** Sets a custom property, which is how numbers reach the style sheet. */
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

function present(children: Child[]): (Node | string)[] {
  const shown = children.filter((child) => child !== null && child !== undefined && child !== false);
  return shown.map((child) => (child instanceof Node ? child : String(child)));
}
