// An error is shown as one: what went wrong, why, and what to do about it. The last pack stays.

import { token } from "../api";
import { byId, fill, h } from "../dom";
import { on, state, tell } from "../state";
import { phrase, visible } from "../visible";

/** Shows problems as they come. `retry` packs again, `enter` starts anew with a token. */
export function problemView(retry: () => void, enter: () => void): void {
  const place = byId("problem");
  on("problem", () => {
    const { problem } = state;
    if (!problem) return fill(place);
    fill(place, h("div", { class: "problem", role: "alert" },
      h("h2", {}, visible(problem.title)),
      problem.detail !== "" && problem.detail !== problem.title && h("p", {}, ...phrase(problem.detail)),
      problem.hint !== "" && h("p", { class: "hint" }, ...phrase(problem.hint)),
      (problem.correlation !== "" || problem.status > 0) && h("p", { class: "muted trace" },
        problem.status > 0 && `Status ${problem.status}`, problem.code !== "" && `, ${visible(problem.code)}`,
        problem.correlation !== "" && h("span", {}, " · Correlation id ", h("code", {}, visible(problem.correlation)))),
      h("div", { class: "problem-tools" },
        h("button", { type: "button", class: "quiet", onclick: retry }, "Try again"),
        h("button", { type: "button", class: "quiet", onclick: dismiss }, "Dismiss"))));
    if (problem.status === 401) ask(enter);
    return undefined;
  });
}

function dismiss(): void {
  state.problem = null;
  tell("problem");
}

/** Asks for the token of a server that wants one. */
function ask(enter: () => void): void {
  const dialog = byId<HTMLDialogElement>("token");
  if (dialog.open) return;
  const input = h("input", { type: "password", id: "token-value", autocomplete: "off", required: true });
  const form = h("form", { method: "dialog" },
    h("h2", { id: "token-title" }, "This server wants a token"),
    h("div", { class: "field" }, h("label", { for: "token-value" }, "Token"), input),
    h("p", { class: "muted" }, "It was chosen when the server was started. It is kept for this tab alone."),
    h("button", { class: "button" }, "Go on"));
  form.addEventListener("submit", () => {
    token.set(input.value);
    dismiss();
    enter();
  });
  fill(dialog, form);
  dialog.showModal();
}
