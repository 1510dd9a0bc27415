"""Draws what `sc2bridge codec`, `compare` and `inspect` wrote with `--json`, with matplotlib."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

BLUE, ORANGE, GREY, RED = "#3b6ea5", "#e08e45", "#999999", "#d62728"
GAME_RATE = 22.4
MODES = {"grpc": "gRPC", "binary": "WebSocket", "json": "WebSocket JSON"}
SHADED = "the game's answer"

Report = Dict[str, Any]
Bars = Sequence[Tuple[str, str, List[float]]]
"""What each kind of bar is called, its colour, and a length for each name."""


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
    """Raises ImportError where matplotlib is absent, ValueError where it knows no such ending of a file's name."""
    known = load_pyplot().figure().canvas.get_supported_filetypes()
    ending = Path(picture).suffix.lstrip(".").lower()
    if ending not in known:
        raise ValueError(f"a picture cannot be written as {Path(picture).name}: end its name in .png, .svg or .pdf")


def draw(result: str, picture: str) -> None:
    """Reads a result and writes the picture; its file name's ending decides the format.

    Raises ImportError where matplotlib is absent, OSError where a file cannot be read or written.
    """
    pyplot = load_pyplot()
    report: Report = json.loads(Path(result).read_text(encoding="utf-8"))
    kind = codec if "codecs" in report else compare if "tables" in report else inspect
    figure = kind(pyplot, report)
    figure.savefig(picture, dpi=110)
    pyplot.close(figure)


def codec(pyplot: Any, report: Report) -> Any:
    """Times, sizes and link speeds as bars."""
    figure, axes = pyplot.subplots(3, 1, figsize=(11, 15), constrained_layout=True)
    figure.suptitle(f"sc2bridge codec: {report['match']}\n{machine(report)}", fontsize=9)
    rows = [(row, row["library"]) for row in report["codecs"]] + [(row, "published") for row in report["published"]]
    rows.sort(key=lambda pair: (pair[0]["language"], pair[0]["format"] == "JSON", pair[1] == "published"))
    names = [f"{row['language']} {row['format']}, {library}" for row, library in rows]
    times: Bars = [
        (verb, color, [row[verb]["mean_ms"] for row, _ in rows]) for verb, color in (("write", BLUE), ("read", ORANGE))
    ]
    bars(axes[0], names, times, "ms an observation, 25 % trimmed mean")
    sizes = report["sizes"]
    names = [f"{row['format']}, {row['compression']}" for row in sizes]
    bars(axes[1], names, [("mean", BLUE, [row["mean_bytes"] / 1024 for row in sizes])], "KiB a message")
    paying = [(name, row["pays_below_mbit"]) for name, row in zip(names, sizes) if row["pays_below_mbit"]]
    speeds: Bars = [("link speed", BLUE, [speed for _, speed in paying])]
    bars(axes[2], [name for name, _ in paying], speeds, "compressing pays below, Mbit/s")
    return figure


def compare(pyplot: Any, report: Report) -> Any:
    """Times and processor time as bars, the times' distribution, and how cost grows."""
    rows, series = distinct_rows(report), scale_series(report)
    heights = [0.26 * len(rows) + 1, 4] + [4] * len(series)
    figure, axes = pyplot.subplots(
        len(heights), 2, figsize=(16, 1 + sum(heights)), height_ratios=heights, constrained_layout=True, squeeze=False
    )
    figure.suptitle(
        "\n".join([f"sc2bridge compare: {report['match']}", machine(report), *report["summary"][:1]]), fontsize=9
    )
    for place, title, keys in (
        (axes[0][0], "µs from the game's answer", (("held p50", BLUE), ("parsed p50", ORANGE), ("parsed p99", GREY))),
        (axes[0][1], "processor time, % of a core", (("bridge cpu", BLUE), ("agent cpu", ORANGE))),
    ):
        unit = "_us" if "µs" in title else "_percent"
        kinds: Bars = [
            (key, color, [row.get(key.replace(" ", "_") + unit, {}).get("median", 0) for _, row in rows])
            for key, color in keys
        ]
        bars(place, [name for name, _ in rows], kinds, title)
    for name, runs in compared(report):
        parsed = [run["parsed"]["percentiles"] for run in runs if run["parsed"]]
        along = [run["along"] for run in runs if run["along"]]
        if parsed:
            axes[1][0].plot([median(values) for values in zip(*parsed)], range(101), linewidth=1.2, label=name)
        if along:
            axes[1][1].plot([size / 1024 for size in along[0]], linewidth=1.2, label=name)
    finish(axes[1][0], f"% of observations parsed within µs, at {GAME_RATE} a second", axes[1][0].set_xscale)
    finish(axes[1][1], "KiB of a message along the match", axes[1][1].set_yscale)
    for row, one in zip(axes[2:], series):
        grown(row[0], one, "bridge_cpu_percent", "bridge CPU, % of a core")
        grown(row[1], one, "held_p99_us", "held p99, µs")
    return figure


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
        finish(place, title + ("; red: observations are missing" if report["gaps"] else ""), place.set_yscale)
    axes[1].set_xlabel("step")
    return figure


