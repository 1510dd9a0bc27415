"""Tests of sc2bridge.cmd with stand-ins for the programs that it starts, on Windows or under Wine."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / ".setup/windows"
"""The programs that `tools/set-up --part windows` makes."""
ON_WINDOWS = os.name == "nt"
FOLDER = "Jürgen & Söhne (1) !x^" + (" 100% %x%" if ON_WINDOWS else "")
"""Without a % under Wine: its cmd reads a % in a path or an argument as the beginning of a variable's name."""
WORDS = ["a b", "ä & b", "x(1)", "!y!", "", "c ^ d", 'say "x y"', "e=f,g;h"] + ["50 %"] * ON_WINDOWS
DLL = "bridge-csharp/src/Sc2Bridge.Cli/bin/Release/net10.0/sc2bridge.dll"
BENCH = "bridge-csharp/bench/Sc2Bridge.Bench/bin/Release/net10.0/sc2bridge-bench.dll"
PORTS = ["--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0"]
FOLDERS = ("proto", "agent-js", "scenarios", "bridge-csharp")


def on_windows(path: pathlib.Path) -> str:
    return str(path) if ON_WINDOWS else "Z:" + str(path).replace("/", "\\")


@dataclass
class Clone:
    """A folder like a clone. It has the launcher, and empty files in place of the build's files."""

    folder: pathlib.Path
    environment: dict[str, str]
    codes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (*FOLDERS, "stand-ins"):
            (self.folder / name).mkdir(parents=True)
        for name in (DLL, BENCH, *(f"agent-python/src/sc2bridge/{name}" for name in ("_descriptors.binpb", "ids.py"))):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).touch()
        text = (ROOT / "sc2bridge.cmd").read_text()
        if not ON_WINDOWS:
            # Wine's cmd ignores the rest of such a line.
            assert text.count("(goto) 2>nul & ") == 1
            text = text.replace("(goto) 2>nul & ", "")
        (self.folder / "sc2bridge.cmd").write_bytes(text.replace("\n", "\r\n").encode("ascii"))
        self.add_stand_ins("dotnet", "py", "robocopy")

    def add_stand_ins(self, *names: str) -> None:
        for name in names:
            shutil.copy(PROGRAMS / "stand_in.exe", self.folder / f"stand-ins/{name}.exe")

    def remove_stand_in(self, name: str) -> None:
        (self.folder / f"stand-ins/{name}.exe").unlink()

    def run(
        self, *words: str, folder: pathlib.Path | None = None, **environment: str
    ) -> tuple[int, list[list[str]], str]:
        """Runs the launcher. Returns its exit code, the commands of all stand-ins (name, folder, words), and the printed text."""
        return self.start([str(self.folder / "sc2bridge.cmd"), *words], folder, **environment)

    def start(
        self, command: list[str], folder: pathlib.Path | None = None, **environment: str
    ) -> tuple[int, list[list[str]], str]:
        log = self.folder / "log"
        log.write_bytes(b"")
        path = on_windows(self.folder / "stand-ins")
        if ON_WINDOWS:
            environment["PATH"] = rf"{path};{os.environ['SystemRoot']}\System32"
        made = dict(self.environment, WINEPATH=path, STAND_IN_LOG=on_windows(log), **environment)
        made["STAND_IN_CODES"] = ";".join(f"{command}={code}" for command, code in self.codes.items())
        # The output goes to a file: Wine's services, which the first program starts, would keep a pipe open.
        output = self.folder / "output"
        with output.open("wb") as file:
            ended = subprocess.run(
                [*([] if ON_WINDOWS else ["wine"]), *command],
                cwd=folder or self.folder,
                env=made,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=180,
            )
        commands = [line.split("\t") for line in log.read_text("utf-8").splitlines()]
        return ended.returncode, commands, output.read_text("utf-8", "replace")

    def dotnet_command(self, program: str, *words: str, folder: pathlib.Path | None = None) -> list[str]:
        return ["dotnet", on_windows(folder or self.folder), on_windows(self.folder / program), *words]

    def set_up_commands(self, commands: list[list[str]]) -> list[str]:
        """The commands before the last one, without robocopy, which compares the sources. All must run in the clone's folder."""
        assert all(folder == on_windows(self.folder) for _, folder, *_ in commands[:-1])
        return [" ".join([name, *words]) for name, _, *words in commands[:-1] if name != "robocopy"]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    names = ("PATH", "SystemRoot", "SystemDrive", "TEMP", "TMP", "USERPROFILE", "ComSpec", "PATHEXT")
    made = {name: os.environ[name] for name in names if name in os.environ}
    if ON_WINDOWS:
        yield made
        return
    home = tmp_path_factory.mktemp("wine")
    made.update(WINEPREFIX=str(home / "prefix"), HOME=str(home), WINEDEBUG="-all", LC_ALL="C.UTF-8")
    subprocess.run(["wineboot", "--init"], env=made, check=True, timeout=300, capture_output=True)
    subprocess.run(["wineserver", "--persistent"], env=made, timeout=60)
    yield made
    subprocess.run(["wineserver", "--kill"], env=made, timeout=60)


