"""The game's constants by name: `match.abilities.TRAIN_SCV`, from the match's own tables (ResponseData).

The running game defines which constants exist, and their numbers. If the match is unknown, use `sc2bridge.ids`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar, Union

from sc2bridge.hints import did_you_mean

Data = TypeVar("Data")

_SEPARATORS = re.compile(r"[\W_]+")


class Id(int, Generic[Data]):
    """An id of the game with its name. It is an int, so it can be used as an id everywhere."""

    name: str
    """The name in capitals, as in python-sc2: `TRAIN_SCV`."""
    data: Data
    """The game's data: AbilityData, UnitTypeData …"""

    def __new__(cls, number: int, name: str, data: Data) -> Id[Data]:
        made = super().__new__(cls, number)
        made.name = name
        made.data = data
        return made

    def __repr__(self) -> str:
        return f"<{self.name} {int(self)}>"

    def __reduce__(self) -> Any:
        return int, (int(self),)


class Names(Mapping[str, Id[Data]]):
    """One table of the game's constants, by name. Case and separators do not matter: `Train SCV`, `TRAIN_SCV` and
    `TrainScv` are the same name.

    `names["TRAIN_SCV"]`, `names.TRAIN_SCV` and `names[524]` are the same. An unknown name raises KeyError
    (AttributeError for an attribute); the message lists similar names.
    """

    def __init__(
        self,
        what: str,
        rows: Callable[[], Iterable[Data]],
        read: Callable[[Data], tuple[int, list[str]]],
        place: str = "in this match",
    ) -> None:
        """what, place: words in error messages, such as `ability` and `in this match`. rows: a function that returns
        the constants; it is called on the first lookup. read: a function that returns the number and the names of a
        constant, the preferred name first."""
        self._what = what
        self._place = place
        self._rows = rows
        self._read = read

    @cached_property
    def _tables(self) -> tuple[dict[int, Id[Data]], dict[str, Id[Data]]]:
        read = [(row, *self._read(row)) for row in self._rows()]
        named = [(row, number, [name for name in names if name.strip()]) for row, number, names in read]
        numbers: dict[int, Id[Data]] = {}
        keys: dict[str, int] = {}
        # Preferred names of all rows are added first, so that a second name of another row cannot replace them.
        for rank in range(max((len(names) for *_, names in named), default=0)):
            for _, number, names in named:
                if rank < len(names):
                    keys.setdefault(_normalized(names[rank]), number)
        for row, number, names in named:
            own = next((name for name in names if keys[_normalized(name)] == number), None)
            if own is not None:
                numbers.setdefault(number, Id(number, _in_capitals(own), row))
        return numbers, {key: numbers[number] for key, number in keys.items() if number in numbers}

    def __getitem__(self, name: Union[str, int]) -> Id[Data]:
        numbers, keys = self._tables
        found = keys.get(_normalized(name)) if isinstance(name, str) else numbers.get(int(name))
        if found is None:
            raise KeyError(self._not_found(name))
        return found

    def __getattr__(self, name: str) -> Id[Data]:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str):
            return _normalized(name) in self._tables[1]
        return isinstance(name, int) and name in self._tables[0]

    def __iter__(self) -> Iterator[str]:
        return (each.name for each in self._tables[0].values())

    def __len__(self) -> int:
        return len(self._tables[0])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return f"<names of {len(self)}: {self._what}>"

    def _not_found(self, name: Union[str, int]) -> str:
        if not isinstance(name, str):
            return f"there is no {self._what} {name} {self._place}"
        near = did_you_mean(_normalized(name), {key: each.name for key, each in self._tables[1].items()}, limit=3)
        return f"there is no {self._what} {name} {self._place}: {near}".rstrip(": ")


def _normalized(name: str) -> str:
    return _SEPARATORS.sub("", name).casefold()


def _in_capitals(name: str) -> str:
    return _SEPARATORS.sub("_", name.strip()).strip("_").upper()


def abilities(data: Any) -> Names[Any]:
    """The abilities of a ResponseData by name. The preferred name is `friendly_name`: `Train SCV`. The second name
    joins `link_name` and `button_name`: `CommandCenterTrain SCV`. python-sc2 has the same names."""

    def rows() -> list[Any]:
        named = [row for row in data.abilities if row.friendly_name or row.button_name]
        general = {row.remaps_to_ability_id for row in named if row.HasField("remaps_to_ability_id")}
        # If several abilities share a name, the name means the general ability, because it works for every unit. If
        # none of these abilities is general, the name means an ability that is available in this match.
        return sorted(named, key=lambda row: (row.ability_id not in general, not row.available, row.ability_id))

    def read(row: Any) -> tuple[int, list[str]]:
        first, second = row.friendly_name, f"{row.link_name} {row.button_name or row.link_name}"
        return row.ability_id, [first or second, second, f"{first or second} {row.ability_id}"]

    return Names("ability", rows, read)


def unit_types(data: Callable[[], Any]) -> Names[Any]:
    """Unit types by `UnitTypeData.name`. data: a function that returns the ResponseData; the first lookup calls it."""

    def rows() -> list[Any]:
        return sorted(data().units, key=lambda row: (not row.available, row.unit_id))

    return Names(
        "unit type", rows, lambda row: (row.unit_id, [row.name, f"{row.name} {row.unit_id}"] if row.name else [])
    )


def upgrades(data: Any) -> Names[Any]:
    """The upgrades of a ResponseData, by `UpgradeData.name`."""
    return Names("upgrade", lambda: list(data.upgrades), lambda row: (row.upgrade_id, [row.name]))


def buffs(data: Any) -> Names[Any]:
    """The buffs of a ResponseData, by `BuffData.name`."""
    return Names("buff", lambda: list(data.buffs), lambda row: (row.buff_id, [row.name]))


def effects(data: Any) -> Names[Any]:
    """The effects of a ResponseData, by `EffectData.name` or `friendly_name`."""
    return Names("effect", lambda: list(data.effects), lambda row: (row.effect_id, [row.name, row.friendly_name]))


@lru_cache(None)
def usual_unit_types() -> Names[Any]:
    """The unit types of `sc2bridge.ids`. They are used if the match of a unit is unknown."""

    def rows() -> list[tuple[str, int]]:
        from sc2bridge.ids import UnitTypeId  # Imported here because the import is slow.

        return [(name, int(member)) for name, member in UnitTypeId.__members__.items()]

    return Names("unit type", rows, lambda row: (row[1], [row[0]]), "in sc2bridge.ids")
