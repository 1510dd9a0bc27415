"""`recordings`: frames a second of recordings as batches for training: the native reader compared with the Python reader.

Both readers take turns, one round each, on one processor and on all processors. They read shuffled frames as padded arrays. Each reader is
opened once, so the files are in the system's cache after the round that warms up.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import time
from typing import Any, Optional, Sequence

from sc2bridge.data import Recordings
from sc2bridge.data.datasets import Padded, ShuffledFrames
from sc2bridge_bench.machine import describe_machine

READERS = {"python": False, "native": True}
BATCH = 64


def read(frames: ShuffledFrames, seconds: float) -> dict[str, float]:
    """Reads batches for some seconds, or all frames. Returns frames a second, and processor time for a frame."""
    count, begun, used = 0, time.perf_counter(), time.process_time()
    for batch in frames:
        count += len(batch["mask"])
        if time.perf_counter() - begun > seconds:
            break
    cpu = time.process_time() - used
    return {"per_second": count / (time.perf_counter() - begun), "cpu_us": cpu / count * 1e6}


def measure(paths: Sequence[str], rows: int, rounds: int, seconds: float) -> dict[str, Any]:
    """All rounds, after one round that warms up."""
    machine = describe_machine()
    processors = sorted(os.sched_getaffinity(0))
    opened = {name: Recordings(*paths, native=native) for name, native in READERS.items()}
    cases = [(count, name) for count in sorted({1, len(processors)}) for name in READERS]
    found: dict[tuple[int, str], list[dict[str, float]]] = {case: [] for case in cases}
    try:
        for number in range(rounds + 1):
            for count, name in cases:
                os.sched_setaffinity(0, processors[:count])
                figures = read(ShuffledFrames(opened[name], Padded(rows), seed=number, batch=BATCH), seconds)
                if number > 0:
                    found[count, name].append(figures)
    finally:
        os.sched_setaffinity(0, processors)
    parts = list(next(iter(opened.values())))
    return {
        "machine": machine,
        "frames": sum(part.frames for part in parts),
        "bytes": sum(pathlib.Path(path).stat().st_size for path in {part.path for part in parts}),
        "units": rows,
        "seconds": seconds,
        "rows": [{"processors": count, "reader": name, "rounds": each} for (count, name), each in found.items()],
    }


def table(report: dict[str, Any]) -> str:
    """Medians, with the least and most of the rounds. The last column has the ratio to the Python reader's round."""
    lines = ["| processors | reader | frames a second | processor time for a frame | × Python |", "| --- " * 5 + "|"]
    python = {row["processors"]: row["rounds"] for row in report["rows"] if row["reader"] == "python"}
    for row in report["rows"]:
        rates = [each["per_second"] for each in row["rounds"]]
        cpu = statistics.median(each["cpu_us"] for each in row["rounds"])
        times = [rate / other["per_second"] for rate, other in zip(rates, python[row["processors"]])]
        lines.append(
            f"| {row['processors']} | {row['reader']} | {statistics.median(rates):,.0f} ({min(rates):,.0f}–{max(rates):,.0f})"
            f" | {cpu:,.0f} µs | {statistics.median(times):.1f} |"
        )
    return "\n".join(lines)


def main(
    paths: Sequence[str], units: Optional[int], rounds: Optional[int], seconds: Optional[int], file: Optional[str]
) -> None:
    """Measures and prints. If a file is named, writes the raw results."""
    report = measure(paths, units or 400, rounds or 7, seconds or 3)
    print(table(report))
    if file:
        pathlib.Path(file).write_text(json.dumps(report, indent=1) + "\n")
