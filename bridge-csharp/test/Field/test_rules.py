"""The rules of `rules.py`, and the ends of programs. They need no client."""

from __future__ import annotations

import asyncio
import os
import pathlib
import stat

import arena
import processes
import pytest
from rules import LAST_LOOP, End, Seat, decided, match_result, result_type
from s2clientprotocol import sc2api_pb2 as api

RESULTS = [
    (End.WON, End.LOST, "Player1Win"),
    (End.LOST, End.WON, "Player2Win"),
    (End.BOT_GONE, End.WON, "Player1Crash"),
    (End.WON, End.BOT_GONE, "Player2Crash"),
    (End.BOT_SILENT, End.BOT_GONE, "Player2Crash"),
    (End.BOT_GONE, End.BOT_SILENT, "Player1Crash"),
    (End.BOT_SILENT, End.WON, "Player1TimeOut"),
    (End.WON, End.BOT_SILENT, "Player2TimeOut"),
    (End.DRAWN, End.LOST, "Tie"),
    (End.BROKEN, End.WON, "Error"),
]
"""By sc2-ai-match-controller 51fa868, `sc2_controller/src/game/game_result.rs:109`."""


def seat(number: int = 1, end: End | None = None) -> Seat:
    return Seat(
        number, f"bot {number}", f"bot {3 - number}", arena.TERRAN, [1, 2, 3, 4, 5], 5000 + 100 * number, end=end
    )


def joined() -> Seat:
    one = seat()
    one.asked(join(5100), 0)
    one.answered(api.Response(join_game=api.ResponseJoinGame(player_id=2)), 1)
    assert one.joined and one.end is None
    return one


def join(start_port: int) -> api.Request:
    asked = api.RequestJoinGame(race=2, player_name="mine", options=api.InterfaceOptions(raw=True), host_ip="10.0.0.1")
    asked.client_ports.add(base_port=start_port)
    return api.Request(id=7, join_game=asked)


def observed(loop: int, *results: tuple[int, int]) -> api.Response:
    response = api.Response()
    response.observation.observation.game_loop = loop
    for player, result in results:
        response.observation.player_result.add(player_id=player, result=result)
    return response


@pytest.mark.parametrize("first, second, expected", RESULTS)
def test_the_ends_of_both_bots_make_the_result(first: End, second: End, expected: str) -> None:
    both = [seat(1, first), seat(2, second)]
    both[0].loops, both[0].thought, both[0].tags, both[1].loops = 10, 0.5, ["a"], 12
    assert match_result(both, result_type(both)) == {
        "match": 1,
        "bot1_avg_step_time": 0.05,
        "bot1_tags": ["a"],
        "bot2_avg_step_time": 0.0,
        "bot2_tags": [],
        "type": expected,
        "game_steps": 12,
    }


def test_a_bot_that_nobody_joins_gets_no_answer_and_that_decides_the_match() -> None:
    waiting, missing = seat(1, End.GAME_SILENT), seat(2)
    assert decided(waiting, [waiting, missing]) == "InitializationError"
    assert match_result([waiting, missing], "InitializationError") == {
        "match": 1,
        "bot1_avg_step_time": 0.0,
        "bot1_tags": [],
        "type": "InitializationError",
        "game_steps": 0,
    }
    missing.finish(End.BOT_GONE, "")
    assert decided(waiting, [waiting, missing]) == ""


def test_a_bot_that_is_silent_before_it_joins_is_an_error() -> None:
    assert decided(seat(1, End.BOT_SILENT), [seat(1), seat(2)]) == "Error"
    silent = joined()
    silent.finish(End.BOT_SILENT, "")
    assert decided(silent, [silent, seat(2)]) == ""


def test_a_bot_joins_with_its_own_options_and_nothing_else_of_its_own() -> None:
    one = seat()
    assert one.asked(api.Request(ping=api.RequestPing()), 0) == api.Request(ping=api.RequestPing())
    passed = one.asked(join(5104), 0)
    expected = api.RequestJoinGame(
        race=1,
        player_name="bot 1",
        options=api.InterfaceOptions(raw=True, raw_affects_selection=True),
        shared_port=1,
        server_ports=api.PortSet(game_port=2, base_port=3),
        client_ports=[api.PortSet(game_port=4, base_port=5)],
    )
    assert passed == api.Request(id=7, join_game=expected)


