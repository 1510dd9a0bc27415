"""Writes the tables of docs/measurements/README.md, and the figures of README.md, from the raw files of tools/measure.py."""

from __future__ import annotations

import json
import math
import pathlib
import re
import statistics
from collections.abc import Callable, Iterable
from typing import Any, Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent
RAW = ROOT / "docs/measurements/raw"
PAGE = ROOT / "docs/measurements/README.md"
README = ROOT / "README.md"
PARTS = ("transports", "matches", "broker", "environments", "acting", "native", "recordings", "fights")
BLOCK = re.compile(r"(<!-- (\w+): tools/measure.py writes this -->\n).*?(<!-- end of \w+ -->)", re.DOTALL)
MODES = {"memory": "shared memory", "binary": "binary WebSocket", "grpc": "gRPC", "json": "JSON WebSocket"}
WAYS = {
    "env+units+multi_discrete": "`Match-v0`, `multi_discrete`",
    "env+units+discrete": "`Match-v0`, `discrete`",
    "frames": "the bridge's frames, without arrays",
    "python-sc2": "python-sc2, `run_game`",
    "pysc2": "PySC2, raw units",
    "shm+columns": "shared memory, columns",
    "proto+columns": "binary WebSocket, columns",
    "shm": "shared memory",
    "proto": "binary WebSocket",
    "grpc": "gRPC",
    "python-sc2, no bridge": "python-sc2, no bridge",
}
FACTS = ("processor", "cores", "system", "dotnet", "python")

Raw = Optional[dict[str, Any]]
Row = dict[str, Any]


def read(folder: pathlib.Path) -> dict[str, Raw]:
    """The raw files by part. None if a part was not measured. Raises ValueError if a file does not name its commit, machine and load."""
    raws: dict[str, Raw] = {}
    for part in PARTS:
        path = folder / f"{part}.json"
        raws[part] = raw = json.loads(path.read_text()) if path.exists() else None
        if raw is None:
            continue
        missing = [key for key in ("commit", "date", "command", "load_at_start", "load_at_end") if key not in raw]
        missing += [key for key in FACTS if not raw.get("machine", {}).get(key)]
        if missing:
            raise ValueError(f"{path} does not name: {', '.join(missing)}")
    return raws


def median(row: Row, figure: str) -> float:
    """The median of a figure over a row's rounds."""
    return statistics.median(each[figure] for each in row["rounds"])


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    heads = list(heads)
    return ["| " + " | ".join(cells) + " |" for cells in (heads, ["---"] * len(heads), *rows)]


def sources(raws: dict[str, Raw], parts: Iterable[str]) -> list[str]:
    """A line for each machine and commit, with the raw files."""
    lines: dict[str, list[str]] = {}
    for part in parts:
        if raw := raws[part]:
            machine = raw["machine"]
            place = (
                f"Commit {raw['commit'][:8]}, {raw['date']}; {machine['processor']}, {machine['cores']} cores, {machine['system']},"
                f" .NET {machine['dotnet']}, Python {machine['python']}. Raw files: "
            )
            load = f"{raw['load_at_start']:.1f}–{raw['load_at_end']:.1f}"
            lines.setdefault(place, []).append(f"[{part}](raw/{part}.json) (load {load})")
    return [f"{place}{', '.join(files)}." for place, files in lines.items()]


