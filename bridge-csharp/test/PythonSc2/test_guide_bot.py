"""The guide's bot for python-sc2 on the simulated game; `agent-python/tests/bot` plays its twin."""

from __future__ import annotations

import importlib.util

import pytest
from conftest import ROOT

from sc2 import maps
from sc2.data import Difficulty, Race, Result
from sc2.main import run_game
from sc2.player import Bot, Computer


@pytest.mark.long
def test_the_bot_of_the_guide_wins() -> None:
    path = ROOT / "agent-python" / "examples" / "marines_python_sc2.py"
    spec = importlib.util.spec_from_file_location("marines_python_sc2", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    players = [Bot(Race.Terran, module.Marines()), Computer(Race.Zerg, Difficulty.Easy)]
    result = run_game(maps.get("CinderFortressLE"), players, realtime=False, random_seed=1, game_time_limit=20 * 60)
    assert result == Result.Victory
