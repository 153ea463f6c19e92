"""Compares token estimates with public tokenizers of the same vendors.

Run by scripts/measure-estimates, which fetches the inputs. An estimate is the number of `o200k_base`
tokens times a factor, which is read from the code.
"""

import argparse
import math
import re
from dataclasses import dataclass
from pathlib import Path

from corpus import PROSE, prepare_vocabularies, source_groups
from tokenizers import Tokenizer

CAP = 800_000
# In shorter files, a single token is a large share.
MIN_TOKENS = 200
PUBLIC = ["gemma2", "gemma3", "claude"]


@dataclass
class Row:
    """Results for one language."""

    name: str
    files: int
    base: int
    sums: dict[str, int]
    ratios: dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", type=Path, required=True)
    home = parser.parse_args().home
    o200k = prepare_vocabularies(home)["o200k_base"]
    public = {name: Tokenizer.from_file(str(home / "tokenizers" / name / "tokenizer.json")) for name in PUBLIC}
    for tokenizer in public.values():
        tokenizer.encode_special_tokens = True
    rows = [measure(group, o200k, public) for group in source_groups(home, CAP)]
    page = Path("docs/estimates.md")
    page.write_text(render(rows, factors()))
    print(f"wrote {page}")


def factors() -> dict[str, float]:
    code = Path("crates/kitbag-tokens/src/estimate.rs").read_text()
    percents = re.search(r"fn percent\(.*?match self \{(.*?)\}", code, re.DOTALL).group(1)
    return {name: int(percent) / 100 for name, percent in re.findall(r"Self::(\w+) => Some\((\d+)\)", percents)}


def measure(group, o200k, public) -> Row:
    texts = [text.decode("utf-8", errors="replace") for text in group.texts]
    base = [len(ids) for ids in o200k.encode_ordinary_batch(texts)]
    counts = {
        name: [len(it.ids) for it in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        for name, tokenizer in public.items()
    }
    counts["characters"] = [characters(text) for text in texts]
    counts["words"] = [words(text) for text in texts]
    long = [number for number, tokens in enumerate(base) if tokens >= MIN_TOKENS]
    ratios = {name: [count[i] / base[i] for i in long] for name, count in counts.items()}
    sums = {name: sum(count) for name, count in counts.items()}
    return Row(group.name, len(texts), sum(base), sums, ratios)


def characters(text: str) -> int:
    specials = sum(not (c.isalnum() or c.isspace()) for c in text)
    return math.ceil(len(text) / 4) + specials // 3


def words(text: str) -> int:
    weight = 0
    for word in text.split():
        mixed = any(c.isupper() for c in word) and any(c.islower() for c in word)
        weight += 1 + (len(word) > 10) + mixed
    return math.ceil(weight * 4 / 3)


def percent(ratio: float) -> str:
    return f"{(ratio - 1) * 100:+.0f} %"


def render(rows: list[Row], factor: dict[str, float]) -> str:
    names = [*PUBLIC, "characters", "words"]
    lines = [
        "| text | files | o200k_base tokens | Gemma 2 | Gemma 3 | Claude 2 | `characters` | `words` |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        cells = " | ".join(f"{row.sums[name] / row.base:.3f}" for name in names)
        lines.append(f"| {row.name} | {row.files:,} | {row.base:,} | {cells} |")
    return PAGE.format(
        table="\n".join(lines),
        claude=factor["Claude"],
        next=factor["ClaudeNext"],
        gemini=factor["Gemini"],
        gemini_lines="\n".join(against(rows, name, factor["Gemini"]) for name in ("gemma2", "gemma3")),
        claude_lines=against(rows, "claude", factor["Claude"]),
        characters=spread(rows, "characters"),
        words=spread(rows, "words"),
    )


TITLES = {"gemma2": "Gemma 2", "gemma3": "Gemma 3", "claude": "Claude 2"}


def against(rows: list[Row], name: str, factor: float) -> str:
    """Compares an estimate with a tokenizer, in one line."""
    source = [row for row in rows if row.name not in PROSE]
    over = [factor * row.base / row.sums[name] for row in source]
    files = [ratio for row in source for ratio in row.ratios[name]]
    low = sum(ratio > factor for ratio in files)
    return (
        f"- against {TITLES[name]}: {percent(min(over))} to {percent(max(over))} by language; too low for "
        f"{low} of {len(files):,} files ({low / len(files) * 100:.1f} %), at worst {percent(factor / max(files))}"
    )


def spread(rows: list[Row], name: str) -> str:
    source = [row.sums[name] / row.base for row in rows if row.name not in PROSE]
    files = sorted(ratio for row in rows if row.name not in PROSE for ratio in row.ratios[name])
    within = [files[int(len(files) * share)] for share in (0.01, 0.99)]
    return (
        f"{percent(min(source))} to {percent(max(source))} by language, "
        f"{percent(within[0])} to {percent(within[1])} for 98 of 100 files"
    )


PAGE = """# Token estimates

Some tokenizers cannot be built in: Claude's is not public, and Gemini's is large. For these models, Kitbag counts
`o200k_base` tokens and multiplies them by a factor, rounded up once over the whole text. Every report says that this
is an estimate (`exact: false`) and gives its possible error (`error`). The factors tend to be too high, since a
slightly smaller pack is better than one that the model rejects.

Generated by `scripts/measure-estimates`. The texts are real source code from published packages. The columns are
tokens per token of `o200k_base`.

{table}

## Gemini: {gemini:.2f} times o200k_base

The vendor's libraries count Gemini 1.5 with the tokenizer of Gemma 2, and Gemini 2 and 3 with that of Gemma 3. Both are
public. On source of the languages above, the estimate is off by

{gemini_lines}

For an exact count, pass Gemma's `tokenizer.json` to `--tokenizer`.

## Claude 3 to 4.6: {claude:.2f} times o200k_base

The tokenizer is not public, so the estimate cannot be compared with it. That of Claude 2 was public, and the estimate
is

{claude_lines}

Claude 3 and later have more tokens than that: a published comparison of Claude 3.5 Sonnet with GPT-4o, whose
vocabulary is `o200k_base`, found 16 % more for English articles, 21 % for mathematics and 30 % for Python. The factor
is a little above the largest of these.

## Claude Opus 4.7 and later: {next:.2f} times o200k_base

These have a different tokenizer, which is not public either. The vendor's documentation says that the same text has about 30 %
more tokens than with earlier models; reports at its introduction put it between 1.0 and 1.35 times as many. The
factor is 1.35 times that of the earlier models, rounded up.

The provider's own counting endpoint is the only exact answer for Claude.

## The plain formulas

`characters` and `words` use no vocabulary. Compared with `o200k_base` on the same source code:

- `characters`: {characters}
- `words`: {words}
"""


if __name__ == "__main__":
    main()
