"""Drives real agents against a mock model, and compares what their model receives with the pack, byte for byte.

    test_clients.py PROGRAM NODE_MODULES REPO [CLIENT...]

Prints a table in Markdown. Fails if a client that passes results on unchanged has not done so.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mock_model import MockModel

TASK = (
    "how are sources chunked, ranked, deduplicated, selected, formatted and verified within the token budget, "
    "and how do the servers call the engine?"
)
# A pack would end where nothing else is likely to matter. A setting, because Gemini CLI refuses arguments that are not
# listed, such as `fill`.
SETTINGS = "context:\n  selection:\n    stop_below: 0\n"
BUDGETS = [2_000, 8_000, 16_000, 32_000]
TIMEOUT = 180
PROMPT = "Call the tool."


def direct(program, repo, arguments):
    """Returns the text of a call without an agent in between."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "direct", "version": "1"}}
    call = {"name": "pack_context", "arguments": arguments}
    frames = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    server = subprocess.Popen([program, "mcp", "--repo", repo], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for frame in frames:
        server.stdin.write(json.dumps(frame) + "\n")
    server.stdin.flush()
    for line in server.stdout:
        answer = json.loads(line)
        if answer.get("id") == 2:
            server.stdin.close()
            server.wait(timeout=30)
            return answer["result"]["content"][0]["text"]
    raise RuntimeError("no answer")


class Agent:
    """A client, with a home folder of its own."""

    def __init__(self, binaries, server, model):
        self.binaries, self.server, self.model = binaries, server, model
        self.home = Path(tempfile.mkdtemp(prefix="kitbag-agent-"))
        self.work = self.home / "work"
        self.work.mkdir()

    def run(self, command, **variables):
        inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment = dict(inherited, HOME=str(self.home), NO_COLOR="1", XDG_CACHE_HOME=os.environ["XDG_CACHE_HOME"],
                           **variables)
        return subprocess.run(command, cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT)

    def binary(self, name):
        return str(self.binaries / name)

    def write(self, path, value):
        path = self.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return str(path)

    def close(self):
        shutil.rmtree(self.home, ignore_errors=True)


class ClaudeCode(Agent):
    name, package = "Claude Code", "@anthropic-ai/claude-code"

    def ask(self):
        entry = {"command": self.server[0], "args": self.server[1:]}
        config = self.write("mcp.json", {"mcpServers": {"kitbag": entry}})
        return self.run(
            [self.binary("claude"), "-p", PROMPT, "--mcp-config", config, "--strict-mcp-config",
             "--allowedTools", "mcp__kitbag", "--model", "claude-sonnet-4-5"],
            ANTHROPIC_BASE_URL=self.model.url, ANTHROPIC_API_KEY="mock",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", DISABLE_AUTOUPDATER="1", ENABLE_TOOL_SEARCH="false",
        )


class Codex(Agent):
    name, package = "Codex", "@openai/codex"
    model_name = "gpt-5.5"

    def ask(self):
        arguments = ", ".join(json.dumps(word) for word in self.server[1:])
        self.write(".codex/config.toml", f"""
model = "{self.model_name}"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.mock]
name = "mock"
base_url = "{self.model.url}/v1"
wire_api = "responses"
[mcp_servers.kitbag]
command = "{self.server[0]}"
args = [{arguments}]
default_tools_approval_mode = "approve"
startup_timeout_sec = 120
env = {{ XDG_CACHE_HOME = "{os.environ["XDG_CACHE_HOME"]}" }}
""")
        return self.run([self.binary("codex"), "exec", "--skip-git-repo-check", PROMPT])


class CodexUnknown(Codex):
    name, model_name = "Codex (a model it does not know)", "mock"


class Gemini(Agent):
    name, package = "Gemini CLI", "@google/gemini-cli"

    def ask(self):
        entry = {"command": self.server[0], "args": self.server[1:], "trust": True}
        self.write(".gemini/settings.json", {
            "mcpServers": {"kitbag": entry},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"disableAutoUpdate": True},
        })
        return self.run([self.binary("gemini"), "-p", PROMPT, "--yolo", "--skip-trust", "-m", "gemini-2.5-pro"],
                        GEMINI_API_KEY="mock", GOOGLE_GEMINI_BASE_URL=self.model.url)


