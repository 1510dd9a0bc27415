"""A complete bot: workers, depots at the ramp, gas, barracks with a tech lab, stimpack, a second base, and marines that
attack until the enemy has nothing left. `marines_python_sc2.py` is the same bot for python-sc2, and
docs/guide/from-python-sc2.md explains both.

    ./sc2bridge match --player agent:terran --player computer:zerg:Easy --agent marines:Marines@grpc+columns
"""

from __future__ import annotations

from sc2bridge import Frame, Match, MatchEnd
from sc2bridge.bot import BotAI, Unit

THINKS_EVERY = 8  # game loops
WORKERS, BARRACKS, ARMY = 36, 5, 20


class Marines(BotAI):
    def on_start(self, match: Match) -> None:
        self.next_thought = 0  # In a series, game loops start again at 0 with each match.

    def on_step(self, frame: Frame) -> None:
        if frame.game_loop < self.next_thought or not self.townhalls:
            return
        self.next_thought = frame.game_loop + THINKS_EVERY
        self.distribute_workers()
        self.train_workers()
        self.build_supply()
        self.build_gas()
        self.build_barracks()
        self.expand()
        self.train_army()
        self.fight()

    def train_workers(self) -> None:
        if self.supply_workers + self.already_pending("SCV") < min(WORKERS, 20 * self.townhalls.amount):
            self.train(self.townhalls.ready.idle, "SCV")

    def build_supply(self) -> None:
        if self.supply_cap >= 200 or self.supply_left > 5 or self.already_pending("SUPPLYDEPOT") > 1:
            return
        depots = self.structures.of_type("SUPPLYDEPOT", "SUPPLYDEPOTLOWERED")
        corners = [place for place in self.main_base_ramp.corner_depots if not depots.closer_than(1, place)]
        place = corners[0] if corners else self.start_location.towards(self.game_info.map_center, 8)
        self.build_near("SUPPLYDEPOT", place)

    def build_gas(self) -> None:
        if not self.structures("BARRACKS") or self.gas_buildings or self.already_pending("REFINERY"):
            return
        geysers = self.vespene_geyser.closer_than(10, self.start_location)
        if geysers:
            self.build_near("REFINERY", geysers.closest_to(self.start_location))

    def build_barracks(self) -> None:
        if self.tech_requirement_progress("BARRACKS") < 1:
            return
        barracks = self.structures("BARRACKS")
        count = barracks.amount + self.already_pending("BARRACKS")
        if count < (1 if self.townhalls.amount < 2 else BARRACKS) and self.can_afford("BARRACKS"):
            near = self.start_location.towards(self.game_info.map_center, 12)
            place = self.find_placement("BARRACKS", near, placement_step=3, addon_place=True)
            worker = self.select_build_worker(near)
            if place and worker:
                self.build(worker, "BARRACKS", place)
        if not self.structures("BARRACKSTECHLAB") and not self.already_pending("BARRACKSTECHLAB"):
            if barracks.ready.idle and self.can_afford("BARRACKSTECHLAB"):
                self.build(barracks.ready.idle.first, "BARRACKSTECHLAB")

    def expand(self) -> None:
        if self.townhalls.amount + self.already_pending("COMMANDCENTER") < 2 and self.structures("BARRACKS"):
            self.expand_now()

    def train_army(self) -> None:
        self.train(self.structures("BARRACKS").ready.idle, "MARINE")
        labs = self.structures("BARRACKSTECHLAB").ready.idle
        if labs and not self.already_pending("STIMPACK") and self.can_afford("STIMPACK"):
            self.research(labs.first, "STIMPACK")

    def fight(self) -> None:
        marines = self.units("MARINE")
        threats = self.all_enemy_units.not_flying.closer_than(25, self.start_location)
        if threats:
            self.attack(marines.idle, threats.closest_to(self.start_location))
        elif marines.amount >= ARMY:
            self.attack(marines.idle, self.target(marines.first))
        for marine in marines:
            near = self.enemy_units.in_attack_range_of(marine)
            if near.amount > 3 and marine.health > 40 and self.already_pending("STIMPACK") == 1:
                if not marine.has_buff("STIMPACK"):
                    self.command(marine, "EFFECT_STIM")

    def target(self, marine: Unit) -> tuple[float, float]:
        if self.enemy_structures:
            return self.enemy_structures.closest_to(marine).position
        # For eight minutes, the enemy's start. Then each place for a base in turn, for half a minute.
        places = self.enemy_start_locations + self.expansion_locations_list
        return places[max(0, int(self.time / 30) - 16) % len(places)]

    def on_end(self, end: MatchEnd) -> None:
        print(f"{self.match.result} at loop {end.game_loop}", flush=True)
