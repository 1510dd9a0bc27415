"""Drawings on the game's screen. A step's drawings are collected, and sent as one request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from sc2bridge.game.places import PointLike, coordinates, point_3d
from sc2bridge.s2clientprotocol import common_pb2, debug_pb2, sc2api_pb2

Color = Sequence[int]
"""Red, green and blue, 0 to 255 each."""

WHITE = (255, 255, 255)


class Drawing:
    """Texts, lines, boxes and spheres. Draw them again in each step: the game removes drawings that a step does not
    repeat.

    The drawings are sent when the agent is done with the step, and only if they differ from the previous drawings. A
    place is x, y and z in cells, or a unit. Raises TypeError for an invalid place, ValueError for an invalid color.
    """

    def __init__(self) -> None:
        self._draw = debug_pb2.DebugDraw()
        self._last_drawing = b""

    def text_screen(self, text: str, at: Sequence[float] = (0, 0), color: Color = WHITE, size: int = 8) -> None:
        """Writes a text on the screen. at: x and y from 0 to 1, from the upper left corner. size: in pixels."""
        x, y, *_ = coordinates(at)
        self._draw.text.add(color=_color(color), text=text, virtual_pos=common_pb2.Point(x=x, y=y, z=0), size=size)

    def text_world(self, text: str, at: PointLike, color: Color = WHITE, size: int = 8) -> None:
        """Writes a text at a place on the map. size: in pixels."""
        self._draw.text.add(color=_color(color), text=text, world_pos=point_3d(at), size=size)

    def line(self, start: PointLike, end: PointLike, color: Color = WHITE) -> None:
        """Draws a line between two places."""
        self._draw.lines.add(color=_color(color), line=debug_pb2.Line(p0=point_3d(start), p1=point_3d(end)))

    def box(self, corner: PointLike, opposite: PointLike, color: Color = WHITE) -> None:
        """Draws a box. corner: the smallest x, y and z of the box. opposite: the largest x, y and z."""
        self._draw.boxes.add(color=_color(color), min=point_3d(corner), max=point_3d(opposite))

    def box_around(self, at: PointLike, half: float = 0.25, color: Color = WHITE) -> None:
        """Draws a cube around a place. half: half the length of an edge, in cells."""
        middle = point_3d(at)
        x, y, z = middle.x, middle.y, middle.z
        self.box((x - half, y - half, z - half), (x + half, y + half, z + half), color)

    def sphere(self, at: PointLike, radius: float, color: Color = WHITE) -> None:
        """Draws a sphere around a place. radius: in cells."""
        self._draw.spheres.add(color=_color(color), p=point_3d(at), r=radius)

    def take_request(self) -> Optional[sc2api_pb2.Request]:
        """Removes this step's drawings and returns them as a request, or None if they equal the previous drawings."""
        draw, self._draw = self._draw, debug_pb2.DebugDraw()
        drawn = draw.SerializeToString()
        if drawn == self._last_drawing:
            return None
        self._last_drawing = drawn
        return sc2api_pb2.Request(debug=sc2api_pb2.RequestDebug(debug=[debug_pb2.DebugCommand(draw=draw)]))


def _color(color: Color) -> debug_pb2.Color:
    parts = [int(part) for part in color]
    if len(parts) != 3 or not all(0 <= part <= 255 for part in parts):
        raise ValueError(f"invalid color {color!r}: give red, green and blue, 0 to 255 each")
    return debug_pb2.Color(r=parts[0], g=parts[1], b=parts[2])
