"""Sharky's example bots in a match by AI Arena's rules (`arena.py`), against AI Arena's test bot that does nothing."""

from __future__ import annotations

import pathlib
import shutil
import sys

import arena
import pytest
from conftest import PROGRAM, SHARKY, TEST_BOTS
from rules import End
from s2clientprotocol import sc2api_pb2 as api
from s2clientprotocol.common_pb2 import Race

FOLDER = SHARKY.folder()
OPPONENT = TEST_BOTS.folder() / "loser_bot"
GAS_BUILDINGS = (20, 61, 88)
"""A refinery, an assimilator and an extractor, in a unit's `unit_type`."""


class Gas:
    """Notes the game loop of the bot's first finished gas building."""

    finished: int | None = None

    def watch(self, seen: api.ResponseObservation) -> None:
        if self.finished is None:
            units = seen.observation.raw_data.units
            if any(u.alliance == 1 and u.unit_type in GAS_BUILDINGS and u.build_progress == 1 for u in units):
                self.finished = seen.observation.game_loop


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("race", ["Terran", "Zerg", "Protoss"])
def test_an_example_mines_and_wins(
    race: str, tmp_path: pathlib.Path, installation: dict[str, str], record_property
) -> None:
    name = f"Sharky{race}ExampleBot"
    built = list(FOLDER.glob(f"{name}/bin/Release/net*/{name}.dll"))
    if not built:
        pytest.skip(f"{FOLDER}/{name} is not built (docs/reference/field.md)")
    folder = pathlib.Path(shutil.copytree(built[0].parent, tmp_path / "sharky"))
    other = pathlib.Path(shutil.copytree(OPPONENT, tmp_path / "other"))
    gas = Gas()
    bots = [
        arena.Bot(name, ["dotnet", f"{name}.dll"], folder, Race.Value(race), gas.watch),
        arena.Bot("loser_bot", [sys.executable, "run.py"], other),
    ]
    environment = installation | {"DOTNET_ROLL_FORWARD": "Major"}
    played = arena.play_match(PROGRAM, bots, arena.Limits(match=1140), environment)
    report = [(seat.end, seat.why, bot.exit_code, bot.said[-3000:]) for seat, bot in zip(played.seats, bots)]
    score, loops = played.seats[0].score.score_details, played.seats[0].loops
    minutes = loops / 22.4 / 60
    minutes_of_gas = 0 if gas.finished is None else (loops - gas.finished) / 22.4 / 60
    figures = [minutes, score.collected_minerals, minutes_of_gas, score.collected_vespene]
    record_property("minutes, minerals, minutes of gas, vespene", figures)
    assert (played.result["type"], played.ends) == ("Player1Win", [End.WON, End.LOST]), (figures, report)
    assert "Exception" not in bots[0].said, report

    # Sharky moves each worker by hand. The twelve workers of the beginning alone bring more minerals than this, and one
    # worker that mines vespene brings some 50 a minute. A gas building has none in the first half of a minute.
    assert score.collected_minerals / minutes > 400, figures
    assert score.collected_vespene > 25 * (minutes_of_gas - 0.5), figures
