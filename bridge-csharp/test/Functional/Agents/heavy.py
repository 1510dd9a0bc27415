"""Takes long for each step. `stuck` never finishes a step that it gets after the match's end."""

import os
import time

from sc2bridge import Agent, Frame, MatchEnd


class Heavy(Agent):
    def on_step(self, frame: Frame) -> None:
        time.sleep(float(os.environ["THINKS"]))  # Its work.
        if frame.step == int(os.environ.get("STUCK_AT", "-1")):
            time.sleep(3600)

    def on_end(self, end: MatchEnd) -> None:
        print(f"heavy heard all until {end}")
