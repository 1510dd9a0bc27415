"""What an environment can do: spaces, masks, and commands of the game's that actions stand for."""

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

_AIR, _ANY = 2, 3  # Weapon.TargetType; 1 is ground
_AT_POINT, _AT_UNIT, _AT_BOTH = 2, 3, 4  # AbilityData.Target; 1 and 5 need none
_MOVES = np.array([(0, 2), (0, -2), (2, 0), (-2, 0)], np.float32)
NO_OP, STOP, FIRST_MOVE, FIRST_TARGET = 0, 1, 2, 6


def _ends(cells: Any) -> Any:
    """Of each cell (rows of y), and each move, the cell that it ends in; False beyond the edge."""
    (height, width), reach = cells.shape, int(_MOVES.max())
    padded = np.pad(cells, reach)
    corners = _MOVES.astype(int) + reach
    return np.stack([padded[y : y + height, x : x + width] for x, y in corners], axis=2)


def _numbers(action: Any, shape: tuple[int, ...], choices: int, what: str) -> Any:
    """An action as whole numbers. Raises ValueError for another shape, and for numbers that are not among the choices."""
    numbers = np.asarray(action)
    if numbers.shape != shape or numbers.dtype.kind not in "iuf":
        raise ValueError(f"action {action!r}: give {what}")
    chosen = numbers.astype(np.int64)
    wrong = np.flatnonzero((chosen != numbers) | (chosen < 0) | (chosen >= choices))
    if len(wrong):
        number, where = numbers.flat[wrong[0]], f" for unit {wrong[0]}" if shape else ""
        raise ValueError(f"action {number}{where}: choose 0 to {choices - 1}")
    return chosen


class UnitActions:
    """A number for each own row: 0 nothing (the only one of a row without a unit), 1 stop, 2 to 5 move two cells north, south,
    east, west. For a unit that attacks, 6 + j attacks the enemy in the j-th enemy row. For a unit that heals (a medivac), 6 + j heals
    the unit in the j-th of the other own rows: its own row is not counted, as it cannot heal itself.

    As SMAC's (get_avail_agent_actions, get_agent_action in
    https://github.com/oxwhirl/smac/blob/master/smac/env/starcraft2/starcraft2.py), with two differences: the range is the unit's own,
    and SMAC counts the healer's own row.
    The mask has a row of numbers for each own row, and is made of the units alone: the game is not asked.
    """

    asks_game = False
    """Whether `mask` asks the game."""

    def __init__(self, slots: Slots, size: int) -> None:
        """size: own rows, and targets: as many as either side has."""
        self._slots = slots
        own = len(slots.tags[slots.own])
        self.choices = FIRST_TARGET + size
        self.space: Any = spaces.MultiDiscrete([self.choices] * own)
        self._ranges: dict[int, tuple[float, float]] = {}

    def begin(self, match: Match) -> None:
        """A match begins."""
        self._data = match.data
        self._stop, self._move, self._attack = (int(match.abilities[name]) for name in ("Stop", "Move", "Attack"))
        self._healers = [int(match.unit_types[name]) for name in ("Medivac",) if name in match.unit_types]
        self._heal = int(match.abilities["Effect Heal"]) if self._healers else 0
        pathing = to_array(match.game_info.start_raw.pathing_grid).astype(bool)
        self._open = np.stack([_ends(pathing), _ends(np.ones_like(pathing))])  # For what walks, and for what flies.
        self._last_cell = np.array(pathing.shape[::-1], np.float32) - 1
        self._ranges.clear()

    def heals(self, unit_type: int) -> bool:
        """Whether units of this type heal where others attack."""
        return unit_type in self._healers

    def mask(self, units: Units, frames: Subscription) -> Any:
        """Which numbers each own row may choose (int8), of the frame whose units are placed."""
        slots = self._slots
        own, enemies = slots.rows[slots.own], slots.rows[slots.enemies]
        mask, there = np.zeros((len(own), self.choices), np.int8), own >= 0
        mask[:, NO_OP], mask[:, STOP] = ~there, there
        rows, seen = there.nonzero()[0], (enemies >= 0).nonzero()[0]
        unit, enemy = own[rows], enemies[seen]
        place, flies = units.pos[:, :2], units.is_flying
        here, types = place[unit], units.unit_type[unit]
        x, y = np.minimum(np.maximum(here, 0), self._last_cell).astype(np.intp).T
        mask[rows, FIRST_MOVE:FIRST_TARGET] = self._open[flies[unit].view(np.uint8), y, x]
        if len(enemy):
            radius = units.radius
            ranges = np.array([self._range(kind) for kind in types.tolist()]).reshape(-1, 2)
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

    def check(self, action: Any) -> Any:
        """The numbers of an action. Raises ValueError if it is not in the space."""
        count = len(self.space.nvec)
        return _numbers(action, (count,), self.choices, f"{count} numbers, one for each own row")

    def act(self, action: Any, units: Units, frames: Subscription) -> None:
        """Gives the orders of an action. Targets out of range are ordered too, whatever the mask says. Raises as `check`."""
        slots, numbers = self._slots, self.check(action)
        own, enemies = slots.rows[slots.own], slots.rows[slots.enemies]
        acting = ((own >= 0) & (numbers > NO_OP)).nonzero()[0]
        if not len(acting):
            return
        rows, chosen = own[acting], numbers[acting]
        # Of those that do not move it is not read; the remainder keeps the index in range.
        ends = units.pos[rows, :2] + _MOVES[(chosen - FIRST_MOVE) % len(_MOVES)]
        actions = []
        for row, tag, kind, end, number in zip(
            acting.tolist(), units.tag[rows].tolist(), units.unit_type[rows].tolist(), ends.tolist(), chosen.tolist()
        ):
            # Built here and not by `command`, whose look-ups and checks would cost at every step.
            todo = sc2api_pb2.Action()
            order = todo.action_raw.unit_command
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
            actions.append(todo)
        if actions:
            frames.act(actions)

    def _range(self, unit_type: int) -> tuple[float, float]:
        """How far a type shoots at what flies, and at what does not; below 0 where it cannot."""
        if unit_type not in self._ranges:
            found = [-1e9, -1e9]
            weapons = next((row.weapons for row in self._data.units if row.unit_id == unit_type), ())
            for weapon in weapons:
                for place, kind in enumerate((_AIR, 1)):
                    if weapon.type in (kind, _ANY):
                        found[place] = max(found[place], weapon.range)
            self._ranges[unit_type] = (found[0], found[1])
        return self._ranges[unit_type]


