"""Prints each player's total health and shield every ten seconds of game time. In this folder, run
`../../sc2bridge run supply:Supply`."""

from __future__ import annotations

from collections import Counter

from sc2bridge import Agent, Frame, Match, MatchEnd

LOOPS_A_SECOND = 22.4


class Supply(Agent):
    def on_start(self, match: Match) -> None:
        self.next_loop = 0.0  # In a series, game loops start again at 0 with each match.
        print(f"{match.map_name}: " + " against ".join(player.race for player in match.players))

    def on_step(self, frame: Frame) -> None:
        if frame.game_loop < self.next_loop:
            return  # The frame is not parsed.
        self.next_loop = frame.game_loop + 10 * LOOPS_A_SECOND
        points: Counter[int] = Counter()
        for unit in frame.observation.observation.raw_data.units:
            if unit.owner in (1, 2):
                points[unit.owner] += int(unit.health + unit.shield)
        minutes, seconds = divmod(int(frame.game_loop / LOOPS_A_SECOND), 60)
        totals = ", ".join(f"player {owner}: {total}" for owner, total in sorted(points.items()))
        print(f"{minutes}:{seconds:02} {totals}")

    def on_end(self, end: MatchEnd) -> None:
        print(f"over at loop {end.game_loop}: {end.reason}")
