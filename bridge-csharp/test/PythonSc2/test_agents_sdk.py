"""Our Python package compared with python-sc2: calls of the same names give the same bytes for commands, drawings and queries, and
the same events in a match."""

from __future__ import annotations

import asyncio
import os
import pathlib
import random
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import ROOT

np = pytest.importorskip("numpy", reason="numpy is not installed")
sys.path.insert(0, str(ROOT / "agent-python" / "src"))

from bots import ProtossPlayer, TerranPlayer, ZergPlayer
from s2clientprotocol import raw_pb2, sc2api_pb2
from sc2 import maps
from sc2.action import combine_actions
from sc2.bot_ai import BotAI
from sc2.client import Client
from sc2.data import Difficulty, Race, Result
from sc2.ids.ability_id import AbilityId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId
from sc2.main import run_game
from sc2.player import Bot, Computer
from sc2.position import Point2, Point3
from sc2.unit import Unit
from sc2.unit_command import UnitCommand

import sc2bridge
from sc2bridge import Frame, UnitEvents, actions
from sc2bridge._protocol.envelope import Envelope
from sc2bridge.game import queries
from sc2bridge.game.drawing import Drawing
from sc2bridge.v1 import bridge_pb2


def unit(tag: int) -> Unit:
    bot = BotAI()
    bot.state = SimpleNamespace(game_loop=0)
    return Unit(raw_pb2.Unit(tag=tag, pos={"x": 1.5, "y": 2.5, "z": 9}), bot)


TARGETS = [None, Point2((3.5, 4.25)), unit(9)]


@pytest.mark.parametrize("queue", [False, True])
@pytest.mark.parametrize("target", TARGETS, ids=["none", "place", "unit"])
@pytest.mark.parametrize("ability", [AbilityId.ATTACK, AbilityId.BARRACKSTRAIN_MARINE])
def test_a_command_is_the_same_message(ability: AbilityId, target: Any, queue: bool) -> None:
    (theirs,) = combine_actions([UnitCommand(ability, unit(7), target, queue)])
    ours = actions.command(ability.value, unit(7), target, queue)
    assert ours.action_raw.SerializeToString() == theirs.SerializeToString()


class Silent(Client):
    """Records the requests instead of sending them to the game."""

    def __init__(self) -> None:
        super().__init__(object())
        self.asked: list[bytes] = []

    async def _execute(self, **request: Any) -> Any:
        self.asked.append(sc2api_pb2.Request(**request).SerializeToString())
        raise StopIteration


def asked(call: Any) -> bytes:
    """The request that python-sc2 makes."""
    client = Silent()
    with pytest.raises((StopIteration, RuntimeError)):  # A coroutine may not let a StopIteration out.
        asyncio.run(call(client))
    return client.asked[0]


def acting(action: Any) -> bytes:
    return sc2bridge.s2clientprotocol.sc2api_pb2.Request(action={"actions": [action]}).SerializeToString()


def test_other_actions_are_the_same_messages() -> None:
    assert acting(actions.chat("hi")) == asked(lambda client: client.chat_send("hi", False))
    assert acting(actions.chat("hi", team_only=True)) == asked(lambda client: client.chat_send("hi", True))
    assert acting(actions.move_camera((3, 4))) == asked(lambda client: client.move_camera(Point2((3, 4))))
    switched = asked(lambda client: client.toggle_autocast([unit(7), unit(8)], AbilityId.EFFECT_REPAIR_SCV))
    assert acting(actions.toggle_autocast(AbilityId.EFFECT_REPAIR_SCV.value, [7, 8])) == switched


def test_a_drawing_is_the_same_message() -> None:
    async def draw(client: Client) -> None:
        client.debug_text_screen("here", (0.25, 0.5), (255, 0, 0), 12)
        client.debug_text_world("there", unit(7))
        client.debug_line_out(unit(7), Point3((1, 2, 3)), (0, 255, 0))
        client.debug_box_out(Point3((1, 2, 3)), Point3((4, 5, 6)))
        client.debug_box2_out(unit(7), 0.5)
        client.debug_sphere_out(Point3((1, 2, 3)), 2.5)
        await client._send_debug()

    drawing = Drawing()
    here = (1.5, 2.5, 9)
    drawing.text_screen("here", (0.25, 0.5), (255, 0, 0), 12)
    drawing.text_world("there", here)
    drawing.line(here, (1, 2, 3), (0, 255, 0))
    drawing.box((1, 2, 3), (4, 5, 6))
    drawing.box_around(here, 0.5)
    drawing.sphere((1, 2, 3), 2.5)
    assert drawing.take_request().SerializeToString() == asked(draw)


def test_questions_are_the_same_messages() -> None:
    ways = [[unit(7), Point2((3, 4))], [Point2((1, 2)), Point2((3, 4))]]
    assert queries.pathing_request(ways).SerializeToString() == asked(lambda client: client.query_pathings(ways))
    places, build = [Point2((3.5, 4.5)), Point2((5.5, 4.5))], AbilityId.TERRANBUILD_BARRACKS
    theirs = asked(lambda client: client._query_building_placement_fast(build, places))
    assert queries.placement_request(build.value, places).SerializeToString() == theirs
    able = [unit(7), unit(8)]
    theirs = asked(lambda client: client.query_available_abilities(able))
    assert queries.abilities_request(able).SerializeToString() == theirs


