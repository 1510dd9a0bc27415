"""
cpp-sc2's own tests on the simulated game: `all_tests`, and `feature_layers` if it exists. No program of cpp-sc2 calls
`sc2::TestFeatureLayers`, so the second is one that does. Both print the sequences that fail, and games that end before
all of their sequences were played. All other sequences passed. Their number is in cpp-sc2's sources.
"""

from __future__ import annotations

import collections
import pathlib
import re
import shutil

import processes
import pytest
from conftest import CPP_SC2

FOLDER = CPP_SC2.folder()

ALL_TESTS = {
    "TestAbilityRemap": (11, 11),
    "TestSnapshots": (6, 6),
    "TestMultiplayer": (1, 0),
    "TestMovementCombat": (1, 1),
    "TestFastRestartSinglePlayer": (10, 10),
    "TestUnitCommand": (40, 39),
    "TestPerformance": (56, 56),
    "TestObservationInterface": (8, 8),
}
"""Of each test of `all_tests.cc`, its sequences and how many pass. docs/reference/field.md says why others do not."""
FAILING = {("TestAttackAttack", "Unit did not trigger OnUnitIdle as expected."): 1}
FAILING_LAYERS = {("UnitCommandsFeatureLayer", "Select Point is reporting the incorrect location"): 9}
"""The sequences that fail, with their errors and how often."""

SOURCES = {
    "TestAbilityRemap": "test_ability_remap.cc",
    "TestSnapshots": "test_snapshots.cc",
    "TestMultiplayer": "test_multiplayer.cc",
    "TestMovementCombat": "test_movement_combat.cc",
    "TestUnitCommand": "test_unit_command.cc",
    "TestObservationInterface": "test_observation_interface.cc",
}
"""The sources of the tests that play each of their sequences once. The other two print each of theirs."""


def run(name: str, installation: dict[str, str], folder: pathlib.Path) -> tuple[int | None, str]:
    """Runs a copy outside the clone, so that it finds no maps. Returns its exit code and its output."""
    program = shutil.copy(FOLDER / "build" / "bin" / name, folder)
    game = pathlib.Path(installation["SC2PATH"], "Versions", "Base99999", "SC2_x64")
    return processes.run([program, "-e", str(game)], folder, installation, folder / "output.log", 800)


def failures(said: str) -> collections.Counter[tuple[str, str]]:
    """How often each sequence failed, with each of its errors."""
    found = re.findall(r"^Test: \d*sc2\d*(\w+?)E? failed!\n((?:    Error: .*\n)*)", said, re.MULTILINE)
    return collections.Counter((name, error) for name, errors in found for error in re.findall("Error: (.*)", errors))


def added(file: str) -> int:
    """How many sequences a test adds, by its sources."""
    source = (FOLDER / "tests" / file).read_text()
    calls = re.findall(r"^(?: *for \(int i = 0; i < (\d+); \+\+i\)\n)? *Add\(", source, re.MULTILINE)
    return sum(int(times or 1) for times in calls)


def games(said: str) -> int:
    return said.count("WaitJoinGame finished successfully.")


def figures(test: str, said: str) -> tuple[int, int]:
    """The sequences of a test, and how many passed, by what it printed."""
    failed = len({name for name, _ in failures(said)})
    if test == "TestFastRestartSinglePlayer":
        played = len(re.findall(r"^Restart test: \d+ of 10 complete", said, re.MULTILINE))
        return 10, played - failed
    if test == "TestPerformance":  # A row of its tables has a sequence of pings and one of observations.
        played = 2 * len(re.findall(r"^\|\d+ +\|", said, re.MULTILINE))
        return 56, played - failed
    sequences = added(SOURCES[test])
    return sequences, sequences - failed if games(said) else 0


@pytest.mark.long
@pytest.mark.timeout(900)
def test_sequences_pass(tmp_path: pathlib.Path, installation: dict[str, str], record_property) -> None:
    code, said = run("all_tests", installation, tmp_path)
    _, *parts = re.split(r"^Running test: sc2::(\w+)\n", said, flags=re.MULTILINE)
    tests = dict(zip(parts[::2], parts[1::2]))
    found = {test: figures(test, part) for test, part in tests.items()}
    assert found == ALL_TESTS, said[-4000:]
    assert failures(said) == FAILING, said[-4000:]
    for test, part in tests.items():
        ended = "succeeded." if len(set(ALL_TESTS[test])) == 1 else "failed!"
        assert f"Test: sc2::{test} {ended}\n" in part, part[-4000:]
    assert "Game ended before tests finished." not in said
    assert code == 255
    total, passed = (sum(numbers) for numbers in zip(*found.values()))
    record_property("sequences", f"{passed} of {total}")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_feature_layers_show_what_is_there_and_clicks_hit_it(
    tmp_path: pathlib.Path, installation: dict[str, str], record_property
) -> None:
    if not (FOLDER / "build" / "bin" / "feature_layers").exists():
        pytest.skip(f"{FOLDER}/build/bin has no feature_layers (docs/reference/field.md)")
    code, said = run("feature_layers", installation, tmp_path)
    assert "Game ended before tests finished." not in said
    total = games(said) * added("test_feature_layer.cc")
    passed = total - sum(failures(said).values())
    assert (total, passed) == (279, 270), said[-4000:]
    assert failures(said) == FAILING_LAYERS, said[-4000:]
    assert code == 1
    record_property("sequences", f"{passed} of {total}")
