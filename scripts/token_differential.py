"""Compares the token ids of Kitbag's counters with those of Python tiktoken and tokenizers.

Run by scripts/token-differential, which fetches what this reads. Every text goes through both
implementations, and the ids themselves are compared, not their number. Kitbag's own count, which
it makes without making ids, must be the number of ids as well.
"""

import argparse
import array
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from corpus import PROSE, VOCABULARIES, Group, prepare_vocabularies, source_groups


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--tokenizers", nargs="*", default=[])
    options = parser.parse_args()
    started = time.monotonic()
    cache = prepare_vocabularies(options.home)

    cap = 400_000 if options.quick else 4_000_000
    groups = [*source_groups(options.home, cap), *made_groups(options.quick)]
    for group in groups:
        for vocabulary in VOCABULARIES:
            compare(group, vocabulary, cache)
    table = render(groups)
    print(table)
    files = [compare_file(groups, name, options) for name in options.tokenizers]
    of_files = render_files(files)
    print(of_files)
    unequal = sum(group.unequal for group in groups) + sum(row.unequal for row in files)
    source = sum(group.size() for group in groups if group.labels and group.name not in PROSE)
    print(f"{source:,} bytes of source, {time.monotonic() - started:.0f} s, unequal: {unequal}")
    if unequal:
        return 1
    if source < (3_000_000 if options.quick else 20_000_000):
        print("too little source was found to say anything", file=sys.stderr)
        return 1
    if not options.quick:
        write_page(table, source, of_files)
    return 0


def made_groups(quick: bool) -> list[Group]:
    return [
        Group("Every Unicode character", unicode_texts(quick)),
        Group("Tricky pieces, joined at random", tricky_texts(2_000 if quick else 20_000)),
        Group("Random bytes, decoded lossily", random_texts(2_000 if quick else 20_000)),
    ]


def unicode_texts(quick: bool) -> list[bytes]:
    """Each character alone between letters, digits, spaces, newlines and its neighbors."""
    characters = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    if quick:
        characters = characters[:0x3100] + characters[0x3100::97]
    texts = []
    for start in range(0, len(characters), 256):
        block = characters[start : start + 256]
        forms = ["{0}", "{0} ", "a{0}", "A{0}b", " {0}", "7{0}", "\n{0}", "{0}\n", "'{0}", "  {0}.", "{0}{0}/\n/"]
        texts += ["".join(form.format(c) for c in block).encode() for form in forms]
    return texts


TRICKY = (
    "\n \r \r\n \n\n / // /* */ ; {{ }} ). ' 's 'S 'T 're 'VE 'll 'd '\u017f \u017f don't I'M \u212a "
    "a Z word Word WORD camelCase HTTPServer 1 12 123 1234 12345678 _ __init__ -> => ... #! <|endoftext|> "
    "<|fim_prefix|> <|endofprompt|> \u00e9 e\u0301 \u0301 \u00df \u1e9e \u01c5 \u02b0 \u4e2d\u6587 "
    "\u3042 \ud55c\uae00 \u0e44\u0e17\u0e22 \u0639\u0631\u0628 \u05e2\u05d1 \u0928\u092e\u0938\u094d\u0924\u0947 "
    "\u0660\u0661\u0662\u0663 \u2160 \u00bd \U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea "
    "\ufeff \u200b \u200d \ufffd \x00 \x1b \x7f \U0010ffff"
).split(" ")
BLANKS = " ,  ,   ,        ,\t,\t\t,\x0b,\x0c,\x1c,\x85,\xa0,\u1680,\u2003,\u2028,\u2029,\u202f,\u3000,\u180e".split(",")


def tricky_texts(count: int) -> list[bytes]:
    chance = random.Random(20)
    texts = []
    for _ in range(count):
        pieces = chance.choices([*TRICKY, *BLANKS, *BLANKS, "\n", "\n", "\r\n"], k=chance.randint(1, 60))
        pieces = [piece * chance.choice([1, 1, 1, 1, 2, 3, 40]) for piece in pieces]
        texts.append("".join(pieces).encode())
    return texts


def random_texts(count: int) -> list[bytes]:
    chance = random.Random(200)
    texts = []
    for number in range(count):
        content = chance.randbytes(chance.randint(1, 600))
        if number % 2:
            content = bytes(b & 0x7F if chance.random() < 0.7 else b for b in content)
        texts.append(content)
    return texts


def compare(group: Group, vocabulary: str, encodings: dict) -> None:
    texts = [text.decode("utf-8", errors="replace") for text in group.texts]
    expected = encodings[vocabulary].encode_ordinary_batch(texts, num_threads=os.cpu_count() or 1)
    group.tokens[vocabulary] = sum(map(len, expected))
    answers = iter(kitbag_ids(group.texts, vocabulary))
    for number, theirs in enumerate(expected):
        count, ours = next(answers)
        if ours != theirs or count != len(theirs):
            group.unequal += 1
            complain(group, number, vocabulary, count, ours, theirs)
    if next(answers, None) is not None:
        sys.exit("the encoder gave more answers than there were texts")


