"""Actions of an environment: their spaces, their masks, and the game commands that perform them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from sc2bridge.client.sync import Subscription
from sc2bridge.game.images import to_array
from sc2bridge.game.match import Match
from sc2bridge.gym.slots import Slots
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import Units

_GROUND, _AIR, _ANY = 1, 2, 3  # Weapon.TargetType
_AT_POINT, _AT_UNIT, _AT_BOTH = 2, 3, 4  # AbilityData.Target; 1 and 5 allow no target
_MOVES = np.array([(0, 2), (0, -2), (2, 0), (-2, 0)], np.float32)
NO_OP, STOP, FIRST_MOVE, FIRST_TARGET = 0, 1, 2, 6


def _values_after_moves(grid: Any) -> Any:
    """For each cell `[y, x]` and each move, the value of the cell where the move ends; False beyond the map's edge."""
    (height, width), reach = grid.shape, int(_MOVES.max())
    padded = np.pad(grid, reach)
    corners = _MOVES.astype(int) + reach
    return np.stack([padded[y : y + height, x : x + width] for x, y in corners], axis=2)


def _checked_numbers(action: Any, shape: tuple[int, ...], choice_count: int, what: str) -> Any:
    """Converts an action to integers. Raises ValueError for another shape or a number outside 0 to choice_count - 1."""
    numbers = np.asarray(action)
    if numbers.shape != shape or numbers.dtype.kind not in "iuf":
        raise ValueError(f"action {action!r}: give {what}")
    chosen = numbers.astype(np.int64)
    wrong = np.flatnonzero((chosen != numbers) | (chosen < 0) | (chosen >= choice_count))
    if len(wrong):
        number, where = numbers.flat[wrong[0]], f" for unit {wrong[0]}" if shape else ""
        raise ValueError(f"action {number}{where}: choose 0 to {choice_count - 1}")
    return chosen


