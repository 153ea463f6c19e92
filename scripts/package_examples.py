"""Extracts the examples in the READMEs of the Python and Node packages into files that can be run and checked."""

import os
import pathlib
import re

source = pathlib.Path(os.environ["KITBAG_SOURCE"])
target = pathlib.Path(os.environ["KITBAG_TEST_DIR"]) / "readme"
target.mkdir()


def blocks(readme: str, language: str) -> list[str]:
    """Returns the code blocks of a language."""
    # A longer fence holds output, which may have blocks itself.
    text = re.sub(r"^````.*?^````$", "", (source / readme).read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def write(name: str, example: str) -> None:
    (target / name).write_text(example)


# The examples in Python continue each other.
examples = blocks("README.md", "python") + blocks("crates/kitbag-python/README.md", "python")
assert len(examples) == 4
write("python_readme.py", "\n".join(examples))
for number, example in enumerate(blocks("README.md", "js") + blocks("crates/kitbag-node/README.md", "js")):
    # The misspelled option is an error of types as well, which is the point of that example.
    write(f"node_readme_{number}.mts", example.replace("  await engine.pack(", "  // @ts-expect-error\n  await engine.pack(", 1))
