"""Scenarios by their names and paths, for environments and launched matches."""

from __future__ import annotations

import pathlib

import pytest
from conftest import ROOT
from gym_case import arguments

pytest.importorskip("gymnasium", reason="gymnasium is not installed")

import sc2bridge
from sc2bridge.gym import MatchEnv, scenario

pytestmark = pytest.mark.slow


def test_a_scenario_is_found_by_its_name_from_any_folder_and_a_file_by_its_path(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = sorted((ROOT / "scenarios").glob("*.json"))
    assert files and all(pathlib.Path(scenario.find_file(x.stem)).read_bytes() == x.read_bytes() for x in files)
    with pytest.raises(
        ValueError, match="scenario 4m: no such file or scenario: give the path of a file, or one of .*, 3m, "
    ):
        MatchEnv(scenario="4m")
    (tmp_path / "3m").mkdir()
    assert scenario.unit_counts(scenario.read("3m")) == [3, 3]
    (tmp_path / "8m").write_text('{"players": [{"units": [{"type": "Marine"}]}]}')
    assert scenario.flags("8m") == ["--scenario", "8m"] and scenario.unit_counts(scenario.read("8m")) == [1]


def test_a_launched_match_plays_a_scenario_by_its_name(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = str(pathlib.Path(arguments()["executable"]).resolve())
    monkeypatch.chdir(tmp_path)
    with sc2bridge.launch(options=["--scenario", "3m"], game="simulated", executable=program) as match:
        assert match.describe().map_name == "3m"


def test_a_scenario_is_read_as_the_bridge_reads_it(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(
        '{ // a fight\n "players": [{"units": [{"type": "A//,]", "count": 2}, {"type": "B"},]}, {"mirror": true}]}'
    )
    assert scenario.unit_counts(scenario.read(str(file))) == [3, 3]
    for text, told in (
        ("[1", "not valid JSON"),
        ("[]", "no list `players`"),
        ('{"players": {}}', "no list `players`"),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=f"a.json: .*{told}"):
            scenario.read(str(file))
