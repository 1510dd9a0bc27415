"""Launching bridges: fake programs that print a bridge's lines, in front of a fake bridge."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import os
import pathlib
import signal
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import pytest
from fake_bridge import GrpcBridge, Match
from launch_case import ENDS, PLAYS, SAYS, Machine, machine, played  # noqa: F401

import sc2bridge
from sc2bridge.client import process

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the made-up programs are scripts of a shell")


def test_a_match_that_is_over_ends_its_bridge_by_itself(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    machine.has(ENDS)
    caplog.set_level(logging.INFO, "sc2bridge.launch")
    players = ["agent:terran", "api:zerg"]
    with sc2bridge.launch("Ashen Terrace LE", players, steps=9, rate=22.4, options=["--disable-fog"]) as match:
        assert [frame.step for frame in match.subscribe("latest")][-1] == 4
        assert match.web_address == "ws://127.0.0.1:7/v1" and match.lines[0] == "Game: simulated"
        machine.end()
    assert "Game: simulated" in caplog.text and not list(machine.temporary.iterdir())
    said = (machine.folder / "arguments").read_text()
    for words in (
        "match --json - --stop-at-input-end --grpc 127.0.0.1:0 --web 127.0.0.1:0 --rate 22.4 --wait 1 --python ",
        "--map Ashen Terrace LE --steps 9 --player agent:terran --player api:zerg --game auto --no-agents --no-config --open-perspectives",
        "--no-recording",
        "--disable-fog",
    ):
        assert words in said


def test_a_match_that_is_left_is_stopped(machine: Machine) -> None:
    machine.has(PLAYS)
    with sc2bridge.launch(out=str(machine.folder / "kept"), agents=["a:A@json"]) as match:
        next(match.subscribe())
        pid = match._launched.process._process.pid
        assert os.getsid(pid) == pid, "Ctrl-C is for this process, which ends the bridge"
    assert machine.was_stopped()
    said = (machine.folder / "arguments").read_text()
    assert (
        "--agent a:A@json" in said
        and "--no-agents" not in said
        and "--no-recording" not in said
        and f"--out {machine.folder}/kept" in said
    )


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_passes_and_the_match_is_stopped(machine: Machine, error: type[BaseException]) -> None:
    machine.has(PLAYS)
    with pytest.raises(error), sc2bridge.launch() as match:
        next(match.subscribe())
        if error is KeyboardInterrupt:
            signal.raise_signal(signal.SIGINT)
        raise error("of the script's own")
    assert machine.was_stopped()


def leave(way: str) -> None:
    """Ends the calling loop with an error, or like Ctrl-C."""
    if way == "Ctrl-C":
        signal.raise_signal(signal.SIGINT)
    raise RuntimeError("of the script's own")


@pytest.mark.parametrize("way", ["break", "error", "Ctrl-C"])
def test_a_loop_that_is_left_ends_its_subscription_and_the_next_loop_begins(
    machine: Machine, played: Match, way: str
) -> None:
    machine.has(ENDS)
    with sc2bridge.launch() as match:
        for _ in range(3):
            with contextlib.suppress(RuntimeError, KeyboardInterrupt):
                for frame in match.subscribe("lockstep"):
                    if way == "break":
                        break
                    leave(way)
            # In lockstep the game waits until then.
            assert played.streams_ended.acquire(timeout=60)
            assert len(match._core._subscriptions) == 0
        assert len(list(match.subscribe("lockstep"))) == 5
        machine.end()


@pytest.mark.parametrize("way", ["break", "error"])
def test_by_asyncio_a_loop_that_is_left_ends_its_subscription_too(machine: Machine, played: Match, way: str) -> None:
    async def play() -> None:
        async with await sc2bridge.alaunch() as match:
            for _ in range(3):
                with contextlib.suppress(RuntimeError):
                    async for _ in await match.subscribe("lockstep"):
                        if way == "break":
                            break
                        leave(way)
                assert await asyncio.get_running_loop().run_in_executor(None, played.streams_ended.acquire, True, 60)
                assert len(match._subscriptions) == 0
            assert len([frame async for frame in await match.subscribe("lockstep")]) == 5
            machine.end()

    machine.has(ENDS)
    asyncio.run(play())


def test_a_bridge_that_does_not_start_is_one_error_with_its_output(machine: Machine) -> None:
    machine.has("echo 'Game: simulated'\necho 'sc2bridge: there is no map X. The nearest: Y' >&2\nexit 1")
    with pytest.raises(sc2bridge.LaunchError) as failed:
        sc2bridge.launch("X")
    assert str(failed.value) == "the bridge ended with exit code 1: there is no map X. The nearest: Y"
    assert not list(machine.temporary.iterdir())


def test_a_bridge_that_does_not_listen_is_given_up(machine: Machine) -> None:
    machine.has(PLAYS.replace("match", "nothing"))
    with pytest.raises(sc2bridge.LaunchError, match="did not listen within 0.5 s: Game: simulated"):
        sc2bridge.launch(start_timeout=0.5)
    assert machine.was_stopped()


@pytest.mark.parametrize("heard", [True, False])
def test_a_bridge_that_fails_during_a_match_is_the_error_of_the_match(machine: Machine, heard: bool) -> None:
    machine.has(ENDS + "echo 'sc2bridge: StarCraft II exited with code 42' >&2\nexit 1")
    with pytest.raises(sc2bridge.LaunchError, match="exit code 1: StarCraft II exited with code 42"):
        with sc2bridge.launch() as match:
            if heard:
                list(match.subscribe())
            machine.end()
            if not heard:
                raise sc2bridge.ConnectionLostError("the bridge is gone")


def test_a_bridge_that_ignores_signals_is_killed_with_its_children(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_STOP_TIMEOUT", 0.2)
    machine.has("trap '' TERM\nsleep 1000 &\n" + SAYS + "while :; do wait; done")
    with sc2bridge.launch() as match:
        next(match.subscribe())
        bridge = match._launched.process
    assert bridge._process.returncode == -signal.SIGKILL
    for reader in bridge._reader_threads:
        reader.join(60)
        assert not reader.is_alive(), "something that it started still has its output"


def test_a_missing_program_is_an_error(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(sc2bridge.LaunchError, match="bridge is not an executable program"):
        sc2bridge.launch()
    monkeypatch.delenv("SC2BRIDGE_EXECUTABLE")
    monkeypatch.setattr(process, "__file__", str(machine.folder / "site-packages/sc2bridge/client/process.py"))
    monkeypatch.setenv("PATH", str(machine.folder))
    monkeypatch.setattr("sysconfig.get_path", lambda name, scheme=None: str(machine.folder))
    monkeypatch.setattr("sys.executable", str(machine.folder / "python"))
    with pytest.raises(sc2bridge.LaunchError, match="install the wheel for your system"):
        sc2bridge.launch()
    machine.has(PLAYS)
    installed = machine.program.rename(machine.folder / "sc2bridge")
    assert process.find_executable() == str(installed)


@pytest.fixture
def clone(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A clone that contains this package, with the machine's program as its launcher. Another program is installed."""
    folder = machine.folder / "clone"
    folder.mkdir()
    machine.program = folder / "sc2bridge"
    installed = machine.folder / "sc2bridge"
    installed.write_text("#!/bin/sh\nexit 1\n")
    installed.chmod(0o755)
    monkeypatch.delenv("SC2BRIDGE_EXECUTABLE")
    monkeypatch.setenv("PATH", str(machine.folder), prepend=os.pathsep)
    monkeypatch.setattr(process, "__file__", str(folder / "agent-python/src/sc2bridge/client/process.py"))
    return folder


