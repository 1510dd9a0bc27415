"""A match's map as a picture: `draw_map(match, frame)` as an array, `to_png` of it as a file's bytes. It needs numpy alone.

    picture = draw_map(frames.match, frame)  # matplotlib: imshow(picture)
    IPython.display.Image(to_png(picture))
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sc2bridge.game.images import to_array
from sc2bridge.game.match import Match

if TYPE_CHECKING:
    from sc2bridge.game.frame import Frame

# The live page's colours, so that a player has one colour everywhere.
_MINERALS, _GEYSER, _NEUTRAL = (88, 199, 230), (67, 201, 138), (165, 168, 156)
_PLAYERS = (
    *((154, 164, 173), (76, 155, 232), (232, 96, 76), (95, 191, 106), (217, 162, 59)),
    *((168, 123, 224), (67, 184, 176), (216, 115, 168), (139, 147, 160)),
)
_CREEP, _EDGE = (107, 41, 128), (20, 24, 29)
_HEALTH, _SHIELD = (110, 220, 110), (120, 170, 255)
_NOBODY = 16  # the owner of neutral units
_SNAPSHOT = 2  # DisplayType: as it was last seen
_HIDDEN, _FOGGED = 0, 1  # of the map's visibility

Picture = npt.NDArray[np.uint8]


def draw_map(match: Match, frame: Frame, scale: int = 6) -> Picture:
    """The playable area as a frame shows it: an array [y, x, 3] of red, green and blue, its first row at the top of the map.

    scale: pixels for each cell. Terrain is lighter the higher it is, and dark if nothing can walk on it. Units are discs in their
    players' colours with bars of their health and shields. Creep and fog are drawn if the frame has them. Raises ValueError if the
    match has no map, as some recordings, and for a scale below 1; TypeError for a match that `launch` returned, which is a connection.
    """
    if not isinstance(match, Match):
        raise TypeError(
            f"a {type(match).__name__} has no map: draw_map(frames.match, frame) or draw_map(match.describe(), frame)"
        )
    raw = match.game_info.start_raw
    area = raw.playable_area
    if not raw.map_size.x or not raw.terrain_height.data:
        raise ValueError("the match's description has no map: it cannot be drawn")
    if scale < 1:
        raise ValueError(f"scale {scale}: give 1 or more pixels for each cell")
    cells = _ground(raw, frame)[area.p0.y : area.p1.y, area.p0.x : area.p1.x]
    pixels = cells.repeat(scale, axis=0).repeat(scale, axis=1)
    resources = {unit.unit_id: _MINERALS for unit in match.data.units if unit.has_minerals}
    resources.update({unit.unit_id: _GEYSER for unit in match.data.units if unit.has_vespene})
    units = frame.units
    # Units that fly are drawn last, because they are above the others.
    for row in np.argsort(units.is_flying, kind="stable").tolist():
        owner = int(units.owner[row])
        colour = (
            resources.get(int(units.unit_type[row]), _NEUTRAL) if owner == _NOBODY else _PLAYERS[owner % len(_PLAYERS)]
        )
        x, y = (units.x[row] - area.p0.x) * scale, (units.y[row] - area.p0.y) * scale
        radius = max(float(units.radius[row]), 0.25) * scale
        faint = 0.45 if units.display_type[row] == _SNAPSHOT else 0.95
        _disc(pixels, x, y, radius + 0.5, _EDGE, faint)
        _disc(pixels, x, y, radius, colour, faint)
        if owner != _NOBODY:
            _bars(pixels, x, y + radius + 2, radius, units, row)
    return np.ascontiguousarray(pixels[::-1].round().astype(np.uint8))


def to_png(picture: Picture) -> bytes:
    """A PNG file of a picture. Source: https://www.w3.org/TR/png-3/, colour type 2, filter type 0."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[:, 1:] = picture.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _ground(raw: Any, frame: Frame) -> Any:
    height = to_array(raw.terrain_height).astype(float)
    low, high = height.min(), max(height.max(), height.min() + 1)
    shade = 0.22 + 0.4 * (height - low) / (high - low)
    shade = np.where(to_array(raw.pathing_grid), shade, shade * 0.45)
    cells = shade[..., None] * np.array([0.92, 0.96, 1.0]) * 255
    state = frame.observation.observation.raw_data.map_state
    if state.creep.data:
        creep = to_array(state.creep).astype(bool)
        cells[creep] = cells[creep] * 0.45 + np.array(_CREEP) * 0.55
    if state.visibility.data:
        seen = to_array(state.visibility)
        cells *= np.select([seen == _HIDDEN, seen == _FOGGED], [0.38, 0.66], 1.0)[..., None]
    return cells


def _disc(pixels: Any, x: float, y: float, radius: float, colour: tuple[int, int, int], opacity: float) -> None:
    height, width, _ = pixels.shape
    left, right = max(int(x - radius) - 1, 0), min(int(x + radius) + 2, width)
    bottom, top = max(int(y - radius) - 1, 0), min(int(y + radius) + 2, height)
    if left >= right or bottom >= top:
        return
    across, up = np.arange(left, right) + 0.5 - x, np.arange(bottom, top)[:, None] + 0.5 - y
    # The edge is as opaque as the disc covers its pixels.
    covered = (radius + 0.5 - np.hypot(across, up)).clip(0, 1)[..., None] * opacity
    part = pixels[bottom:top, left:right]
    part += (np.array(colour) - part) * covered


def _bars(pixels: Any, x: float, y: float, half: float, units: Any, row: int) -> None:
    for colour, points, most in (
        (_HEALTH, units.health[row], units.health_max[row]),
        (_SHIELD, units.shield[row], units.shield_max[row]),
    ):
        if most > 0:
            left, right = max(round(x - half), 0), max(round(x + half), 0)
            full = left + round((right - left) * min(float(points / most), 1.0))
            pixels[max(round(y), 0) : max(round(y) + 1, 0), left:right] = _EDGE
            pixels[max(round(y), 0) : max(round(y) + 1, 0), left:full] = colour
            y += 1.5
