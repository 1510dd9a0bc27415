"""Draws what `sc2bridge compare --json` wrote: times, their distribution, bytes along the match, processor time, scale."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any, Callable, Dict, List, Tuple

from sc2bridge.measuring.picture import load_pyplot

HELD, PARSED, TAIL = "#2f6db3", "#e0893b", "#c8cfd8"
GAME_RATE = 22.4
_MODES = {"grpc": "gRPC", "binary": "WebSocket", "json": "WebSocket JSON"}


def draw(result: str, picture: str) -> None:
    """Reads the result and writes the picture; its file name's ending decides the format.

    Raises ImportError where matplotlib is absent, OSError where a file cannot be read or written.
    """
    pyplot = load_pyplot()
    report: Dict[str, Any] = json.loads(Path(result).read_text(encoding="utf-8"))
    rows = distinct_rows(report)
    series = scale_series(report)
    heights = [0.26 * len(rows) + 1, 4] + [4] * len(series)
    figure, axes = pyplot.subplots(
        len(heights), 2, figsize=(16, 1 + sum(heights)), height_ratios=heights, constrained_layout=True, squeeze=False
    )
    (times, processors), (shares, along) = axes[:2]
    figure.suptitle(label(report), fontsize=9)
    _bars(
        times,
        rows,
        (
            ("parsed_p99_us", "parsed, p99", TAIL),
            ("parsed_p50_us", "parsed, p50", PARSED),
            ("held_p50_us", "held, p50", HELD),
        ),
        "µs from the game's answer to the agent",
    )
    _bars(
        processors,
        rows,
        (("bridge_cpu_percent", "bridge", HELD), ("agent_cpu_percent", "agent", PARSED)),
        "processor time, % of one core",
        beside=True,
    )
    _shares(shares, report)
    _along(along, report)
    for row, of in zip(axes[2:], series):
        _scale(row[0], of, "bridge_cpu_percent", "bridge CPU, % of a core")
        _scale(row[1], of, "held_p99_us", "held p99, µs")
    figure.savefig(picture, dpi=110)
    pyplot.close(figure)


def label(report: Dict[str, Any]) -> str:
    """What was measured on what, for the head of the picture."""
    machine, measurement = report["machine"], report["measurement"]
    return "\n".join(
        [
            f"sc2bridge compare: {report['match']}",
            f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, load {machine['load_at_start']:.2f}; "
            f"{machine['runtime']}, {machine['build']}; {measurement['rounds']} rounds of {measurement['seconds']:g} s",
            *report["summary"][:1],
        ]
    )


def distinct_rows(report: Dict[str, Any]) -> List[Tuple[str, Dict[str, Any]]]:
    """Every measured cell once, with its name and rate; those of slow links are left to their tables."""
    rows: Dict[str, Tuple[str, Dict[str, Any]]] = {}
    for table in report["tables"]:
        for row in table["rows"]:
            cell = row["cell"]
            if row["rounds"] > 0 and not cell["link_mbit"]:
                name = f"{row['name']}, {cell['rate']:g}" if cell["rate"] else f"{row['name']}, max"
                rows.setdefault(cell["id"], (name, row["figures"]))
    return list(rows.values())


def compared(report: Dict[str, Any]) -> List[Tuple[str, List[Dict[str, Any]]]]:
    """The cells of the distribution, each with its runs: at the game's rate, uncompressed, whole, one blocking agent."""
    found: Dict[str, str] = {}
    for table in report["tables"]:
        if table["name"] in ("transports", "yardsticks"):
            for row in table["rows"]:
                if row["cell"]["rate"] == GAME_RATE and row["rounds"] > 0:
                    found.setdefault(row["cell"]["id"], row["name"])
    runs = [run for run in report["runs"] if run["problem"] is None]
    return [(name, [run for run in runs if run["cell"] == cell]) for cell, name in found.items()]


def scale_series(report: Dict[str, Any]) -> List[Dict[str, Any]]:
    """How cost grows: the series that have points; none where that was not measured."""
    return [series for series in (report.get("scale") or {}).get("series", []) if series["points"]]


def fitted(fit: Dict[str, Any], x: float) -> float:
    """What a fit says of a load."""
    return float(fit["fixed"] + fit["per_unit"] * x ** fit["exponent"])


def _bars(axes: Any, rows: List[Tuple[str, Any]], series: Any, title: str, beside: bool = False) -> None:
    for number, (key, name, color) in enumerate(series):
        values = [figures[key]["median"] if key in figures else 0 for _, figures in rows]
        places = [at + (0.4 * number - 0.2 if beside else 0) for at in range(len(rows))]
        axes.barh(places, values, 0.38 if beside else 0.7, color=color, label=name)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    axes.invert_yaxis()
    axes.set_title(title, fontsize=10)
    axes.grid(axis="x", which="both", alpha=0.3)
    axes.set_axisbelow(True)
    if rows:
        axes.set_xscale("log")
        axes.legend(fontsize=8)


def _shares(axes: Any, report: Dict[str, Any]) -> None:
    for name, runs in compared(report):
        parsed = [run["parsed"]["percentiles"] for run in runs if run["parsed"]]
        if parsed:
            axes.plot([median(values) for values in zip(*parsed)], range(101), linewidth=1.2, label=name)
    _finish(axes, f"% of observations parsed within µs, at {GAME_RATE} a second", axes.set_xscale)


def _along(axes: Any, report: Dict[str, Any]) -> None:
    for name, runs in compared(report):
        heard = [run["along"] for run in runs if run["along"]]
        if heard:
            axes.plot([size / 1024 for size in heard[0]], linewidth=1.2, label=name)
    _finish(axes, "KiB of a message along what was heard of the match", axes.set_yscale)


def _scale(axes: Any, series: Dict[str, Any], figure: str, title: str) -> None:
    fits = {fit["mode"]: fit["fit"] for fit in series["fits"] if fit["figure"] == figure}
    points = [point for point in series["points"] if figure in point["figures"]]
    for mode in dict.fromkeys(point["cell"]["mode"] for point in points):
        measured = [point for point in points if point["cell"]["mode"] == mode]
        loads = [point["x"] for point in measured]
        medians = [point["figures"][figure]["median"] for point in measured]
        spread = [
            [abs(point["figures"][figure][end] - point["figures"][figure]["median"]) for point in measured]
            for end in ("least", "most")
        ]
        drawn = axes.errorbar(loads, medians, yerr=spread, fmt="o", markersize=4, label=_MODES[mode])
        if mode in fits:
            curve = [loads[0] * (loads[-1] / loads[0]) ** (step / 40) for step in range(41)]
            axes.plot(curve, [fitted(fits[mode], load) for load in curve], linewidth=1.2, color=drawn[0].get_color())
    if points:
        axes.set_xscale("log")
    _finish(axes, f"{title}, by {series['units']}", axes.set_yscale)


def _finish(axes: Any, title: str, set_scale: Callable[[str], None]) -> None:
    axes.set_title(title, fontsize=10)
    axes.grid(which="both", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        set_scale("log")
        axes.legend(fontsize=8)
