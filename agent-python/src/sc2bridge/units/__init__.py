"""The units of an observation: the table `frame.units`, whose columns are numpy arrays, and single units."""

from sc2bridge.units.table import Buffs, Orders, Passengers, RallyTargets, Units
from sc2bridge.units.unit import Unit

__all__ = ["Buffs", "Orders", "Passengers", "RallyTargets", "Unit", "Units"]
