"""
cpp-sc2's own tests on the simulated game: `all_tests`, and `feature_layers` if it exists. No program of cpp-sc2 calls
`sc2::TestFeatureLayers`, so the second is one that does. Both print each sequence that fails, with its errors.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import CPP_SC2

FOLDER = CPP_SC2.folder()

GROUPS = {
    "TestAbilityRemap": 11,
    "TestSnapshots": 6,
    "TestMultiplayer": 0,
    "TestMovementCombat": 1,
    "TestFastRestartSinglePlayer": 10,
    "TestUnitCommand": 40,
    "TestPerformance": 56,
    "TestObservationInterface": 8,
}
"""The sequences of each test of `all_tests.cc`. Of the restarts, the number."""

# The sequences that fail, with their errors. docs/reference/field.md has the reasons.
FAILING = {"TestAttackAttack": {"Unit did not trigger OnUnitIdle as expected."}}
FAILING_LAYERS = {"UnitCommandsFeatureLayer": {"Select Point is reporting the incorrect location"}}
FAILING_GROUPS = {"TestUnitCommand", "TestMultiplayer"}
"""The second needs a map of the game, which it saves and plays."""


def run(name: str, installation: dict[str, str], folder: pathlib.Path) -> tuple[str, dict[str, set[str]]]:
    """Runs a copy, so that it finds no maps. Returns its output, and the errors of each sequence that failed."""
    program = shutil.copy(FOLDER / "build" / "bin" / name, folder)
    game = pathlib.Path(installation["SC2PATH"], "Versions", "Base99999", "SC2_x64")
    command = [program, "-e", str(game)]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=installation).stdout
    failed = {}
    for sequence, errors in re.findall(r"^Test: \d*sc2\d*(\w+?)E? failed!\n((?:    Error: .*\n)*)", said, re.MULTILINE):
        failed.setdefault(sequence, set()).update(re.findall("Error: (.*)", errors))
    return said, failed


@pytest.mark.long
@pytest.mark.timeout(900)
def test_sequences_pass(tmp_path: pathlib.Path, installation: dict[str, str], record_property) -> None:
    said, failed = run("all_tests", installation, tmp_path)
    ended = dict(re.findall(r"^Test: sc2::(\w+) (succeeded|failed)", said, re.MULTILINE))
    assert set(ended) == set(GROUPS), said[-4000:]
    assert {group for group, how in ended.items() if how == "failed"} == FAILING_GROUPS, said[-4000:]
    assert failed == FAILING
    record_property("sequences", f"{sum(GROUPS.values()) - len(failed)} of {sum(GROUPS.values())}")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_feature_layers_show_and_do_what_is_told(tmp_path: pathlib.Path, installation: dict[str, str]) -> None:
    if not (FOLDER / "build" / "bin" / "feature_layers").exists():
        pytest.skip(f"{FOLDER}/build/bin has no feature_layers (docs/reference/field.md)")
    said, failed = run("feature_layers", installation, tmp_path)
    assert said.count("Connected to ") == 9, said[-4000:]
    assert failed == FAILING_LAYERS
