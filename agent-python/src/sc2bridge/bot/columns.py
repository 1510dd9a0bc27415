"""The properties of python-sc2's `Unit` as columns of a table of units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sc2bridge import units as plain
from sc2bridge.bot import facts
from sc2bridge.bot.derived import Derived, fraction, has_order, mask, type_flag, type_number

if TYPE_CHECKING:
    from sc2bridge.bot.game_data import GameData
    from sc2bridge.bot.units import Units


def _have_buff(units: Units, names: Any) -> Any:
    buffs = units.buffs
    found = np.zeros(len(units), bool)
    if len(buffs):
        found[buffs.rows[np.isin(buffs.buff_id, units.data.known_buff_ids(names))]] = True
    return found


def _has_add_on(flag: str) -> Any:
    def compute(units: Units) -> Any:
        whole = units.whole_table
        return np.isin(units.add_on_tag, whole.tag[getattr(whole, flag) & whole.is_mine])

    return compute


def _current_orders(units: Units) -> Any:
    """The rows of units that have orders, and for each such unit the row of its current order in `units.orders`."""
    offsets = units.orders.offsets
    busy = np.flatnonzero(offsets[1:] > offsets[:-1])
    return busy, offsets[:-1][busy]


def _from_current_order(name: str, convert: Any) -> Any:
    def compute(units: Units) -> Any:
        busy, orders = _current_orders(units)
        column = getattr(units.orders, name)
        made = np.zeros(len(units), column.dtype)
        made[busy] = convert(units, column[orders])
        return made

    return compute


def _constructs(units: Units) -> Any:
    """Whether a unit's current order constructs a Terran building: the order's general ability has the link_name
    TerranBuild. python-sc2 lists these abilities as IS_CONSTRUCTING_SCV in sc2/constants.py."""
    rows = units.data.match.data.abilities
    ids = [row.ability_id for row in rows if row.link_name == "TerranBuild" and row.button_name]
    return np.isin(units.order_ability, units.data.general_abilities(np.array(ids, np.uint32)))


def _shield_health_fraction(units: Units) -> Any:
    maximum = (units.shield_max.astype(np.float64) + units.health_max) * units.build_progress
    points = units.shield.astype(np.float64) + units.health
    return np.divide(points, maximum, out=np.zeros(len(units)), where=maximum > 0)


class UnitColumns(plain.Units):
    """A table with the game's own columns, and the properties of python-sc2's `Unit` as further columns."""

    data: GameData
    """Data of the unit types."""
    whole_table: Units
    """All units of the frame."""

    name = Derived(
        np.object_, "the type's name in the game", lambda units: units.data.of_types(units.unit_type, "name")
    )
    race = Derived(np.uint8, "common_pb2.Race", lambda units: units.data.of_types(units.unit_type, "race"))
    position = Derived(np.float64, "rows of x, y: cells", lambda units: units.pos[:, :2].astype(np.float64))

    is_structure = type_flag("is_structure", "whether it is a building")
    is_light = type_flag("is_light", "whether it has the attribute Light")
    is_armored = type_flag("is_armored", "whether it has the attribute Armored")
    is_biological = type_flag("is_biological", "whether it has the attribute Biological")
    is_mechanical = type_flag("is_mechanical", "whether it has the attribute Mechanical")
    is_massive = type_flag("is_massive", "whether it has the attribute Massive")
    is_psionic = type_flag("is_psionic", "whether it has the attribute Psionic")
    is_mineral_field = type_flag("has_minerals", "whether it is a mineral field")
    is_vespene_geyser = type_flag("has_vespene", "whether it is a geyser, or a building on a geyser")
    is_worker = type_flag("is_worker", "whether it is an SCV, a probe or a drone")
    is_townhall = type_flag("is_townhall", "whether it is a town hall, of any race and in any mode")
    is_techlab = type_flag("is_techlab", "whether it is a tech lab")
    is_reactor = type_flag("is_reactor", "whether it is a reactor")
    is_colossus = type_flag("is_colossus", "whether it is a colossus: weapons against air can hit it too")
    can_attack = type_flag("can_attack", "whether it has a weapon")
    can_attack_ground = type_flag("can_attack_ground", "whether it has a weapon for ground targets")
    can_attack_air = type_flag("can_attack_air", "whether it has a weapon for air targets")
    can_attack_both = mask(
        "whether it can attack ground and air", lambda units: units.can_attack_ground & units.can_attack_air
    )

    ground_range = type_number("ground_range", "cells, edge to edge, without upgrades; 0 if it cannot attack ground")
    air_range = type_number("air_range", "cells, edge to edge, without upgrades; 0 if it cannot attack air")
    ground_dps = type_number("ground_dps", "points of damage a second at game speed normal, without upgrades")
    air_dps = type_number("air_dps", "points of damage a second at game speed normal, without upgrades")
    armor = type_number("armor", "points, without upgrades")
    sight_range = type_number("sight_range", "cells")
    movement_speed = type_number("movement_speed", "cells a second at game speed normal, without upgrades and buffs")
    cargo_size = type_number("cargo_size", "the cargo places that it needs in another unit")
    footprint_radius = type_number("footprint_radius", "cells: half of a building's width; 0 if no ability builds it")

    health_percentage = fraction("health", "health", "health_max")
    shield_percentage = fraction("shield", "shield", "shield_max")
    energy_percentage = fraction("energy", "energy", "energy_max")
    shield_health_percentage = Derived(
        np.float64, "(shield + health) / (their maximum × build progress), 0 to 1", _shield_health_fraction
    )

    is_ready = mask("whether it is complete", lambda units: units.build_progress == 1)
    is_visible = mask("whether it is in sight", lambda units: units.display_type == 1)
    is_snapshot = mask("whether it is out of sight, and shown as last seen", lambda units: units.display_type == 2)
    is_placeholder = mask(
        "whether it is a building that is ordered but not started", lambda units: units.display_type == 4
    )
    is_mine = mask("whether the player owns it", lambda units: units.alliance == 1)
    is_enemy = mask("whether an enemy owns it", lambda units: units.alliance == 4)
    owner_id = Derived(np.int32, "a player id; 16 is neutral", lambda units: units.owner)
    is_cloaked = mask("whether it is cloaked, detected or not", lambda units: np.isin(units.cloak, (1, 2, 4)))
    is_revealed = mask("whether it is cloaked and detected", lambda units: units.cloak == 2)
    can_be_attacked = mask(
        "whether it is uncloaked, or cloaked but detected", lambda units: np.isin(units.cloak, (2, 3))
    )
    is_detector = mask(
        "whether it detects cloaked units",
        lambda units: units.is_ready
        & (
            units.data.of_types(units.unit_type, "is_detector")
            | (units.data.of_types(units.unit_type, "is_cannon") & units.is_powered)
        ),
    )
    is_flying: Derived[np.bool_] = mask(  # type: ignore[assignment]
        "whether it is in the air, or lifted by a graviton beam",
        lambda units: units.source.vector(units.fields["is_flying"]) | _have_buff(units, ["GravitonBeam"]),
    )
    has_vespene = mask("whether vespene is left", lambda units: units.vespene_contents > 0)
    is_carrying_minerals = mask(
        "whether a worker carries minerals", lambda units: _have_buff(units, facts.MINERAL_LOAD_BUFFS)
    )
    is_carrying_vespene = mask(
        "whether a worker carries vespene", lambda units: _have_buff(units, facts.VESPENE_LOAD_BUFFS)
    )
    is_carrying_resource = mask(
        "whether a worker carries minerals or vespene",
        lambda units: units.is_carrying_minerals | units.is_carrying_vespene,
    )

    order_ability = Derived(
        np.uint32,
        "the general ability (remaps_to_ability_id) of its current order; 0 if it is idle",
        _from_current_order("ability_id", lambda units, abilities: units.data.general_abilities(abilities)),
    )
    order_target_tag = Derived(
        np.uint64,
        "the tag of its current order's target; 0 if the target is not a unit",
        _from_current_order("target_unit_tag", lambda units, tags: tags),
    )
    is_idle = mask("whether it has no orders", lambda units: units.orders.counts == 0)
    is_moving = has_order("whether it moves", "Move")
    is_attacking = has_order("whether it attacks", "Attack")
    is_patrolling = has_order("whether it patrols", "Patrol")
    is_gathering = has_order("whether it is on its way to a mineral field or a geyser", "HarvestGather HarvestGather")
    is_returning = has_order("whether it brings a load back", "HarvestReturn HarvestReturn")
    is_collecting = mask("whether it gathers or returns", lambda units: units.is_gathering | units.is_returning)
    is_repairing = has_order("whether it repairs", "EffectRepair EffectRepair")
    is_constructing_scv = mask("whether it is an SCV that builds, or is on its way to build", _constructs)

    has_add_on = mask("whether it has an add-on", lambda units: units.add_on_tag > 0)
    has_techlab = mask("whether its add-on is a tech lab; own buildings only", _has_add_on("is_techlab"))
    has_reactor = mask("whether its add-on is a reactor; own buildings only", _has_add_on("is_reactor"))
    # A barracks is 3 cells wide. An add-on is 2 cells wide and half a cell lower: sc2/unit.py, add_on_position.
    add_on_position = Derived(
        np.float64, "rows of x, y: the place for its add-on, built or not", lambda units: units.position + (2.5, -0.5)
    )
    add_on_land_position = Derived(
        np.float64,
        "rows of x, y: for an add-on, the place where its building stands or can land",
        lambda units: units.position - (2.5, -0.5),
    )
    cargo_used = Derived(np.int32, "cargo places in use", lambda units: units.cargo_space_taken)
    cargo_max = Derived(np.int32, "all cargo places", lambda units: units.cargo_space_max)
    cargo_left = Derived(np.int32, "free cargo places", lambda units: units.cargo_space_max - units.cargo_space_taken)
    has_cargo = mask("whether it carries units", lambda units: units.cargo_space_taken > 0)
    surplus_harvesters = Derived(
        np.int32,
        "workers above the ideal number; negative if workers are missing",
        lambda units: units.assigned_harvesters - units.ideal_harvesters,
    )
    weapon_ready = mask("whether it can shoot now", lambda units: units.can_attack & (units.weapon_cooldown == 0))
