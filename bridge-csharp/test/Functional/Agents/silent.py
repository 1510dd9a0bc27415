"""Receives a few steps, and then does not answer any more."""

import threading

from sc2bridge import Agent, Frame


class Silent(Agent):
    def on_step(self, frame: Frame) -> None:
        if frame.step == 3:
            threading.Event().wait()
