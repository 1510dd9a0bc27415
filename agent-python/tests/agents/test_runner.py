"""`python -m sc2bridge run`: an agent from its start to its end, and everything that can go wrong on the way."""

from __future__ import annotations

import io
import os
import pathlib
import subprocess
import sys
import threading
from typing import Any

import pytest
from bot_case import program
from conftest import ROOT
from fake_bridge import GrpcBridge, Match

from sc2bridge import Agent
from sc2bridge.__main__ import main
from sc2bridge.agents import runner
from sc2bridge.agents.runner import CONNECTION_LOST
from sc2bridge.s2clientprotocol import sc2api_pb2


class Diary(Agent):
    entries: list[str] = []  # noqa: RUF012 - shared, so that the test can read it.

    def on_start(self, match: Any) -> None:
        Diary.entries = [f"start {match.match_id}"]

    def on_step(self, frame: Any) -> None:
        Diary.entries.append(f"step {frame.step}")

    def on_end(self, end: Any) -> None:
        Diary.entries.append(f"end {end}")


class Thrower(Agent):
    def on_step(self, frame: Any) -> None:
        if frame.step == 2:
            raise RuntimeError("no idea what to do")


def run(url: str, agent: str, *more: str) -> int:
    return main(["run", agent, "--bridge", url, "--retry-seconds", "0", *more])


@pytest.mark.parametrize("policy", ["every", "latest", "lockstep"])
def test_an_agent_receives_the_whole_match(open_bridge: Any, policy: str) -> None:
    match = Match(steps=3)
    with open_bridge(match) as url:
        assert run(url, "test_runner:Diary", "--policy", policy, "--name", "d") == 0
    assert Diary.entries == ["start m1", "step 0", "step 1", "step 2", "end step limit"]
    assert match.subscriptions[0].agent == "d"


def test_the_bundled_watcher_counts(open_bridge: Any, capsys: Any) -> None:
    with open_bridge(Match(steps=4)) as url:
        assert run(url, "sc2bridge.agents:Watcher") == 0
    out = capsys.readouterr().out
    assert "watching m1 on Fake (simulated)" in out
    assert "4 frames, loops 0-3, 3 units at the end" in out


@pytest.mark.parametrize("compression", ["none", "zstd", "group-zstd"])
def test_an_agent_receives_compressed_frames(open_bridge: Any, capsys: Any, compression: str) -> None:
    with open_bridge(Match(steps=9)) as url:
        assert run(url, "sc2bridge.agents:Watcher", "--compression", compression) == 0
    assert "9 frames, loops 0-8, 3 units at the end" in capsys.readouterr().out


def test_an_agent_that_throws_ends_with_one_clear_line(open_bridge: Any, capsys: Any) -> None:
    match = Match(steps=5)
    with open_bridge(match) as url:
        assert run(url, "test_runner:Thrower", "--policy", "lockstep") == 1
        assert match.streams_ended.acquire(timeout=60), "the bridge gets the end of the stream"
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "sc2bridge: test_runner:Thrower failed in on_step at step 2: RuntimeError: no idea what to do"


def test_an_agent_reconnects_after_a_lost_connection(open_bridge: Any, capsys: Any) -> None:
    match = Match(steps=3, break_after=1)
    with open_bridge(match) as url:
        assert run(url, "test_runner:Diary", "--retry-seconds", "60") == 0
    assert Diary.entries == ["start m1", "step 0", "step 0", "step 1", "step 2", "end step limit"]
    assert [subscription.match_id for subscription in match.subscriptions] == ["", "m1"]
    assert "trying again in" in capsys.readouterr().err


