"""`kitbag proxy` before two servers that others wrote.

    scripts/test_mcp_proxy.py PROGRAM NODE MODULES

With enrichment off, every line that a server gets and sends is the same with the proxy and without it. With it on,
results of calls have one more block of content and a note in `_meta`, and all else is the same.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def call(name, **arguments):
    return ("tools/call", {"name": name, "arguments": arguments})


EVERYTHING = [
    ("tools/list", {}),
    call("echo", message="login"),
    call("get-sum", a=1, b=2.5),
    call("get-structured-content", location="Chicago"),
    call("get-tiny-image"),
    call("echo"),
    call("no-such-tool"),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "simple-prompt"}),
    ("no/such/method", {}),
    ("ping", {}),
]

FILESYSTEM = [
    ("tools/list", {}),
    call("list_allowed_directories"),
    call("list_directory", path="."),
    call("read_text_file", path="auth.py"),
    call("write_file", path="new.txt", content="login\n"),
    call("read_text_file", path="gone.txt"),
    call("read_text_file", path="/etc/passwd"),
    ("ping", {}),
]


def conversation(command, requests, folder):
    """The lines that a client gets: an answer for each request, one after the other."""
    frames = [("initialize", INITIALIZE), *requests]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
    )
    answers = []
    for number, (method, params) in enumerate(frames):
        frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(frame).encode() + b"\n")
        process.stdin.flush()
        while True:
            line = process.stdout.readline()
            assert line, (command, method)
            if json.loads(line).get("id") == number:
                break
        answers.append(line)
        if method == "initialize":
            process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    process.stdin.close()
    process.wait(timeout=30)
    return answers


def check(name, server, requests, program):
    """Holds a server behind the proxy against the same server without it."""
    enriched = 0
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "files")
        folder.mkdir()

        def run(*proxy):
            for file in folder.iterdir():
                file.unlink()
            (folder / "auth.py").write_text("def login(user):\n    return bool(user)\n")
            return conversation([*proxy, *server(folder)], requests, folder)

        plain = run()
        off = run(program, "proxy", "--budget", "0", "--")
        assert plain == off, [pair for pair in zip(plain, off) if pair[0] != pair[1]]
        on = run("env", f"XDG_CACHE_HOME={home}/cache", program, "proxy", "--budget", "500", "--repo", str(folder), "--")
        for (method, _), before, after in zip([("initialize", None), *requests], plain, on, strict=True):
            if before == after:
                continue
            assert method == "tools/call", (method, before, after)
            before, after = json.loads(before), json.loads(after)
            used = after["result"]["_meta"].pop("contextUsed")
            assert set(used) == {"names", "tokens"} and used["tokens"] <= 500, used
            if not after["result"]["_meta"] and "_meta" not in before["result"]:
                del after["result"]["_meta"]
            if used["tokens"]:
                block = after["result"]["content"].pop()
                assert block["type"] == "text" and "login" in block["text"], block
                enriched += 1
            assert before == after, (before, after)
    assert enriched, "nothing was enriched"
    print(f"{name}: {len(requests) + 1} answers the same without enrichment, {enriched} enriched with it")


def main():
    program, node, modules = (str(Path(it).resolve()) for it in sys.argv[1:4])
    script = f"{modules}/@modelcontextprotocol/server-%s/dist/index.js"
    check("server-everything", lambda _: [node, script % "everything", "stdio"], EVERYTHING, program)
    check("server-filesystem", lambda folder: [node, script % "filesystem", str(folder)], FILESYSTEM, program)


main()
