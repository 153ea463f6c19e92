// Small components for names and texts of the repository. Invisible characters are escaped, since they could
// disguise a name.

import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { lineRange, splitInvisible, visible, visibleLines } from "../visible";

/** A path with its file name emphasized. It breaks after slashes rather than within names. */
export function Path({ path, lines = "" }: { path: string; lines?: string }) {
  const shown = visible(path);
  const cut = shown.lastIndexOf("/") + 1;
  const folders = shown.slice(0, cut).split(/(?<=\/)/).filter(Boolean);
  return (
    <bdi class="path" dir="ltr">
      {cut > 0 && <span class="folder">{folders.map((folder) => [folder, <wbr />])}</span>}
      <span class="end">
        <span class="file">{shown.slice(cut)}</span>
        {lines !== "" && <span class="lines number">{lines}</span>}
      </span>
    </bdi>
  );
}

/** A path with a line range: `src/a.rs:10-40`. */
export const Location = ({ path, start, end }: { path: string; start: number | null; end: number | null }) => (
  <Path path={path} lines={lineRange(start, end)} />
);

/** The name of a symbol, which breaks between its parts. */
export function SymbolName({ symbol }: { symbol: string }) {
  const parts = visible(symbol).split(/(?<=[._:/])(?=[^._:/])/);
  return <span class="symbol">{parts.map((part, index) => (index > 0 ? [<wbr />, part] : part))}</span>;
}

/** A text whose parts in backticks are code. */
export function InlineCode({ text }: { text: string }) {
  const parts = visibleLines(text).split("`");
  if (parts.length % 2 === 0) return <>{parts.join("`")}</>;
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

/** Code whose invisible characters are highlighted. */
export function Visible({ text }: { text: string }) {
  const parts = splitInvisible(text);
  if (parts.length === 1) return <>{text}</>;
  return <>{parts.map((part, index) => (index % 2 === 1 ? <span class="invisible-character" title="invisible character">{part}</span> : part))}</>;
}

/** A button without a label, whose name is its title. */
export function IconButton({ icon, label, ...more }: { icon: IconName; label: string } & ButtonHTMLAttributes) {
  return <button type="button" class="icon-button" title={label} aria-label={label} {...more}><Icon name={icon} /></button>;
}

const ICONS = {
  pin: "M6 2h4l-.5 5L12 9.5H8.7L8 14l-.7-4.5H4L6.5 7z",
  expand: "M8 2v4M6 4l2-2 2 2M8 14v-4M6 12l2 2 2-2M3 8h10",
  exclude: "M4 4l8 8M12 4l-8 8",
  copy: "M6 6h7v8H6zM3 10V2h7v2",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
} as const;

export type IconName = keyof typeof ICONS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={ICONS[name]} /></svg>
);

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty"><h3>{title}</h3>{children}</div>
);
