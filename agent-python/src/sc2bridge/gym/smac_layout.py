"""SMAC's arrays, made of two teams of units without a game: what units observe, the state, and which actions there are.

Sources: get_obs_agent, get_state_dict, get_avail_agent_actions and what they call, in smac/env/starcraft2/starcraft2.py of
https://github.com/oxwhirl/smac at d6aab33f76abc3849c50463a8592a84f59a5ef84. Names of features, own places, ranges by unit type and
capabilities: smacv2/env/starcraft2/starcraft2.py of https://github.com/oxwhirl/smacv2 at 577ab5a2cff2391f8df582da5731ea9cd6adf3c6.
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
_DIRECTIONS = np.array([(0, 1), (0, -1), (1, 0), (-1, 0)])
_AROUND = np.array([(0, 2), (0, -2), (2, 0), (-2, 0), (1, 1), (-1, -1), (1, -1), (-1, 1), (0, 0)])
_SIGHT, _SHOOT = 9.0, 6.0  # cells, from a unit's middle to another's
_SIGHTS = {"Stalker": 10, "Colossus": 10, "Zergling": 8, "Baneling": 8, "Marauder": 10, "Medivac": 11}
_SHOOTS = {
    **{"Stalker": 6, "Zealot": 0.1, "Colossus": 7, "Zergling": 0.1, "Baneling": 0.25, "Hydralisk": 5},
    **{"Marine": 5, "Marauder": 6, "Medivac": 4},
}
_COOLDOWNS = {
    **{"Marine": 15, "Marauder": 25, "Stalker": 35, "Zealot": 22, "Colossus": 24, "Hydralisk": 10},
    **{"Zergling": 11, "Baneling": 1},
}  # game loops; 15 of other types
_MOST_ENERGY = 200


@dataclass(frozen=True)
class Options:
    """SMAC's and SMACv2's arguments that decide what the arrays hold, by their names."""

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
    """Whether units observe the types of the other own units: `observe` of SMACv2's `team_gen`."""


@dataclass(frozen=True)
class Ground:
    """The map. The grids' first index is y."""

    pathing: Any
    height: Any
    """0 to 1."""
    playable: tuple[float, float]
    """Width and height of the playable area, in cells."""

    def at(self, grid: Any, x: Any, y: Any) -> Any:
        """The grid's cells at whole places, 1 beyond its edge; and which places are within it."""
        height, width = grid.shape
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        return np.where(inside, grid[y.clip(0, height - 1), x.clip(0, width - 1)], 1), inside


class Team:
    """The units of one side. Each keeps its row in the arrays for the whole match, also when it is dead: then its health is 0 and its
    place stays."""

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
        """units: in the order of the rows. names: their types'. count: rows."""
        self.tags = np.zeros(count, np.uint64)
        self.tags[: len(units)] = units.tag[:count]
        self.names = np.array([*names, *[""] * (count - len(units))][:count])
        """The names of the units' types."""
        self.alive = np.zeros(count, bool)
        for name in self._COLUMNS:
            setattr(self, name, np.zeros(count))
        self.see(units)

    @property
    def points(self) -> Any:
        """Health and shield."""
        return np.where(self.alive, self.health + self.shield, 0)

    def see(self, units: Units) -> None:
        """Takes over the units of a newer frame."""
        self.alive = np.zeros(len(self.tags), bool)
        if len(units):
            order = np.argsort(units.tag)
            at = order[np.minimum(np.searchsorted(units.tag, self.tags, sorter=order), len(order) - 1)]
            self.alive = (units.tag[at] == self.tags) & (self.tags > 0) & (units.health[at] > 0)
            for name in self._COLUMNS:
                getattr(self, name)[self.alive] = getattr(units, name)[at[self.alive]]
        self.health[~self.alive] = 0

    def fractions(self) -> tuple[Any, Any]:
        """Health and shield as parts of the most."""
        return _part(self.health, self.health_max), _part(self.shield, self.shield_max)


