"""A table of units in other forms: a dictionary of arrays, a table of pandas, and what a notebook shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from sc2bridge import notebook
from sc2bridge.units.tables import PARTS

if TYPE_CHECKING:
    from sc2bridge.game.names import Names
    from sc2bridge.units.table import Units

_SHOWN = ("name", "tag", "owner", "x", "y", "health", "shield", "energy")
_MOST = 20


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
    """The names of an array of unit types, as an array of texts."""
    kinds, rows = np.unique(unit_types, return_inverse=True)
    return np.array([name_of(types, kind) for kind in kinds.tolist()], object)[rows]


def name_of(types: Names[Any], unit_type: int) -> str:
    """A unit type's name, or its number if it has no name."""
    try:
        return types[unit_type].name
    except KeyError:
        return f"unit type {unit_type}"


def load_pandas() -> Any:
    """Pandas. Raises ImportError if it is not installed."""
    try:
        import pandas
    except ImportError:
        raise ImportError("pandas is not installed: run pip install pandas") from None
    return pandas


def to_html(units: Units) -> str:
    """The first units as an HTML table."""
    first = to_dict(units[:_MOST], _SHOWN)
    rest = f", the first {_MOST} of them" if len(units) > _MOST else ""
    rows = zip(*(column.tolist() for column in first.values()))
    return notebook.table(list(first), rows, f"{len(units)} units{rest}")
