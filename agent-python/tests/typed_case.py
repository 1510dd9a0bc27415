"""Mypy over programs that use the package."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

OTHERS = "gymnasium grpc matplotlib mcap mcap_protobuf orjson other_bot pandas sc2 scout torch websockets zstandard"


def mypy(programs: dict[str, str], folder: pathlib.Path, cache: pathlib.Path) -> list[str]:
    """The lines that mypy prints for programs, which are given by their file names."""
    pytest.importorskip("mypy", reason="mypy is not installed: tools/test has it in .setup/debian")
    for name, program in programs.items():
        (folder / name).write_text(program)
    others = ",".join(f"{name}.*" for name in [*OTHERS.split(), "google", "s2clientprotocol"])
    (folder / "mypy.ini").write_text(
        f"[mypy]\nmypy_path = {ROOT / 'agent-python/src'}\nstrict = true\n"
        f"[mypy-{others}]\nignore_missing_imports = true\nfollow_imports = skip\n"
        "[mypy-sc2bridge.s2clientprotocol.*,sc2bridge.v1.*]\nignore_errors = true\n"
    )
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(cache), *programs]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.partition(":")[0] in programs]
    assert lines or done.returncode == 0, done.stdout + done.stderr
    return lines
