"""The steps of tools/test: the parts of the set-up, the checks, and the suites of tests, each with its needs and its time."""

from __future__ import annotations

import os
import pathlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "TestResults"
SET_UP = ROOT / ".setup"
DEBIAN, NEWEST = (SET_UP / name / "bin/python" for name in ("debian", "newest"))
TIERS = ("quick", "usual", "all")
AT_ONCE = 5
"""Steps that run at the same time. Many of them wait for timers and processes, so two cores can run more than two."""
EXCLUDED = {"quick": ("long", "slow"), "usual": ("long",), "all": ()}  # Marks of tests, by tier.


@dataclass
class Run:
    """One call of tools/test: its tier, and how each step ended."""

    tier: str
    began: float = field(default_factory=time.monotonic)
    failed: dict[str, str] = field(default_factory=dict)
    """The reason of each step that failed."""
    left_out: dict[str, str] = field(default_factory=dict)

    def is_missing(self, need: str) -> bool:
        return (SET_UP / "missing" / need).exists()

    def either(self) -> str:
        """The Python of Debian's packages, or of the newest if Debian's are missing."""
        return str(NEWEST if self.is_missing("debian") else DEBIAN)


Command = Callable[[Run, list[str]], list[str]]


@dataclass
class Step:
    """A part of the set-up, a check, or a suite of tests."""

    name: str
    command: Command
    """Called when the step starts. The list has the test methods to run; empty means all."""
    seconds: int
    """Its usual time on two cores, next to other steps. The longest chain of steps starts first."""
    after: tuple[str, ...] = ()
    kind: str = "set-up"
    """The group that a user can name: format, csharp, python, js."""
    tier: str = "quick"
    needs: tuple[str, ...] = ()
    """If .setup/missing has a file of one of these names, the suite is skipped."""
    folder: str = "."
    results: str = ""
    """The result file that it must write."""
    slots: int = 1
    """How many of the AT_ONCE places it uses."""


def fixed(*words: str) -> Command:
    return lambda run, only: list(words)


def with_python(*words: str) -> Command:
    return lambda run, only: [run.either(), *words]


def csharp(project: pathlib.Path, kept: str = "") -> Command:
    """A suite of xUnit.net. Traits of tests, and of rows of theories, leave out what is long or needs what is missing.

    If `kept` is "long", only the long tests run, one at a time: they measure times and memory, or have many processes.
    If it is "short", they are left out in each tier.
    """

    def command(run: Run, only: list[str]) -> list[str]:
        name = project.stem + (".long" if kept == "long" else "")
        tier = "usual" if kept == "short" and run.tier == "all" else run.tier
        left_out = [f"Suite={mark.capitalize()}" for mark in EXCLUDED[tier]]
        left_out += [f"Needs={path.name}" for path in sorted((SET_UP / "missing").iterdir())]
        words = [word for trait in left_out for word in ("-trait-", trait)]
        words += [word for method in only for word in ("-method", method)]
        if os.environ.get("SC2BRIDGE_CONFORMANCE"):
            words += ["-explicit", "on"]
        if kept == "long":
            words += ["-trait", "Suite=Long", "-maxThreads", "1"]
        elif kept == "short":
            # Most of these tests wait for processes.
            words += ["-trait", "Suite=Quick"] if run.tier == "quick" else ["-maxThreads", "4"]
        program = project.parent / f"bin/Release/net10.0/{project.stem}.dll"
        results = RESULTS / ("again" if only else "") / f"{name}.xml"
        return ["dotnet", str(program), "-noLogo", "-noColor", "-preEnumerateTheories", "-xml", str(results), *words]

    return command


def pytest(name: str, python: pathlib.Path | None, *words: str) -> Command:
    """A suite of pytest. Markers leave out tests by their length, and by what this machine lacks."""

    def command(run: Run, only: list[str]) -> list[str]:
        results = RESULTS / ("again" if only else "") / f"{name}.junit.xml"
        left_out = [*EXCLUDED[run.tier], *(["real"] if run.is_missing("real") else [])]
        left_out += ["newest"] if python == DEBIAN else []
        again = "--last-failed --last-failed-no-failures=none".split() if only else []
        options = "-q --timeout=300 --durations=15 -o junit_family=xunit1".split()
        files = ["-o", f"cache_dir={RESULTS / name}.cache", f"--junitxml={results}"]
        markers = " and ".join(f"not {marker}" for marker in left_out)
        return [str(python or run.either()), "-m", "pytest", *options, *files, *again, "-m", markers, *words]

    return command


