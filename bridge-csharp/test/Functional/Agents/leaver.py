"""Agents that end without an error: in the middle of a match, and after each."""

import os
import sys

from sc2bridge import Agent, Frame


class Leaver(Agent):
    def on_step(self, frame: Frame) -> None:
        if frame.step == 3:
            os._exit(0)


class Guest(Agent):
    def on_end(self, end) -> None:
        print("thanks, and goodbye")
        sys.exit()