class TeamActions:
    """One number for the side: 0 nothing; then for each ability, in the order in which they are given, one action where it needs no
    target, one for each cell of a coarse grid over the map (row by row from the lower left) where it takes a place, and one for each
    row of the units where it takes a unit (of the enemies' rows alone where it takes a place too).

    Every own unit that has the ability obeys; of one that makes something, a single unit, an idle one first. A building is put up at
    the nearest place to the cell's middle where it can stand. The mask has the abilities that the game says are available.
    """

    asks_game = True
    """Whether `mask` asks the game."""

    def __init__(self, slots: Slots, abilities: Sequence[str], cells: int, match: Match) -> None:
        self._slots, self._cells = slots, cells
        self.choices: list[tuple[str, str, int]] = [("", "", 0)]
        """Of each number the ability, and its target: `cell`, `row` or nothing, and which."""
        rows = range(slots.count)
        for name in abilities:
            kind = match.abilities[name].data.target
            if kind not in (_AT_POINT, _AT_UNIT, _AT_BOTH):
                self.choices.append((name, "", 0))
            if kind in (_AT_POINT, _AT_BOTH):
                self.choices += [(name, "cell", cell) for cell in range(cells * cells)]
            if kind in (_AT_UNIT, _AT_BOTH):
                self.choices += [(name, "row", row) for row in (rows[slots.enemies] if kind == _AT_BOTH else rows)]
        self.space: Any = spaces.Discrete(len(self.choices))

    def begin(self, match: Match) -> None:
        """A match begins."""
        self._general = {row.ability_id: row.remaps_to_ability_id or row.ability_id for row in match.data.abilities}
        self._makes = {row.ability_id: row.unit_id for row in match.data.units if row.ability_id}
        self._makers = {self._general.get(ability, ability) for ability in self._makes} | set(self._makes)
        self._ids = {name: int(match.abilities[name]) for name, _, _ in self.choices if name}
        names = ["", *self._ids]
        self._which = np.array([names.index(name) for name, _, _ in self.choices])
        self._rows = np.array(
            [at if what == "row" else -1 for _, what, at in self.choices]
        )  # The last is always there.
        self._buildings = {name for name in self._ids if match.abilities[name].data.is_building}
        area = match.game_info.start_raw.playable_area
        self._corner = np.array([area.p0.x, area.p0.y])
        self._cell = (np.array([area.p1.x, area.p1.y]) - self._corner) / self._cells
        self._have: dict[int, list[int]] = {}

    def mask(self, units: Units, frames: Subscription) -> Any:
        """Which numbers can be chosen (int8); asks the game what its units can do."""
        tags = units.own.tag.tolist()
        self._have = {}
        for tag, available in zip(tags, frames.query_available_abilities(tags) if tags else ()):
            for ability in {each for one in available for each in (one, self._general.get(one, one))}:
                self._have.setdefault(ability, []).append(tag)
        can = np.array([True, *(ability in self._have for ability in self._ids.values())])
        return (can[self._which] & np.append(self._slots.filled, True)[self._rows]).astype(np.int8)

    def check(self, action: Any) -> Any:
        """The number of an action. Raises ValueError if it is not in the space."""
        return _numbers(action, (), len(self.choices), "one number")

    def act(self, action: Any, units: Units, frames: Subscription) -> None:
        """Gives the order of a number; none if no unit has the ability. Raises as `check`."""
        name, what, at = self.choices[int(self.check(action))]
        tags = self._have.get(self._ids[name], []) if name else []
        if not tags:
            return
        target: Any = None
        if what == "row":
            if not self._slots.filled[at]:
                return
            target = int(self._slots.tags[at])
        elif what == "cell":
            target = (self._corner + (np.array([at % self._cells, at // self._cells]) + 0.5) * self._cell).tolist()
        if self._ids[name] in self._makers:
            idle = set(units.own.idle.tag.tolist())
            tags = sorted(tags, key=lambda tag: tag not in idle)[:1]
            if what == "cell" and name in self._buildings:
                target = frames.find_placement(self._makes[self._ids[name]], target, reach=8)
                if target is None:
                    return
        frames.command(tags, self._ids[name], target)


def usual_abilities(match: Match, race: int, fights: bool) -> Iterable[str]:
    """What the units of a race can do: fight; where it is no fight of a scenario, also gather and make what it makes."""
    names = ["Stop", "HoldPosition", "Move", "Attack"]
    if not fights:
        makes = sorted(
            {row.ability_id for row in match.data.units if row.available and row.race == race and row.ability_id}
        )
        known = [match.abilities[ability] for ability in makes if ability in match.abilities]
        names += ["Harvest Gather", "Harvest Return", *(each.name for each in known)]
    return [name for name in dict.fromkeys(names) if name in match.abilities]


ACTIONS: tuple[str, ...] = ("discrete", "multi_discrete")
"""By what `MatchEnv` calls them."""

__all__ = ["ACTIONS", "TeamActions", "UnitActions", "usual_abilities"]
