"""The game's constants by name: `match.abilities.TRAIN_SCV`, from the match's own tables (ResponseData).

The running game says which constants exist and which number each has. `sc2bridge.ids` is for a table of units whose match is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar, Union

from sc2bridge.hints import did_you_mean

Data = TypeVar("Data")

_NO_LETTER = re.compile(r"[\W_]+")


class Id(int, Generic[Data]):
    """A number of the game's that knows its name: an id wherever one is asked for."""

    name: str
    """In capitals, as python-sc2 writes names: `TRAIN_SCV`."""
    data: Data
    """The game's data of it: AbilityData, UnitTypeData …"""

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
    """A table of the game's by its names, however they are written: `Train SCV`, `TRAIN_SCV` and `TrainScv` are one.

    `names["TRAIN_SCV"]`, `names.TRAIN_SCV` and `names[524]` are the same. Raises KeyError (AttributeError for an
    attribute) with the names that are near by.
    """

    def __init__(
        self,
        what: str,
        rows: Callable[[], Iterable[Data]],
        read: Callable[[Data], tuple[int, list[str]]],
        place: str = "in this match",
    ) -> None:
        """what: `ability`, for messages; place: the same. rows: called when a name is first looked up. read: a row's number and its
        names, the best first."""
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
        # All first names go before any second one, so that no other spelling takes a name away.
        for place in range(max((len(names) for *_, names in named), default=0)):
            for _, number, names in named:
                if place < len(names):
                    keys.setdefault(_key(names[place]), number)
        for row, number, names in named:
            own = next((name for name in names if keys[_key(name)] == number), None)
            if own is not None:
                numbers.setdefault(number, Id(number, _constant(own), row))
        return numbers, {key: numbers[number] for key, number in keys.items() if number in numbers}

    def __getitem__(self, name: Union[str, int]) -> Id[Data]:
        numbers, keys = self._tables
        found = keys.get(_key(name)) if isinstance(name, str) else numbers.get(int(name))
        if found is None:
            raise KeyError(self._absent(name))
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
            return _key(name) in self._tables[1]
        return isinstance(name, int) and name in self._tables[0]

    def __iter__(self) -> Iterator[str]:
        return (each.name for each in self._tables[0].values())

    def __len__(self) -> int:
        return len(self._tables[0])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return f"<names of {len(self)}: {self._what}>"

    def _absent(self, name: Union[str, int]) -> str:
        if not isinstance(name, str):
            return f"there is no {self._what} {name} {self._place}"
        near = did_you_mean(_key(name), {key: each.name for key, each in self._tables[1].items()}, most=3)
        return f"there is no {self._what} {name} {self._place}: {near}".rstrip(": ")


def _key(name: str) -> str:
    return _NO_LETTER.sub("", name).casefold()


def _constant(name: str) -> str:
    return _NO_LETTER.sub("_", name.strip()).strip("_").upper()


def abilities(data: Any) -> Names[Any]:
    """Of a ResponseData: by the name that people read, as `Train SCV`, or else the name in the game's data and the
    button's, as `CommandCenterTrain SCV`. Those are python-sc2's names too."""

    def rows() -> list[Any]:
        named = [row for row in data.abilities if row.friendly_name or row.button_name]
        general = {row.remaps_to_ability_id for row in named if row.HasField("remaps_to_ability_id")}
        # If several share a name, the general ability has it, because it works for each unit; then one that this match has.
        return sorted(named, key=lambda row: (row.ability_id not in general, not row.available, row.ability_id))

    def read(row: Any) -> tuple[int, list[str]]:
        first, second = row.friendly_name, f"{row.link_name} {row.button_name or row.link_name}"
        return row.ability_id, [first or second, second, f"{first or second} {row.ability_id}"]

    return Names("ability", rows, read)


def unit_types(data: Callable[[], Any]) -> Names[Any]:
    """Unit types by `UnitTypeData.name`. data: returns the ResponseData; called when a name is first looked up."""

    def rows() -> list[Any]:
        return sorted(data().units, key=lambda row: (not row.available, row.unit_id))

    return Names(
        "unit type", rows, lambda row: (row.unit_id, [row.name, f"{row.name} {row.unit_id}"] if row.name else [])
    )


def upgrades(data: Any) -> Names[Any]:
    """Of a ResponseData, by `UpgradeData.name`."""
    return Names("upgrade", lambda: list(data.upgrades), lambda row: (row.upgrade_id, [row.name]))


def buffs(data: Any) -> Names[Any]:
    """Of a ResponseData, by `BuffData.name`."""
    return Names("buff", lambda: list(data.buffs), lambda row: (row.buff_id, [row.name]))


def effects(data: Any) -> Names[Any]:
    """Of a ResponseData, by `EffectData.name`, or `friendly_name`."""
    return Names("effect", lambda: list(data.effects), lambda row: (row.effect_id, [row.name, row.friendly_name]))


@lru_cache(None)
def usual_unit_types() -> Names[Any]:
    """Of `sc2bridge.ids`, for units whose match is not known."""

    def rows() -> list[tuple[str, int]]:
        from sc2bridge.ids import UnitTypeId  # Takes a while to import.

        return [(name, int(member)) for name, member in UnitTypeId.__members__.items()]

    return Names("unit type", rows, lambda row: (row[1], [row[0]]), "in sc2bridge.ids")
