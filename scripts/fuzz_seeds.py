"""Creates seeds for the fuzz targets from the files of folders, for `scripts/fuzz`.

    fuzz_seeds.py CORPUS FOLDER...

Every target gets what it reads: a file with the few bytes before it that choose settings, as
`fuzz/src/request.rs` and the targets themselves read them. Which files are taken depends on their
names and contents alone, so that the same folders give the same seeds.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

# Longer inputs slow down every run without finding more.
MOST_BYTES = 3_000

# Files per extension and folder.
MOST_FILES = 40

# Requests with several files.
MOST_REQUESTS = 300

SEPARATOR = b"\x1e"

TEMPLATES = [
    b"{% for file in files %}== {{ file.path }} {{ file.ranges }}\n{% for run in file.runs %}"
    b"{{ run.content }}{% endfor %}{% endfor %}{{ footer }}",
    b"{% for c in chunks %}{{ c.path }}:{{ c.start_line }}\n{{ c.fence }}{{ c.language }}\n"
    b"{{ c.content }}{{ c.fence }}\n{{ separator }}{% endfor %}",
    b"{{ TotalTokens }} of {{ budget }} for {{ task | upper }}\n",
    b"{% for c in chunks %} {{ c.content | trim | replace('a', 'bb') }} {% endfor %}",
    b"{% macro m(x) %}{{ x * 3 }}{% endmacro %}{{ m(task) }}{% set x = [1, 2] %}{{ x | join(', ') }}",
    b"{% for i in range(100) %}{{ loop.index }}{% if i is odd %}{% endif %}{% endfor %}",
    b"{% set ns = namespace(x='a') %}{% for f in files %}{% set ns.x = ns.x ~ f.path %}{% endfor %}",
    b"{% filter indent(4) %}{{ files | tojson }}{% endfilter %}{{ chunks | length }}",
    b"{%- raw -%}{{ x }}{%- endraw -%}{# comment #}{{ variables | items | list }}",
    b"{{ chunks | sort(attribute='score') | map(attribute='path') | unique | list }}",
    b"{{ files | batch(2) | list }}{{ files | groupby('path') }}{{ '%s' | format(task) }}",
]


REQUESTS = [
    b'{"task": "why does login fail?", "budget": 2000}',
    b'{"task": "login", "include": ["*.py"], "exclude": ["a"], "profile": "agent", "format": "xml"}',
    b'{"document": {"path": "a.rs", "content": "fn f() {}"}, "cursor": {"line": 1, "column": 2}}',
    b'{"sources": [{"path": "a.py", "kind": "open_file", "start_line": 1, "end_line": 2}]}',
    b'{"task": "x", "weights": {"relevance": 0.5}, "deadline_ms": 10, "set": {"context.budget": 5}}',
]


def call(tool, arguments):
    """Returns a line that calls an MCP tool."""
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


def files(folder):
    """Lists the tracked files of a folder, or all files outside a repository."""
    listed = subprocess.run(
        ["git", "-C", folder, "ls-files", "-z"], capture_output=True, check=False
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode(errors="replace").split("\0") if name]
    else:
        names = [str(path.relative_to(folder)) for path in Path(folder).rglob("*")]
    taken = {}
    for name in sorted(names, key=lambda name: hashlib.sha256(name.encode(errors="replace")).digest()):
        path = Path(folder, name)
        if path.is_file() and not path.is_symlink() and taken.get(path.suffix, 0) < MOST_FILES:
            taken[path.suffix] = taken.get(path.suffix, 0) + 1
            yield name, path.read_bytes()


def shuffled(seed, count):
    """Returns bytes that depend only on the seed."""
    return hashlib.shake_128(repr(seed).encode()).digest(count)


def begins(content, most=MOST_BYTES):
    """Returns the beginning of a file, if possible up to the end of a line."""
    content = content[:most].replace(SEPARATOR, b"")
    return content if len(content) < most else content[: content.rfind(b"\n") + 1] or content


def source(name, content, seed):
    return shuffled(seed, 5) + name.encode(errors="replace").replace(b"\n", b" ") + b"\n" + content


def request(seed, members):
    """Returns a request with random settings for a few files."""
    settings = bytearray(shuffled(seed, 24))
    # Categories and a chunk limit would shift the bytes that follow.
    settings[21] = 0
    settings[22] &= 0x7F
    task = b"why does " + members[0][0].encode(errors="replace") + b" fail?"
    around = zip((4, 5, 6), (b"# head", b"foot", b"---"))
    wanted = [text for bit, text in around if settings[22] >> bit & 1] + [task]
    parts = [source(name, begins(content, 900), (seed, name)) for name, content in members]
    return bytes(settings) + SEPARATOR.join(wanted + parts)


def settings(schema, node, path=()):
    """Yields every setting of a schema with its default and examples."""
    node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
    for name, child in node.get("properties", {}).items():
        if len(path) < 5 and name not in path:
            yield from settings(schema, child, (*path, name))
    if "default" in node:
        yield path, [node["default"], *node.get("examples", [])]


def configurations():
    """Yields files with one setting each, a file with all, and arguments of `--set`."""
    schema = json.loads(Path("docs/config.schema.json").read_text(encoding="utf-8"))
    every = list(settings(schema, schema))
    whole = {}
    for path, values in every:
        for value in values:
            lines = [f"{'  ' * depth}{name}:" for depth, name in enumerate(path)]
            yield ("\n".join(lines) + f" {json.dumps(value)}\n").encode()
            yield SEPARATOR + f"{'.'.join(path)}={json.dumps(value)}\n".encode()
        section = whole
        for name in path[:-1]:
            section = section.setdefault(name, {})
        section[path[-1]] = values[-1]
    yield json.dumps(whole, indent=1).encode()


def main():
    corpus, folders = Path(sys.argv[1]), sys.argv[2:]
    count = 0

    def put(target, seed):
        nonlocal count
        path = corpus / target / hashlib.sha1(seed).hexdigest()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(seed)
        count += 1

    found = [(name, content) for folder in folders for name, content in files(folder)]
    for name, content in found:
        limits = shuffled(("limits", name), 4) + b"\0"
        put("chunker", b"\xff" + limits + name.encode(errors="replace") + b"\n" + begins(content))
        put("task", begins(content))
        if name.endswith((".yml", ".yaml", ".json", ".toml")):
            put("configuration", b"\0" + begins(content, 8_000))
        if name.endswith((".html", ".j2", ".md", ".hbs")):
            put("template", b"\x80" + begins(content))
        if name.endswith(".json"):
            put("request", begins(content))
            put("tokenizer", begins(content))
        put("diagnostics", begins(content))
    for seed in REQUESTS:
        put("request", seed)
        put("mcp", b"\1" + call("pack_context", json.loads(seed)))
        put("mcp", b"\0" + call("search_code", {"query": "login"}))
    for folder in (Path("crates/kitbag-tokens/tests/tokenizers"),):
        for path in sorted(folder.glob("*.json")):
            if path.stat().st_size < 100_000:
                put("tokenizer", path.read_bytes())
    for path in sorted(Path("crates/kitbag-diagnostics/tests").rglob("*")):
        if path.is_file() and path.suffix != ".rs":
            put("diagnostics", begins(path.read_bytes()))
    for number, configuration in enumerate(configurations()):
        put("configuration", bytes([number >> 1 & 1]) + configuration)
    for template in TEMPLATES:
        for budget in (4, 40, 255):
            put("template", bytes([budget]) + template)
    for number in range(min(MOST_REQUESTS, len(found))):
        places = shuffled(("members", number), 8)
        members = [found[(number * 31 + place) % len(found)] for place in places[: 1 + number % 5]]
        put("pack", request(number, members))
        put("formats", request(number, members[:2]))
    print(f"{count} seeds of {len(found)} files")


if __name__ == "__main__":
    main()
