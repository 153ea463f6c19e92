#!/usr/bin/env python3
"""Measures whether an overview names the files that later commits change.

For each repository, the overview of the commit before the last 100 is made. Of the changes of those 100 commits to its
code, tests not counted, the share is printed that is in the first ten files of the central symbols, in the ten largest
files, and in the first ten files of another list (`--also`), such as that of another tool's map: a folder with a file
NAME.txt of paths for each repository.

    later_commits.py PROGRAM --repos DIR NAME...
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile

COMMITS = 100
FIRST = 10
CODE = set("py rs go js mjs cjs ts tsx java kt c h cc cpp hpp cs php rb scala ex swift lua sh".split())
NOT_CODE = re.compile(
    r"(^|/)(tests?|__tests__|specs?|testdata|fixtures|regress|fuzz|bench(es|marks?)?|docs?|examples?|vendor)(/|$)"
    r"|(^|/)test_|_test\.|_spec\.|Tests?\.|\.test\.|\.spec\.",
    re.IGNORECASE,
)


def git(folder, *arguments):
    run = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=True)
    return run.stdout.decode(errors="replace").splitlines()


def is_code(path):
    return path.rsplit(".", 1)[-1] in CODE and not NOT_CODE.search(path)


def sizes(work):
    found = {}
    for line in git(work, "ls-tree", "-r", "-l", "HEAD"):
        facts, path = line.split("\t")
        size = facts.split()[3]
        if size != "-" and is_code(path):
            found[path] = int(size)
    return found


def named_first(program, work, files):
    command = [program, "map", "--repo", work, "--budget", "4000", "--json"]
    content = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)["content"]
    lines = content.split("### Central symbols", 1)[-1].splitlines()
    return [line for line in lines if line in files]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--repos", type=pathlib.Path, required=True, help="bare repositories, as OWNER+NAME/repo")
    parser.add_argument("--also", type=pathlib.Path, help="folder of lists of paths, NAME.txt")
    parser.add_argument("names", nargs="+", metavar="OWNER+NAME")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.names:
        bare = arguments.repos / name / "repo"
        commits = git(bare, "log", "--no-merges", "--format=%H", f"-n{COMMITS + 1}")
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "work"
            subprocess.run(["git", "clone", "-q", "-n", bare, work], check=True)
            git(work, "checkout", "-q", commits[-1])
            files = sizes(work)
            lists = [named_first(arguments.program, work, files), sorted(files, key=lambda path: -files[path])]
        if arguments.also:
            listed = arguments.also / f"{name}.txt"
            lists.append([path for path in listed.read_text().splitlines() if path in files])
        changes = collections.Counter()
        for commit in commits[:COMMITS]:
            changes.update(git(bare, "diff-tree", "--no-commit-id", "--name-only", "-r", commit))
        total = sum(count for path, count in changes.items() if path in files)
        rows.append([sum(changes[path] for path in paths[:FIRST]) / total for paths in lists])
        print(f"| {name.split('+')[1]} |", " | ".join(f"{share:.0%}" for share in rows[-1]), "|", flush=True)
    means = [sum(column) / len(column) for column in zip(*rows)]
    print("| mean |", " | ".join(f"{share:.1%}" for share in means), "|")


if __name__ == "__main__":
    main()
