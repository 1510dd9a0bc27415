"""`native`: steps a second of environments in the process of the learner, compared with the bridge backend.

Both backends take turns, one round each, with eight loops a step. In a scenario, the units act at random, and both backends use all cores. The bridge has a bridge and a game for each of its matches, so it plays fewer matches at once. On a map, eight workers move,
and the library has one thread.
"""

from __future__ import annotations

import json
import pathlib
import statistics
import time
from typing import Any, Optional

import gymnasium
import numpy as np

import sc2bridge.gym  # Registers the environment.
from sc2bridge_bench.machine import describe_machine
from sc2bridge_bench.stepping import MATCH, moves

FIGHT = {"opponent": "computer:terran:VeryHard", "actions": "multi_discrete"}
CASES: dict[str, dict[str, Any]] = {
    "3m": {"scenario": "3m", **FIGHT},
    "MMM": {"scenario": "MMM", **FIGHT},
    "Cinder Fortress, one core": {
        "actions": "multi_discrete",
        **{key: MATCH[key] for key in ("map_name", "race", "opponent")},
    },
}
MATCHES = {"bridge": 8, "native": 64}
"""How many matches of a scenario each backend plays at once."""
ON_A_MAP = {"bridge": 1, "native": 4}


class Player:
    """The matches of one backend."""

    def __init__(self, case: dict[str, Any], backend: str) -> None:
        self.count = (ON_A_MAP if "map_name" in case else MATCHES)[backend]
        threads = {"threads": 1} if backend == "native" and "map_name" in case else {}
        self._envs = gymnasium.make_vec("sc2bridge/Match-v0", num_envs=self.count, backend=backend, **case, **threads)
        self._choose = self._march if "map_name" in case else self._draw
        self._random, self._number = np.random.default_rng(1), 0
        self._observed, self._infos = self._envs.reset(seed=1)
        self.rounds: list[dict[str, float]] = []

    def play(self, seconds: float) -> None:
        """Steps for some seconds. Keeps the steps of all matches in a second of all time, and of the time inside `step`."""
        steps, inside, begun = 0, 0.0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            actions, before = self._choose(), time.perf_counter()
            self._observed, _, _, _, self._infos = self._envs.step(actions)
            inside += time.perf_counter() - before
            steps += self.count
        self.rounds.append({"per_second": steps / (time.perf_counter() - begun), "per_second_in_step": steps / inside})

    def close(self) -> None:
        self._envs.close()

    def _draw(self) -> Any:
        """Random legal actions."""
        masks = self._infos["action_mask"]
        return (self._random.random(masks.shape, np.float32) * masks).argmax(2)

    def _march(self) -> Any:
        """Eight workers move a little further."""
        self._number += 1
        own = self._envs.action_space.shape[1]
        return np.array([moves(types, own, self._number) for types in self._observed["types"]])


def measure(rounds: int, seconds: float) -> dict[str, Any]:
    """All rounds of each case, after one round that warms up."""
    machine, rows = describe_machine(), []
    for name, case in CASES.items():
        players = {backend: Player(case, backend) for backend in MATCHES}
        try:
            for _ in range(rounds + 1):
                for player in players.values():
                    player.play(seconds)
        finally:
            for player in players.values():
                player.close()
        rows += [
            {"what": name, "way": f"{backend}, matches: {player.count}", "rounds": player.rounds[1:]}
            for backend, player in players.items()
        ]
    return {"machine": machine, "seconds": seconds, "rows": rows}


def table(report: dict[str, Any]) -> str:
    """Medians, with the least and most of the rounds. The last column has the ratio of each round to the bridge's round."""
    lines = ["| environment | backend | steps a second | inside `step` | × bridge |", "| --- " * 5 + "|"]
    bridges = {row["what"]: row["rounds"] for row in report["rows"] if row["way"].startswith("bridge")}
    for row in report["rows"]:
        rates = [each["per_second"] for each in row["rounds"]]
        inside = statistics.median(each["per_second_in_step"] for each in row["rounds"])
        times = [rate / other["per_second"] for rate, other in zip(rates, bridges[row["what"]])]
        lines.append(
            f"| {row['what']} | {row['way']} | {statistics.median(rates):,.0f} ({min(rates):,.0f}–{max(rates):,.0f}) | {inside:,.0f}"
            f" | {statistics.median(times):.1f} |"
        )
    return "\n".join(lines)


def main(rounds: Optional[int], seconds: Optional[int], file: Optional[str]) -> None:
    """Measures and prints. If a file is named, writes the raw results."""
    report = measure(rounds or 10, seconds or 2)
    print(table(report))
    if file:
        pathlib.Path(file).write_text(json.dumps(report, indent=1) + "\n")