@pytest.fixture
def clone(tmp_path: pathlib.Path, environment: dict[str, str]) -> Clone:
    return Clone(tmp_path / FOLDER, environment)


@pytest.fixture
def ready(clone: Clone) -> Clone:
    """A clone after the set-up by the launcher."""
    code, commands, output = clone.run("--version")
    assert code == 0, (output, commands)
    return clone


def test_only_the_first_start_does_the_set_up(clone: Clone) -> None:
    code, commands, output = clone.run("match")
    assert code == 0 and commands[-1] == clone.dotnet_command(DLL, "match"), output
    assert clone.set_up_commands(commands) == [
        "py -3 --version",
        "py -3 -c import sys; sys.exit(sys.version_info < (3, 9))",
        "py -3 -m venv --clear .venv",
        "python -m pip install --quiet --disable-pip-version-check -e agent-python[all]",
        "dotnet --version",
        r"dotnet build bridge-csharp\src\Sc2Bridge.Cli -c Release -v quiet -nodeReuse:false",
        "dotnet build-server shutdown --vbcscompiler",
    ]
    assert [line for line in output.splitlines() if line.startswith("set-up: ")] == [
        "set-up: making .venv from PyPI",
        r"set-up: building bridge-csharp\src\Sc2Bridge.Cli in Release: the first time takes a minute",
    ]
    _, commands, output = clone.run("match")
    assert [name for name, *_ in commands] == ["robocopy"] * 4 + ["dotnet"] and "set-up" not in output


def test_words_folder_and_exit_code_are_passed_on_unchanged(ready: Clone, tmp_path: pathlib.Path) -> None:
    ready.codes[f"dotnet {on_windows(ready.folder)}"] = 77
    code, commands, output = ready.run("match", *WORDS, folder=tmp_path)
    assert code == 77 and commands[-1] == ready.dotnet_command(DLL, "match", *WORDS, folder=tmp_path), output


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_changed_source_starts_a_build(ready: Clone, folder: str) -> None:
    ready.codes[f"robocopy {folder}"] = 1
    _, commands, output = ready.run("match")
    assert r"dotnet build bridge-csharp\src\Sc2Bridge.Cli" in " ".join(ready.set_up_commands(commands)), output


@pytest.mark.skipif(not ON_WINDOWS, reason="Wine has no robocopy")
def test_robocopy_finds_a_changed_a_new_and_a_missing_source(ready: Clone) -> None:
    ready.remove_stand_in("robocopy")
    source = ready.folder / "bridge-csharp/src/a.cs"

    def builds() -> bool:
        return bool(ready.set_up_commands(ready.run("match")[1]))

    assert builds() and not builds()
    source.write_text("1")
    assert builds() and not builds()
    source.write_text("2")
    assert builds() and not builds()
    source.unlink()
    assert builds() and not builds()


def test_commands_that_measure_run_another_program(ready: Clone) -> None:
    for words in (["codec"], ["compare", "--quick"], ["bench", "delivery"]):
        code, commands, output = ready.run(*words)
        assert code == 0 and commands[-1] == ready.dotnet_command(BENCH, *words), output
        assert (r"building bridge-csharp\bench\Sc2Bridge.Bench" in output) == (words == ["codec"])


def test_a_build_that_fails_is_tried_again(clone: Clone) -> None:
    clone.codes["dotnet build"] = 1
    for _ in range(2):
        code, commands, output = clone.run("match")
        assert code == 1 and commands[-1][2] == "build" and "set-up: the build failed: see above" in output


@pytest.mark.parametrize("code", [1, -1073741515])
def test_without_the_sdk_the_launcher_prints_one_line_with_the_remedy(clone: Clone, code: int) -> None:
    clone.codes["dotnet --version"] = code
    assert clone.run("match")[0] == 1
    code, _, output = clone.run("match")
    what = "set-up: the .NET 10 SDK is missing: install it from https://dotnet.microsoft.com/download"
    assert code == 1 and output.splitlines() == [what]


def test_without_python_the_launcher_prints_one_line_with_the_remedy(clone: Clone) -> None:
    clone.remove_stand_in("py")
    code, commands, output = clone.run("match")
    what = "install it from https://www.python.org/downloads/, or name one with SC2BRIDGE_PYTHON"
    assert code == 1 and commands == []
    assert output.splitlines() == [f"set-up: Python 3.9 or newer is missing: {what}"]