class Listener:
    """A bot that also records python-sc2's unit events, and compares ours with them at each step."""

    async def on_start(self) -> None:
        await super().on_start()
        data = (await self.client._execute(data=sc2api_pb2.RequestData(
            ability_id=True, unit_type_id=True, upgrade_id=True, buff_id=True, effect_id=True
        ))).data  # fmt: skip
        description = bridge_pb2.MatchDescription(match_id="m1")
        description.data.ParseFromString(data.SerializeToString())
        self.described = sc2bridge.Match(description, self.player_id)
        self.events = UnitEvents(self.described)
        self.heard: dict[str, list[Any]] = {}
        self.met: set[int] = set()
        self.ever: set[int] = set()
        self.told = 0

    def note(self, what: str, *that: Any) -> None:
        self.heard.setdefault(what, []).append(that)

    async def on_unit_created(self, unit: Unit) -> None:
        if unit.tag not in self.ever:  # python-sc2 reports a first worker as new when it comes out of a refinery.
            self.note("created", unit.tag)
        await super().on_unit_created(unit)

    async def on_unit_destroyed(self, unit_tag: int) -> None:
        self.note("destroyed", unit_tag)
        await super().on_unit_destroyed(unit_tag)

    async def on_unit_took_damage(self, unit: Unit, amount: float) -> None:
        # A morph to a body with less health is not damage.
        if unit.health_max == self._all_units_previous_map[unit.tag].health_max:
            self.note("damaged", unit.tag)

    async def on_unit_type_changed(self, unit: Unit, previous_type: UnitTypeId) -> None:
        self.note("changed", unit.tag, previous_type.value)

    async def on_building_construction_started(self, unit: Unit) -> None:
        self.note("started", unit.tag)

    async def on_building_construction_complete(self, unit: Unit) -> None:
        self.note("finished", unit.tag)
        await super().on_building_construction_complete(unit)

    async def on_upgrade_complete(self, upgrade: UpgradeId) -> None:
        self.note("upgrade", upgrade.value)
        await super().on_upgrade_complete(upgrade)

    async def on_enemy_unit_entered_vision(self, unit: Unit) -> None:
        if unit.tag not in self.met:  # Ours reports only the first time.
            self.met.add(unit.tag)
            self.note("seen", unit.tag)

    async def on_step(self, iteration: int) -> None:
        raw = self.state.response_observation.SerializeToString()
        changes = self.events.update(Frame(Envelope("m1", 1, iteration, self.state.game_loop), raw, "proto", 0, 0))
        ours = {
            "created": [(tag,) for tag in changes.created.tag.tolist()],
            # python-sc2 reports only units that were in the previous frame.
            "destroyed": [(gone.tag,) for gone in changes.destroyed if gone.tag in self._all_units_previous_map],
            "damaged": [(tag,) for tag in changes.damaged.tag.tolist()],
            "changed": list(zip(changes.type_changed.tag.tolist(), changes.previous_types.tolist())),
            "started": [(tag,) for tag in changes.started.tag.tolist()],
            "finished": [(tag,) for tag in changes.finished.tag.tolist()],
            "upgrade": [(upgrade,) for upgrade in changes.upgrades],
            "seen": [(tag,) for tag in changes.seen.tag.tolist()],
        }
        for what, that in ours.items():
            assert sorted(that) == sorted(self.heard.get(what, [])), f"{what} at loop {self.state.game_loop}"
            self.told += len(that)
        self.heard = {}
        self.ever |= self.all_units.tags
        await super().on_step(iteration)


class TerranListener(Listener, TerranPlayer):
    pass


class ZergListener(Listener, ZergPlayer):
    pass


class ProtossListener(Listener, ProtossPlayer):
    pass


@pytest.mark.parametrize(
    "race, kind, enemy",
    [
        (Race.Terran, TerranListener, Race.Zerg),
        pytest.param(Race.Zerg, ZergListener, Race.Protoss, marks=pytest.mark.long),
        pytest.param(Race.Protoss, ProtossListener, Race.Terran, marks=pytest.mark.long),
    ],
    ids=["Terran", "Zerg", "Protoss"],
)
def test_the_same_events(race: Race, kind: type[Listener], enemy: Race) -> None:
    random.seed(7)
    bot = kind()
    players = [Bot(race, bot), Computer(enemy, Difficulty.VeryEasy)]
    result = run_game(maps.get("SaltBasinLE"), players, realtime=False, random_seed=7, game_time_limit=12 * 60)
    assert result in (Result.Victory, Result.Tie)
    assert bot.told > 100


@pytest.mark.real
def test_the_same_names() -> None:
    folder = pathlib.Path(os.environ.get("SC2BRIDGE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent (set SC2BRIDGE_SHARED)")
    response = sc2bridge.s2clientprotocol.sc2api_pb2.Response.FromString((folder / "data/real/data.pb").read_bytes())
    match = sc2bridge.Match(bridge_pb2.MatchDescription(data=response.data))
    # In another build some ids and a few names are different.
    for ids, names, least in (
        (UnitTypeId, match.unit_types, 1.0),
        (AbilityId, match.abilities, 0.98),
        (UpgradeId, match.upgrades, 0.95),
    ):
        known = [each for each in ids if each.value in names]
        same = [each for each in known if each.name in names and names[each.name] == each.value]
        assert len(same) >= least * len(known) > 100, sorted(
            {each.name for each in known} - {each.name for each in same}
        )
