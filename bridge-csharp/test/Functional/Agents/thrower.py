"""Agents for tests: three raise (one watches, two play), one exits without an exception, and one plays to the end."""

import os

from sc2bridge import Agent, Frame, Match


class Thrower(Agent):
    def on_step(self, frame: Frame) -> None:
        if frame.step == 3:
            raise RuntimeError("not today")


class ThrowingPlayer(Thrower):
    can_act = True


class ExitingPlayer(Agent):
    can_act = True

    def on_step(self, frame: Frame) -> None:
        if frame.step == 3:
            os._exit(3)


class ThrowingStarter(Agent):
    can_act = True

    def on_start(self, match: Match) -> None:
        raise RuntimeError("not today")

    def on_step(self, frame: Frame) -> None:
        pass


class Idler(Agent):
    can_act = True

    def on_step(self, frame: Frame) -> None:
        pass
