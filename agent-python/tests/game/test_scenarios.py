"""The scenarios that are part of the package."""

from __future__ import annotations

import importlib

from conftest import ROOT

import sc2bridge


def test_scenarios_are_listed_by_their_names() -> None:
    assert sc2bridge.scenarios() == sorted(path.stem for path in (ROOT / "scenarios").glob("*.json"))
    assert "3m" in sc2bridge.scenarios()
    importlib.import_module("sc2bridge.game.scenarios")
    assert callable(sc2bridge.scenarios), "no module took its place"
