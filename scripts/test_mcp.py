"""The official Python client calls every tool of `kitbag mcp --tools all`, on both transports and in both revisions.

    scripts/test_mcp.py PROGRAM
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
import mcp
from mcp.types import PromptReference

FILES = {
    "src/auth.py": '"""Logging in."""\n\n\ndef login(user):\n    """Logs a user in."""\n    return bool(oauth_token(user))\n\n\n'
    'def oauth_token(user):\n    """The token of a user."""\n    return f"token-{user}"\n',
    "README.md": "# App\n\nUsers login by OAuth.\n",
}

CALLS = {
    "pack_context": {"task": "why does login fail?", "budget": 500},
    "preview_context": {"task": "why does login fail?", "budget": 60},
    "search_code": {"task": "login", "limit": 5},
    "find_symbol": {"name": "oauth_token"},
    "repo_overview": {"budget": 1000},
    "explain_chunk": {"task": "login", "path": "src/auth.py", "line": 4},
    "list_providers": {},
    "set_provider_enabled": {"id": "history", "enabled": False},
}


async def exercise(server, mode):
    """Sends every kind of request and returns the URI of a pack."""
    progress = []

    async def on_progress(done, total, message):
        progress.append((done, total))

    async with mcp.Client(server, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == set(CALLS), sorted(tools)
        for name, arguments in CALLS.items():
            result = await client.call_tool(name, arguments, progress_callback=on_progress)
            assert not result.is_error, (name, result)
            jsonschema.Draft202012Validator.check_schema(tools[name].input_schema)
            jsonschema.validate(arguments, tools[name].input_schema)
            assert tools[name].output_schema is None and result.structured_content is None, name
            assert len(result.content) == 1 and result.content[0].text, name
        assert progress and all(a[0] <= b[0] for a, b in zip(progress, progress[1:]) if b[0] != 0), progress
        wrong = await client.call_tool("pack_context", {"task": "login", "budget": "many"})
        assert wrong.is_error and "`budget` must be a number of tokens" in wrong.content[0].text, wrong
        pack = await client.call_tool("pack_context", CALLS["pack_context"])
        data, text = pack.meta["kitbag/pack"], pack.content[0].text
        assert data["total_tokens"] <= 500 and "def login(user):" in text, (data, text)
        read = await client.read_resource(data["uri"])
        assert read.contents[0].text == text
        listed = (await client.list_resources(cache_mode="refresh")).resources
        stateless = isinstance(server, str) and mode != "legacy"
        assert (data["uri"] in [it.uri for it in listed]) != stateless, listed
        assert len((await client.list_resource_templates()).resource_templates) == 2
        assert [it.name for it in (await client.list_prompts()).prompts] == ["task_with_context", "where_is"]
        prompt = await client.get_prompt("task_with_context", {"task": "login"})
        assert "def login(user):" in prompt.messages[0].content.text
        reference = PromptReference(type="ref/prompt", name="task_with_context")
        completed = await client.complete(reference, {"name": "budget", "value": "8"})
        assert completed.completion.values == ["8k"], completed
        return data["uri"]


async def check_isolation(server, mode, uri):
    """Checks that another client cannot find a pack."""
    async with mcp.Client(server, mode=mode) as client:
        assert (await client.list_resources()).resources == []
        if mode == "legacy" or not isinstance(server, str):
            try:
                await client.read_resource(uri)
            except mcp.MCPError:
                return
            raise AssertionError("a client read another's pack")


async def main():
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder, "repo")
        for path, content in FILES.items():
            (repo / path).parent.mkdir(parents=True, exist_ok=True)
            (repo / path).write_text(content)
        env = {**os.environ, "HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache", "XDG_CONFIG_HOME": f"{folder}/config"}
        arguments = ["mcp", "--tools", "all", "--repo", str(repo)]
        stdio = mcp.StdioServerParameters(command=program, args=arguments, env=env)
        for mode in ["legacy", "2026-07-28", "auto"]:
            uri = await exercise(stdio, mode)
            await check_isolation(stdio, mode, uri)
            print(f"stdio, {mode}: all tools passed")
        listening = subprocess.Popen(
            [program, *arguments, "--http", "127.0.0.1:0"], env=env, stderr=subprocess.PIPE, text=True
        )
        try:
            url = listening.stderr.readline().split()[-1]
            for mode in ["legacy", "2026-07-28", "auto"]:
                uri = await exercise(url, mode)
                await check_isolation(url, mode, uri)
                print(f"HTTP, {mode}: all tools passed")
        finally:
            listening.terminate()
            listening.wait()


asyncio.run(main())
