"""The steps of tools/test: the parts of the set-up, the checks, and the suites of tests, with their needs and times."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "TestResults"
SET_UP = ROOT / ".setup"
DEBIAN, NEWEST = (SET_UP / name / "bin/python" for name in ("debian", "newest"))
TIERS = ("quick", "usual", "all")
TOTAL_SLOTS = 5
"""The slots of all steps that run at the same time. Many steps wait for timers and processes, so two cores can run more than
two steps."""
EXCLUDED = {"quick": ("long", "slow"), "usual": ("long",), "all": ()}  # The marks of the tests that a tier leaves out.


@dataclass
class Run:
    """One call of tools/test: its tier, and the failed and the skipped steps."""

    tier: str
    began: float = field(default_factory=time.monotonic)
    failed: dict[str, str] = field(default_factory=dict)
    """The reason of each step that failed."""
    left_out: dict[str, str] = field(default_factory=dict)
    """The reason of each step that cannot run here."""

    def is_missing(self, need: str) -> bool:
        return (SET_UP / "missing" / need).exists()

    def debian_or_newest(self) -> str:
        """The Python with Debian's packages. If it is missing, the Python with the newest packages."""
        return str(NEWEST if self.is_missing("debian") else DEBIAN)


Command = Callable[[Run, list[str]], list[str]]


@dataclass
class Step:
    """A part of the set-up, a check, or a suite of tests."""

    name: str
    command: Command
    """Called when the step starts. The list has the test methods to run. If it is empty, all run."""
    seconds: int
    """The usual time on two cores, while other steps run. The longest chain of steps starts first."""
    after: tuple[str, ...] = ()
    kind: str = "set-up"
    """The group that a user can name: format, csharp, python, js."""
    tier: str = "quick"
    needs: tuple[str, ...] = ()
    """If .setup/missing has a file with one of these names, the step is skipped."""
    folder: str = "."
    results: str = ""
    """The result file that the step must write."""
    slots: int = 1
    """How many of TOTAL_SLOTS the step uses."""


def command_of(*words: str) -> Command:
    return lambda run, only: list(words)


def with_python(*words: str) -> Command:
    return lambda run, only: [run.debian_or_newest(), *words]


def xunit_command(project: pathlib.Path, length: str = "") -> Command:
    """A suite of xUnit.net. Leaves out tests by their traits: long tests, and tests that need a missing thing.

    length: with "long", only the long tests run, one at a time, because they measure times and memory, or have many
    processes. With "short", they are left out in each tier.
    """

    def command(run: Run, only: list[str]) -> list[str]:
        name = project.stem + (".long" if length == "long" else "")
        tier = "usual" if length == "short" and run.tier == "all" else run.tier
        left_out = [f"Suite={mark.capitalize()}" for mark in EXCLUDED[tier]]
        left_out += [f"Needs={path.name}" for path in sorted((SET_UP / "missing").iterdir())]
        words = [word for trait in left_out for word in ("-trait-", trait)]
        words += [word for method in only for word in ("-method", method)]
        if os.environ.get("SC2BRIDGE_CONFORMANCE"):
            words += ["-explicit", "on"]
        if length == "long":
            words += ["-trait", "Suite=Long", "-maxThreads", "1"]
        elif length == "short":
            # Most of these tests wait for processes.
            words += ["-trait", "Suite=Quick"] if run.tier == "quick" else ["-maxThreads", "4"]
        program = project.parent / f"bin/Release/net10.0/{project.stem}.dll"
        results = RESULTS / ("again" if only else "") / f"{name}.xml"
        return ["dotnet", str(program), "-noLogo", "-noColor", "-preEnumerateTheories", "-xml", str(results), *words]

    return command


