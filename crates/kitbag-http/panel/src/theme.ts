// Light and dark mode: the system's, until the user chooses.

const STORAGE_KEY = "kitbag.theme";

export function startTheme(): void {
  apply(localStorage.getItem(STORAGE_KEY) ?? "");
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  localStorage.setItem(STORAGE_KEY, next);
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
