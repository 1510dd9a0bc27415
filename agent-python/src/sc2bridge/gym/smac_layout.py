"""SMAC's arrays: observations, state and available actions. They are computed from two teams of units, without a game.

Sources: get_obs_agent, get_state_dict, get_avail_agent_actions and the functions that they call, in
smac/env/starcraft2/starcraft2.py of https://github.com/oxwhirl/smac at d6aab33f76abc3849c50463a8592a84f59a5ef84. For
feature names, a unit's own place, ranges by unit type and capabilities: smacv2/env/starcraft2/starcraft2.py of
https://github.com/oxwhirl/smacv2 at 577ab5a2cff2391f8df582da5731ea9cd6adf3c6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sc2bridge.units import Units

FIRST_MOVE, FIRST_TARGET = 2, 6
HEALER = "Medivac"
_MOVES = ("north", "south", "east", "west")
_MOVE_DIRECTIONS = np.array([(0, 1), (0, -1), (1, 0), (-1, 0)])
_OBSERVED_OFFSETS = np.array([(0, 2), (0, -2), (2, 0), (-2, 0), (1, 1), (-1, -1), (1, -1), (-1, 1), (0, 0)])
_SIGHT_RANGE, _WEAPON_RANGE = 9.0, 6.0  # cells, from the middle of a unit to the middle of another unit
_SIGHT_RANGES = {"Stalker": 10, "Colossus": 10, "Zergling": 8, "Baneling": 8, "Marauder": 10, "Medivac": 11}
_WEAPON_RANGES = {
    **{"Stalker": 6, "Zealot": 0.1, "Colossus": 7, "Zergling": 0.1, "Baneling": 0.25, "Hydralisk": 5},
    **{"Marine": 5, "Marauder": 6, "Medivac": 4},
}
_COOLDOWNS = {
    **{"Marine": 15, "Marauder": 25, "Stalker": 35, "Zealot": 22, "Colossus": 24, "Hydralisk": 10},
    **{"Zergling": 11, "Baneling": 1},
}  # game loops; other types have 15
_MOST_ENERGY = 200


@dataclass(frozen=True)
class Options:
    """The arguments of SMAC and SMACv2 that decide what the arrays contain. They have SMAC's names."""

    move_amount: float = 2
    obs_all_health: bool = True
    obs_own_health: bool = True
    obs_last_action: bool = False
    obs_pathing_grid: bool = False
    obs_terrain_height: bool = False
    obs_timestep_number: bool = False
    state_last_action: bool = True
    state_timestep_number: bool = False
    obs_own_pos: bool = False
    use_unit_ranges: bool = False
    min_attack_range: float = 2
    fully_observable: bool = False
    observe_types: bool = True
    """Whether units observe the types of other own units: `observe` in SMACv2's `team_gen`."""


@dataclass(frozen=True)
class Ground:
    """The map. The grids' first index is y."""

    pathing: Any
    height: Any
    """From 0 to 1."""
    playable: tuple[float, float]
    """Width and height of the playable area, in cells."""

    def values_and_inside(self, grid: Any, x: Any, y: Any) -> Any:
        """The grid's values at integer places (1 outside the grid), and a mask of the places inside the grid."""
        height, width = grid.shape
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        return np.where(inside, grid[y.clip(0, height - 1), x.clip(0, width - 1)], 1), inside


