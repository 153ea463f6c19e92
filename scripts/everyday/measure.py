#!/usr/bin/env python3
"""Measures packs for everyday tasks against what an expert would need.

Each line of tasks.jsonl has a task and the places that it needs, listed by hand from the code. A place with lines is
covered if the pack shows at least half of them, as code or in a diff; a file without lines if the pack shows or
describes anything of it besides its name in the tree.

    measure.py PROGRAM --repos DIR [--budget 8k] [--packs DIR]
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

TASKS = pathlib.Path(__file__).with_name("tasks.jsonl")


def checkout(repos, task, folder):
    work = folder / task["id"]
    subprocess.run(["git", "clone", "-q", "--no-checkout", repos / task["repo"].replace("/", "+") / "repo", work], check=True)
    subprocess.run(["git", "-C", work, "-c", "advice.detachedHead=false", "checkout", "-q", task["commit"]], check=True)
    return work


def pack(program, work, task, budget):
    command = [program, "pack", "--repo", work, "--budget", budget, "--json", *task.get("args", [])]
    if "task" in task:
        command += ["--query-file", "-"]
    run = subprocess.run(command, input=task.get("task", ""), capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{task['id']}: {run.stderr}")
    return json.loads(run.stdout)


def shown_lines(report):
    shown = {}
    for chunk in report["included"]:
        for first, last in chunk["shown"]:
            shown.setdefault(chunk["path"], set()).update(range(first, last + 1))
    for section in report["content"].split("\n### "):
        heading, _, text = section.removeprefix("### ").partition("\n")
        if heading.endswith(".diff"):
            add_diff(text, shown.setdefault(heading.removesuffix(".diff"), set()))
        elif heading in ("Entry points", "Central symbols"):
            for line in text.splitlines():
                shown.setdefault(line.split(":")[0], set()).add(0)
    return shown


def add_diff(text, lines):
    """Adds the new lines that a diff shows."""
    number = None
    for line in text.splitlines():
        if hunk := re.match(r"@@ -\S+ \+(\d+)", line):
            number = int(hunk[1])
        elif number is not None and line[:1] in (" ", "+"):
            lines.add(number)
            number += 1
        elif line[:1] != "-":
            number = None


def is_covered(need, shown):
    path, _, lines = need.partition(":")
    if not lines:
        return bool(shown.get(path))
    first, last = map(int, lines.split("-"))
    needed = set(range(first, last + 1))
    return 2 * len(needed & shown.get(path, set())) >= len(needed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--repos", type=pathlib.Path, required=True, help="bare repositories, as OWNER+NAME/repo")
    parser.add_argument("--budget", default="8k")
    parser.add_argument("--packs", type=pathlib.Path, help="write the packs to this folder")
    arguments = parser.parse_args()
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        for line in TASKS.read_text().splitlines():
            task = json.loads(line)
            report = pack(arguments.program, checkout(arguments.repos, task, pathlib.Path(folder)), task, arguments.budget)
            shown = shown_lines(report)
            missing = [need for need in task["needs"] if not is_covered(need, shown)]
            covered = len(task["needs"]) - len(missing)
            shares.append(covered / len(task["needs"]))
            print(f"| {task['kind']} | {task['repo']} | {covered} of {len(task['needs'])} | {report['total_tokens']:,} |", " ".join(missing), flush=True)
            if arguments.packs:
                arguments.packs.mkdir(parents=True, exist_ok=True)
                (arguments.packs / f"{task['id']}.md").write_text(report["content"])
    print(f"mean share {sum(shares) / len(shares):.1%}")


if __name__ == "__main__":
    main()
