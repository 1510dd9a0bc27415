"""
An agent on a ladder: python-sc2's own match runner is the ladder manager, which creates the match on the first of two
simulated games, plays a bot of its own on it, and starts `sc2bridge ladder` as an external bot for the second.
"""

from __future__ import annotations

import asyncio
import json
import pathlib

import pytest
from conftest import PROGRAM, ROOT


from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import GameMatch, a_run_multiple_games
from sc2.player import Bot, BotProcess

AGENT = """
import json
import pathlib

from sc2bridge import Agent
from sc2bridge.s2clientprotocol.sc2api_pb2 import Action


class Laddered(Agent):
    can_act = True

    def on_start(self, match):
        self.told = {"players": [[one.kind, one.race, one.name] for one in match.players], "realtime": match.realtime}
        self.told |= {"outcomes": [], "loop": 0, "said": False}

    def on_step(self, frame):
        self.told["loop"] = frame.game_loop
        self.told["outcomes"] += [one.result for one in frame.outcomes]
        if not self.told["said"] and frame.game_loop >= 22:
            self.told["said"] = True
            chat = Action()
            chat.action_chat.message = "gl hf from the bridge"
            self.act([chat])

    def on_end(self, end):
        self.told["results"] = {one.player_id: one.result for one in end.results}
        self.told["aborted"] = end.aborted
        pathlib.Path("told.json").write_text(json.dumps(self.told))
"""


class Rusher(BotAI):
    """Gets an army near the enemy's start, wins with it after a while, and records the opponent's chat."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    async def on_start(self) -> None:
        self.client.game_step = 4
        door = self.enemy_start_locations[0].towards(self.game_info.map_center, 12)
        await self.client.debug_create_unit([[UnitTypeId.MARAUDER, 40, door, self.player_id]])

    async def on_step(self, iteration: int) -> None:
        self.heard += [said.message for said in self.state.chat]
        if self.time > 8:
            for unit in self.units(UnitTypeId.MARAUDER).idle:
                unit.attack(self.enemy_start_locations[0])


@pytest.mark.parametrize(
    "realtime", [pytest.param(False, id="stepped"), pytest.param(True, id="realtime", marks=pytest.mark.long)]
)
def test_an_agent_plays_on_a_ladder_with_nothing_but_the_managers_arguments(
    realtime: bool, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "laddered.py").write_text(AGENT)
    start = [PROGRAM, "ladder", "--race", "zerg", "--step-size", "2", "--agent", "laddered:Laddered"]
    start += ["--python", str(ROOT / ".venv" / "bin" / "python"), "--out", "data/log", "--OpponentId", "the-rusher"]
    rusher = Rusher()
    bridge = BotProcess(tmp_path, start, Race.Zerg, name="bridge", stdout=str(tmp_path / "bridge.log"))
    match = GameMatch(
        maps.get("CinderFortressLE"),
        [Bot(Race.Terran, rusher, name="rusher"), bridge],
        realtime=realtime,
        random_seed=3,
        game_time_limit=600,
    )
    results = asyncio.run(a_run_multiple_games([match]))
    log = (tmp_path / "bridge.log").read_text()
    assert [results[0][player] for player in match.players] == [Result.Victory, Result.Defeat], log
    told = json.loads((tmp_path / "told.json").read_text())
    assert (told["realtime"], told["aborted"]) == (realtime, False)
    assert told["results"] == {"1": Result.Victory.value, "2": Result.Defeat.value}
    assert told["players"] == [["api", "Terran", "the-rusher"], ["agent", "Zerg", "bridge"]]

    # Its actions had an effect: the opponent received its chat.
    assert told["outcomes"] == [1]
    assert rusher.heard == ["gl hf from the bridge"]
    assert (tmp_path / "data" / "log" / "match.mcap").stat().st_size > 0
