"""Prints the bill of materials of the program: every crate in it with its version, license and checksum, as CycloneDX.

Run by scripts/release. It has neither a date nor a random number, so the same Cargo.lock gives the same text.
"""

import json
import subprocess
import tomllib


def metadata() -> dict:
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", "crates/kitbag-cli/Cargo.toml"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def linked_graph(described: dict, program: str) -> dict[str, list[str]]:
    """Returns the crates that the program contains on any platform, and their dependencies: not those that only compile."""
    compile_only = {
        package["id"] for package in described["packages"] if any("proc-macro" in it["kind"] for it in package["targets"])
    }
    nodes = {node["id"]: node["deps"] for node in described["resolve"]["nodes"]}
    graph: dict[str, list[str]] = {}
    open_ids = [program]
    while open_ids:
        id = open_ids.pop()
        if id not in graph:
            normal = [it["pkg"] for it in nodes[id] if any(kind["kind"] is None for kind in it["dep_kinds"])]
            graph[id] = [it for it in normal if it not in compile_only]
            open_ids += graph[id]
    return graph


def component(package: dict, checksums: dict[tuple[str, str], str]) -> dict:
    name, version = package["name"], package["version"]
    address = f"pkg:cargo/{name}@{version}"
    made = {"type": "library", "bom-ref": address, "name": name, "version": version, "purl": address}
    if license := package["license"]:
        made["licenses"] = [{"expression": license.replace("/", " OR ")}]
    if checksum := checksums.get((name, version)):
        made["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return made


def main() -> None:
    described = metadata()
    packages = {package["id"]: package for package in described["packages"]}
    program = next(id for id, package in packages.items() if package["name"] == "kitbag-cli")
    graph = linked_graph(described, program)
    with open("Cargo.lock", "rb") as file:
        locked = tomllib.load(file)["package"]
    checksums = {(it["name"], it["version"]): it["checksum"] for it in locked if "checksum" in it}
    components = {id: component(packages[id], checksums) for id in graph}
    reference = {id: it["bom-ref"] for id, it in components.items()}
    dependencies = [
        {"ref": reference[id], "dependsOn": sorted({reference[it] for it in graph[id]})}
        for id in sorted(graph, key=reference.__getitem__)
    ]
    root = components.pop(program) | {"type": "application"}
    libraries = sorted(components.values(), key=lambda it: it["bom-ref"])
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": root},
        "components": libraries,
        "dependencies": dependencies,
    }
    print(json.dumps(bill, indent=1))


main()
