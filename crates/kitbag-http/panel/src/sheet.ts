// A sheet over the page, used where the code does not fit next to the list. The element it shows is
// moved there and back.

import { byId } from "./dom";

interface SheetContent {
  element: HTMLElement;
  /** Marks where the element belongs in the page. */
  placeholder: Comment;
  onClose: () => void;
}

let content: SheetContent | null = null;

/** Moves an element into the sheet and opens it. */
export function openSheet(element: HTMLElement, onClose: () => void): void {
  if (content?.element === element) return;
  const sheet = byId<HTMLDialogElement>("sheet");
  closeSheet();
  const placeholder = document.createComment("in the sheet");
  element.replaceWith(placeholder);
  content = { element, placeholder, onClose };
  sheet.replaceChildren(element);
  sheet.onclose = restore;
  sheet.showModal();
}

/** Closes the sheet. Returns whether it was open. */
export function closeSheet(): boolean {
  const sheet = byId<HTMLDialogElement>("sheet");
  if (!sheet.open) return false;
  sheet.close();
  restore();
  return true;
}

function restore(): void {
  const closed = content;
  content = null;
  if (!closed) return;
  closed.placeholder.replaceWith(closed.element);
  closed.onClose();
}
