"""Columns that are computed from other columns and from the data of a unit's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Optional, TypeVar, overload

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sc2bridge.bot.units import Units

_D = TypeVar("_D", bound=np.generic)


class Derived(Generic[_D]):
    """A column that is computed on first access and cached in the table. A `Unit` shows the value of its row."""

    def __init__(self, dtype: type[_D], what: str, compute: Callable[[Units], Any]) -> None:
        """what: the meaning of each value."""
        self._compute = compute
        self.__doc__ = f"{np.dtype(dtype).name if dtype is not np.object_ else 'str'}: {what}."

    def __set_name__(self, kind: type[Units], name: str) -> None:
        self.name = name

    @overload
    def __get__(self, table: None, kind: Any = None) -> Derived[_D]:
        ...

    @overload
    def __get__(self, table: Units, kind: Any = None) -> npt.NDArray[_D]:
        ...

    def __get__(self, table: Optional[Units], kind: Any = None) -> Any:
        if table is None:
            return self
        made = table.column_cache.get(self.name)
        if made is None:
            made = table.column_cache[self.name] = self._compute(table)
        return made

    def __set__(self, table: Units, value: Any) -> None:
        raise AttributeError(f"cannot set {self.name}: tables are read-only, so copy the column first")


def _type_column(dtype: type[_D], name: str, what: str) -> Derived[_D]:
    return Derived(dtype, what, lambda units: units.data.of_types(units.unit_type, name))


def type_flag(name: str, what: str) -> Derived[np.bool_]:
    """A yes/no property of the unit's type. name: a column of `GameData`."""
    return _type_column(np.bool_, name, what)


def type_number(name: str, what: str) -> Derived[np.float64]:
    """A number that belongs to the unit's type. name: a column of `GameData`."""
    return _type_column(np.float64, name, what)


def mask(what: str, compute: Callable[[Units], Any]) -> Derived[np.bool_]:
    """A yes/no property of the unit itself."""
    return Derived(np.bool_, what, compute)


def has_order(what: str, *abilities: str) -> Derived[np.bool_]:
    """Whether a unit's current order has one of these general abilities."""

    def compute(units: Units) -> Any:
        known = units.data.match.abilities
        return np.isin(units.order_ability, [int(known[name]) for name in abilities if name in known])

    return mask(what, compute)


def fraction(what: str, value: str, maximum: str) -> Derived[np.float64]:
    """The column `value` divided by the column `maximum`; 0 if `maximum` is 0."""

    def compute(units: Units) -> Any:
        divisor = getattr(units, maximum).astype(np.float64)
        return np.divide(getattr(units, value), divisor, out=np.zeros(len(units)), where=divisor > 0)

    return Derived(np.float64, f"{what}, 0 to 1", compute)
