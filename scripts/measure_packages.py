"""Measures the cost of calls in Python. Run by scripts/measure-packages."""

import asyncio
import statistics
import sys
import time

import kitbag
import kitbag.aio

CALLS = 200
TASK = "how are redirects followed?"
repo = sys.argv[1]


def print_row(name: str, extras: list[float]) -> None:
    extras.sort()
    print(f"| {name} | {statistics.median(extras):.2f} ms | {extras[len(extras) * 95 // 100]:.2f} ms |")


def measure(name: str, call, use) -> None:  # type: ignore[no-untyped-def]
    extras = []
    for _ in range(CALLS):
        started = time.perf_counter()
        result = call()
        use(result)
        taken = time.perf_counter() - started
        extras.append((taken - result._answer.duration) * 1_000)
    print_row(name, extras)


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
measure("Python: `search`, results and all factors read", search, read_factors)
pack = lambda: engine.pack(TASK, repo=repo, budget=8_000)  # noqa: E731
measure("Python: `pack` of 8,000 tokens, text read", pack, lambda it: len(it.content))
measure("Python: `pack` of 8,000 tokens, text and whole report read", pack, read_report)
asyncio.run(measure_asyncio(kitbag.aio.Engine(watch=repo)))
