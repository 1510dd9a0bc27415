"""The options that `launch` passes on and refuses, and the properties of its match."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
from typing import Any

import pytest
from fake_bridge import GrpcBridge, Match
from launch_case import ENDS, PLAYS, SAYS, Machine, machine, played  # noqa: F401

import sc2bridge
from sc2bridge.client.process import find_executable
from sc2bridge.pictures import draw_map
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the made-up programs are scripts of a shell")

DEADLINES = ("--lockstep-deadline", "--pause-deadline", "--agent-timeout")


@pytest.mark.parametrize(
    "given, seconds",
    [
        ({}, ("86400", "86400", "86400")),
        ({"deadline": 7.5}, ("7.5", "7.5", "7.5")),
        ({"options": ["--lockstep-deadline", "5", "--agent-timeout=6"]}, ("5", "86400", "6")),
    ],
)
def test_the_match_waits_for_its_own_subscriber_unless_a_deadline_is_requested(
    machine: Machine, given: dict[str, Any], seconds: tuple[str, ...]  # noqa: F811
) -> None:
    machine.has(PLAYS)
    with sc2bridge.launch(**given):
        pass
    said = (machine.folder / "arguments").read_text()
    assert tuple(re.findall(f"{flag}[ =](\\S+)", said) for flag in DEADLINES) == tuple([each] for each in seconds)


@pytest.mark.parametrize(
    "given, message",
    [
        (
            {"players": "agent:terran"},
            "players 'agent:terran' is a string: give a list of strings, such as players=['agent:",
        ),
        ({"agents": "a:A"}, "agents 'a:A' is a string: give a list of strings, such as agents=['a:A']"),
        (
            {"options": "--disable-fog"},
            "options '--disable-fog' is a string: give a list of strings, such as options=['--dis",
        ),
        ({"map_nam": "X"}, "launch has no argument 'map_nam': did you mean map_name?"),
        ({"agnets": ["a:A"]}, "launch has no argument 'agnets': did you mean agents?"),
        ({"zzz": 1}, "launch has no argument 'zzz': it has map_name, players, rate, "),
    ],
)
def test_a_wrong_argument_is_one_clear_error_before_anything_is_started(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        sc2bridge.launch(executable="/there/is/none", **given)
    with pytest.raises(TypeError, match=re.escape(message)):
        asyncio.run(sc2bridge.alaunch(executable="/there/is/none", **given))


def test_launch_returns_when_its_agents_have_subscribed(machine: Machine, played: Match) -> None:  # noqa: F811
    machine.has(PLAYS)
    played.subscribers, played.internal = 0, [bridge_pb2.SubscriberStatus(name="step log", internal=True)]
    asked: list[int] = []
    status = played.status

    def count(request: Any) -> Any:
        asked.append(1)
        played.subscribers = len(asked) // 2
        return status(request)

    played.status = count  # type: ignore[method-assign]
    with sc2bridge.launch(agents=["a:A", "b:B"]):
        assert len(asked) == 4


NO_AGENT = """
echo "[nope-1-shm] sc2bridge: agent 'nope:Nope': module nope was not found in the current folder or on PYTHONPATH" >&2
echo 'sc2bridge: agent nope-1-shm ended with exit code 2 before the match began: see its lines above' >&2
exit 1
"""


@pytest.mark.parametrize("by_asyncio", [False, True])
def test_an_agent_that_cannot_be_loaded_is_the_error_of_launch(
    machine: Machine, played: Match, by_asyncio: bool  # noqa: F811
) -> None:
    machine.has(SAYS + NO_AGENT)
    played.subscribers = 0
    with pytest.raises(
        sc2bridge.LaunchError, match="exit code 1: agent 'nope:Nope': module nope was not found .* ended wi"
    ):
        if by_asyncio:
            asyncio.run(sc2bridge.alaunch(agents=["nope:Nope"]))
        else:
            sc2bridge.launch(agents=["nope:Nope"])
    assert not list(machine.temporary.iterdir())


def test_agents_that_never_subscribe_are_given_up(machine: Machine, played: Match) -> None:  # noqa: F811
    machine.has(PLAYS)
    played.subscribers = 0
    with pytest.raises(sc2bridge.LaunchError, match="the agents did not subscribe within 0.5 s: .*Game: simulated"):
        sc2bridge.launch(agents=["a:A"], start_timeout=0.5)
    assert machine.was_stopped()


def plays_as_second(played: Match) -> None:  # noqa: F811
    """Has an agent play, and win, as player 2."""
    played.players = (
        bridge_pb2.Player(player_id=1, kind=bridge_pb2.PLAYER_KIND_COMPUTER, race=bridge_pb2.PLAYER_RACE_ZERG),
        bridge_pb2.Player(player_id=2, kind=bridge_pb2.PLAYER_KIND_AGENT, race=bridge_pb2.PLAYER_RACE_TERRAN),
    )
    played.perspective = 2


def check(match: Any, end: Any, result: Any) -> None:
    assert match.map_name == "Fake" and [each.kind for each in match.players] == ["computer", "agent"]
    assert match.end == end and match.result == result
    assert repr(match) == f"<{type(match).__name__} on Fake at ws://127.0.0.1:7/v1{', victory' if result else ''}>"
    assert '<a href="http://127.0.0.1:7/"' in match._repr_html_() and "&lt;" in match._repr_html_()


def test_a_launched_match_tells_its_map_players_and_result(machine: Machine, played: Match) -> None:  # noqa: F811
    plays_as_second(played)
    machine.has(ENDS)
    with sc2bridge.launch() as match:
        check(match, None, None)
        frames = match.subscribe()
        list(frames)
        check(match, frames.end, "victory")
        machine.end()
    check(match, frames.end, "victory")
    with pytest.raises(sc2bridge.SC2BridgeError, match="^this match was closed: start another one with "):
        match.describe()


CALLS = (
    lambda match: match.subscribe(),
    lambda match: match.describe(),
    lambda match: match.request(sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())),
    lambda match: match.status(),
)


def has_ended(how: str) -> Any:
    return pytest.raises(
        sc2bridge.ClosedError, match=f"^this match has ended \\({how}\\): start another one with sc2bridge.launch$"
    )


@pytest.mark.parametrize("reads", [True, False])
def test_an_ended_match_has_its_result(machine: Machine, played: Match, reads: bool) -> None:  # noqa: F811
    plays_as_second(played)
    with GrpcBridge(played) as bridge:
        machine.target = bridge.url[len("grpc://") :]
        machine.has(ENDS)
        match = sc2bridge.launch(out=str(machine.folder))
        frames = match.subscribe()
        for _ in frames:
            if not reads:
                break
        if reads:
            with has_ended("victory"):
                match.subscribe()
    summary = {"match": "m1", "ended": "finished", "results": {"1": "Defeat", "2": "Victory"}, "last_game_loop": 4}
    (machine.folder / "summary.json").write_text(json.dumps({**summary, "figures": {"steps": 5}}))
    machine.end()
    for call in CALLS:
        with has_ended("victory"):
            call(match)
    match.close()
    assert match.end is not None and (match.end.step, match.result, match.end.reason) == (
        *(4, match.result),
        frames.end.reason if reads else "finished",
    )


def test_using_a_match_with_a_failed_bridge_is_an_error(machine: Machine, played: Match) -> None:  # noqa: F811
    with GrpcBridge(played) as bridge:
        machine.target = bridge.url[len("grpc://") :]
        machine.has(ENDS + "echo 'sc2bridge: no space is left' >&2\nexit 1")
        match = sc2bridge.launch()
    machine.end()
    with pytest.raises(sc2bridge.LaunchError, match="exit code 1: no space is left"):
        match.describe()
    with pytest.raises(sc2bridge.LaunchError, match="exit code 1: no space is left"):
        match.close()


def test_a_launched_match_tells_the_same_by_asyncio(machine: Machine, played: Match) -> None:  # noqa: F811
    async def play() -> None:
        async with await sc2bridge.alaunch() as match:
            check(match, None, None)
            frames = await match.subscribe()
            assert len([frame async for frame in frames]) == 5
            check(match, frames.end, "victory")
            with has_ended("victory"):
                await match.subscribe()
            machine.end()
        check(match, frames.end, "victory")

    plays_as_second(played)
    machine.has(ENDS)
    asyncio.run(play())


def test_by_asyncio_the_wait_for_the_end_of_a_lost_bridge_stops_no_event_loop(
    machine: Machine, played: Match  # noqa: F811
) -> None:
    async def play() -> None:
        loop = asyncio.get_running_loop()
        with GrpcBridge(played) as bridge:
            machine.target = bridge.url[len("grpc://") :]
            machine.has(ENDS)
            match = await sc2bridge.alaunch()
        has_process_ended = match._launched.process.has_ended

        def wait(seconds: float) -> bool:
            loop.call_soon_threadsafe(machine.end)  # Only a loop that runs ends the process.
            return has_process_ended(seconds)

        match._launched.process.has_ended = wait  # type: ignore[method-assign]
        with has_ended("its bridge has ended"):
            await match.describe()
        match._launched.process.has_ended = has_process_ended  # type: ignore[method-assign]
        await match.close()

    asyncio.run(play())


def test_the_end_of_a_match_that_failed_is_read_once(machine: Machine) -> None:  # noqa: F811
    summary = {"match": "m1", "ended": "it crashed", "results": {}, "last_game_loop": 4, "figures": {"steps": 5}}
    machine.has(ENDS)
    with sc2bridge.launch(out=str(machine.folder)) as match:
        for aborted in (True, False):
            (machine.folder / "summary.json").write_text(json.dumps({**summary, "aborted": aborted}))
            assert match.end is not None and match.end.aborted and str(match.end) == "it crashed"
        machine.end()


def test_a_launched_match_is_not_a_playback(machine: Machine) -> None:  # noqa: F811
    machine.has(PLAYS)
    with sc2bridge.launch() as match:
        for name in ("step", "pause", "resume", "seek", "set_rate", "playback"):
            assert not hasattr(match, name) and name not in dir(match)
        with pytest.raises(AttributeError, match="a launched match has no 'step', .* ask for the next frame"):
            match.step()  # type: ignore[attr-defined]
        with pytest.raises(AttributeError, match="'LaunchedMatch' object has no attribute 'sevral'"):
            match.sevral  # type: ignore[attr-defined]


def test_the_map_of_a_match_is_drawn_from_its_description(machine: Machine, played: Match) -> None:  # noqa: F811
    machine.has(PLAYS)
    with sc2bridge.launch() as match, match.subscribe() as frames:
        with pytest.raises(TypeError, match=r"a LaunchedMatch has no map: .* draw_map\(match.describe\(\), frame\)$"):
            draw_map(match, next(frames))  # type: ignore[arg-type]


def test_the_signatures_name_what_is_returned() -> None:
    assert inspect.signature(sc2bridge.launch).return_annotation == "LaunchedMatch"
    assert inspect.signature(sc2bridge.alaunch).return_annotation == "AsyncLaunchedMatch"


def program() -> str:
    try:
        return find_executable()
    except sc2bridge.LaunchError as error:
        pytest.skip(str(error))


@pytest.mark.slow
def test_the_end_of_a_real_match_that_agents_played_is_known() -> None:
    with sc2bridge.launch(
        steps=5, game="simulated", agents=["sc2bridge.agents:Watcher"], wait=0, executable=program()
    ) as match:
        assert match._launched.process.has_ended(30)  # launch may return before the last step.
        for call in CALLS:
            with has_ended("step limit"):
                call(match)
    assert match.end is not None and (match.end.step, match.end.game_loop) == (4, 4)


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--restarts"]])
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"agents": ["no_such_agent:Agent"]}, "module no_such_agent was not found in the current folder"),
        ({"map_name": "Nowhere LE"}, "There is no map 'Nowhere LE'"),
        ({"players": ["agent:terrann", "computer:zerg:Easy"]}, "terrann"),
        ({"options": ["--nowhere"]}, "--nowhere"),
    ],
)
def test_a_match_that_can_never_start_is_an_error_of_launch(
    given: dict[str, Any], says: str, options: list[str]
) -> None:
    given = {**given, "options": [*given.get("options", ()), *options]}
    with pytest.raises(sc2bridge.LaunchError, match=says):
        sc2bridge.launch(steps=5, game="simulated", executable=program(), start_timeout=60, **given)
