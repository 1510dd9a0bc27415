"""Shared parts of the tests of python-sc2 on the simulated game: a fake installation and a runner of its matches."""

from __future__ import annotations

import os
import pathlib
import stat
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge"))
PYTHON_SC2 = ROOT / ".setup/python-sc2"  # its examples/ and test/, as tools/set-up fetched them
MAPS = ("CinderFortressLE", "AshenTerraceLE", "SaltBasinLE", "FourWindsLE")


@pytest.fixture(autouse=True)
def third_party(record_property) -> None:
    """tools/gate_report.py counts this mark like the C# tests' trait of the same name."""
    record_property("ThirdParty", "burnysc2")


def make_installation(base: pathlib.Path) -> dict[str, str]:
    """
    Makes a folder look like StarCraft II's: its SC2_x64 gets what the real one gets, and starts the simulated game with
    it, and with what SIMULATE_ARGUMENTS holds; the maps are files with the simulated maps' names. Returns the variables
    of the environment that python-sc2 finds it by.
    """
    program = base / "Versions" / "Base99999" / "SC2_x64"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\nexec '{PROGRAM}' simulate $SIMULATE_ARGUMENTS \"$@\"\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    maps = base / "Maps" / "Simulated"
    maps.mkdir(parents=True)
    for name in (*MAPS, "Empty128"):
        (maps / f"{name}.SC2Map").touch()

    # python-sc2 looks for replays in the home folder, like the game.
    home = base / "home"
    (home / "Documents" / "StarCraft II" / "Replays").mkdir(parents=True)
    return {"SC2PATH": str(base), "HOME": str(home)}


@pytest.fixture(scope="session", autouse=True)
def installation(tmp_path_factory) -> Iterator[pathlib.Path]:
    """The fake installation that SC2PATH names. python-sc2 looks for it only once."""
    base = tmp_path_factory.mktemp("StarCraftII")
    names = make_installation(base)
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    yield base
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value
