"""The match as one perspective sees it: players, start locations, and the game's constants by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional

from sc2bridge import notebook
from sc2bridge.game import names
from sc2bridge.game.ground import Ground
from sc2bridge.game.places import coordinates
from sc2bridge.game.words import MatchEnd, MatchPlayer
from sc2bridge.s2clientprotocol import data_pb2, sc2api_pb2
from sc2bridge.v1 import bridge_pb2

if TYPE_CHECKING:
    from sc2bridge.game.frame import Frame

_STRUCTURE = 8  # Attribute.Structure
_RESULTS = {1: "victory", 2: "defeat", 3: "tie", 4: "undecided"}  # sc2api.Result
_SELF = 1


class Match:
    """The match as one perspective sees it. It has the fields of MatchDescription. Two matches are equal if their
    descriptions and perspectives are equal."""

    match_id: str
    """A running bridge uses each id for one match only."""
    map_name: str
    perspectives: Sequence[int]
    """The perspectives that agents can subscribe to: player ids, or 0 for an observer of all players."""
    step_size: int
    """Game loops per step; 0 in real time."""
    rate: float
    """Steps per second; 0 for no limit."""
    realtime: bool
    simulated: bool
    """True if the game is the simulated game, not StarCraft II."""
    seed: int
    clock_id: str
    game_info: sc2api_pb2.ResponseGameInfo
    data: sc2api_pb2.ResponseData
    ping: sc2api_pb2.ResponsePing
    recording: str
    """The recording that the bridge plays back; empty if it plays no recording."""
    replay: str
    """The replay that the game plays; empty if it plays no replay."""

    def __init__(self, description: bridge_pb2.MatchDescription, player_id: int = 0) -> None:
        """player_id: the perspective; 0 for an observer of all players."""
        self._first_frame: Optional[Frame] = None
        self._start_location: Optional[tuple[float, float]] = None
        self.end: Optional[MatchEnd] = None
        """How the match ended; None before the end."""
        self.set_description(description, player_id)

    def set_description(self, description: bridge_pb2.MatchDescription, player_id: int) -> None:
        """Replaces the description and the perspective."""
        self.description = description
        self.player_id = player_id
        """The perspective: a player id, or 0 for an observer of all players."""

    def register_frame(self, frame: Frame) -> Match:
        """Gives a frame the names of the match's unit types and the map's ground. Stores the first frame until
        `start_location` is first used. Returns self."""
        frame.unit_types, frame._ground = self.unit_types, self._ground
        if not self._has_begun:
            self._first_frame, self._has_begun = frame, True
        return self

    _has_begun = False

    if not TYPE_CHECKING:  # Type checkers know the fields above, so __getattr__ is hidden from them.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name == "description":
                raise AttributeError(name)
            return getattr(self.description, name)

    @property
    def players(self) -> list[MatchPlayer]:
        """The players and observers, with `kind` and `race` as text."""
        return [MatchPlayer.of(each) for each in self.description.players]

    @property
    def player(self) -> Optional[MatchPlayer]:
        """The player of this perspective; None for an observer of all players."""
        return next((each for each in self.players if each.player_id == self.player_id), None)

    @property
    def opponents(self) -> list[MatchPlayer]:
        """The other players, without observers."""
        return [each for each in self.players if each.player_id != self.player_id and each.kind != "observer"]

    @property
    def start_location(self) -> Optional[tuple[float, float]]:
        """The position of the own town hall in the first frame, x and y in cells. None before that frame, for an
        observer, and if the first frame shows no own town hall."""
        first, self._first_frame = self._first_frame, None
        if first is not None and self.player_id:
            self._start_location = _town_hall_position(first)
        return self._start_location

    @property
    def start_locations(self) -> list[tuple[float, float]]:
        """The start locations in GameInfo. For a player, its own start location is not in this list."""
        return [(place.x, place.y) for place in self.game_info.start_raw.start_locations]

    @property
    def enemy_start_locations(self) -> list[tuple[float, float]]:
        """Possible start locations of opponents. On a map with two start locations, this is the opponent's location."""
        own = self.start_location
        return [place for place in self.start_locations if own is None or _are_different(place, own)]

    @cached_property
    def abilities(self) -> names.Names[data_pb2.AbilityData]:
        """Ability ids by name: `abilities.TRAIN_SCV`, `abilities["Train SCV"]`. Each id has AbilityData as `data`."""
        return names.abilities(self.data)

    @cached_property
    def unit_types(self) -> names.Names[data_pb2.UnitTypeData]:
        """Unit type ids by name: `unit_types.MARINE`. Each id has its UnitTypeData as `data`."""
        # The match refers to a frame, and the frame to the names. A reference from names to match would be a cycle.
        data = self.data
        return names.unit_types(lambda: data)

    @cached_property
    def _ground(self) -> Ground:
        """The ground of the map, for `sc2bridge.simulate`."""
        description = self.description
        return Ground(lambda: description.game_info)

    @cached_property
    def upgrades(self) -> names.Names[data_pb2.UpgradeData]:
        """Upgrade ids by name: `upgrades.STIMPACK`. Each id has its UpgradeData as `data`."""
        return names.upgrades(self.data)

    @cached_property
    def buffs(self) -> names.Names[data_pb2.BuffData]:
        """Buff ids by name. Each id has its BuffData as `data`."""
        return names.buffs(self.data)

    @cached_property
    def effects(self) -> names.Names[data_pb2.EffectData]:
        """Effect ids by name. Each id has its EffectData as `data`."""
        return names.effects(self.data)

    @cached_property
    def structures(self) -> frozenset[int]:
        """The unit types that are buildings (UnitTypeData.attributes)."""
        return frozenset(row.unit_id for row in self.data.units if _STRUCTURE in row.attributes)

    def share_names(self, other: Match) -> None:
        """Uses the names that another match with the same data has computed, because this takes some milliseconds."""
        for name in ("abilities", "unit_types", "upgrades", "buffs", "effects", "structures"):
            if name in other.__dict__:
                self.__dict__[name] = other.__dict__[name]

    @property
    def result(self) -> Optional[str]:
        """`victory`, `defeat`, `tie` or `undecided` for the player of this perspective. None before the end, if
        the game failed, and for an observer."""
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


def _are_different(place: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(place[0] - other[0]) + abs(place[1] - other[1]) > 1


def _town_hall_position(frame: Frame) -> Optional[tuple[float, float]]:
    """The place of the own building with the largest `ideal_harvesters`: 3 for a refinery, more for a town hall."""
    best, place = 0, None
    units: Any = frame.units.own if frame.content == "columns" else frame.observation.observation.raw_data.units
    for unit in units:
        if unit.alliance == _SELF and unit.ideal_harvesters > best:
            best, place = unit.ideal_harvesters, coordinates(unit)[:2]
    return place  # type: ignore[return-value]
