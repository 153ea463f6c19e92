"""Measures the cost of calls in Python. Run by scripts/measure-packages."""

import asyncio
import statistics
import sys
import time

import kitbag
import kitbag.aio

CALLS = 200
GOAL_MS = 1.0
"""Maximum median time of a call beyond that of the engine, in milliseconds. Rows that read every object in a report have
none: what they cost depends on its size."""
TASK = "how are redirects followed?"
repo = sys.argv[1]
over_goal: list[str] = []


def print_row(name: str, extras: list[float], has_goal: bool = True) -> None:
    extras.sort()
    median = statistics.median(extras)
    print(f"| {name} | {median:.2f} ms | {extras[len(extras) * 95 // 100]:.2f} ms |", flush=True)
    if has_goal and median > GOAL_MS:
        over_goal.append(name)


def measure(name: str, call, use, has_goal: bool = True) -> None:  # type: ignore[no-untyped-def]
    extras = []
    for _ in range(CALLS):
        started = time.perf_counter()
        result = call()
        use(result)
        taken = time.perf_counter() - started
        extras.append((taken - result._answer.duration) * 1_000)
    print_row(name, extras, has_goal)


async def measure_asyncio(engine: kitbag.aio.Engine) -> None:
    extras = []
    for _ in range(CALLS):
        started = time.perf_counter()
        result = await engine.pack(TASK, repo=repo, budget=8_000)
        len(result.content)
        extras.append((time.perf_counter() - started - result._answer.duration) * 1_000)  # type: ignore[attr-defined]
    print_row("Python, asyncio: `pack` of 8,000 tokens, text read", extras)


def read_factors(report: kitbag.SearchReport) -> int:
    return sum(len(result.factors) + len(result.file_factors) for result in report.results)


def read_report(pack: kitbag.Pack) -> None:
    for name in dir(pack):
        getattr(pack, name)
    for item in [*pack.included, *pack.excluded]:
        item.duplicates


engine = kitbag.Engine(watch=repo)
engine.pack(TASK, repo=repo)
measure("Python: `find_symbol`", lambda: engine.find_symbol("redirect", repo=repo), lambda it: it.caller_count)
search = lambda: engine.search(TASK, repo=repo)  # noqa: E731
measure("Python: `search`, results read", search, lambda it: it.results)
measure("Python: `search`, results and all factors read", search, read_factors, has_goal=False)
pack = lambda: engine.pack(TASK, repo=repo, budget=8_000)  # noqa: E731
measure("Python: `pack` of 8,000 tokens, text read", pack, lambda it: len(it.content))
measure("Python: `pack` of 8,000 tokens, text and whole report read", pack, read_report, has_goal=False)
asyncio.run(measure_asyncio(kitbag.aio.Engine(watch=repo)))
for name in over_goal:
    print(f"{name}: the median is over the goal of {GOAL_MS:.0f} ms", file=sys.stderr)
sys.exit(1 if over_goal else 0)
