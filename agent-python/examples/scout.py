"""Queries every ten seconds of game time how far units must walk to the first start location.

In this folder, run `sc2bridge run scout:Scout`. `test_scout.py` tests this agent with a recording, without a bridge
and a game.
"""

from __future__ import annotations

from sc2bridge import Agent, Frame, Match
from sc2bridge.s2clientprotocol import common_pb2, query_pb2, sc2api_pb2

LOOPS_A_SECOND = 22.4
IN_FRONT = 0.2
"""The goal is at this share of the way from the start to the map's center: in front of the town hall."""


class Scout(Agent):
    def __init__(self) -> None:
        self.longest_paths: dict[int, float] = {}
        """For each queried game loop, the longest path of a unit, in cells; 0 without a path."""

    def on_start(self, match: Match) -> None:
        self._next_loop = 0.0  # In a series, game loops start again at 0 with each match.
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
        self.longest_paths[frame.game_loop] = max((path.distance for path in answer.query.pathing), default=0.0)
