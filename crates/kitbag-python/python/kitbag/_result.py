"""What all results have in common, and how they become objects of Python."""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, get_type_hints

from kitbag._kitbag import NativeAnswer, NativePart, NativeShape


class Answer(Protocol):
    """What a result needs of an answer besides its fields."""

    @property
    def content(self) -> str | None: ...
    def json(self) -> str: ...


class Result:
    """An answer, whose fields are read when they are first used."""

    _answer: Answer
    _part: NativePart

    def __init__(self, answer: NativeAnswer) -> None:
        self._answer = answer
        self._part = answer.part()

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
                raise _no_attribute(self, name)
            value = self._part.read(_shape(type(self)), name)
            self.__dict__[name] = value
            return value

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


class LateItem:
    """An object in a result whose lists of objects are read when they are first used. It has a dataclass's fields."""

    __slots__ = ("_part",)
    _part: NativePart

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name not in _fields(type(self)):
                raise _no_attribute(self, name)
            value = self._part.read(_shape(type(self)), name)
            setattr(self, name, value)
            return value

    def __repr__(self) -> str:
        # Without the lists that are read late: they are long, and showing an object would read them.
        nested = _nested(type(self))
        names = [name for name, hint in _fields(type(self)).items() if name not in nested or not _is_list(hint)]
        texts = (f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({', '.join(texts)})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _fields(type(self))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


def _no_attribute(value: object, name: str) -> AttributeError:
    return AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}", name=name, obj=value)


_FIELDS: dict[type, dict[str, Any]] = {}


def _fields(cls: type) -> dict[str, Any]:
    """Returns the fields of a result, or of an object in it, with their types, in order."""
    from kitbag import _results

    if cls not in _FIELDS:
        # The classes are spread over both modules.
        hints = get_type_hints(cls, {**globals(), **vars(_results)})
        _FIELDS[cls] = {name: hint for name, hint in hints.items() if not name.startswith("_")}
    return _FIELDS[cls]


def _nested(cls: type) -> dict[str, type]:
    """Returns the classes of the fields that are objects or lists of objects."""
    from kitbag._results import NESTED

    return next((NESTED[base] for base in cls.__mro__ if base in NESTED), {})


class _FieldShape(NamedTuple):
    """A field as the extension must know it."""

    name: str
    default: object
    is_factory: bool
    is_late: bool
    shape: NativeShape | None


_SHAPES: dict[type, NativeShape] = {}


def _shape(cls: type) -> NativeShape:
    """Returns what the extension must know to make objects of a class."""
    if cls not in _SHAPES:

        def shape_of(name: str, hint: object) -> _FieldShape:
            default, is_factory = _default(cls, name, hint)
            inner = _nested(cls).get(name)
            is_late = inner is not None and _is_list(hint) and issubclass(cls, LateItem)
            return _FieldShape(name, default, is_factory, is_late, _shape(inner) if inner else None)

        shapes = [shape_of(name, hint) for name, hint in _fields(cls).items()]
        _SHAPES[cls] = NativeShape(cls if is_dataclass(cls) else None, shapes)
    return _SHAPES[cls]


def _is_list(hint: object) -> bool:
    return str(hint).startswith("list[")


def _default(cls: type, name: str, hint: object) -> tuple[object, bool]:
    """Returns the value of a field that a report leaves out because it is empty, and whether it must be called."""
    field: Field[Any] | None = next((it for it in fields(cls) if it.name == name), None) if is_dataclass(cls) else None
    if field is None:
        return (list, True) if _is_list(hint) else (None, False)
    if field.default_factory is not MISSING:
        return field.default_factory, True
    return (None if field.default is MISSING else field.default), False


class _SavedAnswer:
    """The answer of a result that was pickled."""

    def __init__(self, text: str, content: str | None) -> None:
        self._text = text
        self.content = content

    def json(self) -> str:
        return self._text


def _restore(cls: type[Result], text: str) -> Result:
    report = json.loads(text)
    result = cls.__new__(cls)
    result._answer = _SavedAnswer(text, report.get("content"))
    result.__dict__.update(_restored_fields(cls, report))
    return result


def _restored_fields(cls: type, values: dict[str, Any]) -> dict[str, Any]:
    """Makes the fields of a class from JSON, as the extension does from a report."""
    nested = _nested(cls)

    def restored(name: str, hint: object) -> object:
        if name not in values:
            default, is_factory = _default(cls, name, hint)
            return default() if is_factory and callable(default) else default
        value, inner = values[name], nested.get(name)
        if inner is None or value is None:
            return value
        if isinstance(value, list):
            return [inner(**_restored_fields(inner, it)) for it in value]
        return inner(**_restored_fields(inner, value))

    return {name: restored(name, hint) for name, hint in _fields(cls).items()}
