"""Importing the package is quick: slow imports happen on first use."""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median

import pytest

LATER = (
    "asyncio",
    "google.protobuf.json_format",
    "grpc",
    "websockets",
    "gymnasium",
    "pandas",
    "torch",
    "sc2bridge.ids",
)


def test_slow_imports_happen_on_first_use() -> None:
    program = f"import sys, sc2bridge; print([name for name in {LATER} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    program = (
        "import sys, sc2bridge; sc2bridge.launch; sc2bridge.ids.UnitTypeId; sc2bridge.recording.Frames;"
        " from sc2bridge import *; open_recording, ids; print('asyncio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def seconds(module: str, cache: str) -> float:
    """Processor time of a Python that imports a module."""
    import resource  # Windows does not have it.

    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", f"import {module}"], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="measured on Linux")
def test_importing_it_takes_at_most_twice_the_time_of_numpy(tmp_path: object) -> None:
    times: dict[str, list[float]] = {"numpy": [], "sc2bridge": []}
    for _ in range(12):  # In turns, so that a busy moment is one of both.
        for module, found in times.items():
            found.append(seconds(module, str(tmp_path)))
    numpy, own = (median(found[2:]) for found in times.values())  # The first ones compile.
    assert own <= 2 * numpy, f"{own:.3f} s, numpy {numpy:.3f} s"
