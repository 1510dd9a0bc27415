"""Draws results of `sc2bridge inspect --json` with matplotlib."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

RED = "#d62728"
SHADED = "the game's answer"

Report = Dict[str, Any]


def load_pyplot() -> Any:
    """matplotlib's pyplot. Raises ImportError, which says what to install."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError(
            "a picture needs matplotlib, which is not installed: run tools/set-up --pictures, or install it from PyPI "
            "or as Debian's python3-matplotlib"
        ) from None
    # No display is needed.
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def check(picture: str) -> None:
    """Raises ImportError if matplotlib is missing, ValueError if it does not support the file's ending."""
    known = load_pyplot().figure().canvas.get_supported_filetypes()
    ending = Path(picture).suffix.lstrip(".").lower()
    if ending not in known:
        raise ValueError(f"a picture cannot be written as {Path(picture).name}: end its name in .png, .svg or .pdf")


def draw(result: str, picture: str) -> None:
    """Reads a result and writes the picture. The file's ending decides the format.

    Raises ImportError if matplotlib is missing, OSError if a file cannot be read or written.
    """
    pyplot = load_pyplot()
    report: Report = json.loads(Path(result).read_text(encoding="utf-8"))
    figure = inspect(pyplot, report)
    figure.savefig(picture, dpi=110)
    pyplot.close(figure)


def inspect(pyplot: Any, report: Report) -> Any:
    """Bytes and latency along the match."""
    figure, axes = pyplot.subplots(2, 1, figsize=(12, 10), sharex=True, constrained_layout=True)
    figure.suptitle(recording(report), fontsize=9)
    for place, unit, divisor, title in (
        (axes[0], "bytes", 1024, "KiB a step"),
        (axes[1], "us", 1000, f"ms a step, means of some steps; shaded up to {SHADED}, the longest"),
    ):
        along = report["along"]
        for series in along["series"]:
            if series["unit"] != unit:
                continue
            steps, mean, highest = points(along["steps"], series, divisor)
            (line,) = place.plot(steps, mean, linewidth=1, label=series["name"])
            if series["name"] == SHADED:
                place.fill_between(steps, mean, highest, color=line.get_color(), alpha=0.12, linewidth=0)
        for gap in report["gaps"]:
            place.axvspan(gap["first_step"], gap["first_step"] + gap["steps"], color=RED, alpha=0.3)
        finish(place, title + ("; red: observations are missing" if report["gaps"] else ""))
    axes[1].set_xlabel("step")
    return figure


def recording(report: Report) -> str:
    """The picture's title: the recording and its match."""
    match, length, chunks = report["match"], report["length"], report["chunks"]
    game = "simulated" if match["simulated"] else f"StarCraft II {match['game_version']}"
    players = [" ".join(filter(None, (one["race"], one["difficulty"], one["name"]))) for one in match["players"]]
    return (
        f"sc2bridge inspect {Path(report['file']).name}: {match['map']}, {game}, {' against '.join(players)}\n"
        f"{length['observations']:,} observations to game loop {length['last_loop']:,}, "
        f"{report['file_bytes'] / 1e6:.1f} MB, {chunks['times_fewer']:.1f} times fewer bytes than uncompressed"
    )


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


def finish(axes: Any, title: str) -> None:
    """The parts that both halves share."""
    axes.set_title(title, fontsize=10)
    axes.grid(which="both", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.set_yscale("log")
        axes.legend(fontsize=8, ncols=2)
