"""Counts the tokens of the tool lists of MCP servers, as they are sent, with the program's own o200k counter.

    list_tokens.py PROGRAM CLIENTS REPO
"""

import json
import subprocess
import sys
import threading
from pathlib import Path


def tool_list(command, cwd):
    """Returns the result of `tools/list` of a server on standard input and output."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "count", "version": "1"}}
    frames = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    server = subprocess.Popen(command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    guard = threading.Timer(120, server.kill)
    guard.start()
    try:
        server.stdin.write(json.dumps(frames[0]) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            try:
                answer = json.loads(line)
            except ValueError:
                continue
            if answer.get("id") == 1:
                server.stdin.write("".join(json.dumps(frame) + "\n" for frame in frames[1:]))
                server.stdin.flush()
            elif answer.get("id") == 2:
                return answer["result"]["tools"]
        return None
    finally:
        guard.cancel()
        server.kill()
        server.wait()


def tokens(program, text):
    counted = subprocess.run([program, "tokens", "--json", "-"], input=text, capture_output=True, text=True, check=True)
    return json.loads(counted.stdout)["total_tokens"]


def main():
    program, clients, repo = sys.argv[1:]
    modules, node = Path(clients) / "node_modules", "node"
    bin_folder = modules / ".bin"
    servers = [
        ("kitbag", [program, "mcp", "--repo", repo]),
        ("kitbag --tools all", [program, "mcp", "--repo", repo, "--tools", "all"]),
        ("serena", [str(Path(clients) / "venv/bin/serena"), "start-mcp-server", "--project", repo,
                    "--enable-web-dashboard", "false"]),
        ("context7", [node, str(bin_folder / "context7-mcp")]),
        ("repomix", [node, str(bin_folder / "repomix"), "--mcp"]),
        ("filesystem", [node, str(bin_folder / "mcp-server-filesystem"), repo]),
    ]
    print("| server | tools | as listed | names, descriptions and input schemas |\n|---|---|---|---|")
    failed = False
    for name, command in servers:
        try:
            tools = tool_list(command, repo)
        except OSError as error:
            tools, failed = None, True
            print(error, file=sys.stderr)
        if tools is None:
            print(f"| {name} | did not answer | | |")
            failed = True
            continue
        listed = json.dumps({"tools": tools}, ensure_ascii=False, separators=(",", ":"))
        sent = [{"name": tool["name"], "description": tool.get("description"), "input_schema": tool["inputSchema"]}
                for tool in tools]
        sent = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
        print(f"| {name} | {len(tools)} | {tokens(program, listed):,} | {tokens(program, sent):,} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
