"""Matches without references, and subscriptions that a program has left, block nothing."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fake_bridge import Match
from launch_case import ENDS, PLAYS, Machine, machine, played  # noqa: F401

import sc2bridge
from sc2bridge.client import guard
from sc2bridge.client.process import find_executable
from sc2bridge.errors import ClosedError, LaunchError
from sc2bridge.v1 import bridge_pb2

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the made-up programs are scripts of a shell")


def are_ended() -> bool:
    """Waits until the cleanup thread has finished."""
    reached = threading.Event()
    guard._end_calls.put(reached.set)
    return reached.wait(60)


def test_a_match_that_nothing_refers_to_is_stopped(machine: Machine) -> None:  # noqa: F811
    machine.has(PLAYS)
    match = sc2bridge.launch()
    with pytest.warns(ResourceWarning, match="a match that launch.. started was not closed"):
        del match
        gc.collect()
    assert are_ended() and machine.was_stopped()


def test_a_subscription_keeps_its_match(machine: Machine) -> None:  # noqa: F811
    machine.has(PLAYS)
    frames = sc2bridge.launch().subscribe("lockstep")
    gc.collect()
    assert len([next(frames), next(frames)]) == 2 and not machine.was_stopped()
    with pytest.warns(ResourceWarning, match="was not closed"):
        del frames
        gc.collect()
    assert are_ended() and machine.was_stopped()


def test_a_match_that_nothing_refers_to_is_stopped_by_asyncio(machine: Machine) -> None:  # noqa: F811
    async def drop() -> None:
        match = await sc2bridge.alaunch()
        async for _ in await match.subscribe("lockstep"):
            break
        del match
        gc.collect()

    machine.has(PLAYS)
    with pytest.warns(ResourceWarning, match="was not closed"):
        asyncio.run(drop())
        gc.collect()
    assert are_ended() and machine.was_stopped()


def test_a_match_that_was_closed_is_not_stopped_again(
    machine: Machine, recwarn: pytest.WarningsRecorder
) -> None:  # noqa: F811
    machine.has(ENDS)
    match = sc2bridge.launch()
    list(match.subscribe())
    machine.end()
    match.close()
    match.close()
    del match
    gc.collect()
    assert not [each for each in recwarn if each.category is ResourceWarning and "not closed" in str(each.message)]
    assert not list(machine.temporary.iterdir()) and not machine.was_stopped()


def test_a_program_that_ends_stops_its_match_and_removes_its_files(machine: Machine) -> None:  # noqa: F811
    machine.has(PLAYS)
    source = str(pathlib.Path(sc2bridge.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source, "TMPDIR": str(machine.temporary)}
    script = "import sc2bridge\nmatch = sc2bridge.launch()\nframes = match.subscribe()\nprint(next(frames).step)"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
    assert machine.was_stopped()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_ends_nothing_of_the_first_one() -> None:
    class Owner:
        pass

    owner, told = Owner(), list[str]()
    kept = guard.Guard(owner, "it", lambda: told.append("stop"), lambda: told.append("end"))
    child = os.fork()
    if child == 0:
        del owner
        kept._on_exit()
        os._exit(len(told))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with pytest.warns(ResourceWarning, match="it was not closed"):
        del owner
    assert are_ended() and told == ["stop", "end"]
    kept.release()


def is_replaced() -> Any:
    return pytest.raises(ClosedError, match="a newer subscription replaced it")


def test_a_named_subscription_that_was_left_makes_way_for_the_next(
    machine: Machine, played: Match
) -> None:  # noqa: F811
    machine.has(ENDS)
    with sc2bridge.launch() as match:
        left = match.subscribe("lockstep")
        for _ in left:
            break
        frames = match.subscribe("lockstep")
        assert next(frames).step == 0
        with is_replaced():
            next(left)
        assert played.streams_ended.acquire(timeout=60)
        assert len(list(frames)) == 4
        machine.end()


@pytest.mark.parametrize("is_full", [{"queued_bytes": 1 << 25}, {"match_waits": True}, {}])
def test_a_left_subscription_with_a_growing_queue_ends_before_it_delays_the_match(
    machine: Machine, played: Match, is_full: dict[str, Any]
) -> None:  # noqa: F811
    machine.has(ENDS)
    with sc2bridge.launch() as match:
        left = match.subscribe("every")
        next(left)
        played.internal = [bridge_pb2.SubscriberStatus(name=left.name, **is_full)]
        frames = match.subscribe("every")
        assert len(list(frames)) == 5
        with is_replaced() if is_full else contextlib.nullcontext():
            assert next(left).step == 1
        machine.end()


def test_a_subscription_that_was_never_read_makes_way_for_the_next(machine: Machine) -> None:  # noqa: F811
    machine.has(ENDS)
    with sc2bridge.launch() as match:
        left = match.subscribe("lockstep")
        assert len(list(match.subscribe("lockstep"))) == 5
        with is_replaced():
            next(left)
        machine.end()


def test_a_left_subscription_makes_way_in_a_notebook_by_asyncio(machine: Machine) -> None:  # noqa: F811
    async def run_cells() -> None:
        async with await sc2bridge.alaunch() as match:
            names: dict[str, Any] = {}

            async def first_cell() -> None:
                names["left"] = await match.subscribe("lockstep")
                async for _ in names["left"]:
                    break

            async def second_cell() -> None:
                frames = await match.subscribe("lockstep")
                assert len([frame async for frame in frames]) == 5
                with is_replaced():
                    await names["left"].__anext__()

            for cell in (first_cell, second_cell):
                await asyncio.ensure_future(cell())
            machine.end()

    machine.has(ENDS)
    asyncio.run(run_cells())


def test_two_subscriptions_that_are_read_both_continue(machine: Machine) -> None:  # noqa: F811
    machine.has(ENDS)
    with sc2bridge.launch() as match:
        one, other = match.subscribe("lockstep"), match.subscribe("lockstep")
        assert [(a.step, b.step) for a, b in zip(one, other)] == [(step, step) for step in range(5)]
        machine.end()


def test_a_loop_of_another_thread_continues(machine: Machine) -> None:  # noqa: F811
    machine.has(ENDS)
    holds, may_go_on = threading.Event(), threading.Event()

    def think(match: Any) -> int:
        count = 0
        for _ in match.subscribe("lockstep"):
            count += 1
            holds.set()
            assert may_go_on.wait(60)
        return count

    with ThreadPoolExecutor(1) as threads, sc2bridge.launch() as match:
        thinking = threads.submit(think, match)
        assert holds.wait(60)
        assert len(list(match.subscribe("lockstep"))) == 5
        may_go_on.set()
        assert thinking.result(60) == 5
        machine.end()


@pytest.mark.parametrize("more", [{"deadline": 5}, {"options": ["--lockstep-deadline", "5"]}, {"rate": "realtime"}])
def test_a_match_with_a_deadline_or_in_real_time_keeps_both_subscriptions(
    machine: Machine, more: dict[str, Any]
) -> None:  # noqa: F811
    machine.has(ENDS)
    with sc2bridge.launch(**more) as match:
        left = match.subscribe("lockstep")
        next(left)
        next(match.subscribe("lockstep"))
        assert next(left).step == 1
        machine.end()


@pytest.fixture
def program() -> Iterator[str]:
    try:
        yield find_executable()
    except LaunchError as error:
        pytest.skip(str(error))


@pytest.mark.slow
def test_a_real_match_waits_for_a_cell_that_is_not_run_and_goes_on_in_the_next(program: str) -> None:
    with sc2bridge.launch(steps=20, game="simulated", executable=program) as match:
        left = match.subscribe("lockstep")
        assert next(left).step == 0
        frames = match.subscribe("lockstep")
        assert [frame.step for frame in frames][-1] == 19
        assert match.end is not None and match.end.reason == "step limit"
        assert match.map_name == "Cinder Fortress LE" and len(match.players) == 2


@pytest.mark.slow
def test_a_real_match_is_not_held_by_the_queue_of_a_subscription_that_was_left(program: str) -> None:
    with sc2bridge.launch(steps=5000, game="simulated", executable=program) as match:
        left = match.subscribe()
        next(left)
        assert sum(1 for _ in match.subscribe()) > 4000
        with is_replaced():
            list(left)
