"""Checks of what an environment is made with. They run in its constructor, before a program is started."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable
from typing import Any, Optional

from sc2bridge.client.launch import launch
from sc2bridge.hints import did_you_mean, refuse_text
from sc2bridge.s2clientprotocol import common_pb2, sc2api_pb2

_SET_BY_ENVIRONMENTS = ("players", "seed", "wait")
_RACES = [name for name in common_pb2.Race.keys() if name != "NoRace"]
_DIFFICULTIES = [*sc2api_pb2.Difficulty.keys(), "Elite"]


def choose(what: str, given: Any, choices: Iterable[str], methods: Iterable[str] = (), other: str = "") -> None:
    """Raises ValueError for a text that is not one of the choices, TypeError for an object without these methods, which `other`
    describes."""
    names = list(choices)
    if isinstance(given, str):
        if given not in names:
            raise ValueError(f"{what} {given!r}: {did_you_mean(given, names, 'choose ' + ', '.join(names))}")
    elif not other or not all(callable(getattr(given, name, None)) for name in methods):
        raise TypeError(f"{what} {given!r}: choose {', '.join(names)}{other and ', or give '}{other}")


def whole(what: str, given: Any, least: int, most: int) -> None:
    """Raises ValueError for anything but a whole number in this range."""
    try:
        fits = not isinstance(given, bool) and least <= operator.index(given) <= most
    except TypeError:
        fits = False
    if not fits:
        raise ValueError(f"{what} {given!r}: give a whole number from {least:,} to {most:,}")


def rows(given: Any) -> None:
    """Raises ValueError for anything but None or three numbers of rows."""
    if given is None:
        return
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != 3:
        raise ValueError(f"rows {given!r}: give three numbers: own units, enemies and neutral units")
    for what, each in zip(("own units", "enemies", "neutral units"), given):
        whole(f"rows: {what}", each, 0, 100_000)


def texts(what: str, given: Any, count: Optional[int] = None) -> None:
    """Raises TypeError for a single text and for other things than texts, ValueError for another number of them."""
    refuse_text(what, given)
    if not isinstance(given, Iterable) or not all(isinstance(each, str) for each in given):
        raise TypeError(f"{what} {given!r}: give a list of texts")
    if count is not None and len(list(given)) != count:
        raise ValueError(f"{what} {given!r}: give {count}")


def opponent(given: Any) -> None:
    """Raises ValueError for a player that `--player` of `sc2bridge match` does not know, or that agents play."""
    parts = [each.strip() for each in given.split(":")] if isinstance(given, str) else []
    kind = parts[0].casefold() if parts else ""
    if kind == "agent":
        raise ValueError(f"opponent {given!r}: this environment plays one side: SidesEnv plays both")
    if (kind, len(parts)) not in (("computer", 3), ("computer", 4), ("api", 2)):
        raise ValueError(
            f"opponent {given!r}: give computer:RACE:DIFFICULTY, such as computer:terran:VeryHard, or api:RACE"
        )
    for what, part, names in zip(
        ("race", "difficulty", "build"), parts[1:], (_RACES, _DIFFICULTIES, sc2api_pb2.AIBuild.keys())
    ):
        if part.casefold() not in [each.casefold() for each in names]:
            near = did_you_mean(part, names, f"choose {', '.join(names)}")
            raise ValueError(f"opponent {given!r}: there is no {what} {part!r}: {near}")


def races(scenario: Optional[str], wanted: Iterable[str], given: Iterable[tuple[str, str]]) -> None:
    """Raises ValueError for players of another race than their scenario has. given: for each player the argument and its race."""
    for needed, (argument, race) in zip(wanted, given):
        if needed and race.strip().casefold() != needed:
            raise ValueError(f"{argument}: scenario {scenario} needs the race {needed}, not {race}")


def keywords(made: Callable[..., Any], given: Iterable[str]) -> None:
    """Raises TypeError for further arguments that neither the constructor `made` nor `sc2bridge.launch` has."""
    passed_on = [name for name in inspect.signature(launch).parameters if name not in _SET_BY_ENVIRONMENTS]
    own = [name for name in inspect.signature(made).parameters if name not in ("self", "launch", "kwargs")]
    for name in given:
        if name in _SET_BY_ENVIRONMENTS:
            raise TypeError(f"{name}: an environment sets this argument of sc2bridge.launch itself")
        if name not in passed_on:
            raise TypeError(f"there is no argument {name!r}: {did_you_mean(name, [*own, *passed_on])}".rstrip(": "))
