"""Prints the strongest army each ten seconds of the game: `../../sc2bridge run supply:Supply` in this folder."""

from __future__ import annotations

from collections import Counter

from sc2bridge import Agent, Frame, Match, MatchEnd

LOOPS_A_SECOND = 22.4


class Supply(Agent):
    def on_start(self, match: Match) -> None:
        self.next_loop = 0.0  # In a series game loops begin again with each match.
        print(f"{match.map_name}: " + " against ".join(player.race for player in match.players))

    def on_step(self, frame: Frame) -> None:
        if frame.game_loop < self.next_loop:
            return  # Not even parsed.
        self.next_loop = frame.game_loop + 10 * LOOPS_A_SECOND
        health: Counter[int] = Counter()
        for unit in frame.observation.observation.raw_data.units:
            if unit.owner in (1, 2):
                health[unit.owner] += int(unit.health + unit.shield)
        minutes, seconds = divmod(int(frame.game_loop / LOOPS_A_SECOND), 60)
        print(
            f"{minutes}:{seconds:02} " + ", ".join(f"player {owner}: {sum_}" for owner, sum_ in sorted(health.items()))
        )

    def on_end(self, end: MatchEnd) -> None:
        print(f"over at loop {end.game_loop}: {end.reason}")
