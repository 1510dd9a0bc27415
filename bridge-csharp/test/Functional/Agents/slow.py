"""Takes long for each step, and prints at the end how many it received."""

import time

from sc2bridge import Agent, Frame, MatchEnd


class Slow(Agent):
    def __init__(self) -> None:
        self._heard = 0

    def on_step(self, frame: Frame) -> None:
        self._heard += 1
        time.sleep(0.01)  # Its work: an agent that thinks longer than the game takes for a step.

    def on_end(self, end: MatchEnd) -> None:
        print(f"slow heard {self._heard} until {end}")
