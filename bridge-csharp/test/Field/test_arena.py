"""
AI Arena's test matches, with the results that its own tests expect. They are played in three ways: the bots under its
rules (`arena.py`); the same with an agent of the bridge for one of them, started as `sc2bridge ladder`; and through the
bridge's proxy.

The rows are `testing/sc2-controller/test-matches` of sc2-ai-match-controller 51fa868, on a map of ours.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import sys

import arena
import proxied
import pytest
from conftest import PROGRAM, PYTHON, TEST_BOTS
from rules import End

FOLDER = TEST_BOTS.folder()
LIMITS = arena.Limits(bot=20, game=45, end=20, match=840)
WON, LOST, GONE, SILENT, UNANSWERED = End.WON, End.LOST, End.BOT_GONE, End.BOT_SILENT, End.GAME_SILENT

MATCHES = [
    ("basic_bot", "loser_bot", "Player1Win", [WON, LOST]),
    ("loser_bot", "tie_bot", "Tie", []),
    ("leaver_bot", "loser_bot", "Player2Win", [LOST, WON]),
    ("basic_bot", "crash_bot", "Player2Crash", [WON, GONE]),
    ("basic_bot", "connect_timeout_bot", "InitializationError", [UNANSWERED, None]),
    ("basic_bot", "instant_crash_bot", "Player2Crash", [WON, GONE]),
    ("basic_bot", "infinite_loop_bot", "Player2TimeOut", [WON, SILENT]),
    ("crash_bot", "basic_bot", "Player1Crash", [GONE, WON]),
    ("connect_timeout_bot", "basic_bot", "InitializationError", [None, UNANSWERED]),
    ("instant_crash_bot", "basic_bot", "Player1Crash", [GONE, WON]),
    ("infinite_loop_bot", "basic_bot", "Player1TimeOut", [SILENT, WON]),
    ("loser_bot", "basic_bot", "Player2Win", [LOST, WON]),
    ("loser_bot", "leaver_bot", "Player1Win", [WON, LOST]),
]
"""The bots, the result, and what ends each bot's match. The hour of a tie may be over for either bot first."""

KILLED = ("connect_timeout_bot", "infinite_loop_bot")
"""The bots that do not end by themselves."""
CRASHING = ("crash_bot", "instant_crash_bot")
"""The bots that divide by zero. All others exit with 0."""

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


def rows(often: tuple[int, ...]) -> list[object]:
    """Every match. Only the matches of these rows run without --all."""
    limit, long = pytest.mark.timeout(900), pytest.mark.long
    return [
        pytest.param(row, id="-".join(match[:3]), marks=[limit] if row in often else [limit, long])
        for row, match in enumerate(MATCHES)
    ]


def own(name: str, folder: pathlib.Path) -> arena.Bot:
    """A test bot, in a copy of its folder."""
    return arena.Bot(name, [sys.executable, "run.py"], pathlib.Path(shutil.copytree(FOLDER / name, folder / name)))


def check(bots: list[arena.Bot], played: arena.Played, type_: str, ends: list[End | None]) -> None:
    """Checks the result, why the match ended so, and the fields that the result has because of it."""
    report = [(seat.end, seat.why, bot.exit_code, bot.said[-1500:]) for seat, bot in zip(played.seats, bots)]
    assert played.result["type"] == type_, report
    assert played.ends == ends or (type_ == "Tie" and End.DRAWN in played.ends), report
    assert not played.not_started, report
    figures = [
        name for seat in played.seats if seat.end for name in (f"{seat.number}_avg_step_time", f"{seat.number}_tags")
    ]
    assert list(played.result) == ["match", *(f"bot{name}" for name in figures), "type", "game_steps"], report
    check_exits(bots)


def check_exits(bots: list[arena.Bot]) -> None:
    """Checks how the test bots ended."""
    for bot in bots:
        if bot.name != "bridge":
            expected = None if bot.name in KILLED else int(bot.name in CRASHING)
            assert bot.exit_code == expected, (bot.name, bot.said[-1500:])
            assert ("ZeroDivisionError" in bot.said) == (bot.name in CRASHING), bot.said[-1500:]


