"""Draws a match's map and the units of a frame. `draw_map` returns a numpy array, and `to_png` converts the array to a
PNG file. This module needs no other package than numpy.

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

# The live page uses the same colours.
_MINERALS, _GEYSER, _NEUTRAL = (88, 199, 230), (67, 201, 138), (165, 168, 156)
_PLAYER_COLOURS = (
    *((154, 164, 173), (76, 155, 232), (232, 96, 76), (95, 191, 106), (217, 162, 59)),
    *((168, 123, 224), (67, 184, 176), (216, 115, 168), (139, 147, 160)),
)
_CREEP, _OUTLINE = (107, 41, 128), (20, 24, 29)
_HEALTH, _SHIELD = (110, 220, 110), (120, 170, 255)
_NEUTRAL_OWNER = 16  # the owner of neutral units
_DISPLAY_SNAPSHOT = 2  # DisplayType of a unit that was seen earlier
_HIDDEN, _FOGGED = 0, 1  # values of the map's visibility

Picture = npt.NDArray[np.uint8]


def draw_map(match: Match, frame: Frame, scale: int = 6) -> Picture:
    """Draws the playable area of the map and the units of a frame. Returns an array [y, x, 3] of red, green and blue.
    The array's first row is the top of the map.

    scale: the width and height of a map cell, in pixels.
    Higher terrain is lighter; terrain that units cannot walk on is dark. Units are discs in their players' colours,
    with bars for health and shields. Creep and fog are drawn if the frame has them.
    Raises ValueError for a scale below 1, and if the match has no map, as in some recordings. Raises TypeError for the
    result of `launch`, which is a connection and not a Match.
    """
    if not isinstance(match, Match):
        raise TypeError(
            f"a {type(match).__name__} has no map: draw_map(frames.match, frame) or draw_map(match.describe(), frame)"
        )
    raw = match.game_info.start_raw
    area = raw.playable_area
    if not raw.map_size.x or not raw.terrain_height.data:
        raise ValueError("the match's description has no map, so it cannot be drawn: choose another match or recording")
    if scale < 1:
        raise ValueError(f"scale {scale}: choose 1 or more pixels for each cell")
    cell_colours = _terrain_colours(raw, frame)[area.p0.y : area.p1.y, area.p0.x : area.p1.x]
    pixels = cell_colours.repeat(scale, axis=0).repeat(scale, axis=1)
    resource_colours = {unit.unit_id: _MINERALS for unit in match.data.units if unit.has_minerals}
    resource_colours.update({unit.unit_id: _GEYSER for unit in match.data.units if unit.has_vespene})
    units = frame.units
    # Units that fly are drawn last, because they are above the others.
    for row in np.argsort(units.is_flying, kind="stable").tolist():
        owner = int(units.owner[row])
        colour = (
            resource_colours.get(int(units.unit_type[row]), _NEUTRAL)
            if owner == _NEUTRAL_OWNER
            else _PLAYER_COLOURS[owner % len(_PLAYER_COLOURS)]
        )
        x, y = (units.x[row] - area.p0.x) * scale, (units.y[row] - area.p0.y) * scale
        radius = max(float(units.radius[row]), 0.25) * scale
        opacity = 0.45 if units.display_type[row] == _DISPLAY_SNAPSHOT else 0.95
        _draw_disc(pixels, x, y, radius + 0.5, _OUTLINE, opacity)
        _draw_disc(pixels, x, y, radius, colour, opacity)
        if owner != _NEUTRAL_OWNER:
            _draw_bars(pixels, x, y + radius + 2, radius, units, row)
    return np.ascontiguousarray(pixels[::-1].round().astype(np.uint8))


def to_png(picture: Picture) -> bytes:
    """Converts a picture to the bytes of a PNG file (https://www.w3.org/TR/png-3/, colour type 2, filter type 0)."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[:, 1:] = picture.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _terrain_colours(raw: Any, frame: Frame) -> Any:
    height = to_array(raw.terrain_height).astype(float)
    lowest, highest = height.min(), max(height.max(), height.min() + 1)
    brightness = 0.22 + 0.4 * (height - lowest) / (highest - lowest)
    brightness = np.where(to_array(raw.pathing_grid), brightness, brightness * 0.45)
    colours = brightness[..., None] * np.array([0.92, 0.96, 1.0]) * 255
    map_state = frame.observation.observation.raw_data.map_state
    if map_state.creep.data:
        creep = to_array(map_state.creep).astype(bool)
        colours[creep] = colours[creep] * 0.45 + np.array(_CREEP) * 0.55
    if map_state.visibility.data:
        visibility = to_array(map_state.visibility)
        colours *= np.select([visibility == _HIDDEN, visibility == _FOGGED], [0.38, 0.66], 1.0)[..., None]
    return colours


def _draw_disc(pixels: Any, x: float, y: float, radius: float, colour: tuple[int, int, int], opacity: float) -> None:
    height, width, _ = pixels.shape
    left, right = max(int(x - radius) - 1, 0), min(int(x + radius) + 2, width)
    bottom, top = max(int(y - radius) - 1, 0), min(int(y + radius) + 2, height)
    if left >= right or bottom >= top:
        return
    across, up = np.arange(left, right) + 0.5 - x, np.arange(bottom, top)[:, None] + 0.5 - y
    # Anti-aliasing: the disc covers pixels at its edge only in part. The opacity of such a pixel is its covered share.
    pixel_opacity = (radius + 0.5 - np.hypot(across, up)).clip(0, 1)[..., None] * opacity
    pixel_area = pixels[bottom:top, left:right]
    pixel_area += (np.array(colour) - pixel_area) * pixel_opacity


def _draw_bars(pixels: Any, x: float, y: float, half_width: float, units: Any, row: int) -> None:
    for colour, points, maximum in (
        (_HEALTH, units.health[row], units.health_max[row]),
        (_SHIELD, units.shield[row], units.shield_max[row]),
    ):
        if maximum > 0:
            left, right = max(round(x - half_width), 0), max(round(x + half_width), 0)
            filled_right = left + round((right - left) * min(float(points / maximum), 1.0))
            pixels[max(round(y), 0) : max(round(y) + 1, 0), left:right] = _OUTLINE
            pixels[max(round(y), 0) : max(round(y) + 1, 0), left:filled_right] = colour
            y += 1.5
