"""Checks an environment's arguments. The constructor calls these functions before it starts a program."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable
from typing import Any, Optional

from sc2bridge.client.launch import launch
from sc2bridge.hints import did_you_mean, require_no_string
from sc2bridge.s2clientprotocol import common_pb2, sc2api_pb2

_SET_BY_ENVIRONMENTS = ("players", "seed", "wait")
_RACES = [name for name in common_pb2.Race.keys() if name != "NoRace"]
_DIFFICULTIES = [*sc2api_pb2.Difficulty.keys(), "Elite"]


def check_choice(what: str, given: Any, choices: Iterable[str], methods: Iterable[str] = (), other: str = "") -> None:
    """Raises ValueError for a string that is not in `choices`, TypeError for an object without `methods`. what: the
    argument's name. other: a description of an object with these methods; empty if only strings are allowed."""
    names = list(choices)
    if isinstance(given, str):
        if given not in names:
            raise ValueError(f"{what} {given!r}: {did_you_mean(given, names, 'choose ' + ', '.join(names))}")
    elif not other or not all(callable(getattr(given, name, None)) for name in methods):
        raise TypeError(f"{what} {given!r}: choose {', '.join(names)}{other and ', or give '}{other}")


def check_whole_number(what: str, given: Any, least: int, most: int) -> None:
    """Raises ValueError unless the argument is a whole number in this range."""
    try:
        fits = not isinstance(given, bool) and least <= operator.index(given) <= most
    except TypeError:
        fits = False
    if not fits:
        raise ValueError(f"{what} {given!r}: give a whole number from {least:,} to {most:,}")


def check_rows(given: Any) -> None:
    """Raises ValueError unless the argument is None or has three numbers."""
    if given is None:
        return
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != 3:
        raise ValueError(f"rows {given!r}: give three numbers: own units, enemies and neutral units")
    for what, each in zip(("own units", "enemies", "neutral units"), given):
        check_whole_number(f"rows: {what}", each, 0, 100_000)


def check_texts(what: str, given: Any, count: Optional[int] = None) -> None:
    """Raises TypeError unless the argument is a list of strings, ValueError unless it has `count` strings."""
    require_no_string(what, given)
    if not isinstance(given, Iterable) or not all(isinstance(each, str) for each in given):
        raise TypeError(f"{what} {given!r}: give a list of strings")
    if count is not None and len(list(given)) != count:
        raise ValueError(f"{what} {given!r}: give {count} strings")


def check_opponent(given: Any) -> None:
    """Raises ValueError for an agent, and for a player that `--player` of `sc2bridge match` does not accept."""
    parts = [each.strip() for each in given.split(":")] if isinstance(given, str) else []
    kind = parts[0].casefold() if parts else ""
    if kind == "agent":
        raise ValueError(f"opponent {given!r}: this environment plays one side; use SidesEnv for both sides")
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


def check_races(scenario: Optional[str], wanted: Iterable[str], given: Iterable[tuple[str, str]]) -> None:
    """Raises ValueError if a player's race differs from the scenario's race. given: each player's argument and race."""
    for needed, (argument, race) in zip(wanted, given):
        if needed and race.strip().casefold() != needed:
            raise ValueError(f"{argument}: scenario {scenario} needs the race {needed}, not {race}")


def check_keywords(constructor: Callable[..., Any], given: Iterable[str]) -> None:
    """Raises TypeError for keyword arguments that neither `constructor` nor `sc2bridge.launch` accepts."""
    passed_on = [name for name in inspect.signature(launch).parameters if name not in _SET_BY_ENVIRONMENTS]
    own = [name for name in inspect.signature(constructor).parameters if name not in ("self", "launch", "kwargs")]
    for name in given:
        if name in _SET_BY_ENVIRONMENTS:
            raise TypeError(f"{name}: leave this argument out: the environment passes it to sc2bridge.launch itself")
        if name not in passed_on:
            raise TypeError(f"there is no argument {name!r}: {did_you_mean(name, [*own, *passed_on])}".rstrip(": "))
