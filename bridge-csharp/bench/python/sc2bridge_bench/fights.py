"""`fights`: how often `sc2bridge.simulate` names the winner of a fight that goes on, and how many fights it plays in a second.

The simulated game plays a series of matches of ten random units against ten. A frame of each match, at a random place before its end, is
simulated for up to 20 seconds, and its winner is compared with the result of the match. The speed is measured with the first frame of each
match, on one thread, in seconds and in processor time.
"""

from __future__ import annotations

import json
import pathlib
import random
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from typing import Any, Callable, Optional

import sc2bridge
from sc2bridge.client.process import find_executable
from sc2bridge_bench.machine import describe_machine

SECONDS = 20
SEEDS = 10
"""How many fights each frame has in a round of `simulate_many`."""

# The types that a side draws its units from. Each group of a side has other types.
_GROUPS: tuple[dict[str, int], ...] = (
    {
        "Marine": 3,
        "Marauder": 2,
        "Hellion": 1,
        "SiegeTank": 1,
        "Thor": 1,
        "Zealot": 2,
        "Stalker": 2,
        "Immortal": 1,
        "Archon": 1,
    },
    {
        "Zergling": 2,
        "Roach": 2,
        "Hydralisk": 2,
        "Mutalisk": 1,
        "Ultralisk": 1,
        "Ravager": 1,
        "Marine": 2,
        "VoidRay": 1,
        "Medivac": 1,
    },
)


def scenario() -> dict[str, Any]:
    """Ten units against ten. Each seed draws other types and places."""

    def side(race: str, x: int) -> dict[str, Any]:
        units = [
            {"type": types, "count": 5, "at": [x, 24], "spread": 5, "except": ["Medivac"] if "Medivac" in types else []}
            for types in _GROUPS
        ]
        return {"race": race, "start": [x, 24], "units": units}

    return {"map": [64, 48], "limit": 4000, "reveal": True, "players": [side("Terran", 20), side("Zerg", 42)]}


def play(folder: pathlib.Path, games: int) -> list[dict[str, Any]]:
    """Plays the matches, and records what player 1 sees. Returns the games in summary.json."""
    file, out = folder / "ten_against_ten.json", folder / "out"
    file.write_text(json.dumps(scenario()))
    players = [word for race in ("terran", "zerg") for word in ("--player", f"computer:{race}:VeryHard")]
    options = [
        "--games",
        str(games),
        "--observe",
        "1",
        "--step-size",
        "4",
        "--rate",
        "max",
        "--game",
        "simulated",
        "--no-agents",
        "--no-page",
    ]
    addresses = ["--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--out", str(out)]
    subprocess.run(
        [find_executable(), "match", "--scenario", str(file), *players, *options, *addresses],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    found: list[dict[str, Any]] = json.loads((out / "summary.json").read_text())["games"]
    return found


def compare(games: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each match: the frame's game loop, its units, the foreseen winner and the winner."""
    rows, chosen = [], random.Random(1)
    for game in games:
        with sc2bridge.open_recording(pathlib.Path(game["folder"]) / "match.mcap") as recording:
            frame = recording[chosen.randrange(len(recording) - 1)]
            outcome = sc2bridge.simulate(frame, SECONDS)
            winner = {"Victory": "own", "Defeat": "enemy"}.get(game["results"]["1"])
            units = [len(frame.units.own), len(frame.units.enemies)]
            row = {
                "seed": game["seed"],
                "game_loop": frame.game_loop,
                "units": units,
                "last_game_loop": game["last_game_loop"],
            }
            rows.append({**row, "foreseen": outcome.winner, "winner": winner})
    return rows


def measure(games: int, rounds: int) -> dict[str, Any]:
    """Plays, compares and measures. The ways of measuring take turns in each round."""
    machine = describe_machine()
    with tempfile.TemporaryDirectory() as folder:
        played = play(pathlib.Path(folder), games)
        rows = compare(played)
        opened = [sc2bridge.open_recording(pathlib.Path(game["folder"]) / "match.mcap") for game in played]
        match = opened[0].match
        ways: dict[str, Callable[[list[Any]], int]] = {
            "simulate": one_by_one,
            "simulate_many": lambda frames: all_at_once(frames, match),
        }
        found: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
        for number in range(rounds + 1):
            for way, work in ways.items():
                frames = [recording[0] for recording in opened]  # New frames, whose units are not parsed yet.
                before, used = time.perf_counter(), time.process_time()
                fights = work(frames)
                used, before = time.process_time() - used, time.perf_counter() - before
                if number > 0:
                    found[way].append({"fights": fights, "seconds": before, "processor_seconds": used})
    return {"machine": machine, "seconds": SECONDS, "winners": rows, "rounds": found}


def one_by_one(frames: list[Any]) -> int:
    for frame in frames:
        sc2bridge.simulate(frame, SECONDS)
    return len(frames)


def all_at_once(frames: list[Any], match: Any) -> int:
    """All matches have the same ground, but each recording has its own."""
    return len(sc2bridge.simulate_many(frames * SEEDS, SECONDS, match=match, seeds=range(len(frames) * SEEDS)))


def table(report: dict[str, Any]) -> str:
    """The counts of winners, and medians of the rounds with the least and most."""
    counts = Counter(kind_of(row) for row in report["winners"])
    decided = counts["right"] + counts["wrong"]
    share = f"{100 * counts['right'] / decided:.1f} %" if decided else "none"
    lines = [
        f"{len(report['winners'])} matches: {counts['right']} right, {counts['wrong']} wrong ({share} of {decided} right), "
        f"{counts['not foreseen']} undecided after {report['seconds']} s, {counts['tie']} ties of the match",
        "",
        "| call | fights a processor second | fights a second |",
        "| --- | --- | --- |",
    ]
    for way, rounds in report["rounds"].items():
        by_processor, by_clock = (
            [each["fights"] / each[key] for each in rounds] for key in ("processor_seconds", "seconds")
        )
        lines.append(f"| `{way}` | {spread(by_processor)} | {spread(by_clock)} |")
    return "\n".join(lines)


def kind_of(row: dict[str, Any]) -> str:
    if row["winner"] is None:
        return "tie"
    return "not foreseen" if row["foreseen"] is None else "right" if row["foreseen"] == row["winner"] else "wrong"


def spread(rates: list[float]) -> str:
    return f"{statistics.median(rates):,.0f} ({min(rates):,.0f}–{max(rates):,.0f})"


def main(games: Optional[int], rounds: Optional[int], file: Optional[str]) -> None:
    """Measures and prints. If a file is named, writes the raw results."""
    report = measure(games or 240, rounds or 10)
    print(table(report))
    if file:
        pathlib.Path(file).write_text(json.dumps(report, indent=1) + "\n")
