"""Prints where each player's army stands. In this folder, run `../../sc2bridge run crowds:Crowds --content columns`.

The units are numpy columns, so that the agent measures a whole army without a loop over its units. Without --content,
the agent receives plain observations, and is slower.
"""

from __future__ import annotations

import numpy as np

from sc2bridge import Agent, Frame, Match

LOOPS_A_SECOND = 22.4


class Crowds(Agent):
    def on_start(self, match: Match) -> None:
        self.next_loop = 0.0  # In a series, game loops start again at 0 with each match.

    def on_step(self, frame: Frame) -> None:
        if frame.game_loop < self.next_loop:
            return  # The frame is not parsed.
        self.next_loop = frame.game_loop + 10 * LOOPS_A_SECOND
        minutes, seconds = divmod(int(frame.game_loop / LOOPS_A_SECOND), 60)
        print(f"{minutes}:{seconds:02} " + "; ".join(self.army_text(frame, player) for player in (1, 2)))

    def army_text(self, frame: Frame, player: int) -> str:
        units = frame.units.of_owner(player)
        # Units with a weapon have a weapon_cooldown. The limit of 50 excludes workers, and other weak units.
        army = units[units.present("weapon_cooldown") & (units.health_max > 50)]
        if not len(army):
            return f"player {player}: no army among {len(units)} units"
        strength = army.health + army.shield
        x, y = np.average(army.pos[:, :2], axis=0, weights=strength + 1)
        busy = np.count_nonzero(army.orders.counts)
        return (
            f"player {player}: {strength.sum():.0f} points around ({x:.0f}, {y:.0f}), {busy} of {len(army)} with orders"
        )