def node(name: str, folder: str, files: str) -> Command:
    """A suite of node:test. --quick runs the files client, garbage, size and units."""

    def command(run: Run, only: list[str]) -> list[str]:
        tests = sorted((ROOT / folder).glob(files))
        if run.tier == "quick":
            tests = [path for path in tests if path.name.split(".")[0] in ("client", "garbage", "size", "units")]
        reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout", "--test-reporter=junit"]
        one = ["--test-concurrency=1"] if folder == "agent-js/page" else []
        results = f"--test-reporter-destination={RESULTS / name}.junit.xml"
        limit = f"--test-timeout={1_500_000 if run.tier == 'all' else 300_000}"  # Of a file, up to Node 22.
        return ["node", "--test", limit, *one, *reporters, results, *map(str, tests)]

    return command


def images(run: Run, only: list[str]) -> list[str]:
    wheels = pathlib.Path(os.environ["SC2BRIDGE_SHARED"]) / "wheels"
    return ["tools/test-image", *(["--find-links", str(wheels)] if wheels.is_dir() else [])]


def part(name: str, seconds: int, *after: str, tier: str = "quick") -> Step:
    """A part of the set-up. Only --all installs torch, ffmpeg and all extras of .venv."""

    def command(run: Run, only: list[str]) -> list[str]:
        more = ["all"] if run.tier == "all" and name == "debian-packages" else []
        extras = ["--extras", ",".join(EXTRAS)] if name == "extras" else []
        return ["tools/set-up", *extras, "--part", *more, name]

    # Many steps wait for native code, and its compiler uses all processors for half of its time.
    return Step(name, command, seconds, after, tier=tier, slots=2 if name == "native" else 1)


def check(name: str, seconds: int, after: str, command: Command, folder: str = ".", kind: str = "format") -> Step:
    needs = ("js",) if kind == "js" else ()
    return Step(name, command, seconds, tuple(after.split()), kind, folder=folder, needs=needs)


BUILT = ("solution", "debian", "newest", "peers")
ALONE = ("Admission", "Architecture", "Encodings", "GameApi", "Games", "Protocol", "Streaming")
"""C# suites that start no program in Python or JavaScript."""
PLAYABLE = ("native", "venv", "cli")
FIRST_NOTEBOOK = "ten-minutes"
"""It needs only what is small, so that it runs in each tools/test but the quick one."""
EXTRAS = ("gym", "data", "notebook")
"""Extras of agent-python/pyproject.toml that the other notebooks need."""


def csharp_suites() -> list[Step]:
    """Every test project, with its seconds if it takes long."""
    long = dict(Functional=250, Simulator=80, Recordings=80, Server=70, Broker=70, Encodings=50, Games=40)
    after = dict.fromkeys(ALONE, ("solution", "first-packages"))
    after.update(dict.fromkeys(("Functional", "Bench", "Broker"), (*BUILT, *PLAYABLE)))
    made = []
    for project in sorted(ROOT.glob("bridge-csharp/*/*/*.Tests.csproj")):
        name = project.stem
        short = name.split(".")[1]
        needed = after.get(short, BUILT)
        command = csharp(project, "short" if short == "Functional" else "")
        made.append(Step(name, command, long.get(short, 15), needed, "csharp", results=f"{name}.xml"))
        if short == "Functional":
            name, command = f"{name}.long", csharp(project, "long")
            made.append(Step(name, command, 1800, needed, "csharp", "all", results=f"{name}.xml", slots=AT_ONCE))
    return made


def python_suite(
    name: str,
    seconds: int,
    python: pathlib.Path | None,
    *words: str,
    folder: str = "agent-python",
    tier: str = "quick",
    needs: tuple[str, ...] = (),
    after: tuple[str, ...] = PLAYABLE,
) -> Step:
    package = {DEBIAN: ("debian",), NEWEST: ("newest",)}.get(python, ("debian", "newest"))
    needs = (*(package if python else ()), *needs)
    command = pytest(name, python, *words)
    return Step(name, command, seconds, (*package, *after), "python", tier, needs, folder, f"{name}.junit.xml")


def bots(name: str, seconds: int, *after: str, needs: tuple[str, ...] = ()) -> Step:
    """A suite in bridge-csharp/test that plays with programs of others."""
    folder = f"bridge-csharp/test/{name}"
    return python_suite(name, seconds, NEWEST, folder=folder, tier="usual", needs=needs, after=(*PLAYABLE, *after))


def notebooks(name: str, seconds: int, tier: str, python: str, after: str, names: set[str], *needs: str) -> Step:
    """Notebooks of docs/notebooks."""
    command = fixed(python, "tools/run_notebooks.py", *sorted(names))
    return Step(name, command, seconds, (after, *PLAYABLE), "python", tier, needs)


def js_suite(name: str, seconds: int, folder: str, tier: str, *needs: str) -> Step:
    after, results = ("peers", *PLAYABLE), f"{name}.junit.xml"
    files, slots = ("test/long/*.test.js", AT_ONCE) if tier == "all" else ("test/*.test.js", 1)
    return Step(name, node(name, folder, files), seconds, after, "js", tier, needs, folder, results, slots)