def test_an_agent_can_start_before_its_bridge(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    bridges = []

    def start_the_bridge(seconds: float) -> None:
        assert 0 < seconds <= 0.1
        bridges.append(GrpcBridge(Match(), f"unix:{tmp_path}/late").__enter__())

    monkeypatch.setattr(runner.time, "sleep", start_the_bridge)
    try:
        assert run(f"grpc+unix:{tmp_path}/late", "test_runner:Diary", "--retry-seconds", "60") == 0
    finally:
        bridges[0].__exit__()
    assert Diary.entries[-1] == "end step limit"


def test_a_missing_bridge_is_one_clear_line(capsys: Any) -> None:
    assert run("ws://127.0.0.1:1/v1", "test_runner:Diary") == CONNECTION_LOST
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "check that it runs" in error


def test_a_refusal_ends_the_agent(open_bridge: Any, capsys: Any) -> None:
    with open_bridge(Match(refusal=(5, "there is no match m7: it ended"))) as url:
        assert run(url, "test_runner:Diary") == 1
    assert capsys.readouterr().err == "sc2bridge: there is no match m7: it ended (NOT_FOUND)\n"


class Waiter(Agent):
    has_printed = threading.Event()

    def on_step(self, frame: Any) -> None:
        if frame.step == 1:
            assert self.has_printed.wait(60)


def test_the_stack_of_a_slow_step_is_printed_once(open_bridge: Any, monkeypatch: Any) -> None:
    Waiter.has_printed.clear()
    text = io.StringIO()
    monkeypatch.setattr(text, "flush", Waiter.has_printed.set)
    monkeypatch.setattr(sys, "stderr", text)
    with open_bridge(Match(steps=3)) as url:
        assert run(url, "test_runner:Waiter", "--stack-seconds", "0.2") == 0
    header, *stack = text.getvalue().splitlines()
    assert header.startswith("Stack of a step that takes 0.") and header.endswith(" s (most recent call last):")
    assert any("self.has_printed.wait(60)" in line for line in stack)
    assert text.getvalue().count("Stack of") == 1


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_wrong_time_is_one_clear_line(seconds: str, capsys: Any) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("ws://127.0.0.1:1/v1", "test_runner:Diary", "--stack-seconds", seconds)
    assert f"{seconds} is no time in seconds" in capsys.readouterr().err


def test_a_match_that_ends_while_the_connection_is_lost(open_bridge: Any, capsys: Any, monkeypatch: Any) -> None:
    lost = Match(steps=4, break_after=2)
    with open_bridge(lost) as url:

        def end_the_match(_seconds: float) -> None:
            lost.refusal = (5, "match m1 has ended")

        monkeypatch.setattr(runner.time, "sleep", end_the_match)
        assert run(url, "test_runner:Diary", "--retry-seconds", "60") == CONNECTION_LOST
    assert "the match went on without this agent, and ended: match m1 has ended" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("nothing", "write MODULE:CLASS"),
        ("no_such_module:Agent", "module no_such_module was not found in the current folder or on PYTHONPATH"),
        ("test_runner:Nobody", "has no class Nobody"),
        (".relative:Agent", "module .relative was not found"),
        ("test_runner:pytest", "derives from sc2bridge.Agent"),
    ],
)
def test_a_wrong_agent_is_one_clear_line(agent: str, says: str, capsys: Any) -> None:
    assert run("grpc://127.0.0.1:1", agent) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and says in error


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def broken(:", "failed in its module: SyntaxError"),
        ("raise ValueError('too bad')", "failed in its module: ValueError: too bad"),
        ("import no_such_dependency", "failed in its module: ModuleNotFoundError: No module named 'no_such_dependency'"),
        ("raise SystemExit(0)", "failed in its module: SystemExit"),
        ("A = type('A', (__import__('sc2bridge').Agent,), {'__init__': lambda self, x: None})", "failed in __init__: Ty"),
        ("def refuse(self): raise ValueError('no')\nA = type('A', (__import__('sc2bridge').Agent,), "
         "{'__init__': refuse})", "failed in __init__: ValueError: no"),
    ],
)  # fmt: skip
def test_an_agent_that_cannot_be_made_ends_with_one_clear_line(
    code: str, says: str, tmp_path: pathlib.Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "made_up_agent.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "made_up_agent", raising=False)
    assert run("grpc://127.0.0.1:1", "made_up_agent:A") == 1
    assert f"sc2bridge: made_up_agent:A {says}" in capsys.readouterr().err.splitlines()[-1]


def test_a_slow_step_leaves_the_whole_time_to_reconnect(monkeypatch: Any, capsys: Any) -> None:
    class Slow:
        seconds = 100.0

        def monotonic(self) -> float:
            Slow.seconds += 100
            return Slow.seconds

        def sleep(self, _: float) -> None:
            pass

    monkeypatch.setattr(runner, "time", Slow())
    with GrpcBridge(Match(steps=3, break_after=1)) as fake:
        assert run(fake.url, "test_runner:Diary", "--retry-seconds", "60") == 0
    assert Diary.entries[-1] == "end step limit"


@pytest.mark.parametrize(
    "option", ["--queue-bytes=-1", "--perspective=-1", "--exclude=eyes", "--queue-bytes=1" + 30 * "0"]
)
def test_a_wrong_choice_is_one_clear_line(option: str, capsys: Any) -> None:
    assert run("grpc://127.0.0.1:1", "test_runner:Diary", option) == 2
    error = capsys.readouterr().err
    name = option[2:].split("=")[0].replace("-", "_")
    assert error.count("\n") == 1 and name in error


@pytest.mark.parametrize("url", ["http://x", "grpc://x", "ws://x", "grpc+unix:x", "ws://x:1/?encoding=xml", "ws://x:y"])
def test_a_wrong_address_is_one_clear_line(url: str, capsys: Any) -> None:
    assert run(url, "test_runner:Diary") == 2
    assert capsys.readouterr().err.count("\n") == 1


class Vague(Agent):
    can_act = "yes"  # type: ignore[assignment]


class Urgent(Agent):
    can_act = True
    priority = "high"  # type: ignore[assignment]


@pytest.mark.parametrize(
    "agent, words",
    [
        ("Vague", "sc2bridge: can_act 'yes': choose True or False\n"),
        ("Urgent", "sc2bridge: priority 'high': choose a number from 0 to 2**32 - 1\n"),
    ],
)
def test_a_class_with_invalid_settings_is_one_clear_line(open_bridge: Any, capsys: Any, agent: str, words: str) -> None:
    with open_bridge(Match(steps=3)) as url:
        assert run(url, f"test_runner:{agent}") == 2
    assert capsys.readouterr().err == words


class Awaiting(Agent):
    async def on_step(self, frame: Any) -> None:  # type: ignore[override]
        raise AssertionError("nothing would await this")


def test_an_async_method_that_is_never_awaited_is_one_clear_line(open_bridge: Any, capsys: Any) -> None:
    with open_bridge(Match(steps=3)) as url:
        assert run(url, "test_runner:Awaiting") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "Awaiting.on_step is an `async def`" in error and "aconnect" in error


class Interrupted(Diary):
    def on_step(self, frame: Any) -> None:
        super().on_step(frame)
        if frame.step == 1:
            raise KeyboardInterrupt

    def on_end(self, end: Any) -> None:
        Diary.entries.append(f"end {end.match_id} at {end.step}: {end}, {end.aborted}, {self.match.result}")


def test_an_interrupted_agent_is_notified_of_the_end(open_bridge: Any) -> None:
    match = Match(steps=3)
    with open_bridge(match) as url:
        assert run(url, "test_runner:Interrupted", "--policy", "lockstep") == 130
        assert match.streams_ended.acquire(timeout=60), "so is the bridge"
    assert Diary.entries == ["start m1", "step 0", "step 1", "end m1 at 1: interrupted, True, None"]


def test_an_agent_that_is_interrupted_while_it_looks_for_its_bridge_is_notified(monkeypatch: Any) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner.time, "sleep", interrupt)
    with GrpcBridge(Match(steps=3, break_after=1)) as fake:
        assert run(fake.url, "test_runner:Diary", "--retry-seconds", "60") == 130
    assert Diary.entries == ["start m1", "step 0", "end interrupted"]


