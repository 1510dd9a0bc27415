"""Rewards of an environment."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from sc2bridge.game.frame import Frame

_RESULTS = {"victory": 1.0, "defeat": -1.0}


class ResultReward:
    """1 for a victory, -1 for a defeat, 0 for a tie and for all steps before the end."""

    def begin(self, frame: Frame) -> None:
        """Prepares for a new match. frame: the match's first frame."""

    def __call__(self, before: Frame, after: Frame, result: Optional[str]) -> float:
        """The reward of the step between two frames. result: see `Match.result`; None if the match continues."""
        return _RESULTS.get(result or "", 0.0)


class ScoreReward(ResultReward):
    """The increase of the score that the game computes (Score.score)."""

    def __call__(self, before: Frame, after: Frame, result: Optional[str]) -> float:
        scores = [frame.observation.observation.score.score for frame in (before, after)]
        return float(scores[1] - scores[0])


class FightReward(ResultReward):
    """SMAC's reward for a fight: the points (health and shield) that enemies lose, 10 for each dead enemy, and 200 for
    the victory. The reward is scaled: if no enemy recovers points, the rewards of a victory have the sum 20.

    Source: reward_battle and the scaling in
    https://github.com/oxwhirl/smac/blob/master/smac/env/starcraft2/starcraft2.py. As with SMAC's default arguments, own
    losses cost nothing.
    """

    _DEATH, _VICTORY, _SCALE = 10.0, 200.0, 20.0

    def begin(self, frame: Frame) -> None:
        enemies = frame.units.enemies
        most = float((enemies.health_max + enemies.shield_max).sum()) + self._DEATH * len(enemies) + self._VICTORY
        self._factor = self._SCALE / most

    def __call__(self, before: Frame, after: Frame, result: Optional[str]) -> float:
        old, new = before.units.enemies, after.units.enemies
        points = (_points(old), _points(new))
        dead = set(after.observation.observation.raw_data.event.dead_units)
        left = dict(zip(new.tag.tolist(), points[1].tolist()))
        reward = self._VICTORY if result == "victory" else 0.0
        for tag, had in zip(old.tag.tolist(), points[0].tolist()):
            if tag in left:
                reward += had - left[tag]
            elif tag in dead:
                reward += had + self._DEATH
        return abs(reward) * self._factor


def _points(units: Any) -> Any:
    return (units.health + units.shield).astype(np.float64)


REWARDS: dict[str, Any] = {"result": ResultReward, "score": ScoreReward, "fight": FightReward}
"""The accepted names of `reward` in `MatchEnv`."""
