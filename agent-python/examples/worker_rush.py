"""Attacks with all workers, and with new workers in groups, until the enemy has no building left. As any race, it wins
within two minutes in the simulated game, against a VeryEasy computer that plays Zerg or Protoss.

    ./sc2bridge match --player agent:terran --player computer:zerg:VeryEasy --agent worker_rush:WorkerRush@grpc+columns
"""

from __future__ import annotations

from sc2bridge import Agent, Frame, LastSeen, Match, MatchEnd, Unit

WORKERS = {"Terran": ("SCV", "CommandCenter"), "Zerg": ("Drone", "Larva"), "Protoss": ("Probe", "Nexus")}
"""For each race, the worker, and the unit type that makes it."""
THINKS_EVERY = 16  # game loops
GROUP = 4  # new workers that attack together


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
        attackers = [unit for unit in workers.idle if unit.tag in self.fighters]
        new_workers = [unit for unit in workers if unit.tag not in self.fighters]
        if len(new_workers) >= GROUP:
            attackers += new_workers
            self.fighters.update(unit.tag for unit in new_workers)
        self.attack(attackers, next(iter(self.targets.values()), self.goal))
        if common.minerals >= 50 and common.food_used < common.food_cap:
            self.train(own.of_type(self.maker).idle[:1], self.worker)

    def on_end(self, end: MatchEnd) -> None:
        print(f"{self.match.result} at loop {end.game_loop}", flush=True)
