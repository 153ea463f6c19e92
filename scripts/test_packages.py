"""Uses the installed Python package, and compares it with the program, the HTTP service and the MCP server.

Run by scripts/test-packages, which sets up the environment.
"""

import asyncio
import contextlib
import copy
import dataclasses
import http.server
import json
import multiprocessing
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
import typing
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import kitbag
import kitbag.aio
import pydantic

DIR = pathlib.Path(os.environ["KITBAG_TEST_DIR"])
REPO = DIR / "repo"
PROGRAM = os.environ["KITBAG_TEST_PROGRAM"]
BIN = DIR / "venv" / "bin"
TASK = "how are redirects followed, and when are headers dropped?"


def run(*command: str | os.PathLike[str], timeout: float = 300, **options: Any) -> str:
    """Runs a program, which must succeed, and returns its standard output."""
    done = subprocess.run(command, text=True, capture_output=True, timeout=timeout, **options)
    assert done.returncode == 0, f"{command} failed: {done.stderr}"
    return done.stdout


def expect_error(call: Callable[[], object], kind: type[Exception], *words: str) -> kitbag.KitbagError:
    """Checks that a call raises an exception that contains some words."""
    try:
        call()
    except kind as error:
        for word in words:
            assert word in str(error), f"{word!r} is not in {error}"
        return error  # type: ignore[return-value]
    raise AssertionError(f"no {kind.__name__}")


