"""Two unmodified bots against each other, each through its own proxy: two game processes, one match."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import pathlib
import socket
import subprocess
from collections import Counter
from collections.abc import Iterator

import pytest
from conftest import PROGRAM, ROOT


import aiohttp
from sc2.bot_ai import BotAI
from sc2.client import Client
from sc2.data import Race, Result
from sc2.main import _play_game
from sc2.player import Bot
from sc2.portconfig import Portconfig
from test_two_bots import Leaver, Meeting, Peaceful, Rusher

# The ports that a ladder gives both bots. No process listens on them, because the bridge's games have their own ports.
PORTS = Portconfig(server_ports=[5002, 5003], player_ports=[[5004, 5005]])

PYTHON = str(ROOT / ".venv" / "bin" / "python")
DEEDS = """
import json, sys, sc2bridge
with sc2bridge.open_recording(sys.argv[1]) as recording:
    for record in recording.actions:
        kinds = [action.ListFields()[0][0].name for action in record.actions]
        answers = [outcome.result or outcome.refusal for outcome in record.outcome.outcomes]
        print(json.dumps([record.agent, record.perspective, record.outcome.step - record.step, kinds, answers]))
"""
THINKER = """
import time
from worker_rush import WorkerRush

class Thinker(WorkerRush):
    def on_start(self, match):
        time.sleep(1)  # Simulates work. The match must wait for it: a bot can win in less time.
        super().on_start(match)
"""


class Bridge:
    """A match of the bridge that waits for the given bots."""

    def __init__(self, out: pathlib.Path, *arguments: str, bots: int = 2) -> None:
        self.out = out
        command = [PROGRAM, "match", "--game", "simulated", "--map", "CinderFortressLE", "--seed", "3"]
        command += ["--out", str(out), "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--json", "-", "--quiet"]
        command += ["--python", PYTHON, *arguments]
        environment = {name: value for name, value in os.environ.items() if name != "SC2PATH"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        self.ports: dict[int, int] = {}
        for event in map(json.loads, self.process.stdout):
            if event["event"] == "bot_address":
                self.ports[event["player"]] = event["port"]
                if len(self.ports) == bots:
                    return
        raise AssertionError(self.process.communicate())

    def ended(self) -> tuple[int, str, dict]:
        """The exit code, the error output and the summary."""
        _, complaint = self.process.communicate()
        return self.process.returncode, complaint, json.loads((self.out / "summary.json").read_text())

    def did(self) -> dict[tuple[str, int], Counter[str]]:
        """From the recording: each author's number of actions of each kind, its time and its player. Bots are compared with agents.csv."""
        did: dict[tuple[str, int], Counter[str]] = {}
        lines = subprocess.check_output([PYTHON, "-c", DEEDS, str(self.out / "match.mcap")], text=True)
        for who, player, steps_late, kinds, answers in map(json.loads, lines.splitlines()):
            assert steps_late == 0, who
            assert not who.startswith("bot ") or (len(kinds) == len(answers) > 0 and all(answers)), (kinds, answers)
            did.setdefault((who, player), Counter()).update(kinds)
        counted: Counter[str] = Counter()
        with open(self.out / "agents.csv", newline="") as rows:
            for row in csv.DictReader(rows):
                counted[row["agent"]] += int(row["actions"]) if row["transport"] == "api" else 0
        assert {who: sum(did[who, player].values()) for who, player in did if who.startswith("bot ")} == dict(+counted)
        return did


@pytest.fixture
def bridges() -> Iterator[list[Bridge]]:
    started: list[Bridge] = []
    yield started
    for bridge in started:
        if bridge.process.poll() is None:
            bridge.process.kill()
            bridge.process.communicate()


async def play(port: int, race: Race, bot: BotAI, realtime: bool) -> Result:
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(f"ws://127.0.0.1:{port}/sc2api") as ws:
            client = Client(ws)
            result = await _play_game(Bot(race, bot), client, realtime, PORTS, None)
            await client.leave()
            await client.quit()
            return result


async def play_both(bridge: Bridge, first: Meeting, second: Meeting, realtime: bool) -> list[Result | BaseException]:
    return await asyncio.gather(
        play(bridge.ports[1], Race.Terran, first, realtime),
        play(bridge.ports[2], Race.Zerg, second, realtime),
        return_exceptions=True,
    )


class EqualSteps(Peaceful):
    """The same size as the opponent's."""

    step = 8


class Crashing(Meeting):
    """Its program ends in the middle of the match."""

    async def on_step(self, iteration: int) -> None:
        if iteration == 20:
            raise SystemExit


WATCHERS = ["--agent", "1=sc2bridge.agents:Watcher@grpc", "--agent", "2=sc2bridge.agents:Watcher@json"]
TWO_BOTS = ["--player", "api:terran", "--player", "api:zerg"]