class UnitActions:
    """An action has a number for each own row of `Slots`:
    - 0 does nothing. A row without a unit can only choose 0.
    - 1 stops.
    - 2, 3, 4 and 5 move two cells north, south, east or west.
    - 6 + j attacks the enemy in the j-th enemy row. A medivac instead heals the unit in the j-th own row. This count
      skips the medivac itself, because a medivac cannot heal itself.

    The numbers follow SMAC (get_avail_agent_actions, get_agent_action in
    https://github.com/oxwhirl/smac/blob/master/smac/env/starcraft2/starcraft2.py). There are two differences: each
    unit has its real range, and SMAC's count includes the healer itself. For each own row, the mask shows which numbers
    can be chosen. It is computed from the units, without a query to the game.
    """

    queries_game = False
    """Whether `mask` queries the game."""

    def __init__(self, slots: Slots, target_count: int) -> None:
        """target_count: the number of own rows or of enemy rows, whichever is larger."""
        self._slots = slots
        own = len(slots.tags[slots.own])
        self.choice_count = FIRST_TARGET + target_count
        self.space: Any = spaces.MultiDiscrete([self.choice_count] * own)
        self._ranges: dict[int, tuple[float, float]] = {}

    def begin(self, match: Match) -> None:
        """Reads the data of a new match."""
        self._data = match.data
        self._stop, self._move, self._attack = (int(match.abilities[name]) for name in ("Stop", "Move", "Attack"))
        self._healers = [int(match.unit_types[name]) for name in ("Medivac",) if name in match.unit_types]
        self._heal = int(match.abilities["Effect Heal"]) if self._healers else 0
        pathing = to_array(match.game_info.start_raw.pathing_grid).astype(bool)
        grids = (pathing, np.ones_like(pathing))  # The first is for ground units, the second for flying units.
        self._is_open = np.stack([_values_after_moves(grid) for grid in grids])
        self._last_cell = np.array(pathing.shape[::-1], np.float32) - 1
        self._ranges.clear()

    def is_healer(self, unit_type: int) -> bool:
        """Whether units of this type heal instead of attacking."""
        return unit_type in self._healers

    def mask(self, units: Units, frames: Subscription) -> Any:
        """For each own row and number: 1 (int8) if the row can choose the number, else 0. units: the newest units."""
        slots = self._slots
        own, enemies = slots.unit_rows[slots.own], slots.unit_rows[slots.enemies]
        mask, there = np.zeros((len(own), self.choice_count), np.int8), own >= 0
        mask[:, NO_OP], mask[:, STOP] = ~there, there
        rows, seen = there.nonzero()[0], (enemies >= 0).nonzero()[0]
        unit, enemy = own[rows], enemies[seen]
        place, flies = units.pos[:, :2], units.is_flying
        here, types = place[unit], units.unit_type[unit]
        x, y = np.minimum(np.maximum(here, 0), self._last_cell).astype(np.intp).T
        mask[rows, FIRST_MOVE:FIRST_TARGET] = self._is_open[flies[unit].view(np.uint8), y, x]
        if len(enemy):
            radius = units.radius
            ranges = np.array([self._air_and_ground_ranges(kind) for kind in types.tolist()]).reshape(-1, 2)
            apart = here[:, None] - place[enemy]
            reach = np.where(flies[enemy], ranges[:, :1], ranges[:, 1:])
            mask[rows[:, None], FIRST_TARGET + seen] = (
                np.hypot(apart[..., 0], apart[..., 1]) <= reach + radius[enemy] + radius[unit, None]
            )
        for row in [row for kind in self._healers for row in rows[types == kind].tolist()]:
            hurt = (own >= 0) & (units.health[own] < units.health_max[own]) & ~flies[own]
            mask[row, FIRST_TARGET:] = 0
            mask[row, FIRST_TARGET : FIRST_TARGET + len(own) - 1] = np.delete(hurt, row)
        return mask

    def to_numbers(self, action: Any) -> Any:
        """Converts an action to integers. Raises ValueError for an action outside the space."""
        count = len(self.space.nvec)
        return _checked_numbers(action, (count,), self.choice_count, f"{count} numbers, one for each own row")

    def act(self, action: Any, units: Units, frames: Subscription) -> None:
        """Sends the orders of an action, even if a target is out of range. Raises ValueError, like `to_numbers`."""
        slots, numbers = self._slots, self.to_numbers(action)
        own, enemies = slots.unit_rows[slots.own], slots.unit_rows[slots.enemies]
        acting = ((own >= 0) & (numbers > NO_OP)).nonzero()[0]
        if not len(acting):
            return
        rows, chosen = own[acting], numbers[acting]
        # Only moves use `ends`. For other actions, the modulo keeps the index in range.
        ends = units.pos[rows, :2] + _MOVES[(chosen - FIRST_MOVE) % len(_MOVES)]
        actions = []
        for row, tag, kind, end, number in zip(
            acting.tolist(), units.tag[rows].tolist(), units.unit_type[rows].tolist(), ends.tolist(), chosen.tolist()
        ):
            # Creates orders here, because the look-ups and checks of `command` are too slow for every step.
            message = sc2api_pb2.Action()
            order = message.action_raw.unit_command
            order.unit_tags.append(tag)
            if number == STOP:
                order.ability_id = self._stop
            elif number < FIRST_TARGET:
                order.ability_id, at = self._move, order.target_world_space_pos
                at.x, at.y = end
            else:
                heals = kind in self._healers
                targets = np.delete(own, row) if heals else enemies
                target = targets[number - FIRST_TARGET] if number - FIRST_TARGET < len(targets) else -1
                if target < 0:
                    continue
                order.ability_id = self._heal if heals else self._attack
                order.target_unit_tag = int(units.tag[target])
            actions.append(message)
        if actions:
            frames.act(actions)

    def _air_and_ground_ranges(self, unit_type: int) -> tuple[float, float]:
        """A type's ranges against air and ground. A range is negative if the type has no weapon for such targets."""
        if unit_type not in self._ranges:
            found = [-1e9, -1e9]
            weapons = next((row.weapons for row in self._data.units if row.unit_id == unit_type), ())
            for weapon in weapons:
                for index, target_type in enumerate((_AIR, _GROUND)):
                    if weapon.type in (target_type, _ANY):
                        found[index] = max(found[index], weapon.range)
            self._ranges[unit_type] = (found[0], found[1])
        return self._ranges[unit_type]


