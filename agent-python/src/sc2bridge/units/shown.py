"""Converts a table of units to a dictionary of arrays, and to HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from sc2bridge import notebook
from sc2bridge.units.tables import PARTS

if TYPE_CHECKING:
    from sc2bridge.game.names import Names
    from sc2bridge.units.table import Units

_HTML_COLUMNS = ("name", "tag", "owner", "x", "y", "health", "shield", "energy")
_MAX_HTML_ROWS = 20


def to_dict(units: Units, columns: Optional[Iterable[str]]) -> dict[str, Any]:
    """See `Units.to_dict`."""
    known = ["name"]
    for field in units.fields.values():
        known += PARTS if field.width == 3 else (field.name,)
    chosen = known if columns is None else list(columns)
    for column in chosen:
        if column not in known:
            raise ValueError(f"column {column!r}: choose {', '.join(known)}")
    return {
        column: type_names(units.types, units.unit_type) if column == "name" else getattr(units, column)
        for column in chosen
    }


def type_names(types: Names[Any], unit_types: Any) -> Any:
    """The name of each unit type in an array, as an array of strings."""
    kinds, rows = np.unique(unit_types, return_inverse=True)
    return np.array([name_of(types, kind) for kind in kinds.tolist()], object)[rows]


def name_of(types: Names[Any], unit_type: int) -> str:
    """The name of a unit type; `unit type N` if it has no name."""
    try:
        return types[unit_type].name
    except KeyError:
        return f"unit type {unit_type}"


def load_pandas() -> Any:
    """Imports pandas and returns it. Raises ImportError if pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise ImportError("pandas is not installed: run pip install pandas") from None
    return pandas


def to_html(units: Units) -> str:
    first_rows = to_dict(units[:_MAX_HTML_ROWS], _HTML_COLUMNS)
    note = f", the first {_MAX_HTML_ROWS} of them" if len(units) > _MAX_HTML_ROWS else ""
    rows = zip(*(column.tolist() for column in first_rows.values()))
    return notebook.table(list(first_rows), rows, f"{len(units)} units{note}")
