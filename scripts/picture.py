"""Runs commands in the book's example project and renders their output as a terminal (see scripts/picture)."""

import html
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Commands, and the number of lines shown from the beginning and the end of their output.
COMMANDS = [
    ('kitbag pack "why does an unknown discount code crash the cart total?" --budget 300', 5, 5),
    ("kitbag show --ranking", 99, 0),
    ("kitbag explain shop/orders.py:12", 99, 0),
]

LINE, CHARACTER, MARGIN, BAR = 19, 8.0, 16, 34

STYLE = (
    "text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; "
    "white-space: pre; fill: #c9d1d9 } .command { fill: #7ee787; font-weight: bold } "
    ".elided { fill: #6e7681 } .summary { fill: #79c0ff }"
)


def environment(program, home):
    """Returns an environment without settings of the machine, and with fixed dates."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    kept["PATH"] = f"{program.parent}{os.pathsep}{kept.get('PATH', '')}"
    for who in ("AUTHOR", "COMMITTER"):
        kept[f"GIT_{who}_NAME"] = "A"
        kept[f"GIT_{who}_EMAIL"] = "a@example.org"
        kept[f"GIT_{who}_DATE"] = "2024-01-01T12:00:00Z"
    return kept | {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "COLUMNS": "100",
    }


def printed(command, folder, variables):
    """Returns the lines of standard output and standard error."""
    done = subprocess.run(
        ["sh", "-c", f"exec 2>&1\n{command}"],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"`{command}` ended with {done.returncode}: {done.stdout}")
    return [line.rstrip() for line in done.stdout.splitlines()]


def session(program, example):
    """Returns all lines of the terminal with their classes."""
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        shop = home / "shop"
        shutil.copytree(example, shop)
        variables = environment(program, home)
        for command in ("git init --quiet", "git add .", "git commit --quiet --message 'A shop'"):
            printed(command, shop, variables)
        lines = []
        for command, first, last in COMMANDS:
            output = printed(command, shop, variables)
            lines.append(("command", f"$ {command}"))
            if len(output) > first + last:
                output = output[:first] + ["..."] + output[len(output) - last :]
            lines.extend((kind(line), line) for line in output)
        return lines


def kind(line):
    if line == "...":
        return "elided"
    return "summary" if " tokens (" in line or line.startswith("score = ") else "output"


def picture(lines):
    """Renders the lines as SVG, one element each, so that a test can read them."""
    width = round(max(len(text) for _, text in lines) * CHARACTER) + 2 * MARGIN
    height = BAR + LINE * len(lines) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="A pack, its ranking, and why a line is out">',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
    ]
    for place, color in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")):
        parts.append(f'<circle cx="{MARGIN + 6 + 20 * place}" cy="16" r="6" fill="{color}"/>')
    for number, (name, text) in enumerate(lines):
        down = BAR + LINE * number + 14
        body = html.escape(text, quote=False)
        parts.append(f'<text class="{name}" x="{MARGIN}" y="{down}" xml:space="preserve">{body}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main():
    program, example, target = map(pathlib.Path, sys.argv[1:])
    target.write_text(picture(session(program.resolve(), example)), encoding="utf-8")


main()
