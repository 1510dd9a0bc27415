"""The examples that learn, as a user starts them."""

from __future__ import annotations

import json
import pathlib
import runpy

import pytest
from conftest import ROOT
from gym_case import arguments

pytest.importorskip("numpy")

pytestmark = [pytest.mark.slow, pytest.mark.long]


def run(name: str, words: list[str], folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Runs an example. Returns the figures that it has written."""
    file = folder / "figures.json"
    monkeypatch.setenv("SC2BRIDGE_EXECUTABLE", arguments()["executable"])
    monkeypatch.setattr("sys.argv", [name, *words, "--out", str(file)])
    runpy.run_path(str(ROOT / "agent-python/examples" / name), run_name="__main__")
    figures: dict[str, float] = json.loads(file.read_text())
    return figures


def test_the_learner_with_numpy_plays_at_random_and_learns(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = run("learn_scenario.py", ["--minutes", "0.5"], tmp_path, monkeypatch)
    assert 0 < figures["random"] < figures["learned"] <= 20


def test_the_learner_with_torch_learns_and_plays_a_hundred_games(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    figures = run("learn_ppo.py", ["--episodes", "200"], tmp_path, monkeypatch)
    first, *_, last = figures["curve"]  # type: ignore[misc]
    assert 0 < first[2] < last[2] <= 20 and 0 <= figures["won"] <= figures["games"] == 100
