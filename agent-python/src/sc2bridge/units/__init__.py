"""The units of an observation as a table of numpy arrays, `frame.units`, and one by one."""

from sc2bridge.units.table import Buffs, Orders, Passengers, RallyTargets, Units
from sc2bridge.units.unit import Unit

__all__ = ["Buffs", "Orders", "Passengers", "RallyTargets", "Unit", "Units"]
