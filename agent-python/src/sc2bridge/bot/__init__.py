"""`BotAI`: a class for bots, with the most used names of python-sc2. A `BotAI` has units in tables of numpy columns.

    from sc2bridge.bot import BotAI

    class MyBot(BotAI):
        def on_step(self, frame):
            self.train(self.townhalls.ready.idle, "SCV")
            if self.supply_left < 4 and not self.already_pending("SUPPLYDEPOT"):
                self.build_near("SUPPLYDEPOT", self.start_location.towards(self.game_info.map_center, 8))
            self.attack(self.units("MARINE").idle, self.enemy_start_locations[0])

No call needs `await`. Costs, supply, requirements and ranges come from the match's own ResponseData. The module `facts`
has the few facts that ResponseData lacks, with their sources. See docs/guide/from-python-sc2.md for differences.
"""

from sc2bridge.bot.bot_ai import BotAI
from sc2bridge.bot.costs import Cost
from sc2bridge.bot.game_info import GameInfo, Rect
from sc2bridge.bot.point import Point2
from sc2bridge.bot.ramp import Ramp
from sc2bridge.bot.unit import Unit
from sc2bridge.bot.units import Units

__all__ = ["BotAI", "Cost", "GameInfo", "Point2", "Ramp", "Rect", "Unit", "Units"]
