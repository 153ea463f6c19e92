// A sheet over the page, for what has no room beside the list. What it shows is only lent: when the
// sheet is closed, by whatever way, it goes back to where it was.

import { byId } from "./dom";

interface Lent {
  element: HTMLElement;
  home: Comment;
  closed: () => void;
}

let lent: Lent | null = null;

/** Shows an element over the page. */
export function openSheet(element: HTMLElement, closed: () => void): void {
  if (lent?.element === element) return;
  const sheet = byId<HTMLDialogElement>("sheet");
  closeSheet();
  const home = document.createComment("in the sheet");
  element.replaceWith(home);
  lent = { element, home, closed };
  sheet.replaceChildren(element);
  sheet.onclose = giveBack;
  sheet.showModal();
}

/** Whether there was one to close. */
export function closeSheet(): boolean {
  const sheet = byId<HTMLDialogElement>("sheet");
  if (!sheet.open) return false;
  sheet.close();
  giveBack();
  return true;
}

function giveBack(): void {
  const back = lent;
  lent = null;
  if (!back) return;
  back.home.replaceWith(back.element);
  back.closed();
}
