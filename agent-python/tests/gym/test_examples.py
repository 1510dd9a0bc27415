"""The examples that learn, as a user starts them."""

from __future__ import annotations

import json
import pathlib
import runpy
from typing import Any

import pytest
from conftest import ROOT
from gym_case import arguments

pytest.importorskip("numpy")

pytestmark = [pytest.mark.slow, pytest.mark.long]


def run(name: str, words: list[str], folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Runs an example. Returns the figures that it has written."""
    file = folder / "figures.json"
    monkeypatch.setenv("SC2BRIDGE_EXECUTABLE", arguments()["executable"])
    monkeypatch.setattr("sys.argv", [name, *words, "--out", str(file)])
    runpy.run_path(str(ROOT / "agent-python/examples" / name), run_name="__main__")
    figures: dict[str, Any] = json.loads(file.read_text())
    return figures


def test_the_learner_with_numpy_plays_at_random_and_learns(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = run("learn_scenario.py", ["--minutes", "0.5"], tmp_path, monkeypatch)
    assert 0 < figures["random"] < figures["learned"] <= 20


@pytest.mark.usefixtures("native")
def test_the_learner_with_torch_learns_and_plays_a_hundred_games(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    figures = run("learn_ppo.py", ["--steps", "60000"], tmp_path, monkeypatch)
    first, *_, last = figures["curve"]
    assert 0 < 2 * first[3] < last[3] <= 20 and 0 < figures["won"] <= figures["games"] == 100


@pytest.mark.usefixtures("native")
def test_the_learner_with_torch_learns_the_same_with_both_backends(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    words = ["--matches", "4", "--steps", "5000"]
    native, bridge = (
        run("learn_ppo.py", [*words, "--backend", name], tmp_path, monkeypatch) for name in ("native", "bridge")
    )
    curves = [[row[1:] for row in figures["curve"]] for figures in (native, bridge)]
    assert curves[0] == curves[1] != [] and native["won"] == bridge["won"]
