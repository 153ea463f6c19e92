"""Tests `kitbag proxy` with two third-party servers.

    scripts/test_mcp_proxy.py PROGRAM NODE MODULES

The traffic is logged on both sides of the proxy (`tee`). Without enrichment, every byte of both directions must be the
same on both sides, and the answers and progress notifications must be those of the server without the proxy. With
enrichment, results of calls that are about the repository have another content block, the same text in their structured content
if they have one, and a note in `_meta`; output schemas have room for it; everything else must be the same.
"""

import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def call(name, **arguments):
    return ("tools/call", {"name": name, "arguments": arguments})


LABEL = "Added by Kitbag, not by the tool: "

EVERYTHING = [
    ("tools/list", {}),
    call("echo", message="login"),
    # Not twice in a row.
    call("echo", message="login"),
    call("echo", message="a lone surrogate: \ud83d, and é"),
    call("get-sum", a=1, b=2.5),
    call("get-structured-content", location="Chicago"),
    call("get-tiny-image"),
    call("echo"),
    call("no-such-tool"),
    ("logging/setLevel", {"level": "debug"}),
    (
        "tools/call",
        {
            "name": "trigger-long-running-operation",
            "arguments": {"duration": 1, "steps": 20},
            "_meta": {"progressToken": "p\u00e9"},
        },
    ),
    # Sends messages of random levels until it is called again.
    call("toggle-simulated-logging"),
    ("resources/templates/list", {}),
    call("toggle-simulated-logging"),
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
    call("read_text_file", path="new.txt"),
    call("read_text_file", path="gone.txt"),
    call("read_text_file", path="/etc/passwd"),
    ("ping", {}),
]


def tee(folder, command):
    """Runs a server and logs its input and output."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def copy(source, target, path):
        with open(path, "wb") as log:
            while data := source.read1(1 << 16):
                log.write(data)
                log.flush()
                target.write(data)
                target.flush()
        target.close()

    streams = (sys.stdin.buffer, process.stdin, Path(folder, "received"))
    threading.Thread(target=copy, args=streams, daemon=True).start()
    copy(process.stdout, sys.stdout.buffer, Path(folder, "sent"))
    raise SystemExit(process.wait())


class Conversation:
    """The lines that a client has sent and received, in total and per request."""

    def __init__(self, command, requests, folder):
        self.sent, self.received, self.answers, self.progress = [], [], [], []
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
        )
        # Kills a server that hangs, so that the missing answer is reported.
        watchdog = threading.Timer(120, self.process.kill)
        watchdog.start()
        for number, (method, params) in enumerate([("initialize", INITIALIZE), *requests]):
            self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            self.receive(number)
            if method == "initialize":
                self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.process.stdin.close()
        # Notifications may follow the last answer.
        self.received.extend(self.process.stdout)
        self.process.wait(timeout=30)
        watchdog.cancel()

    def send(self, frame):
        self.sent.append(json.dumps(frame).encode() + b"\n")
        self.process.stdin.write(self.sent[-1])
        self.process.stdin.flush()

    def receive(self, number):
        """Reads up to the answer and keeps the progress notifications before it."""
        self.progress.append([])
        while True:
            line = self.process.stdout.readline()
            assert line, (self.process.args, number)
            self.received.append(line)
            frame = json.loads(line)
            if frame.get("id") == number:
                self.answers.append(line)
                return
            # The timing of others varies; all of them are compared on both sides of the proxy.
            if frame["method"] == "notifications/progress":
                self.progress[-1].append(line)


def without_context_property(answer):
    """Removes the context from the output schemas of `tools/list`."""
    for tool in answer["result"]["tools"]:
        properties = tool.get("outputSchema", {}).get("properties", {})
        if "_context" in properties:
            assert properties.pop("_context")["type"] == "string", tool
    return answer


def compare_answers(requests, plain, on):
    """Checks that enriched answers differ only by what was added, and returns the names of their tools."""
    enriched = []
    requests = [("initialize", {}), *requests]
    for (method, params), before, after in zip(requests, plain.answers, on.answers, strict=True):
        if before == after:
            continue
        if method == "tools/list":
            assert json.loads(before) == without_context_property(json.loads(after)), (before, after)
            continue
        assert method == "tools/call", (method, before, after)
        before, after = json.loads(before), json.loads(after)
        used = after["result"]["_meta"].pop("contextUsed")
        assert set(used) == {"names", "tokens"} and used["tokens"] <= 500, used
        if not after["result"]["_meta"] and "_meta" not in before["result"]:
            del after["result"]["_meta"]
        if used["tokens"]:
            block = after["result"]["content"].pop()
            assert block["type"] == "text" and block["text"].startswith(LABEL) and "login" in block["text"], block
            if "structuredContent" in after["result"]:
                # Claude Code and Codex hand only this to their model.
                assert after["result"]["structuredContent"].pop("_context") == block["text"], after
            assert used["names"] == ["auth.py"], used
            enriched.append(params["name"])
        assert before == after, (before, after)
    return enriched


def check(name, server, requests, program, expected):
    """Compares a server behind the proxy with the same server without it."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "files")
        folder.mkdir()

        def run(*proxy):
            for file in folder.iterdir():
                file.unlink()
            (folder / "auth.py").write_text("def login(user):\n    return bool(user)\n")
            logged = [sys.executable, "-B", __file__, "tee", home, *server(folder)]
            conversation = Conversation([*proxy, *logged], requests, folder)
            # The client's lines reach the server unchanged and in order.
            assert Path(home, "received").read_bytes() == b"".join(conversation.sent), (name, proxy)
            return conversation, Path(home, "sent").read_bytes().splitlines(keepends=True)

        plain, _ = run()
        off, sent = run(program, "proxy", "--budget", "0", "--")
        assert off.received == sent, [pair for pair in zip(off.received, sent) if pair[0] != pair[1]]
        assert plain.answers == off.answers, [pair for pair in zip(plain.answers, off.answers) if pair[0] != pair[1]]
        cache = f"XDG_CACHE_HOME={home}/cache"
        on, sent = run("env", cache, program, "proxy", "--budget", "500", "--repo", str(folder), "--")
        enriched = compare_answers(requests, plain, on)
        # Only notifications may overtake an answer that waits for its context.
        others = [[it for it in lines if b'"id"' not in it] for lines in (on.received, sent)]
        assert others[0] == others[1], others
        assert len(on.received) == len(sent)
    assert plain.progress == off.progress == on.progress
    assert enriched == expected, enriched
    notifications = sum(map(len, plain.progress))
    print(
        f"{name}: {len(requests) + 1} answers and {notifications} progress notifications are the same without enrichment, "
        f"as is every byte of both directions; with it, answers of these tools are enriched: {', '.join(enriched)}"
    )


def main():
    if sys.argv[1] == "tee":
        tee(sys.argv[2], sys.argv[3:])
    program, node, modules = (str(Path(it).resolve()) for it in sys.argv[1:4])
    script = f"{modules}/@modelcontextprotocol/server-%s/dist/index.js"
    check("server-everything", lambda _: [node, script % "everything", "stdio"], EVERYTHING, program, ["echo"])
    filesystem = lambda folder: [node, script % "filesystem", str(folder)]
    check("server-filesystem", filesystem, FILESYSTEM, program, ["write_file"])


main()