# The same bytes through every interface.


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Runs the HTTP service, and returns its address."""
    command = [PROGRAM, "serve", "--repo", str(REPO), "--listen", "127.0.0.1:0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout
    try:
        yield json.loads(server.stdout.readline())["address"]
    finally:
        server.terminate()
        server.wait(30)


def pack_over_mcp(arguments: dict[str, Any]) -> str:
    """Returns the text of a pack from the MCP server."""
    server = subprocess.Popen(
        [PROGRAM, "mcp", "--repo", str(REPO)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin and server.stdout
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "pack_context", "arguments": arguments}},
    ]
    for message in messages:
        server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()
    answer = next(it for it in map(json.loads, server.stdout) if it.get("id") == 2)
    server.stdin.close()
    server.wait(30)
    return str(answer["result"]["content"][0]["text"])


def test_every_interface_gives_the_same_bytes() -> None:
    command = ["pack", TASK, "--repo", str(REPO), "--budget", "6000", "--no-record"]
    expected = run(PROGRAM, *command)
    request = {"task": TASK, "budget": 6_000}
    assert expected.count("###") > 3
    assert run(BIN / "kitbag", *command) == expected, "the program of the wheel"
    assert run(BIN / "python", "-m", "kitbag", *command) == expected, "python -m kitbag"
    wheel = next((DIR / "dist").glob("*.whl"))
    uvx = [os.environ["KITBAG_TEST_UVX"], "--offline", "--from", wheel, "kitbag", *command]
    assert run(*uvx) == expected, "uvx"
    npx = ["npx", "--no-install", "kitbag", *command]
    assert run(*npx, cwd=DIR / "node") == expected, "the program of the npm package"
    # In a folder without packages, npx installs them first.
    tarballs = [f"--package={path}" for path in (DIR / "dist").glob("*.tgz")]
    npx = ["npx", "--yes", "--prefer-offline", "--omit=optional", *tarballs, "--", "kitbag", *command]
    assert run(*npx, cwd=DIR / "home") == expected, "npx"
    assert run(DIR / "cargo" / "bin" / "kitbag", *command) == expected, "cargo install"
    assert kitbag.pack(TASK, repo=REPO, budget=6_000).content == expected, "Python"
    packed = asyncio.run(kitbag.aio.pack(TASK, repo=REPO, budget="6k"))
    assert packed.content == expected, "asyncio"
    script = f"require('kitbag').pack({json.dumps(TASK)}, {json.dumps({'repo': str(REPO), 'budget': 6000})})"
    script += ".then(pack => process.stdout.write(pack.content))"
    assert run("node", "-e", script, cwd=DIR / "node") == expected, "Node"
    with served() as address:
        body = json.dumps(request).encode()
        headers = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(address + "/v1/pack", body, headers)) as response:
            assert json.load(response)["content"] == expected, "HTTP"
    # The MCP server begins a pack with its contents by default.
    options = {"options": {"formatting": {"contents": False}}}
    assert pack_over_mcp({**request, **options}) == expected, "MCP"


# Results.


def expect_same(value: Any, expected: Any, place: str) -> None:
    """Checks that an object, or a list of objects, has what its JSON has. Fields that are not in it are empty."""
    if dataclasses.is_dataclass(value):
        fields = {field.name for field in dataclasses.fields(value)}
        assert isinstance(expected, dict) and set(expected) <= fields, (place, set(expected) - fields)
        for name in fields - set(expected):
            assert getattr(value, name) in (None, [], False), f"{place}.{name}"
        for name, inner in expected.items():
            expect_same(getattr(value, name), inner, f"{place}.{name}")
    elif isinstance(value, list) and value and dataclasses.is_dataclass(value[0]):
        assert len(value) == len(expected), place
        for number, (item, inner) in enumerate(zip(value, expected)):
            expect_same(item, inner, f"{place}[{number}]")
    else:
        assert value == expected and type(value) is type(expected), place


def test_results_have_the_values_of_the_json() -> None:
    for result in (
        kitbag.pack(TASK, repo=REPO, budget=2_000),
        kitbag.preview(TASK, repo=REPO, budget=2_000),
        kitbag.search(TASK, repo=REPO, limit=5, lines=2),
        kitbag.find_symbol("Client", repo=REPO),
    ):
        values = result.to_dict()
        names = [name for name in values if hasattr(result, name)]
        assert set(values) - set(names) <= {"content"}, names
        for name in names:
            expect_same(getattr(result, name), values[name], name)


def test_results_have_typed_attributes() -> None:
    pack = kitbag.pack(TASK, repo=REPO, budget=4_000)
    assert pack.total_tokens <= pack.budget == 4_000
    assert pack.included[0].path.startswith("httpx/") and pack.included[0].factors.relevance > 0
    assert pack.excluded[0].reason and pack.stats.included == len(pack.included)
    assert pack.rules == [] and isinstance(pack.timings[-1], kitbag.Timing)
    assert json.loads(pack.to_json())["content"] == pack.content == pack.to_dict()["content"]
    assert "total_tokens" in dir(pack) and "items]" in repr(pack)
    restored = pickle.loads(pickle.dumps(pack))
    assert restored == pack and restored.included == pack.included and restored.content == pack.content
    preview = kitbag.preview(TASK, repo=REPO, budget=4_000)
    assert [it.path for it in preview.included] == [it.path for it in pack.included]
    expect_error(lambda: preview.content, AttributeError, "content")  # type: ignore[attr-defined]
    found = kitbag.search(TASK, repo=REPO, limit=3, lines=2)
    assert len(found.results) == 3 and found.results[0].lines[0].text
    symbol = kitbag.find_symbol("Client.get", repo=REPO)
    assert symbol.definitions[0].path == "httpx/_client.py" and symbol.caller_count > 0
    assert kitbag.overview(REPO, budget=500).total_tokens <= 500


def test_lists_of_objects_are_read_when_they_are_used() -> None:
    found = kitbag.search(TASK, repo=REPO, limit=3, lines=2)
    values, result, other = found.to_dict()["results"], *found.results[:2]
    restored = pickle.loads(pickle.dumps(found))
    # An item does not need the report that it came with.
    del found
    assert result.factors is result.factors and len(result.factors) > 10
    assert dataclasses.asdict(result)["factors"] == values[0]["factors"] != values[1]["factors"]
    for same in (copy.copy(other), copy.deepcopy(other), pickle.loads(pickle.dumps(other)), dataclasses.replace(other)):
        assert same == other != result and repr(same) == repr(other)
    assert restored.results[:2] == [result, other]
    other.lines = []
    assert other.lines == [] and other != restored.results[1]
    expect_error(lambda: result.factor, AttributeError, "no attribute 'factor'")  # type: ignore[attr-defined]
    made = kitbag.MatchedLine(line=1, text="x")
    assert dataclasses.replace(result, lines=[made]).lines == [made]


def test_a_result_is_shown_in_short() -> None:
    pack = kitbag.pack(TASK, repo=REPO, budget=4_000)
    found = kitbag.search(TASK, repo=REPO, limit=3, lines=2)
    for value in (pack, pack.included[0], found, found.results[0]):
        assert len(repr(value)) < 2_000, len(repr(value))
    assert found.results[0].path in repr(found.results[0]) and "factors=" not in repr(found.results[0])


def test_annotations_can_be_evaluated() -> None:
    for module in (kitbag, kitbag.aio):
        for name in ("pack", "preview", "overview", "search", "find_symbol"):
            for function in (getattr(module, name), getattr(module.Engine, name)):
                assert typing.get_type_hints(function)["fields"] is not None
                assert "budget" in function.__doc__ or name in ("search", "find_symbol") and "limit" in function.__doc__
    validated = pydantic.validate_call(kitbag.pack)
    document: Any = {"path": "httpx/_client.py"}
    assert validated(TASK, repo=REPO, budget=1_000, document=document).total_tokens <= 1_000
    expect_error(lambda: validated(TASK, repo=REPO, budget=[1]), ValueError, "budget")  # type: ignore[arg-type]
    expect_error(lambda: validated(TASK, budgt=1), kitbag.RequestError, "`budget`")  # type: ignore[call-arg]


def test_importing_loads_neither_asyncio_nor_metadata() -> None:
    script = """
