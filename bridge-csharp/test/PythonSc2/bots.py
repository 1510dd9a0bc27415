"""Bots as python-sc2's users write them: each plays its race's first minutes, and attacks until it wins."""

from __future__ import annotations

from sc2.bot_ai import BotAI
from sc2.data import Result
from sc2.ids.ability_id import AbilityId
from sc2.ids.unit_typeid import UnitTypeId as U
from sc2.ids.upgrade_id import UpgradeId
from sc2.position import Point2
from sc2.unit import Unit
from sc2.units import Units


class Player(BotAI):
    """The common base of the three bots. `deeds` records their actions for the tests."""

    ARMY: set[U] = set()
    UPGRADE: UpgradeId
    ENOUGH = 16

    def __init__(self) -> None:
        super().__init__()
        self.deeds: dict[str, object] = {}
        self.result: Result | None = None
        self.steps: list[int] = []
        self.placed: dict[U, bool] = {}

    async def on_start(self) -> None:
        self.client.game_step = 8
        worker = self.workers.first
        enemy = self.enemy_start_locations[0]
        # The path to the enemy's ramp is at least as long as the straight line, and never leads off the map.
        self.deeds["way"] = await self.client.query_pathing(worker, enemy.towards(self.game_info.map_center, 6))
        self.deeds["flight"] = worker.distance_to(enemy) - 8
        self.deeds["no way"] = await self.client.query_pathing(worker, Point2((1, 1)))
        abilities = (await self.get_available_abilities([worker]))[0]
        self.deeds["a worker attacks"] = AbilityId.ATTACK_ATTACK in abilities

    async def on_step(self, iteration: int) -> None:
        self.steps.append(self.state.game_loop)
        if not self.townhalls:
            return
        await self.distribute_workers()
        await self.grow()
        self.send_army()

    async def on_upgrade_complete(self, upgrade: UpgradeId) -> None:
        self.deeds[f"upgrade {upgrade.name}"] = self.time_formatted

    async def on_building_construction_complete(self, unit: Unit) -> None:
        self.deeds[f"built {unit.name}"] = self.time_formatted

    async def on_unit_created(self, unit: Unit) -> None:
        self.deeds[f"made {unit.name}"] = self.time_formatted

    async def on_unit_destroyed(self, unit_tag: int) -> None:
        if unit_tag in self._enemy_structures_previous_map:
            self.deeds["enemy buildings destroyed"] = int(self.deeds.get("enemy buildings destroyed", 0)) + 1

    async def on_end(self, game_result: Result) -> None:
        self.result = game_result

    async def grow(self) -> None:
        raise NotImplementedError

    async def expand(self) -> None:
        """A second base. The runner queries a place for it."""
        if self.townhalls.amount < 2 and not self.already_pending(self.townhalls.first.type_id):
            if self.can_afford(self.townhalls.first.type_id):
                await self.expand_now()

    async def place(self, kind: U, near: Point2, most: int, at_once: int = 1) -> None:
        """Builds up to a number of a building, where the placement query finds room. A barracks also needs room for an add-on."""
        pending = int(self.already_pending(kind))
        if self.structures(kind).ready.amount + pending >= most or pending >= at_once or not self.can_afford(kind):
            return
        if self.tech_requirement_progress(kind) == 1:
            place = await self.find_placement(kind, near, addon_place=kind == U.BARRACKS)
            begun = place is not None and await self.build(kind, near=place)
            self.placed[kind] = begun or self.placed.get(kind, False)

    async def gas(self, kind: U, most: int) -> None:
        if self.structures(kind).amount + self.already_pending(kind) >= most or not self.can_afford(kind):
            return
        for geyser in self.vespene_geyser.closer_than(10, self.townhalls.first):
            if not self.gas_buildings.closer_than(1, geyser):
                worker = self.select_build_worker(geyser.position)
                if worker:
                    worker.build_gas(geyser)
                return

    def army(self) -> Units:
        return self.units.of_type(self.ARMY)

    def send_army(self) -> None:
        army = self.army()
        if army.amount < self.ENOUGH and "attack" not in self.deeds:
            return
        self.deeds.setdefault("attack", self.time_formatted)
        if self.enemy_structures:
            goal = self.enemy_structures.closest_to(army.center if army else self.start_location).position
            for unit in army.idle:
                unit.attack(goal)
            return
        # First go to the enemy's start location, then to the area that was not seen for the longest time.
        start = self.enemy_start_locations[0]
        places = [start, *sorted(self.expansion_locations_list, key=start.distance_to)]
        unseen = [place for place in places if not self.is_visible(place)]
        searched = "enemy buildings destroyed" in self.deeds
        for number, unit in enumerate(army.idle):
            unit.attack(unseen[number % len(unseen)] if searched and unseen else start)


