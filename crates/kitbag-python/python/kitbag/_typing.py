"""Names of `typing` that annotations need when they are evaluated, as by pydantic, and that older versions lack."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

__all__ = ["Required", "TypedDict", "Unpack"]

if TYPE_CHECKING:
    from typing_extensions import Required, TypedDict, Unpack
elif sys.version_info >= (3, 12):
    from typing import Required, TypedDict, Unpack
else:
    try:
        # Before Python 3.12, pydantic accepts no other `TypedDict`.
        from typing_extensions import Required, TypedDict, Unpack
    except ImportError:
        from typing import TypedDict

        class Required:
            """A field that must be given."""

            def __class_getitem__(cls, item: object) -> object:
                return item

        class Unpack:
            """Keyword arguments of different types, which nothing else describes."""

            def __class_getitem__(cls, item: object) -> object:
                return Any
