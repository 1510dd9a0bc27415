"""The same frames for sc2bridge.bot and for burnysc2, whose own methods prepare each step of its BotAI."""

from __future__ import annotations

import asyncio
import os
import pathlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Optional

from conftest import ROOT

import sc2bridge
from sc2bridge._protocol.envelope import Envelope
from sc2bridge.bot import BotAI
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

RACES = ("terran", "zerg", "protoss")
MAPS = {"terran": "Cinder Fortress LE", "zerg": "Ashen Terrace LE", "protoss": "Salt Basin LE"}
NEWEST_BUILD = 90000  # From build 82457 on burnysc2 recognizes snapshots by their display type.


@dataclass
class Seen:
    """A match as one player sees it: its description, and observations as the game serialized them, in their order."""

    description: bytes
    player: int
    frames: list[tuple[int, bytes]]

    @cached_property
    def match(self) -> Match:
        return Match(bridge_pb2.MatchDescription.FromString(self.description), self.player)

    def frame(self, number: int) -> Frame:
        loop, raw = self.frames[number]
        return Frame(Envelope("m1", self.player, number, loop, payload="observation"), raw, "proto", 0, len(raw))

    def bot(self, number: int) -> BotAI:
        """Ours, at a frame."""
        return BotAI.for_frame(self.match, self.frame(number), self.frame(0))


def program() -> str:
    return os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge"))


@lru_cache(None)
def simulated(race: str, steps: int = 400, every: int = 40) -> Seen:
    """A match that the simulated game's computers play, 22 loops a step, with every so many steps a frame."""
    enemy = RACES[(RACES.index(race) + 1) % 3]
    players = [f"computer:{race}:Elite", f"computer:{enemy}:Elite"]
    options = ["--observe", "1", "--step-size", "22"]
    launched = sc2bridge.launch(
        MAPS[race], players, steps=steps, rate="max", game="simulated", seed=3, executable=program(), options=options
    )
    frames, description = [], b""
    with launched as match:
        for frame in match.subscribe("lockstep", perspective=1):
            if not frames:
                description = match.describe(perspective=1).description.SerializeToString()
            if frame.step % every == 0:
                frames.append((frame.game_loop, bytes(frame.raw)))  # type: ignore[arg-type]
    return Seen(description, 1, frames)


def real(folder: pathlib.Path) -> Seen:
    """A map's real messages."""
    description = bridge_pb2.MatchDescription(match_id="m1", map_name=folder.name, perspectives=[1])
    description.game_info.CopyFrom(response(folder / "game_info.pb").game_info)
    description.data.CopyFrom(response(folder.parent / "data.pb").data)
    return Seen(description.SerializeToString(), 1, [(0, (folder / "observation.pb").read_bytes())])


def response(path: pathlib.Path) -> Any:
    return sc2api_pb2.Response.FromString(path.read_bytes())


class Client:
    """Replaces burnysc2's connection: nothing is sent. `game` answers queries, if there is one."""

    game_step = 22

    def __init__(self, game: Optional[Any] = None) -> None:
        self.game = game

    async def _query_building_placement_fast(self, ability: Any, places: Any, ignore_resources: bool = True) -> Any:
        return [result == 1 for result in self.game.query_building_placement(ability.value, places)]

    async def query_pathing(self, start: Any, end: Any) -> Any:
        return self.game.query_pathing(start, end)


class Oracle:
    """burnysc2's BotAI over the frames of a match."""

    def __init__(self, seen: Seen) -> None:
        from s2clientprotocol import sc2api_pb2 as theirs
        from sc2.bot_ai import BotAI as Theirs
        from sc2.game_data import GameData
        from sc2.game_info import GameInfo

        description = bridge_pb2.MatchDescription.FromString(seen.description)
        info = theirs.ResponseGameInfo.FromString(description.game_info.SerializeToString())
        data = theirs.ResponseData.FromString(description.data.SerializeToString())

        class Bot(Theirs):
            async def on_step(self, iteration: int) -> None:
                pass

        self._seen = seen
        self._info = theirs.Response(game_info=info)
        self._messages = theirs
        self.bot: Any = Bot()
        self.bot._initialize_variables()
        self.bot._prepare_start(Client(), seen.player, GameInfo(info), GameData(data), base_build=NEWEST_BUILD)
        self.step(0)
        own = self.bot.townhalls.first.position if self.bot.townhalls else None
        self.bot.game_info.start_locations = [each for each in self.bot.game_info.start_locations if each != own]
        self.bot._prepare_first_step()

    def step(self, number: int) -> Any:
        from sc2.game_state import GameState

        _, raw = self._seen.frames[number]
        state = GameState(self._messages.ResponseObservation.FromString(raw))
        self.bot.cache.clear()  # Otherwise it would use cached values at an earlier loop.
        self.bot._prepare_step(state, self._info)
        return self.bot

    def run(self, coroutine: Any) -> Any:
        return asyncio.run(coroutine)
