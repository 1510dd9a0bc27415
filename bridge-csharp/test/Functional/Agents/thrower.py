"""Fails in the middle of a match."""

from sc2bridge import Agent, Frame


class Thrower(Agent):
    def on_step(self, frame: Frame) -> None:
        if frame.step == 3:
            raise RuntimeError("not today")
