"""The scenarios of this package: small fights that `sc2bridge match --scenario` and environments find by name."""

from __future__ import annotations

import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "scenarios"
"""The folder with a JSON file for each scenario."""


def scenarios() -> list[str]:
    """The names of the scenarios, such as `3m`, for `sc2bridge match --scenario` and `sc2bridge.gym.UnitsEnv`."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))