def pytest_command(name: str, python: pathlib.Path | None, *words: str) -> Command:
    """A suite of pytest. Leaves out tests by their markers: long tests, and tests that this machine cannot run."""

    def command(run: Run, only: list[str]) -> list[str]:
        results = RESULTS / ("again" if only else "") / f"{name}.junit.xml"
        left_out = [*EXCLUDED[run.tier], *(["real"] if run.is_missing("real") else [])]
        left_out += ["newest"] if python == DEBIAN else []
        again = "--last-failed --last-failed-no-failures=none".split() if only else []
        options = "-q --timeout=300 --durations=15 -o junit_family=xunit1".split()
        files = ["-o", f"cache_dir={RESULTS / name}.cache", f"--junitxml={results}"]
        markers = " and ".join(f"not {marker}" for marker in left_out)
        return [str(python or run.debian_or_newest()), "-m", "pytest", *options, *files, *again, "-m", markers, *words]

    return command


def node_test_command(name: str, folder: str, files: str) -> Command:
    """A suite of node:test. --quick runs the files client, garbage, size and units."""

    def command(run: Run, only: list[str]) -> list[str]:
        tests = sorted((ROOT / folder).glob(files))
        if run.tier == "quick":
            tests = [path for path in tests if path.name.split(".")[0] in ("client", "garbage", "size", "units")]
        reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout", "--test-reporter=junit"]
        one = ["--test-concurrency=1"] if folder == "agent-js/page" else []
        results = f"--test-reporter-destination={RESULTS / name}.junit.xml"
        limit = f"--test-timeout={1_500_000 if run.tier == 'all' else 300_000}"  # Up to Node 22, this limit is for each file.
        return ["node", "--test", limit, *one, *reporters, results, *map(str, tests)]

    return command


def shell_scripts() -> list[str]:
    """The tracked files that a shell runs, which their first line names."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    names = [name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]
    heads = {name: (ROOT / name).read_bytes()[:40].partition(b"\n")[0] for name in names}
    return [name for name, head in heads.items() if head.startswith(b"#!") and head.endswith(b"sh")]


def images_command(run: Run, only: list[str]) -> list[str]:
    wheels = pathlib.Path(os.environ["SC2BRIDGE_SHARED"]) / "wheels"
    return ["tools/test-image", *(["--find-links", str(wheels)] if wheels.is_dir() else [])]


def set_up_step(name: str, seconds: int, *after: str, tier: str = "quick") -> Step:
    """A part of the set-up. Only --all installs torch, ffmpeg and all extras of .venv."""

    def command(run: Run, only: list[str]) -> list[str]:
        more = ["all"] if run.tier == "all" and name == "debian-packages" else []
        extras = ["--extras", ",".join(EXTRAS)] if name == "extras" else []
        return ["tools/set-up", *extras, "--part", *more, name]

    # Many steps wait for native code. Its compiler uses all processors for half of the time, so it gets two slots. The
    # library is built after the program, because both write to the folders of the projects that they share.
    return Step(name, command, seconds, after, tier=tier, slots=2 if name in ("native", "library") else 1)


def check_step(name: str, seconds: int, after: str, command: Command, folder: str = ".", kind: str = "format") -> Step:
    needs = ("js",) if kind == "js" else ()
    return Step(name, command, seconds, tuple(after.split()), kind, folder=folder, needs=needs)


NEEDS_OF_CSHARP = ("solution", "debian", "newest", "peers")
CSHARP_ONLY = ("Admission", "Architecture", "Encodings", "GameApi", "Games", "Protocol", "Streaming")
"""C# suites that do not start programs in Python or JavaScript."""
BRIDGE_PARTS = ("native", "venv", "cli")
FIRST_NOTEBOOK = "ten-minutes"
"""This notebook needs only small packages, so it runs without --all, but not with --quick."""
EXTRAS = ("gym", "data", "notebook")
"""The extras of agent-python/pyproject.toml that the other notebooks need."""


def csharp_suites() -> list[Step]:
    """A step for each test project in C#."""
    long = dict(Functional=250, Simulator=80, Recordings=80, Server=70, Broker=70, Encodings=50, Games=40)
    after = dict.fromkeys(CSHARP_ONLY, ("solution", "first-packages"))
    after.update(dict.fromkeys(("Functional", "Bench", "Broker"), (*NEEDS_OF_CSHARP, *BRIDGE_PARTS)))
    made = []
    for project in sorted(ROOT.glob("bridge-csharp/*/*/*.Tests.csproj")):
        name = project.stem
        short = name.split(".")[1]
        needed = after.get(short, NEEDS_OF_CSHARP)
        command = xunit_command(project, "short" if short == "Functional" else "")
        made.append(Step(name, command, long.get(short, 15), needed, "csharp", results=f"{name}.xml"))
        if short == "Functional":
            name, command = f"{name}.long", xunit_command(project, "long")
            made.append(Step(name, command, 1800, needed, "csharp", "all", results=f"{name}.xml", slots=TOTAL_SLOTS))
    return made


