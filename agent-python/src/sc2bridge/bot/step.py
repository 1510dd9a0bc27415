"""What a bot sees in a step: the units by groups, and the player's numbers."""

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
from sc2bridge.game import habits
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.v1.bridge_pb2 import MatchDescription

LOOPS_A_SECOND = 22.4

_NEUTRAL = 3

_S = TypeVar("_S", bound="Step")
_T = TypeVar("_T")


class per_step(cached_property[_T]):
    """A property that is reckoned when it is first asked for, and kept until the next frame comes."""


class per_match(cached_property[_T]):
    """The same, kept until the next match begins."""


class Step(Agent):
    """The frame that is held, by python-sc2's names. Set before anything of an agent is called for a frame; before the first one there
    is the match alone."""

    can_act = True

    _habits = habits.BOT

    frame: Frame
    """The observation."""

    minerals: int
    """What is left of the stock, after what the step has ordered."""
    vespene: int
    supply_left: float
    """Of the supply, after what the step has ordered."""
    supply_used: float
    supply_cap: int
    supply_army: float
    supply_workers: int
    """Without those in production."""

    @classmethod
    def at(cls: type[_S], match: Union[Match, MatchDescription], frame: Frame, first: Optional[Frame] = None) -> _S:
        """A bot that looks at one frame, with no bridge: of a recording, or of a subscription that only watches.

            BotAI.at(recording.describe(1), recording.at_loop(4032), recording[0]).townhalls

        first: the match's first frame, for where the player started and what resources there were; else this one tells. What has to be
        asked of a game raises ValueError.
        """
        bot = cls()
        bot.match = match if isinstance(match, Match) else Match(match, frame.perspective)
        bot.match.begin(first or frame)
        bot._begin_match()
        if first is not None:
            bot._begin_step(first)
        bot._begin_step(frame)
        return bot

    def _begin_match(self) -> None:
        self._forget(per_match, per_step)

    def _begin_step(self, frame: Frame) -> None:
        self._forget(per_step)
        self.frame = frame
        common = frame.common
        self.minerals, self.vespene = common.minerals, common.vespene
        self.supply_cap, self.supply_workers = common.food_cap, common.food_workers
        self.supply_army, self.supply_used = common.food_army, common.food_used
        if self.race == facts.ZERG:
            # The game rounds down half a supply: sc2/bot_ai_internal.py, _correct_zerg_supply.
            odd = int(np.count_nonzero(self.game_data.of(self.units.unit_type, "food_required") == 0.5)) % 2
            self.supply_army += odd
            self.supply_used += odd
        self.supply_left = self.supply_cap - self.supply_used
        self.unit_tags_received_action: set[int] = set()
        """Units that the step has ordered something."""

    def _has_step(self, frame: Frame) -> bool:
        # A game that has ended refuses queries. python-sc2 does not call on_step then either: sc2/main.py, _play_game_ai.
        return not frame.observation.player_result

    def _forget(self, *kept: type) -> None:
        for kind in type(self).__mro__:
            for name, value in vars(kind).items():
                if isinstance(value, kept):
                    self.__dict__.pop(name, None)

    # Of the match.

    @per_match
    def game_data(self) -> GameData:
        """What the game says of its types, as arrays."""
        return GameData(self.match)

    @per_match
    def costs(self) -> Costs:
        """What things cost."""
        return Costs(self.match)

    @property
    def player_id(self) -> int:
        """One's own."""
        return self.match.player_id

    @per_match
    def race(self) -> int:
        """One's own (common_pb2.Race: 1 Terran, 2 Zerg, 3 Protoss); 0 for an observer of all."""
        return self._race(self.player_id)

    @property
    def enemy_race(self) -> int:
        """The opponent's, as far as it is known; 0 where there is not one opponent."""
        others = [each.player_id for each in self.match.game_info.player_info if each.player_id != self.player_id]
        return self._race(others[0]) if len(others) == 1 and self.player_id else 0

    def _race(self, player: int) -> int:
        infos = self.match.game_info.player_info
        return next((each.race_actual or each.race_requested for each in infos if each.player_id == player), 0)

    @property
    def start_location(self) -> Point2:
        """Where the own town hall stood in the first frame. Raises ValueError where there was none."""
        place = self.match.start_location
        if place is None:
            raise ValueError("there is no start: the first frame showed no own town hall")
        return Point2(*place)

    @property
    def enemy_start_locations(self) -> list[Point2]:
        """Where opponents can have started."""
        return [Point2(*place) for place in self.match.enemy_start_locations]

    # Of the player.

    @property
    def time(self) -> float:
        """Seconds of the game at speed faster."""
        return self.frame.game_loop / LOOPS_A_SECOND

    @property
    def time_formatted(self) -> str:
        """Minutes and seconds: `03:07`."""
        seconds = int(self.time)
        return f"{seconds // 60:02}:{seconds % 60:02}"

    @property
    def idle_worker_count(self) -> int:
        """Workers without orders, as the game counts."""
        return self.frame.common.idle_worker_count

    @property
    def army_count(self) -> int:
        """Units of the army, as the game counts."""
        return self.frame.common.army_count

    @property
    def warp_gate_count(self) -> int:
        """Warp gates, as the game counts."""
        return self.frame.common.warp_gate_count

    @per_step
    def upgrades(self) -> frozenset[int]:
        """Upgrades that are finished, by their ids."""
        return frozenset(self.frame.observation.observation.raw_data.player.upgrade_ids)

    # The units.

    @per_step
    def _seen(self) -> Units:
        """The frame's whole table."""
        return Units.of_frame(self.frame.units, self.game_data)

    @per_step
    def all_units(self) -> Units:
        """All that is seen, but for blips, and for units that are effects (a force field)."""
        seen = self._seen
        return seen._select(~(seen.is_blip | self.game_data.of(seen.unit_type, "is_effect")))

    @per_step
    def blips(self) -> Units:
        """What only a sensor tower sees."""
        return self._seen[self._seen.is_blip]

    @per_step
    def placeholders(self) -> Units:
        """Buildings that are ordered and not begun."""
        return self.all_units[self.all_units.is_placeholder]

    @per_step
    def all_own_units(self) -> Units:
        """One's own, buildings too."""
        units = self.all_units
        return units[units.is_mine & ~units.is_placeholder]

    @per_step
    def units(self) -> Units:
        """One's own, without buildings; workers and larvae too."""
        return self.all_own_units.not_structure

    @per_step
    def structures(self) -> Units:
        """One's own buildings."""
        return self.all_own_units.structure

    @per_step
    def workers(self) -> Units:
        """One's own."""
        return self.units[self.units.is_worker]

    @per_step
    def larva(self) -> Units:
        """One's own."""
        return self.units._select(self.game_data.of(self.units.unit_type, "is_larva"))

    @per_step
    def townhalls(self) -> Units:
        """One's own, flying ones too."""
        return self.structures[self.structures.is_townhall]

    @per_step
    def gas_buildings(self) -> Units:
        """One's own on geysers."""
        return self.structures[self.structures.is_vespene_geyser]

    @per_step
    def techlab_tags(self) -> set[int]:
        """Of one's own tech labs."""
        return self.structures[self.structures.is_techlab].tags

    @per_step
    def reactor_tags(self) -> set[int]:
        """Of one's own reactors."""
        return self.structures[self.structures.is_reactor].tags

    @per_step
    def all_enemy_units(self) -> Units:
        """Enemies', buildings too, and snapshots of these."""
        units = self.all_units
        return units[units.is_enemy & ~units.is_placeholder]

    @per_step
    def enemy_units(self) -> Units:
        """Enemies', without buildings."""
        return self.all_enemy_units.not_structure

    @per_step
    def enemy_structures(self) -> Units:
        """Enemies' buildings."""
        return self.all_enemy_units.structure

    @per_step
    def _neutral(self) -> Units:
        units = self.all_units
        return units._select((units.alliance == _NEUTRAL) & ~units.is_placeholder)

    @per_step
    def mineral_field(self) -> Units:
        """All that are left, snapshots too."""
        return self._neutral.mineral_field

    @per_step
    def vespene_geyser(self) -> Units:
        """Geysers without buildings."""
        return self._neutral.vespene_geyser

    @per_step
    def resources(self) -> Units:
        """Both, in the game's order."""
        return self._neutral[self._neutral.is_mineral_field | self._neutral.is_vespene_geyser]

    @per_step
    def watchtowers(self) -> Units:
        """Xel'Naga towers."""
        return self._neutral._select(self.game_data.of(self._neutral.unit_type, "is_watchtower"))

    @per_step
    def destructables(self) -> Units:
        """All else that is neutral: rocks, debris, critters."""
        return self._neutral - self.resources - self.watchtowers
