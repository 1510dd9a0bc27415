"""How `native` evaluates its rounds."""

from __future__ import annotations

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")

from sc2bridge_bench import native


def test_a_ratio_is_taken_within_each_round() -> None:
    rates = {"bridge": [100, 200, 400], "native": [1000, 4000, 4000]}
    rows = [
        {
            "what": "3m",
            "way": f"{backend}, matches: 8",
            "rounds": [{"per_second": rate, "per_second_in_step": 2 * rate} for rate in each],
        }
        for backend, each in rates.items()
    ]
    lines = native.table({"rows": rows}).splitlines()
    assert lines[2:] == [
        "| 3m | bridge, matches: 8 | 200 (100–400) | 400 | 1.0 |",
        "| 3m | native, matches: 8 | 4,000 (1,000–4,000) | 8,000 | 10.0 |",
    ]
