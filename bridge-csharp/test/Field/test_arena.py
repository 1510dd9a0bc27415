"""
AI Arena's test matches, with the results that its own tests expect. They are played in three ways: the bots under its
rules (`arena.py`); the same with an agent of the bridge for one of them, started as `sc2bridge ladder`; and through the
bridge's proxy.

The rows are `testing/sc2-controller/test-matches` of sc2-ai-match-controller 51fa868. A map of ours stands for theirs.
"""

from __future__ import annotations

import asyncio
import pathlib
import shutil
import sys

import arena
import proxied
import pytest
from conftest import PROGRAM, PYTHON, TEST_BOTS

FOLDER = TEST_BOTS.folder()
RULES = arena.Rules(bot=20, game=45, leave=20)
"""AI Arena waits 30 and 60 s. The simulated game answers at once, but bots need seconds to start on a busy machine."""

MATCHES = [
    ("basic_bot", "loser_bot", "Player1Win"),
    ("loser_bot", "tie_bot", "Tie"),
    ("leaver_bot", "loser_bot", "Player2Win"),
    ("basic_bot", "crash_bot", "Player2Crash"),
    ("basic_bot", "connect_timeout_bot", "InitializationError"),
    ("basic_bot", "instant_crash_bot", "Player2Crash"),
    ("basic_bot", "infinite_loop_bot", "Player2TimeOut"),
    ("crash_bot", "basic_bot", "Player1Crash"),
    ("connect_timeout_bot", "basic_bot", "InitializationError"),
    ("instant_crash_bot", "basic_bot", "Player1Crash"),
    ("infinite_loop_bot", "basic_bot", "Player1TimeOut"),
    ("loser_bot", "basic_bot", "Player2Win"),
    ("loser_bot", "leaver_bot", "Player1Win"),
]
EXIT_CODES = {"crash_bot": 1, "instant_crash_bot": 1, "infinite_loop_bot": None, "connect_timeout_bot": None}
"""The others exit with 0. None: the manager ends them."""

BRIDGED = [
    (1, "BasicBot"),
    (1, "LoserBot"),
    (2, "LoserBot"),
    (2, "CrashBot"),
    (1, "BasicBot"),
    (2, "InstantCrashBot"),
    (2, "InfiniteLoopBot"),
    (1, "CrashBot"),
    (2, "BasicBot"),
    (1, "InstantCrashBot"),
    (1, "InfiniteLoopBot"),
    (2, "BasicBot"),
    (1, "LoserBot"),
]
"""Of each match, the bot that an agent of the bridge stands for, and the agent's class."""
PLAYED_ON = ("CrashBot", "InstantCrashBot")
"""If its agent crashed, the bridge stays in the match without it: the other bot wins, and the exit code is 1."""


def rows(often: tuple[int, ...]) -> list[object]:
    """Every match. Only the matches of these rows run without --all."""
    limit, long = pytest.mark.timeout(900), pytest.mark.long
    return [
        pytest.param(row, id="-".join(match), marks=[limit] if row in often else [limit, long])
        for row, match in enumerate(MATCHES)
    ]


def own(name: str, folder: pathlib.Path) -> arena.Bot:
    """A test bot, in a copy of its folder."""
    return arena.Bot(name, [sys.executable, "run.py"], pathlib.Path(shutil.copytree(FOLDER / name, folder / name)))


@pytest.mark.parametrize("row", rows(often=(2, 3)))
def test_a_match_has_the_result_that_the_ladder_expects(
    row: int, tmp_path: pathlib.Path, installation: dict[str, str]
) -> None:
    first, second, expected = MATCHES[row]
    bots = [own(first, tmp_path / "1"), own(second, tmp_path / "2")]
    result, seats = asyncio.run(arena.play_match(PROGRAM, bots, RULES, installation))
    told = [(seat.result, seat.why, seat.bot.said[-1500:]) for seat in seats]
    assert result["type"] == expected, told
    check_fields(result, [[], []])
    if expected != "InitializationError":
        assert [bot.exit_code for bot in bots] == [EXIT_CODES.get(bot.name, 0) for bot in bots], told


def check_fields(result: dict[str, object], tags: list[list[str]]) -> None:
    """The fields of `match_result.json`."""
    if result["type"] == "InitializationError":
        assert result == {"match": 1, "type": "InitializationError", "game_steps": 0}
        return
    assert list(result) == [
        *("match", "bot1_avg_step_time", "bot1_tags", "bot2_avg_step_time", "bot2_tags", "type", "game_steps")
    ]
    assert [result["bot1_tags"], result["bot2_tags"]] == tags
    assert all(isinstance(result[f"bot{n}_avg_step_time"], float) for n in (1, 2))
    assert isinstance(result["game_steps"], int)


@pytest.mark.parametrize("row", rows(often=(2,)))
def test_the_bridge_stands_for_a_bot_of_the_match(
    row: int, tmp_path: pathlib.Path, installation: dict[str, str]
) -> None:
    place, agent = BRIDGED[row]
    names, expected = MATCHES[row][:2], MATCHES[row][2]
    start = [PROGRAM, "ladder", "--race", "terran", "--step-size", "4", "--agent", f"bridged:{agent}"]
    start += ["--python", PYTHON, "--out", "log", "--no-recording", "--game-deadline", "20"]
    start += ["--lockstep-deadline", "60"]  # An agent that hangs is not left behind before the ladder loses patience.
    installation["PYTHONPATH"] = str(pathlib.Path(__file__).parent)
    bots = []
    for number, name in enumerate(names, 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        bots.append(arena.Bot("bridge", start, folder) if number == place else own(name, folder))
    result, seats = asyncio.run(arena.play_match(PROGRAM, bots, RULES, installation))
    told = [(seat.result, seat.why, seat.bot.said[-1500:]) for seat in seats]
    assert result["type"] == (f"Player{3 - place}Win" if agent in PLAYED_ON else expected), told
    failed = agent in PLAYED_ON or expected in ("InitializationError", "Tie")  # After an hour, the ladder hangs up.
    assert bots[place - 1].exit_code == (None if agent == "InfiniteLoopBot" else 1 if failed else 0), told
    tags = [["bridge"] if bot.name == "bridge" and agent != "InstantCrashBot" else [] for bot in bots]
    check_fields(result, tags)


@pytest.mark.parametrize("row", rows(often=(3,)))
def test_the_proxy_ends_a_match_as_the_ladder_does(
    row: int, tmp_path: pathlib.Path, installation: dict[str, str]
) -> None:
    first, second, expected = MATCHES[row]
    bots = [own(first, tmp_path / "1"), own(second, tmp_path / "2")]
    played = proxied.play_match(PROGRAM, bots, RULES.bot, installation, tmp_path / "out")
    result, code, complaint = asyncio.run(played)
    assert result == expected, (complaint, [bot.said[-1500:] for bot in bots])
    assert code == (1 if expected == "InitializationError" else 0), complaint
