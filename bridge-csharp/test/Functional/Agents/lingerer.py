"""Stays after the match until there is a file `go` in the folder that COLLECT names."""

import os
import pathlib
import time

from sc2bridge import Agent, Frame, MatchEnd


class Lingerer(Agent):
    def on_step(self, frame: Frame) -> None:
        pass

    def on_end(self, end: MatchEnd) -> None:
        while not (pathlib.Path(os.environ["COLLECT"]) / "go").exists():
            time.sleep(0.05)
