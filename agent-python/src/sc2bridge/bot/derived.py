"""Columns that are reckoned from others, and from what the game says of a unit's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Optional, TypeVar, overload

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sc2bridge.bot.units import Units

_D = TypeVar("_D", bound=np.generic)


class Derived(Generic[_D]):
    """A column that is reckoned when it is first asked for, and kept with the table; `Unit` has its row's value."""

    def __init__(self, dtype: type[_D], what: str, reckon: Callable[[Units], Any]) -> None:
        """what: of each value."""
        self._reckon = reckon
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
        made = table.made.get(self.name)
        if made is None:
            made = table.made[self.name] = self._reckon(table)
        return made

    def __set__(self, table: Units, value: Any) -> None:
        raise AttributeError(f"{self.name} cannot be set: a table is as the game told it")


def _typed(dtype: type[_D], name: str, what: str) -> Derived[_D]:
    return Derived(dtype, what, lambda units: units.data.of(units.unit_type, name))


def flag(name: str, what: str) -> Derived[np.bool_]:
    """What holds of a type or does not."""
    return _typed(np.bool_, name, what)


def number(name: str, what: str) -> Derived[np.float64]:
    """A number of a type."""
    return _typed(np.float64, name, what)


def mask(what: str, reckon: Callable[[Units], Any]) -> Derived[np.bool_]:
    """What holds of a unit or does not."""
    return Derived(np.bool_, what, reckon)


def using(what: str, *abilities: str) -> Derived[np.bool_]:
    """Whether a unit's current order is one of some general abilities."""

    def reckon(units: Units) -> Any:
        known = units.data.match.abilities
        return np.isin(units.order_ability, [int(known[name]) for name in abilities if name in known])

    return mask(what, reckon)


def percentage(what: str, value: str, most: str) -> Derived[np.float64]:
    """A number as a part of the most that it can be."""

    def reckon(units: Units) -> Any:
        top = getattr(units, most).astype(np.float64)
        return np.divide(getattr(units, value), top, out=np.zeros(len(units)), where=top > 0)

    return Derived(np.float64, f"{what}, 0 to 1", reckon)
