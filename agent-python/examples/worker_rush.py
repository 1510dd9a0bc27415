"""Sends its workers at the enemy, and new ones after them, until nothing of it stands: it wins against a VeryEasy
computer of Zerg or Protoss within two minutes of the simulated game, as any race.

    ./sc2bridge match --player agent:terran --player computer:zerg:VeryEasy --agent worker_rush:WorkerRush@grpc+columns
"""

from __future__ import annotations

from sc2bridge import Agent, Frame, LastSeen, Match, MatchEnd, Unit

WORKERS = {"Terran": ("SCV", "CommandCenter"), "Zerg": ("Drone", "Larva"), "Protoss": ("Probe", "Nexus")}
"""Of each race the worker, and what makes it."""
THINKS_EVERY = 16  # game loops
PARTY = 4


class WorkerRush(Agent):
    can_act = True

    def on_start(self, match: Match) -> None:
        assert match.player is not None
        self.worker, self.maker = (match.unit_types[name] for name in WORKERS[match.player.race])
        self.goal = match.enemy_start_locations[0]
        self.fighters: set[int] = set()
        self.targets: dict[int, tuple[float, float]] = {}
        self.next_thought = 0
        self.chat_send("glhf")

    def on_enemy_unit_first_seen(self, unit: Unit) -> None:
        if unit.unit_type in self.match.structures:
            self.targets[unit.tag] = unit.position

    def on_unit_destroyed(self, unit: LastSeen) -> None:
        self.targets.pop(unit.tag, None)
        self.fighters.discard(unit.tag)

    def on_step(self, frame: Frame) -> None:
        if frame.game_loop < self.next_thought:
            return
        self.next_thought = frame.game_loop + THINKS_EVERY
        own, common = frame.units.own, frame.common
        workers = own.of_type(self.worker)
        called = [unit for unit in workers.idle if unit.tag in self.fighters]
        fresh = [unit for unit in workers if unit.tag not in self.fighters]
        if len(fresh) >= PARTY:
            called += fresh
            self.fighters.update(unit.tag for unit in fresh)
        self.attack(called, next(iter(self.targets.values()), self.goal))
        if common.minerals >= 50 and common.food_used < common.food_cap:
            self.train(own.of_type(self.maker).idle[:1], self.worker)

    def on_end(self, end: MatchEnd) -> None:
        print(f"{self.match.result} at loop {end.game_loop}", flush=True)
