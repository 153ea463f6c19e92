#!/usr/bin/env python3
"""Counts how common words are in code in general: the mean share of the files of a project that have a word.

    background.py REPOS OUT.pickle

A word that is common here and rare elsewhere is evidence that a task is about this repository.
"""

import pathlib
import pickle
import random
import re
import subprocess
import sys
from collections import Counter

import tasks

MAX_FILES = 250  # per project
MAX_BYTES = 40_000  # per file
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


def words(text):
    found = set()
    for identifier in set(re.findall(r"[A-Za-z0-9_]+", text)):
        identifier = identifier.strip("_")
        if not identifier:
            continue
        found.add(stem(identifier.lower()))
        parts = PART.findall(identifier)
        if len(parts) > 1:
            found.update(stem(part.lower()) for part in parts)
    return found


def shares(directory):
    """The share of a project's files that have each word, for words of at least two files."""
    paths = tasks.git(directory, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    paths = [path for path in paths if path.rpartition(".")[2] in tasks.CODE_EXTENSIONS]
    random.Random(str(directory.parent.name)).shuffle(paths)
    paths = paths[:MAX_FILES]
    request = "".join(f"HEAD:{path}\n" for path in paths)
    command = ["git", "--git-dir", str(directory), "cat-file", "--batch"]
    data = subprocess.run(command, input=request.encode(), capture_output=True, check=True).stdout
    counts, at = Counter(), 0
    for _ in paths:
        end = data.index(b"\n", at)
        size = int(data[at:end].split()[-1]) if data[at:end].split()[-1].isdigit() else 0
        counts.update(words(data[end + 1 : end + 1 + min(size, MAX_BYTES)].decode("utf-8", "replace")))
        at = end + 1 + size + 1
    return {word: count / len(paths) for word, count in counts.items() if count > 1 or len(paths) < 40}


def main():
    repos, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = {}
    for directory in sorted(repos.glob("*+*/repo")):
        found[directory.parent.name.replace("+", "/", 1)] = shares(directory)
    pickle.dump(found, out.open("wb"))
    print(len(found), "projects")


if __name__ == "__main__":
    main()
