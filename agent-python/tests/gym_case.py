"""Environments on the simulated game, frames of made-up units, and what tests ask of them."""

from __future__ import annotations

import subprocess
from typing import Any

import numpy as np
import pytest

from sc2bridge._protocol.envelope import Envelope
from sc2bridge.client.process import find_executable
from sc2bridge.errors import LaunchError
from sc2bridge.game.frame import Frame
from sc2bridge.s2clientprotocol import sc2api_pb2

pytest.importorskip(
    "gymnasium", reason="gymnasium is not installed: Debian has none, tools/set-up installs it in .setup/newest"
)


OWN, NEUTRAL, ENEMY = 1, 3, 4
"""Alliance."""


def arguments(**kwargs: Any) -> dict[str, Any]:
    """The arguments of an environment of the scenario 3m."""
    try:
        program = find_executable()
    except LaunchError as error:
        pytest.skip(str(error))
    return {
        "scenario": "3m",
        "opponent": "computer:terran:VeryHard",
        "game": "simulated",
        "executable": program,
        **kwargs,
    }


def processes(env: Any) -> dict[int, str]:
    """An environment's bridge and the processes below it, with their commands."""
    listed = subprocess.run(["ps", "-wweo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    found = {env._matches.bridge._launched.process._process.pid: "bridge"}
    for _ in rows:
        found.update({int(pid): args for pid, parent, args in rows if int(parent) in found})
    return found


def digest(observation: dict[str, Any]) -> bytes:
    """An observation's bytes."""
    return b"".join(observation[name].tobytes() for name in sorted(observation))


def frame_of(*units: dict[str, Any]) -> Frame:
    """A frame of units with these fields; their tags count from 1."""
    from columns_case import columns_of  # Needs numpy.

    observation = sc2api_pb2.ResponseObservation()
    observation.observation.player_common.minerals = 50
    for number, each in enumerate(units, 1):
        unit = observation.observation.raw_data.units.add(tag=number, radius=0.5, health=20, health_max=40)
        for name, value in each.items():
            if name == "pos":
                unit.pos.x, unit.pos.y = value
            elif name == "ordered":
                unit.orders.add(ability_id=1)
            else:
                setattr(unit, name, value)
    raw = columns_of(observation).SerializeToString()
    return Frame(Envelope(game_loop=7, content="columns"), raw, "proto", 0, len(raw))


def assert_same(bridge: Any, native: Any, what: str) -> None:
    """Raises AssertionError unless the values of both backends are equal in all bytes, types, shapes and keys."""
    assert type(bridge) is type(native), what
    if isinstance(bridge, dict):
        assert list(bridge) == list(native), what
        for name in bridge:
            assert_same(bridge[name], native[name], f"{what} {name}")
    elif isinstance(bridge, (list, tuple)):
        assert len(bridge) == len(native), what
        for number, (one, other) in enumerate(zip(bridge, native)):
            assert_same(one, other, f"{what} {number}")
    elif isinstance(bridge, np.ndarray) and bridge.dtype != object:
        assert (bridge.dtype, bridge.shape) == (native.dtype, native.shape), what
        if bridge.tobytes() != native.tobytes():
            at = tuple(np.argwhere(bridge != native)[0])
            raise AssertionError(f"{what} {at}: {bridge[at]!r} in the bridge, {native[at]!r} in the library")
    elif isinstance(bridge, np.ndarray):
        assert_same(bridge.tolist(), native.tolist(), what)
    else:
        assert bridge == native, what