import sys
before = set(sys.modules)
import kitbag
assert not {"asyncio", "importlib.metadata"} & (set(sys.modules) - before)
print(kitbag.__version__, kitbag.aio.pack.__name__, hasattr(kitbag, "other"))
"""
    version, *others = run(BIN / "python", "-c", script).split()
    assert version[0].isdigit() and version in run(PROGRAM, "--version") and others == ["pack", "False"]


def test_types_in_results_are_exported() -> None:
    from kitbag import _results

    classes = [it for it in vars(_results).values() if isinstance(it, type) and it.__module__ == _results.__name__]
    hints = [hint for it in classes for hint in it.__annotations__.values()]
    used = set(re.findall(r"[A-Z]\w+", " ".join(hints))) - {"Any", "None"}
    assert {"ChosenRepository", "ProviderOutcome"} <= used <= set(kitbag.__all__), used - set(kitbag.__all__)
    assert all(hasattr(kitbag, name) for name in kitbag.__all__)


def test_readme_examples_run() -> None:
    script = (DIR / "readme" / "python_readme.py").read_text()
    output = run(BIN / "python", "-c", script, cwd=REPO)
    assert "httpx/_client.py" in output and "did you mean `budget`" in output


def test_the_program_of_the_wheel_knows_itself() -> None:
    assert "commit" in run(BIN / "kitbag", "--version")
    clients = DIR / "home" / ".claude.json"
    clients.write_text("{}")
    run(BIN / "kitbag", "init", "claude-code")
    entry = json.loads(clients.read_text())["mcpServers"]["kitbag"]
    assert entry["command"] == str(BIN / "kitbag") and entry["args"] == ["mcp"], entry
    run(BIN / "kitbag", "init", "claude-code", "--undo")
    run(BIN / "python", "-m", "kitbag", "init", "claude-code")
    entry = json.loads(clients.read_text())["mcpServers"]["kitbag"]
    assert [entry["command"], *entry["args"]] == [str(BIN / "python"), "-m", "kitbag", "mcp"], entry
    clients.unlink()


# Bad input.


def bad_inputs(api: Any) -> list[tuple[Callable[[], Any], str, str]]:
    """Returns calls of `kitbag` or `kitbag.aio` with the codes of their errors and words in the messages."""
    recursive: list[Any] = []
    recursive.append(recursive)
    return [
        (lambda: api.pack("x", budgt=1), "request", "did you mean `budget`"),
        (lambda: api.pack("x", repo=REPO, budget=[1]), "request", "`budget`"),
        (lambda: api.pack(42, repo=REPO), "request", "`task`"),
        (lambda: api.pack("x", repo=REPO, include="src"), "request", "`include`"),
        (lambda: api.pack("x", repo=REPO, redact="no"), "request", "`redact`"),
        (lambda: api.pack("x", repo=REPO, situation=object()), "request", "object"),
        (lambda: api.pack("x", repo=REPO, situation=float("nan")), "request", "`situation`"),
        (lambda: api.pack("x", repo=REPO, situation=recursive), "request", "ircular"),
        (lambda: api.pack("x", repo=os.fsdecode(b"/tmp/\xff")), "request", "`repo`: not valid Unicode: '\\udcff'"),
        (lambda: api.pack("\ud800", repo=REPO), "request", "`task`: not valid Unicode"),
        (lambda: api.pack("x", repo=REPO, situation={"\udcff": 1}), "request", "`situation`: not valid Unicode"),
        (lambda: api.pack("x", repo=REPO / "missing"), "repository", "missing"),
        (lambda: api.pack("x", repo=REPO, model="gpt-9o"), "unknown_model", "gpt-9o"),
        (lambda: api.search("", repo=REPO), "empty_search", "task"),
        (lambda: api.search("x", repo=REPO, limit=-1), "request", "`limit`"),
        (lambda: api.find_symbol("", repo=REPO), "symbol_name", "identifier"),
        (lambda: api.Engine(watch="/nowhere/at/all"), "repository", "/nowhere"),
    ]


def test_bad_input_is_an_exception_with_a_code_and_a_hint() -> None:
    def expect(call: Callable[[], object], code: str, word: str) -> None:
        error = expect_error(call, kitbag.RequestError, word)
        assert error.code == code and isinstance(error, ValueError), (error.code, error)

    for call, code, word in bad_inputs(kitbag):
        expect(call, code, word)
    for call, code, word in bad_inputs(kitbag.aio):
        expect(lambda: asyncio.run(call()), code, word)
    expect(lambda: asyncio.run(kitbag.aio.Engine().watch("/nowhere/at/all")), "repository", "/nowhere")
    for engine in (kitbag.Engine, kitbag.aio.Engine):
        expect_error(lambda: engine(progress=3), TypeError, "`progress`")  # type: ignore[arg-type]
    assert kitbag.pack(TASK, repo=REPO, budget=1_000).content, "the next call works"
    assert asyncio.run(kitbag.aio.pack(TASK, repo=REPO, budget=1_000)).content, "the next call works"


def test_an_invalid_configuration_of_the_user_is_an_exception() -> None:
    folder = DIR / "invalid-config" / "kitbag"
    folder.mkdir(parents=True)
    (folder / "config.yml").write_text("context:\n  budget: none\n")
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder.parent)}
    script = """
