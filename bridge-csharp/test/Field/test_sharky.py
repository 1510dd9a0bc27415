"""Sharky's example bots in a match of the ladder (`arena.py`) against a bot of AI Arena's that does nothing."""

from __future__ import annotations

import asyncio
import pathlib
import shutil
import sys

import arena
import pytest
from conftest import PROGRAM, SHARKY, TEST_BOTS
from s2clientprotocol.common_pb2 import Race

FOLDER = SHARKY.folder()
OPPONENT = TEST_BOTS.folder() / "loser_bot"
LEFT_OUT = pytest.mark.skip("a worker may stop too far from an assimilator (docs/reference/field.md)")


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("race", ["Terran", "Zerg", pytest.param("Protoss", marks=LEFT_OUT)])
def test_an_example_mines_and_wins(race: str, tmp_path: pathlib.Path, installation: dict[str, str], record_property):
    name = f"Sharky{race}ExampleBot"
    built = list(FOLDER.glob(f"{name}/bin/Release/net*/{name}.dll"))
    if not built:
        pytest.skip(f"{FOLDER}/{name} is not built (docs/reference/field.md)")
    folder = shutil.copytree(built[0].parent, tmp_path / "sharky")
    other = shutil.copytree(OPPONENT, tmp_path / "other")
    bots = [
        arena.Bot(name, ["dotnet", f"{name}.dll"], folder, Race.Value(race)),
        arena.Bot("loser_bot", [sys.executable, "run.py"], other),
    ]
    environment = installation | {"DOTNET_ROLL_FORWARD": "Major"}
    result, seats = asyncio.run(arena.play_match(PROGRAM, bots, arena.Rules(), environment))
    told = [(seat.result, seat.why, seat.bot.said[-3000:]) for seat in seats]
    score = seats[0].score.score_details
    minutes = seats[0].loops / 22.4 / 60
    figures = [minutes, score.collected_minerals, score.collected_vespene]
    record_property("minutes, minerals, vespene", figures)
    assert result["type"] == "Player1Win", told
    assert "Exception" not in bots[0].said, told

    # Sharky moves each worker by hand. The twelve workers of the beginning alone bring more than this.
    assert score.collected_minerals / minutes > 400, figures
