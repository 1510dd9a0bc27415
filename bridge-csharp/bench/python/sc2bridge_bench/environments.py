"""`environments`: steps a second of environments, compared with PySC2's and python-sc2's own loops on the same simulated game.

Each way is a process with its own games (see `stepping`). The ways take turns, one round each. All rounds play in one match: a player that
does nothing does not lose it before about 10,000 game loops, so no round starts another match. Processor times come from /proc, so this
needs Linux.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from typing import Any, Optional

from sc2bridge.client.process import find_executable
from sc2bridge_bench.machine import describe_machine

ONE = ["python-sc2", "pysc2", "env+units+multi_discrete", "env+units+discrete", "frames"]
MANY = [f"{kind}+{count}" for count in (1, 4, 8, 16) for kind in ("batch", "async")]
PEERS = {"python-sc2": "sc2", "pysc2": "pysc2"}
"""The module that each way of another project needs."""
_TICKS = os.sysconf("SC_CLK_TCK")


def installation(folder: pathlib.Path, program: str) -> dict[str, str]:
    """A folder that looks like StarCraft II's, whose program is the simulated game: the variables that name it."""
    game = folder / "Versions" / "Base99999" / "SC2_x64"
    game.parent.mkdir(parents=True)
    game.write_text(f'#!/bin/sh\nexec "{program}" simulate "$@"\n')
    game.chmod(0o755)
    (folder / "Maps" / "Melee").mkdir(parents=True)
    (folder / "Maps" / "Melee" / "CinderFortressLE.SC2Map").write_bytes(b"simulated")
    (folder / "Documents" / "StarCraft II" / "Replays").mkdir(parents=True)
    return {"SC2PATH": str(folder), "HOME": str(folder)}


def processor_seconds(root: int) -> dict[str, float]:
    """Processor seconds of all descendant processes so far, for Python, bridges and games."""
    parents: dict[int, tuple[int, float]] = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # It has ended.
            parents[int(entry.name)] = (int(fields[1]), (int(fields[11]) + int(fields[12])) / _TICKS)
    below = {root}
    while True:
        found = below | {pid for pid, (parent, _) in parents.items() if parent in below}
        if found == below:
            break
        below = found
    taken = {"python": 0.0, "bridge": 0.0, "game": 0.0}
    for pid in below & set(parents):
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        kind = "python" if b"python" in os.path.basename(words[0]) else "game" if b"simulate" in words else "bridge"
        taken[kind] += parents[pid][1]
    return taken


class Player:
    """A process that plays by one way."""

    def __init__(self, way: str, environment: dict[str, str]) -> None:
        self.way, self.rounds = way, []  # type: ignore[var-annotated]
        folders = [str(pathlib.Path(__file__).parents[1]), *environment.get("PYTHONPATH", "").split(os.pathsep)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sc2bridge_bench", "stepping", way],
            env={**environment, "PYTHONPATH": os.pathsep.join(filter(None, folders))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.client = self._answer()["client"]

    def play(self, steps: int, keep: bool = True) -> None:
        """A round."""
        before = processor_seconds(self._process.pid)
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"steps": steps}) + "\n")
        self._process.stdin.flush()
        told = self._answer()
        after = processor_seconds(self._process.pid)
        games = int(self.way.split("+")[1]) if self.way.startswith(("batch", "async")) else 1
        if keep:
            cpu = {kind: (after[kind] - before[kind]) / steps / games * 1e6 for kind in after}
            self.rounds.append({"per_second": steps * games / told["seconds"], "cpu_us": cpu})

    def close(self) -> None:
        """Ends it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):  # PySC2 prints as well.
                return json.loads(line)
        raise ValueError(f"{self.way} ended with exit code {self._process.wait()}: see above")


def measure(rounds: int, steps: int, many: bool) -> dict[str, Any]:
    """All ways of one environment in turn; then of many, one way after the other, as they fill the machine.

    Leaves out other projects' ways if their libraries are missing."""
    machine = describe_machine()
    rows = []
    with tempfile.TemporaryDirectory(prefix="sc2bridge-bench-") as folder:
        environment = {**os.environ, **installation(pathlib.Path(folder), find_executable())}
        missing = [way for way, module in PEERS.items() if importlib.util.find_spec(module) is None]
        if missing:
            print(f"not installed, and so not measured: {', '.join(missing)}", file=sys.stderr)
        one = [way for way in ONE if way not in missing]
        groups = [one, *([way] for way in MANY if many)]
        for group in groups:
            players: list[Player] = []
            try:
                for way in group:
                    players.append(Player(way, environment))
                for number in range((rounds if group is one else max(1, rounds // 2)) + 1):
                    for player in players:  # The first round warms up.
                        player.play(steps, keep=number > 0)
                rows += [{"way": each.way, "client": each.client, "rounds": each.rounds} for each in players]
            finally:
                for player in players:
                    player.close()
    return {"machine": machine, "steps": steps, "rows": rows}


def table(report: dict[str, Any]) -> str:
    """Medians, with the least and most of the rounds."""
    lines = ["| way | steps a second | in times python-sc2 | PySC2 | CPU a step, µs: Python | bridge | game |"]
    lines.append("| --- " * 7 + "|")
    found = {row["way"]: row["rounds"] for row in report["rows"]}
    for way, rounds in found.items():
        rates = [each["per_second"] for each in rounds]
        cells = [f"{statistics.median(rates):,.0f} ({min(rates):,.0f}–{max(rates):,.0f})"]
        for peer in PEERS:
            times = [rate / other["per_second"] for rate, other in zip(rates, found.get(peer, []))]
            cells.append(f"{statistics.median(times):.2f}" if times and way in ONE else "")
        cells += [
            f"{statistics.median(each['cpu_us'][kind] for each in rounds):,.0f}"
            for kind in ("python", "bridge", "game")
        ]
        lines.append(f"| {way} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(rounds: Optional[int], steps: Optional[int], file: Optional[str], one: bool) -> None:
    """Measures, prints, and keeps the raw results where a file is named."""
    report = measure(rounds or 10, steps or 110, many=not one)
    print(table(report))
    if file:
        pathlib.Path(file).write_text(json.dumps(report, indent=1) + "\n")
