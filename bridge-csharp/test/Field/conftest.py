"""The clients of others, each with its pinned commit, and a made-up installation of StarCraft II for them."""

from __future__ import annotations

import os
import pathlib
import stat
import subprocess
import sys
from dataclasses import dataclass

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge"))
PYTHON = str(ROOT / ".venv" / "bin" / "python")
MAPS = ("CinderFortressLE", "AshenTerraceLE", "SaltBasinLE", "FourWindsLE")


@dataclass(frozen=True)
class Client:
    """A program of another project. A variable names its clone, which is checked out, and built if it must be."""

    name: str
    commit: str
    variable: str
    needed: tuple[str, ...]
    """Files that must be there."""

    def folder(self) -> pathlib.Path:
        """Its clone. Without it, the tests of the calling file are skipped, with the reason."""
        named = os.environ.get(self.variable)
        if not named:
            self.skip(f"{self.variable} names no folder")
        folder = pathlib.Path(named or "").resolve()
        asked = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True)
        if asked.stdout.strip() != self.commit:
            self.skip(f"{folder} is at {asked.stdout.strip() or asked.stderr.strip()}")
        for file in self.needed:
            if not list(folder.glob(file)):
                self.skip(f"{folder}/{file} is missing")
        return folder

    def skip(self, why: str) -> None:
        pytest.skip(f"no {self.name} {self.commit[:7]}: {why} (docs/reference/field.md)", allow_module_level=True)


TEST_BOTS = Client(
    "aiarena-test-bots", "92e3ffca757b3ee571d2afc1d54522ced684eaf0", "SC2BRIDGE_AIARENA_BOTS", ("basic_bot/run.py",)
)
SHARPY = Client(
    "sharpy-sc2",
    "7f40701877a01ab17698d6bd60811b08140d0f54",
    "SC2BRIDGE_SHARPY",
    ("python-sc2/sc2/main.py", f"sc2pathlib/sc2pathlib.cpython-3{sys.version_info.minor}-x86_64-linux-gnu.so"),
)
CPP_SC2 = Client("cpp-sc2", "71510f6e285ed72c0c8bc9ada1ec18d14cdee0af", "SC2BRIDGE_CPP_SC2", ("build/bin/all_tests",))
SHARKY = Client(
    "Sharky",
    "7232febdc09c74209fee5f3b47a9b241e80689e4",
    "SC2BRIDGE_SHARKY",
    ("SharkyTerranExampleBot/bin/Release/net*/SharkyTerranExampleBot.dll",),
)

# cpp-sc2 kills a game, and starts the next one on the same port at once. The port may not be free yet: this waits for
# it, 20 s at most.
GAME = f"""#!/bin/bash
unset SC2PATH
arguments=("$@")
while [ $# -gt 0 ]; do [ "$1" = -port ] && port=$2; shift; done
while [ $SECONDS -lt 20 ] && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.05; done
exec '{PROGRAM}' simulate "${{arguments[@]}}"
"""


@pytest.fixture
def installation(tmp_path: pathlib.Path) -> dict[str, str]:
    """
    Makes a folder that looks like StarCraft II's. Its SC2_x64 starts the simulated game. Returns the variables with
    which clients find it, and write nothing into their own folders.
    """
    program = tmp_path / "StarCraftII" / "Versions" / "Base99999" / "SC2_x64"
    program.parent.mkdir(parents=True)
    program.write_text(GAME)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    maps = tmp_path / "StarCraftII" / "Maps" / "Simulated"
    maps.mkdir(parents=True)
    for name in MAPS:
        (maps / f"{name}.SC2Map").touch()
    home = tmp_path / "home"
    (home / "Documents" / "StarCraft II" / "Replays").mkdir(parents=True)
    return dict(os.environ, SC2PATH=str(tmp_path / "StarCraftII"), HOME=str(home), PYTHONDONTWRITEBYTECODE="1")
