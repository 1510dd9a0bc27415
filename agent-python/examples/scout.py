"""Asks each ten seconds of the game how far it is to the first start: `sc2bridge run scout:Scout` in this
folder.

`test_scout.py` beside it tests this agent against a recording, with no bridge and no game.
"""

from __future__ import annotations

from sc2bridge import Agent, Frame, Match
from sc2bridge.s2clientprotocol import common_pb2, query_pb2, sc2api_pb2

LOOPS_A_SECOND = 22.4
IN_FRONT = 0.2
"""Of the way from a start to the map's middle: where its town hall does not stand in the way."""


class Scout(Agent):
    def __init__(self) -> None:
        self.ways: dict[int, float] = {}
        """How far it was for the unit that had the farthest to go, in cells, by game loop; 0 where there is no way."""

    def on_start(self, match: Match) -> None:
        self._next_loop = 0.0  # In a series game loops begin again with each match.
        area, start = match.game_info.start_raw.playable_area, match.game_info.start_raw.start_locations[0]
        middle_x, middle_y = (area.p0.x + area.p1.x) / 2, (area.p0.y + area.p1.y) / 2
        self._goal = common_pb2.Point2D(
            x=start.x + (middle_x - start.x) * IN_FRONT, y=start.y + (middle_y - start.y) * IN_FRONT
        )

    def on_step(self, frame: Frame) -> None:
        if frame.game_loop < self._next_loop or self.bridge is None:
            return
        self._next_loop += 10 * LOOPS_A_SECOND
        query = query_pb2.RequestQuery()
        for unit in frame.observation.observation.raw_data.units:
            if unit.owner in (1, 2) and unit.orders and not unit.is_flying:
                query.pathing.add(start_pos=common_pb2.Point2D(x=unit.pos.x, y=unit.pos.y), end_pos=self._goal)
        answer = self.bridge.request(sc2api_pb2.Request(query=query), perspective=frame.perspective)
        self.ways[frame.game_loop] = max((way.distance for way in answer.query.pathing), default=0.0)