class Opencode(Agent):
    name, package = "opencode", "opencode-ai"

    def ask(self):
        models = {"mock": {"name": "mock", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}}
        options = {"baseURL": f"{self.model.url}/v1", "apiKey": "mock"}
        config = {
            "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": options, "models": models}},
            "model": "mock/mock",
            "small_model": "mock/mock",
            "mcp": {"kitbag": {"type": "local", "command": self.server, "enabled": True, "timeout": 60_000}},
            "autoupdate": False,
            "share": "disabled",
        }
        path = self.write(".config/opencode/opencode.json", config)
        return self.run([self.binary("opencode"), "run", "-m", "mock/mock", PROMPT], OPENCODE_CONFIG=path,
                        OPENCODE_DISABLE_MODELS_FETCH="1", OPENCODE_DISABLE_AUTOUPDATE="1")


AGENTS = [ClaudeCode, Codex, CodexUnknown, Gemini, Opencode]


def verdict(received, expected):
    if received is None:
        return "not called"
    if received == expected:
        return "whole"
    # Some clients put a line of their own before or after the text.
    if expected in received:
        return f"whole ({len(received) - len(expected)} characters around it)"
    first = expected[: expected.index("\n")]
    text = received[received.index(first):] if first in received else received
    start = len(os.path.commonprefix([text, expected]))
    last = [line for line in expected.splitlines() if line.strip()][-1]
    tail = text[: text.rindex(last) + len(last) + 1] if last in text else text
    end = len(os.path.commonprefix([tail[::-1], expected[::-1]])) if start < len(expected) else 0
    kept = min(start + end, len(expected))
    where = "the middle" if start and end else "the end" if start else "the beginning"
    return f"cut: {100 * kept // len(expected)} % arrive, {where} is missing"


def main():
    program, modules, repo, *wanted = sys.argv[1:]
    binaries = Path(modules) / ".bin"
    model = MockModel()
    settings = Path(repo) / ".agent" / "config.yml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(SETTINGS)
    packs = {}
    for budget in BUDGETS:
        packs[budget] = direct(program, repo, {"task": TASK, "budget": budget})
    sizes = ", ".join(f"{budget // 1000}k: {len(text)}" for budget, text in packs.items())
    print(f"Characters of the packs: {sizes}\n")
    print("| client | " + " | ".join(f"{budget // 1000}k" for budget in BUDGETS) + " |")
    print("|---|" + "---|" * len(BUDGETS))
    failed = []
    for agent_class in AGENTS:
        if wanted and agent_class.__name__.lower() not in wanted:
            continue
        manifest = json.loads((Path(modules) / agent_class.package / "package.json").read_text())
        row = []
        for budget in BUDGETS:
            model.reset([("pack_context", {"task": TASK, "budget": budget})])
            agent = agent_class(binaries, [program, "mcp", "--repo", repo], model)
            try:
                done = agent.ask()
                received = next(iter(model.received), None)
                row.append(verdict(received, packs[budget]))
                if received is None:
                    print(agent_class.name, done.returncode, done.stdout[-600:], done.stderr[-1500:], model.tools_seen,
                          [path for path, _ in model.requests][:8], file=sys.stderr)
                    failed.append(f"{agent_class.name} made no call at {budget}")
                elif budget == 2_000 and not row[-1].startswith("whole"):
                    failed.append(f"{agent_class.name} changed a small pack: {row[-1]}")
            except subprocess.TimeoutExpired:
                row.append("timed out")
                failed.append(f"{agent_class.name} timed out at {budget}")
            finally:
                agent.close()
        print(f"| {agent_class.name}, {manifest['version']} | " + " | ".join(row) + " |", flush=True)
    model.stop()
    shutil.rmtree(settings.parent)
    for problem in failed:
        print(problem, file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
