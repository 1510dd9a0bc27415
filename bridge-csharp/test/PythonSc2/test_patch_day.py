"""burnysc2's BotAI on versions of the game that it does not know: `sc2bridge simulate --patch-day`, each match another version."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator

import pytest
from conftest import PROGRAM

import aiohttp
from bots import Player, ProtossPlayer, TerranPlayer, ZergPlayer
from loguru import logger
from sc2 import maps
from sc2.client import Client
from sc2.controller import Controller
from sc2.data import Difficulty, Race, Result
from sc2.main import _play_game
from sc2.player import Bot, Computer

BOTS = {Race.Terran: TerranPlayer, Race.Zerg: ZergPlayer, Race.Protoss: ProtossPlayer}


def looking(kind: type[Player]) -> type[Player]:
    """The same bot, which also reads BotAI's derived properties of units."""

    class Looking(kind):  # type: ignore[misc, valid-type]
        unknown = 0
        sizes: set[tuple[int, int]] = set()

        async def on_step(self, iteration: int) -> None:
            self.sizes.add((self.game_info.map_size.x, self.game_info.map_size.y))
            for unit in self.all_units:
                assert unit.name and unit.radius > 0
                assert unit.is_mine or not unit.orders
                _ = (unit.movement_speed, unit.cargo_max, len(unit.buffs))  # They must not raise.
                if unit._proto.unit_type >= 6000:
                    self.unknown += 1
                    with pytest.raises(ValueError, match="is not a valid UnitTypeId"):
                        unit.type_id  # Its enumeration is closed. Weapons ask for it too.
                else:
                    _ = (unit.type_id, unit.ground_dps, unit.air_range)
            for effect in self.state.effects:
                assert effect.positions or effect.fake
            assert self.in_pathing_grid(self.start_location) is not None and self.enemy_start_locations
            assert await self.get_available_abilities(self.workers.take(2))
            await super().on_step(iteration)

    return Looking


async def connected(session: aiohttp.ClientSession, port: int) -> aiohttp.ClientWebSocketResponse:
    """A connection to the game. The game refuses it with 503 until it has noticed that its last client has disconnected."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await session.ws_connect(f"ws://127.0.0.1:{port}/sc2api")
            except aiohttp.WSServerHandshakeError as refused:
                if refused.status != 503:
                    raise
            await asyncio.sleep(0.01)


async def play(port: int, race: Race, seed: int) -> Player:
    bot = looking(BOTS[race])()
    async with aiohttp.ClientSession() as session, await connected(session, port) as ws:
        players = [Bot(race, bot), Computer(Race.Random, Difficulty.VeryEasy)]
        await Controller(ws, None).create_game(maps.get("SaltBasinLE"), players, realtime=False, random_seed=seed)
        client = Client(ws)
        assert await _play_game(players[0], client, False, game_time_limit=3) == Result.Tie
        await client.leave()
    return bot


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """The errors in burnysc2's log: it catches exceptions in `on_start`."""
    said: list[str] = []
    sink = logger.add(said.append, level="ERROR")
    yield said
    logger.remove(sink)


@pytest.mark.parametrize("matches", [6, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(3600)])])
def test_nothing_new_fails_burnysc2(matches: int, complaints: list[str]) -> None:
    command = [PROGRAM, "simulate", "-listen", "127.0.0.1", "-port", "0", "--patch-day", "1"]
    game = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert game.stdout is not None
    try:
        port = int(game.stdout.readline().split()[-1])
        bots = [asyncio.run(play(port, list(BOTS)[seed % 3], seed)) for seed in range(matches)]
    finally:
        game.kill()
        game.communicate()
    assert complaints == []
    assert all(len(bot.steps) > 8 for bot in bots)
    assert sum(bot.unknown for bot in bots) > matches
    assert len({size for bot in bots for size in bot.sizes}) > 3