def test_an_old_python_counts_as_missing(clone: Clone) -> None:
    clone.codes["py -3 -c"] = 1
    code, _, output = clone.run("match")
    assert code == 1 and "set-up: Python 3.9 or newer is missing" in output


def test_an_environment_that_could_not_be_made_is_tried_again(clone: Clone) -> None:
    clone.codes["python -m pip"] = 1
    for _ in range(2):
        code, commands, output = clone.run("match")
        assert (
            code == 1 and commands[-1][2:4] == ["-m", "pip"] and "set-up: .venv could not be made: see above" in output
        )


def test_the_python_is_SC2BRIDGE_PYTHON_or_py_or_python(clone: Clone) -> None:
    clone.add_stand_ins("my & (python)")
    named = str(on_windows(clone.folder / "stand-ins" / "my & (python).exe"))
    _, commands, output = clone.run("match", SC2BRIDGE_PYTHON=named)
    assert "my & (python) -m venv --clear .venv" in clone.set_up_commands(commands), output
    (clone.folder / ".venv/windows-ready").unlink()
    clone.remove_stand_in("py")
    clone.add_stand_ins("python")
    _, commands, output = clone.run("match")
    assert "python -m venv --clear .venv" in clone.set_up_commands(commands), output


def test_inspect_with_a_picture_or_video_installs_matplotlib(ready: Clone) -> None:
    code, commands, output = ready.run("inspect", "a b.mcap", "--picture=p.png")
    assert ready.set_up_commands(commands) == ["python -c import matplotlib"], output
    ready.codes["python -c import matplotlib"] = 1
    code, commands, output = ready.run("inspect", "a b.mcap", "--video", "v.mp4")
    assert ready.set_up_commands(commands)[1].endswith(
        "install --quiet --disable-pip-version-check matplotlib>=3.6"
    ), output
    assert commands[-1] == ready.dotnet_command(DLL, "inspect", "a b.mcap", "--video", "v.mp4")
    assert ready.set_up_commands(ready.run("inspect", "a b.mcap")[1]) == []


def test_the_page_is_built_once_if_npm_is_installed(ready: Clone) -> None:
    ready.add_stand_ins("npm")
    (ready.folder / "stand-ins/npm.cmd").write_bytes(b'@"%~dp0npm.exe" %*\r\n')
    _, commands, output = ready.run("match")
    ci = "--ignore-scripts --no-audit --no-fund"
    assert [line for line in ready.set_up_commands(commands) if not line.startswith("dotnet")] == [
        f"npm ci --prefix agent-js {ci}",
        "npm run build --prefix agent-js",
        rf"npm ci --prefix agent-js\page {ci}",
        r"npm run build --prefix agent-js\page",
    ], output
    assert "set-up: the live page is left out" in output
    assert r"dotnet build bridge-csharp\src\Sc2Bridge.Cli" in " ".join(ready.set_up_commands(commands))
    assert ready.set_up_commands(ready.run("match")[1]) == []
    ready.codes["robocopy agent-js"] = 1
    assert "npm run build --prefix agent-js" in ready.set_up_commands(ready.run("match")[1])


@pytest.mark.skipif(ON_WINDOWS, reason="on Windows, CI runs the real launcher")
def test_the_program_for_windows_plays_a_match(ready: Clone) -> None:
    program = {"STAND_IN_FOR": on_windows(PROGRAMS / "program/sc2bridge.exe")}
    code, _, output = ready.run("match", "--steps", "50", "--no-agents", "--out", "für & (1)", *PORTS, **program)
    assert code == 0 and "ended (step limit)" in output, output
    code, _, output = ready.run("inspect", r"für & (1)\match.mcap", **program)
    assert code == 0 and "50 observations" in output, output
    code, _, output = ready.run("inspect", "gibt es nicht – ü.mcap", **program)
    assert code == 1 and "gibt es nicht – ü.mcap" in output, output


@pytest.mark.skipif(ON_WINDOWS, reason="on Windows, CI does this with real agents")
def test_ctrl_c_ends_an_agent_that_ignores_it(ready: Clone) -> None:
    ready.add_stand_ins("python")
    words = ["match", "--rate", "22.4", "--agent", "any:Agent", *PORTS]
    line = f'"{on_windows(ready.folder)}\\sc2bridge.cmd" {" ".join(words)} >match.log 2>&1'
    # The 5 processes are cmd, the stand-in for dotnet, the bridge, the game and the agent.
    stop = [str(PROGRAMS / "stop.exe"), "ctrl-c", "5", "match.log", "gRPC on", line]
    code, _, output = ready.start(stop, STAND_IN_FOR=on_windows(PROGRAMS / "program/sc2bridge.exe"))
    assert code == 0 and "ctrl-c: 5 processes run" in output and "ctrl-c: all have ended" in output, output
