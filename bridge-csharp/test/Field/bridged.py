"""Agents of the bridge that do the same as AI Arena's test bots, for `sc2bridge ladder`. Each sends a tag."""

from __future__ import annotations

import time

from sc2bridge import Agent, Frame


class LoserBot(Agent):
    can_act = True
    steps = 0

    def on_step(self, frame: Frame) -> None:
        if self.steps == 0:
            self.chat_send("Tag:bridge")
            self.begin(frame)
        self.steps += 1
        if self.steps > 5:
            self.after_five_steps()

    def begin(self, frame: Frame) -> None:
        pass

    def after_five_steps(self) -> None:
        pass


class BasicBot(LoserBot):
    def begin(self, frame: Frame) -> None:
        workers = frame.units.own.of_type(self.match.unit_types["SCV"])
        self.attack(workers, self.match.enemy_start_locations[0])


class CrashBot(LoserBot):
    def after_five_steps(self) -> None:
        raise ZeroDivisionError


class InfiniteLoopBot(BasicBot):
    def after_five_steps(self) -> None:
        while True:
            time.sleep(10)


class InstantCrashBot(LoserBot):
    def begin(self, frame: Frame) -> None:
        raise ZeroDivisionError
