"""Environments on the simulated game, and what tests ask of them."""

from __future__ import annotations

import os
from typing import Any

import pytest
from conftest import ROOT

from sc2bridge.client.process import find_executable
from sc2bridge.errors import LaunchError

pytest.importorskip(
    "gymnasium", reason="gymnasium is not installed: Debian has none, tools/set-up installs it in .setup/newest"
)


def arguments(**kwargs: Any) -> dict[str, Any]:
    """Of an environment of the scenario 3m, with the bridge of this clone where SC2BRIDGE_EXECUTABLE names no other."""
    program = os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge"))
    try:
        find_executable(program)
    except LaunchError as error:
        pytest.skip(str(error))
    scenario = str(ROOT / "scenarios" / "3m.json")
    return {
        "scenario": scenario,
        "opponent": "computer:terran:VeryHard",
        "game": "simulated",
        "executable": program,
        **kwargs,
    }


def digest(observation: dict[str, Any]) -> bytes:
    """An observation's bytes."""
    return b"".join(observation[name].tobytes() for name in sorted(observation))