def kitbag_ids(texts: list[bytes], vocabulary: str):
    """For each text, Kitbag's count and its ids."""
    packed = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    encoder = [f"{target}/debug/examples/encode", vocabulary]
    output = subprocess.run(encoder, input=packed, stdout=subprocess.PIPE, check=True).stdout
    numbers = array.array("I", output)
    at = 0
    while at < len(numbers):
        count, length = numbers[at], numbers[at + 1]
        yield count, numbers[at + 2 : at + 2 + length].tolist()
        at += 2 + length


def complain(group, number, vocabulary, count, ours, theirs) -> None:
    if group.unequal > 10:
        return
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    label = group.labels[number] if group.labels else f"number {number}"
    print(
        f"UNEQUAL {vocabulary} {group.name} {label}: count {count}, {len(ours)} ids, tiktoken {len(theirs)}; "
        f"from id {at}: {ours[at:at + 5]} and {theirs[at:at + 5]}",
        file=sys.stderr,
    )


@dataclass
class FileRow:
    """What comparing one `tokenizer.json` gave."""

    name: str
    texts: int = 0
    size: int = 0
    tokens: int = 0
    unequal: int = 0


def compare_file(groups: list[Group], name: str, options) -> FileRow:
    """Every text through a published tokenizer: these take a hundred times as long, so fewer texts."""
    from tokenizers import Tokenizer

    path = options.home / "tokenizers" / name / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.encode_special_tokens = True
    row = FileRow(name)
    for group in groups:
        texts = few(group.texts, 30_000 if options.quick else 300_000)
        decoded = [text.decode("utf-8", errors="replace") for text in texts]
        expected = [it.ids for it in tokenizer.encode_batch_fast(decoded, add_special_tokens=False)]
        for number, ((count, ours), theirs) in enumerate(zip(kitbag_ids(texts, str(path)), expected, strict=True)):
            if ours != theirs or count != len(theirs):
                row.unequal += 1
                print(f"UNEQUAL {name} {group.name} number {number}: {count}, {len(theirs)}", file=sys.stderr)
        row.texts += len(texts)
        row.size += sum(map(len, texts))
        row.tokens += sum(map(len, expected))
    return row


def few(texts: list[bytes], cap: int) -> list[bytes]:
    """Texts from all over the list, at most `cap` bytes of them."""
    step = max(1, sum(map(len, texts)) // cap)
    taken, size = [], 0
    for text in texts[::step]:
        if size + len(text) <= cap:
            size += len(text)
            taken.append(text)
    return taken


def render_files(rows: list[FileRow]) -> str:
    lines = ["| tokenizer.json | texts | bytes | tokens | unequal |", "|---|---:|---:|---:|---:|"]
    lines += [f"| {row.name} | {row.texts:,} | {row.size:,} | {row.tokens:,} | {row.unequal} |" for row in rows]
    return "\n".join(lines)


def render(groups: list[Group]) -> str:
    lines = ["| texts | number | bytes | o200k_base tokens | cl100k_base tokens | unequal |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    for group in groups:
        tokens = " | ".join(f"{group.tokens[name]:,}" for name in VOCABULARIES)
        lines.append(f"| {group.name} | {len(group.texts):,} | {group.size():,} | {tokens} | {group.unequal} |")
    number, size = sum(len(g.texts) for g in groups), sum(g.size() for g in groups)
    tokens = " | ".join(f"{sum(g.tokens[name] for g in groups):,}" for name in VOCABULARIES)
    unequal = sum(g.unequal for g in groups)
    lines.append(f"| **all** | {number:,} | {size:,} | {tokens} | {unequal} |")
    return "\n".join(lines)


PAGE = """# Token counts

Kitbag counts `o200k_base` and `cl100k_base` tokens itself. For every text below, its token ids were compared with
those of Python tiktoken {version} (`encode_ordinary`), on {source:.0f} MB of real source code and on random texts. Its
counts, which are computed without ids, were compared as well.

Generated by `scripts/token-differential`. Source code and translations come from published packages; the random texts
have fixed seeds. `scripts/test` runs `scripts/token-differential --quick`.

{table}

The Unicode row has every character in eleven contexts. The tricky pieces are those that matter to the split
expressions of the vocabularies: contractions, whitespace, line breaks, slashes, digits, marks, names of special
tokens. Bytes that are not UTF-8 are replaced with U+FFFD on both sides.

## Published tokenizers

A part of the same texts was compared with Python tokenizers {tokenizers} (`encode` without added tokens, names of special
tokens as text), with published `tokenizer.json` files. For each text, the sum over its lines, which packs are built
from, was compared with the count of the whole text.

{files}
"""


def write_page(table: str, source: int, files: str) -> None:
    import importlib.metadata

    version = importlib.metadata.version("tiktoken")
    page = Path("docs/tokens.md")
    page.parent.mkdir(exist_ok=True)
    tokenizers = importlib.metadata.version("tokenizers")
    text = PAGE.format(version=version, source=source / 1e6, table=table, tokenizers=tokenizers, files=files)
    page.write_text(text)
    print(f"wrote {page}")


if __name__ == "__main__":
    sys.exit(main())