class Team:
    """The units of one side. A unit keeps its row in the arrays for the whole match. A dead unit has health 0, and
    keeps its last place."""

    _COLUMNS = ("health", "health_max", "shield", "shield_max", "energy", "weapon_cooldown", "x", "y")
    health: Any
    health_max: Any
    shield: Any
    shield_max: Any
    energy: Any
    weapon_cooldown: Any
    x: Any
    y: Any

    def __init__(self, units: Units, names: Sequence[str], count: int) -> None:
        """units: the units in the order of the rows. names: the names of their types. count: the number of rows."""
        self.tags = np.zeros(count, np.uint64)
        self.tags[: len(units)] = units.tag[:count]
        self.names = np.array([*names, *[""] * (count - len(units))][:count])
        """The names of the units' types."""
        self.alive = np.zeros(count, bool)
        for name in self._COLUMNS:
            setattr(self, name, np.zeros(count))
        self.update(units)

    @property
    def points(self) -> Any:
        """The sum of health and shield of each unit."""
        return np.where(self.alive, self.health + self.shield, 0)

    def update(self, units: Units) -> None:
        """Updates the values from the units of a newer frame."""
        self.alive = np.zeros(len(self.tags), bool)
        if len(units):
            order = np.argsort(units.tag)
            at = order[np.minimum(np.searchsorted(units.tag, self.tags, sorter=order), len(order) - 1)]
            self.alive = (units.tag[at] == self.tags) & (self.tags > 0) & (units.health[at] > 0)
            for name in self._COLUMNS:
                getattr(self, name)[self.alive] = getattr(units, name)[at[self.alive]]
        self.health[~self.alive] = 0

    def health_and_shield_fractions(self) -> tuple[Any, Any]:
        """Health and shield, divided by their maximum."""
        return _fraction(self.health, self.health_max), _fraction(self.shield, self.shield_max)