def python_suite(
    name: str,
    seconds: int,
    python: pathlib.Path | None,
    *words: str,
    folder: str = "agent-python",
    tier: str = "quick",
    needs: tuple[str, ...] = (),
    after: tuple[str, ...] = BRIDGE_PARTS,
) -> Step:
    package = {DEBIAN: ("debian",), NEWEST: ("newest",)}.get(python, ("debian", "newest"))
    needs = (*(package if python else ()), *needs)
    command = pytest_command(name, python, *words)
    return Step(name, command, seconds, (*package, *after), "python", tier, needs, folder, f"{name}.junit.xml")


def bot_suite(name: str, seconds: int, *after: str, needs: tuple[str, ...] = ()) -> Step:
    """A suite in bridge-csharp/test that plays against bots and programs of other projects."""
    folder = f"bridge-csharp/test/{name}"
    return python_suite(name, seconds, NEWEST, folder=folder, tier="usual", needs=needs, after=(*BRIDGE_PARTS, *after))


def notebook_suite(name: str, seconds: int, tier: str, python: str, after: str, names: set[str], *needs: str) -> Step:
    """A step that runs notebooks of docs/notebooks."""
    command = command_of(python, "tools/run_notebooks.py", *sorted(names))
    return Step(name, command, seconds, (after, *BRIDGE_PARTS), "python", tier, needs)


def js_suite(name: str, seconds: int, folder: str, tier: str, *needs: str) -> Step:
    after, results = ("peers", *BRIDGE_PARTS), f"{name}.junit.xml"
    files, slots = ("test/long/*.test.js", TOTAL_SLOTS) if tier == "all" else ("test/*.test.js", 1)
    return Step(name, node_test_command(name, folder, files), seconds, after, "js", tier, needs, folder, results, slots)


# Tests that depend on the versions of packages (protobuf, grpcio, websockets, numpy, zstandard, pandas), or need mypy, setuptools
# or pika.
BY_VERSION = [
    *("tests/protocol", "tests/transports", "tests/units", "tests/data", "tests/recording/test_recording.py"),
    *("tests/test_descriptors.py", "tests/test_documents.py", "tests/test_package.py", "tests/test_wheels.py"),
]
PLAYING = ["tests/client", "tests/agents", "tests/bot"]
BLACK = (
    r"--line-length 120 --extend-exclude _pb2\.pyi|/bin/|/obj/ agent-python docs tools tools/test bridge-csharp".split()
)
PACKAGE = "tools/package --sysroot .setup/debian-11".split()
WHITESPACE = "--folder bridge-csharp --verify-no-changes --verbosity quiet".split()


