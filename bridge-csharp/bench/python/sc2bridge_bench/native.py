"""`native`: steps a second of scenario environments in the process of the learner, compared with the bridge backend.

Both backends take turns, one round each, with random legal actions and eight loops a step. The bridge has a bridge and a game for each of its
matches, so it plays fewer matches at once; both backends use all cores.
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

SCENARIOS = ("3m", "MMM")
MATCHES = {"bridge": 8, "native": 64}
"""How many matches each backend plays at once."""


def play(envs: Any, masks: Any, random: Any, seconds: float) -> tuple[float, float, Any]:
    """Steps for some seconds. Returns the steps of all matches in a second of all time, and of the time inside `step`, and the newest
    masks."""
    steps, inside, begun = 0, 0.0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        actions = (random.random(masks.shape, np.float32) * masks).argmax(2)
        before = time.perf_counter()
        masks = envs.step(actions)[-1]["action_mask"]
        inside += time.perf_counter() - before
        steps += envs.num_envs
    return steps / (time.perf_counter() - begun), steps / inside, masks


def measure(rounds: int, seconds: float) -> dict[str, Any]:
    """All rounds of each scenario, after one round that warms up."""
    machine = describe_machine()
    rows = []
    for scenario in SCENARIOS:
        random, found = np.random.default_rng(1), {backend: [] for backend in MATCHES}  # type: ignore[var-annotated]
        given = {"scenario": scenario, "opponent": "computer:terran:VeryHard", "actions": "multi_discrete"}
        opened = {
            backend: gymnasium.make_vec("sc2bridge/Match-v0", num_envs=count, backend=backend, **given)
            for backend, count in MATCHES.items()
        }
        try:
            masks = {backend: envs.reset(seed=1)[1]["action_mask"] for backend, envs in opened.items()}
            for number in range(rounds + 1):
                for backend, envs in opened.items():
                    all_time, inside, masks[backend] = play(envs, masks[backend], random, seconds)
                    if number > 0:
                        found[backend].append({"per_second": all_time, "per_second_in_step": inside})
        finally:
            for envs in opened.values():
                envs.close()
        rows += [
            {"scenario": scenario, "backend": backend, "matches": MATCHES[backend], "rounds": each}
            for backend, each in found.items()
        ]
    return {"machine": machine, "seconds": seconds, "rows": rows}


def table(report: dict[str, Any]) -> str:
    """Medians, with the least and most of the rounds. The last column has the ratio of each native round to the bridge's round."""
    lines = ["| scenario | backend | matches | steps a second | inside `step` | × bridge |", "| --- " * 6 + "|"]
    bridges = {row["scenario"]: row["rounds"] for row in report["rows"] if row["backend"] == "bridge"}
    for row in report["rows"]:
        rates = [each["per_second"] for each in row["rounds"]]
        inside = statistics.median(each["per_second_in_step"] for each in row["rounds"])
        times = [rate / other["per_second"] for rate, other in zip(rates, bridges[row["scenario"]])]
        lines.append(
            f"| {row['scenario']} | {row['backend']} | {row['matches']} | {statistics.median(rates):,.0f}"
            f" ({min(rates):,.0f}–{max(rates):,.0f}) | {inside:,.0f} | {statistics.median(times):.1f} |"
        )
    return "\n".join(lines)


def main(rounds: Optional[int], seconds: Optional[int], file: Optional[str]) -> None:
    """Measures and prints. If a file is named, writes the raw results."""
    report = measure(rounds or 10, seconds or 2)
    print(table(report))
    if file:
        pathlib.Path(file).write_text(json.dumps(report, indent=1) + "\n")
