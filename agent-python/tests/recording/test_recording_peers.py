"""Recordings read by this package and by MCAP's own one for Python, on the newest wheels of everything."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from conftest import ROOT

CASE = pathlib.Path(__file__).parents[1] / "recording_peer_case.py"
WHEELS = ("mcap", "mcap_protobuf_support", "lz4", "zstandard", "protobuf-7.36.2", "numpy")


@pytest.fixture
def newest(wheels: Any) -> dict[str, str]:
    """An environment of the newest wheels."""
    folders = [folder for name in WHEELS for folder in wheels(name)]
    source = ROOT / "agent-python" / "src"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*folders, source, CASE.parent]))}
    environment.pop("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", None)
    return environment


def test_the_same_as_mcap_reads(newest: dict[str, str], tmp_path: pathlib.Path) -> None:
    recordings = sorted(map(str, (ROOT / "recordings").glob("sample*.mcap")))
    done = subprocess.run(
        [sys.executable, str(CASE), str(tmp_path), *recordings], env=newest, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("equal\n")


def test_on_the_newest_wheels(newest: dict[str, str]) -> None:
    """The reader's own tests that need no pytest are few: frames, seeks and damage once more, on protobuf 7 and its upb."""
    program = """
import io, pathlib, sys, tempfile
from recording_case import whole
import google.protobuf, zstandard
import sc2bridge
assert google.protobuf.__version__ == "7.36.2" and zstandard.__version__ >= "0.25", zstandard.__version__
written = whole(60, perspectives=(1, 2), step_size=3)
path = pathlib.Path(tempfile.mkdtemp(), "match.mcap")
for cut in (len(written.data), written.chunk_ends[5], written.chunk_ends[2] + 40):
    path.write_bytes(written.data[:cut])
    with sc2bridge.open_recording(path) as recording:
        frames = recording.perspective(2)
        for index, (step, loop, data) in enumerate(written.frames[2][: len(frames)]):
            frame = frames[index]
            assert (frame.step, frame.game_loop, bytes(frame.raw)) == (step, loop, data)
            assert frames.at_loop(loop).step == step and len(frame.units) == 12
        assert (recording.damage is None) == (cut == len(written.data))
print("read")
"""
    done = subprocess.run([sys.executable, "-c", program], env=newest, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "read\n", done.stdout + done.stderr