def number(value: float, digits: int = 2) -> str:
    """With this many significant digits, and no more than two decimals."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, decimals):,.{min(max(decimals, 0), 2)}f}"


def transports(raw: Row) -> list[str]:
    """Each cell: the figure at 16 and at 22.4 steps a second."""
    rows = {
        (row["mode"], row["content"], row["compression"], row["rate"]): row
        for row in raw["rows"]
        if row["subscribers"] == 1
    }

    def cells(mode: str, content: str, compression: str) -> list[str]:
        both = [rows[mode, content, compression, rate] for rate in (16, 22.4)]

        def cell(figure: str, factor: float) -> str:
            return "/".join(number(median(row, figure) * factor) for row in both)

        network = "no network" if mode == "memory" else cell("megabytes_per_second", 8)
        times = [cell("parsed_p50_us", 1e-3), cell("parsed_p99_us", 1e-3)]
        return [MODES[mode], content, compression, *times, network, cell("sender_cpu", 100), cell("agent_cpu", 100)]

    kinds = dict.fromkeys(key[:3] for key in rows)
    ordered = sorted(kinds, key=lambda kind: (list(MODES).index(kind[0]), kind[1] == "columns", kind[2] != "none"))
    heads = [
        "transport",
        "content",
        "compression",
        "p50, ms",
        "p99, ms",
        "Mbit/s",
        "CPU of the bridge, %",
        "CPU of the agent, %",
    ]
    return table(heads, (cells(*kind) for kind in ordered))


def served(each: float, first: Optional[float] = None) -> str:
    """How many fit into a core: the first one costs `first` percent of it, each other one `each` percent."""
    return f"{number(math.floor(1 + (100 - (each if first is None else first)) / each))}" if each > 0 else "–"


def agents_for_core(raw: Row, mode: str) -> tuple[float, str]:
    """The percent of a core that each further agent costs the bridge, and how many agents a core serves."""
    rows = {
        row["subscribers"]: row
        for row in raw["rows"]
        if (row["mode"], row["content"], row["compression"], row["rate"]) == (mode, "observation", "none", 22.4)
    }
    one, all_ = (median(rows[count], "sender_cpu") * 100 for count in (1, 64))
    return (all_ - one) / 63, served((all_ - one) / 63, one)


def times(row: Row, name: str = "") -> str:
    return ", ".join(number(median(row, f"{name}{figure}_us") / 1000) for figure in ("p50", "p99"))


def capacity_of_agents(raw: Raw) -> list[list[str]]:
    made = []
    for mode, name in MODES.items():
        rows = [row for row in raw["rows"] if row["mode"] == mode and row["subscribers"] == 64] if raw else []
        cells = (
            [number(agents_for_core(raw, mode)[0]), agents_for_core(raw, mode)[1], times(rows[0], "parsed_")]
            if raw and rows
            else NOT
        )
        made.append([f"agents of a match, {name}", "64", "bridge", *cells])
    return made


def capacity_of_matches(raw: Raw) -> list[list[str]]:
    cells = NOT
    if raw:
        cpu = median(raw["rows"][0], "bridge_cpu") * 100
        cells = [number(cpu), served(cpu), times(raw["rows"][0])]
    return [["matches with an agent each, binary WebSocket", "1", "bridge", *cells]]


def capacity_of_broker(raw: Raw) -> list[list[str]]:
    made = []
    rows = {(row["matches"], row["readers"]): row for row in raw["rows"]} if raw else {}
    for what, key in (("matches with a reader each, RabbitMQ", "matches"), ("readers of a match, RabbitMQ", "readers")):
        most = max((row for row in rows.values()), key=lambda row: row[key], default=None)
        for process, figure in (
            ("broker", "broker_cpu"),
            ("bridge and reader" if key == "matches" else "reader", "own_cpu"),
        ):
            cells, count = NOT, "–"
            if most and most[key] > 1:
                count = str(most[key])
                cpu = (median(most, figure) - median(rows[1, 1], figure)) / (most[key] - 1) * 100
                cells = [number(cpu), served(cpu), times(most)]
            made.append([what, count, process, *cells])
    return made


NOT = ["not measured", "–", "–"]


def capacity(raws: dict[str, Raw]) -> list[str]:
    rows = [
        *capacity_of_agents(raws["transports"]),
        *capacity_of_matches(raws["matches"]),
        *capacity_of_broker(raws["broker"]),
    ]
    return table(
        [
            "served at 22.4 steps a second",
            "measured with",
            "process",
            "CPU for each, % of a core",
            "a core serves",
            "p50, p99 ms",
        ],
        rows,
    )


def ratio(row: Row, peer: Optional[Row]) -> str:
    """The median of the ratios within each round."""
    if peer is None:
        return "not measured"
    return number(
        statistics.median(a["per_second"] / b["per_second"] for a, b in zip(row["rounds"], peer["rounds"])), 3
    )


def steps(raws: dict[str, Raw]) -> list[str]:
    rows = []
    for part, what, peers in (
        ("environments", "environment", ("python-sc2", "pysc2")),
        ("acting", "acting loop", ("python-sc2, no bridge", None)),
    ):
        raw = raws[part]
        found = {row["way"]: row for row in raw["rows"]} if raw else {}
        for way in (way for way in WAYS if way in found):
            row = found[way]
            cells = [ratio(row, found.get(peer)) if peer else "–" for peer in peers]
            cpu = [
                number(median(row, figure), 3) if figure in row["rounds"][0] else "–"
                for figure in ("python_cpu_us", "bridge_cpu_us", "game_cpu_us")
            ]
            rows.append([what, WAYS[way], number(median(row, "per_second"), 3), *cells, *cpu])
        missing = [peer for peer in peers if peer and peer not in found]
        rows += [[what, WAYS[peer], *NOT, *["–"] * 3] for peer in missing]
    return table(
        [
            "loop",
            "library or way",
            "steps a second",
            "× python-sc2",
            "× PySC2",
            "CPU a step, µs: Python",
            "bridge",
            "game",
        ],
        rows,
    )


def library(raws: dict[str, Raw]) -> list[str]:
    rows = []
    for part, what, peer in (
        ("native", "steps of", "bridge"),
        ("recordings", "frames of a recording,", "python"),
        ("fights", "", ""),
    ):
        found = raws[part]["rows"] if raws[part] else []
        peers = {row["what"]: row for row in found if peer and row["way"].startswith(peer)}
        for row in (row for row in found if row["rounds"]):
            times = ratio(row, peers[row["what"]]) if row["what"] in peers else "–"
            rows.append([f"{what} {row['what']}".strip(), row["way"], number(median(row, "per_second"), 3), times])
    winners = [each for row in (raws["fights"] or {"rows": []})["rows"] for each in row.get("winners", ())]
    known = [each for each in winners if each["winner"] and each["foreseen"]]
    right = sum(each["foreseen"] == each["winner"] for each in known)
    share = f"Of {len(winners)} fights, {len(known)} were decided in time and in the match; `simulate` named the winner of {right}."
    return [*table(["what", "way", "a second", "× bridge or Python"], rows), *(["", share] if winners else [])]


def headlines(raws: dict[str, Raw]) -> list[str]:
    """The figures of README.md."""
    lines = []
    if raw := raws["transports"]:
        rows = {
            (row["mode"], row["compression"]): row
            for row in raw["rows"]
            if (row["content"], row["rate"], row["subscribers"]) == ("observation", 22.4, 1)
        }
        local, plain, packed = rows["memory", "none"], rows["binary", "none"], rows["binary", "group-zstd"]
        fewer = median(plain, "megabytes_per_second") / median(packed, "megabytes_per_second")
        lines.append(
            f"- An agent on the same machine has parsed an observation {number(median(local, 'parsed_p50_us') / 1000)} ms after the game's answer"
            f" (p99: {number(median(local, 'parsed_p99_us') / 1000)} ms). On a network, `group-zstd` sends 1/{number(fewer)} of the bytes."
        )
        if raws["matches"]:
            lines.append(
                f"- At 22.4 steps a second, a core of the bridge serves about {agents_for_core(raw, 'binary')[1]} agents of one match over the"
                f" WebSocket, or {capacity_of_matches(raws['matches'])[0][4]} matches with an agent each (calculated from the CPU of smaller loads)."
            )
    found = {row["way"]: row for row in (raws["environments"] or {"rows": []})["rows"]}
    if {"python-sc2", "pysc2", "env+units+multi_discrete"} <= set(found):
        own = found["env+units+multi_discrete"]
        lines.append(
            f"- The environment `Match-v0` makes {number(median(own, 'per_second'), 3)} steps a second: {ratio(own, found['python-sc2'])} times as many as"
            f" python-sc2's loop, {ratio(own, found['pysc2'])} times as many as PySC2's."
        )
    rates = {
        (row["what"], row["way"].split(",")[0]): number(median(row, "per_second"), 3)
        for part in ("native", "recordings")
        for row in (raws[part] or {"rows": []})["rows"]
    }
    if {("3m", "native"), ("processors: 2", "native")} <= set(rates):
        lines.append(
            f"- With `backend=\"native\"`, environments of the scenario `3m` make {rates['3m', 'native']} steps a second on two cores. `sc2bridge.data` reads"
            f" {rates['processors: 2', 'native']} frames a second of recordings as arrays."
        )
    return lines or ["This version is not measured yet."]


def render(text: str, raws: dict[str, Raw]) -> str:
    """The page with its tables made from the raw files."""
    parts: dict[str, tuple[tuple[str, ...], Callable[[], list[str]]]] = {
        "transports": (
            ("transports",),
            lambda: transports(raws["transports"]) if raws["transports"] else ["Not measured."],
        ),
        "capacity": (("transports", "matches", "broker"), lambda: capacity(raws)),
        "steps": (("environments", "acting"), lambda: steps(raws)),
        "library": (("native", "recordings", "fights"), lambda: library(raws)),
        "headlines": ((), lambda: headlines(raws)),
    }

    def block(match: re.Match[str]) -> str:
        files, lines = parts[match[2]]
        made = [line for source in sources(raws, files) for line in ("", source)]
        return match[1] + "".join(line + "\n" for line in [*lines(), *made]) + match[3]

    return BLOCK.sub(block, text)


def write() -> None:
    """Writes the tables into the pages."""
    raws = read(RAW)
    for page in (PAGE, README):
        page.write_text(render(page.read_text(), raws))