class Leaver(Diary):
    def on_step(self, frame: Any) -> None:
        super().on_step(frame)
        assert self.player is not None
        self.player.close()  # type: ignore[attr-defined]


def test_an_agent_may_close_its_subscription(open_bridge: Any) -> None:
    with open_bridge(Match(steps=3)) as url:
        assert run(url, "test_runner:Leaver", "--policy", "lockstep") == 0
    assert Diary.entries == ["start m1", "step 0"]


class _Fragile:
    def __get__(self, *_: Any) -> None:
        raise AssertionError("only methods are looked at")


class Misspelt(Agent):
    fragile = _Fragile()
    on_time = 3
    """No method."""

    def _on_own(self) -> None:
        """A method of its own."""

    def on_steps(self, frame: Any) -> None:
        raise AssertionError("nothing calls this")


class Unknown(Agent):
    def on_zzz(self) -> None:
        raise AssertionError("nothing calls this")


@pytest.mark.parametrize(
    "agent, says",
    [
        ("Misspelt", "sc2bridge: Misspelt.on_steps is never called: did you mean on_step? an agent's methods are on_"),
        (
            "Unknown",
            "sc2bridge: Unknown.on_zzz is never called: an agent's methods are on_building_construction_complete",
        ),
    ],
)
def test_a_method_that_is_never_called_is_one_clear_line(agent: str, says: str, capsys: Any) -> None:
    with GrpcBridge(Match(steps=3)) as fake:
        assert run(fake.url, f"test_runner:{agent}") == 2
    error = capsys.readouterr().err
    assert error.startswith(says) and error.count("\n") == 1


