"""python-sc2's own client as a yardstick of `sc2bridge compare`."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

BENCH = ROOT / "bridge-csharp/bench/Sc2Bridge.Bench/bin/Release/net10.0/sc2bridge-bench.dll"


def compare(*arguments: str) -> subprocess.CompletedProcess[str]:
    """On this interpreter, over a small recording, for a moment."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "agent-python" / "src")}
    recording = str(ROOT / "recordings" / "sample.mcap")
    options = ["--recording", recording, "--from", "200", "--rounds", "1", "--seconds", "0.3", *arguments]
    return subprocess.run(
        ["dotnet", str(BENCH), "compare", *options, "--python", sys.executable],
        env=environment,
        capture_output=True,
        text=True,
    )


def test_it_polls_beside_the_bridge_at_the_games_rate_and_back_to_back(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.json"
    ended = compare("--only", "python-sc2", "--only", "raw TCP", "--json", str(file))
    assert ended.returncode == 0, ended.stderr
    report = json.loads(file.read_text())
    assert not [reason for reason in report["left"] if "python-sc2" in reason]
    runs = {run["measurement"]: run for run in report["runs"]}
    polled = [run for cell, run in runs.items() if cell.startswith("game/")]
    raw = next(run for cell, run in runs.items() if cell.startswith("raw/"))
    assert len(polled) == 2
    for run in polled:
        assert run["problem"] is None
        assert run["frames"] > 2 and run["lost"] == 0
        assert 0 < run["held"]["p50"] < run["parsed"]["p50"] < 60e6
        assert "python-sc2 (burnysc2 7.3" in run["agent"]
        # The same observations in another envelope.
        assert abs(run["message_bytes"] - raw["message_bytes"]) < 0.1 * raw["message_bytes"]
    names = {row["name"] for table in report["tables"] for row in table["rows"]}
    assert {"raw TCP", "python-sc2", "python-sc2, lockstep"} <= names
