"""Draws what `sc2bridge codec --json` wrote: times, sizes and link speeds as bars on logarithmic axes."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any, Dict, List, Tuple

WRITE, READ, PUBLISHED = "#3b6ea5", "#e08e45", "#999999"

# Characters of the head that fit on the picture.
WIDEST_LINE = 130


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
    """Reads the result and writes the picture; its file name's ending decides the format.

    Raises ImportError where matplotlib is absent, OSError where a file cannot be read or written.
    """
    pyplot = load_pyplot()
    report: Dict[str, Any] = json.loads(Path(result).read_text(encoding="utf-8"))
    figure, (times, sizes, links) = pyplot.subplots(3, 1, figsize=(11, 15), constrained_layout=True)
    figure.suptitle(label(report), fontsize=9)
    _times(times, report)
    _sizes(sizes, report["sizes"])
    _links(links, report["sizes"])
    figure.savefig(picture, dpi=120)
    pyplot.close(figure)


def label(report: Dict[str, Any]) -> str:
    """What was measured on what, for the head of the picture."""
    machine = report["machine"]
    pythons = [
        f"Python {one['python']}, protobuf {one['protobuf']} ({one['implementation']})" for one in _runtimes(report)
    ]
    return "\n".join(
        [
            f"sc2bridge codec, {'full' if report['full'] else 'quick'}: {report['match']}",
            f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, load {machine['load_at_start']:.2f}",
            textwrap.fill("; ".join([f"{machine['runtime']}, {machine['build']}", *pythons]), WIDEST_LINE),
        ]
    )


def _runtimes(report: Dict[str, Any]) -> List[Dict[str, Any]]:
    return [one["runtime"] for one in report["pythons"]]


def _times(axes: Any, report: Dict[str, Any]) -> None:
    rows = [(row, False) for row in report["codecs"]] + [(row, True) for row in report["published"]]
    rows.sort(key=lambda pair: (pair[0]["language"], pair[0]["format"] == "JSON", pair[1]))
    names = []
    for at, (row, published) in enumerate(rows):
        names.append(f"{row['language']} {row['format']}, {'published' if published else row['library']}")
        for name, offset, color in (("write", -0.2, WRITE), ("read", 0.2, READ)):
            axes.barh(at + offset, row[name]["mean_ms"], 0.36, color=PUBLISHED if published else color)
    legend = {"write": WRITE, "read": READ, "published (write above, read below)": PUBLISHED}
    bars = [axes.barh(0, 0, color=color) for color in legend.values()]
    axes.legend(bars, list(legend), fontsize=8)
    _finish(axes, names, "ms an observation, 25 % trimmed mean")


def _sizes(axes: Any, rows: List[Dict[str, Any]]) -> None:
    for at, row in enumerate(rows):
        axes.barh(at, row["mean_bytes"] / 1024, color=WRITE if row["format"] == "protobuf" else READ)
    _finish(axes, [_size_name(row) for row in rows], "KiB a message, mean")


def _links(axes: Any, rows: List[Dict[str, Any]]) -> None:
    paying: List[Tuple[str, Dict[str, Any]]] = [(_size_name(row), row) for row in rows if row["pays_below_mbit"]]
    for at, (_, row) in enumerate(paying):
        axes.barh(at, row["pays_below_mbit"], color=WRITE if row["format"] == "protobuf" else READ)
    _finish(axes, [name for name, _ in paying], "compressing pays below this link speed, Mbit/s")


def _size_name(row: Dict[str, Any]) -> str:
    return f"{row['format']}, {row['compression']}"


def _finish(axes: Any, names: List[str], title: str) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_title(title, fontsize=10)
    axes.grid(axis="x", which="both", alpha=0.3)
