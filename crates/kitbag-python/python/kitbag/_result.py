"""What all results have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, get_type_hints


class Answer(Protocol):
    """An answer of the extension."""

    @property
    def content(self) -> str | None: ...

    def json(self) -> str: ...


class _SavedAnswer:
    """An answer that was pickled."""

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def content(self) -> str | None:
        content: str | None = json.loads(self._text).get("content")
        return content

    def json(self) -> str:
        return self._text


class Result:
    """An answer, whose fields are read when one of them is first used."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def to_json(self) -> str:
        """Returns the whole report as JSON."""
        return self._answer.json()

    def to_dict(self) -> dict[str, Any]:
        """Returns the whole report as dictionaries and lists."""
        report: dict[str, Any] = json.loads(self.to_json())
        return report

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name not in _fields(type(self)):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            self.__dict__.update(_decoded(type(self), self.to_dict()))
            return self.__dict__[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_fields(type(self))]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Result) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.to_json())

    def __repr__(self) -> str:
        def shown(value: object) -> str:
            return f"[{len(value)} items]" if isinstance(value, list) else repr(value)

        fields = (f"{name}={shown(getattr(self, name))}" for name in _fields(type(self)))
        return f"{type(self).__name__}({', '.join(fields)})"


def _restore(cls: type[Result], text: str) -> Result:
    return cls(_SavedAnswer(text))


_FIELDS: dict[type, dict[str, Any]] = {}


def _fields(cls: type) -> dict[str, Any]:
    """Returns the fields of a result with their types, in order."""
    from kitbag import _results

    if cls not in _FIELDS:
        _FIELDS[cls] = get_type_hints(cls, vars(_results))
    return _FIELDS[cls]


def _decoded(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Makes the fields of a result from those of its JSON, in which empty ones are left out."""
    nested = _nested(cls)
    fields: dict[str, Any] = {}
    for name, hint in _fields(cls).items():
        value = values.get(name)
        if value is None and str(hint).startswith("list["):
            value = []
        inner = nested.get(name)
        fields[name] = _object(inner, value) if inner is not None else value
    return fields


def _object(cls: type, value: Any) -> Any:
    """Makes an object of a class from its JSON, or a list of such objects."""
    if value is None:
        return None
    if isinstance(value, list):
        nested = _nested(cls)
        return [_object(cls, item) for item in value] if nested else [cls(**item) for item in value]
    fields = dict(value)
    for name, inner in _nested(cls).items():
        if name in fields:
            fields[name] = _object(inner, fields[name])
    return cls(**fields)


_NESTED: dict[type, dict[str, type]] = {}


def _nested(cls: type) -> dict[str, type]:
    """Returns the classes of the fields that are objects."""
    if cls not in _NESTED:
        from kitbag._results import NESTED

        _NESTED[cls] = next((NESTED[base] for base in cls.__mro__ if base in NESTED), {})
    return _NESTED[cls]
