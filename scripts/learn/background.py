#!/usr/bin/env python3
"""Counts how common words are in code in general, for the fit of a task to a repository.

    background.py REPOS OUT

A word of the task that is common in the repository and rare elsewhere is evidence that the task is about the
repository. For each word, OUT has the mean share of a project's files that have it. The project in which it is
most common does not count, so that no word is common because of a single project.
"""

import math
import pathlib
import random
import re
import subprocess
import sys
from collections import Counter

import tasks

MAX_FILES = 250  # per project
MAX_BYTES = 40_000  # per file
MIN_PROJECTS = 3
MIN_SHARE = 0.004  # of the files; words below it count as having it
LEVELS_PER_OCTAVE = 2
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s", "e", "y")


def stem(word):
    """The stem of a word, as in crates/kitbag-index/src/terms.rs."""
    if len(word) < 5 or not (word.isascii() and word.isalpha() and word.islower()):
        return word
    if word.endswith(("ss", "us", "is")):
        return word
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def words(text, forms):
    """The stems of the words of a text; `forms` gets the first form of each in the alphabet."""
    found = set()
    for identifier in set(re.findall(r"[A-Za-z0-9_]+", text)):
        identifier = identifier.strip("_")
        parts = PART.findall(identifier)
        for word in [identifier, *parts] if len(parts) > 1 else [identifier]:
            word = word.lower()
            if len(word) > 1 and not word.isdigit():
                found.add(stem(word))
                forms[stem(word)] = min(forms.get(stem(word), word), word)
    return found


def shares(directory, forms):
    """The share of a project's code files that have each word."""
    paths = tasks.git(directory, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    paths = [path for path in paths if path.rpartition(".")[2] in tasks.CODE_EXTENSIONS]
    random.Random(directory.parent.name).shuffle(paths)
    paths = paths[:MAX_FILES]
    request = "".join(f"HEAD:{path}\n" for path in paths)
    command = ["git", "--git-dir", str(directory), "cat-file", "--batch"]
    data = subprocess.run(command, input=request.encode(), capture_output=True, check=True).stdout
    counts, at = Counter(), 0
    for _ in paths:
        end = data.index(b"\n", at)
        size = data[at:end].split()[-1]
        size = int(size) if size.isdigit() else 0
        counts.update(words(data[end + 1 : end + 1 + min(size, MAX_BYTES)].decode("utf-8", "replace"), forms))
        at = end + 1 + size + 1
    return {word: count / len(paths) for word, count in counts.items()}


def level(share):
    """The share, rounded to a power of two with a fraction."""
    return round(-math.log2(share) * LEVELS_PER_OCTAVE)


def main():
    repos, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    projects = [project for project in tasks.PROJECTS + tasks.NAME_PROJECTS]
    forms, by_word, count = {}, {}, 0
    for project in projects:
        directory = repos / project.replace("/", "+") / "repo"
        if directory.exists():
            count += 1
            for word, share in shares(directory, forms).items():
                by_word.setdefault(word, []).append(share)
    levels = {}
    for word, found in by_word.items():
        mean = (sum(found) - max(found)) / (count - 1)
        if len(found) >= MIN_PROJECTS and mean >= MIN_SHARE:
            levels.setdefault(level(mean), []).append(forms[word])
    with out.open("w") as file:
        for at in sorted(levels):
            file.write(f"{2 ** (-at / LEVELS_PER_OCTAVE):.4f} {' '.join(sorted(levels[at]))}\n")
    print(f"{sum(map(len, levels.values()))} words of {count} projects")


if __name__ == "__main__":
    main()
