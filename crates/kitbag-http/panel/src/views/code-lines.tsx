// Lines of code with line numbers and highlighting, optionally wrapped.

import type { Token } from "../highlight-lines";
import { Visible } from "./parts";

export interface CodeLinesProps {
  /** Number of the first line. */
  first: number;
  lines: string[];
  /** Tokens of each line, once they are known. */
  tokens: Token[][] | null;
  /** Returns whether a line belongs to the chunk. */
  isOwn: (line: number) => boolean;
  /** Returns whether a line is in the text of the pack. */
  isShown: (line: number) => boolean;
  isRedacted: (line: number) => boolean;
}

const TAB_WIDTH = 4;
const MAX_INDENT = 40;

export function CodeLines({ first, lines, tokens, isOwn, isShown, isRedacted }: CodeLinesProps) {
  return (
    <div class="line-box" tabIndex={0} role="region" aria-label="Lines">
      {lines.map((line, index) => {
        const number = first + index;
        const classes = ["line", isOwn(number) && "own", isShown(number) && "shown", isRedacted(number) && "redacted"];
        return (
          <div class={classes.filter(Boolean).join(" ")} data-line={number} key={number}>
            <span class="line-number number" aria-hidden="true">{number}</span>
            <code style={{ "--indent": `${wrapIndent(line)}ch` }}><LineText line={line} tokens={tokens?.[index]} />{"\n"}</code>
          </div>
        );
      })}
    </div>
  );
}

/** The highlighted line. Tokens that do not add up to the line, which is shown in any case, are ignored. */
function LineText({ line, tokens }: { line: string; tokens: Token[] | undefined }) {
  if (!tokens || tokens.map(([text]) => text).join("") !== line) return <Visible text={line} />;
  return <>{tokens.map(([text, kind]) => (kind ? <span class={`t-${kind}`}><Visible text={text} /></span> : <Visible text={text} />))}</>;
}

/** Returns the indent of wrapped lines, in characters. */
function wrapIndent(line: string): number {
  const blank = /^[ \t]*/.exec(line)?.[0] ?? "";
  const width = [...blank].reduce((sum, character) => sum + (character === "\t" ? TAB_WIDTH - (sum % TAB_WIDTH) : 1), 0);
  return Math.min(width, MAX_INDENT) + 2;
}