def machine(report: Report) -> str:
    """What was measured on, for the head of the picture."""
    of = report["machine"]
    return (
        f"{of['processor']}, {of['cores']} cores, {of['system']}, load {of['load_at_start']:.2f}; "
        f"{of['runtime']}, {of['build']}"
    )


def recording(report: Report) -> str:
    """Which recording of which match it is, for the head of the picture."""
    match, length, chunks = report["match"], report["length"], report["chunks"]
    game = "simulated" if match["simulated"] else f"StarCraft II {match['game_version']}"
    players = [" ".join(filter(None, (one["race"], one["difficulty"], one["name"]))) for one in match["players"]]
    return (
        f"sc2bridge inspect {Path(report['file']).name}: {match['map']}, {game}, {' against '.join(players)}\n"
        f"{length['observations']:,} observations to game loop {length['last_loop']:,}, "
        f"{report['file_bytes'] / 1e6:.1f} MB, {chunks['times_fewer']:.1f} times fewer bytes than uncompressed"
    )


def distinct_rows(report: Report) -> List[Tuple[str, Dict[str, Any]]]:
    """Every measurement once, with its name and rate; those of slow links are left to their tables."""
    rows: Dict[str, Tuple[str, Dict[str, Any]]] = {}
    for table in report["tables"]:
        for row in table["rows"]:
            of = row["measurement"]
            if row["rounds"] > 0 and not of["link_mbit"]:
                name = f"{row['name']}, {of['rate']:g}" if of["rate"] else f"{row['name']}, max"
                rows.setdefault(of["id"], (name, row["figures"]))
    return list(rows.values())


def compared(report: Report) -> List[Tuple[str, List[Dict[str, Any]]]]:
    """What the distribution shows, each with its runs: at the game's rate, uncompressed, whole, one blocking agent."""
    found: Dict[str, str] = {}
    for table in report["tables"]:
        if table["name"] in ("transports", "yardsticks"):
            for row in table["rows"]:
                if row["measurement"]["rate"] == GAME_RATE and row["rounds"] > 0:
                    found.setdefault(row["measurement"]["id"], row["name"])
    runs = [run for run in report["runs"] if run["problem"] is None]
    return [(name, [run for run in runs if run["measurement"] == one]) for one, name in found.items()]


def scale_series(report: Report) -> List[Dict[str, Any]]:
    """How cost grows: the series that have points; none where that was not measured."""
    return [series for series in (report.get("scale") or {}).get("series", []) if series["points"]]


def fitted(fit: Dict[str, Any], x: float) -> float:
    """What a fit says of a load."""
    return float(fit["fixed"] + fit["per_unit"] * x ** fit["exponent"])


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


def bars(axes: Any, names: List[str], kinds: Bars, title: str) -> None:
    """Bars beside each other, on a logarithmic axis."""
    height = 0.8 / len(kinds)
    for number, (name, color, values) in enumerate(kinds):
        places = [at - 0.4 + height * (number + 0.5) for at in range(len(names))]
        axes.barh(places, values, height, color=color, label=name)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.set_axisbelow(True)
    finish(axes, title, axes.set_xscale if names else lambda _: None)


def grown(axes: Any, series: Dict[str, Any], figure: str, title: str) -> None:
    """What was measured at each load, and the line through it."""
    fits = {fit["mode"]: fit["fit"] for fit in series["fits"] if fit["figure"] == figure}
    measured = [point for point in series["points"] if figure in point["figures"]]
    for mode in dict.fromkeys(point["measurement"]["mode"] for point in measured):
        found = [(point["x"], point["figures"][figure]) for point in measured if point["measurement"]["mode"] == mode]
        loads = [x for x, _ in found]
        spread = [[abs(of[end] - of["median"]) for _, of in found] for end in ("least", "most")]
        medians = [of["median"] for _, of in found]
        drawn = axes.errorbar(loads, medians, yerr=spread, fmt="o", markersize=4, label=MODES[mode])
        if mode in fits:
            curve = [loads[0] * (loads[-1] / loads[0]) ** (step / 40) for step in range(41)]
            axes.plot(curve, [fitted(fits[mode], load) for load in curve], linewidth=1.2, color=drawn[0].get_color())
    if measured:
        axes.set_xscale("log")
    finish(axes, f"{title}, by {series['units']}", axes.set_yscale)


def finish(axes: Any, title: str, set_scale: Callable[[str], None]) -> None:
    """What every picture has."""
    axes.set_title(title, fontsize=10)
    axes.grid(which="both", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        set_scale("log")
        axes.legend(fontsize=8, ncols=2)
