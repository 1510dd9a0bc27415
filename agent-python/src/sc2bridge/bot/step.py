"""The state of a bot in a step: groups of units, and the player's resources and other numbers."""

from __future__ import annotations

from functools import cached_property
from typing import Optional, TypeVar, Union

import numpy as np

from sc2bridge.agents import Agent
from sc2bridge.bot import facts
from sc2bridge.bot.costs import Costs
from sc2bridge.bot.game_data import GameData
from sc2bridge.bot.point import Point2
from sc2bridge.bot.units import Units
from sc2bridge.game import python_sc2_hints
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.v1.bridge_pb2 import MatchDescription

LOOPS_A_SECOND = 22.4

_NEUTRAL = 3

_S = TypeVar("_S", bound="StepState")
_T = TypeVar("_T")


class per_step(cached_property[_T]):
    """A property that is computed on first access and cached until the next frame."""


class per_match(cached_property[_T]):
    """A property that is computed on first access and cached until the next match."""


class StepState(Agent):
    """The contents of the current frame, with python-sc2's names. When a frame arrives, the contents are updated before
    the agent's methods are called. Before the first frame, only `match` is available."""

    can_act = True

    _hints = python_sc2_hints.BOT

    frame: Frame
    """The current frame."""

    minerals: int
    """Minerals that are left after this step's orders."""
    vespene: int
    """Vespene that is left after this step's orders."""
    supply_left: float
    """Supply that is left after this step's orders."""
    supply_used: float
    supply_cap: int
    supply_army: float
    supply_workers: int
    """Supply of the workers. Workers in production do not count."""

    @classmethod
    def for_frame(
        cls: type[_S], match: Union[Match, MatchDescription], frame: Frame, first: Optional[Frame] = None
    ) -> _S:
        """Creates a bot for one frame, without a bridge. The frame is from a recording, or from a subscription that
        does not act.

            BotAI.for_frame(recording.describe(1), recording.at_loop(4032), recording[0]).townhalls

        first: the match's first frame, which shows the player's start and all resources. Without `first`, `frame` must
        show both. Methods that query the game raise ValueError.
        """
        bot = cls()
        bot.match = match if isinstance(match, Match) else Match(match, frame.perspective)
        bot.match.register_frame(first or frame)
        bot._begin_match()
        if first is not None:
            bot._begin_step(first)
        bot._begin_step(frame)
        return bot

    def _begin_match(self) -> None:
        self._drop_cached(per_match, per_step)

    def _begin_step(self, frame: Frame) -> None:
        self._drop_cached(per_step)
        self.frame = frame
        common = frame.common
        self.minerals, self.vespene = common.minerals, common.vespene
        self.supply_cap, self.supply_workers = common.food_cap, common.food_workers
        self.supply_army, self.supply_used = common.food_army, common.food_used
        if self.race == facts.ZERG:
            # The game rounds supply down to a whole number: sc2/bot_ai_internal.py, _correct_zerg_supply.
            odd = int(np.count_nonzero(self.game_data.of_types(self.units.unit_type, "food_required") == 0.5)) % 2
            self.supply_army += odd
            self.supply_used += odd
        self.supply_left = self.supply_cap - self.supply_used
        self.unit_tags_received_action: set[int] = set()
        """Tags of the units that got an order in this step."""

    def _has_step(self, frame: Frame) -> bool:
        # A game that has ended refuses queries. python-sc2 also skips on_step then: sc2/main.py, _play_game_ai.
        return not frame.observation.player_result

    def _drop_cached(self, *kinds: type) -> None:
        for base in type(self).__mro__:
            for name, value in vars(base).items():
                if isinstance(value, kinds):
                    self.__dict__.pop(name, None)

    @per_match
    def game_data(self) -> GameData:
        """Data of the unit types, as arrays."""
        return GameData(self.match)

    @per_match
    def costs(self) -> Costs:
        """Costs of unit types, upgrades and abilities."""
        return Costs(self.match)

    @property
    def player_id(self) -> int:
        return self.match.player_id

    @per_match
    def race(self) -> int:
        """The bot's race (common_pb2.Race: 1 Terran, 2 Zerg, 3 Protoss); 0 for an observer of all players."""
        return self._race_of(self.player_id)

    @property
    def enemy_race(self) -> int:
        """The opponent's race, or the requested race while it is unknown. 0 if there is not exactly one opponent."""
        others = [each.player_id for each in self.match.game_info.player_info if each.player_id != self.player_id]
        return self._race_of(others[0]) if len(others) == 1 and self.player_id else 0

    def _race_of(self, player: int) -> int:
        infos = self.match.game_info.player_info
        return next((each.race_actual or each.race_requested for each in infos if each.player_id == player), 0)

    @property
    def start_location(self) -> Point2:
        """The place of the own town hall in the first frame. Raises ValueError if it showed no own town hall."""
        place = self.match.start_location
        if place is None:
            raise ValueError("no start location: the first frame showed no own town hall: use `units`")
        return Point2(*place)

    @property
    def enemy_start_locations(self) -> list[Point2]:
        """Possible start locations of the opponents."""
        return [Point2(*place) for place in self.match.enemy_start_locations]

    @property
    def time(self) -> float:
        """The game time in seconds, at the speed "faster"."""
        return self.frame.game_loop / LOOPS_A_SECOND

    @property
    def time_formatted(self) -> str:
        """Game time as minutes and seconds: `03:07`."""
        seconds = int(self.time)
        return f"{seconds // 60:02}:{seconds % 60:02}"

    @property
    def idle_worker_count(self) -> int:
        """The number of workers without orders, as the game counts them."""
        return self.frame.common.idle_worker_count

    @property
    def army_count(self) -> int:
        """The number of units in the army, as the game counts them."""
        return self.frame.common.army_count

    @property
    def warp_gate_count(self) -> int:
        """The number of warp gates, as the game counts them."""
        return self.frame.common.warp_gate_count

    @per_step
    def upgrades(self) -> frozenset[int]:
        """Ids of the finished upgrades."""
        return frozenset(self.frame.observation.observation.raw_data.player.upgrade_ids)

    @per_step
    def _whole_table(self) -> Units:
        """The table of all units of the frame."""
        return Units.of_frame(self.frame.units, self.game_data)

    @per_step
    def all_units(self) -> Units:
        """All units of the frame, except blips and units that stand for effects, such as a force field."""
        seen = self._whole_table
        return seen._select(~(seen.is_blip | self.game_data.of_types(seen.unit_type, "is_effect")))

    @per_step
    def blips(self) -> Units:
        """Units that only a sensor tower sees."""
        return self._whole_table[self._whole_table.is_blip]

    @per_step
    def placeholders(self) -> Units:
        """Buildings that are ordered but not started."""
        return self.all_units[self.all_units.is_placeholder]

    @per_step
    def all_own_units(self) -> Units:
        """Own units and buildings."""
        units = self.all_units
        return units[units.is_mine & ~units.is_placeholder]

    @per_step
    def units(self) -> Units:
        """Own units, including workers and larvae, without buildings."""
        return self.all_own_units.not_structure

    @per_step
    def structures(self) -> Units:
        """Own buildings."""
        return self.all_own_units.structure

    @per_step
    def workers(self) -> Units:
        """Own workers."""
        return self.units[self.units.is_worker]

    @per_step
    def larva(self) -> Units:
        """Own larvae."""
        return self.units._select(self.game_data.of_types(self.units.unit_type, "is_larva"))

    @per_step
    def townhalls(self) -> Units:
        """Own town halls, including flying town halls."""
        return self.structures[self.structures.is_townhall]

    @per_step
    def gas_buildings(self) -> Units:
        """Own buildings on geysers."""
        return self.structures[self.structures.is_vespene_geyser]

    @per_step
    def techlab_tags(self) -> set[int]:
        """Tags of own tech labs."""
        return self.structures[self.structures.is_techlab].tags

    @per_step
    def reactor_tags(self) -> set[int]:
        """Tags of own reactors."""
        return self.structures[self.structures.is_reactor].tags

    @per_step
    def all_enemy_units(self) -> Units:
        """Units and buildings of enemies, including snapshots of buildings."""
        units = self.all_units
        return units[units.is_enemy & ~units.is_placeholder]

    @per_step
    def enemy_units(self) -> Units:
        """Units of enemies, without buildings."""
        return self.all_enemy_units.not_structure

    @per_step
    def enemy_structures(self) -> Units:
        """Buildings of enemies."""
        return self.all_enemy_units.structure

    @per_step
    def _neutral(self) -> Units:
        units = self.all_units
        return units._select((units.alliance == _NEUTRAL) & ~units.is_placeholder)

    @per_step
    def mineral_field(self) -> Units:
        """The remaining mineral fields, including snapshots."""
        return self._neutral.mineral_field

    @per_step
    def vespene_geyser(self) -> Units:
        """Geysers without buildings."""
        return self._neutral.vespene_geyser

    @per_step
    def resources(self) -> Units:
        """Mineral fields and geysers, in the game's order."""
        return self._neutral[self._neutral.is_mineral_field | self._neutral.is_vespene_geyser]

    @per_step
    def watchtowers(self) -> Units:
        """Xel'Naga towers."""
        return self._neutral._select(self.game_data.of_types(self._neutral.unit_type, "is_watchtower"))

    @per_step
    def destructables(self) -> Units:
        """Neutral units that are neither resources nor watchtowers: rocks, debris, critters."""
        return self._neutral - self.resources - self.watchtowers
