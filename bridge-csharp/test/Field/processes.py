"""Programs that end in bounded time, with all that they started."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import time


def members(group: int) -> list[int]:
    """The processes of a group that run."""
    found = []
    for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group = file.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(int(file.parent.name))
    return found


def end_group(group: int) -> None:
    """Kills a process group, and waits for its end."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while left := members(group):
        assert time.monotonic() < deadline, f"{left} do not end"
        time.sleep(0.02)


def run(
    command: list[str], folder: pathlib.Path, environment: dict[str, str], log: pathlib.Path, seconds: float
) -> tuple[int | None, str]:
    """Runs a program in its own process group. Returns its exit code, or None if it took longer, and its output."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    code: int | None = None
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(seconds)
    finally:
        end_group(process.pid)
        process.wait(10)
    return code, log.read_text(errors="replace")
