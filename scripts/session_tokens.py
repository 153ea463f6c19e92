"""Measures the tokens of ten related tasks with and without a session, and how much of them is repeated.

    session_tokens.py PROGRAM REPO
"""

import json
import subprocess
import sys

TASKS = [
    "how does selection fill the token budget?",
    "why is a chunk left out although it would fit in the budget?",
    "where is the exact cost of a chunk computed during selection?",
    "how does selection truncate a chunk that does not fit?",
    "how are outlines chosen when a chunk does not fit the budget?",
    "what does the ledger draft and commit?",
    "how is the budget split between kinds of sources?",
    "how does min_chunks reserve tokens during selection?",
    "how is the finished text verified against the budget?",
    "how are pinned candidates selected before others?",
]
BUDGET = 8_000


class Server:
    def __init__(self, program, repo):
        self.process = subprocess.Popen([program, "mcp", "--repo", repo], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.next = 0
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "measure", "version": "1"}}
        self.request("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, frame):
        self.process.stdin.write(json.dumps(frame) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.next:
                return answer["result"]
        raise RuntimeError("no answer")

    def pack(self, arguments):
        result = self.request("tools/call", {"name": "pack_context", "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        pack = result["_meta"]["kitbag/pack"]
        report = self.request("resources/read", {"uri": pack["report"]})
        return pack["total_tokens"], json.loads(report["contents"][0]["text"])["included"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def measure(server, extra):
    """Returns the tokens of all packs, those of the code in them, and those of lines that were sent before."""
    total = code = repeated = 0
    sent = set()
    for task in TASKS:
        tokens, included = server.pack(dict({"task": task, "budget": BUDGET}, **extra))
        total += tokens
        for item in included:
            lines = {(item["path"], line) for start, end in item["shown"] for line in range(start, end + 1)}
            code += item["tokens"]
            repeated += item["tokens"] * len(lines & sent) / max(1, len(lines))
            sent |= lines
    return total, code, repeated


def main():
    program, repo = sys.argv[1:]
    server = Server(program, repo)
    print(f"| ten tasks at {BUDGET:,} tokens | tokens | of which code sent before |\n|---|---|---|")
    shares = []
    for name, extra in [("without a session", {}), ("with a session", {"session": "measure"})]:
        total, code, repeated = measure(server, extra)
        shares.append(repeated / code)
        print(f"| {name} | {total:,} | {repeated:,.0f} ({100 * shares[-1]:.1f} %) |", flush=True)
    server.close()
    if shares[1] >= 0.05:
        sys.exit("a session repeats 5 % of its code or more")


if __name__ == "__main__":
    main()
