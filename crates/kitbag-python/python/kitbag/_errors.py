"""Exceptions."""

from __future__ import annotations


class KitbagError(Exception):
    """An error that prevents an answer."""

    def __init__(self, message: str, code: str = "", hint: str | None = None) -> None:
        super().__init__(message, code, hint)
        self.message = message
        """Description of the problem."""
        self.code = code
        """Code for programs, such as ``repository`` or ``unknown_model``."""
        self.hint = hint
        """Suggestion how to fix it, if there is one."""

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class RequestError(KitbagError, ValueError):
    """An invalid request: an unknown argument, a wrong type, a repository that does not exist."""
