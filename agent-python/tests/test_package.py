"""The package's built files, and what its users see: files, types, help."""

from __future__ import annotations

import pathlib
import pydoc
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest
from conftest import ROOT
from typed_case import mypy

import sc2bridge

FOLDER = ROOT / "agent-python"


def setup_py(folder: pathlib.Path, *arguments: str) -> Any:
    return subprocess.run([sys.executable, "setup.py", *arguments], cwd=folder, capture_output=True, text=True)


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "agent-python"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.egg-info", "build", ".*"))
    return folder


def test_a_package_has_its_files_and_its_licence(checkout: pathlib.Path) -> None:
    pytest.importorskip("setuptools")
    done = setup_py(checkout, "build_py", "--build-lib", "out", "egg_info")
    assert done.returncode == 0, done.stderr
    built = {str(path.relative_to(checkout / "out")) for path in (checkout / "out").rglob("*") if path.is_file()}
    for needed in ("_descriptors.binpb", "ids.py", "py.typed", "v1/bridge_pb2.pyi", "recording/_mcap/records.py"):
        assert f"sc2bridge/{needed}" in built
    assert "pytest_sc2bridge.py" in built
    assert not [path for path in built if "measuring" in path], "that is for who works on the bridge"
    (about,) = (checkout / "src").glob("*.egg-info")
    assert "License-File: LICENSE" in (about / "PKG-INFO").read_text()
    assert "scripts]" not in (about / "entry_points.txt").read_text(), "the one program is the bridge's"
    assert (checkout / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize("made", ["_descriptors.binpb", "ids.py"])
def test_a_package_without_the_bridges_generated_files_is_not_built(checkout: pathlib.Path, made: str) -> None:
    pytest.importorskip("setuptools")
    (checkout / "src" / "sc2bridge" / made).unlink()
    done = setup_py(checkout, "build_py", "--build-lib", "out")
    assert done.returncode != 0
    assert f"{made} is missing" in done.stderr and "Run ./sc2bridge" in done.stderr


PROGRAM = """
import numpy as np
import sc2bridge

with sc2bridge.connect("grpc://127.0.0.1:1", timeouts=sc2bridge.Timeouts(request=5)) as bridge:
    frames = bridge.subscribe("lockstep", exclude=["score"], overflow="pause", content="columns", can_act=True)
    for frame in frames:
        reveal_type(frame.units.health)
        reveal_type(frame.units.own.tag)
        reveal_type(frame.units.orders.ability_id)
        reveal_type(frame.units[0].health)
        reveal_type(frame.skipped)
        reveal_type(frames.match.players[0])
        reveal_type(frames.query_pathing((1, 2), (3, 4)))
        reveal_type(frames.match.unit_types.MARINE.data)
        reveal_type(bridge.pause())
        reveal_type([outcome.reason for outcome in frame.outcomes])
        reveal_type(frame.units.of_type("MARINE", sc2bridge.ids.UnitTypeId.SCV).to_dict())
        reveal_type(sc2bridge.ids.UnitTypeId.MARINE)

with sc2bridge.launch("Cinder Fortress LE", ["agent:terran"], steps=100) as played:
    reveal_type(played.subscribe())
    reveal_type(played.lines)
    reveal_type(played.map_name)
    reveal_type(played.players[0])
    reveal_type(played.result)
    reveal_type(played.describe())


async def main() -> None:
    async with await sc2bridge.alaunch(rate=16) as match:
        reveal_type(match)
    async with await sc2bridge.aconnect("grpc://127.0.0.1:1") as bridge:
        frames = await bridge.subscribe("latest")
        async for frame in frames:
            reveal_type(frame)
            reveal_type(await frames.query_pathing((1, 2), (3, 4)))
"""

REVEALED = [
    r"ndarray\[.*float.*32.*\]",
    r"ndarray\[.*unsignedinteger.*64.*\]|ndarray\[.*uint64.*\]",
    r"ndarray\[.*unsignedinteger.*32.*\]|ndarray\[.*uint32.*\]",
    r"builtins\.float",
    r"Union\[sc2bridge\.v1\.bridge_pb2\.Skipped, None\]|sc2bridge\.v1\.bridge_pb2\.Skipped \| None",
    r"sc2bridge\.game\.words\.MatchPlayer",
    r"Union\[builtins\.float, None\]|builtins\.float \| None",
    r"sc2bridge\.s2clientprotocol\.data_pb2\.UnitTypeData",
    r"sc2bridge\.v1\.bridge_pb2\.PlaybackState",
    r"builtins\.list\[builtins\.str\*?\]",
    r"builtins\.dict\[builtins\.str, .*ndarray",
    r"sc2bridge\.ids\.UnitTypeId",
    r"sc2bridge\.client\.sync\.Subscription",
    r"builtins\.list\[builtins\.str\*?\]",
    r"builtins\.str",
    r"sc2bridge\.game\.words\.MatchPlayer",
    r"Union\[builtins\.str, None\]|builtins\.str \| None",
    r"sc2bridge\.game\.match\.Match",
    r"sc2bridge\.client\.launch\.AsyncLaunchedMatch",
    r"sc2bridge\.game\.frame\.Frame",
    r"Union\[builtins\.float, None\]|builtins\.float \| None",
]

WRONG = [
    ('bridge.subscribe("lockstpe")', "lockstpe"),
    ('bridge.subscribe(overflow="stop")', "stop"),
    ('bridge.subscribe(exclude=["units"])', "List item 0"),
    ('bridge.subscribe(content="rows")', "rows"),
    ("bridge.subscribe(plays=True)", "plays"),
    ('sc2bridge.connect("grpc://h:1", compression="zip")', "zip"),
    ('sc2bridge.connect("ws://h:1", encoding="xml")', "xml"),
    ('bridge.set_rate("fast")', "fast"),
    ("next(bridge.subscribe()).units.healht", "healht"),
    ("next(bridge.subscribe()).units[0].healht", "healht"),
    ("next(bridge.subscribe()).match", "match"),
    ("sc2bridge.ids.UnitTypeId.MARIEN", "MARIEN"),
    ("sc2bridge.lanch()", "lanch"),
    ("bridge.subscribe().describe().map", "map"),
    ("sc2bridge.launch(map_nam=1)", "map_nam"),
    ("sc2bridge.launch().step()", "step"),
]


def test_a_users_program_has_types(tmp_path: pathlib.Path, mypy_cache: pathlib.Path) -> None:
    lines = mypy({"program.py": PROGRAM}, tmp_path, mypy_cache)
    revealed = [re.sub(r'.*Revealed type is "(.*)"', r"\1", line) for line in lines]
    assert len(revealed) == len(REVEALED), lines
    for found, expected in zip(revealed, REVEALED):
        assert re.search(expected, found), f"{found} is not {expected}"


def test_a_users_mistakes_are_refused(tmp_path: pathlib.Path, mypy_cache: pathlib.Path) -> None:
    head = 'import sc2bridge\nbridge = sc2bridge.connect("grpc://h:1")\n'
    lines = mypy({"program.py": head + "\n".join(program for program, _ in WRONG)}, tmp_path, mypy_cache)
    for number, (program, says) in enumerate(WRONG, 3):
        found = [line for line in lines if line.startswith(f"program.py:{number}: error")]
        assert found and says in " ".join(found), f"{program}: {lines}"


def test_help_describes_the_columns() -> None:
    said = pydoc.plain(pydoc.render_doc(sc2bridge.Units))
    for column, is_ in (
        ("health", "float32: points."),
        ("pos", "float32, rows of x, y, z: cells, the unit's middle."),
        ("tag", "uint64: identifies the unit for the whole match."),
        ("is_flying", "bool: whether it is in the air."),
    ):
        assert re.search(rf"^ \|  {column}\n \|      {re.escape(is_)}$", said, re.MULTILINE), column
    connection = pydoc.plain(pydoc.render_doc(sc2bridge.Connection))
    assert "subscribe(self, policy" in connection and "Subscribes to the frames of a match" in connection


def errors() -> list[type]:
    """Every exception that a module of the package defines."""
    import importlib
    import pkgutil

    found = []
    for module in pkgutil.walk_packages(sc2bridge.__path__, "sc2bridge."):
        if not re.search(r"measuring|__main__|amqp|gym", module.name):  # Not everyone has pika and gymnasium.
            values = vars(importlib.import_module(module.name)).values()
            found += [each for each in values if isinstance(each, type) and issubclass(each, Exception)]
    return [each for each in found if each.__module__.startswith("sc2bridge.")]


def test_every_error_has_a_common_base_and_a_name_that_ends_in_error() -> None:
    assert len(set(errors())) >= 9
    for error in errors():
        assert issubclass(error, sc2bridge.SC2BridgeError) and error.__name__.endswith("Error"), error
        is_internal = "._" in f"{error.__module__}.{error.__name__}"
        assert is_internal or error.__name__ in sc2bridge.__all__, error
