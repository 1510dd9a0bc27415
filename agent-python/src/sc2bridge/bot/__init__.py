"""What python-sc2's users call most, by python-sc2's names, on columns: `class MyBot(BotAI)`.

    from sc2bridge.bot import BotAI

    class MyBot(BotAI):
        def on_step(self, frame):
            self.train(self.townhalls.ready.idle, "SCV")
            if self.supply_left < 4 and not self.already_pending("SUPPLYDEPOT"):
                self.build_near("SUPPLYDEPOT", self.start_location.towards(self.game_info.map_center, 8))
            self.attack(self.units("MARINE").idle, self.enemy_start_locations[0])

Nothing is awaited. Costs, supply, requirements and ranges are those of the match's own ResponseData; the few facts that it leaves
out stand with their sources in `facts`. docs/guide/from-python-sc2.md has both side by side.
"""

from sc2bridge.bot.bot_ai import BotAI
from sc2bridge.bot.costs import Cost
from sc2bridge.bot.game_info import GameInfo, Rect
from sc2bridge.bot.point import Point2
from sc2bridge.bot.ramp import Ramp
from sc2bridge.bot.unit import Unit
from sc2bridge.bot.units import Units

__all__ = ["BotAI", "Cost", "GameInfo", "Point2", "Ramp", "Rect", "Unit", "Units"]
