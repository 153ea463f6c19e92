"""Lists the public API of a crate from the JSON of rustdoc: every item that users see, one per line. Run by scripts/test-api."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    CRATE = json.load(file)
INDEX = CRATE["index"]
PATHS = CRATE["paths"]
lines: list[str] = []
visible: set[int] = set()
used: dict[int, str] = {}


def note_types(value: object, place: str) -> None:
    """Remembers the types of this workspace that a signature names."""
    if isinstance(value, dict):
        if "id" in value and "path" in value and "args" in value:
            used.setdefault(value["id"], place)
        for key, inner in value.items():
            if key not in ("docs", "links", "attrs", "span"):
                note_types(inner, place)
    elif isinstance(value, list):
        for inner in value:
            note_types(inner, place)


def members(kind: str, inner: dict) -> list[int]:
    """Returns the ids of fields, variants and methods."""
    shape = inner.get("kind") if kind in ("struct", "variant") else None
    ids = []
    if isinstance(shape, dict):
        ids += (shape.get("plain") or shape.get("struct") or {}).get("fields", [])
        ids += [field for field in shape.get("tuple") or [] if field is not None]
    ids += inner.get("variants", []) if kind == "enum" else inner.get("items", []) if kind == "trait" else []
    for block in inner.get("impls", []) if kind in ("struct", "enum") else []:
        implementation = INDEX.get(str(block), {"inner": {"impl": {"trait": True}}})["inner"]["impl"]
        if implementation["trait"] is None:
            ids += implementation["items"]
    return ids


def list_item(id: int, name: str) -> None:
    item = INDEX.get(str(id))
    if item is None:
        return
    kind, inner = next(iter(item["inner"].items()))
    lines.append(f"{name}: {kind.replace('_', ' ')}")
    for member in members(kind, inner):
        if found := INDEX.get(str(member)):
            list_item(member, f"{name}::{found['name']}")
    if kind in ("struct_field", "function", "constant", "type_alias"):
        note_types(inner, name)


def list_module(id: int, prefix: str) -> None:
    for member in INDEX[str(id)]["inner"]["module"]["items"]:
        if str(member) not in INDEX:
            continue
        item = INDEX[str(member)]
        kind, inner = next(iter(item["inner"].items()))
        if kind == "module":
            list_module(member, f"{prefix}{item['name']}::")
            continue
        target, name = (inner["id"], inner["name"]) if kind == "use" else (member, item["name"])
        visible.add(target)
        if str(target) in INDEX:
            list_item(target, f"{prefix}{name}")
        else:
            path = PATHS[str(target)]
            lines.append(f"{prefix}{name}: {path['kind'].replace('_', ' ')} of {path['path'][0]}")


list_module(CRATE["root"], "")
print("\n".join(sorted(lines)))
for id, place in sorted(used.items(), key=lambda it: it[1]):
    path = PATHS.get(str(id), {"path": [""]})["path"]
    if path[0].startswith("kitbag") and id not in visible:
        print(f"`{place}` names `{'::'.join(path)}`, which is not public", file=sys.stderr)
        sys.exit(1)
