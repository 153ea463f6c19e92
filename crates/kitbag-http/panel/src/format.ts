// Formatting and parsing of numbers. Always in English, so that the page looks the same everywhere.

const INTEGER = new Intl.NumberFormat("en");
const TIME_OF_DAY = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DATE_AND_TIME = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const PERCENT = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const integer = (value: number): string => INTEGER.format(value);

/** Formats a ratio, rounded down so that only a full part is shown as 100 %. */
export function percent(part: number, total: number): string {
  return PERCENT.format(total > 0 ? Math.floor((1000 * part) / total) / 1000 : 0);
}

/** Formats a relevance. What is nearly 0 is not shown as 0. */
export const relevance = (value: number): string => (value > 0 && value < 0.005 ? "<0.01" : value.toFixed(2));

/** Formats a value below a limit with as many digits as it takes to tell them apart. */
export function below(value: number, limit: number): string {
  const texts = [3, 4, 5, 6].map((digits) => value.toFixed(digits));
  return texts.find((text) => Number(text) < limit) ?? value.toFixed(6);
}

export const score = (value: number): string => value.toFixed(3);

/** Formats a count with its noun: `1,234 tokens`, `1 token`. */
export function count(value: number, singular: string, plural = `${singular}s`): string {
  return `${integer(value)} ${value === 1 ? singular : plural}`;
}

/** Formats a number in at most four characters: `980`, `7.8k`, `165k`, `1M`. */
export function compact(value: number): string {
  if (value < 1000) return integer(value);
  const [scaled, unit] = value < 999_500 ? [value / 1000, "k"] : [value / 1_000_000, "M"];
  return `${scaled < 9.95 ? scaled.toFixed(1).replace(/\.0$/, "") : scaled.toFixed(0)}${unit}`;
}

/** Formats the cost of a number of tokens, at a price per million tokens. */
export function money(tokens: number, pricePerMillion: number): string {
  const amount = (tokens * pricePerMillion) / 1_000_000;
  const digits = amount === 0 || amount >= 1 ? 2 : amount >= 0.01 ? 3 : 5;
  return `$${amount.toFixed(digits)}`;
}

export function duration(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms >= 10) return `${ms.toFixed(0)} ms`;
  if (ms >= 0.05) return `${ms.toFixed(1)} ms`;
  return ms > 0 ? "<0.1 ms" : "0 ms";
}

/** Parses a number of tokens such as `8000`, `32k` or `1.5m`, like the command line does. */
export function parseTokens(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([km]?)$/i.exec(text.trim().replace(/[,_ ](?=\d{3})/g, ""));
  if (!match) return null;
  const unit = { "": 1, k: 1000, m: 1_000_000 }[(match[2] ?? "").toLowerCase()] ?? 1;
  return Math.round(Number(match[1]) * unit);
}

/** Formats a time: the time of day if it is today, otherwise with the date. */
export function timestamp(time: string, now = new Date()): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const isToday = date.toDateString() === now.toDateString();
  return (isToday ? TIME_OF_DAY : DATE_AND_TIME).format(date);
}
