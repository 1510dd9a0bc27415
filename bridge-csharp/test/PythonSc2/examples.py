"""
python-sc2's examples, each played in a process of its own: the bot unmodified, against the computer that its `main` names.

    examples.py FILE                 plays each with three seeds and prints a table for docs/measurements/details/simulated-game.md;
                                     FILE keeps each game as it ends: a table that was broken off goes on from there
    examples.py NAME SEED SECONDS    plays one, and prints the opponent, the result and its second as JSON
    … --workflow                     against what python-sc2's workflow has it play
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from conftest import PYTHON_SC2, make_installation

MAP = "CinderFortressLE"
SEEDS = (1, 2, 3)
SECONDS = 900


@dataclass(frozen=True)
class Example:
    """One of `examples/`."""

    bot: str
    results: set[str]
    """The possible results within SECONDS."""
    why: str
    seconds: int = SECONDS
    short_of: str = ""
    """Why other results are still possible, if they are."""
    workflow: int = 240
    """Seconds that test/run_example_bots_vs_computer.py gives the example before it stops without a result."""


WON = {"Victory"}
NOT_WON = {"Defeat", "Tie"}
SHOWS = "shows something else: it never attacks"
EXAMPLES = {
    "protoss.cannon_rush": Example(
        "CannonRushBot",
        WON | NOT_WON,
        "written to win, but at each step sends one more probe to build its pylon at the enemy, and none back to mine",
    ),
    "protoss.find_adept_shades": Example("FindAdeptShadesBot", NOT_WON, SHOWS),
    "protoss.threebase_voidray": Example("ThreebaseVoidrayBot", WON, "written to win"),
    "protoss.warpgate_push": Example("WarpGateBot", WON, "written to win"),
    "terran.cyclone_push": Example(
        "CyclonePush", NOT_WON, "asks for version 4.7: in 5.0 a cyclone needs a tech lab, which it never builds"
    ),
    "terran.mass_reaper": Example("MassReaperBot", WON | NOT_WON, "names VeryHard as one of the difficulties to try"),
    "terran.onebase_battlecruiser": Example(
        "BCRushBot",
        NOT_WON,
        "takes one refinery (its loop breaks at a taken geyser) and has no army when the first wave comes",
    ),
    "terran.proxy_rax": Example(
        "ProxyRaxBot",
        WON | NOT_WON,
        "written to win, but every two loops sends one more SCV over the map to build its barracks: none is left to mine",
    ),
    "terran.ramp_wall": Example(
        "RampWallBot",
        NOT_WON,
        f"{SHOWS}, and draws the whole map at each step: a second of the game takes six of a processor",
        seconds=20,
        workflow=2,
    ),
    "zerg.expand_everywhere": Example("ExpandEverywhere", NOT_WON, SHOWS),
    "zerg.hydralisk_push": Example("Hydralisk", WON, "written to win"),
    "zerg.onebase_broodlord": Example(
        "BroodlordBot",
        WON,
        "written to win",
        short_of="with one seed of three it has won by then: Medium's waves (its script's) come before it has an army",
    ),
    "zerg.zerg_rush": Example("ZergRushBot", WON, "written to win"),
    "worker_stack_bot": Example("WorkerStackBot", NOT_WON, SHOWS),
    "worker_rush": Example(
        "WorkerRushBot", WON | NOT_WON, "python-sc2's README: against Medium 'once in a while, it wins'"
    ),
    "too_slow_bot": Example("SlowBot", {"Tie"}, "sleeps at each step: as long as the workflow", seconds=2, workflow=2),
    "distributed_workers": Example("TerranBot", NOT_WON, SHOWS),
}


@dataclass(frozen=True)
class Played:
    """A game that was played."""

    opponent: str
    result: str
    seconds: int


def play(name: str, seed: int, seconds: int, *options: str) -> Played:
    """Plays one in its own process. SC2PATH names the fake installation."""
    command = [sys.executable, __file__, name, str(seed), str(seconds), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    if done.returncode != 0:
        raise RuntimeError(f"{name} failed: {done.stderr[-3000:]}")
    return Played(**json.loads(done.stdout.splitlines()[-1]))


class _Starting(Exception):
    """Stops an example's own `main` before it starts the game."""


def play_here(name: str, seed: int, seconds: int, workflow: bool) -> Played:
    """Runs the match of the example's `main` on a simulated map, with a seed and a limit of game time."""
    from sc2 import maps
    from sc2.data import Difficulty, Race
    from sc2.main import run_game
    from sc2.player import Bot, Computer

    sys.path.insert(0, str(PYTHON_SC2))
    module = importlib.import_module(f"examples.{name}")
    players: list[Bot | Computer] = []

    def note(game_map: object, named: list[Bot | Computer], **_: object) -> None:
        players.extend(named)
        raise _Starting

    random.seed(seed)
    if hasattr(module, "main"):
        find, maps.get = maps.get, lambda name: None
        module.run_game = note
        try:
            module.main()
        except _Starting:
            maps.get = find
    else:  # Only the workflow plays it.
        players = [Bot(Race.Terran, getattr(module, EXAMPLES[name].bot)()), None]
    if workflow or players[1] is None:
        players[1] = Computer(Race.Protoss, Difficulty.Easy)
    result = run_game(maps.get(MAP), players, realtime=False, random_seed=seed, game_time_limit=seconds)
    opponent = f"{players[1].difficulty.name} {players[1].race.name}"
    return Played(opponent, result.name, round(players[0].ai.time))


class Kept:
    """Played games, stored in a file as one line of JSON each."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        lines = path.read_text().splitlines() if path.exists() else []
        self._games = {row.pop("game"): Played(**row) for row in map(json.loads, lines)}

    def play(self, name: str, seed: int, seconds: int, *options: str) -> Played:
        """Plays a game that is not stored yet."""
        key = " ".join((name, str(seed), *options))
        if key not in self._games:
            self._games[key] = play(name, seed, seconds, *options)
            with self._lock, self._path.open("a") as file:
                file.write(json.dumps({"game": key} | asdict(self._games[key])) + "\n")
        return self._games[key]


def print_table(kept: Kept) -> None:
    with tempfile.TemporaryDirectory() as base, ThreadPoolExecutor(os.cpu_count()) as pool:
        os.environ.update(make_installation(pathlib.Path(base)))
        games = {
            name: [pool.submit(kept.play, name, seed, example.seconds) for seed in SEEDS]
            for name, example in EXAMPLES.items()
        }
        workflow = {
            name: pool.submit(kept.play, name, 1, example.workflow, "--workflow") for name, example in EXAMPLES.items()
        }
        print(f"| example | against | seeds {', '.join(map(str, SEEDS))} | expected | why | Easy, by the workflow |")
        print("| --- | --- | --- | --- | --- | --- |")
        for name, example in EXAMPLES.items():
            played = [game.result() for game in games[name]]
            results = ", ".join(f"{game.result} {game.seconds} s" for game in played)
            short = workflow[name].result()
            expected = " or ".join(sorted(example.results))
            why = f"{example.why}; **falls short**: {example.short_of}" if example.short_of else example.why
            print(
                f"| `{name.replace('.', '/')}` | {played[0].opponent} | {results} | {expected} | {why} "
                f"| {short.result} {short.seconds} s |",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print_table(Kept(pathlib.Path(sys.argv[1])))
    else:
        game = play_here(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), "--workflow" in sys.argv)
        print(json.dumps(asdict(game)))