@pytest.mark.parametrize(
    "request_, end",
    [
        (api.Request(quit=api.RequestQuit()), End.LOST),
        (api.Request(observation=api.RequestObservation()), End.REFUSED),
        (join(5200), End.BROKEN),
    ],
)
def test_a_bot_may_only_ping_before_it_joins(request_: api.Request, end: End) -> None:
    one = seat()
    assert one.asked(request_, 0) is None
    assert (one.end, one.joined) == (end, False)


def test_a_join_that_the_game_refuses_is_no_join() -> None:
    one = seat()
    one.asked(join(5100), 0)
    one.answered(api.Response(error=["no"]), 0)
    assert (one.end, one.joined) == (End.REFUSED, False)


def test_a_bot_sees_no_more_than_its_side_and_debugs_nothing() -> None:
    one = joined()
    seen = one.asked(api.Request(observation=api.RequestObservation(disable_fog=True, game_loop=3)), 0)
    assert seen == api.Request(observation=api.RequestObservation(game_loop=3))
    answer = one.asked(api.Request(id=9, debug=api.RequestDebug()), 0)
    assert answer == api.Response(id=9, status=api.in_game, debug=api.ResponseDebug())


def test_names_are_the_managers_and_the_opponents_race_is_the_requested_one() -> None:
    response = api.Response()
    response.game_info.player_info.add(player_id=1, player_name="?", race_requested=4, race_actual=2)
    response.game_info.player_info.add(player_id=2, player_name="?", race_requested=4, race_actual=1)
    opponent, own = joined().answered(response, 0).game_info.player_info
    assert (opponent.player_name, opponent.race_actual) == ("bot 2", 4)
    assert (own.player_name, own.race_actual) == ("bot 1", 1)


def test_tags_come_from_chat_and_the_time_of_thought_runs_from_an_answer_to_the_next_request() -> None:
    one = joined()
    request = api.Request(action=api.RequestAction())
    for text in ("Tag:a", "hello", "no Tag:b", "Tag:a"):
        request.action.actions.add().action_chat.message = text
    one.asked(request, 10)  # The time before the first answer does not count.
    one.answered(api.Response(action=api.ResponseAction()), 11)
    one.asked(api.Request(step=api.RequestStep()), 13.5)
    assert (one.tags, one.thought) == (["a"], 2.5)


@pytest.mark.parametrize(
    "response, end",
    [
        (observed(10), None),
        (observed(10, (1, api.Victory), (2, api.Defeat)), End.LOST),
        (observed(10, (1, api.Defeat), (2, api.Victory)), End.WON),
        (observed(LAST_LOOP), None),
        (observed(LAST_LOOP + 1), End.DRAWN),
        (api.Response(leave_game=api.ResponseLeaveGame()), End.LOST),
        (api.Response(quit=api.ResponseQuit()), End.LOST),
    ],
)
def test_answers_that_end_a_bots_match(response: api.Response, end: End | None) -> None:
    one = joined()
    assert one.answered(response, 0) == response
    assert one.end is end


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: pathlib.Path) -> None:
    command = ["bash", "-c", "echo $$; sleep 1000 & sleep 1000"]
    code, said = processes.run(command, tmp_path, dict(os.environ), tmp_path / "log", seconds=2)
    assert code is None
    assert processes.members(int(said)) == []


def test_a_match_has_a_limit_and_leaves_no_process(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "silent game"
    program.write_text(f"#!/bin/sh\necho $$ >> '{tmp_path}/pids'\nsleep 1000 & sleep 1000\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    bots = [arena.Bot(name, ["true"], tmp_path) for name in "ab"]
    with pytest.raises(asyncio.TimeoutError):
        arena.play_match(str(program), bots, arena.Limits(match=2), dict(os.environ))
    assert [processes.members(int(pid)) for pid in (tmp_path / "pids").read_text().split()] == [[]]