@pytest.mark.parametrize("row", rows(often=(2, 3)))
def test_bots_get_the_result_that_ai_arena_expects(
    row: int, tmp_path: pathlib.Path, installation: dict[str, str]
) -> None:
    first, second, expected, ends = MATCHES[row]
    bots = [own(first, tmp_path / "1"), own(second, tmp_path / "2")]
    played = arena.play_match(PROGRAM, bots, LIMITS, installation)
    check(bots, played, expected, ends)
    assert [played.result.get(f"bot{number}_tags", []) for number in (1, 2)] == [[], []]


# A line that the bridge prints, and its exit code, if it does not play to the match's end with its agent.
PRINTED = {
    "CrashBot": ("bridged:CrashBot failed in on_step at step 5: ZeroDivisionError", 1),
    "InstantCrashBot": ("bridged:InstantCrashBot failed in on_step at step 0: ZeroDivisionError", 1),
    "InitializationError": ("The game closed its connection while join_game waited for its answer", 1),
    "Tie": ("The game closed its connection", 1),
    "InfiniteLoopBot": ("gRPC on .*, logs in log", None),
}


@pytest.mark.parametrize("row", rows(often=(2,)))
def test_an_agent_of_the_bridge_gets_the_result_of_the_bot_that_it_stands_for(
    row: int, tmp_path: pathlib.Path, installation: dict[str, str]
) -> None:
    (place, agent), (*names, expected, ends) = BRIDGED[row], MATCHES[row]
    start = [PROGRAM, "ladder", "--race", "terran", "--step-size", "4", "--agent", f"bridged:{agent}"]
    start += ["--python", PYTHON, "--out", "log", "--no-recording"]
    start += ["--lockstep-deadline", "60"]  # An agent that hangs is not left behind before the ladder loses patience.
    installation["PYTHONPATH"] = str(pathlib.Path(__file__).parent)
    bots = []
    for number, name in enumerate(names, 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        bots.append(arena.Bot("bridge", start, folder) if number == place else own(name, folder))
    played = arena.play_match(PROGRAM, bots, LIMITS, installation)
    bridge = bots[place - 1]
    if names[place - 1] in CRASHING:  # The bridge plays on without its agent, which then loses.
        expected, ends = f"Player{3 - place}Win", [LOST if number == place else WON for number in (1, 2)]
    check(bots, played, expected, ends)
    printed, code = PRINTED.get(agent) or PRINTED.get(expected) or (r"ended \(finished\) at game loop", 0)
    assert bridge.exit_code == code and re.search(printed, bridge.said), bridge.said[-3000:]
    spoke = expected != "InitializationError" and agent != "InstantCrashBot"
    assert played.result.get(f"bot{place}_tags", []) == (["bridge"] if spoke else []), bridge.said[-3000:]
    assert played.result.get(f"bot{3 - place}_tags", []) == []


@pytest.mark.parametrize("row", rows(often=(3,)))
def test_the_proxy_reports_the_result_that_ai_arena_expects(
    row: int, tmp_path: pathlib.Path, installation: dict[str, str]
) -> None:
    *names, expected, _ = MATCHES[row]
    bots = [own(name, tmp_path / str(number)) for number, name in enumerate(names, 1)]
    played = proxied.play_match(PROGRAM, bots, LIMITS, installation, tmp_path / "out")
    report = (played.said[-3000:], [bot.said[-1500:] for bot in bots])
    if expected == "InitializationError":
        place = names.index("connect_timeout_bot") + 1
        missing, waiting = (rf"ws://127.0.0.1:{played.ports[number]}/sc2api within" for number in (place, 3 - place))
        assert re.search(f"No bot (connected at {missing}|joined at {waiting})", played.said), report
        assert (played.result, played.exit_code) == ("", 1), report
    else:
        assert (played.result, played.exit_code) == (expected, 0), report
    if expected == "Tie":  # The bridge refuses the next request, which ends python-sc2's bots.
        refused = "Ladder rules: a match ends at game loop 80640"
        assert any(bot.exit_code == 1 for bot in bots), report
        assert all(bot.exit_code == int(refused in bot.said) for bot in bots), report
    else:
        check_exits(bots)