@pytest.mark.parametrize("kind", [EqualSteps, Peaceful], ids=["equal steps", "other steps"])
@pytest.mark.parametrize(
    "realtime", [pytest.param(False, id="stepped"), pytest.param(True, id="realtime", marks=pytest.mark.long)]
)
def test_two_bots_play_one_match(
    kind: type[Peaceful], realtime: bool, tmp_path: pathlib.Path, bridges: list[Bridge]
) -> None:
    bridges.append(Bridge(tmp_path, *TWO_BOTS, *WATCHERS, *(["--rate", "realtime"] if realtime else [])))
    peaceful = kind()
    assert asyncio.run(play_both(bridges[0], Rusher(), peaceful, realtime)) == [Result.Victory, Result.Defeat]
    assert peaceful.heard == ["gl hf"]
    code, complaint, summary = bridges[0].ended()
    assert (code, complaint, summary["ended"]) == (0, "", "finished")
    assert summary["results"] == {"1": "Victory", "2": "Defeat"}

    # Both sides are recorded and measured, each bot separately.
    watched = summary["figures"]["agents"]
    assert summary["recording"]["figures"]["observations"] == summary["figures"]["steps"]
    assert sum(agent["read"]["measured"] for agent in watched) == summary["figures"]["steps"]
    assert [bot["player"] for bot in summary["proxy"]] == [1, 2]
    for bot in summary["proxy"]:
        kinds = {row["request"]: row for row in bot["requests"]}
        assert kinds["observation"]["count"] > 20
        assert realtime or kinds["step"]["added_p50_us"] > 0
    did = bridges[0].did()
    assert list(sorted(did)) == [("bot 1", 1), ("bot 2", 2)]
    assert did["bot 1", 1]["action_chat"] == 1 and did["bot 1", 1]["action_raw"] > 0
    debugged = ["debug" in {row["request"] for row in bot["requests"]} for bot in summary["proxy"]]
    assert debugged == [True, False]


def test_a_bot_that_leaves_has_lost(tmp_path: pathlib.Path, bridges: list[Bridge]) -> None:
    bridges.append(Bridge(tmp_path, *TWO_BOTS, "--no-agents"))
    assert asyncio.run(play_both(bridges[0], Leaver(), Peaceful(), False)) == [Result.Defeat, Result.Victory]
    code, complaint, summary = bridges[0].ended()
    assert (code, complaint, summary["ended"]) == (0, "", "bot 1 left the game")
    assert summary["results"] == {"1": "Defeat", "2": "Victory"}


@pytest.mark.parametrize("first", [True, False], ids=["the host", "the guest"])
def test_a_bot_that_crashes_has_lost_and_the_other_hears_that_it_has_won(
    first: bool, tmp_path: pathlib.Path, bridges: list[Bridge]
) -> None:
    bridges.append(Bridge(tmp_path, *TWO_BOTS, "--no-agents"))
    bots: list[Meeting] = [Crashing(), Peaceful()] if first else [Peaceful(), Crashing()]
    results = asyncio.run(play_crashing(bridges[0], bots))
    assert results[1 if first else 0] == Result.Victory
    code, complaint, summary = bridges[0].ended()
    lost = f"Bot {1 if first else 2} closed its connection without leaving the game"
    assert summary["ended"].startswith(lost)
    assert summary["results"] == ({"1": "Defeat", "2": "Victory"} if first else {"1": "Victory", "2": "Defeat"})
    assert (code, complaint) == (0, "")


async def play_crashing(bridge: Bridge, bots: list[Meeting]) -> list[Result | None]:
    async def one(port: int, race: Race, bot: Meeting) -> Result | None:
        try:
            return await play(port, race, bot, False)
        except (SystemExit, Exception):
            return None

    return await asyncio.gather(one(bridge.ports[1], Race.Terran, bots[0]), one(bridge.ports[2], Race.Zerg, bots[1]))


@pytest.mark.parametrize("first", [True, False], ids=["the bot first", "the agent first"])
def test_a_bot_and_an_agent_play_one_match(
    first: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, bridges: list[Bridge]
) -> None:
    (tmp_path / "thinker.py").write_text(THINKER)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT / 'agent-python' / 'examples'}")
    place, other = (1, 2) if first else (2, 1)
    players = ["--player", "api:terran", "--player", "agent:zerg"]
    agent = ["--agent", f"{other}=thinker:Thinker@grpc", "--step-size", "8"]
    arguments = [*(players if first else players[2:] + players[:2]), *agent]
    bridges.append(Bridge(tmp_path / "out", *arguments, bots=1))
    result = asyncio.run(play(bridges[0].ports[place], Race.Terran, Rusher(), False))
    opposite = {Result.Victory: "Defeat", Result.Defeat: "Victory"}[result]
    code, complaint, summary = bridges[0].ended()
    assert (code, complaint, summary["ended"]) == (0, "", "finished")
    assert summary["results"] == {str(place): result.name, str(other): opposite}
    assert [proxied["player"] for proxied in summary["proxy"]] == [place]
    did = bridges[0].did()
    assert sorted(player for _, player in did) == [1, 2]
    assert did[f"bot {place}", place]["action_chat"] == 1
    (rusher,) = (kinds for (_, player), kinds in did.items() if player == other)
    assert rusher["action_chat"] == 1 and rusher["action_raw"] > 0


def two_free_ports() -> int:
    """The first of two consecutive free ports."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
                return port
            except (OSError, OverflowError):
                pass


def test_two_bots_at_fixed_ports(tmp_path: pathlib.Path, bridges: list[Bridge]) -> None:
    port = two_free_ports()
    bridges.append(Bridge(tmp_path, *TWO_BOTS, "--no-agents", "--api-port", str(port)))
    assert bridges[0].ports == {1: port, 2: port + 1}
    results = asyncio.run(play_both(bridges[0], Rusher(), Peaceful(), False))
    assert results == [Result.Victory, Result.Defeat]
    assert bridges[0].ended()[:2] == (0, "")