class TerranPlayer(Player):
    ARMY = {U.MARINE}
    UPGRADE = UpgradeId.TERRANINFANTRYWEAPONSLEVEL1

    async def grow(self) -> None:
        home = self.townhalls.first
        if self.can_afford(U.SCV) and self.supply_workers < 30:
            for hall in self.townhalls.ready.idle:
                hall.train(U.SCV)
        if self.supply_left < 6 and self.supply_cap < 100:
            await self.place(U.SUPPLYDEPOT, home.position.towards(self.game_info.map_center, 6), 20)
        near = home.position.towards(self.game_info.map_center, 9)
        await self.place(U.BARRACKS, near, 1 if self.townhalls.amount < 2 else 4, 2)
        if self.structures(U.BARRACKS).ready:
            await self.expand()
            await self.gas(U.REFINERY, 1)
            await self.place(U.ENGINEERINGBAY, near, 1)
        if self.can_afford(self.UPGRADE):
            self.research(self.UPGRADE)
        for barracks in self.structures(U.BARRACKS).ready.idle:
            if not self.structures(U.BARRACKSREACTOR) and self.can_afford(U.BARRACKSREACTOR):
                barracks.build(U.BARRACKSREACTOR)
            elif self.can_afford(U.MARINE):
                barracks.train(U.MARINE)


class Hurried(TerranPlayer):
    """Gets 40 marines near the enemy's start location, so that its match is short."""

    async def on_start(self) -> None:
        door = self.enemy_start_locations[0].towards(self.game_info.map_center, 12)
        await self.client.debug_create_unit([[U.MARINE, 40, door, self.player_id]])


class ProtossPlayer(Player):
    ARMY = {U.ZEALOT, U.STALKER}
    UPGRADE = UpgradeId.WARPGATERESEARCH
    ENOUGH = 12

    async def grow(self) -> None:
        home = self.townhalls.first
        if self.can_afford(U.PROBE) and self.supply_workers < 30:
            for hall in self.townhalls.ready.idle:
                hall.train(U.PROBE)
        if self.supply_left < 6 and self.supply_cap < 100:
            await self.place(U.PYLON, home.position.towards(self.game_info.map_center, 7), 20)
        pylons = self.structures(U.PYLON).ready
        if not pylons:
            return
        gates = self.structures.of_type({U.GATEWAY, U.WARPGATE})
        if gates.amount < (1 if self.townhalls.amount < 2 else 4):
            await self.place(U.GATEWAY, pylons.first.position, 4)
        if gates.ready:
            await self.expand()
            await self.gas(U.ASSIMILATOR, 2)
            await self.place(U.CYBERNETICSCORE, pylons.first.position, 1)
        if self.can_afford(self.UPGRADE):
            self.research(self.UPGRADE)
        if home.energy >= 50 and not home.is_idle:
            home(AbilityId.EFFECT_CHRONOBOOSTENERGYCOST, home)
            self.deeds["boosted"] = self.time_formatted
        kind = U.STALKER if self.can_afford(U.STALKER) and self.structures(U.CYBERNETICSCORE).ready else U.ZEALOT
        for gate in self.structures(U.GATEWAY).ready.idle:
            if self.can_afford(kind):
                gate.train(kind)
        for gate in self.structures(U.WARPGATE).ready:
            if self.can_afford(kind) and AbilityId.WARPGATETRAIN_ZEALOT in await self.abilities(gate):
                place = await self.find_placement(
                    AbilityId.WARPGATETRAIN_ZEALOT, pylons.random.position.random_on_distance(4), placement_step=1
                )
                if place:
                    gate.warp_in(kind, place)
                    self.deeds["warped in"] = self.time_formatted

    async def abilities(self, unit: Unit) -> list[AbilityId]:
        return (await self.get_available_abilities([unit]))[0]


class ZergPlayer(Player):
    ARMY = {U.ZERGLING}
    UPGRADE = UpgradeId.ZERGLINGMOVEMENTSPEED
    ENOUGH = 30

    async def grow(self) -> None:
        home = self.townhalls.first
        if self.supply_left < 4 and self.can_afford(U.OVERLORD) and self.already_pending(U.OVERLORD) < 2:
            self.train(U.OVERLORD)
        if self.supply_workers < 26 and self.can_afford(U.DRONE):
            self.train(U.DRONE)
        if self.supply_workers >= 15:
            await self.place(U.SPAWNINGPOOL, home.position.towards(self.game_info.map_center, 6), 1)
        pool = self.structures(U.SPAWNINGPOOL)
        if pool:
            await self.expand()
            await self.gas(U.EXTRACTOR, 1)
        if not pool.ready:
            return
        if self.can_afford(self.UPGRADE):
            self.research(self.UPGRADE)
        if self.units(U.QUEEN).amount + self.already_pending(U.QUEEN) < 1 and self.can_afford(U.QUEEN):
            self.train(U.QUEEN)
        for queen in self.units(U.QUEEN).idle:
            if queen.energy >= 25:
                queen(AbilityId.EFFECT_INJECTLARVA, home)
                self.deeds["injected"] = self.time_formatted
        if self.supply_workers >= 20 and self.can_afford(U.ZERGLING) and self.townhalls.amount > 1:
            self.train(U.ZERGLING, self.larva.amount)
