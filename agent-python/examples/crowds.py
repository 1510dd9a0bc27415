"""Prints where each player's army stands: `../../sc2bridge run crowds:Crowds --content columns` in this folder.

The units come as numpy columns, so a whole army is measured with no loop over units. It works on plain observations too
(without --content), only slower.
"""

from __future__ import annotations

import numpy as np

from sc2bridge import Agent, Frame, Match

LOOPS_A_SECOND = 22.4


class Crowds(Agent):
    def on_start(self, match: Match) -> None:
        self.next_loop = 0.0  # In a series game loops begin again with each match.

    def on_step(self, frame: Frame) -> None:
        if frame.game_loop < self.next_loop:
            return  # Not even looked at.
        self.next_loop = frame.game_loop + 10 * LOOPS_A_SECOND
        minutes, seconds = divmod(int(frame.game_loop / LOOPS_A_SECOND), 60)
        print(f"{minutes}:{seconds:02} " + "; ".join(self.told(frame, player) for player in (1, 2)))

    def told(self, frame: Frame, player: int) -> str:
        units = frame.units.of_owner(player)
        # What has a weapon says when it fires next; workers have one too, and less health.
        army = units[units.present("weapon_cooldown") & (units.health_max > 50)]
        if not len(army):
            return f"player {player}: no army of {len(units)} units"
        strength = army.health + army.shield
        x, y = np.average(army.pos[:, :2], axis=0, weights=strength + 1)
        busy = np.count_nonzero(army.orders.counts)
        return (
            f"player {player}: {strength.sum():.0f} points around ({x:.0f}, {y:.0f}), {busy} of {len(army)} with orders"
        )