class Layout:
    """The arrays of a fight between teams of these sizes."""

    def __init__(
        self,
        agents: int,
        enemies: int,
        types: tuple[Sequence[str], Sequence[str]],
        shields: tuple[bool, bool],
        options: Options,
        heals: bool,
    ) -> None:
        """types: in the order of their bits, of own units and of enemies; empty without such bits. shields: which side has some.
        heals: whether own units may be healers."""
        self.agents, self.enemies, self.options = agents, enemies, options
        self.heals = heals
        """Whether own units may be healers."""
        self._types, self._shields = types, shields
        self.actions = FIRST_TARGET + (max(agents, enemies) if heals else enemies)
        """How many there are."""
        self._others = np.array(
            [[other for other in range(agents) if other != agent] for agent in range(agents)], np.intp
        ).reshape(agents, agents - 1)
        bits = [f"type_{bit}" for bit in range(len(types[0]))]
        shield = [["shield"] if each else [] for each in shields]
        self.ally_names = ["health", "energy/cooldown", "rel_x", "rel_y", *shield[0], *bits]
        """Of an own unit in the state."""
        self.enemy_names = ["health", "rel_x", "rel_y", *shield[1], *bits]
        """Of an enemy in the state."""

    def ranges(self, own: Team) -> tuple[Any, Any]:
        """How far each unit sees and shoots, in cells."""
        if not self.options.use_unit_ranges:
            return np.full(self.agents, _SIGHT), np.full(self.agents, _SHOOT)
        least = self.options.min_attack_range
        return (
            np.array([_SIGHTS.get(name, _SIGHT) for name in own.names.tolist()], float),
            np.array([max(_SHOOTS.get(name, _SHOOT), least) for name in own.names.tolist()], float),
        )

    def available(self, own: Team, enemies: Team, ground: Ground) -> Any:
        """Which actions each unit may choose: 1 or 0."""
        found = np.zeros((self.agents, self.actions), np.int64)
        found[:, 0], found[:, 1] = ~own.alive, own.alive
        half = self.options.move_amount / 2
        x = (own.x[:, None] + _DIRECTIONS[:, 0] * half).astype(np.intp)
        y = (own.y[:, None] + _DIRECTIONS[:, 1] * half).astype(np.intp)
        open_, inside = ground.at(ground.pathing, x, y)
        found[:, FIRST_MOVE:FIRST_TARGET] = inside & open_.astype(bool) & own.alive[:, None]
        shoot = self.ranges(own)[1][:, None]
        near = (_apart(own, enemies)[0] <= shoot) & own.alive[:, None] & enemies.alive
        found[:, FIRST_TARGET : FIRST_TARGET + self.enemies] = near
        healers = own.names == HEALER
        if healers.any():
            near = (_apart(own, own)[0] <= shoot) & own.alive[:, None] & own.alive & ~healers
            found[healers, FIRST_TARGET:] = 0
            found[healers, FIRST_TARGET : FIRST_TARGET + self.agents] = near[healers]
        return found

    def observations(self, own: Team, enemies: Team, ground: Ground, available: Any, last: Any, part: float) -> Any:
        """The observation of each unit, a row for each. available: the result of the method of this name. last: the last actions, one-hot.
        part: which part of the episode is over."""
        options, sight = self.options, self.ranges(own)[0][:, None]
        targets = available[:, FIRST_TARGET : FIRST_TARGET + self.enemies]
        parts = [self._moves(own, ground, available)]
        for side, team, first in ((1, enemies, targets), (0, own, np.ones((self.agents, self.agents)))):
            distance, x, y = _apart(own, team)
            seen = own.alive[:, None] & team.alive & (options.fully_observable | (distance < sight))
            health, shield = team.fractions()
            columns = [first, distance / sight, x / sight, y / sight]
            if options.obs_all_health:
                columns += [health, shield] if self._shields[side] else [health]
            bits = _one_hot(team.names, self._types[side])
            columns += [*bits.T] if side or options.observe_types else [*np.zeros_like(bits).T]
            if options.obs_last_action and not side:
                columns += [*last.T]
            table = np.stack([np.broadcast_to(each, seen.shape) for each in columns], axis=2) * seen[..., None]
            if not side:
                table = np.take_along_axis(table, self._others[..., None], axis=1)
            parts.append(table.reshape(self.agents, -1))
        parts.append(self._own(own, ground) * own.alive[:, None])
        if options.obs_timestep_number:
            parts.append(np.full((self.agents, 1), part))
        return np.concatenate(parts, axis=1, dtype=np.float32)

    def state_tables(self, own: Team, enemies: Team, ground: Ground) -> tuple[Any, Any]:
        """The rows of own units and of enemies in the state."""
        height, width = ground.pathing.shape
        tables = []
        for side, team in enumerate((own, enemies)):
            health, shield = team.fractions()
            columns = [health] if side else [health, self._readiness(team)]
            columns += [(team.x - width / 2) / ground.playable[0], (team.y - height / 2) / ground.playable[1]]
            columns += [shield] if self._shields[side] else []
            columns += [*_one_hot(team.names, self._types[side]).T]
            tables.append(np.stack(columns, axis=1) * team.alive[:, None])
        return tables[0], tables[1]

    def state(self, own: Team, enemies: Team, ground: Ground, last: Any, part: float) -> Any:
        """The state. It has the arguments of `observations`."""
        parts = [each.reshape(-1) for each in self.state_tables(own, enemies, ground)]
        parts += [last.reshape(-1)] if self.options.state_last_action else []
        parts += [np.array([part])] if self.options.state_timestep_number else []
        return np.concatenate(parts, dtype=np.float32)

    def visible(self, own: Team, enemies: Team) -> Any:
        """For each own unit which own units, then which enemies it sees. Units do not see themselves."""
        sight, alive = self.ranges(own)[0][:, None], own.alive[:, None]
        # As SMAC, which asks of two own units whether the first of them sees the second.
        first = np.triu((_apart(own, own)[0] < sight) & alive & own.alive, 1)
        return np.hstack([first | first.T, (_apart(own, enemies)[0] < sight) & alive & enemies.alive])

    def capabilities(self, own: Team) -> Any:
        """The types of the own units, one-hot, flat."""
        return _one_hot(own.names, self._types[0]).astype(np.float32).reshape(-1)

    def obs_names(self) -> list[str]:
        """SMACv2's names for the numbers of unit 0's observation."""
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
        """SMACv2's names for the numbers of the state."""
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

    def _moves(self, own: Team, ground: Ground, available: Any) -> Any:
        columns = [available[:, FIRST_MOVE:FIRST_TARGET].astype(float)]
        cells = np.stack([own.x, own.y], axis=1).astype(np.intp)
        around = (cells[:, None] + _AROUND * self.options.move_amount).astype(np.intp)
        for grid, wanted, count in (
            (ground.pathing, self.options.obs_pathing_grid, 8),
            (ground.height, self.options.obs_terrain_height, 9),
        ):
            if wanted:
                columns.append(ground.at(grid, around[:, :count, 0], around[:, :count, 1])[0].astype(float))
        return np.concatenate(columns, axis=1) * own.alive[:, None]

    def _own(self, own: Team, ground: Ground) -> Any:
        options, (health, shield) = self.options, own.fractions()
        columns = []
        if options.obs_own_health or options.obs_all_health:
            columns += [health, shield] if self._shields[0] else [health]
        if options.obs_own_pos:
            height, width = ground.pathing.shape
            columns += [own.x / width, own.y / height]
        columns += [*_one_hot(own.names, self._types[0]).T]
        return np.stack(columns, axis=1) if columns else np.zeros((self.agents, 0))

    @staticmethod
    def _readiness(team: Team) -> Any:
        # How long until the next shot, or how much energy a healer has, as a part of the most.
        most = np.array([_COOLDOWNS.get(name, 15) for name in team.names.tolist()], float)
        return np.where(team.names == HEALER, team.energy / _MOST_ENERGY, team.weapon_cooldown / most)


def _apart(own: Team, others: Team) -> tuple[Any, Any, Any]:
    """From each own unit to each other one: the distance, along x and along y."""
    x, y = others.x - own.x[:, None], others.y - own.y[:, None]
    return np.hypot(x, y), x, y


def _part(points: Any, most: Any) -> Any:
    return np.divide(points, most, out=np.zeros(len(points)), where=most > 0)


def _one_hot(names: Any, types: Sequence[str]) -> Any:
    return np.array([[name == each for each in types] for name in names.tolist()], float).reshape(
        len(names), len(types)
    )