import asyncio, kitbag, kitbag.aio, sys
for call in (lambda: kitbag.pack("x", repo=sys.argv[1]), lambda: asyncio.run(kitbag.aio.pack("x", repo=sys.argv[1]))):
    try:
        call()
    except kitbag.KitbagError as error:
        print(error.code, error.message)
"""
    lines = run(BIN / "python", "-c", script, REPO, env=environment).splitlines()
    assert len(lines) == 2, lines
    assert all(line.startswith("configuration ") and "config.yml" in line for line in lines), lines


# Callbacks.


def raise_lookup_error(done: int, total: int) -> None:
    """A callback that fails."""
    raise LookupError("in the callback")


def test_an_exception_of_a_callback_ends_the_call() -> None:
    fresh = copy_of_repository("callback")
    engine = kitbag.Engine(progress=raise_lookup_error)
    expect_error(lambda: engine.pack(TASK, repo=fresh), LookupError, "in the callback")
    status = json.loads(run(PROGRAM, "index", "status", "--repo", fresh, "--json"))
    assert all(index["contents"] < 10 for index in status["indexes"]), f"the call went on: {status}"
    seen: list[tuple[int, int]] = []
    other = kitbag.Engine(progress=lambda done, total: seen.append((done, total)))
    (fresh / "httpx" / "_new.py").write_text("def newly_added():\n    return 1\n")
    assert "newly_added" in other.pack("newly_added", repo=fresh, budget=500).content
    assert seen[-1][0] == seen[-1][1] > 0, seen


def test_an_exception_of_a_callback_ends_no_other_call() -> None:
    kitbag.pack(TASK, repo=REPO)
    engine = kitbag.Engine(progress=raise_lookup_error)
    with ThreadPoolExecutor(12) as pool:
        failing = pool.submit(engine.pack, TASK, repo=copy_of_repository("failing"))
        others = [pool.submit(engine.pack, f"{TASK} {number}", repo=REPO, budget=1_000) for number in range(40)]
        expect_error(failing.result, LookupError, "in the callback")
        assert all(other.result().content for other in others)

    async def later() -> None:
        running = threading.Event()

        def fail_slowly(done: int, total: int) -> None:
            running.set()
            time.sleep(0.3)
            raise LookupError("in the callback")

        engine = kitbag.aio.Engine(progress=fail_slowly)
        call = asyncio.create_task(engine.pack(TASK, repo=copy_of_repository("stale")))
        await asyncio.to_thread(running.wait, 60)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call
        await asyncio.sleep(1)
        assert (await engine.pack(TASK, repo=REPO, budget=1_000)).content, "the next call works"

    asyncio.run(later())


def test_callbacks_may_be_slow_and_concurrent() -> None:
    script = """