# Tests that depend on the versions of protobuf, grpcio, websockets, numpy, zstandard or pandas, or that need mypy, setuptools or pika.
BY_VERSION = [
    *("tests/protocol", "tests/transports", "tests/units", "tests/data", "tests/recording/test_recording.py"),
    *("tests/test_descriptors.py", "tests/test_documents.py", "tests/test_package.py", "tests/test_wheels.py"),
]
PLAYING = ["tests/client", "tests/agents", "tests/bot"]
BLACK = r"--line-length 120 --extend-exclude _pb2\.pyi|/bin/|/obj/ agent-python tools tools/test bridge-csharp".split()
PACKAGE = "tools/package --sysroot .setup/debian-11".split()
WHITESPACE = "--folder bridge-csharp --verify-no-changes --verbosity quiet".split()


def steps() -> list[Step]:
    """Everything that tools/test can run."""
    others = {path.stem for path in (ROOT / "docs/notebooks").glob("*.ipynb")} - {FIRST_NOTEBOOK}
    return [
        part("first-packages", 10),
        part("node", 10, "first-packages"),
        part("debian-packages", 60, "node"),
        part("core", 40),
        part("page", 25, "node"),
        part("solution", 100, "core", "page"),
        part("cli", 1, "solution"),
        part("native", 90, "first-packages", "solution", tier="usual"),
        part("venv", 5, "debian-packages", "core"),
        part("extras", 10, "venv", tier="all"),
        part("debian", 5, "debian-packages"),
        part("newest", 30, "debian-packages"),
        part("windows", 60, "debian-packages", "solution", tier="all"),
        part("learners", 1, "debian", "newest", tier="all"),
        part("python-sc2", 5, "debian-packages"),
        part("peers", 10, "page"),
        check("C# formatting", 10, "solution", fixed("dotnet", "format", "whitespace", *WHITESPACE)),
        check("Python formatting", 15, "debian newest", with_python("-m", "black", "--check", *BLACK)),
        check(
            "Python types", 30, "debian newest solution", with_python("-m", "mypy", "--strict", "src"), "agent-python"
        ),
        check("links", 2, "first-packages", fixed(sys.executable, "tools/check_links.py")),
        Step(
            "commands",
            fixed(sys.executable, "tools/check_commands.py"),
            10,
            ("venv", "solution", "native"),
            "format",
            "usual",
        ),
        check("budgets", 3, "first-packages", fixed(sys.executable, "tools/check_budgets.py")),
        check("live path", 1, "first-packages", fixed(sys.executable, "tools/live_path.py")),
        Step("buf", fixed("npm", "run", "buf"), 2, ("peers",), "format", needs=("node",), folder="tools/peers"),
        check("JavaScript types", 10, "peers", fixed("npm", "run", "--silent", "check"), "agent-js", "js"),
        *csharp_suites(),
        python_suite("agent-python-gym", 50, NEWEST, "tests/gym"),
        python_suite("agent-python-playing", 130, NEWEST, *PLAYING),
        python_suite("agent-python", 235, NEWEST, "tests", *(f"--ignore={path}" for path in ("tests/gym", *PLAYING))),
        python_suite("agent-python-debian", 235, DEBIAN, *BY_VERSION, tier="usual"),
        python_suite(
            "agent-python-learners",
            300,
            DEBIAN,
            *("tests/gym/test_smac_play.py", "tests/gym/test_examples.py", "-k", "pymarl2 or torch"),
            tier="all",
            needs=("newest",),
            after=(*PLAYABLE, "learners"),
        ),
        python_suite("bench-python", 20, None, "tests", folder="bridge-csharp/bench/python"),
        python_suite("tools", 10, None, "tests", folder="tools", after=("peers",)),
        python_suite(
            "windows-launcher", 90, None, "windows", folder="tools", tier="all", needs=("windows",), after=("windows",)
        ),
        bots("PythonSc2", 180, "python-sc2"),
        bots("PySc2", 70, needs=("pysc2",)),
        bots("OtherMachines", 50, "peers"),
        bots("Field", 30),
        notebooks("notebook", 15, "usual", str(DEBIAN), "debian", {FIRST_NOTEBOOK}, "debian", "kernel"),
        notebooks(
            "notebooks", 400, "all", ".venv/bin/python", "extras", others, *(f"extra-{extra}" for extra in EXTRAS)
        ),
        js_suite("agent-js", 40, "agent-js", "quick", "js"),
        js_suite("agent-js-page", 100, "agent-js/page", "usual", "js", "page", "browser"),
        js_suite("agent-js-page-long", 900, "agent-js/page", "all", "js", "page", "browser"),
        Step("packages", fixed(*PACKAGE), 600, ("native",), "python", "all", ("images",)),
        Step("images", images, 300, ("packages",), "python", "all", ("images",)),
    ]
