"""A table of units in other forms, and what an editor and a notebook show of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sc2bridge.game import names
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import Units


@pytest.fixture
def units() -> Units:
    observation = sc2api_pb2.ResponseObservation()
    for tag, kind in enumerate((48, 45, 48, 3000)):
        observation.observation.raw_data.units.add(tag=tag, unit_type=kind, pos={"x": tag, "y": 2}, health=40)
    return Units.from_observation(observation)


def test_dir_shows_every_attribute(units: Units) -> None:
    unit = units[0]
    for name in (*Units.fields, "orders", "passengers", "buffs", "rally_targets", "position", "present"):
        assert name in dir(unit) and hasattr(unit, name)
    assert {"own", "of_type", "to_pandas", "health"} <= set(dir(units))


def test_a_table_becomes_a_dictionary_of_columns(units: Units) -> None:
    found = units.to_dict()
    assert list(found) == ["name", *[part for name in Units.fields for part in ("xyz" if name == "pos" else (name,))]]
    assert found["name"].tolist() == ["MARINE", "SCV", "MARINE", "unit type 3000"]
    assert found["x"].tolist() == [0, 1, 2, 3] and found["health"] is units.health
    assert list(units.to_dict(["health", "name"])) == ["health", "name"]
    assert units[:0].to_dict(["name", "x"])["name"].shape == (0,)
    with pytest.raises(ValueError, match="column 'hp': choose name, display_type, "):
        units.to_dict(["hp"])


def test_a_table_becomes_a_pandas_table(units: Units) -> None:
    pandas = pytest.importorskip("pandas")
    table = units.to_pandas(["name", "tag", "health"])
    assert isinstance(table, pandas.DataFrame) and table.tag.dtype == np.uint64
    assert table.groupby("name").health.sum().to_dict() == {"MARINE": 80, "SCV": 40, "unit type 3000": 40}


def test_without_pandas_the_error_says_what_to_install(units: Units, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas is not installed: run pip install pandas"):
        units.to_pandas()


def test_a_notebook_shows_a_table_and_a_unit_and_no_markup_of_a_game(units: Units) -> None:
    data = sc2api_pb2.ResponseData()
    data.units.add(unit_id=48, name="<script>x</script>")
    units.match_types = names.unit_types(lambda: data)
    for shown in (units._repr_html_(), units[0]._repr_html_()):
        assert "<script" not in shown.lower() and "SCRIPT_X_SCRIPT" in shown
    whole = units._repr_html_()
    assert "<caption>4 units</caption>" in whole and whole.count("<tr>") == 5 and "<td>40.0</td>" in whole
    many: Any = units[np.arange(40) % 4]
    assert "40 units, the first 20 of them" in many._repr_html_() and many._repr_html_().count("<tr>") == 21
    assert "<td>health</td><td>40.0</td>" in units[0]._repr_html_() and "shield" not in units[0]._repr_html_()
