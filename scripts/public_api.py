"""Lists the public API of the library from the JSON that rustdoc writes about it and about the crates whose types it
re-exports: every item that users see with its type or signature, one per line. Run by scripts/test-api.

    public_api.py FOLDER    the folder with `kitbag.json`, `kitbag_core.json` and so on
"""

import json
import sys
from functools import cache
from pathlib import Path

FOLDER = Path(sys.argv[1])
MAIN = "kitbag"
lines: set[str] = set()
# Ids of the items that the library shows, by their crate and path.
visible: set[tuple[str, ...]] = set()
# Types of this workspace that a signature names, with the place.
used: dict[tuple[str, ...], str] = {}


class Crate:
    def __init__(self, name: str) -> None:
        described = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        self.root = described["root"]
        self.index = described["index"]
        self.paths = described["paths"]
        self.by_path = {tuple(it["path"]): int(id) for id, it in self.paths.items() if it["crate_id"] == 0}

    def item(self, id: int) -> dict | None:
        return self.index.get(str(id))

    def path(self, id: int) -> tuple[str, ...]:
        return tuple(self.paths.get(str(id), {"path": []})["path"])


@cache
def crate(name: str) -> Crate:
    return Crate(name)


class Printer:
    """Writes types as they are written in Rust, with the last part of each path."""

    def __init__(self, owner: Crate, place: str) -> None:
        self.owner = owner
        self.place = place

    def type(self, it: object) -> str:
        if it is None:
            return "()"
        if isinstance(it, str):
            return "_"
        [(kind, inner)] = it.items()
        return getattr(self, kind)(inner)

    def resolved_path(self, it: dict) -> str:
        path = self.owner.path(it["id"])
        if path and path[0].startswith(MAIN):
            used.setdefault(path, self.place)
        return it["path"].rsplit("::", 1)[-1] + self.arguments(it.get("args"))

    def arguments(self, it: dict | None) -> str:
        if not it:
            return ""
        if "parenthesized" in it:
            inner = it["parenthesized"]
            result = f" -> {self.type(inner['output'])}" if inner["output"] else ""
            return f"({', '.join(map(self.type, inner['inputs']))}){result}"
        inner = it.get("angle_bracketed") or {"args": [], "constraints": []}
        given = [self.argument(arg) for arg in inner["args"]]
        given += [self.constraint(one) for one in inner.get("constraints", [])]
        return f"<{', '.join(given)}>" if given else ""

    def argument(self, it: object) -> str:
        if isinstance(it, str):
            return "_"
        [(kind, inner)] = it.items()
        return {"lifetime": lambda: inner, "type": lambda: self.type(inner)}.get(kind, lambda: str(inner["expr"]))()

    def constraint(self, it: dict) -> str:
        [(kind, inner)] = it["binding"].items()
        if kind == "constraint":
            return f"{it['name']}: {self.bounds(inner)}"
        return f"{it['name']} = {self.type(inner['type'])}"

    def bounds(self, bounds: list) -> str:
        return " + ".join(self.bound(bound) for bound in bounds)

    def bound(self, it: dict) -> str:
        [(kind, inner)] = it.items()
        if kind != "trait_bound":
            return inner if isinstance(inner, str) else "_"
        relaxed = "?" if inner.get("modifier") == "maybe" else ""
        return relaxed + self.resolved_path(inner["trait"])

    def primitive(self, it: str) -> str:
        return it

    generic = primitive

    def tuple(self, it: list) -> str:
        return f"({', '.join(map(self.type, it))})"

    def slice(self, it: object) -> str:
        return f"[{self.type(it)}]"

    def array(self, it: dict) -> str:
        return f"[{self.type(it['type'])}; {it['len']}]"

    def impl_trait(self, it: list) -> str:
        return f"impl {self.bounds(it)}"

    def dyn_trait(self, it: dict) -> str:
        return "dyn " + " + ".join(self.resolved_path(one["trait"]) for one in it["traits"])

    def borrowed_ref(self, it: dict) -> str:
        lifetime = f"{it['lifetime']} " if it.get("lifetime") else ""
        return f"&{lifetime}{'mut ' if it['is_mutable'] else ''}{self.type(it['type'])}"

    def raw_pointer(self, it: dict) -> str:
        return f"*{'mut' if it['is_mutable'] else 'const'} {self.type(it['type'])}"

    def qualified_path(self, it: dict) -> str:
        return f"{self.type(it['self_type'])}::{it['name']}"

    def function_pointer(self, it: dict) -> str:
        return "fn" + self.signature(it["sig"])

    def signature(self, it: dict) -> str:
        inputs = [name if name == "self" else f"{name}: {self.type(kind)}" for name, kind in it["inputs"]]
        if it["inputs"] and it["inputs"][0][0] == "self":
            inputs[0] = self.type(it["inputs"][0][1]).replace("Self", "self")
        return f"({', '.join(inputs)})" + (f" -> {self.type(it['output'])}" if it["output"] else "")