class TeamActions:
    """An action is one number for the whole side. 0 does nothing. The other numbers stand for the abilities, in the
    given order, with their targets:
    - an ability without a target has one number;
    - an ability at a place has one number for each cell of a coarse grid over the map, row by row from the lower left;
    - an ability at a unit has one number for each row of `Slots`;
    - an ability at a unit or a place has one number for each cell, then one number for each row of enemies.

    All own units with the ability obey. An order to produce goes to one unit only, preferably an idle unit. A
    building is placed as near as possible to the middle of the cell. The mask allows abilities that the game reports as
    available.
    """

    queries_game = True

    def __init__(self, slots: Slots, abilities: Sequence[str], cells_per_edge: int, match: Match) -> None:
        self._slots, self._cells_per_edge = slots, cells_per_edge
        self.choices: list[tuple[str, str, int]] = [("", "", 0)]
        """For each number: the ability, the kind of target (`cell`, `row` or empty), and the cell's or row's index."""
        rows = range(slots.count)
        for name in abilities:
            kind = match.abilities[name].data.target
            if kind not in (_AT_POINT, _AT_UNIT, _AT_BOTH):
                self.choices.append((name, "", 0))
            if kind in (_AT_POINT, _AT_BOTH):
                self.choices += [(name, "cell", cell) for cell in range(cells_per_edge**2)]
            if kind in (_AT_UNIT, _AT_BOTH):
                self.choices += [(name, "row", row) for row in (rows[slots.enemies] if kind == _AT_BOTH else rows)]
        self.space: Any = spaces.Discrete(len(self.choices))

    def begin(self, match: Match) -> None:
        """Reads the data of a new match."""
        rows = match.data.abilities
        self._general_ability = {row.ability_id: row.remaps_to_ability_id or row.ability_id for row in rows}
        self._made_type = {row.ability_id: row.unit_id for row in match.data.units if row.ability_id}
        general = {self._general_ability.get(ability, ability) for ability in self._made_type}
        self._production_abilities = general | set(self._made_type)
        self._ids = {name: int(match.abilities[name]) for name, _, _ in self.choices if name}
        names = ["", *self._ids]
        self._ability_index = np.array([names.index(name) for name, _, _ in self.choices])
        # The index -1 selects the entry that `mask` appends. This entry is always True.
        self._target_row = np.array([at if what == "row" else -1 for _, what, at in self.choices])
        self._buildings = {name for name in self._ids if match.abilities[name].data.is_building}
        area = match.game_info.start_raw.playable_area
        self._corner = np.array([area.p0.x, area.p0.y])
        self._cell_size = (np.array([area.p1.x, area.p1.y]) - self._corner) / self._cells_per_edge
        self._tags_by_ability: dict[int, list[int]] = {}

    def mask(self, units: Units, frames: Subscription) -> Any:
        """For each number: 1 (int8) if it can be chosen, else 0. Queries the game for the available abilities."""
        tags = units.own.tag.tolist()
        self._tags_by_ability = {}
        for tag, available in zip(tags, frames.query_available_abilities(tags) if tags else ()):
            for ability in {each for one in available for each in (one, self._general_ability.get(one, one))}:
                self._tags_by_ability.setdefault(ability, []).append(tag)
        is_available = np.array([True, *(ability in self._tags_by_ability for ability in self._ids.values())])
        has_target = np.append(self._slots.filled, True)[self._target_row]
        return (is_available[self._ability_index] & has_target).astype(np.int8)

    def to_numbers(self, action: Any) -> Any:
        """Converts an action to an integer. Raises ValueError for an action outside the space."""
        return _checked_numbers(action, (), len(self.choices), "one number")

    def act(self, action: Any, units: Units, frames: Subscription) -> None:
        """Sends the order of an action. Sends none if no unit has the ability. Raises ValueError like `to_numbers`."""
        name, what, at = self.choices[int(self.to_numbers(action))]
        tags = self._tags_by_ability.get(self._ids[name], []) if name else []
        if not tags:
            return
        target: Any = None
        if what == "row":
            if not self._slots.filled[at]:
                return
            target = int(self._slots.tags[at])
        elif what == "cell":
            row, column = divmod(at, self._cells_per_edge)
            target = (self._corner + (np.array([column, row]) + 0.5) * self._cell_size).tolist()
        if self._ids[name] in self._production_abilities:
            idle = set(units.own.idle.tag.tolist())
            tags = sorted(tags, key=lambda tag: tag not in idle)[:1]
            if what == "cell" and name in self._buildings:
                target = frames.find_placement(self._made_type[self._ids[name]], target, reach=8)
                if target is None:
                    return
        frames.command(tags, self._ids[name], target)


def usual_abilities(match: Match, race: int, is_fight: bool) -> Iterable[str]:
    """Names of a race's usual abilities in fights. If `is_fight` is False, adds abilities to gather and to produce."""
    names = ["Stop", "HoldPosition", "Move", "Attack"]
    if not is_fight:
        types = [row for row in match.data.units if row.available and row.race == race and row.ability_id]
        production = sorted({row.ability_id for row in types})
        known = [match.abilities[ability] for ability in production if ability in match.abilities]
        names += ["Harvest Gather", "Harvest Return", *(each.name for each in known)]
    return [name for name in dict.fromkeys(names) if name in match.abilities]


ACTIONS: tuple[str, ...] = ("discrete", "multi_discrete")
"""The accepted values of `actions` in `MatchEnv`."""
