"""Unmodified bots that play through the bridge: `sc2bridge match --player api:RACE` takes the place of the game."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import signal
import stat
import subprocess
from collections.abc import Callable, Iterator

import pytest
from conftest import PROGRAM, ROOT


import aiohttp
from bots import Hurried, Player, ProtossPlayer, TerranPlayer, ZergPlayer
from s2clientprotocol import sc2api_pb2 as sc_pb
from sc2 import maps
from sc2.client import Client
from sc2.controller import Controller
from sc2.data import Difficulty, Race, Result
from sc2.main import _play_game, run_game
from sc2.player import Bot, Computer
from sc2.portconfig import Portconfig

MAP = "SaltBasinLE"
OPPONENT = ["--player", "computer:random:VeryEasy:RandomBuild"]
AGENTS = ["--agent", "sc2bridge.agents:Watcher@grpc", "--agent", "sc2bridge.agents:Watcher@json"]


class Bridge:
    """A match of the bridge that waits for its bot."""

    def __init__(self, out: pathlib.Path, *arguments: str) -> None:
        self.out = out
        command = [PROGRAM, "match", "--game", "simulated", "--map", MAP, "--seed", "7"]
        command += ["--out", str(out), "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--json", "-", "--quiet"]
        command += ["--python", str(ROOT / ".venv" / "bin" / "python"), *arguments]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=without_installation()
        )
        assert self.process.stdout is not None
        for event in map(json.loads, self.process.stdout):
            if event["event"] == "bot_address":
                self.port = event["port"]
                return
        raise AssertionError(self.process.communicate())

    def ended(self) -> tuple[int, str, dict]:
        """The exit code, the error output and the summary."""
        _, complaint = self.process.communicate()
        return self.process.returncode, complaint, json.loads((self.out / "summary.json").read_text())


def without_installation() -> dict[str, str]:
    """Only the bots see the fake installation, not the bridge."""
    return {name: value for name, value in os.environ.items() if name != "SC2PATH"}


@contextlib.contextmanager
def simulated() -> Iterator[int]:
    """Starts the simulated game alone, and returns its port."""
    game = subprocess.Popen(
        [PROGRAM, "simulate", "-listen", "127.0.0.1", "-port", "0"], stdout=subprocess.PIPE, text=True
    )
    assert game.stdout is not None
    try:
        yield int(game.stdout.readline().split()[-1])
    finally:
        game.kill()
        game.communicate()


async def play(port: int, race: Race, bot: Player, create: bool, limit: int | None = None) -> Result:
    """Connects like a ladder bot: over its own connection, with ports that a ladder would give it."""
    random.seed(7)  # find_placement chooses a random place among the free ones
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(f"ws://127.0.0.1:{port}/sc2api") as ws:
            ports = None
            if create:
                players = [Bot(race, bot), Computer(Race.Random, Difficulty.VeryEasy)]
                await Controller(ws, None).create_game(maps.get(MAP), players, realtime=False, random_seed=7)
            else:
                ports = Portconfig(server_ports=[port + 2, port + 3], player_ports=[[port + 4, port + 5]])
            client = Client(ws)
            result = await _play_game(Bot(race, bot), client, False, ports, limit)
            await client.leave()
            await client.quit()
            return result


def watched(kind: type[Player]) -> type[Player]:
    """The same bot, which also stores a digest of its observations, including its own orders in them."""

    class Watched(kind):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__()
            self.seen = hashlib.sha256()

        async def on_step(self, iteration: int) -> None:
            self.seen.update(self.state.response_observation.SerializeToString(deterministic=True))
            await super().on_step(iteration)

    return Watched


@pytest.mark.parametrize(
    "race, kind, limit",
    [
        pytest.param(Race.Terran, TerranPlayer, None, marks=pytest.mark.long),
        (Race.Zerg, ZergPlayer, 120),
        pytest.param(Race.Protoss, ProtossPlayer, 240, marks=pytest.mark.long),
    ],
    ids=["Terran", "Zerg", "Protoss"],
)
def test_a_bot_decides_as_it_would_without_the_bridge(
    race: Race, kind: type[Player], limit: int | None, tmp_path: pathlib.Path
) -> None:
    with simulated() as port:
        alone = watched(kind)()
        expected = asyncio.run(play(port, race, alone, create=True, limit=limit))
    bridge = Bridge(tmp_path, "--player", f"api:{race.name}", *OPPONENT, *AGENTS)
    bridged = watched(kind)()
    assert asyncio.run(play(bridge.port, race, bridged, create=False, limit=limit)) == expected
    assert (bridged.steps, bridged.deeds) == (alone.steps, alone.deeds)
    assert bridged.seen.hexdigest() == alone.seen.hexdigest()
    code, complaint, summary = bridge.ended()
    assert (code, complaint) == (0, "")

    # The stream and the recording are equal to the bot's observations. The summary reports the bot's cost.
    assert summary["recording"]["figures"]["observations"] == summary["figures"]["steps"] >= len(alone.steps)
    assert len(summary["figures"]["agents"]) == 2
    added = {row["request"]: row for row in summary["proxy"][0]["requests"]}
    assert added["observation"]["count"] >= len(alone.steps)
    assert added["step"]["added_p50_us"] > 0
    assert summary["ended"] == ("finished" if limit is None else "the bot left the game")
    assert summary["results"] == ({"1": "Victory", "2": "Defeat"} if limit is None else {})


@pytest.fixture
def bridged_installation(installation: pathlib.Path, tmp_path: pathlib.Path) -> Iterator[Callable[..., None]]:
    """Until the test ends, the fake installation starts the bridge instead, as the README documents."""
    program = installation / "Versions" / "Base99999" / "SC2_x64"
    before = program.read_text()

    def write(*arguments: str) -> None:
        program.write_text(
            '#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" = -port ] && port=$2; shift; done\n'
            f"unset SC2PATH\nexec '{PROGRAM}' match --game simulated --out '{tmp_path}' --no-agents "
            f'--grpc 127.0.0.1:0 --web 127.0.0.1:0 --api-port "$port" {" ".join(arguments)}\n'
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    yield write
    program.write_text(before)


@pytest.mark.parametrize("realtime", [False, True], ids=["stepped", "realtime"])
def test_python_sc2s_own_runner_plays_through_the_bridge(
    realtime: bool, bridged_installation: Callable[..., None], tmp_path: pathlib.Path
) -> None:
    # The game that the runner creates is valid: the bridge's options named another opponent, map and clock.
    bridged_installation("--player api:zerg --player computer:zerg:Hard --map FourWindsLE")
    random.seed(7)
    bot = Hurried()
    players = [Bot(Race.Terran, bot), Computer(Race.Protoss, Difficulty.VeryEasy)]
    result = run_game(maps.get(MAP), players, realtime=realtime, random_seed=7, game_time_limit=30 * 60)
    assert result == bot.result == Result.Victory
    assert "attack" in bot.deeds


def interrupted_bot(port: int) -> None:
    class Killed(TerranPlayer):
        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            if iteration == 20:
                os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(play(port, Race.Terran, Killed(), create=False))


def test_a_bot_that_is_killed_ends_the_match_with_what_it_saw_until_then(tmp_path: pathlib.Path) -> None:
    bridge = Bridge(tmp_path, "--player", "api:terran", *OPPONENT, *AGENTS)
    bot = multiprocessing.get_context("fork").Process(target=interrupted_bot, args=(bridge.port,))
    bot.start()
    bot.join()
    code, complaint, summary = bridge.ended()
    assert code == 1
    assert complaint.startswith("sc2bridge: The bot closed its connection without leaving the game at game loop 160.")
    assert complaint.count("\n") == 1

    # python-sc2 observes the first loop twice.
    assert summary["recording"]["figures"]["observations"] == summary["figures"]["steps"] == 22
    assert [agent["read"]["measured"] for agent in summary["figures"]["agents"]] == [22, 22]


def test_a_killed_game_closes_the_bots_connection_with_the_reason_and_the_recording_is_whole(
    tmp_path: pathlib.Path,
) -> None:
    bridge = Bridge(tmp_path, "--player", "api:terran", *OPPONENT, "--no-agents")
    closed: list[str] = []

    async def play_on() -> None:
        async with aiohttp.ClientSession() as session:
            async with session.ws_connect(f"ws://127.0.0.1:{bridge.port}/sc2api") as ws:
                join = sc_pb.RequestJoinGame(race=1, options=sc_pb.InterfaceOptions(raw=True))
                asked = [sc_pb.Request(join_game=join), sc_pb.Request(observation=sc_pb.RequestObservation())]
                for request in asked:
                    await ws.send_bytes(request.SerializeToString())
                    assert not sc_pb.Response.FromString(await ws.receive_bytes()).error
                (game,) = games_of(bridge.process.pid)
                os.kill(game, signal.SIGKILL)
                message = await ws.receive()
                closed.append(message.extra)
                assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1011)

    asyncio.run(play_on())
    assert "signal 9" in closed[0] or closed[0].startswith("The game")
    code, complaint, summary = bridge.ended()
    assert code == 1
    assert "The simulated game was ended by signal 9" in complaint
    assert summary["recording"]["figures"]["observations"] == summary["figures"]["steps"] == 1


def games_of(bridge: int) -> list[int]:
    """The simulated games below the bridge, each under a shell that guards it."""
    games, below = [], [bridge]
    while below:
        process = pathlib.Path(f"/proc/{below.pop()}")
        words = (process / "cmdline").read_bytes().split(b"\0")
        if b"simulate" in words and words[0] != b"/bin/sh":
            games.append(int(process.name))
        for task in (process / "task").iterdir():
            below += [int(child) for child in (task / "children").read_text().split()]
    return games
