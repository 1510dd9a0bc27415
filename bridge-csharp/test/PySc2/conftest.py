"""Shared parts of the tests of PySC2 on the simulated game: stubs for its imports, a fake installation, maps."""

from __future__ import annotations

import os
import pathlib
import random
import stat
import sys
import types
import unittest.mock

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge"))
MAP = "CinderFortressLE"


def stand_in() -> None:
    """
    Gives PySC2 4.0.0 what it imports and no environment of ours has. Its code stays as it is.

    pygame and skvideo draw and film, which no test does; Python 3.11 has taken the second parameter of shuffle.
    """
    for name in ("pygame", "skvideo", "skvideo.io"):
        sys.modules.setdefault(name, unittest.mock.MagicMock())
    sys.modules["skvideo"].io = types.SimpleNamespace(FFmpegWriter=object)
    plain = random.shuffle

    def shuffle(x: list, source=None) -> None:
        if source is None:
            plain(x)
            return
        for i in reversed(range(1, len(x))):
            j = int(source() * (i + 1))
            x[i], x[j] = x[j], x[i]

    random.shuffle = shuffle


stand_in()


@pytest.fixture(autouse=True)
def third_party(record_property) -> None:
    """tools/gate_report.py counts this mark like the C# tests' trait of the same name."""
    record_property("ThirdParty", "pysc2")


@pytest.fixture(scope="session", autouse=True)
def installation(tmp_path_factory) -> None:
    """A folder like StarCraft II's whose SC2_x64 starts the simulated game. Every map of PySC2 is one of ours."""
    from absl import flags
    from pysc2.maps import lib, melee

    base = tmp_path_factory.mktemp("StarCraftII")
    program = base / "Versions" / "Base99999" / "SC2_x64"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\nexec '{PROGRAM}' simulate \"$@\"\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    maps = base / "Maps" / "Melee"
    maps.mkdir(parents=True)
    (maps / f"{MAP}.SC2Map").write_bytes(b"ours")
    for name in melee.melee_maps:
        getattr(melee, name).filename = MAP
    os.environ["SC2PATH"] = str(base)
    flags.FLAGS(["pytest"])
