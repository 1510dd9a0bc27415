"""What the game's ResponseData does not say of its types, with where it is from. All else is read from the match.

`sc2/` is python-sc2, https://github.com/BurnySc2/python-sc2: burnysc2 7.3.0 of PyPI, which the tests are held against.
"""

from __future__ import annotations

TOWN_HALLS = {1: "CommandCenter", 2: "Hatchery", 3: "Nexus"}
"""By race (common_pb2.Race): what a base begins with. What else is a town hall are these types' aliases. sc2/data.py, race_townhalls."""

WORKERS = ("SCV", "Probe", "Drone", "DroneBurrowed")
"""sc2/bot_ai_internal.py, _prepare_units."""

EFFECTS = ("KD8Charge", "ParasiticBombDummy", "ForceField")
"""Units that are effects, and in no group. sc2/constants.py, FakeEffectID."""

MORPHED_FROM = {"Baneling": "Zergling", "Ravager": "Roach", "LurkerMP": "Hydralisk", "BroodLord": "Corruptor"}
"""A unit that another with supply becomes: of its cost and supply the other's are paid already. sc2/dicts/unit_trained_from.py."""

PAIRS = ("Zergling",)
"""Two of them come of one order. sc2/game_data.py, calculate_ability_cost."""

MADE_AS = {
    **{"AssimilatorRich": "Assimilator", "ExtractorRich": "Extractor", "RefineryRich": "Refinery"},
    **{"BanelingCocoon": "Baneling", "LurkerMPEgg": "LurkerMP", "RavagerCocoon": "Ravager"},
}
"""Types that orders for others make: they count as those on their way. sc2/constants.py, CREATION_ABILITY_FIX."""

MADE_BY = {
    **{"Archon": "ArchonWarp ArchonWarpTarget", "Changeling": "SpawnChangeling SpawnChangeling"},
    **{"Interceptor": "CarrierHangar Interceptor", "LurkerMP": "MorphToLurker LurkerMP"},
    **{"MULE": "CalldownMULE CalldownMULE", "TechLab": "Build TechLab"},
}
"""The ability that makes a type, where the data name none or another. The same, and sc2/game_data.py, UnitTypeData.__init__."""

REQUIREMENTS = {
    **{"Ghost": "GhostAcademy", "Thor": "Armory", "Battlecruiser": "FusionCore", "Mothership": "FleetBeacon"},
}
"""Tech that the data of these types do not name. sc2/constants.py, TERRAN_TECH_REQUIREMENT and PROTOSS_TECH_REQUIREMENT."""

FREE_MORPHS = ("Lower", "Raise", "Land", "Lift", "Hold", "Harvest")
"""Parts of AbilityData.link_name of changes that cost nothing. sc2/game_data.py, FREE_ABILITIES."""

RANGES = {"Battlecruiser": (6.0, 6.0), "Oracle": (4.0, 0.0)}
"""Cells at ground and air targets, of types whose weapons are abilities to the game. sc2/unit.py, ground_range and air_range."""

DETECTORS = ("Observer", "ObserverSiegeMode", "Raven", "MissileTurret", "Overseer", "OverseerSiegeMode", "SporeCrawler")
"""Once they are complete; a PhotonCannon once it is powered too. sc2/constants.py, IS_DETECTOR."""

MINERALS_CARRIED = ("CarryMineralFieldMinerals", "CarryHighYieldMineralFieldMinerals")
VESPENE_CARRIED = (
    *("CarryHarvestableVespeneGeyserGas", "CarryHarvestableVespeneGeyserGasProtoss"),
    "CarryHarvestableVespeneGeyserGasZerg",
)
"""Buffs of workers. sc2/constants.py, IS_CARRYING_MINERALS and IS_CARRYING_VESPENE."""

WALL_FIELD = "MineralField450"
"""Fields of few minerals, which block ways and make no base. sc2/bot_ai_internal.py, _find_expansion_locations."""

TERRAN, ZERG, PROTOSS = 1, 2, 3
"""common_pb2.Race."""
