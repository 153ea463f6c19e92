"""The program ``kitbag``, which is part of the extension."""

from __future__ import annotations

import os
import signal
import sys

from kitbag import _kitbag
from kitbag._worker import worker_command


def main() -> None:
    """Runs the command line of this process, and exits with its status."""
    # Python would remember Ctrl-C until the program returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    status = _kitbag.run_program(["kitbag", *sys.argv[1:]], _program(), worker_command())
    # Nothing of Python is left to clean up, and threads of the program may still run.
    os._exit(status)


def _program() -> list[str]:
    """Returns the words that start this program."""
    script = os.path.abspath(sys.argv[0])
    name = os.path.basename(script)
    if name in ("kitbag", "kitbag.exe") and os.path.isfile(script):
        return [script]
    return [sys.executable, "-m", "kitbag"]
