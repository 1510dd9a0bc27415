"""The scenarios that are part of the package: fights of units that `match --scenario` and environments play by their names."""

from __future__ import annotations

import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "scenarios"
"""A JSON file for each."""


def scenarios() -> list[str]:
    """Their names, such as `3m`: for `sc2bridge match --scenario` and `sc2bridge.gym.UnitsEnv`."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))
