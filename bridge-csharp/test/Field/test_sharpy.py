"""sharpy-sc2's dummies, which are whole bots with build orders, against computers of the simulated game."""

from __future__ import annotations

import pathlib
import re
import sys

import processes
import pytest
from conftest import SHARPY

FOLDER = SHARPY.folder()

# sharpy's `marine` chooses one of three builds. This is its "20 marine all in": docs/reference/field.md has the reason.
DUMMIES = [
    ("marine.1", "AshenTerraceLE"),
    ("workerrush", "CinderFortressLE"),
    ("4gate", "CinderFortressLE"),
    ("cannonrush", "CinderFortressLE"),
    ("voidray", "SaltBasinLE"),
    ("stalker", "CinderFortressLE"),
    ("dt", "SaltBasinLE"),
    ("hydra", "CinderFortressLE"),
    ("mutalisk", "CinderFortressLE"),
    ("200roach", "AshenTerraceLE"),
    ("bio", "SaltBasinLE"),
    ("silverbio", "FourWindsLE"),
]


def games() -> list[object]:
    """A game of each dummy. Without --all, a minute of one is played."""
    return [pytest.param(*dummy, 900, id=dummy[0], marks=pytest.mark.long) for dummy in DUMMIES] + [
        pytest.param("marine.1", "CinderFortressLE", 60, id="a minute of marine")
    ]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("dummy, map_name, seconds", games())
def test_a_dummy_plays_without_an_exception(
    dummy: str, map_name: str, seconds: int, tmp_path: pathlib.Path, installation: dict[str, str], record_property
) -> None:
    player = pathlib.Path(__file__).with_name("sharpy_game.py")
    command = [sys.executable, str(player), str(FOLDER), dummy, map_name, str(seconds)]
    environment = installation | {"PYTHONHASHSEED": "0"}  # Sets of texts have the same order in each run.
    code, said = processes.run(command, FOLDER, environment, tmp_path / "output.log", 840)
    ended = re.search(r"^RESULT (\w+) after (\d+) s$", said, re.MULTILINE)
    assert code == 0 and ended, said[-4000:]
    assert not re.search("Traceback|threw an error", said), said[-4000:]
    record_property("result", ended[0])
    assert ended[1] == ("Victory" if seconds == 900 else "Tie"), said[-2000:]
