// Numbers as people read them. English everywhere, so that the page reads the same for all.

const WHOLE = new Intl.NumberFormat("en");
const SHARE = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const whole = (value: number): string => WHOLE.format(value);

/** A share, rounded down: what is not all of it is never shown as 100 %. */
export function share(part: number, all: number): string {
  return SHARE.format(all > 0 ? Math.floor((1000 * part) / all) / 1000 : 0);
}

export const score = (value: number): string => value.toFixed(3);

/** `1,234 tokens`, `1 token`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${whole(value)} ${value === 1 ? one : many}`;
}

/** A number in little room: `980`, `7.8k`, `165k`. */
export function compact(value: number): string {
  if (value < 1000) return whole(value);
  const [divided, unit] = value < 999_500 ? [value / 1000, "k"] : [value / 1_000_000, "m"];
  return `${divided < 9.95 ? divided.toFixed(1) : divided.toFixed(0)}${unit}`;
}

/** A duration with as many digits as matter. */
export function duration(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms >= 10) return `${ms.toFixed(0)} ms`;
  if (ms >= 0.05) return `${ms.toFixed(1)} ms`;
  return ms > 0 ? "<0.1 ms" : "0 ms";
}

/** `8000`, `32k` and `1.5m`, as the command line reads them; `null` where it is neither. */
export function tokens(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([km]?)$/i.exec(text.trim().replace(/[,_ ](?=\d{3})/g, ""));
  if (!match) return null;
  const unit = { "": 1, k: 1000, m: 1_000_000 }[(match[2] ?? "").toLowerCase()] ?? 1;
  return Math.round(Number(match[1]) * unit);
}

/** The time of day, and before that the day where it was another. Servers give seconds, milliseconds or
 * an ISO date. */
export function clock(time: string | number, now = new Date()): string {
  const ms = typeof time === "number" && time < 1e11 ? time * 1000 : time;
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return "";
  const isToday = date.toDateString() === now.toDateString();
  if (!isToday) return date.toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}
