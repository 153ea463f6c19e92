#!/usr/bin/env python3
"""Creates training tasks from commits: the message is the query, the changed lines are the answer, and the
tree of the parent commit is searched. With --names, creates tasks from definitions instead: the name is the
query, and the line that defines it is the answer.

    tasks.py REPOS OUT [--per-project N] [--names]

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

# Projects whose definitions are used, but not their commits.
NAME_PROJECTS = """
JetBrains/Exposed typelevel/cats DapperLib/Dapper elixir-plug/plug Hejsil/zig-clap haskell/aeson
nvim-telescope/telescope.nvim trpc/trpc
""".split()

CODE_EXTENSIONS = set(
    "py rs go java kt kts js jsx mjs cjs ts tsx mts cts c h cc cpp cxx hpp hh cs php rb svelte ex exs hs"
    " zig lua scala swift sh".split()
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


MODIFIERS = (
    "export|default|public|private|protected|internal|static|final|abstract|async|sealed|open|data|partial|"
    "readonly|unsafe|const|case|override"
)
TYPE = r"(?:class|struct|enum|trait|interface|object|type|module|record)\s+(?P<type>[A-Z]\w{3,})"
FUNCTION = r"(?:def|defp|fn|func|fun|function)\s+(?:\([^)]*\)\s*)?(?:self\.)?(?P<function>[A-Za-z_]\w{4,})"
DEFINITION = re.compile(rf"^[ \t]*(?:(?:{MODIFIERS}|pub(?:\([a-z]+\))?)\s+)*(?:{TYPE}|{FUNCTION})", re.M)
MAX_FILES = 500  # per project, whose definitions are read
TYPES_PER_FUNCTION = 2  # people ask for types more often


def names_of(directory, project, count):
    """Returns tasks for names that a single file of the newest commit defines."""
    commit = git(directory, "rev-parse", "HEAD").strip()
    paths = [path for path in git(directory, "ls-tree", "-r", "--name-only", commit).splitlines() if is_code(path)]
    random.Random(project).shuffle(paths)
    places = {}
    for path in paths[:MAX_FILES]:
        text = git(directory, "show", f"{commit}:{path}")[:200_000]
        for match in DEFINITION.finditer(text):
            name = match["type"] or match["function"]
            line = text.count("\n", 0, match.end()) + 1
            places.setdefault(name, []).append((path, line, bool(match["type"])))
    unique = [(name, found[0]) for name, found in places.items() if len({path for path, _, _ in found}) == 1]
    random.Random(project).shuffle(unique)
    functions = count // (1 + TYPES_PER_FUNCTION)
    chosen = [it for it in unique if it[1][2]][: count - functions] + [it for it in unique if not it[1][2]][:functions]
    return [
        {
            "instance_id": f"name-{project.replace('/', '__')}-{name}",
            "repo": project,
            "base_commit": commit,
            "query": name,
            "category": "symbol",
            "targets": [{"path": path, "start_line": line, "end_line": line}],
        }
        for name, (path, line, _) in chosen
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repos", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--per-project", type=int, default=60)
    parser.add_argument("--names", action="store_true")
    arguments = parser.parse_args()
    projects, create = (PROJECTS + NAME_PROJECTS, names_of) if arguments.names else (PROJECTS, tasks_of)
    with open(arguments.out, "w") as out:
        for project in projects:
            directory = arguments.repos / project.replace("/", "+") / "repo"
            if not directory.exists():
                print(f"{project}: not found")
                continue
            tasks = create(directory, project, arguments.per_project)
            print(f"{project}: {len(tasks)} tasks")
            out.writelines(json.dumps(task) + "\n" for task in tasks)


if __name__ == "__main__":
    main()
