"""A model on loopback that makes a list of tool calls, one after the other, and keeps what the client hands back.

Speaks as much of four protocols as the agents need: Anthropic messages, OpenAI responses, OpenAI chat completions
and Gemini. No real model is involved, and nothing leaves the machine.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Maximum number of searches for tools in a conversation.
MAX_SEARCHES = 12


class MockModel:
    """One conversation: the calls to make, as pairs of a tool and its arguments, and what came back."""

    def __init__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"model": self}))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.reset([])
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reset(self, calls):
        self.calls = calls
        self.received = []
        self.tools_seen = set()
        self.requests = []

    def stop(self):
        self.server.shutdown()


def joined(content):
    """Returns the text of a string, or of a list of text blocks."""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content or [] if isinstance(block, dict))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.reply({})

    def do_GET(self):
        self.reply({"data": [], "models": []})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        try:
            request = json.loads(body or b"{}")
        except ValueError:
            request = {}
        self.model.requests.append((path, request))
        if path.endswith("/messages"):
            self.anthropic(request)
        elif path.endswith("/responses"):
            self.openai_responses(request)
        elif path.endswith("/chat/completions"):
            self.chat(request)
        elif "enerateContent" in path:
            self.gemini(request, "stream" in path)
        elif "ount" in path and "oken" in path:
            self.reply({"input_tokens": 1, "totalTokens": 1})
        else:
            self.reply({})

    def anthropic(self, request):
        names = [tool.get("name") for tool in request.get("tools", [])]
        blocks = [
            block
            for message in request.get("messages", [])
            if isinstance(message.get("content"), list)
            for block in message["content"]
        ]
        results = [joined(block.get("content")) for block in blocks if block.get("type") == "tool_result"]
        tool, call = self.decide(names, results)
        if tool:
            content = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": tool, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call)}
        else:
            content, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
        reason = "tool_use" if tool else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model"),
                   "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not request.get("stream"):
            block = dict(content, input=call) if tool else {"type": "text", "text": "done"}
            return self.reply(dict(message, content=[block], stop_reason=reason))
        self.stream([
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": content},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ])

    def openai_responses(self, request):
        items = [item for item in request.get("input") or [] if isinstance(item, dict)]
        # Codex groups the tools of a server under a namespace, and lists them only after a search for tools.
        searched = [item for item in items if item.get("type") == "tool_search_output"]
        offered = request.get("tools", []) + [tool for item in searched for tool in item.get("tools", [])]
        has_search = any(tool.get("type") == "tool_search" for tool in offered)
        tools = []
        for tool in offered:
            inner = tool.get("tools") or []
            tools += [(item.get("name"), tool.get("name")) for item in inner] or [(tool.get("name"), None)]
        results = [joined(item.get("output")) for item in items if item.get("type") == "function_call_output"]
        places = {f"{space or ''}/{name}": (name, space) for name, space in tools}
        tool, call = self.decide(places, results)
        tool, namespace = places.get(tool, (None, None))
        wanted = self.next_call(results)
        if wanted and not tool and has_search and len(searched) < MAX_SEARCHES:
            # The server may still be starting.
            time.sleep(len(searched))
            item = {"type": "tool_search_call", "id": f"ts_{len(searched)}", "call_id": f"search_{len(searched)}",
                    "execution": "client", "status": "completed", "arguments": {"query": wanted[0], "limit": 8}}
        elif tool:
            item = {"type": "function_call", "id": f"fc_{len(results)}", "call_id": f"call_{len(results)}", "name": tool,
                    "arguments": json.dumps(call), "status": "completed"}
            if namespace:
                item["namespace"] = namespace
        else:
            text = {"type": "output_text", "text": "done", "annotations": []}
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        response = {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}
        self.stream([
            {"type": "response.created", "response": response},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed",
             "response": dict(response, status="completed", output=[item], usage=usage)},
        ])

    def chat(self, request):
        names = [tool.get("function", {}).get("name") for tool in request.get("tools", [])]
        results = [joined(message.get("content")) for message in request.get("messages", [])
                   if message.get("role") == "tool"]
        tool, call = self.decide(names, results)
        if tool:
            function = {"name": tool, "arguments": json.dumps(call)}
            message = {"role": "assistant", "content": None,
                       "tool_calls": [{"index": 0, "id": f"call_{len(results)}", "type": "function", "function": function}]}
        else:
            message = {"role": "assistant", "content": "done"}
        reason = "tool_calls" if tool else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        base = {"id": "chat_1", "created": 1, "model": request.get("model")}
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return self.reply(dict(base, object="chat.completion", choices=[choice], usage=usage))
        chunk = dict(base, object="chat.completion.chunk")
        self.stream([
            dict(chunk, choices=[{"index": 0, "delta": message, "finish_reason": None}]),
            dict(chunk, choices=[{"index": 0, "delta": {}, "finish_reason": reason}], usage=usage),
        ], end="data: [DONE]\n\n", named_events=False)

    def gemini(self, request, is_stream):
        declared = [item for tool in request.get("tools") or [] for item in tool.get("functionDeclarations") or []]
        names = [item.get("name") for item in declared]
        parts = [part for content in request.get("contents", []) for part in content.get("parts", [])]
        results = []
        for part in parts:
            response = part.get("functionResponse", {}).get("response")
            if response is not None:
                results.append(joined(response.get("output", response.get("content", json.dumps(response)))))
        tool, call = self.decide(names, results)
        part = {"functionCall": {"name": tool, "args": call}} if tool else {"text": "done"}
        answer = {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
            "modelVersion": "mock",
        }
        if is_stream:
            self.stream([answer], named_events=False)
        else:
            self.reply(answer)

    def next_call(self, results):
        """Returns the next tool and its arguments; `None` after the last."""
        calls = self.model.calls
        return calls[len(results)] if len(results) < len(calls) else None

    def decide(self, names, results):
        """Keeps the results, and returns the client's name for the next tool, such as `mcp__kitbag__pack_context`, and
        its arguments; `None` if there is no further call, or the client does not offer the tool."""
        if len(results) > len(self.model.received):
            self.model.received = results
        wanted, arguments = self.next_call(results) or (None, None)
        # Some clients replace hyphens, and some have tools of their own with the same names.
        is_wanted = lambda name: wanted and name and name.replace("-", "_").endswith(wanted.replace("-", "_"))
        offered = sorted(filter(is_wanted, names), key=lambda name: "kitbag" not in name)
        tool = next(iter(offered), None)
        if tool:
            self.model.tools_seen.add(tool)
        return tool, arguments if tool else None

    def stream(self, events, end="", named_events=True):
        lines = []
        for event in events:
            name = f"event: {event['type']}\n" if named_events else ""
            lines.append(f"{name}data: {json.dumps(event)}\n\n")
        self.send("text/event-stream", ("".join(lines) + end).encode())

    def reply(self, value):
        self.send("application/json", json.dumps(value).encode())

    def send(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
