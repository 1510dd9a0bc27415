"""Unmodified bots on a recording that is played to them as a game."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
from collections.abc import Iterator

import pytest
from conftest import PROGRAM


from bots import TerranPlayer
from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Difficulty, Race, Result
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import run_game
from sc2.player import Bot, Computer
from sc2.position import Point2
from sc2.protocol import ProtocolError
from test_process import ended, start

STEPS = 2400


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The observations of an Elite Terran computer in the first minutes of a match against a Zerg one."""
    folder = tmp_path_factory.mktemp("match")
    file = folder / "match.mcap"
    arguments = ["--game", "simulated", "--observe", "1", "--steps", str(STEPS), "--no-agents", "--codec-log", "off"]
    places = ["--recording", str(file), "--out", str(folder), "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0"]
    subprocess.run([PROGRAM, "match", *arguments, *places], check=True, capture_output=True)
    yield str(file)


def play(monkeypatch: pytest.MonkeyPatch, bot: BotAI, *arguments: str, realtime: bool = False) -> Result:
    """A match as its author would start it. Only the environment says that the game is a recording."""
    monkeypatch.setenv("SIMULATE_ARGUMENTS", " ".join(arguments))
    random.seed(7)  # find_placement chooses a random place among the free ones
    players = [Bot(Race.Terran, bot), Computer(Race.Zerg, Difficulty.VeryHard)]
    result = run_game(maps.get("CinderFortressLE"), players, realtime=realtime, random_seed=1)
    assert isinstance(result, Result)
    return result


class Decider(TerranPlayer):
    """The bot that wins against a computer, without its ability queries, which the recording does not have."""

    async def on_start(self) -> None:
        self.client.game_step = 8


def test_a_bot_decides_the_same_each_time(
    monkeypatch: pytest.MonkeyPatch, recording: str, tmp_path: pathlib.Path
) -> None:
    decisions = []
    for number in range(2):
        bot = Decider()
        file = tmp_path / f"{number}.jsonl"
        # The recording ends before the match does.
        assert play(monkeypatch, bot, "--recording", recording, "--actions", str(file)) == Result.Undecided
        assert bot.result == Result.Undecided
        assert bot.steps == list(range(0, STEPS - 1, 8))
        # It observes the recorded player's actions. Its own orders have no effect.
        assert "built SupplyDepot" in bot.deeds
        decisions.append(file.read_bytes())
    assert decisions[0] == decisions[1]
    lines = [json.loads(line) for line in decisions[0].splitlines()]
    assert lines[0] == {"perspective": 1}
    ordered = [action for line in lines[1:] for action in line["client"]]
    assert len(ordered) > 50
    assert {"unitCommand"} in [action["actionRaw"].keys() for action in ordered]


