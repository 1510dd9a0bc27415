"""Recordings read by this package and by MCAP's own one for Python."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

CASE = pathlib.Path(__file__).parents[1] / "recording_peer_case.py"

pytestmark = pytest.mark.newest  # Debian 12 has no package of mcap.


def test_mcap_reads_the_same_frames(tmp_path: pathlib.Path) -> None:
    source = ROOT / "agent-python" / "src"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [source, CASE.parent]))}
    recordings = sorted(map(str, (ROOT / "recordings").glob("sample*.mcap")))
    done = subprocess.run(
        [sys.executable, str(CASE), str(tmp_path), *recordings], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("equal\n")
