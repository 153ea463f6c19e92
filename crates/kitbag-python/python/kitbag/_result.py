"""What all results have in common."""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

from kitbag._kitbag import NativeAnswer, NativeShape


class Result:
    """An answer, whose fields are read when one of them is first used."""

    def __init__(self, answer: NativeAnswer) -> None:
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
            self.__dict__.update(self._answer.fields(_shape(type(self))))
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

        texts = (f"{name}={shown(getattr(self, name))}" for name in _fields(type(self)))
        return f"{type(self).__name__}({', '.join(texts)})"


def _restore(cls: type[Result], text: str) -> Result:
    return cls(NativeAnswer.saved(text))


_FIELDS: dict[type, dict[str, Any]] = {}


def _fields(cls: type) -> dict[str, Any]:
    """Returns the fields of a result with their types, in order."""
    from kitbag import _results

    if cls not in _FIELDS:
        _FIELDS[cls] = get_type_hints(cls, vars(_results))
    return _FIELDS[cls]


class _FieldShape(NamedTuple):
    """A field as the extension must know it."""

    name: str
    default: object
    is_factory: bool
    is_float: bool
    shape: NativeShape | None


_SHAPES: dict[type, NativeShape] = {}


def _shape(cls: type) -> NativeShape:
    """Returns what the extension must know to make objects of a class from JSON, in which empty fields are left out."""
    from kitbag._results import NESTED

    if cls not in _SHAPES:
        nested = next((NESTED[base] for base in cls.__mro__ if base in NESTED), {})
        defaults = {it.name: it for it in fields(cls)} if is_dataclass(cls) else {}

        def shape_of(name: str, hint: object) -> _FieldShape:
            default, is_factory = _default(defaults.get(name), hint)
            inner = nested.get(name)
            return _FieldShape(name, default, is_factory, hint in (float, float | None), _shape(inner) if inner else None)

        shapes = [shape_of(name, hint) for name, hint in _fields(cls).items()]
        _SHAPES[cls] = NativeShape(cls if is_dataclass(cls) else None, shapes)
    return _SHAPES[cls]


def _default(it: Field[Any] | None, hint: object) -> tuple[object, bool]:
    """Returns the value of a field that is not in the JSON, and whether it must be called."""
    if it is None:
        return (list, True) if str(hint).startswith("list[") else (None, False)
    if it.default_factory is not MISSING:
        return it.default_factory, True
    return (None if it.default is MISSING else it.default), False
