"""Optional libraries: they are measured if they are installed."""

from __future__ import annotations

import importlib
import platform
from importlib.metadata import version
from typing import Any, Dict

import google.protobuf
from google.protobuf.internal import api_implementation


def optional(name: str) -> Any:
    """The module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def runtime() -> Dict[str, Any]:
    """Which Python, and which protobuf and engine."""
    return {
        "python": platform.python_version(),
        "protobuf": google.protobuf.__version__,
        "implementation": api_implementation.Type(),
    }


def versions(*names: str) -> str:
    """Names and versions of installed packages, with protobuf's and Python's."""
    about = runtime()
    libraries = [f"{name} {version(name)}" for name in names]
    return ", ".join(
        [f"Python {about['python']}", *libraries, f"protobuf {about['protobuf']} ({about['implementation']})"]
    )
