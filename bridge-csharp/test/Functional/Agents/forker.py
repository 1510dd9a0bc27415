"""Leaves a process behind that holds its output open."""

import subprocess

from sc2bridge import Agent, Match


class Forker(Agent):
    def on_start(self, match: Match) -> None:
        subprocess.Popen(["sleep", "3600"])
