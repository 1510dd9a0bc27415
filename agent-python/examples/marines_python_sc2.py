"""The bot of `marines.py` for python-sc2. Run `pip install burnysc2`, then
`python marines_python_sc2.py "Cinder Fortress LE"`."""

from __future__ import annotations

import sys

from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Difficulty, Race, Result
from sc2.ids.ability_id import AbilityId
from sc2.ids.buff_id import BuffId
from sc2.ids.unit_typeid import UnitTypeId as U
from sc2.ids.upgrade_id import UpgradeId
from sc2.main import run_game
from sc2.player import Bot, Computer
from sc2.position import Point2
from sc2.unit import Unit

THINKS_EVERY = 8  # game loops
WORKERS, BARRACKS, ARMY = 36, 5, 20


class Marines(BotAI):
    async def on_start(self) -> None:
        self.client.game_step = THINKS_EVERY

    async def on_step(self, iteration: int) -> None:
        if not self.townhalls:
            return
        await self.distribute_workers()
        self.train_workers()
        await self.build_supply()
        await self.build_gas()
        await self.build_barracks()
        await self.expand()
        self.train_army()
        self.fight()

    def train_workers(self) -> None:
        if self.supply_workers + self.already_pending(U.SCV) < min(WORKERS, 20 * self.townhalls.amount):
            for hall in self.townhalls.ready.idle:
                if self.can_afford(U.SCV):
                    hall.train(U.SCV)

    async def build_supply(self) -> None:
        if self.supply_cap >= 200 or self.supply_left > 5 or self.already_pending(U.SUPPLYDEPOT) > 1:
            return
        depots = self.structures.of_type({U.SUPPLYDEPOT, U.SUPPLYDEPOTLOWERED})
        corners = [place for place in self.main_base_ramp.corner_depots if not depots.closer_than(1, place)]
        place = corners[0] if corners else self.start_location.towards(self.game_info.map_center, 8)
        await self.build(U.SUPPLYDEPOT, near=place)

    async def build_gas(self) -> None:
        if not self.structures(U.BARRACKS) or self.gas_buildings or self.already_pending(U.REFINERY):
            return
        geysers = self.vespene_geyser.closer_than(10, self.start_location)
        if geysers:
            await self.build(U.REFINERY, near=geysers.closest_to(self.start_location))

    async def build_barracks(self) -> None:
        if self.tech_requirement_progress(U.BARRACKS) < 1:
            return
        barracks = self.structures(U.BARRACKS)
        count = barracks.amount + self.already_pending(U.BARRACKS)
        if count < (1 if self.townhalls.amount < 2 else BARRACKS) and self.can_afford(U.BARRACKS):
            near = self.start_location.towards(self.game_info.map_center, 12)
            near = Point2((int(near.x) + 0.5, int(near.y) + 0.5))
            place = await self.find_placement(U.BARRACKS, near, placement_step=3, addon_place=True)
            worker = self.select_build_worker(near)
            if place and worker:
                worker.build(U.BARRACKS, place)
        if not self.structures(U.BARRACKSTECHLAB) and not self.already_pending(U.BARRACKSTECHLAB):
            if barracks.ready.idle and self.can_afford(U.BARRACKSTECHLAB):
                barracks.ready.idle.first.build(U.BARRACKSTECHLAB)

    async def expand(self) -> None:
        if self.townhalls.amount + self.already_pending(U.COMMANDCENTER) < 2 and self.structures(U.BARRACKS):
            await self.expand_now()

    def train_army(self) -> None:
        for barracks in self.structures(U.BARRACKS).ready.idle:
            if self.can_afford(U.MARINE):
                barracks.train(U.MARINE)
        labs = self.structures(U.BARRACKSTECHLAB).ready.idle
        if labs and not self.already_pending(UpgradeId.STIMPACK) and self.can_afford(UpgradeId.STIMPACK):
            labs.first.research(UpgradeId.STIMPACK)

    def fight(self) -> None:
        marines = self.units(U.MARINE)
        threats = self.all_enemy_units.not_flying.closer_than(25, self.start_location)
        for marine in marines.idle:
            if threats:
                marine.attack(threats.closest_to(self.start_location))
            elif marines.amount >= ARMY:
                marine.attack(self.target(marines.first))
        for marine in marines:
            near = self.enemy_units.in_attack_range_of(marine)
            if near.amount > 3 and marine.health > 40 and self.already_pending(UpgradeId.STIMPACK) == 1:
                if not marine.has_buff(BuffId.STIMPACK):
                    marine(AbilityId.EFFECT_STIM)

    def target(self, marine: Unit) -> Point2:
        if self.enemy_structures:
            return self.enemy_structures.closest_to(marine).position
        # For eight minutes, the enemy's start. Then each place for a base in turn, for half a minute.
        places = self.enemy_start_locations + self.expansion_locations_list
        return places[max(0, int(self.time / 30) - 16) % len(places)]

    async def on_end(self, game_result: Result) -> None:
        print(f"{game_result.name} at loop {self.state.game_loop}", flush=True)


if __name__ == "__main__":
    players = [Bot(Race.Terran, Marines()), Computer(Race.Zerg, Difficulty.Easy)]
    run_game(maps.get(sys.argv[1].replace(" ", "")), players, realtime=False, random_seed=1)
