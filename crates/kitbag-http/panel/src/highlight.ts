// Syntax highlighting of comments, strings, numbers, keywords and calls: one tokenizer over a table of
// language families. Other languages are not highlighted.

export interface Token {
  text: string;
  kind: "" | "comment" | "string" | "number" | "keyword" | "call" | "heading" | "added" | "removed";
}

interface Family {
  extensions: string;
  patterns: [Token["kind"], RegExp][];
  keywords: Set<string>;
}

const words = (text: string): Set<string> => new Set(text.split(/\s+/));

const NUMBER = /\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?)\w*/iy;
const DOUBLE = /"(?:\\.|[^"\\\n])*"?/y;
const SINGLE = /'(?:\\.|[^'\\\n])*'?/y;
/** A character literal. In Rust a quote can also begin a lifetime, which has no closing quote. */
const CHARACTER = /'(?:\\[^\n]{1,9}?|[^'\\\n])'/y;
const BACKTICKS = /`(?:\\[^]|[^`\\])*`?/y;
const SLASHES = /\/\/[^\n]*/y;
const BLOCK = /\/\*[^]*?(?:\*\/|$(?![^]))/y;
const HASH = /#[^\n]*/y;

const BRACES = words(`abstract as async await bool boolean break byte case catch char class const continue
  crate default defer delete do double dyn else enum explicit export extends extern false final finally float
  fn for foreach from func function go goto if impl implements import in inline instanceof int interface
  internal is let lock long loop match mod module move mut namespace native new nil null number object of
  operator out override package params private protected pub public range readonly record ref return sealed
  select self Self short signed sizeof static string struct super switch template this throw throws trait true
  try type typedef typename typeof uint ulong undefined union unsafe unsigned use using val var virtual void
  volatile when where while with yield fun object companion data suspend init guard extension protocol def
  lazy given echo chan map interface fallthrough`);

const SCRIPTS = words(`and as assert async await begin break case class continue def del do done elif else elsif
  end ensure esac except exec export False fi finally for from function global if import in is lambda local
  module next nil None nonlocal not null or pass raise redo require rescue retry return self set super then
  then True true false try undef unless until when while with yield match`);

const QUERIES = words(`and as begin between by case create delete distinct do else elseif end false for from
  function group having if in index inner insert into is join key left like limit local nil not null on or order
  outer primary references repeat return select set table then true union unique until update values where while
  with SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE PRIMARY KEY NOT NULL AND OR ORDER BY GROUP JOIN
  LEFT ON AS VALUES SET LIMIT`);

const FAMILIES: Family[] = [
  {
    extensions: "c h cc cpp cxx hpp hh cs java go rs kt kts swift scala zig proto",
    patterns: [
      ["comment", SLASHES], ["comment", BLOCK], ["string", DOUBLE], ["string", CHARACTER], ["string", BACKTICKS],
      ["number", NUMBER],
    ],
    keywords: BRACES,
  },
  {
    extensions: "js jsx mjs cjs ts tsx mts cts php dart groovy gradle json jsonc",
    patterns: [
      ["comment", SLASHES], ["comment", BLOCK], ["string", DOUBLE], ["string", SINGLE], ["string", BACKTICKS],
      ["number", NUMBER],
    ],
    keywords: BRACES,
  },
  {
    extensions: "py pyi rb sh bash zsh yml yaml toml ini cfg conf r pl ex exs dockerfile makefile mk",
    patterns: [
      ["string", /[rbuf]{0,2}("""|''')[^]*?(?:\1|$(?![^]))/iy], ["comment", HASH], ["string", DOUBLE], ["string", SINGLE],
      ["number", NUMBER],
    ],
    keywords: SCRIPTS,
  },
  {
    extensions: "sql lua hs elm",
    patterns: [["comment", /--[^\n]*/y], ["comment", BLOCK], ["string", DOUBLE], ["string", SINGLE], ["number", NUMBER]],
    keywords: QUERIES,
  },
  {
    extensions: "css scss less",
    patterns: [["comment", BLOCK], ["string", DOUBLE], ["string", SINGLE], ["number", /#[\da-f]{3,8}\b/iy], ["keyword", /@[\w-]+/y], ["number", NUMBER]],
    keywords: new Set(),
  },
  {
    extensions: "html htm xml svg vue xhtml",
    patterns: [["comment", /<!--[^]*?(?:-->|$(?![^]))/y], ["keyword", /<\/?[\w:-]+|\/?>/y], ["string", DOUBLE], ["string", SINGLE]],
    keywords: new Set(),
  },
  {
    extensions: "diff patch",
    patterns: [
      ["keyword", /(?<=^|\n)@@[^\n]*/y], ["added", /(?<=^|\n)\+[^\n]*/y], ["removed", /(?<=^|\n)-[^\n]*/y],
    ],
    keywords: new Set(),
  },
  {
    extensions: "md markdown rst",
    patterns: [["heading", /(?<=^|\n)#{1,6} [^\n]*/y], ["string", /`[^`\n]+`/y]],
    keywords: new Set(),
  },
];

const BY_EXTENSION = new Map(
  FAMILIES.flatMap((family) => [...words(family.extensions.trim())].map((extension) => [extension, family] as const)),
);

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const CALL = /\s{0,2}\(/y;
const MAX_LINE_LENGTH = 2000;

/** Splits lines into tokens, without losing a character. */
export function highlight(path: string, lines: string[]): Token[][] {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const family = BY_EXTENSION.get(name.slice(name.lastIndexOf(".") + 1));
  // Highlighting minified code is slow and of no use.
  if (!family || lines.some((line) => line.length > MAX_LINE_LENGTH)) {
    return lines.map((line) => [{ text: line, kind: "" }]);
  }
  return byLine(tokens(lines.join("\n"), family));
}

function* tokens(text: string, family: Family): Generator<Token> {
  let at = 0;
  let plain = 0;
  while (at < text.length) {
    const token = tokenAt(text, at, family);
    if (token?.kind) {
      if (plain < at) yield { text: text.slice(plain, at), kind: "" };
      yield token;
      plain = at + token.text.length;
    }
    at += token ? token.text.length : 1;
  }
  if (plain < text.length) yield { text: text.slice(plain), kind: "" };
}

/** Returns the token at a position. A word without a kind is returned too, so that it is skipped whole. */
function tokenAt(text: string, at: number, family: Family): Token | null {
  for (const [kind, pattern] of family.patterns) {
    const found = matchAt(pattern, text, at);
    if (found) return { text: found, kind };
  }
  const word = matchAt(WORD, text, at);
  if (!word) return null;
  if (family.keywords.has(word)) return { text: word, kind: "keyword" };
  const isCall = family.keywords.size > 0 && matchAt(CALL, text, at + word.length) !== "";
  return { text: word, kind: isCall ? "call" : "" };
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function byLine(all: Iterable<Token>): Token[][] {
  const lines: Token[][] = [[]];
  for (const { text, kind } of all) {
    text.split("\n").forEach((part, at) => {
      if (at > 0) lines.push([]);
      if (part) lines[lines.length - 1]?.push({ text: part, kind });
    });
  }
  return lines;
}
