"""The picture of a comparison, from what `sc2bridge compare --json` wrote."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List

import pytest

from sc2bridge.measuring import __main__ as command
from sc2bridge.measuring import comparison_picture


def figure(value: float) -> Dict[str, float]:
    return {"median": value, "least": value, "most": value}


def row(cell: str, name: str, rate: float, link: float = 0, rounds: int = 2) -> Dict[str, Any]:
    figures = {"held_p50_us": 500.0, "parsed_p50_us": 800.0, "parsed_p99_us": 2000.0, "bridge_cpu_percent": 2.5}
    return {
        "cell": {"id": cell, "rate": rate, "link_mbit": link},
        "name": name,
        "rounds": rounds,
        "figures": {key: figure(value) for key, value in figures.items()} if rounds else {},
    }


def run(cell: str, at: float, problem: Any = None) -> Dict[str, Any]:
    return {
        "cell": cell,
        "problem": problem,
        "parsed": None if problem else {"percentiles": [at + percent for percent in range(101)]},
        "along": None if problem else [150_000, 151_000],
    }


REPORT: Dict[str, Any] = {
    "match": "simulated",
    "machine": {
        "processor": "a processor",
        "cores": 2,
        "system": "a system",
        "runtime": ".NET",
        "build": "Release",
        "load_at_start": 0.5,
    },
    "measurement": {"rounds": 2, "seconds": 1.0, "warm_up_seconds": 0.25},
    "summary": ["use gRPC", "and so on"],
    "tables": [
        {
            "name": "transports",
            "rows": [row("a", "gRPC", 22.4), row("b", "gRPC", 16), row("c", "JSON", 22.4, rounds=0)],
        },
        {"name": "yardsticks", "rows": [row("r", "raw TCP", 22.4), row("a", "gRPC", 22.4)]},
        {"name": "link", "rows": [row("l", "gRPC, 10 Mbit/s", 22.4, link=10)]},
        {"name": "round trips", "rows": [row("t", "gRPC, lockstep", 0)]},
    ],
    "runs": [run("a", 700), run("a", 900), run("r", 300), run("c", 0, problem="no bridge")],
}


def scaled() -> Dict[str, Any]:
    points = [
        {"cell": {"mode": "json"}, "x": x, "figures": {"bridge_cpu_percent": figure(1 + 2 * x)}}
        for x in (1.0, 2.0, 8.0)
    ]
    fit = {"fixed": 1.0, "per_unit": 2.0, "exponent": 1, "r2": 1.0, "residuals": [0, 0, 0]}
    fits = [{"figure": "bridge_cpu_percent", "mode": "json", "fit": fit}]
    return {
        "series": [
            {"name": "scale: subscribers", "units": "subscribers", "points": points, "fits": fits},
            {"name": "scale: rate", "units": "steps a second", "points": [], "fits": []},
        ]
    }


def test_of_scale_what_was_measured_is_drawn_and_its_line() -> None:
    assert comparison_picture.scale_series(REPORT) == []
    assert comparison_picture.scale_series({**REPORT, "scale": None}) == []
    (series,) = comparison_picture.scale_series({**REPORT, "scale": scaled()})
    fit = series["fits"][0]["fit"]
    assert [comparison_picture.fitted(fit, point["x"]) for point in series["points"]] == [3, 5, 17]
    assert comparison_picture.fitted({"fixed": 0, "per_unit": 3, "exponent": 2}, 4) == 48


def test_every_cell_is_drawn_once_with_its_rate() -> None:
    names = [name for name, _ in comparison_picture.distinct_rows(REPORT)]
    assert names == ["gRPC, 22.4", "gRPC, 16", "raw TCP, 22.4", "gRPC, lockstep, max"]


def test_the_distribution_is_of_what_was_measured_at_the_games_rate() -> None:
    found = comparison_picture.compared(REPORT)
    assert [(name, len(runs)) for name, runs in found] == [("gRPC", 2), ("raw TCP", 1)]


def test_the_head_says_match_machine_and_what_to_use() -> None:
    head = comparison_picture.label(REPORT)
    assert "simulated" in head and "load 0.50" in head and "2 rounds of 1 s" in head and head.endswith("use gRPC")


@pytest.mark.parametrize("tables", [REPORT["tables"], []], ids=["all", "nothing"])
def test_it_is_drawn(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], tables: List[Any]) -> None:
    pytest.importorskip("matplotlib")
    result, picture = tmp_path / "a.json", tmp_path / "a.png"
    result.write_text(json.dumps({**REPORT, "tables": tables}), encoding="utf-8")
    assert command.main(["comparison-picture", str(result), str(picture)]) == 0
    assert capsys.readouterr().out == "{}\n"
    assert picture.read_bytes().startswith(b"\x89PNG")
