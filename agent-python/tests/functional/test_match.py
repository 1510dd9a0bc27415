"""The bridge itself, with this package's agents. SC2BRIDGE_EXECUTABLE names the program (`./sc2bridge`, or its DLL)."""

from __future__ import annotations

import asyncio
import csv
import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import websockets
from conftest import ROOT

STEPS = 50


@pytest.fixture(scope="session")
def program() -> list[str]:
    named = os.environ.get("SC2BRIDGE_EXECUTABLE")
    if not named:
        pytest.skip("SC2BRIDGE_EXECUTABLE is not set: it names the built program")
    words = shlex.split(named)
    return ["dotnet", *words] if words[0].endswith(".dll") else words


def environment() -> dict[str, str]:
    here = pathlib.Path(__file__).parent
    paths = [str(here), str(ROOT / "agent-python" / "src"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def match(program: list[str], *arguments: Any) -> subprocess.CompletedProcess[str]:
    words = [
        *program,
        "match",
        "--steps",
        str(STEPS),
        "--game",
        "simulated",
        "--rate",
        "max",
        "--python",
        sys.executable,
        *map(str, arguments),
    ]
    return subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=300)


def test_a_match_leaves_complete_logs_of_both_transports(program: list[str], tmp_path: pathlib.Path) -> None:
    done = match(program, "--out", tmp_path, "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "simulated" in done.stdout.lower()
    with open(next(tmp_path.rglob("steps.csv")), newline="") as file:
        steps = [int(row["step"]) for row in csv.DictReader(file)]
    assert steps == list(range(len(steps))) and len(steps) >= STEPS
    heard: dict[str, list[int]] = {}
    with open(next(tmp_path.rglob("agents.csv")), newline="") as file:
        for row in csv.DictReader(file):
            heard.setdefault(row["agent"], []).append(int(row["step"]))
            assert float(row["delivered_us"]) > 0 and float(row["decode_us"]) > 0 and row["think_us"]
    assert len(heard) == 2, "one agent on gRPC and one on the JSON WebSocket"
    for agent, its_steps in heard.items():
        assert sorted(its_steps) == steps, agent


def test_an_agent_that_throws_ends_the_match_with_one_clear_line(program: list[str], tmp_path: pathlib.Path) -> None:
    done = match(
        program, "--out", tmp_path, "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--agent", "thrower:Thrower"
    )
    assert done.returncode != 0
    assert "thrower:Thrower failed in on_step at step 3: RuntimeError: not today" in done.stdout + done.stderr


@pytest.fixture
def simulator(program: list[str]) -> Iterator[int]:
    """The simulated game as a process of its own; gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    words = [*program, "simulate", "-listen", "127.0.0.1", "-port", str(port)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if re.search(rf"\b{port}\b", line):
                break
        else:
            pytest.fail(f"the simulated game ended with {process.wait()} before it listened")
        yield port
    finally:
        process.terminate()
        process.wait()


def test_the_simulated_game_speaks_the_games_api(simulator: int) -> None:
    from sc2bridge.s2clientprotocol import sc2api_pb2

    async def ping() -> bytes:
        async with websockets.connect(
            f"ws://127.0.0.1:{simulator}/sc2api", max_size=None, compression=None, ping_interval=None
        ) as game:
            await game.send(sc2api_pb2.Request(id=7, ping=sc2api_pb2.RequestPing()).SerializeToString())
            answer: bytes = await game.recv()
            return answer

    response = sc2api_pb2.Response.FromString(asyncio.run(ping()))
    assert response.id == 7 and response.HasField("ping")
    assert response.status == sc2api_pb2.Status.Value("launched")
