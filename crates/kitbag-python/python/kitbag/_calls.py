"""Turns arguments into requests, and answers into results."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from kitbag._errors import RequestError
from kitbag._kitbag import NativeAnswer, NativeEngine
from kitbag._worker import worker_command

__all__ = ["NativeAnswer", "NativeEngine", "folders", "open_engine", "request", "shared_engine", "with_fields"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def request(first: str, value: object, fields: Mapping[str, Any]) -> str:
    """Makes the JSON of a request from its first argument and the others."""
    all_fields = {first: value, **fields}
    try:
        return _dumps(all_fields)
    except (TypeError, ValueError, RecursionError):
        for name, value in all_fields.items():
            try:
                _dumps({name: value})
            except UnicodeEncodeError as error:
                lone = ascii(error.object[error.start : error.end])
                name = name.encode(errors="backslashreplace").decode()
                hint = "paths must be UTF-8, and texts must not contain halves of surrogate pairs"
                raise RequestError(f"`{name}`: not valid Unicode: {lone}", "request", hint) from error
            except (TypeError, ValueError, RecursionError) as error:
                raise RequestError(f"`{name}`: not a value of JSON: {error}", "request") from error
        raise


def _dumps(value: object) -> str:
    text = json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False)
    # Python decodes bytes of paths that are not UTF-8 as lone surrogates, which JSON cannot contain.
    text.encode()
    return text


def _plain(value: object) -> object:
    """Returns the value of JSON for a value of Python."""
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, datetime):
        return value.astimezone().isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def with_fields(fields: type) -> Callable[[_Function], _Function]:
    """Makes the fields of a request known to `help`, which shows only their class, and to pydantic."""
    lines = ["", "", "Fields:"]
    for name in fields.__annotations__:
        if len(lines[-1]) + len(name) > 90:
            lines.append("   ")
        lines[-1] += f" {name}"
    # Pydantic would drop unknown fields, whose error names the nearest.
    setattr(fields, "__pydantic_config__", {"extra": "allow"})

    def documented(function: _Function) -> _Function:
        # With `-OO` there are no docstrings.
        if function.__doc__:
            function.__doc__ += "\n".join(lines)
        return function

    return documented


def folders(watch: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str | os.PathLike[str]]:
    """Returns one or several repositories as a list."""
    return [watch] if isinstance(watch, (str, os.PathLike)) else list(watch)


def open_engine(progress: Callable[[int, int], object] | None = None) -> NativeEngine:
    """Opens an engine whose parsers are processes of this interpreter."""
    if progress is not None and not callable(progress):
        raise TypeError("`progress` must be a function")
    return NativeEngine(worker_command(), progress)


_shared: NativeEngine | None = None


def shared_engine() -> NativeEngine:
    """Returns the engine of the functions that have none of their own."""
    global _shared
    if _shared is None:
        _shared = open_engine()
    return _shared
