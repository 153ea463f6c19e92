#!/usr/bin/env python3
"""Creates training tasks from commits: the message is the query, the changed lines are the answer, and the
tree of the parent commit is searched.

    tasks.py REPOS OUT [--per-project N]

REPOS is a folder with repositories as `owner+name/repo`. Missing PROJECTS are skipped.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess

PROJECTS = """
encode/httpx aio-libs/aiohttp python/mypy psf/black celery/celery pallets/click pallets/jinja
urllib3/urllib3 sqlalchemy/sqlalchemy pypa/pip serde-rs/serde rayon-rs/rayon rust-lang/regex
alacritty/alacritty helix-editor/helix quickwit-oss/tantivy spf13/cobra go-chi/chi grpc/grpc-go
containerd/containerd junit-team/junit5 mockito/mockito netty/netty apache/commons-lang
square/retrofit expressjs/express nodejs/undici prettier/prettier sveltejs/svelte jestjs/jest
guzzle/guzzle sebastianbergmann/phpunit rack/rack sidekiq/sidekiq sinatra/sinatra libuv/libuv
libgit2/libgit2 tmux/tmux google/googletest catchorg/Catch2 App-vNext/Polly serilog/serilog
""".split()

CODE_EXTENSIONS = set(
    "py rs go java kt kts js jsx mjs cjs ts tsx mts cts c h cc cpp cxx hpp hh cs php rb svelte".split()
)
EXCLUDED_FOLDERS = set(
    "test tests __tests__ spec specs testdata fixtures __fixtures__ e2e testing testsuite vendor"
    " third_party node_modules dist docs doc examples example samples benches bench benchmarks".split()
)
MAX_COMMITS = 2500  # per project
MAX_NAMED_SHARE = 0.15  # of tasks whose message names a changed file


def is_code(path):
    *folders, name = path.lower().split("/")
    stem, _, extension = name.rpartition(".")
    if extension not in CODE_EXTENSIONS or EXCLUDED_FOLDERS & set(folders):
        return False
    return not re.search(r"(^test_|_tests?$|_spec$|[.]test$|[.]spec$|^conftest$|^setup$)", stem) and not re.search(
        r"Tests?\.[a-z]+$", path
    )


def git(directory, *arguments):
    command = ["git", "--git-dir", str(directory), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def clean(message):
    lines = [
        line
        for line in message.strip().splitlines()
        if not re.match(r"^[A-Z][A-Za-z]+(-[A-Za-z]+)+: ", line) and not line.startswith("git-svn-id:")
    ]
    return "\n".join(lines).strip()


def names_a_file(message, paths):
    lower = message.lower()
    return any(path.lower().rsplit("/", 1)[-1] in lower for path in paths)


def hunks(directory, parent, commit):
    """Returns the changed line ranges of each file before the change; an insertion counts as the line before it."""
    spans, path = {}, None
    for line in git(directory, "diff", "-U0", "--no-renames", "--diff-filter=M", parent, commit).splitlines():
        if line.startswith("--- a/"):
            path = line[6:]
        elif line.startswith("@@") and path:
            start, count = re.match(r"@@ -(\d+)(?:,(\d+))?", line).groups()
            start, count = int(start), int(count) if count is not None else 1
            first = max(start, 1)
            spans.setdefault(path, []).append([first, max(first, start + count - 1)])
    return spans


def tasks_of(directory, project, count):
    log = git(directory, "log", "--no-merges", f"-n{MAX_COMMITS}", "--format=%x01%H %P%x02%B%x02", "--name-status", "--no-renames")
    commits = []
    for entry in log.split("\x01")[1:]:
        head, message, changes = entry.split("\x02")
        ids = head.split()
        if len(ids) != 2:
            continue
        rows = [row.split("\t") for row in changes.strip().splitlines() if "\t" in row]
        code = [path for status, path in rows if is_code(path)]
        modified = [path for status, path in rows if is_code(path) and status == "M"]
        message = clean(message)
        if not 1 <= len(modified) <= 3 or len(code) != len(modified) or len(message) < 25:
            continue
        if re.match(r"(?i)(merge|revert|bump|release|version|update changelog|prepare)", message):
            continue
        commits.append((ids[0], ids[1], message, names_a_file(message, modified)))
    random.Random(project).shuffle(commits)
    tasks, named = [], 0
    for commit, parent, message, names in commits:
        if len(tasks) == count:
            break
        # Messages that name their file are easy; some are kept as training data for names.
        named += names
        if names and named > count * MAX_NAMED_SHARE:
            continue
        gold = [{"path": path, "hunks": spans} for path, spans in hunks(directory, parent, commit).items() if is_code(path)]
        if gold and sum(len(it["hunks"]) for it in gold) <= 40:
            name = f"{project.replace('/', '__')}-{commit[:10]}"
            tasks.append(
                {"instance_id": name, "repo": project, "base_commit": parent, "query": message, "gold": gold}
            )
    return tasks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repos", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--per-project", type=int, default=60)
    arguments = parser.parse_args()
    with open(arguments.out, "w") as out:
        for project in PROJECTS:
            directory = arguments.repos / project.replace("/", "+") / "repo"
            if not directory.exists():
                print(f"{project}: not found")
                continue
            tasks = tasks_of(directory, project, arguments.per_project)
            print(f"{project}: {len(tasks)} tasks")
            out.writelines(json.dumps(task) + "\n" for task in tasks)


if __name__ == "__main__":
    main()
