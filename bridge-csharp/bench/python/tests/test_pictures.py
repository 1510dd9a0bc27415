"""The picture of a result of `sc2bridge inspect --json`."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sc2bridge_bench import __main__ as command
from sc2bridge_bench import pictures


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


def test_its_title_names_the_recording() -> None:
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
    pytest.importorskip("matplotlib", reason="pictures need matplotlib, which tools/test --all installs")
    result, picture = tmp_path / "inspect.json", tmp_path / "inspect.png"
    result.write_text(json.dumps({**RECORDING, "gaps": gaps}), encoding="utf-8")
    assert command.main(["draw", str(result), str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_nothing_along_the_match_is_drawn_as_nothing(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib, which tools/test --all installs")
    result = tmp_path / "inspect.json"
    result.write_text(json.dumps({**RECORDING, "along": {"steps": [], "series": []}}), encoding="utf-8")
    pictures.draw(str(result), str(tmp_path / "inspect.svg"))


@pytest.mark.parametrize("name, code", [("a.png", 0), ("a.SVG", 0), ("a.xyz", 1), ("a", 1)])
def test_the_ending_is_checked_before_anything_is_measured(
    name: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib, which tools/test --all installs")
    assert command.main(["can-draw", name]) == code
    assert ("end its name in .png" in capsys.readouterr().err) == (code == 1)
