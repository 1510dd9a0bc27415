"""Whole matches by python-sc2's own runner, in one process against a computer."""

from __future__ import annotations

import asyncio
import random

import pytest
from conftest import MAPS


from bots import Hurried, Player, ProtossPlayer, TerranPlayer, ZergPlayer
from sc2 import maps
from sc2.data import Difficulty, Race, Result
from sc2.main import run_game
from sc2.player import Bot, Computer
from sc2.sc2process import SC2Process

# The actions that each bot must have done, by python-sc2's names.
PLAYERS = [
    (Race.Terran, TerranPlayer, "SaltBasinLE", ["built BarracksReactor", "built CommandCenter", "built Refinery"]),
    (Race.Zerg, ZergPlayer, "CinderFortressLE", ["built Extractor", "built Hatchery", "injected", "made Queen"]),
    (Race.Protoss, ProtossPlayer, "AshenTerraceLE", ["boosted", "built Assimilator", "built Nexus", "warped in"]),
]
PLAYERS[:2] = [pytest.param(*player, marks=pytest.mark.long) for player in PLAYERS[:2]]


@pytest.mark.parametrize("race, player, place, deeds", PLAYERS, ids=["Terran", "Zerg", "Protoss"])
def test_a_bot_wins(race: Race, player: type[Player], place: str, deeds: list[str]) -> None:
    random.seed(7)  # find_placement chooses a random place among the free ones
    bot = player()
    result = run_game(
        maps.get(place),
        [Bot(race, bot), Computer(Race.Random, Difficulty.VeryEasy)],
        realtime=False,
        random_seed=7,
        game_time_limit=30 * 60,
    )
    assert result == bot.result == Result.Victory, bot.deeds
    assert bot.steps == list(range(0, 8 * len(bot.steps), 8))
    researched = f"upgrade {player.UPGRADE.name}"
    assert {"attack", "enemy buildings destroyed", researched, *deeds} <= bot.deeds.keys()
    assert bot.deeds["way"] > bot.deeds["flight"]
    assert bot.deeds["no way"] is None
    assert bot.deeds["a worker attacks"]
    # Workers, gas, buildings and destroyed value, from the score.
    score = bot.state.score
    assert min(score.collected_minerals, score.collected_vespene, score.killed_value_structures) > 0
    # Each building is on a place that the placement query allowed.
    assert [kind for kind, placed in bot.placed.items() if not placed] == []


class Patient(Hurried):
    """Attacks after mining for a short time."""

    def send_army(self) -> None:
        if self.state.score.collected_minerals >= 100:
            super().send_army()


def test_a_bot_wins_in_real_time() -> None:
    bot = Patient()
    players = [Bot(Race.Terran, bot), Computer(Race.Protoss, Difficulty.VeryEasy)]
    assert run_game(maps.get("SaltBasinLE"), players, realtime=True, random_seed=7) == Result.Victory
    # The clock moved the match: the bot requested no steps and still received later and later loops.
    assert bot.steps == sorted(set(bot.steps))
    assert "attack" in bot.deeds


def test_the_game_lists_the_maps_of_the_installation() -> None:
    async def ask() -> list[str]:
        async with SC2Process() as server:
            return list((await server.request_available_maps()).available_maps.local_map_paths)

    assert asyncio.run(ask()) == [f"{name}.SC2Map" for name in MAPS]