def steps() -> list[Step]:
    """All steps that tools/test can run."""
    others = {path.stem for path in (ROOT / "docs/notebooks").glob("*.ipynb")} - {FIRST_NOTEBOOK}
    return [
        set_up_step("first-packages", 10),
        set_up_step("node", 10, "first-packages"),
        set_up_step("debian-packages", 60, "node"),
        set_up_step("core", 40),
        set_up_step("page", 25, "node"),
        set_up_step("solution", 100, "core", "page"),
        set_up_step("cli", 1, "solution"),
        set_up_step("native", 90, "first-packages", "solution", tier="usual"),
        set_up_step("library", 80, "native", tier="usual"),
        set_up_step("venv", 5, "debian-packages", "core"),
        set_up_step("extras", 10, "venv", tier="all"),
        set_up_step("debian", 5, "debian-packages"),
        set_up_step("docs", 15, "debian", tier="usual"),
        set_up_step("newest", 30, "debian-packages"),
        set_up_step("windows", 60, "debian-packages", "solution", tier="all"),
        set_up_step("learners", 1, "debian", "newest", tier="all"),
        set_up_step("python-sc2", 5, "debian-packages"),
        set_up_step("peers", 10, "page"),
        set_up_step("released", 20, "solution"),
        set_up_step("released-bridge", 200, "released", tier="all"),
        check_step("C# formatting", 10, "solution", command_of("dotnet", "format", "whitespace", *WHITESPACE)),
        check_step("Python formatting", 15, "debian newest", with_python("-m", "black", "--check", *BLACK)),
        check_step(
            "Python types", 30, "debian newest solution", with_python("-m", "mypy", "--strict", "src"), "agent-python"
        ),
        Step(
            "shell scripts",
            lambda run, only: ["shellcheck", *shell_scripts()],
            5,
            ("debian-packages",),
            "format",
            needs=("shellcheck",),
        ),
        check_step("links", 2, "first-packages", command_of(sys.executable, "tools/check_links.py")),
        Step(
            "commands",
            command_of(sys.executable, "tools/check_commands.py"),
            10,
            ("venv", "solution", "native"),
            "format",
            "usual",
        ),
        Step(
            "documentation site",
            command_of(str(DEBIAN), "tools/build_docs.py"),
            60,
            ("docs", "peers", "core"),
            "format",
            "usual",
            ("debian", "docs", "page"),
            slots=2,
        ),
        check_step("budgets", 3, "first-packages", command_of(sys.executable, "tools/check_budgets.py")),
        check_step("live path", 1, "first-packages", command_of(sys.executable, "tools/live_path.py")),
        Step("buf", command_of("npm", "run", "buf"), 2, ("peers",), "format", needs=("node",), folder="tools/peers"),
        check_step("JavaScript types", 10, "peers", command_of("npm", "run", "--silent", "check"), "agent-js", "js"),
        *csharp_suites(),
        python_suite("agent-python-gym", 60, NEWEST, "tests/gym", after=(*BRIDGE_PARTS, "library")),
        python_suite("agent-python-playing", 130, NEWEST, *PLAYING),
        python_suite(
            "agent-python",
            235,
            NEWEST,
            "tests",
            *(f"--ignore={path}" for path in ("tests/gym", *PLAYING)),
            after=(*BRIDGE_PARTS, "library"),
        ),
        python_suite("agent-python-debian", 235, DEBIAN, *BY_VERSION, tier="usual"),
        python_suite(
            "agent-python-learners",
            300,
            DEBIAN,
            *("tests/gym/test_smac_play.py", "tests/gym/test_examples.py", "-k", "pymarl2 or torch"),
            tier="all",
            needs=("newest",),
            after=(*BRIDGE_PARTS, "library", "learners"),
        ),
        python_suite("bench-python", 20, None, "tests", folder="bridge-csharp/bench/python"),
        python_suite("tools", 10, None, "tests", folder="tools", after=("peers",)),
        python_suite(
            "windows-launcher", 90, None, "windows", folder="tools", tier="all", needs=("windows",), after=("windows",)
        ),
        bot_suite("PythonSc2", 180, "python-sc2"),
        bot_suite("PySc2", 70, needs=("pysc2",)),
        bot_suite("OtherMachines", 50, "peers"),
        bot_suite("Field", 30),
        bot_suite("Released", 20, "peers", "released", "released-bridge", needs=("released",)),
        notebook_suite("notebook", 15, "usual", str(DEBIAN), "debian", {FIRST_NOTEBOOK}, "debian", "kernel"),
        notebook_suite(
            "notebooks", 500, "all", ".venv/bin/python", "extras", others, *(f"extra-{extra}" for extra in EXTRAS)
        ),
        js_suite("agent-js", 40, "agent-js", "quick", "js"),
        js_suite("agent-js-page", 100, "agent-js/page", "usual", "js", "page", "browser"),
        js_suite("agent-js-page-long", 900, "agent-js/page", "all", "js", "page", "browser"),
        Step("packages", command_of(*PACKAGE), 600, ("native",), "python", "all", ("images",)),
        Step("images", images_command, 300, ("packages",), "python", "all", ("images",)),
    ]
