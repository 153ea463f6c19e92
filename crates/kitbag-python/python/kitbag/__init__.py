"""Packs repository context for language models into an exact token budget.

>>> import kitbag
>>> pack = kitbag.pack("why does login fail?", repo=".", budget=8_000)
>>> prompt = pack.content

The functions share an engine, which keeps indexes in memory and in the user's cache folder. An `Engine` of your
own can also watch repositories. `kitbag.aio` has the same functions for asyncio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import TYPE_CHECKING

from kitbag import _results
from kitbag._calls import NativeEngine, folders, open_engine, request, shared_engine, with_fields
from kitbag._errors import KitbagError, RequestError
from kitbag._requests import OverviewFields, PackFields, SearchFields, SymbolFields
from kitbag._results import *
from kitbag._results import Pack, Preview, SearchReport, SymbolReport
from kitbag._typing import Unpack

if TYPE_CHECKING:
    from kitbag import aio as aio

    __version__: str
else:

    def __getattr__(name):
        """Loads what most programs do not use: asyncio, and the metadata of the package."""
        if name == "aio":
            from importlib import import_module

            return import_module("kitbag.aio")
        if name == "__version__":
            from importlib.metadata import version

            return version("kitbag")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Engine", "KitbagError", "RequestError", "find_symbol", "overview", "pack", "preview", "search"]
__all__ += _results.__all__


class Engine:
    """Answers requests, and keeps what it has learned about repositories in memory.

    ``watch`` names repositories to watch: while nothing changes in one, requests about it do not look for changes.
    ``progress`` is called while an index is brought up to date for a call, with the number of files read and the
    number to read, on another thread. It need not see every number. If it raises an exception, the call ends its
    work and raises it. Any number of threads can use an engine at once.
    """

    def __init__(
        self,
        *,
        watch: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self._native: NativeEngine = open_engine(progress)
        for repo in folders(watch):
            self.watch(repo)

    def watch(self, repo: str | PathLike[str]) -> None:
        """Watches a repository from now on."""
        self._native.watch(repo)

    @with_fields(PackFields)
    def pack(self, task: str = "", **fields: Unpack[PackFields]) -> Pack:
        """Packs the code that is relevant to a task. Without a task, it packs an overview of the repository."""
        return Pack(self._native.call("pack", request("task", task, fields)))

    @with_fields(PackFields)
    def preview(self, task: str = "", **fields: Unpack[PackFields]) -> Preview:
        """Decides what `pack` would include, without its text."""
        return Preview(self._native.call("preview", request("task", task, fields)))

    @with_fields(OverviewFields)
    def overview(self, repo: str | PathLike[str] = ".", **fields: Unpack[OverviewFields]) -> Pack:
        """Packs an overview of a repository: files, README, entry points, central symbols."""
        return Pack(self._native.call("overview", request("repo", repo, fields)))

    @with_fields(SearchFields)
    def search(self, task: str, **fields: Unpack[SearchFields]) -> SearchReport:
        """Searches for chunks or files that are relevant to a task."""
        return SearchReport(self._native.call("search", request("task", task, fields)))

    @with_fields(SymbolFields)
    def find_symbol(self, name: str, **fields: Unpack[SymbolFields]) -> SymbolReport:
        """Finds the definitions, callers and references of a name."""
        return SymbolReport(self._native.call("find_symbol", request("name", name, fields)))


def _shared() -> Engine:
    """Returns the engine of the functions below."""
    engine = Engine.__new__(Engine)
    engine._native = shared_engine()
    return engine


@with_fields(PackFields)
def pack(task: str = "", **fields: Unpack[PackFields]) -> Pack:
    """Packs the code that is relevant to a task. Without a task, it packs an overview of the repository."""
    return _shared().pack(task, **fields)


@with_fields(PackFields)
def preview(task: str = "", **fields: Unpack[PackFields]) -> Preview:
    """Decides what `pack` would include, without its text."""
    return _shared().preview(task, **fields)


@with_fields(OverviewFields)
def overview(repo: str | PathLike[str] = ".", **fields: Unpack[OverviewFields]) -> Pack:
    """Packs an overview of a repository: files, README, entry points, central symbols."""
    return _shared().overview(repo, **fields)


@with_fields(SearchFields)
def search(task: str, **fields: Unpack[SearchFields]) -> SearchReport:
    """Searches for chunks or files that are relevant to a task."""
    return _shared().search(task, **fields)


@with_fields(SymbolFields)
def find_symbol(name: str, **fields: Unpack[SymbolFields]) -> SymbolReport:
    """Finds the definitions, callers and references of a name."""
    return _shared().find_symbol(name, **fields)
