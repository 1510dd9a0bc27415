"""Facts that the game's ResponseData lacks. All other data are read from the match.

Each docstring ends with the source of the fact. `sc2/` is python-sc2, https://github.com/BurnySc2/python-sc2. The
tests compare `BotAI` with burnysc2 7.3.0 from PyPI.
"""

from __future__ import annotations

TOWN_HALLS = {1: "CommandCenter", 2: "Hatchery", 3: "Nexus"}
"""The basic town hall of each race (common_pb2.Race). An upgraded town hall has this id in its `tech_alias`.
Source: sc2/data.py, race_townhalls."""

WORKERS = ("SCV", "Probe", "Drone", "DroneBurrowed")
"""The workers of all races. sc2/bot_ai_internal.py, _prepare_units."""

EFFECT_UNITS = ("KD8Charge", "ParasiticBombDummy", "ForceField")
"""Unit types that the game uses for effects. `BotAI` leaves them out of its tables. sc2/constants.py, FakeEffectID."""

MORPHED_FROM = {"Baneling": "Zergling", "Ravager": "Roach", "LurkerMP": "Hydralisk", "BroodLord": "Corruptor"}
"""For each type, the type that morphs into it, and for which the player paid before. sc2/dicts/unit_trained_from.py."""

MADE_IN_PAIRS = ("Zergling",)
"""One order for such a type makes two units. sc2/game_data.py, calculate_ability_cost."""

COUNTED_AS = {
    **{"AssimilatorRich": "Assimilator", "ExtractorRich": "Extractor", "RefineryRich": "Refinery"},
    **{"BanelingCocoon": "Baneling", "LurkerMPEgg": "LurkerMP", "RavagerCocoon": "Ravager"},
}
"""Variants and cocoons, each with the unit type that was ordered. A unit in production counts as the ordered type.
sc2/constants.py, CREATION_ABILITY_FIX."""

PRODUCTION_ABILITIES = {
    **{"Archon": "ArchonWarp ArchonWarpTarget", "Changeling": "SpawnChangeling SpawnChangeling"},
    **{"Interceptor": "CarrierHangar Interceptor", "LurkerMP": "MorphToLurker LurkerMP"},
    **{"MULE": "CalldownMULE CalldownMULE", "TechLab": "Build TechLab"},
}
"""The ability that makes a type, if ResponseData has no ability or a different ability for the type.
sc2/constants.py, CREATION_ABILITY_FIX, and sc2/game_data.py, UnitTypeData.__init__."""

REQUIRED_BUILDINGS = {
    **{"Ghost": "GhostAcademy", "Thor": "Armory", "Battlecruiser": "FusionCore", "Mothership": "FleetBeacon"},
}
"""The building that a type requires, if ResponseData lacks this building. sc2/constants.py, TERRAN_TECH_REQUIREMENT and
PROTOSS_TECH_REQUIREMENT."""

FREE_ABILITY_WORDS = ("Lower", "Raise", "Land", "Lift", "Hold", "Harvest")
"""Abilities with one of these words in AbilityData.link_name cost nothing. sc2/game_data.py, FREE_ABILITIES."""

ABILITY_WEAPON_RANGES = {"Battlecruiser": (6.0, 6.0), "Oracle": (4.0, 0.0)}
"""Ranges (ground, air) in cells, of types whose weapon is an ability. sc2/unit.py, ground_range, air_range."""

DETECTORS = ("Observer", "ObserverSiegeMode", "Raven", "MissileTurret", "Overseer", "OverseerSiegeMode", "SporeCrawler")
"""Complete units of these types, and powered PhotonCannons, are detectors. sc2/constants.py, IS_DETECTOR."""

MINERAL_LOAD_BUFFS = ("CarryMineralFieldMinerals", "CarryHighYieldMineralFieldMinerals")
VESPENE_LOAD_BUFFS = (
    *("CarryHarvestableVespeneGeyserGas", "CarryHarvestableVespeneGeyserGasProtoss"),
    "CarryHarvestableVespeneGeyserGasZerg",
)
"""Buffs of workers that carry minerals or vespene. sc2/constants.py, IS_CARRYING_MINERALS and IS_CARRYING_VESPENE."""

WALL_FIELD = "MineralField450"
"""Small mineral fields that block paths. No base has them. sc2/bot_ai_internal.py, _find_expansion_locations."""

TERRAN, ZERG, PROTOSS = 1, 2, 3
"""common_pb2.Race."""
