// Error messages. The last pack stays on screen.

import { token } from "../client";
import { byId, fill, h } from "../dom";
import { notify, on, state } from "../state";
import { visible, withInlineCode } from "../visible";

/** Renders problems. `onToken` is called once a token was entered. */
export function problemView(onRetry: () => void, onToken: () => void): void {
  const section = byId("problem");
  on("problem", () => {
    const { problem } = state;
    if (!problem) return fill(section);
    fill(section, h("div", { class: "problem", role: "alert" },
      h("h2", {}, visible(problem.title)),
      problem.detail !== "" && problem.detail !== problem.title && h("p", {}, ...withInlineCode(problem.detail)),
      problem.hint !== "" && h("p", { class: "hint" }, ...withInlineCode(problem.hint)),
      (problem.correlationId !== "" || problem.status > 0) && h("p", { class: "muted trace" },
        problem.status > 0 && `Status ${problem.status}`, problem.code !== "" && `, ${visible(problem.code)}`,
        problem.correlationId !== "" && h("span", {}, " · Correlation id ", h("code", {}, visible(problem.correlationId)))),
      h("div", { class: "problem-tools" },
        h("button", { type: "button", class: "quiet", onclick: onRetry }, "Try again"),
        h("button", { type: "button", class: "quiet", onclick: dismiss }, "Dismiss"))));
    if (problem.status === 401) askForToken(onToken);
    return undefined;
  });
}

function dismiss(): void {
  state.problem = null;
  notify("problem");
}

function askForToken(onToken: () => void): void {
  const dialog = byId<HTMLDialogElement>("token");
  if (dialog.open) return;
  const input = h("input", { type: "password", id: "token-value", autocomplete: "off", required: true });
  const form = h("form", { method: "dialog" },
    h("h2", { id: "token-title" }, "This server requires a token"),
    h("div", { class: "field" }, h("label", { for: "token-value" }, "Token"), input),
    h("p", { class: "muted" }, "The token was set when the server was started. It is stored for this tab only."),
    h("button", { class: "button" }, "Continue"));
  form.addEventListener("submit", () => {
    token.set(input.value);
    dismiss();
    onToken();
  });
  fill(dialog, form);
  dialog.showModal();
}