class Idle(Agent):
    def on_step(self, frame: Any) -> None:
        self.do(sc2api_pb2.Action())


def test_an_agent_that_only_watches_gets_an_error_that_names_can_act(capsys: Any) -> None:
    with GrpcBridge(Match(steps=3)) as fake:
        assert run(fake.url, "test_runner:Idle") == 1
    assert "set can_act = True in the Agent's class, or call subscribe(can_act=True)" in capsys.readouterr().err


class Actor(Agent):
    can_act = True
    frames = 0

    def on_step(self, frame: Any) -> None:
        self.frames += 1
        self.attack(frame.units.own, self.match.enemy_start_locations[0])
        self.act([])

    def on_end(self, end: Any) -> None:
        assert self.match.player is not None
        print(f"as {self.match.player.player_id}: {self.frames} frames", flush=True)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["every", "lockstep"])
def test_an_agent_that_acts_can_play_from_a_recording(tmp_path: pathlib.Path, policy: str) -> None:
    agents = [f"--agent=test_runner:Actor@{transport}" for transport in ("grpc", "json", "grpc+columns", "shm")]

    def bridge(*arguments: str) -> list[str]:
        words = [program(), *arguments, "--policy", policy, "--grpc=127.0.0.1:0", "--web=127.0.0.1:0"]
        folders = (pathlib.Path(__file__).parent, ROOT / "agent-python/tests", ROOT / "agent-python/src")
        path = os.pathsep.join(map(str, folders))
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env=dict(os.environ, PYTHONPATH=path, SC2BRIDGE_PYTHON_ENVIRONMENT=sys.prefix),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == 0, done.stdout
        return [line for line in done.stdout.splitlines() if line.startswith("[")]

    players = ["--player=computer:zerg:VeryEasy", "--player=agent:terran"]
    live = bridge("match", "--game=simulated", "--steps=20", "--rate=max", "--out=live", *players, agents[0])
    assert [line.partition("] ")[2] for line in live] == ["as 2: 20 frames"]
    replayed = bridge("replay", "live/match.mcap", *agents)
    assert sorted(line.partition("] ")[2] for line in replayed) == sorted(
        [
            "sc2bridge: Actor plays in a recording, which cannot change: its actions are dropped",
            "as 2: 20 frames",
        ]
        * len(agents)
    )