class Layout:
    """Computes the arrays of a fight between teams of fixed sizes."""

    def __init__(
        self,
        agents: int,
        enemies: int,
        types: tuple[Sequence[str], Sequence[str]],
        shields: tuple[bool, bool],
        options: Options,
        has_healers: bool,
    ) -> None:
        """types: the types of own units and of enemies, in the order of their bits; empty if there are no such bits.
        shields: whether own units and enemies have shields. has_healers: whether own units may be healers."""
        self.agents, self.enemies, self.options = agents, enemies, options
        self.has_healers = has_healers
        """Whether own units may be healers."""
        self._types, self._shields = types, shields
        self.actions = FIRST_TARGET + (max(agents, enemies) if has_healers else enemies)
        """The number of actions."""
        self._others = np.array(
            [[other for other in range(agents) if other != agent] for agent in range(agents)], np.intp
        ).reshape(agents, agents - 1)
        bits = [f"type_{bit}" for bit in range(len(types[0]))]
        shield = [["shield"] if each else [] for each in shields]
        self.ally_names = ["health", "energy/cooldown", "rel_x", "rel_y", *shield[0], *bits]
        """The names of an own unit's numbers in the state."""
        self.enemy_names = ["health", "rel_x", "rel_y", *shield[1], *bits]
        """The names of an enemy's numbers in the state."""

    def sight_and_weapon_ranges(self, own: Team) -> tuple[Any, Any]:
        """The sight range and the weapon range of each unit, in cells."""
        if not self.options.use_unit_ranges:
            return np.full(self.agents, _SIGHT_RANGE), np.full(self.agents, _WEAPON_RANGE)
        least = self.options.min_attack_range
        return (
            np.array([_SIGHT_RANGES.get(name, _SIGHT_RANGE) for name in own.names.tolist()], float),
            np.array([max(_WEAPON_RANGES.get(name, _WEAPON_RANGE), least) for name in own.names.tolist()], float),
        )

    def available(self, own: Team, enemies: Team, ground: Ground) -> Any:
        """For each unit and action: 1 if the unit may choose the action, else 0."""
        found = np.zeros((self.agents, self.actions), np.int64)
        found[:, 0], found[:, 1] = ~own.alive, own.alive
        half = self.options.move_amount / 2
        x = (own.x[:, None] + _MOVE_DIRECTIONS[:, 0] * half).astype(np.intp)
        y = (own.y[:, None] + _MOVE_DIRECTIONS[:, 1] * half).astype(np.intp)
        is_open, inside = ground.values_and_inside(ground.pathing, x, y)
        found[:, FIRST_MOVE:FIRST_TARGET] = inside & is_open.astype(bool) & own.alive[:, None]
        shoot = self.sight_and_weapon_ranges(own)[1][:, None]
        near = (_distances(own, enemies)[0] <= shoot) & own.alive[:, None] & enemies.alive
        found[:, FIRST_TARGET : FIRST_TARGET + self.enemies] = near
        healers = own.names == HEALER
        if healers.any():
            near = (_distances(own, own)[0] <= shoot) & own.alive[:, None] & own.alive & ~healers
            found[healers, FIRST_TARGET:] = 0
            found[healers, FIRST_TARGET : FIRST_TARGET + self.agents] = near[healers]
        return found

    def observations(
        self, own: Team, enemies: Team, ground: Ground, available: Any, last_actions: Any, elapsed_fraction: float
    ) -> Any:
        """The observations: a row for each unit. available: the result of `available`. last_actions: one-hot.
        elapsed_fraction: the steps so far, divided by the episode's limit."""
        options, sight = self.options, self.sight_and_weapon_ranges(own)[0][:, None]
        targets = available[:, FIRST_TARGET : FIRST_TARGET + self.enemies]
        parts = [self._move_features(own, ground, available)]
        for side, team, first in ((1, enemies, targets), (0, own, np.ones((self.agents, self.agents)))):
            distance, x, y = _distances(own, team)
            seen = own.alive[:, None] & team.alive & (options.fully_observable | (distance < sight))
            health, shield = team.health_and_shield_fractions()
            columns = [first, distance / sight, x / sight, y / sight]
            if options.obs_all_health:
                columns += [health, shield] if self._shields[side] else [health]
            bits = _one_hot(team.names, self._types[side])
            columns += [*bits.T] if side or options.observe_types else [*np.zeros_like(bits).T]
            if options.obs_last_action and not side:
                columns += [*last_actions.T]
            table = np.stack([np.broadcast_to(each, seen.shape) for each in columns], axis=2) * seen[..., None]
            if not side:
                table = np.take_along_axis(table, self._others[..., None], axis=1)
            parts.append(table.reshape(self.agents, -1))
        parts.append(self._own_features(own, ground) * own.alive[:, None])
        if options.obs_timestep_number:
            parts.append(np.full((self.agents, 1), elapsed_fraction))
        return np.concatenate(parts, axis=1, dtype=np.float32)

    def state_tables(self, own: Team, enemies: Team, ground: Ground) -> tuple[Any, Any]:
        """The state as two tables: a row for each own unit, and a row for each enemy."""
        height, width = ground.pathing.shape
        tables = []
        for side, team in enumerate((own, enemies)):
            health, shield = team.health_and_shield_fractions()
            columns = [health] if side else [health, self._energy_or_cooldown(team)]
            columns += [(team.x - width / 2) / ground.playable[0], (team.y - height / 2) / ground.playable[1]]
            columns += [shield] if self._shields[side] else []
            columns += [*_one_hot(team.names, self._types[side]).T]
            tables.append(np.stack(columns, axis=1) * team.alive[:, None])
        return tables[0], tables[1]

    def state(self, own: Team, enemies: Team, ground: Ground, last_actions: Any, elapsed_fraction: float) -> Any:
        """The state as a flat array. For the arguments see `observations`."""
        parts = [each.reshape(-1) for each in self.state_tables(own, enemies, ground)]
        parts += [last_actions.reshape(-1)] if self.options.state_last_action else []
        parts += [np.array([elapsed_fraction])] if self.options.state_timestep_number else []
        return np.concatenate(parts, dtype=np.float32)

    def visible(self, own: Team, enemies: Team) -> Any:
        """For each own unit, booleans: which own units it sees, then which enemies. A unit does not see itself."""
        sight, alive = self.sight_and_weapon_ranges(own)[0][:, None], own.alive[:, None]
        # As in SMAC: for a pair of own units, the sight range of the first unit counts for both.
        first = np.triu((_distances(own, own)[0] < sight) & alive & own.alive, 1)
        return np.hstack([first | first.T, (_distances(own, enemies)[0] < sight) & alive & enemies.alive])

    def capabilities(self, own: Team) -> Any:
        """The types of the own units, one-hot, as a flat array."""
        return _one_hot(own.names, self._types[0]).astype(np.float32).reshape(-1)

    def obs_names(self) -> list[str]:
        """SMACv2's names for the numbers in the observation of unit 0."""
        options = self.options
        names = [f"move_action_{each}" for each in _MOVES]
        names += [f"pathing_grid_{number}" for number in range(8)] if options.obs_pathing_grid else []
        names += [f"terrain_height_{number}" for number in range(9)] if options.obs_terrain_height else []
        for side, team, first, rows in (
            (1, "enemy", "shootable", range(self.enemies)),
            (0, "ally", "visible", range(1, self.agents)),
        ):
            health = ["health", "shield"][: 1 + self._shields[side]] if options.obs_all_health else []
            for row in rows:
                names += [f"{team}_{each}_{row}" for each in (first, "distance", "relative_x", "relative_y", *health)]
                names += [f"{team}_unit_type_{row}_bit_{bit}" for bit in range(len(self._types[side]))]
                if options.obs_last_action and not side:
                    names += [f"ally_last_action_{row}_action_{action}" for action in range(self.actions)]
        if options.obs_own_health or options.obs_all_health:
            names += ["own_health", "own_shield"][: 1 + self._shields[0]]
        names += ["own_pos_x", "own_pos_y"] if options.obs_own_pos else []
        names += [f"own_unit_type_bit_{bit}" for bit in range(len(self._types[0]))]
        return names + (["timestep"] if options.obs_timestep_number else [])

    def state_names(self) -> list[str]:
        """SMACv2's names for the numbers in the state."""
        names = []
        for side, team, rows in ((0, "ally", self.agents), (1, "enemy", self.enemies)):
            what = ["health", *(() if side else ("cooldown",)), "relative_x", "relative_y"]
            what += ["shield"] if self._shields[side] else []
            for row in range(rows):
                names += [f"{team}_{each}_{row}" for each in what]
                names += [f"{team}_unit_type_{row}_bit_{bit}" for bit in range(len(self._types[side]))]
        if self.options.state_last_action:
            names += [
                f"ally_last_action_{row}_action_{action}"
                for row in range(self.agents)
                for action in range(self.actions)
            ]
        return names + (["timestep"] if self.options.state_timestep_number else [])

    def _move_features(self, own: Team, ground: Ground, available: Any) -> Any:
        columns = [available[:, FIRST_MOVE:FIRST_TARGET].astype(float)]
        cells = np.stack([own.x, own.y], axis=1).astype(np.intp)
        around = (cells[:, None] + _OBSERVED_OFFSETS * self.options.move_amount).astype(np.intp)
        for grid, wanted, count in (
            (ground.pathing, self.options.obs_pathing_grid, 8),
            (ground.height, self.options.obs_terrain_height, 9),
        ):
            if wanted:
                values, _ = ground.values_and_inside(grid, around[:, :count, 0], around[:, :count, 1])
                columns.append(values.astype(float))
        return np.concatenate(columns, axis=1) * own.alive[:, None]

    def _own_features(self, own: Team, ground: Ground) -> Any:
        options, (health, shield) = self.options, own.health_and_shield_fractions()
        columns = []
        if options.obs_own_health or options.obs_all_health:
            columns += [health, shield] if self._shields[0] else [health]
        if options.obs_own_pos:
            height, width = ground.pathing.shape
            columns += [own.x / width, own.y / height]
        columns += [*_one_hot(own.names, self._types[0]).T]
        return np.stack(columns, axis=1) if columns else np.zeros((self.agents, 0))

    @staticmethod
    def _energy_or_cooldown(team: Team) -> Any:
        # The time until the next shot, or a healer's energy, divided by the maximum.
        most = np.array([_COOLDOWNS.get(name, 15) for name in team.names.tolist()], float)
        return np.where(team.names == HEALER, team.energy / _MOST_ENERGY, team.weapon_cooldown / most)


def _distances(own: Team, others: Team) -> tuple[Any, Any, Any]:
    """The distance from each own unit to each unit of `others`, and its parts along x and y."""
    x, y = others.x - own.x[:, None], others.y - own.y[:, None]
    return np.hypot(x, y), x, y


def _fraction(points: Any, most: Any) -> Any:
    return np.divide(points, most, out=np.zeros(len(points)), where=most > 0)


def _one_hot(names: Any, types: Sequence[str]) -> Any:
    return np.array([[name == each for each in types] for name in names.tolist()], float).reshape(
        len(names), len(types)
    )
