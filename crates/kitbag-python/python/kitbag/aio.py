"""The functions of `kitbag` for asyncio.

>>> pack = await kitbag.aio.pack("why does login fail?", repo=".", budget=8_000)

Cancelling the task that waits for an answer ends the work.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from os import PathLike

from kitbag._calls import NativeAnswer, NativeEngine, folders, open_engine, request, shared_engine, with_fields
from kitbag._requests import OverviewFields, PackFields, SearchFields, SymbolFields
from kitbag._results import Pack, Preview, SearchReport, SymbolReport
from kitbag._typing import Unpack

__all__ = ["Engine", "find_symbol", "overview", "pack", "preview", "search"]


class Engine:
    """An engine like `kitbag.Engine`, whose methods are coroutines.

    ``watch`` blocks the event loop while repositories are walked; the method of that name does not.
    """

    def __init__(
        self,
        *,
        watch: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self._native: NativeEngine = open_engine(progress)
        for repo in folders(watch):
            self._native.watch(repo)

    async def watch(self, repo: str | PathLike[str]) -> None:
        """Watches a repository from now on."""
        await asyncio.to_thread(self._native.watch, repo)

    @with_fields(PackFields)
    async def pack(self, task: str = "", **fields: Unpack[PackFields]) -> Pack:
        """Packs the code that is relevant to a task. Without a task, it packs an overview of the repository."""
        return Pack(await _answer(self._native, "pack", request("task", task, fields)))

    @with_fields(PackFields)
    async def preview(self, task: str = "", **fields: Unpack[PackFields]) -> Preview:
        """Decides what `pack` would include, without its text."""
        return Preview(await _answer(self._native, "preview", request("task", task, fields)))

    @with_fields(OverviewFields)
    async def overview(self, repo: str | PathLike[str] = ".", **fields: Unpack[OverviewFields]) -> Pack:
        """Packs an overview of a repository: files, README, entry points, central symbols."""
        return Pack(await _answer(self._native, "overview", request("repo", repo, fields)))

    @with_fields(SearchFields)
    async def search(self, task: str, **fields: Unpack[SearchFields]) -> SearchReport:
        """Searches for chunks or files that are relevant to a task."""
        return SearchReport(await _answer(self._native, "search", request("task", task, fields)))

    @with_fields(SymbolFields)
    async def find_symbol(self, name: str, **fields: Unpack[SymbolFields]) -> SymbolReport:
        """Finds the definitions, callers and references of a name."""
        return SymbolReport(await _answer(self._native, "find_symbol", request("name", name, fields)))


def _shared() -> Engine:
    """Returns the engine of the functions below."""
    engine = Engine.__new__(Engine)
    engine._native = shared_engine()
    return engine


@with_fields(PackFields)
async def pack(task: str = "", **fields: Unpack[PackFields]) -> Pack:
    """Packs the code that is relevant to a task. Without a task, it packs an overview of the repository."""
    return await _shared().pack(task, **fields)


@with_fields(PackFields)
async def preview(task: str = "", **fields: Unpack[PackFields]) -> Preview:
    """Decides what `pack` would include, without its text."""
    return await _shared().preview(task, **fields)


@with_fields(OverviewFields)
async def overview(repo: str | PathLike[str] = ".", **fields: Unpack[OverviewFields]) -> Pack:
    """Packs an overview of a repository: files, README, entry points, central symbols."""
    return await _shared().overview(repo, **fields)


@with_fields(SearchFields)
async def search(task: str, **fields: Unpack[SearchFields]) -> SearchReport:
    """Searches for chunks or files that are relevant to a task."""
    return await _shared().search(task, **fields)


@with_fields(SymbolFields)
async def find_symbol(name: str, **fields: Unpack[SymbolFields]) -> SymbolReport:
    """Finds the definitions, callers and references of a name."""
    return await _shared().find_symbol(name, **fields)


async def _answer(engine: NativeEngine, operation: str, text: str) -> NativeAnswer:
    """Waits for an answer; cancels the call if the caller is cancelled."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[NativeAnswer] = loop.create_future()

    def finish(answer: NativeAnswer | None, error: BaseException | None) -> None:
        if future.done():
            return
        if answer is not None:
            future.set_result(answer)
        elif isinstance(error, StopIteration):
            # A future refuses it, because it would end the coroutine that waits.
            failure = RuntimeError("a callback raised StopIteration")
            failure.__cause__ = error
            future.set_exception(failure)
        elif error is not None:
            future.set_exception(error)

    def done(answer: NativeAnswer | None, error: BaseException | None) -> None:
        # This is another thread. If the loop is closed, the caller has gone.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(finish, answer, error)

    call = engine.start(operation, text, done)
    try:
        return await future
    finally:
        call.cancel()
