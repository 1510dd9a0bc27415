"""Replays that a bot saved, watched by python-sc2."""

from __future__ import annotations

import asyncio
import pathlib
from collections.abc import Awaitable, Callable

import pytest


from s2clientprotocol import raw_pb2, sc2api_pb2
from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.client import Client
from sc2.controller import Controller
from sc2.data import Difficulty, Race, Result, Status
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import run_game, run_replay
from sc2.observer_ai import ObserverAI
from sc2.player import Bot, Computer
from sc2.sc2process import SC2Process


def plain(observation: sc2api_pb2.ResponseObservation) -> sc2api_pb2.ResponseObservation:
    """
    An observation without placeholders: buildings that a worker is on its way to.
    """
    kept = sc2api_pb2.ResponseObservation()
    kept.CopyFrom(observation)
    units = kept.observation.raw_data.units
    for at in reversed(range(len(units))):
        if units[at].display_type == raw_pb2.Placeholder:
            del units[at]
    return kept


class Recorder(BotAI):
    """Plays for a short time, stores its observations, and saves the replay."""

    STEPS = 500

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.path = path
        self.seen: list[sc2api_pb2.ResponseObservation] = []

    async def on_start(self) -> None:
        self.client.game_step = 1
        self.options = (await self.client._execute(game_info=sc2api_pb2.RequestGameInfo())).game_info.options

    async def on_step(self, iteration: int) -> None:
        self.seen.append(self.state.response_observation)
        if self.can_afford(UnitTypeId.SCV):
            self.train(UnitTypeId.SCV)
        if iteration == 20:
            self.workers.first.move(self.game_info.map_center)
        if self.can_afford(UnitTypeId.SUPPLYDEPOT) and not self.already_pending(UnitTypeId.SUPPLYDEPOT):
            await self.build(UnitTypeId.SUPPLYDEPOT, near=self.start_location.towards(self.game_info.map_center, 6))
        if iteration == self.STEPS:
            await self.client.save_replay(str(self.path))
            await self.client.leave()


async def watch(start: Callable[[Controller], Awaitable[object]]) -> list[sc2api_pb2.ResponseObservation]:
    """A replay's observations in a new game, loop by loop until it ends."""
    async with SC2Process() as server:
        await start(server)
        client = Client(server._ws)
        watched = []
        while not client._game_result:
            watched.append((await client.observation()).observation)
            if client.in_game:
                await client.step(1)
        assert client._status == Status.ended
        return watched


@pytest.fixture(scope="module")
def recorded(installation: pathlib.Path) -> Recorder:
    recorder = Recorder(installation / "home" / "Documents" / "StarCraft II" / "Replays" / "Saved.SC2Replay")
    players = [Bot(Race.Terran, recorder), Computer(Race.Zerg, Difficulty.VeryHard)]
    assert run_game(maps.get("FourWindsLE"), players, realtime=False, random_seed=11) == Result.Defeat
    return recorder


def compare(watched: list[sc2api_pb2.ResponseObservation], played: list[sc2api_pb2.ResponseObservation]) -> None:
    assert [seen.observation.game_loop for seen in watched] == list(range(len(played)))
    # The last loop is the one at which the replay was saved. The replay ends there, but the match continued.
    for there, here in zip(watched[:-1], played):
        assert there == here, f"loop {here.observation.game_loop}"


def test_a_replay_has_its_players_observations(recorded: Recorder) -> None:
    """With the match's own options, every byte is equal."""

    async def start(server: Controller) -> None:
        info = await server.request_replay_info(recorded.path.name)
        assert [player.player_info.race_actual for player in info.replay_info.player_info] == [1, 2]
        await server._execute(
            start_replay=sc2api_pb2.RequestStartReplay(
                replay_path=recorded.path.name, observed_player_id=1, options=recorded.options
            )
        )

    compare(asyncio.run(watch(start)), recorded.seen)


def test_a_replay_is_started_by_python_sc2(recorded: Recorder) -> None:
    """
    With the options that its `start_replay` gives: no placeholders, which `join_game` asks for.

    Its `run_replay` cannot be used: it gives its bots the player id 0 for every observed player, and looks for that
    player's race and result.
    """
    watched = asyncio.run(watch(lambda server: server.start_replay(str(recorded.path), False, 1)))
    compare([plain(seen) for seen in watched], [plain(seen) for seen in recorded.seen])


def test_run_replay_itself_reads_blizzards_files_only(recorded: Recorder) -> None:
    """It reads the game's version from an MPQ archive. Our file is not one: it has a seed and the players' actions."""
    with pytest.raises(ValueError, match="Invalid file header"):
        run_replay(ObserverAI(), recorded.path)


def test_a_file_that_is_no_replay_is_refused(recorded: Recorder) -> None:
    path = recorded.path.with_name("Other.SC2Replay")
    path.write_bytes(b"MPQ\x1b" + bytes(1000))
    with pytest.raises(AssertionError, match="Other.SC2Replay"):
        asyncio.run(watch(lambda server: server.start_replay(str(path), False, 1)))