def test_in_a_clone_the_launcher_is_started_and_its_set_up_is_logged(
    machine: Machine, clone: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    machine.has("echo 'set-up: building' >&2\necho '  warning: nothing listens'\n" + ENDS)
    caplog.set_level(logging.INFO, "sc2bridge.launch")
    with sc2bridge.launch() as match:
        assert len(list(match.subscribe())) == 5
        machine.end()
    assert "set-up: building" in caplog.messages and process.find_executable() == str(clone / "sc2bridge")


def test_a_clones_set_up_does_not_count_as_start_time(machine: Machine) -> None:
    machine.has("echo 'set-up: building'\nread -r _ < {folder}/over\necho '{{\"event\":\"match\"}}'\nread -r _")
    bridge = process.BridgeProcess(str(machine.program), [])
    try:
        while not bridge.lines:
            bridge._reader_threads[0].join(0.01)
            assert bridge._reader_threads[0].is_alive()
        with ThreadPoolExecutor() as pool:
            waited = pool.submit(bridge.wait_until_ready, 0.01)
            assert wait([waited], 1).not_done, waited.exception()
            machine.end()
            waited.result(60)
    finally:
        bridge.end(0)


def test_a_set_up_that_hangs_is_given_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_SET_UP_TIMEOUT", 0.5)
    machine.has("echo 'set-up: building'\n" + PLAYS.replace(SAYS, ""))
    with pytest.raises(sc2bridge.LaunchError, match="did not listen within 0.5 s: set-up: building"):
        sc2bridge.launch()
    assert machine.was_stopped()


def test_on_windows_a_clones_error_names_the_build_command(
    machine: Machine, clone: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.has(PLAYS)
    monkeypatch.setattr(process, "_ON_WINDOWS", True)
    with pytest.raises(sc2bridge.LaunchError, match="sc2bridge.exe does not exist yet: run `sc2bridge.cmd doctor` in "):
        sc2bridge.launch()
    built = clone / process._BUILT_PROGRAM
    built.parent.mkdir(parents=True)
    built.touch()
    assert process.find_executable() == str(built)


def test_remaining_children_of_an_ended_bridge_do_not_hide_its_end(machine: Machine) -> None:
    machine.has("echo 'sc2bridge: there is no map X' >&2\nsleep 1000 &\nexit 1")
    with pytest.raises(sc2bridge.LaunchError, match="the bridge ended with exit code 1: there is no map X"):
        sc2bridge.launch(start_timeout=20)


def test_a_match_that_was_over_before_its_event_was_read_has_started(machine: Machine) -> None:
    # The event comes once the program has ended and was waited for.
    event, after_the_end = 'echo \'{{"event":"match"}}\'\n', "while kill -0 $$ 2> {folder}/gone; do sleep 0.01; done"
    assert SAYS.endswith(event)
    machine.has(f"{SAYS[: -len(event)]}({after_the_end}; {event.strip()}) &")
    with sc2bridge.launch() as match:
        assert match.map_name == "Fake"


def test_a_token_of_another_bridge_is_not_used(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SC2BRIDGE_TOKEN", "of-another-bridge")
    played = Match()
    with GrpcBridge(played) as bridge:
        machine = Machine(tmp_path, monkeypatch, bridge.url[len("grpc://") :])
        machine.has("env > {folder}/environment\n" + PLAYS)
        with sc2bridge.launch() as match:
            match.describe()
    assert set(played.shown) == {None} and "of-another-bridge" not in (tmp_path / "environment").read_text()


def test_a_match_is_launched_by_asyncio(machine: Machine) -> None:
    async def play() -> list[int]:
        async with await sc2bridge.alaunch(steps=5) as match:
            steps = [frame.step async for frame in await match.subscribe()]
            machine.end()
            assert match.lines[0] == "Game: simulated" and match.web_address == "ws://127.0.0.1:7/v1"
            return steps

    machine.has(ENDS)
    assert asyncio.run(play()) == [0, 1, 2, 3, 4]
    assert not list(machine.temporary.iterdir())


def test_by_asyncio_a_launch_that_is_cancelled_leaves_nothing(machine: Machine) -> None:
    async def give_up() -> None:
        await asyncio.wait_for(sc2bridge.alaunch(), 0.5)

    machine.has(PLAYS.replace("match", "nothing"))
    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(give_up())
    assert machine.was_stopped()


def test_the_signature_of_launch_shows_its_arguments() -> None:
    for function in (sc2bridge.launch, sc2bridge.alaunch):
        names: Any = inspect.signature(function).parameters
        assert list(names)[:3] == ["map_name", "players", "rate"] and names["wait"].default == 1


@pytest.mark.parametrize("attach", [["--attach", "127.0.0.1:5000"], ["--attach=127.0.0.1:5000"]])
def test_a_match_that_attaches_names_no_game_to_start(machine: Machine, attach: list[str]) -> None:
    machine.has(PLAYS)
    with sc2bridge.launch(options=attach):
        pass
    assert "--game" not in (machine.folder / "arguments").read_text()


@pytest.mark.parametrize("options, reads", [([], False), (["--config", "a.toml"], True), (["--config=a.toml"], True)])
def test_a_configuration_file_is_read_only_if_it_is_named(machine: Machine, options: list[str], reads: bool) -> None:
    machine.has(PLAYS)
    with sc2bridge.launch(options=options):
        pass
    assert ("--no-config" not in (machine.folder / "arguments").read_text().split()) == reads


def test_remaining_children_of_an_ended_bridge_are_killed(machine: Machine) -> None:
    machine.has("sleep 1000 &\necho $! > {folder}/left\n" + ENDS)
    with sc2bridge.launch() as match:
        list(match.subscribe())
        machine.end()
    # A killed process is gone, or is a zombie until init reads its status.
    left = pathlib.Path(f"/proc/{(machine.folder / 'left').read_text().strip()}/stat")
    assert not left.exists() or left.read_text().rpartition(")")[2].split()[0] == "Z"


def test_the_bridge_gets_variables_of_its_own(machine: Machine) -> None:
    machine.has('echo "seen: $SC2BRIDGE_SEEN"\nexit 1\n')
    with pytest.raises(sc2bridge.LaunchError, match="seen: yes"):
        sc2bridge.launch(env={"SC2BRIDGE_SEEN": "yes"})


def test_the_traceback_of_an_agent_is_at_the_end_of_the_error(machine: Machine) -> None:
    said = [
        "[a] Traceback (most recent call last):",
        "[a]   some line",
        "[a] sc2bridge: a:A failed in on_step: not today",
    ]
    trace = "".join(f"echo '{line}' >&2\n" for line in said)
    machine.has(ENDS + f"{trace}echo 'sc2bridge: agent a failed: see the end' >&2\n{trace}exit 1")
    with pytest.raises(sc2bridge.LaunchError) as failed, sc2bridge.launch() as match:
        list(match.subscribe())
        machine.end()
    first, *rest = str(failed.value).split("\n")
    assert "agent a failed" in first and rest == said
