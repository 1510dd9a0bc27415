"""The pictures of what `sc2bridge compare` and `inspect` wrote with --json."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sc2bridge_bench import __main__ as command
from sc2bridge_bench import pictures


def figure(value: float) -> Dict[str, float]:
    return {"median": value, "least": value, "most": value}


def row(of: str, name: str, rate: float, link: float = 0, rounds: int = 2) -> Dict[str, Any]:
    figures = {"held_p50_us": 500.0, "parsed_p50_us": 800.0, "parsed_p99_us": 2000.0, "bridge_cpu_percent": 2.5}
    return {
        "measurement": {"id": of, "rate": rate, "link_mbit": link},
        "name": name,
        "rounds": rounds,
        "figures": {key: figure(value) for key, value in figures.items()} if rounds else {},
    }


def run(of: str, at: float, problem: Any = None) -> Dict[str, Any]:
    return {
        "measurement": of,
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
    "timing": {"rounds": 2, "seconds": 1.0, "warm_up_seconds": 0.25},
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
        {"measurement": {"mode": "json"}, "x": x, "figures": {"bridge_cpu_percent": figure(1 + 2 * x)}}
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
    assert pictures.scale_series(REPORT) == []
    assert pictures.scale_series({**REPORT, "scale": None}) == []
    (series,) = pictures.scale_series({**REPORT, "scale": scaled()})
    fit = series["fits"][0]["fit"]
    assert [pictures.fitted(fit, point["x"]) for point in series["points"]] == [3, 5, 17]
    assert pictures.fitted({"fixed": 0, "per_unit": 3, "exponent": 2}, 4) == 48


def test_every_cell_is_drawn_once_with_its_rate() -> None:
    names = [name for name, _ in pictures.distinct_rows(REPORT)]
    assert names == ["gRPC, 22.4", "gRPC, 16", "raw TCP, 22.4", "gRPC, lockstep, max"]


def test_the_distribution_is_of_what_was_measured_at_the_games_rate() -> None:
    found = pictures.compared(REPORT)
    assert [(name, len(runs)) for name, runs in found] == [("gRPC", 2), ("raw TCP", 1)]


def test_the_head_says_what_it_was_measured_on() -> None:
    head = pictures.machine(REPORT)
    assert "a processor, 2 cores" in head and "load 0.50" in head and "Release" in head


@pytest.mark.parametrize("tables", [REPORT["tables"], []], ids=["all", "nothing"])
def test_it_is_drawn(tmp_path: pathlib.Path, tables: List[Any]) -> None:
    pytest.importorskip("matplotlib")
    result, picture = tmp_path / "a.json", tmp_path / "a.png"
    result.write_text(json.dumps({**REPORT, "tables": tables}), encoding="utf-8")
    assert command.main(["draw", str(result), str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


RECORDING: Dict[str, Any] = {
    "file": "/somewhere/match.mcap",
    "file_bytes": 25_600_000,
    "match": {
        "map": "Cinder Fortress LE",
        "simulated": True,
        "game_version": "5.0",
        "players": [
            {"race": "Terran", "difficulty": "VeryHard", "name": ""},
            {"race": "Zerg", "difficulty": "", "name": "bot"},
        ],
    },
    "length": {"observations": 16860, "last_loop": 16859},
    "chunks": {"times_fewer": 62.3},
    "gaps": [{"first_step": 3, "steps": 2}],
    "along": {
        "steps": [0, 8, 16],
        "series": [
            {"name": "protobuf", "unit": "bytes", "mean": [1024.0, 2048.0, 4096.0], "max": [1024.0, 2048.0, 5000.0]},
            {"name": "the game's answer", "unit": "us", "mean": [900.0, None, 1100.0], "max": [1000.0, None, 3000.0]},
        ],
    },
}


def test_its_head_tells_which_recording_it_is() -> None:
    head = pictures.recording(RECORDING)
    assert "match.mcap: Cinder Fortress LE, simulated, Terran VeryHard against Zerg bot" in head
    assert "16,860 observations to game loop 16,859, 25.6 MB, 62.3 times fewer" in head


@given(st.lists(st.tuples(st.integers(0), st.none() | st.floats(0, 1e9))))
def test_places_where_nothing_was_measured_are_left_out(places: List[Any]) -> None:
    means = [mean for _, mean in places]
    steps, mean, highest = pictures.points(
        [step for step, _ in places], {"mean": means, "max": [one and one + 1 for one in means]}, 1
    )
    assert list(zip(steps, mean)) == [place for place in places if place[1] is not None]
    assert len(highest) == len(mean)


@pytest.mark.parametrize("gaps", [[], RECORDING["gaps"]])
def test_a_recording_is_drawn(tmp_path: pathlib.Path, gaps: List[Any]) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    result, picture = tmp_path / "inspect.json", tmp_path / "inspect.png"
    result.write_text(json.dumps({**RECORDING, "gaps": gaps}), encoding="utf-8")
    assert command.main(["draw", str(result), str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_nothing_along_the_match_is_drawn_as_nothing(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    result = tmp_path / "inspect.json"
    result.write_text(json.dumps({**RECORDING, "along": {"steps": [], "series": []}}), encoding="utf-8")
    pictures.draw(str(result), str(tmp_path / "inspect.svg"))


@pytest.mark.parametrize("name, code", [("a.png", 0), ("a.SVG", 0), ("a.xyz", 1), ("a", 1)])
def test_the_ending_is_checked_before_anything_is_measured(
    name: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    assert command.main(["can-draw", name]) == code
    assert ("end its name in .png" in capsys.readouterr().err) == (code == 1)
