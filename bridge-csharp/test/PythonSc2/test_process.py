"""The simulated game as a process: its exit codes and its output."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess

import pytest


import aiohttp
from conftest import PROGRAM
from s2clientprotocol import sc2api_pb2 as api


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [PROGRAM, "simulate", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def port_of(game: subprocess.Popen[str]) -> int:
    assert game.stdout is not None
    said = re.search(r"on port (\d+)", game.stdout.readline())
    assert said
    return int(said[1])


def ended(game: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and the error output."""
    _, complaint = game.communicate()
    return game.returncode, complaint


async def send(port: int, *requests: api.Request) -> list[api.Response]:
    """Answers to all requests. The last may have none. The connection stays open until the game closes it."""
    answers = []
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(f"http://127.0.0.1:{port}/sc2api") as game:
            for request in requests:
                await game.send_bytes(request.SerializeToString())
            async for message in game:
                answers.append(api.Response.FromString(message.data))
    return answers


def test_a_quit_request_ends_it_with_0() -> None:
    game = start("-listen", "127.0.0.1", "-port", "0")
    answers = asyncio.run(send(port_of(game), api.Request(quit=api.RequestQuit())))
    assert [answer.HasField("quit") for answer in answers] == [True]
    assert ended(game) == (0, "")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_0_when_it_is_interrupted(how: signal.Signals) -> None:
    game = start("-listen", "127.0.0.1", "-port", "0")
    port_of(game)
    game.send_signal(how)
    assert ended(game) == (0, "")


@pytest.mark.parametrize("realtime", [False, True])
def test_it_ends_with_0_when_it_is_interrupted_while_a_client_waits(realtime: bool) -> None:
    game = start("-listen", "127.0.0.1", "-port", "0")
    port = port_of(game)
    options = api.InterfaceOptions(raw=True)
    players = [api.PlayerSetup(type=api.Participant), api.PlayerSetup(type=api.Computer, race=2, difficulty=1)]
    create = api.RequestCreateGame(
        local_map=api.LocalMap(map_path="Salt Basin LE"), player_setup=players, realtime=realtime
    )
    waits = (
        api.Request(observation=api.RequestObservation(game_loop=400_000))
        if realtime
        else api.Request(step=api.RequestStep(count=400_000))
    )

    async def play() -> None:
        join = api.RequestJoinGame(race=1, options=options)
        requests = [api.Request(create_game=create), api.Request(join_game=join), waits]
        async with aiohttp.ClientSession() as session:
            async with session.ws_connect(f"http://127.0.0.1:{port}/sc2api") as client:
                for request in requests:
                    await client.send_bytes(request.SerializeToString())
                for _ in requests[1:]:
                    await client.receive_bytes()
                game.send_signal(signal.SIGTERM)
                assert not isinstance((await client.receive()).data, bytes)

    asyncio.run(play())
    assert ended(game) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-port", "x"], "-port x is not a port"),
        (["-port"], "-port needs a value"),
        (["-listen", "nowhere"], "-listen nowhere is not an address"),
        (["-listen", "203.0.113.5"], "-listen 203.0.113.5 -port 0 cannot be listened on"),
        (["-endQuirks", "never"], "-endQuirks never: give names of"),
        (["-observations", "/nonexistent"], "-observations /nonexistent: there is no such folder"),
    ],
)
def test_a_bad_argument_is_one_line_and_2(arguments: list[str], says: str) -> None:
    code, complaint = ended(start(*arguments))
    assert code == 2
    assert complaint.startswith(f"sc2bridge: {says}")
    assert complaint.count("\n") == 1


def test_a_taken_port_is_one_line_and_2() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, complaint = ended(start("-listen", "127.0.0.1", "-port", str(port)))
    assert code == 2
    assert str(port) in complaint
    assert complaint.count("\n") == 1