def described(item: dict, kind: str, inner: dict, printer: Printer) -> str:
    """Returns the kind of an item with its type or signature."""
    if kind == "function":
        words = [word for word in ("const", "async", "unsafe") if inner["header"].get(f"is_{word}")]
        return " ".join([*words, "fn" + printer.signature(inner["sig"])])
    if kind == "struct_field":
        return printer.type(inner)
    if kind in ("constant", "assoc_const", "type_alias"):
        return f"{kind.replace('_', ' ')} {printer.type(inner['type'])}"
    closed = "" if any("non_exhaustive" in str(attribute) for attribute in item["attrs"]) else "exhaustive "
    if kind == "enum" or kind == "struct" and has_public_fields(inner):
        return closed + kind
    return kind.replace("_", " ")


def has_public_fields(inner: dict) -> bool:
    shape = inner["kind"]
    return isinstance(shape, dict) and bool(fields_of(shape)) and not shape.get("plain", {}).get("has_stripped_fields")


def fields_of(shape: dict) -> list[int]:
    fields = (shape.get("plain") or shape.get("struct") or {}).get("fields", [])
    return fields + [field for field in shape.get("tuple") or [] if field is not None]


def members(owner: Crate, kind: str, inner: dict) -> list[int]:
    """Returns the ids of fields, variants and methods."""
    shape = inner.get("kind") if kind in ("struct", "variant") else None
    ids = fields_of(shape) if isinstance(shape, dict) else []
    ids += inner.get("variants", []) if kind == "enum" else inner.get("items", []) if kind == "trait" else []
    for block in inner.get("impls", []) if kind in ("struct", "enum") else []:
        implementation = (owner.item(block) or {"inner": {"impl": {"trait": True}}})["inner"]["impl"]
        if implementation["trait"] is None:
            ids += implementation["items"]
    return ids


def list_item(owner: Crate, id: int, name: str) -> None:
    item = owner.item(id)
    if item is None:
        return
    [(kind, inner)] = item["inner"].items()
    lines.add(f"{name}: {described(item, kind, inner, Printer(owner, name))}")
    for member in members(owner, kind, inner):
        if found := owner.item(member):
            list_item(owner, member, f"{name}::{found['name']}")


def list_module(owner: Crate, id: int, prefix: str) -> None:
    for member in owner.index[str(id)]["inner"]["module"]["items"]:
        item = owner.item(member)
        if item is None:
            continue
        [(kind, inner)] = item["inner"].items()
        if kind == "module":
            list_module(owner, member, f"{prefix}{item['name']}::")
            continue
        target, name = (inner["id"], inner["name"]) if kind == "use" else (member, item["name"])
        path = owner.path(target)
        visible.add(path)
        if owner.item(target) is not None:
            list_item(owner, target, f"{prefix}{name}")
        else:
            source = crate(path[0])
            lines.add(f"{prefix}{name}: from {path[0]}")
            list_item(source, source.by_path[path], f"{prefix}{name}")


library = crate(MAIN)
list_module(library, library.root, "")
print("\n".join(sorted(lines)))
hidden = [(place, path) for path, place in used.items() if path not in visible]
for place, path in sorted(hidden):
    print(f"`{place}` names `{'::'.join(path)}`, which is not public", file=sys.stderr)
sys.exit(1 if hidden else 0)
