"""python-sc2's own client in the benchmark `acting`: directly on a game, and through the bridge's proxy."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

BENCH = ROOT / "bridge-csharp/bench/Sc2Bridge.Bench/bin/Release/net10.0/sc2bridge-bench.dll"


@pytest.mark.long
def test_it_acts_beside_the_bridge_and_through_its_proxy(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.json"
    options = ["--rounds", "1", "--steps", "5", "--ways", "python-sc2+proxy", "proto", "--python", sys.executable]
    ended = subprocess.run(
        ["dotnet", str(BENCH), "acting", *options, "--json", str(file)], capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    rows = {row["name"]: row for row in json.loads(file.read_text())["rows"]}
    assert list(rows) == ["python-sc2, no bridge", "python-sc2+proxy", "proto"]
    assert all(row["rounds"][0]["per_second"] > 0 for row in rows.values())
    assert "burnysc2 7.3" in rows["python-sc2+proxy"]["client"]
