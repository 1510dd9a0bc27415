"""The machine and the commit of a measurement."""

from __future__ import annotations

import os
import pathlib
import platform
import subprocess
from typing import Any


def describe_machine() -> dict[str, Any]:
    """Commit, processor, cores, system, Python's version, and the load of the last minute. Call it before the measurement."""
    git = [
        "git",
        "-C",
        str(pathlib.Path(__file__).parent),
        "describe",
        "--always",
        "--dirty",
        "--abbrev=40",
        "--exclude=*",
    ]
    return {
        "commit": subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }
