"""The properties of python-sc2's `Unit`, as columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sc2bridge import units as plain
from sc2bridge.bot import facts
from sc2bridge.bot.derived import Derived, flag, mask, number, percentage, using

if TYPE_CHECKING:
    from sc2bridge.bot.game_data import GameData
    from sc2bridge.bot.units import Units


def _with_buffs(units: Units, names: Any) -> Any:
    buffs = units.buffs
    with_one = np.zeros(len(units), bool)
    if len(buffs):
        with_one[buffs.rows[np.isin(buffs.buff_id, units.data.buffs(names))]] = True
    return with_one


def _add_on(kind: str) -> Any:
    def reckon(units: Units) -> Any:
        whole = units.frame
        return np.isin(units.add_on_tag, whole.tag[getattr(whole, kind) & whole.is_mine])

    return reckon


def _first_orders(units: Units) -> Any:
    """The rows of units with orders, and in `orders` the row of each one's current order."""
    offsets = units.orders.offsets
    busy = np.flatnonzero(offsets[1:] > offsets[:-1])
    return busy, offsets[:-1][busy]


def _first(values: str, data: Any) -> Any:
    def reckon(units: Units) -> Any:
        busy, orders = _first_orders(units)
        column = getattr(units.orders, values)
        made = np.zeros(len(units), column.dtype)
        made[busy] = data(units, column[orders])
        return made

    return reckon


def _building(units: Units) -> Any:
    """By general abilities whose link is TerranBuild: sc2/constants.py, IS_CONSTRUCTING_SCV, has these."""
    rows = units.data.match.data.abilities
    ids = [row.ability_id for row in rows if row.link_name == "TerranBuild" and row.button_name]
    return np.isin(units.order_ability, units.data.general(np.array(ids, np.uint32)))


def _shield_health(units: Units) -> Any:
    most = (units.shield_max.astype(np.float64) + units.health_max) * units.build_progress
    points = units.shield.astype(np.float64) + units.health
    return np.divide(points, most, out=np.zeros(len(units)), where=most > 0)


class UnitColumns(plain.Units):
    """What python-sc2 says of a unit. The names of the game's own columns stand beside these."""

    data: GameData
    """What the game says of types."""
    frame: Units
    """All units of the frame."""

    name = Derived(np.object_, "as the game's data have it", lambda units: units.data.of(units.unit_type, "name"))
    race = Derived(np.uint8, "common_pb2.Race", lambda units: units.data.of(units.unit_type, "race"))
    position = Derived(np.float64, "rows of x, y: cells", lambda units: units.pos[:, :2].astype(np.float64))

    is_structure = flag("is_structure", "whether it is a building")
    is_light = flag("is_light", "whether it has that attribute")
    is_armored = flag("is_armored", "whether it has that attribute")
    is_biological = flag("is_biological", "whether it has that attribute")
    is_mechanical = flag("is_mechanical", "whether it has that attribute")
    is_massive = flag("is_massive", "whether it has that attribute")
    is_psionic = flag("is_psionic", "whether it has that attribute")
    is_mineral_field = flag("has_minerals", "whether it is a mineral field")
    is_vespene_geyser = flag("has_vespene", "whether it is a geyser, or a building on one")
    is_worker = flag("is_worker", "whether it is an SCV, a probe or a drone")
    is_townhall = flag("is_townhall", "whether it is a town hall, of any race and in any mode")
    is_techlab = flag("is_techlab", "whether it is a tech lab")
    is_reactor = flag("is_reactor", "whether it is a reactor")
    is_colossus = flag("is_colossus", "whether it is a colossus, which what shoots at the air hits too")
    can_attack = flag("can_attack", "whether it has a weapon")
    can_attack_ground = flag("can_attack_ground", "whether it has a weapon for ground targets")
    can_attack_air = flag("can_attack_air", "whether it has a weapon for air targets")
    can_attack_both = mask("whether it has both", lambda units: units.can_attack_ground & units.can_attack_air)

    ground_range = number("ground_range", "cells between the edges, without upgrades; 0 without such a weapon")
    air_range = number("air_range", "cells between the edges, without upgrades; 0 without such a weapon")
    ground_dps = number("ground_dps", "points a second of the game's speed normal, without upgrades")
    air_dps = number("air_dps", "points a second of the game's speed normal, without upgrades")
    armor = number("armor", "points, without upgrades")
    sight_range = number("sight_range", "cells")
    movement_speed = number("movement_speed", "cells a second of the game's speed normal, without upgrades and buffs")
    cargo_size = number("cargo_size", "places in a transport")
    footprint_radius = number("footprint_radius", "cells: half of a building's width; 0 where no ability makes it")

    health_percentage = percentage("health", "health", "health_max")
    shield_percentage = percentage("shield", "shield", "shield_max")
    energy_percentage = percentage("energy", "energy", "energy_max")
    shield_health_percentage = Derived(
        np.float64, "shield and health, of the most at its build progress, 0 to 1", _shield_health
    )

    is_ready = mask("whether it is complete", lambda units: units.build_progress == 1)
    is_visible = mask("whether it is in sight", lambda units: units.display_type == 1)
    is_snapshot = mask("whether it is shown as it was last seen", lambda units: units.display_type == 2)
    is_placeholder = mask(
        "whether it is a building that is ordered and not begun", lambda units: units.display_type == 4
    )
    is_mine = mask("whether it is one's own", lambda units: units.alliance == 1)
    is_enemy = mask("whether it is an enemy's", lambda units: units.alliance == 4)
    owner_id = Derived(np.int32, "a player id; 16 is neutral", lambda units: units.owner)
    is_cloaked = mask("whether it is cloaked, detected or not", lambda units: np.isin(units.cloak, (1, 2, 4)))
    is_revealed = mask("whether it is cloaked and detected", lambda units: units.cloak == 2)
    can_be_attacked = mask("whether it is not cloaked, or detected", lambda units: np.isin(units.cloak, (2, 3)))
    is_detector = mask(
        "whether it detects what is cloaked",
        lambda units: units.is_ready
        & (
            units.data.of(units.unit_type, "is_detector")
            | (units.data.of(units.unit_type, "is_cannon") & units.is_powered)
        ),
    )
    is_flying: Derived[np.bool_] = mask(  # type: ignore[assignment]
        "whether it is in the air, or lifted by a graviton beam",
        lambda units: units.source.vector(units.fields["is_flying"]) | _with_buffs(units, ["GravitonBeam"]),
    )
    has_vespene = mask("whether vespene is left", lambda units: units.vespene_contents > 0)
    is_carrying_minerals = mask(
        "whether a worker carries minerals", lambda units: _with_buffs(units, facts.MINERALS_CARRIED)
    )
    is_carrying_vespene = mask(
        "whether a worker carries vespene", lambda units: _with_buffs(units, facts.VESPENE_CARRIED)
    )
    is_carrying_resource = mask(
        "whether a worker carries either", lambda units: units.is_carrying_minerals | units.is_carrying_vespene
    )

    order_ability = Derived(
        np.uint32,
        "the general ability of its current order; 0 where it is idle",
        _first("ability_id", lambda units, abilities: units.data.general(abilities)),
    )
    order_target_tag = Derived(
        np.uint64,
        "the unit that its current order is aimed at; 0 where that is none",
        _first("target_unit_tag", lambda units, tags: tags),
    )
    is_idle = mask("whether it has no orders", lambda units: units.orders.counts == 0)
    is_moving = using("whether it goes somewhere", "Move")
    is_attacking = using("whether it attacks", "Attack")
    is_patrolling = using("whether it patrols", "Patrol")
    is_gathering = using("whether it is on its way to a mineral field or a geyser", "HarvestGather HarvestGather")
    is_returning = using("whether it brings a load back", "HarvestReturn HarvestReturn")
    is_collecting = mask("whether it does either", lambda units: units.is_gathering | units.is_returning)
    is_repairing = using("whether it repairs", "EffectRepair EffectRepair")
    is_constructing_scv = mask("whether it is an SCV on its way to a building, or on it", _building)

    has_add_on = mask("whether there is an add-on", lambda units: units.add_on_tag > 0)
    has_techlab = mask("whether that is a tech lab; of own buildings", _add_on("is_techlab"))
    has_reactor = mask("whether that is a reactor; of own buildings", _add_on("is_reactor"))
    # A barracks is 3 cells wide, an add-on 2, and it stands half a cell lower: sc2/unit.py, add_on_position.
    add_on_position = Derived(
        np.float64, "rows of x, y: where its add-on stands or would", lambda units: units.position + (2.5, -0.5)
    )
    add_on_land_position = Derived(
        np.float64,
        "rows of x, y: where the building of an add-on stands or would",
        lambda units: units.position - (2.5, -0.5),
    )
    cargo_used = Derived(np.int32, "places that are taken", lambda units: units.cargo_space_taken)
    cargo_max = Derived(np.int32, "places that there are", lambda units: units.cargo_space_max)
    cargo_left = Derived(
        np.int32, "places that are free", lambda units: units.cargo_space_max - units.cargo_space_taken
    )
    has_cargo = mask("whether it carries units", lambda units: units.cargo_space_taken > 0)
    surplus_harvesters = Derived(
        np.int32,
        "workers more than it has work for; fewer where negative",
        lambda units: units.assigned_harvesters - units.ideal_harvesters,
    )
    weapon_ready = mask("whether it can shoot now", lambda units: units.can_attack & (units.weapon_cooldown == 0))
