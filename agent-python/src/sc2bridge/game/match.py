"""The match as one perspective sees it: players, start locations, and the game's constants by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional

from sc2bridge import notebook
from sc2bridge.game import names
from sc2bridge.game.places import coordinates
from sc2bridge.game.words import MatchEnd, MatchPlayer
from sc2bridge.s2clientprotocol import data_pb2, sc2api_pb2
from sc2bridge.v1 import bridge_pb2

if TYPE_CHECKING:
    from sc2bridge.game.frame import Frame

_STRUCTURE = 8  # Attribute.Structure
_RESULTS = {1: "victory", 2: "defeat", 3: "tie", 4: "undecided"}  # sc2api.Result
_OWN = 1


class Match:
    """A MatchDescription, whose fields it has, as one perspective sees it. Equal where the descriptions are."""

    match_id: str
    """Unique for the bridge's life."""
    map_name: str
    perspectives: Sequence[int]
    """The perspectives that can be watched: player ids, 0 for an observer of all."""
    step_size: int
    """Game loops in a step; 0 in real time."""
    rate: float
    """Steps a second; 0 for as fast as it goes."""
    realtime: bool
    simulated: bool
    """The game is the stand-in, not StarCraft II."""
    seed: int
    clock_id: str
    game_info: sc2api_pb2.ResponseGameInfo
    data: sc2api_pb2.ResponseData
    ping: sc2api_pb2.ResponsePing
    recording: str
    """The recording that it is played from; empty in any other match."""
    replay: str
    """The replay that the game plays; empty in any other match."""

    def __init__(self, description: bridge_pb2.MatchDescription, player_id: int = 0) -> None:
        """player_id: the perspective; 0 for an observer of all."""
        self._first: Optional[Frame] = None
        self._start: Optional[tuple[float, float]] = None
        self.end: Optional[MatchEnd] = None
        """How it ended; None before."""
        self.set_description(description, player_id)

    def set_description(self, description: bridge_pb2.MatchDescription, player_id: int) -> None:
        """Sets the description, and the perspective."""
        self.description = description
        self.player_id = player_id
        """The perspective: a player id, 0 for an observer of all."""

    def begin(self, frame: Frame) -> Match:
        """Gives a frame the names of unit types. Keeps the first frame, which `start_location` reads when it is first asked for.
        Returns itself."""
        frame.unit_types = self.unit_types
        if not self._has_begun:
            self._first, self._has_begun = frame, True
        return self

    _has_begun = False

    if not TYPE_CHECKING:  # The fields above are all that there are.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name == "description":
                raise AttributeError(name)
            return getattr(self.description, name)

    @property
    def players(self) -> list[MatchPlayer]:
        """The players and observers, with `kind` and `race` as words."""
        return [MatchPlayer.of(each) for each in self.description.players]

    @property
    def player(self) -> Optional[MatchPlayer]:
        """The player of this perspective; None for an observer of all."""
        return next((each for each in self.players if each.player_id == self.player_id), None)

    @property
    def opponents(self) -> list[MatchPlayer]:
        """The others that play."""
        return [each for each in self.players if each.player_id != self.player_id and each.kind != "observer"]

    @property
    def start_location(self) -> Optional[tuple[float, float]]:
        """Where the own town hall stands in the first frame, x and y in cells; None for an observer, where there is
        none, and before that frame."""
        first, self._first = self._first, None
        if first is not None and self.player_id:
            self._start = _first_town_hall(first)
        return self._start

    @property
    def start_locations(self) -> list[tuple[float, float]]:
        """Where players can start, as GameInfo lists it: for a player without its own place."""
        return [(place.x, place.y) for place in self.game_info.start_raw.start_locations]

    @property
    def enemy_start_locations(self) -> list[tuple[float, float]]:
        """Where opponents can have started; with two starts on the map, the only one is where they did."""
        own = self.start_location
        return [place for place in self.start_locations if own is None or _apart(place, own)]

    @cached_property
    def abilities(self) -> names.Names[data_pb2.AbilityData]:
        """`abilities.TRAIN_SCV`, or `abilities["Train SCV"]`; an id that knows its AbilityData."""
        return names.abilities(self.data)

    @cached_property
    def unit_types(self) -> names.Names[data_pb2.UnitTypeData]:
        """`unit_types.MARINE`; an id that knows its UnitTypeData."""
        data = self.data  # Frames keep these names, which must not keep the match: it keeps the first frame.
        return names.unit_types(lambda: data)

    @cached_property
    def upgrades(self) -> names.Names[data_pb2.UpgradeData]:
        """`upgrades.STIMPACK`; an id that knows its UpgradeData."""
        return names.upgrades(self.data)

    @cached_property
    def buffs(self) -> names.Names[data_pb2.BuffData]:
        """An id that knows its BuffData."""
        return names.buffs(self.data)

    @cached_property
    def effects(self) -> names.Names[data_pb2.EffectData]:
        """An id that knows its EffectData."""
        return names.effects(self.data)

    @cached_property
    def structures(self) -> frozenset[int]:
        """The unit types that are buildings (UnitTypeData.attributes)."""
        return frozenset(row.unit_id for row in self.data.units if _STRUCTURE in row.attributes)

    @property
    def result(self) -> Optional[str]:
        """`victory`, `defeat`, `tie` or `undecided` for the player of this perspective; None where nothing is known,
        as before the end and where the game failed."""
        results = () if self.end is None else self.end.results
        return next((_RESULTS.get(each.result) for each in results if each.player_id == self.player_id), None)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(field.name for field in self.description.DESCRIPTOR.fields)]

    def _repr_html_(self) -> str:
        rows = [(each.player_id, each.kind, each.race, each.difficulty, each.name) for each in self.players]
        ended = f", {self.result or 'ended'}" if self.end else ""
        seen = f"player {self.player_id}" if self.player_id else "an observer"
        return notebook.table(
            ("player", "kind", "race", "difficulty", "name"), rows, f"{self.map_name}, as {seen} sees it{ended}"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Match):
            return NotImplemented
        return self.player_id == other.player_id and bool(self.description == other.description)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Match {self.match_id} on {self.description.map_name}, player {self.player_id}>"


def _apart(place: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(place[0] - other[0]) + abs(place[1] - other[1]) > 1


def _first_town_hall(frame: Frame) -> Optional[tuple[float, float]]:
    """The own building that has work for the most workers: a refinery has it for three."""
    best, place = 0, None
    units: Any = frame.units.own if frame.content == "columns" else frame.observation.observation.raw_data.units
    for unit in units:
        if unit.alliance == _OWN and unit.ideal_harvesters > best:
            best, place = unit.ideal_harvesters, coordinates(unit)[:2]
    return place  # type: ignore[return-value]
