"""The Python side of scripts/measure: lays out the texts, and counts them as tiktoken does.

`corpus` writes real source, a folder for each language, for Kitbag and tiktoken to read alike.
`count` loads it and then answers each vocabulary's name on its input with one line: the seconds on
the clock, the seconds of CPU time, and the number of tokens, for all texts on one thread.
"""

import argparse
import importlib.metadata
import shutil
import sys
import time
from pathlib import Path

from corpus import PROSE, prepare_vocabularies, source_groups

# Enough of each language for a file of 1 MB.
CAP = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["corpus", "count"])
    parser.add_argument("--home", type=Path, required=True)
    options = parser.parse_args()
    folder = options.home / "measured"
    if options.task == "corpus":
        write_corpus(options.home, folder)
    else:
        count(prepare_vocabularies(options.home), folder)
    return 0


def write_corpus(home: Path, folder: Path) -> None:
    """Texts that are not UTF-8 are decoded first, so that both sides see the same characters."""
    shutil.rmtree(folder, ignore_errors=True)
    for group in source_groups(home, CAP):
        (folder / group.name).mkdir(parents=True)
        for number, (label, text) in enumerate(zip(group.labels, group.texts)):
            path = folder / group.name / f"{number:04}-{Path(label).name}"
            path.write_bytes(text.decode("utf-8", errors="replace").encode())


def count(encodings: dict, folder: Path) -> None:
    languages = [path for path in sorted(folder.iterdir()) if path.name not in PROSE]
    paths = [path for language in languages for path in sorted(language.iterdir())]
    texts = [path.read_bytes().decode() for path in paths]
    print(importlib.metadata.version("tiktoken"), flush=True)
    for line in sys.stdin:
        encoding = encodings[line.strip()]
        wall, cpu = time.perf_counter(), time.process_time()
        tokens = sum(len(encoding.encode_ordinary(text)) for text in texts)
        print(time.perf_counter() - wall, time.process_time() - cpu, tokens, flush=True)


if __name__ == "__main__":
    sys.exit(main())
