"""The rules of `arena.py` alone, without a bot: they are tested here even if no client is at hand."""

from __future__ import annotations

import pathlib
from typing import Any, cast

import arena
import pytest

RESULTS = [
    ("Victory", "Defeat", "Player1Win"),
    ("Defeat", "Victory", "Player2Win"),
    ("Defeat", "", "Player2Win"),
    ("Tie", "Defeat", "Tie"),
    ("Crash", "Victory", "Player1Crash"),
    ("Victory", "Crash", "Player2Crash"),
    ("Crash", "Timeout", "Player1Crash"),
    ("Timeout", "Victory", "Player1TimeOut"),
    ("Victory", "Timeout", "Player2TimeOut"),
    ("SC2Crash", "Victory", "Error"),
]
"""As the tests of sc2-ai-match-controller 51fa868, `sc2_controller/src/game/game_result.rs`, have them."""


def seats(*results: str) -> list[arena.Seat]:
    bots = [arena.Bot(f"bot {number}", [], pathlib.Path()) for number in (1, 2)]
    game = cast(Any, None)
    return [
        arena.Seat(number, bots[number - 1], game, bots[2 - number].name, [], 5000, arena.Rules(), result)
        for number, result in enumerate(results, 1)
    ]


@pytest.mark.parametrize("first, second, expected", RESULTS)
def test_two_results_make_the_matchs(first: str, second: str, expected: str) -> None:
    both = seats(first, second)
    both[0].loops, both[0].thought, both[0].tags = 10, 0.5, ["a"]
    assert arena.match_result(both, started=True) == {
        "match": 1,
        "bot1_avg_step_time": 0.05,
        "bot1_tags": ["a"],
        "bot2_avg_step_time": 0.0,
        "bot2_tags": [],
        "type": expected,
        "game_steps": 10,
    }


def test_a_match_whose_bots_did_not_start_has_no_figures() -> None:
    fields = arena.match_result(seats("", ""), started=False)
    assert fields == {"match": 1, "type": "InitializationError", "game_steps": 0}
