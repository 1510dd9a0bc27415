"""How `recordings` evaluates its rounds, and what it writes."""

from __future__ import annotations

import json
import pathlib

import pytest
from sc2bridge_bench import recordings
from sc2bridge_bench.__main__ import main

SAMPLE = pathlib.Path(__file__).parents[4] / "recordings/sample.mcap"


def test_a_ratio_is_taken_within_each_round() -> None:
    rates = {"python": [100, 200, 400], "native": [1000, 4000, 4000]}
    rows = [
        {"processors": 1, "reader": name, "rounds": [{"per_second": rate, "cpu_us": 1e6 / rate} for rate in each]}
        for name, each in rates.items()
    ]
    lines = recordings.table({"rows": rows}).splitlines()
    assert lines[2:] == [
        "| 1 | python | 200 (100–400) | 5,000 µs | 1.0 |",
        "| 1 | native | 4,000 (1,000–4,000) | 250 µs | 10.0 |",
    ]


def test_both_readers_are_measured(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "raw.json"
    code = main(["recordings", str(SAMPLE), "--units", "1024", "--rounds", "1", "--seconds", "1", "--json", str(file)])
    if code:
        pytest.skip("the native library is not built, or the sample is missing")
    report = json.loads(file.read_text())
    assert report["machine"]["commit"] and report["frames"] > 0
    assert {row["reader"] for row in report["rows"]} == {"python", "native"}
    assert all(round["per_second"] > 0 for row in report["rows"] for round in row["rounds"])
