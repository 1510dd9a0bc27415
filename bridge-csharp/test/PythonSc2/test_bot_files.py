"""
python-sc2's own test bots on the simulated game, as their files stand. That project's public workflow runs them on the
real game, so what they assert is evidence of it; ORACLE.md lists what they asked for.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest
from conftest import PYTHON_SC2

if not (PYTHON_SC2 / "test").is_dir():
    pytest.skip(".setup/missing/python_sc2 says why python-sc2's repository is not there", allow_module_level=True)

# How many assertions each bot runs, all without a failure, and the message that it logs for each success.
BOTS = [
    ("autotest_bot", 200, "Action test", 12),
    ("queries_test_bot", 43, "", 0),
    ("damagetest_bot", 6000, "Action test", 1),
    ("upgradestest_bot", 140, "Action test", 1),
    ("battery_overcharge_bot", 0, "Success, bot did not crash", 1),
]


@pytest.mark.parametrize("name, most, success, times", BOTS, ids=[bot[0] for bot in BOTS])
def test_a_bot_finds_what_it_asserts(
    name: str, most: int, success: str, times: int, tmp_path: pathlib.Path, record_property
) -> None:
    check(name, most, success, times, tmp_path, record_property)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_probes_are_made_one_by_one_in_real_time(tmp_path: pathlib.Path, record_property) -> None:
    """It plays up to seven minutes by the clock."""
    check("real_time_worker_production", 1000, "", 0, tmp_path, record_property)


def check(name: str, most: int, success: str, times: int, folder: pathlib.Path, record_property) -> None:
    file, report = PYTHON_SC2 / f"test/{name}.py", folder / "report.json"
    runner = pathlib.Path(__file__).with_name("bot_file.py")
    run = subprocess.run([sys.executable, runner, file, report], capture_output=True, text=True)
    assert report.exists(), run.stderr[-4000:]
    found = json.loads(report.read_text())
    assertions = found["assertions"]
    record_property("assertions", sum(a["held"] for a in assertions))
    failed = [f"{file.name}:{a['line']} {a['text']}: {a['messages']}" for a in assertions if a["failed"]]
    unreached = [f"{file.name}:{a['line']} {a['text']}" for a in assertions if not a["held"] + a["failed"]]
    said = found["said"]
    assert (failed, unreached, found["code"]) == ([], [], 0), said
    assert not [line for line in said if line.startswith("ERROR")], said
    assert sum(a["held"] for a in assertions) >= most
    assert len([line for line in said if success and success in line]) == times, said
