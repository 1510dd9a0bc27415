"""Draws what `sc2bridge inspect --json` wrote: bytes and latency along the match, on logarithmic axes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from sc2bridge.measuring.picture import load_pyplot

GAP = "#d62728"
SHADED = "the game's answer"


def draw(result: str, picture: str) -> None:
    """Reads the result and writes the picture; its file name's ending decides the format.

    Raises ImportError where matplotlib is absent, OSError where a file cannot be read or written.
    """
    pyplot = load_pyplot()
    report: Dict[str, Any] = json.loads(Path(result).read_text(encoding="utf-8"))
    figure, (sizes, times) = pyplot.subplots(2, 1, figsize=(12, 10), sharex=True, constrained_layout=True)
    figure.suptitle(label(report), fontsize=9)
    _lines(sizes, report, "bytes", 1024, "KiB a step")
    _lines(times, report, "us", 1000, f"ms a step, means of some steps; shaded up to {SHADED}, the longest")
    times.set_xlabel("step")
    figure.savefig(picture, dpi=120)
    pyplot.close(figure)


def label(report: Dict[str, Any]) -> str:
    """Which recording of which match it is, for the head of the picture."""
    match, length, chunks = report["match"], report["length"], report["chunks"]
    game = "simulated" if match["simulated"] else f"StarCraft II {match['game_version']}"
    players = [" ".join(filter(None, (one["race"], one["difficulty"], one["name"]))) for one in match["players"]]
    return "\n".join(
        [
            f"sc2bridge inspect {Path(report['file']).name}: {match['map']}, {game}, {' against '.join(players)}",
            f"{length['observations']:,} observations to game loop {length['last_loop']:,}, "
            f"{report['file_bytes'] / 1e6:.1f} MB, {chunks['times_fewer']:.1f} times fewer bytes than uncompressed",
        ]
    )


def _lines(axes: Any, report: Dict[str, Any], unit: str, divisor: float, title: str) -> None:
    along = report["along"]
    for series in along["series"]:
        if series["unit"] != unit:
            continue
        steps, mean, highest = points(along["steps"], series, divisor)
        (line,) = axes.plot(steps, mean, linewidth=1, label=series["name"])
        if series["name"] == SHADED:
            axes.fill_between(steps, mean, highest, color=line.get_color(), alpha=0.12, linewidth=0)
    for gap in report["gaps"]:
        axes.axvspan(gap["first_step"], gap["first_step"] + gap["steps"], color=GAP, alpha=0.3)
    axes.set_yscale("log")
    axes.set_title(title + ("; red: observations are missing" if report["gaps"] else ""), fontsize=10)
    axes.grid(which="both", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, ncols=2)


def points(
    steps: List[int], series: Dict[str, List[Optional[float]]], divisor: float
) -> Tuple[List[int], List[float], List[float]]:
    """Where something was measured, the mean and the greatest there."""
    found = [
        (step, mean / divisor, highest / divisor)
        for step, mean, highest in zip(steps, series["mean"], series["max"])
        if mean is not None and highest is not None
    ]
    return [one[0] for one in found], [one[1] for one in found], [one[2] for one in found]