class Listener(BotAI):
    """Stores the data that only observations have."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self.every = step
        self.alerts: list[int] = []
        self.dead: list[int] = []
        self.upgrades: set[int] = set()

    async def on_start(self) -> None:
        self.client.game_step = self.every

    async def on_step(self, iteration: int) -> None:
        self.alerts.extend(self.state.alerts)
        self.dead.extend(self.state.dead_units)
        self.upgrades.update(upgrade.value for upgrade in self.state.upgrades)
        if self.state.game_loop >= STEPS - 16:
            await self.client.leave()


def test_a_bot_that_steps_several_loops_at_once_gets_all_events(
    monkeypatch: pytest.MonkeyPatch, recording: str
) -> None:
    heard = []
    for step in (1, 8):
        bot = Listener(step)
        assert play(monkeypatch, bot, "--recording", recording) == Result.Defeat
        heard.append((bot.alerts, sorted(bot.dead), bot.upgrades))
    assert heard[0] == heard[1]
    assert len(heard[0][0]) > 5


class Asker(BotAI):
    """Sends a query that the recorded match did not have."""

    def __init__(self) -> None:
        super().__init__()
        self.way: float | None = None
        self.refusal = ""

    async def on_start(self) -> None:
        try:
            self.way = await self.client.query_pathing(self.workers.first, self.game_info.map_center)
        except ProtocolError as refused:
            self.refusal = str(refused)

    async def on_step(self, iteration: int) -> None:
        if self.state.game_loop >= 24:
            await self.client.leave()


@pytest.mark.parametrize("realtime", [False, True])
def test_ways_are_measured_on_the_maps_grid_and_nothing_is_made_up_where_it_is_strict(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], recording: str, realtime: bool
) -> None:
    bot = Asker()
    play(monkeypatch, bot, "--recording", recording, realtime=realtime)
    assert bot.way and bot.way > Point2(bot.start_location).distance_to(bot.game_info.map_center) - 8
    said = capfd.readouterr().out
    assert "not the game's own answers: path lengths" in said
    assert "1 path lengths and 0 placements from the map's grids" in said

    bot = Asker()
    play(monkeypatch, bot, "--recording", recording, "--strict", realtime=realtime)
    assert bot.way is None
    assert "--strict" in bot.refusal


class Trainer(BotAI):
    """Trains workers, stores its observations and the times of its orders, and saves the replay to a given path."""

    STEPS = 300

    def __init__(self, replay: pathlib.Path | None = None) -> None:
        super().__init__()
        self.replay = replay
        self.seen: list[bytes] = []
        self.ordered: list[int] = []

    async def on_start(self) -> None:
        self.client.game_step = 1

    async def on_step(self, iteration: int) -> None:
        self.seen.append(self.state.response_observation.SerializeToString(deterministic=True))
        if self.can_afford(UnitTypeId.SCV) and self.townhalls.idle:
            self.train(UnitTypeId.SCV)
            self.ordered.append(self.state.game_loop)
        if iteration == self.STEPS:
            if self.replay:
                await self.client.save_replay(str(self.replay))
            await self.client.leave()


def test_a_bot_plays_on_the_recording_of_its_replay_as_it_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    bot = Trainer(tmp_path / "match.SC2Replay")
    assert play(monkeypatch, bot) == Result.Defeat
    shown = tmp_path / "sc2bridge.toml"
    shown.write_text("show-cloaked = true\nshow-burrowed-shadows = true\nshow-placeholders = true\n")
    command = [PROGRAM, "record", str(bot.replay), "--out", str(tmp_path), "--config", str(shown)]
    subprocess.run(command, check=True, capture_output=True)

    again = Trainer()
    play(monkeypatch, again, "--recording", str(tmp_path / "match.player1.mcap"))
    # The recording ends with the last observation, and python-sc2 ends with it.
    assert again.seen == bot.seen[:-1]
    assert again.ordered == bot.ordered
    assert len(bot.ordered) > 1

    # The other side, as seen by a bot of its race.
    monkeypatch.setenv("SIMULATE_ARGUMENTS", f"--recording {tmp_path / 'match.player2.mcap'}")
    other = Listener(8)
    run_game(maps.get("CinderFortressLE"), [Bot(Race.Zerg, other), Computer(Race.Terran, Difficulty.Easy)], False)
    assert other.workers.amount >= 12
    assert {unit.type_id for unit in other.workers} == {UnitTypeId.DRONE}


def test_files_that_cannot_be_used_are_one_line_and_2(recording: str, tmp_path: pathlib.Path) -> None:
    wrong = tmp_path / "wrong.mcap"
    wrong.write_text("no recording")
    for arguments, says in [
        (["--recording", "/nonexistent.mcap"], "/nonexistent.mcap"),
        (["--recording", str(wrong)], str(wrong)),
        (["--recording", recording, "--actions", "/nonexistent/a"], "--actions /nonexistent/a cannot be written"),
        (["--strict"], "give --recording FILE too"),
    ]:
        code, complaint = ended(start(*arguments))
        assert code == 2
        assert says in complaint
        assert complaint.startswith("sc2bridge: ")
        assert complaint.count("\n") == 1
