"""How parsers are started: as processes of this interpreter that load nothing but the extension.

Grammars are C code, which a hostile file can crash, so no file is parsed in the process of the caller.
"""

from __future__ import annotations

import os
import sys

from kitbag import _kitbag

# Loads the extension by its path: the process has no environment, and reads no site-packages.
_LOADER = (
    "import sys;"
    "from importlib.util import module_from_spec as make, spec_from_file_location as find;"
    "spec = find('kitbag._kitbag', sys.argv[1]);"
    "module = make(spec);"
    "spec.loader.exec_module(module);"
    "module.run_worker()"
)


def worker_command() -> list[str]:
    """Returns the command line of a process that parses."""
    return [_interpreter(), "-I", "-S", "-B", "-c", _LOADER, os.path.abspath(_kitbag.__file__)]


def _interpreter() -> str:
    """Returns a Python interpreter. In a program that embeds Python, ``sys.executable`` can be that program."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folder = os.path.join(sys.base_exec_prefix, "" if os.name == "nt" else "bin")
    candidates = [sys.executable, getattr(sys, "_base_executable", None)]
    candidates += [os.path.join(folder, name) for name in (version, "python3", "python.exe")]
    for candidate in candidates:
        name = os.path.basename(candidate or "").lower()
        if candidate and name.startswith(("python", "pypy")) and os.path.isfile(candidate):
            return candidate
    # Files are then split by lines, with a warning in each report.
    return version
