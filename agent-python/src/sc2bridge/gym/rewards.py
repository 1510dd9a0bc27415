"""What an environment rewards."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from sc2bridge.game.frame import Frame

_RESULTS = {"victory": 1.0, "defeat": -1.0}


class ResultReward:
    """1 for a victory, -1 for a defeat, at the end; else 0."""

    def begin(self, frame: Frame) -> None:
        """A match begins."""

    def __call__(self, before: Frame, after: Frame, result: Optional[str]) -> float:
        """Of a step: from a frame to the next one. result: as `Match.result`; None where the match goes on."""
        return _RESULTS.get(result or "", 0.0)


class ScoreReward(ResultReward):
    """What the game's own score (Score.score) has grown by."""

    def __call__(self, before: Frame, after: Frame, result: Optional[str]) -> float:
        """As of `ResultReward`."""
        scores = [frame.observation.observation.score.score for frame in (before, after)]
        return float(scores[1] - scores[0])


class FightReward(ResultReward):
    """SMAC's for a fight: the enemies' points (health and shield) that are lost, 10 for each that dies, 200 for the victory, all
    scaled to a sum of 20 where nobody recovers.

    Source: reward_battle and the scaling in https://github.com/oxwhirl/smac/blob/master/smac/env/starcraft2/starcraft2.py, with
    its defaults: what the own side loses costs nothing.
    """

    _DEATH, _VICTORY, _SCALE = 10.0, 200.0, 20.0

    def begin(self, frame: Frame) -> None:
        """As of `ResultReward`."""
        enemies = frame.units.enemies
        most = float((enemies.health_max + enemies.shield_max).sum()) + self._DEATH * len(enemies) + self._VICTORY
        self._factor = self._SCALE / most

    def __call__(self, before: Frame, after: Frame, result: Optional[str]) -> float:
        """As of `ResultReward`."""
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
"""By what `MatchEnv` calls them."""
