"""Plays a scenario: the own units wait for the enemies, and all attack the nearby enemy with the fewest points left.

    cd agent-python/examples
    ../../sc2bridge match --scenario 3m --player agent:terran --player computer:terran:VeryHard \\
      --agent focus_fire:FocusFire@grpc+columns
"""

from __future__ import annotations

import numpy as np

from sc2bridge import Agent, Frame, MatchEnd

RANGE = 6  # cells, from middle to middle: a marine shoots 5 cells, from edge to edge


class FocusFire(Agent):
    can_act = True
    target = 0

    def on_step(self, frame: Frame) -> None:
        own, enemies = frame.units.own, frame.units.enemies
        if not len(own) or not len(enemies):
            return
        distances = np.linalg.norm(own.pos[:, None, :2] - enemies.pos[None, :, :2], axis=2).min(axis=0)
        near = np.flatnonzero(distances < RANGE)
        if len(near):
            weakest = int(enemies.tag[near[np.argmin((enemies.health + enemies.shield)[near])]])
            if weakest != self.target:
                self.target = weakest
                self.attack(own, weakest)

    def on_end(self, end: MatchEnd) -> None:
        print(f"{self.match.result} at loop {end.game_loop}", flush=True)
