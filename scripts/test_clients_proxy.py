"""Drives real agents through `kitbag proxy` against a mock model, and checks what their model receives.

    test_clients_proxy.py PROGRAM NODE_MODULES REPO [CLIENT...]

Behind the proxy are two published servers and a small one with a tool that takes `_context`. A call about nothing in the
repository must arrive as without the proxy; what the proxy adds must arrive once, under its label, also where the server
answers with structured content, of which some clients pass on nothing else.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mock_model import MockModel
from test_clients import ClaudeCode, Codex, Gemini, Opencode

LABEL = "Added by Kitbag, not by the tool: "
RULES = LABEL + "rules"
CODE = LABEL + "code"
MESSAGE = "how does deduplicate find near duplicates by Jaccard similarity?"
RULE = "Weather is measured in kelvin here."
CONTEXT = f"""intent_context:
  business_goal: |
    {RULE}
"""
RULES_FILE = "injection_rules:\n- {name: weather, when: {words: [Chicago]}, inject: weather}\n"

# Calls, and what the proxy must add to each: nothing, code or rules.
EVERYTHING = [
    ("get-sum", {"a": 1, "b": 2}, ""),
    ("echo", {"message": MESSAGE}, CODE),
    ("echo", {"message": MESSAGE}, ""),
    ("get-structured-content", {"location": "Chicago"}, RULES),
]
CONTEXT_SERVER = [("review", {"question": MESSAGE}, CODE)]


def filesystem(folder):
    path = str(Path(folder) / "notes.md")
    return [
        ("list_directory", {"path": str(folder)}, ""),
        ("write_file", {"path": path, "content": MESSAGE}, CODE),
        ("read_text_file", {"path": path}, ""),
    ]


def serve_context():
    """A server with one tool, which returns the context that it got."""
    schema = {"type": "object", "properties": {"question": {"type": "string"}, "_context": {"type": "string"}}}
    tool = {"name": "review", "description": "Reviews code.", "inputSchema": schema}
    for line in sys.stdin:
        frame = json.loads(line)
        method, result = frame.get("method"), {}
        if method == "initialize":
            version = frame["params"]["protocolVersion"]
            info = {"name": "context", "version": "1"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":
            result = {"tools": [tool]}
        elif method == "tools/call":
            context = frame["params"]["arguments"].get("_context", "none")
            result = {"content": [{"type": "text", "text": f"The tool got this context:\n{context}"}]}
        if "id" in frame:
            print(json.dumps({"jsonrpc": "2.0", "id": frame["id"], "result": result}), flush=True)


def ask(agent_class, binaries, command, calls, model):
    """Makes the calls through a client, and returns what its model received."""
    model.reset([(tool, arguments) for tool, arguments, _ in calls])
    agent = agent_class(binaries, command, model)
    try:
        done = agent.ask()
    finally:
        agent.close()
    if len(model.received) != len(calls):
        seen = sorted(model.tools_seen)
        raise AssertionError(f"{len(model.received)} of {len(calls)} results, tools {seen}: {done.stdout[-500:]} "
                             f"{done.stderr[-1500:]}")
    return model.received


def problem(text, added):
    """Returns what is wrong with a result, to which `added` should have been added."""
    count = text.count(LABEL)
    if count != (1 if added else 0):
        return f"{count} labels instead of {1 if added else 0}"
    if added and added not in text:
        return f"no `{added}`"
    if added == RULES and RULE not in text:
        return "no rule"
    if added == CODE and "fn " not in text:
        return "no code"
    return None


def main():
    if sys.argv[1:] == ["serve-context"]:
        return serve_context()
    program, modules, repo, *wanted = sys.argv[1:]
    binaries, model, failed = Path(modules) / ".bin", MockModel(), []
    folder = Path(tempfile.mkdtemp(prefix="kitbag-proxy-"))
    contexts = Path(repo) / ".agent" / "contexts"
    contexts.mkdir(parents=True, exist_ok=True)
    (contexts / "default.yml").write_text(RULES_FILE)
    (contexts / "weather.yml").write_text(CONTEXT)
    # A proxy does not wait for the first index of a repository.
    subprocess.run([program, "index", "refresh", "--repo", repo], check=True, stdout=subprocess.DEVNULL)
    servers = [
        ("server-everything", [str(binaries / "mcp-server-everything")], EVERYTHING),
        ("server-filesystem", [str(binaries / "mcp-server-filesystem"), str(folder)], filesystem(folder)),
        ("a tool with `_context`", [sys.executable, "-B", __file__, "serve-context"], CONTEXT_SERVER),
    ]
    print("| client | server | call | added | characters that the model received |")
    print("|---|---|---|---|---|")
    for agent_class in [ClaudeCode, Codex, Gemini, Opencode]:
        if wanted and agent_class.__name__.lower() not in wanted:
            continue
        for name, server, calls in servers:
            proxied = [program, "proxy", "--repo", repo, "--", *server]
            try:
                received = ask(agent_class, binaries, proxied, calls, model)
            except AssertionError as error:
                failed.append(f"{agent_class.name}, {name}: {error}")
                continue
            for (tool, arguments, added), text in zip(calls, received, strict=True):
                shown = {RULES: "rules", CODE: "code", "": "nothing"}[added]
                print(f"| {agent_class.name} | {name} | `{tool}` | {shown} | {len(text)} |", flush=True)
                if wrong := problem(text, added):
                    failed.append(f"{agent_class.name}, {name}, {tool} {arguments}: {wrong}:\n{text[:1500]}")
    model.stop()
    shutil.rmtree(folder)
    shutil.rmtree(contexts.parent)
    for text in failed:
        print(text, file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
