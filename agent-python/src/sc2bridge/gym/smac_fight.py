"""A match as SMAC sees it: two teams, what they may do, and how it ends."""

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
        """frame: the first. limit: steps in an episode."""
        raw, units = match.game_info.start_raw, frame.units
        area = raw.playable_area
        self.layout, self._limit, self.steps = layout, limit, 0
        self.frame = frame
        """The newest."""
        self.ground = Ground(
            to_array(raw.pathing_grid).astype(bool),
            to_array(raw.terrain_height) / 255,
            (area.p1.x - area.p0.x, area.p1.y - area.p0.y),
        )
        self._stop, self._move, self._attack = (int(match.abilities[name]) for name in ("Stop", "Move", "Attack"))
        self._heal = int(match.abilities["Effect Heal"]) if layout.heals else 0
        name_of = {row.unit_id: row.name for row in match.data.units}
        names = [name_of.get(kind, "") for kind in units.unit_type.tolist()]
        own, enemies = (np.flatnonzero(units.alliance == side).tolist() for side in (_OWN, _ENEMY))
        # SMAC sorts by its own unit types, whose numbers are in the order of their names.
        own.sort(key=lambda row: (names[row], units.x[row], units.y[row]))
        self.own, self.enemies = (
            Team(units[np.array(rows, np.intp)], [names[row] for row in rows], count)
            for rows, count in ((own, layout.agents), (enemies, layout.enemies))
        )
        self.unit_types = [int(units.unit_type[row]) for row in [*own, *enemies]]
        """The game's types of the own units, then of the enemies."""
        self.last = np.zeros((layout.agents, layout.actions))
        """The last actions, one-hot."""
        self.is_over = False
        """The episode has ended."""
        self._refresh()

    @property
    def part(self) -> float:
        """Which part of the episode is over."""
        return self.steps / self._limit

    def see(self, frame: Optional[Frame]) -> None:
        """A step is over, with this frame; None if the match ended without one."""
        self.steps += 1
        self.is_over = frame is None or bool(frame.observation.player_result)
        if frame is not None:
            self.frame = frame
            for team in (self.own, self.enemies):
                team.see(frame.units)
        self._refresh()

    def result(self) -> Optional[int]:
        """VICTORY, DEFEAT or DRAW; None if it goes on. As update_units of SMAC: a side that has only healers left has lost."""
        own, enemies = self.own.alive.any(), self.enemies.alive.any()
        own_heal, enemies_heal = (
            bool(self.layout.heals and (team.names[team.alive] == HEALER).all()) for team in (self.own, self.enemies)
        )
        if (not own and enemies) or own_heal:
            return DEFEAT
        if (own and not enemies) or enemies_heal:
            return VICTORY
        return None if own else DRAW

    def orders(self, numbers: Sequence[int]) -> list[sc2api_pb2.Action]:
        """The orders of the units' actions, which become the last ones. Raises ValueError for one that is not available."""
        if len(numbers) != self.layout.agents:
            raise ValueError(f"{len(numbers)} actions: give {self.layout.agents}, one for each unit")
        for row, number in enumerate(numbers):
            if not 0 <= number < self.layout.actions or not self.available[row, number]:
                can = np.flatnonzero(self.available[row]).tolist()
                raise ValueError(f"unit {row} cannot perform action {number}: it can perform {can}")
        self.last = np.eye(self.layout.actions)[list(numbers)]
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

    def _refresh(self) -> None:
        self.available = self.layout.available(self.own, self.enemies, self.ground)
        """Which actions each unit may choose."""
        self.observed = self.layout.observations(
            self.own, self.enemies, self.ground, self.available, self.last, self.part
        )
        """The observation of each unit."""


@dataclass(frozen=True)
class FightReward:
    """SMAC's reward: points (health and shield) that enemies have lost, and what deaths and the end count.

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
    """The most that an episode's rewards can be after they are scaled; None to leave them as they are."""
    clips: bool
    """If enemies recover more in a step than they lose, SMACv2 counts 0. SMAC counts the difference as damage."""

    def most(self, enemies: Team) -> float:
        """The most that an episode's rewards can be before they are scaled."""
        return len(enemies.tags) * self.death + self.win + float((enemies.health_max + enemies.shield_max).sum())

    def of(self, before: Sequence[tuple[Any, Any]], fight: Fight, result: Optional[int], most: float) -> float:
        """Of a step. before: for own units, then for enemies, their points and whether they were alive. most: `most` of the first match."""
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
        return reward if self.scale_rate is None else reward / (most / self.scale_rate)
