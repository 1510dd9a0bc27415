"""Errors show users of python-sc2 the line that does the same here."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import sc2bridge
from sc2bridge._protocol.envelope import Envelope
from sc2bridge.bot import BotAI
from sc2bridge.game import python_sc2_hints as hints
from sc2bridge.game.commands import Commands
from sc2bridge.game.frame import Frame
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import Unit, Units


@pytest.fixture
def units() -> Units:
    observation = sc2api_pb2.ResponseObservation()
    observation.observation.raw_data.units.add(tag=7, unit_type=48)
    return Units.from_observation(observation)


class Scout(sc2bridge.Agent):
    pass


@pytest.mark.parametrize(
    ("habit", "line"),
    [
        ("unit.attack(other)", "self.attack(unit, target) in an Agent, frames.attack(unit, target) on a subscription"),
        ("unit.gather(other)", "self.gather(unit, target)"),
        ("unit.stop()", "self.stop(unit)"),
        ('unit.train("SCV")', 'self.train(unit, "SCV")'),
        ("unit.type_id", "unit.unit_type"),
        ("unit.name", "match.unit_types[unit.unit_type].name"),
        ("unit.is_idle", "not len(unit.orders)"),
        ("unit.distance_to(other)", "sc2bridge.bot.BotAI"),
        ("units.closest_to(unit)", "sc2bridge.bot.BotAI"),
        ("units.amount", "len(units)"),
        ("units.attack(unit)", "self.attack(units, target)"),
        ("agent.units", "frame.units.own"),
        ("agent.minerals", "frame.common.minerals"),
        ("agent.client.game_step", "--step-size N"),
        ("bot.client.game_step", "--step-size N"),
        ("agent.time", "frame.game_loop / 22.4"),
        ("agent.can_afford", "sc2bridge.bot.BotAI"),
        ("agent.get_available_abilities(units)", "self.query_available_abilities(units)"),
        ("bot.get_available_abilities(units)", "self.query_available_abilities(units)"),
        ("agent.state.upgrades", "frame, which on_step(frame) receives"),
        ("bot.state.upgrades", "self.upgrades, self.visibility"),
        ("agent.townhalls", 'frame.units.own.of_type("COMMANDCENTER")'),
        ("bot.townhalls", "BotAI has no 'frame': it needs the first frame; on_start can only use self.match"),
        ("bot.minerals", "on_start can only use self.match"),
        ("bot.supply_left", "on_start can only use self.match"),
        ("unit.helth", "a unit has no 'helth': did you mean health?"),
        ("unit.weather", "a unit has no 'weather': dir(unit) shows what it has"),
        ("units.helth", "a table of units has no 'helth': did you mean health?"),
        ("units.weather", "a table of units has no 'weather': dir(units) shows what it has"),
    ],
)
def test_a_name_of_python_sc2_raises_an_error_with_the_code_to_use(units: Units, habit: str, line: str) -> None:
    with pytest.raises(AttributeError) as error:
        eval(habit, {"unit": units[0], "units": units, "agent": Scout(), "bot": BotAI(), "other": units[0]})
    assert line in str(error.value)


@pytest.mark.parametrize("habit", ["frame == 0", "frame != 0", "frame % 10", "frame > 5", "5 > frame"])
def test_a_frame_is_not_an_iteration(habit: str) -> None:
    frame = Frame(Envelope("m1", 1, 0, 0, payload="observation"), b"", "proto", 0, 0)
    with pytest.raises(TypeError, match="use frame.step"):
        eval(habit, {"frame": frame})
    other = Frame(frame._envelope, b"", "proto", 0, 0)
    assert frame == frame and frame != other and len({frame, other}) == 2 and frame != "frame"


def test_a_call_of_a_unit_raises_an_error_with_the_code_to_use(units: Units) -> None:
    with pytest.raises(TypeError, match=r'units.of_type\("MARINE"\)'):
        units(48)  # type: ignore[operator]
    with pytest.raises(TypeError, match=r'self.command\(unit, "EFFECT_STIM", target\)'):
        units[0](380)  # type: ignore[operator]


@pytest.mark.parametrize("agent", [Scout(), BotAI()])
def test_a_call_of_build_as_in_python_sc2_raises_an_error_with_the_code_to_use(agent: Any) -> None:
    line = r'self.build\(worker, "BARRACKS", place\). sc2bridge.bot.BotAI has self.build_near\("BARRACKS", near\)'
    for arguments, named in (((21,), {"near": (3, 4)}), ((21, (3, 4)), {}), ((21,), {})):
        with pytest.raises(TypeError, match=line):
            agent.build(*arguments, **named)
    assert list(inspect.signature(agent.build).parameters) == ["builders", "unit_type", "target", "queue"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("BotAI", "from sc2bridge.bot import BotAI"),
        ("UnitTypeId", "from sc2bridge.ids import UnitTypeId"),
        ("run_game", "sc2bridge match --map"),
        ("Difficulty", '"computer:zerg:Easy"'),
    ],
)
def test_an_import_as_in_python_sc2_raises_an_error_with_the_code_to_use(name: str, line: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"from sc2bridge import {name}"], capture_output=True, text=True)
    assert done.returncode == 1 and line in done.stderr.splitlines()[-1]
    with pytest.raises(AttributeError) as error:
        getattr(sc2bridge, name)
    assert line in str(error.value)
    with pytest.raises(AttributeError, match="module 'sc2bridge' has no attribute 'Botai'"):
        sc2bridge.Botai  # type: ignore[attr-defined]


def test_existing_attributes_have_no_hint(units: Units) -> None:
    """An entry would hide nothing, but would be wrong."""
    assert not {name for name in hints.UNIT if hasattr(Unit, name) or name in Units.fields}
    assert not {name for name in hints.UNITS if hasattr(Units, name)}
    assert not {name for name in hints.AGENT if hasattr(sc2bridge.Agent, name) or hasattr(sc2bridge.Subscription, name)}
    assert not {name for name in hints.BOT if hasattr(BotAI, name)}
    assert not {name for name in hints.PACKAGE if name in sc2bridge.__all__}
    for name in ("of_type", "own", "tag"):
        assert hasattr(units, name)


def test_other_names_and_errors_of_properties_raise_pythons_own_error(units: Units) -> None:
    with pytest.raises(AttributeError, match="'Scout' object has no attribute 'weather'"):
        Scout().weather  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="'Units' object has no attribute '_healht'"):
        units._healht  # type: ignore[attr-defined]

    class Broken(Commands):
        @property
        def units(self) -> Any:
            return None.tag  # type: ignore[attr-defined]

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'tag'"):
        Broken().units
    assert not hasattr(Scout(), "units") and not hasattr(units[0], "attack")
