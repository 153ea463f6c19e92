"""The Python part of scripts/measure: writes the texts, and counts their tokens with tiktoken.

`corpus` writes source code, a folder for each language, which Kitbag and tiktoken both read. `count` prints a
row of the table for each vocabulary.
"""

import argparse
import importlib.metadata
import shutil
import sys
import time
from pathlib import Path

from corpus import PROSE, prepare_vocabularies, source_groups

# Enough for a file of 1 MB.
MAX_LANGUAGE_BYTES = 1_000_000

REPETITIONS = 5


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
    """Writes the texts as UTF-8, so that both programs read the same characters."""
    shutil.rmtree(folder, ignore_errors=True)
    for group in source_groups(home, MAX_LANGUAGE_BYTES):
        (folder / group.name).mkdir(parents=True)
        for number, (label, text) in enumerate(zip(group.labels, group.texts)):
            path = folder / group.name / f"{number:04}-{Path(label).name}"
            path.write_bytes(text.decode("utf-8", errors="replace").encode())


def count(encodings: dict, folder: Path) -> None:
    """Prints a row with the speed of each vocabulary on one thread."""
    languages = [path for path in sorted(folder.iterdir()) if path.name not in PROSE]
    texts = [path.read_bytes().decode() for language in languages for path in sorted(language.iterdir())]
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    version = importlib.metadata.version("tiktoken")
    for name, encoding in encodings.items():
        seconds = min(cpu_seconds(encoding, texts) for _ in range(REPETITIONS))
        print(f"| Token counting: `{name}`, tiktoken {version} | | {megabytes / seconds:.1f} MB/s | |")


def cpu_seconds(encoding, texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        encoding.encode_ordinary(text)
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
