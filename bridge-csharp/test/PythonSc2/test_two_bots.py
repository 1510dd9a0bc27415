"""
Two bots in two game processes, which are joined over the multiplayer ports.

`run_game` ends both games as soon as the first bot is through (`SC2Process.__aexit__` calls `KillSwitch.kill_all`),
even if the other has not read its result yet: then the assertion at its end fails, whatever the games do. That is its
way with StarCraft II too: its sources say of `a_run_multiple_games` that it "is less likely to fatally crash than
repeating run_game()". So the bots here meet in `on_end`, before either leaves; `a_run_multiple_games` waits for both.
"""

from __future__ import annotations

import asyncio

import pytest


from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import GameMatch, a_run_multiple_games, run_game
from sc2.player import Bot


class Meeting(BotAI):
    """Signals its first observation, and waits at the end for the other bot, if there is one."""

    other: Meeting | None = None

    def __init__(self) -> None:
        super().__init__()
        self.started = asyncio.Event()
        self.ended = asyncio.Event()

    async def on_start(self) -> None:
        self.started.set()

    async def on_end(self, game_result: Result) -> None:
        self.ended.set()
        if self.other is not None:
            await self.other.ended.wait()


class Rusher(Meeting):
    """Gets an army near the enemy's start, and wins with it after a while."""

    async def on_start(self) -> None:
        self.client.game_step = 8
        door = self.enemy_start_locations[0].towards(self.game_info.map_center, 12)
        await self.client.debug_create_unit([[UnitTypeId.MARAUDER, 40, door, self.player_id]])
        # In real time python-sc2 drops chat that arrives before its on_start.
        if self.other is not None:
            await self.other.started.wait()
        await self.chat_send("gl hf")

    async def on_step(self, iteration: int) -> None:
        if self.time > 14:
            for unit in self.units(UnitTypeId.MARAUDER).idle:
                unit.attack(self.enemy_start_locations[0])


class Peaceful(Meeting):
    """Mines and makes drones, with steps of another size, and records the received chat."""

    step = 5

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []
        self.workers_made = 0

    async def on_start(self) -> None:
        self.client.game_step = self.step
        await super().on_start()

    async def on_step(self, iteration: int) -> None:
        self.heard += [said.message for said in self.state.chat]
        self.workers_made = max(self.workers_made, self.workers.amount - 12)
        if self.can_afford(UnitTypeId.DRONE):
            self.train(UnitTypeId.DRONE)


class Leaver(Meeting):
    """Surrenders after a while."""

    async def on_step(self, iteration: int) -> None:
        if iteration == 30:
            await self.client.leave()


def play(first: Meeting, second: Meeting, realtime: bool = False):
    first.other, second.other = second, first
    return run_game(
        maps.get("CinderFortressLE"),
        [Bot(Race.Terran, first, name="first"), Bot(Race.Zerg, second, name="second")],
        realtime=realtime,
        random_seed=3,
        game_time_limit=10 * 60,
    )


@pytest.mark.parametrize(
    "realtime", [pytest.param(False, id="stepped"), pytest.param(True, id="realtime", marks=pytest.mark.long)]
)
def test_one_wins_and_the_other_loses(realtime: bool) -> None:
    peaceful = Peaceful()
    assert play(Rusher(), peaceful, realtime) == [Result.Victory, Result.Defeat]
    assert peaceful.heard == ["gl hf"]
    assert peaceful.workers_made > 0


def test_the_second_leaves() -> None:
    assert play(Peaceful(), Leaver()) == [Result.Victory, Result.Defeat]


def test_the_host_leaves() -> None:
    assert play(Leaver(), Peaceful()) == [Result.Defeat, Result.Victory]


def test_the_runner_of_several_matches() -> None:
    seats = [
        (Bot(Race.Terran, Leaver(), name="leaver"), Bot(Race.Zerg, Peaceful(), name="stayer")),
        (Bot(Race.Zerg, Peaceful(), name="peaceful"), Bot(Race.Protoss, Leaver(), name="leaver")),
    ]
    matches = [GameMatch(maps.get("SaltBasinLE"), list(pair), random_seed=3, game_time_limit=600) for pair in seats]
    results = asyncio.run(a_run_multiple_games(matches))
    assert [[found[bot] for bot in pair] for found, pair in zip(results, seats)] == [
        [Result.Defeat, Result.Victory],
        [Result.Victory, Result.Defeat],
    ]
