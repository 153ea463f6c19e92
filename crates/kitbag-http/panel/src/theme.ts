// Light or dark: as the system has it, until somebody chooses.

const KEY = "kitbag.theme";

export function startTheme(): void {
  apply(localStorage.getItem(KEY) ?? "");
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  localStorage.setItem(KEY, next);
  apply(next);
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
}

function apply(theme: string): void {
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
}