import kitbag, sys, threading, time
def progress(done, total):
    time.sleep(0.002)  # Other threads run meanwhile.
    print(end="")
engine = kitbag.Engine(progress=progress)
packs = []
pack = lambda repo: packs.append(engine.pack("redirects", repo=repo, budget=500))
threads = [threading.Thread(target=pack, args=(repo,)) for repo in sys.argv[1:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(packs))
"""
    copies = [copy_of_repository(f"slow-{number}") for number in range(4)]
    # A lock that is held while Python runs would be waited for with the GIL held: a deadlock.
    assert run(BIN / "python", "-c", script, *copies, timeout=120) == "4\n"
    # Only one callback of a call runs at a time, and the last number is seen.
    active = threading.Lock()
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        assert active.acquire(blocking=False), "another callback runs"
        time.sleep(0.02)
        seen.append((done, total))
        active.release()

    kitbag.Engine(progress=progress).pack(TASK, repo=copy_of_repository("one-at-a-time"))
    assert seen[-1][0] == seen[-1][1] > 10, seen


def test_stop_iteration_of_a_callback_does_not_hang_asyncio() -> None:
    def progress(done: int, total: int) -> None:
        raise StopIteration("in the callback")

    async def stopped() -> None:
        engine = kitbag.aio.Engine(progress=progress)
        await asyncio.wait_for(engine.pack(TASK, repo=copy_of_repository("stop")), 60)

    error = expect_error(lambda: asyncio.run(stopped()), RuntimeError, "StopIteration")
    assert isinstance(error.__cause__, StopIteration)


# Many calls at once, and calls that end early.


def copy_of_repository(name: str) -> pathlib.Path:
    """Copies the repository to a folder without an index."""
    return pathlib.Path(shutil.copytree(REPO, DIR / name))


def test_a_hundred_calls_at_once() -> None:
    tasks = [f"{TASK} {number % 10}" for number in range(100)]
    engine = kitbag.Engine(watch=REPO)
    with ThreadPoolExecutor(100) as pool:
        by_threads = list(pool.map(lambda task: engine.pack(task, repo=REPO, budget=2_000).content, tasks))

    async def together() -> list[str]:
        own = kitbag.aio.Engine(watch=[REPO])
        packs = await asyncio.gather(*(own.pack(task, repo=REPO, budget=2_000) for task in tasks))
        return [pack.content for pack in packs]

    assert asyncio.run(together()) == by_threads
    assert all(by_threads[number] == by_threads[number % 10] for number in range(100))


def test_other_threads_run_during_a_call() -> None:
    counted = 0
    ended = threading.Event()

    def count() -> None:
        nonlocal counted
        while not ended.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    kitbag.Engine().pack(TASK, repo=copy_of_repository("threads"), budget=8_000)
    ended.set()
    thread.join()
    assert counted > 10, counted


BIG_REPOSITORY = """
import pathlib, sys
folder = pathlib.Path(sys.argv[1])
folder.mkdir()
for number in range(4_000):
    lines = [f"def function_{number}_{line}(value):\\n    return value + {line}\\n" for line in range(200)]
    (folder / f"module_{number}.py").write_text("\\n".join(lines))
"""


def big_repository() -> pathlib.Path:
    """Makes a repository whose index takes a while."""
    folder = DIR / "big"
    if not folder.exists():
        run(BIN / "python", "-c", BIG_REPOSITORY, folder)
    return folder


def cpu_seconds() -> float:
    """Returns the processor time of this process and of its parsers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def test_a_cancelled_call_stops_its_work() -> None:
    async def cancelled() -> None:
        engine = kitbag.aio.Engine()
        call = asyncio.create_task(engine.pack("function value", repo=big_repository()))
        await asyncio.sleep(1.0)
        call.cancel()
        started = time.monotonic()
        with contextlib.suppress(asyncio.CancelledError):
            await call
        assert call.cancelled() and time.monotonic() - started < 1.0

    asyncio.run(cancelled())
    time.sleep(2)
    before = cpu_seconds()
    time.sleep(2)
    assert cpu_seconds() - before < 0.5, "the work goes on"


def test_ctrl_c_interrupts_a_call() -> None:
    script = f"""
import kitbag, os, sys, time
print("ready", flush=True)
try:
    kitbag.pack("function value", repo={str(big_repository())!r})
except KeyboardInterrupt:
    time.sleep(2)
    before = sum(os.times()[:4])
    time.sleep(2)
    print("interrupted", sum(os.times()[:4]) - before < 0.5, flush=True)
"""
    process = subprocess.Popen([BIN / "python", "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert output == "interrupted True\n", output


def test_ctrl_c_interrupts_the_program() -> None:
    command = [BIN / "kitbag", "pack", "function value", "--repo", str(big_repository())]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in errors, (process.returncode, errors)


# Hostile files and processes.

# The scanner of Ruby writes past its buffer if the name of a here-document has more than 255 bytes.
HOSTILE_RUBY = "x = <<" + "A" * 256 + "\nbody\n" + "A" * 256 + "\n"


def test_python_can_end_while_calls_end() -> None:
    script = """
import asyncio, kitbag.aio
async def main():
    calls = [asyncio.create_task(kitbag.aio.pack(f"redirects {i}", repo=%r, budget=4_000)) for i in range(60)]
    await asyncio.sleep(0.4)
    for call in calls:
        call.cancel()
asyncio.run(main())
"""
    # Before callbacks were kept out of an interpreter that ends, one process in five was aborted.
    for _ in range(10):
        run(BIN / "python", "-c", script % str(REPO))


def test_a_hostile_file_does_not_end_the_host() -> None:
    repo = copy_of_repository("hostile")
    (repo / "hostile.rb").write_text(HOSTILE_RUBY)
    (repo / "fine.rb").write_text("def redirect_follower\n  1\nend\n")
    pack = kitbag.Engine().pack("redirect_follower", repo=repo, references=["hostile.rb"], budget=4_000)
    assert "redirect_follower" in pack.content and "fine.rb" in pack.content
    assert any("`hostile.rb` (the parser crashed)" in warning for warning in pack.warnings), pack.warnings


def test_parsers_are_confined() -> None:
    engine = kitbag.Engine()
    call = threading.Thread(target=lambda: engine.pack(TASK, repo=copy_of_repository("confined")))
    call.start()
    filters = set()
    while call.is_alive():
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            with contextlib.suppress(OSError):
                lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
                if lines["PPid"] == str(os.getpid()) and lines["Name"].startswith("python"):
                    filters.add((lines["Seccomp"].strip(), lines["Threads"].strip()))
    assert ("2", "1") in filters, filters


def _pack_in_fork(queue: Any) -> None:
    try:
        kitbag.pack(TASK, repo=REPO)
        queue.put("packed")
    except kitbag.KitbagError as error:
        queue.put(error.code)


def test_a_forked_process_gets_an_error_instead_of_hanging() -> None:
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_pack_in_fork, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == "forked"
    child.join()


# Examples.


class MockModel(http.server.BaseHTTPRequestHandler):
    """A model that asks for the tool once with a mistake, once correctly, and then answers with what it read."""

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        arguments = [{"task": "redirects", "budgt": 1}, {"task": "how are redirects followed?", "budget": 2_000}]
        results = [message["content"] for message in messages if message["role"] == "tool"]
        if len(results) < len(arguments):
            function = {"name": "pack_context", "arguments": json.dumps(arguments[len(results)])}
            call = {"id": f"call_{len(results)}", "type": "function", "function": function}
            message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call]}
        else:
            message = {"role": "assistant", "content": "\n".join(results)}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"choices": [{"message": message}]}).encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_examples_run() -> None:
    examples = DIR / "examples"
    question = "how are redirects followed?"
    found = run(BIN / "python", examples / "langchain_retriever.py", question, REPO)
    assert "httpx/_client.py" in found
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), MockModel)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = {**os.environ, "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1"}
    loops = [[BIN / "python", examples / "tool_loop.py"], ["node", DIR / "node" / "built" / "tool_loop.mjs"]]
    for command in loops:
        answer = run(*command, question, str(REPO), env=environment)
        assert "did you mean `budget`" in answer and "_build_redirect" in answer, answer[:2_000]
    server.shutdown()


def main() -> None:
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    failed = 0
    for name, test in tests:
        if len(sys.argv) > 1 and sys.argv[1] not in name:
            continue
        started = time.monotonic()
        try:
            test()
            print(f"ok   {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL {name}", flush=True)
            traceback.print_exc()
    print(f"{failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
