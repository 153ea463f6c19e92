"""An agent that can ask for code: a tool loop against any server with OpenAI's chat completions.

    OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=... python tool_loop.py "how are redirects followed?" REPO
"""

import json
import os
import sys
import urllib.request
from typing import Any

import kitbag

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "pack_context",
            "description": "Returns the code of the repository that is relevant to a question.",
            "parameters": {
                "type": "object",
                "properties": {"task": {"type": "string"}, "budget": {"type": "integer"}},
                "required": ["task"],
            },
        },
    }
]


def answer(question: str, engine: kitbag.Engine, repo: str) -> str:
    """Asks the model, and calls the tools that it asks for, until it answers."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    for _ in range(8):
        message = complete(messages)
        messages.append(message)
        if not message.get("tool_calls"):
            return str(message["content"])
        for call in message["tool_calls"]:
            content = run_tool(call["function"], engine, repo)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    raise RuntimeError("the model asks for tools again and again")


def run_tool(function: dict[str, str], engine: kitbag.Engine, repo: str) -> str:
    """Runs a tool. The model reads an error, and can correct its call."""
    try:
        arguments = {"budget": 4_000, **json.loads(function["arguments"])}
        return engine.pack(repo=repo, **arguments).content
    except (kitbag.KitbagError, json.JSONDecodeError) as error:
        return f"error: {error}"


def complete(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Sends the conversation to the model, and returns its message."""
    body = {"model": os.environ.get("OPENAI_MODEL", "gpt-4o"), "messages": messages, "tools": TOOLS}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
    )
    with urllib.request.urlopen(request) as response:
        message: dict[str, Any] = json.load(response)["choices"][0]["message"]
        return message


if __name__ == "__main__":
    question, repo = sys.argv[1:]
    print(answer(question, kitbag.Engine(watch=repo), repo))
