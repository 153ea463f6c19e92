"""Real texts by language, and Python tiktoken with local vocabularies.

The texts come from the packages that scripts/corpus.sh fetches, and from the dependencies of the
workspace.
"""

import hashlib
import inspect
import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

VOCABULARIES = ["o200k_base", "cl100k_base"]

LANGUAGES = {
    "C": [".c"],
    "C#": [".cs"],
    "C++": [".cc", ".cpp"],
    "Go": [".go"],
    "Java": [".java"],
    "JavaScript": [".js", ".mjs"],
    "Kotlin": [".kt"],
    "Markdown": [".md"],
    "Objective-C": [".m"],
    "Perl": [".pl", ".pm"],
    "PHP": [".php"],
    "Python": [".py"],
    "Ruby": [".rb"],
    "Rust": [".rs"],
    "TypeScript": [".ts", ".tsx"],
    "Translations": [".po"],
}

# Prose, not source code.
PROSE = ["Markdown", "Translations"]

MAX_FILE_BYTES = 1_500_000


@dataclass
class Group:
    """Texts of one kind, possibly not UTF-8, and the results of comparing them."""

    name: str
    texts: list[bytes]
    labels: list[str] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    unequal: int = 0

    def size(self) -> int:
        return sum(map(len, self.texts))


def prepare_vocabularies(home: Path) -> dict:
    """Copies the vocabularies to the cache of tiktoken, and checks their hashes."""
    import tiktoken
    import tiktoken_ext.openai_public as public

    folder = home / "vocabularies"
    folder.mkdir(exist_ok=True)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    for name in VOCABULARIES:
        source = inspect.getsource(getattr(public, name))
        address = re.search(r'"(\S+\.tiktoken)"', source).group(1)
        expected = re.search(r'expected_hash="(\w+)"', source).group(1)
        asset = home / "crates/vendor/tiktoken-rs/assets" / f"{name}.tiktoken"
        content = asset.read_bytes()
        if hashlib.sha256(content).hexdigest() != expected:
            sys.exit(f"{asset.name} has a different hash than tiktoken expects")
        (folder / hashlib.sha1(address.encode()).hexdigest()).write_bytes(content)
    return {name: tiktoken.get_encoding(name) for name in VOCABULARIES}


def source_groups(home: Path, cap: int) -> list[Group]:
    """Returns source code by language, at most `cap` bytes each."""
    packages = json.loads((home / "metadata.json").read_text())["packages"]
    folders = [Path(p["manifest_path"]).parent for p in packages if p["source"]]
    folders += [home / "crates/vendor", home / "sdists"]
    by_suffix: dict[str, list[Path]] = {}
    for folder in folders:
        for path in folder.rglob("*"):
            by_suffix.setdefault(path.suffix, []).append(path)
    groups = []
    for language, suffixes in LANGUAGES.items():
        paths = [path for suffix in suffixes for path in by_suffix.get(suffix, [])]
        group = collect(language, paths, cap)
        if group.texts:
            groups.append(group)
    return groups


def collect(language: str, paths: list[Path], cap: int) -> Group:
    """Collects distinct files up to `cap` bytes, in an order that depends only on their content."""
    contents = {}
    for path in paths:
        if path.is_file() and 0 < path.stat().st_size <= min(MAX_FILE_BYTES, cap):
            content = path.read_bytes()
            contents.setdefault(hashlib.sha256(content).digest(), (path, content))
    group, size = Group(language, []), 0
    for _, (path, content) in sorted(contents.items()):
        if size + len(content) <= cap:
            size += len(content)
            group.texts.append(content)
            group.labels.append("/".join(path.parts[-3:]))
    return group
