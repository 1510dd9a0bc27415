#!/usr/bin/env python3
"""Measures the tables of docs/measurements/README.md with the benchmarks, and writes them. Takes 20 minutes; wants an idle machine.

    tools/measure.py                    measures everything
    tools/measure.py --only broker      measures one part: transports, matches, broker, environments, acting, native,
                                        recordings or fights
    tools/measure.py --rounds N         with another number of rounds
    tools/measure.py --quick            tries all parts with tiny numbers in two minutes, prints the tables, and writes no file
    tools/measure.py --render           only writes the tables again, from the raw files

It measures the committed sources: it refuses changed files and programs of other sources. Raw files are in docs/measurements/raw. If
a program is missing, its part is not measured, and keeps the raw file of the earlier measurement, which names its own commit.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any, Optional

import measured_tables
from measured_tables import RAW, ROOT

BENCH = ROOT / "bridge-csharp/bench/Sc2Bridge.Bench/bin/Release/net10.0/sc2bridge-bench.dll"
NATIVE = ROOT / ".setup/native/sc2bridge"
PYTHON = ROOT / ".setup/newest/bin/python"
SOURCES = ("bridge-csharp/src", "proto", "scenarios")
ACTING = ("shm+columns", "proto+columns", "shm", "proto", "grpc")

Rows = list[dict[str, Any]]


class NotMeasured(Exception):
    """A program is missing. The message names it, and how to get it."""


class Bench:
    """Runs the benchmarks, and reads their results."""

    def __init__(self, rounds: Optional[int], quick: bool, folder: pathlib.Path) -> None:
        self.quick, self._rounds, self._folder = quick, rounds, folder
        self.commands: list[str] = []
        """The commands of the current part, without their temporary files."""

    def rounds(self, usual: int) -> str:
        return str(self._rounds or (1 if self.quick else usual))

    def run(self, program: list[str], shown: str, *words: str, **environment: str) -> Any:
        result = self._folder / "result.json"
        path = f"{ROOT / 'agent-python/src'}:{ROOT / 'bridge-csharp/bench/python'}"
        command = [*program, *words, "--json", str(result)]
        print(f"{shown} {shlex.join(words)}", flush=True)
        subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": path, **environment})
        self.commands.append(f"{shown} {shlex.join(words)}")
        return json.loads(result.read_text())

    def csharp(self, *words: str) -> Any:
        shown = "sc2bridge" if words[0] == "compare" else "bench"
        return self.run(["dotnet", str(BENCH)], shown, *words)


def transports(bench: Bench) -> Rows:
    seconds = "0.3" if bench.quick else "3.5"
    words = ["compare", "--contents", "--rounds", bench.rounds(3), "--seconds", seconds]
    report = bench.run(["dotnet", str(BENCH)], "sc2bridge", *words, "--python", relative(PYTHON))
    rows: dict[str, dict[str, Any]] = {}
    for run in report["runs"]:
        if problem := run.get("problem"):
            print(f"a round is missing: {run['measurement']}: {problem}", file=sys.stderr)
            continue  # If no round has a result, the command has failed.
        _, mode, compression, content, rate, subscribers, *_ = run["measurement"].split("/")
        row = {"mode": mode, "content": content, "compression": compression, "rate": float(rate)}
        row |= {"subscribers": int(subscribers[1:]), "agent": run["agent"], "rounds": []}
        figures = {f"parsed_{key}_us": run["parsed"][key] for key in ("p50", "p99")}
        figures |= {key: run[key] for key in ("megabytes_per_second", "sender_cpu", "agent_cpu")}
        rows.setdefault(run["measurement"], row)["rounds"].append(figures)
    return list(rows.values())


def matches(bench: Bench) -> Rows:
    seconds = "1" if bench.quick else "6"
    words = ["fan-out", "--grpc", "0", "--web", "1", "--rounds", bench.rounds(3), "--seconds", seconds]
    phases = [phase for phase in bench.csharp(*words)["phases"] if phase["subscribers"]]
    keys = ("p50_us", "p99_us")
    return [
        {
            "rounds": [
                {"bridge_cpu": each["bridge_cpu"], **{key: each["subscribers"][key] for key in keys}} for each in phases
            ]
        }
    ]


def broker(bench: Bench) -> Rows:
    sys.path.insert(0, str(ROOT / "agent-python/tests"))
    from rabbitmq import SERVER, RabbitNode

    if not SERVER.exists():
        raise NotMeasured("RabbitMQ is not installed: apt-get install rabbitmq-server")
    count, seconds = ("2", "1") if bench.quick else ("20", "5")
    words = ["broker", "--recording", "recordings/sample.mcap", "--rounds", "1", "--seconds", seconds]
    words += ["--matches", count, "1", "--readers", count]  # The phase that warms up the code is the large one.
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    for _ in range(int(bench.rounds(3))):
        with tempfile.TemporaryDirectory(prefix="sc2bridge-measure-") as folder:
            node = RabbitNode(pathlib.Path(folder))
            try:
                report = bench.csharp(*words, "--url", node.url, "--pid", str(node.pid))
            finally:
                node.close()
        if report["failed"]:
            raise RuntimeError(report["failed"][0])
        for phase in report["phases"]:
            matches, readers = phase.pop("matches"), phase.pop("readers")
            row = {"matches": matches, "readers": readers, "rounds": []}
            rows.setdefault((matches, readers), row)["rounds"].append(phase)
    bench.commands = [f"bench {shlex.join(words)}"]
    return list(rows.values())


def environments(bench: Bench) -> Rows:
    if not NATIVE.exists():
        raise NotMeasured("the native program is missing: tools/set-up --part native (needs gcc)")
    require("gymnasium")
    words = ["-m", "sc2bridge_bench", "environments", "--one", "--rounds", bench.rounds(10)]
    words += ["--steps", "20" if bench.quick else "110"]
    report = bench.run([str(PYTHON)], "python", *words, SC2BRIDGE_EXECUTABLE=str(NATIVE))
    for row in report["rows"]:
        row["rounds"] = [
            {"per_second": each["per_second"], **{f"{kind}_cpu_us": cpu for kind, cpu in each["cpu_us"].items()}}
            for each in row["rounds"]
        ]
    return list(report["rows"])


def acting(bench: Bench) -> Rows:
    require("sc2")
    words = ["acting", "--rounds", bench.rounds(15), "--steps", "20" if bench.quick else "100"]
    report = bench.csharp(*words, "--python", relative(PYTHON), "--ways", *ACTING)
    rows = []
    for row in report["rows"]:
        # Without a bridge, the process of the benchmark only waits.
        bridged = {} if "no bridge" in row["name"] else {"bridge_cpu_us": "bridge_cpu_us"}
        keys = {"per_second": "per_second", "agent_cpu_us": "python_cpu_us", **bridged}
        rounds = [{new: each[old] for old, new in keys.items()} for each in row["rounds"]]
        rows.append({"way": row["name"], "client": row["client"], "rounds": rounds})
    return rows


def native(bench: Bench) -> Rows:
    words = ["-m", "sc2bridge_bench", "native", "--rounds", bench.rounds(10), "--seconds", "1" if bench.quick else "3"]
    return list(run_with_library(bench, words)["rows"])


def recordings(bench: Bench) -> Rows:
    with tempfile.TemporaryDirectory(prefix="sc2bridge-measure-") as folder:
        steps = "500" if bench.quick else "17300"
        match = [
            "match",
            "--game",
            "simulated",
            "--no-agents",
            "--steps",
            steps,
            "--rate",
            "max",
            "--seed",
            "3",
            "--out",
            folder,
        ]
        match += ["--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--codec-log", "off"]
        subprocess.run([str(NATIVE), *match], check=True, stdout=subprocess.DEVNULL)
        words = ["-m", "sc2bridge_bench", "recordings", folder, "--units", "1024", "--rounds", bench.rounds(10)]
        report = run_with_library(bench, [*words, "--seconds", "1" if bench.quick else "3"])
    bench.commands = [f"sc2bridge {shlex.join(match)}; {bench.commands[0]}".replace(folder, "FOLDER")]
    return [
        {"what": f"processors: {row['processors']}", "way": row["reader"], "rounds": row["rounds"]}
        for row in report["rows"]
    ]


def fights(bench: Bench) -> Rows:
    words = ["-m", "sc2bridge_bench", "fights", "--games", "3" if bench.quick else "240", "--rounds", bench.rounds(10)]
    report = run_with_library(bench, words)
    rows: Rows = [
        {"what": "fights", "way": way, "rounds": [{"per_second": each["fights"] / each["seconds"]} for each in rounds]}
        for way, rounds in report["rounds"].items()
    ]
    return [*rows, {"what": "winners", "way": "simulate", "winners": report["winners"], "rounds": []}]


PARTS: dict[str, Callable[[Bench], Rows]] = {
    each.__name__: each for each in (transports, matches, broker, environments, acting, native, recordings, fights)
}


def run_with_library(bench: Bench, words: list[str]) -> Any:
    if not NATIVE.exists() or not (ROOT / ".setup/library/stamp").exists():
        raise NotMeasured("native code is missing: tools/set-up --part native library (needs gcc)")
    require("gymnasium")
    return bench.run([str(PYTHON)], "python", *words, SC2BRIDGE_EXECUTABLE=str(NATIVE))


def relative(path: pathlib.Path) -> str:
    return str(path.relative_to(ROOT))


def output(*words: str) -> str:
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def require(module: str) -> None:
    found = subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False)
    if found.returncode != 0:
        raise NotMeasured(
            f"{relative(PYTHON)} has no module {module}: tools/set-up --test installs it, if it is available"
        )


def processor() -> str:
    """The processor's name. Virtual machines hide some names, so the model's number is added."""
    info = dict(
        line.partition("\t")[::2] for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    )
    facts = {key.strip(): value.strip(": \t") for key, value in info.items()}
    name = facts.get("model name", platform.machine())
    return f"{name} (family {facts['cpu family']}, model {facts['model']})" if "cpu family" in facts else name


def machine() -> dict[str, Any]:
    runtimes = [line.split()[1] for line in output("dotnet", "--list-runtimes").splitlines() if "AspNetCore" in line]
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "kernel": platform.release(),
        "dotnet": runtimes[-1],
        "python": output(str(PYTHON), "-c", "import platform; print(platform.python_version())"),
    }


def check_commit() -> str:
    """The current commit. Ends the command if files have changed, or if a program was built from other sources."""
    commit = output("git", "rev-parse", "HEAD")
    changed = output("git", "status", "--porcelain", "--", ".", ":!docs", ":!README.md")
    if changed:
        sys.exit(f"tools/measure.py: commit these changes first:\n{changed}")
    build = "dotnet build bridge-csharp/sc2bridge.slnx -c Release"
    programs = [(BENCH, ["dotnet", str(BENCH)], [*SOURCES, "bridge-csharp/bench/Sc2Bridge.Bench"], build)]
    if NATIVE.exists():
        programs.append((NATIVE, [str(NATIVE)], [*SOURCES], "tools/set-up --part native"))
    for path, program, sources, remedy in programs:
        built = re.search(r"\+([0-9a-f]{40})$", output(*program, "--version")) if path.exists() else None
        if (
            not built
            or subprocess.run(["git", "diff", "--quiet", built[1], commit, "--", *sources], cwd=ROOT).returncode
        ):
            sys.exit(f"tools/measure.py: {relative(path)} was not built from commit {commit}: {remedy}")
    return commit


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the tables of docs/measurements/README.md.")
    parser.add_argument("--only", action="append", choices=PARTS, help="measure this part; once for each")
    parser.add_argument("--rounds", type=int, help="rounds of each part")
    parser.add_argument("--quick", action="store_true", help="tiny numbers; prints the tables, and writes no file")
    parser.add_argument("--render", action="store_true", help="only write the tables, from the raw files")
    given = parser.parse_args()
    if given.render:
        measured_tables.write()
        return 0
    commit = output("git", "rev-parse", "HEAD") if given.quick else check_commit()
    raws: dict[str, measured_tables.Raw] = dict.fromkeys(PARTS) if given.quick else measured_tables.read(RAW)
    failed = []
    with tempfile.TemporaryDirectory(prefix="sc2bridge-measure-") as folder:
        for part in given.only or PARTS:
            bench = Bench(given.rounds, given.quick, pathlib.Path(folder))
            load = os.getloadavg()[0]
            try:
                rows = PARTS[part](bench)
            except NotMeasured as problem:
                print(f"{part}: not measured, {problem}", file=sys.stderr)
                continue
            except (RuntimeError, subprocess.CalledProcessError) as problem:
                print(f"{part}: failed, {problem}", file=sys.stderr)
                failed.append(part)
                continue
            raws[part] = {
                "commit": commit,
                "date": datetime.date.today().isoformat(),
                "machine": machine(),
                "load_at_start": load,
                "load_at_end": os.getloadavg()[0],
                "command": "; ".join(bench.commands),
                "rows": rows,
            }
            if not given.quick:
                RAW.mkdir(parents=True, exist_ok=True)
                (RAW / f"{part}.json").write_text(json.dumps(raws[part], indent=1) + "\n")
    if given.quick:
        print(measured_tables.render(measured_tables.PAGE.read_text(), raws))
        print(*measured_tables.headlines(raws), sep="\n")
    else:
        measured_tables.write()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
