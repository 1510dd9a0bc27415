"""An agent that does not leave when its match has ended, with a process of its own."""

import subprocess
import time

from sc2bridge import Agent, MatchEnd


class Stayer(Agent):
    def on_end(self, end: MatchEnd) -> None:
        subprocess.Popen(["sleep", "3600"])
        print("stays")
        time.sleep(3600)
