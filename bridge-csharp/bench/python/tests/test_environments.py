"""How `environments` evaluates the reports of its players."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sc2bridge_bench import environments

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processor times are read from /proc")


def test_a_ratio_is_taken_within_each_round() -> None:
    cpu = {"python": 100.0, "bridge": 0.0, "game": 50.0}
    rates = {"python-sc2": [100, 200], "pysc2": [50, 50], "frames": [300, 400], "batch+4": [900, 700]}
    rows = [
        {"way": way, "rounds": [{"per_second": rate, "cpu_us": cpu} for rate in each]} for way, each in rates.items()
    ]
    lines = environments.table({"rows": rows}).splitlines()
    assert lines[4] == "| frames | 350 (300–400) | 2.50 | 7.00 | 100 | 0 | 50 |"
    without = environments.table({"rows": rows[1:]}).splitlines()
    assert without[3] == "| frames | 350 (300–400) |  | 7.00 | 100 | 0 | 50 |"
    assert lines[5] == "| batch+4 | 800 (700–900) |  |  | 100 | 0 | 50 |"


def test_processor_time_is_counted_by_kind_of_process() -> None:
    busy = "import time\nwhile time.process_time() < 0.2: pass\nprint(1, flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdin is not None
        child.stdout.readline()
        taken = environments.processor_seconds(child.pid)
        child.stdin.close()
    assert taken["python"] >= 0.15 and taken["bridge"] == taken["game"] == 0.0
