"""A match in SMAC's terms: two teams, their actions, and the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from sc2bridge.game.frame import Frame
from sc2bridge.game.images import to_array
from sc2bridge.game.match import Match
from sc2bridge.gym.smac_layout import FIRST_MOVE, FIRST_TARGET, HEALER, Ground, Layout, Team
from sc2bridge.s2clientprotocol import sc2api_pb2

_MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))
_OWN, _ENEMY = 1, 4
VICTORY, DEFEAT, DRAW = 1, -1, 0


class Fight:
    """The teams of a match, and the arrays of its newest frame."""

    def __init__(self, layout: Layout, match: Match, frame: Frame, limit: int) -> None:
        """frame: the first frame. limit: the most steps of an episode."""
        raw, units = match.game_info.start_raw, frame.units
        area = raw.playable_area
        self.layout, self._limit, self.steps = layout, limit, 0
        self.frame = frame
        """The newest frame."""
        self.ground = Ground(
            to_array(raw.pathing_grid).astype(bool),
            to_array(raw.terrain_height) / 255,
            (area.p1.x - area.p0.x, area.p1.y - area.p0.y),
        )
        self._stop, self._move, self._attack = (int(match.abilities[name]) for name in ("Stop", "Move", "Attack"))
        self._heal = int(match.abilities["Effect Heal"]) if layout.has_healers else 0
        name_of = {row.unit_id: row.name for row in match.data.units}
        names = [name_of.get(kind, "") for kind in units.unit_type.tolist()]
        own, enemies = (np.flatnonzero(units.alliance == side).tolist() for side in (_OWN, _ENEMY))
        # SMAC sorts by its own unit type numbers, which are in the alphabetical order of the names.
        own.sort(key=lambda row: (names[row], units.x[row], units.y[row]))
        self.own, self.enemies = (
            Team(units[np.array(rows, np.intp)], [names[row] for row in rows], count)
            for rows, count in ((own, layout.agents), (enemies, layout.enemies))
        )
        self.unit_types = [int(units.unit_type[row]) for row in [*own, *enemies]]
        """The game's types of the own units, then of the enemies."""
        self.last_actions = np.zeros((layout.agents, layout.actions))
        """The last action of each unit, one-hot."""
        self.is_over = False
        """Whether the episode has ended."""
        self._update_arrays()

    @property
    def elapsed_fraction(self) -> float:
        """The steps so far, divided by the episode's limit: 0 to 1."""
        return self.steps / self._limit

    def update(self, frame: Optional[Frame]) -> None:
        """Ends a step. frame: the frame after the step; None if the match ended without such a frame."""
        self.steps += 1
        self.is_over = frame is None or bool(frame.observation.player_result)
        if frame is not None:
            self.frame = frame
            for team in (self.own, self.enemies):
                team.update(frame.units)
        self._update_arrays()

    def result(self) -> Optional[int]:
        """VICTORY, DEFEAT or DRAW; None during the fight. A side with only healers loses (SMAC's update_units)."""
        own, enemies = self.own.alive.any(), self.enemies.alive.any()
        own_heal, enemies_heal = (
            bool(self.layout.has_healers and (team.names[team.alive] == HEALER).all())
            for team in (self.own, self.enemies)
        )
        if (not own and enemies) or own_heal:
            return DEFEAT
        if (own and not enemies) or enemies_heal:
            return VICTORY
        return None if own else DRAW

    def orders(self, numbers: Sequence[int]) -> list[sc2api_pb2.Action]:
        """Returns the orders for the units' actions. Stores the actions in `last_actions`. Raises ValueError for an
        action that is not available."""
        if len(numbers) != self.layout.agents:
            raise ValueError(f"{len(numbers)} actions: give {self.layout.agents}, one for each unit")
        for row, number in enumerate(numbers):
            if not 0 <= number < self.layout.actions or not self.available[row, number]:
                can = np.flatnonzero(self.available[row]).tolist()
                raise ValueError(f"unit {row} cannot perform action {number}: choose one of {can}")
        self.last_actions = np.eye(self.layout.actions)[list(numbers)]
        return [self._order(row, number) for row, number in enumerate(numbers) if number > 0]

    def _order(self, row: int, number: int) -> sc2api_pb2.Action:
        order = sc2api_pb2.Action()
        command = order.action_raw.unit_command
        command.unit_tags.append(int(self.own.tags[row]))
        if number == 1:
            command.ability_id = self._stop
        elif number < FIRST_TARGET:
            (x, y), amount = _MOVES[number - FIRST_MOVE], self.layout.options.move_amount
            command.ability_id, at = self._move, command.target_world_space_pos
            at.x, at.y = self.own.x[row] + x * amount, self.own.y[row] + y * amount
        else:
            heals = self.own.names[row] == HEALER
            command.ability_id = self._heal if heals else self._attack
            command.target_unit_tag = int((self.own if heals else self.enemies).tags[number - FIRST_TARGET])
        return order

    def _update_arrays(self) -> None:
        self.available = self.layout.available(self.own, self.enemies, self.ground)
        """For each unit and action: 1 if the unit may choose the action, else 0."""
        self.observed = self.layout.observations(
            self.own, self.enemies, self.ground, self.available, self.last_actions, self.elapsed_fraction
        )
        """The observation of each unit."""


@dataclass(frozen=True)
class FightReward:
    """SMAC's reward: the points (health and shield) that enemies lose, and values for deaths and for the result.

    Source: reward_battle and step in smac/env/starcraft2/starcraft2.py of https://github.com/oxwhirl/smac at
    d6aab33f76abc3849c50463a8592a84f59a5ef84.
    """

    sparse: bool
    only_positive: bool
    death: float
    win: float
    defeat: float
    negative_scale: float
    scale_rate: Optional[float]
    """The highest possible sum of an episode's rewards after scaling; None for no scaling."""
    clips: bool
    """If enemies recover more points in a step than they lose: True gives the step a reward of 0, as in SMACv2. False
    counts the difference as damage, as in SMAC."""

    def highest_reward_sum(self, enemies: Team) -> float:
        """The highest possible sum of an episode's rewards before scaling."""
        return len(enemies.tags) * self.death + self.win + float((enemies.health_max + enemies.shield_max).sum())

    def of(
        self, before: Sequence[tuple[Any, Any]], fight: Fight, result: Optional[int], highest_reward: float
    ) -> float:
        """The reward of a step. before: the points and alive flags before the step: own units, then enemies.
        highest_reward: the result of `highest_reward_sum` in the first match."""
        if self.sparse:
            reward = float(result or 0)
        else:
            lost, deaths = [], []
            for team, (points, alive) in zip((fight.own, fight.enemies), before):
                lost.append(float((points - team.points)[alive].sum()))
                deaths.append(int((alive & ~team.alive).sum()))
            reward = lost[1] + deaths[1] * self.death
            if not self.only_positive:
                reward -= self.negative_scale * (lost[0] + deaths[0] * self.death)
            else:
                reward = max(reward, 0.0) if self.clips else abs(reward)
            reward += {VICTORY: self.win, DEFEAT: self.defeat}.get(result or 0, 0.0)
        return reward if self.scale_rate is None else reward / (highest_reward / self.scale_rate)
