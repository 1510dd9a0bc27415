"""Pictures of a match's map."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from gym_case import ENEMY, NEUTRAL, OWN, frame_of

from sc2bridge.game.match import Match
from sc2bridge.pictures import draw_map, to_png
from sc2bridge.v1 import bridge_pb2

WIDTH, HEIGHT = 20, 16


def a_match() -> Match:
    """A match on a map of 20 x 16 cells whose right half is higher, with a frame of a cell that is not played on."""
    description = bridge_pb2.MatchDescription()
    raw = description.game_info.start_raw
    raw.map_size.x, raw.map_size.y = WIDTH, HEIGHT
    raw.playable_area.p0.x = raw.playable_area.p0.y = 1
    raw.playable_area.p1.x, raw.playable_area.p1.y = WIDTH - 1, HEIGHT - 1
    for grid, row in ((raw.pathing_grid, [1] * WIDTH), (raw.terrain_height, [100] * 10 + [200] * 10)):
        grid.size.CopyFrom(raw.map_size)
        grid.bits_per_pixel, grid.data = 8, bytes(row) * HEIGHT
    description.data.units.add(unit_id=341, name="MineralField", has_minerals=True)
    return Match(description, 1)


def near(pixel: Any, colour: tuple[int, int, int]) -> bool:
    return bool((np.abs(pixel.astype(int) - colour) < 20).all())


def test_units_are_discs_in_their_colours_at_their_places() -> None:
    frame = frame_of(
        {"alliance": OWN, "owner": 1, "pos": (4, 4), "radius": 1},
        {"alliance": ENEMY, "owner": 2, "pos": (12, 11), "radius": 1},
        {"alliance": NEUTRAL, "owner": 16, "unit_type": 341, "pos": (16, 4), "radius": 1},
    )
    picture = draw_map(a_match(), frame, scale=8)
    assert picture.dtype == np.uint8 and picture.shape == ((HEIGHT - 2) * 8, (WIDTH - 2) * 8, 3)

    def at(x: float, y: float) -> Any:
        return picture[-1 - int((y - 1) * 8), int((x - 1) * 8)]

    assert near(at(4, 4), (76, 155, 232)) and near(at(12, 11), (232, 96, 76)) and near(at(16, 4), (88, 199, 230))
    ground = at(4, 10)
    assert not near(at(12, 11), tuple(ground)) and (at(16, 10) > ground).all()
    assert (at(4, 6.5) == ground).all()  # beyond the unit and its bars


def test_a_bar_is_as_long_as_the_units_health() -> None:
    pictures = [
        draw_map(a_match(), frame_of({"owner": 1, "pos": (6, 6), "radius": 2, "health": health}), scale=8)
        for health in (10, 20, 40)
    ]
    lengths = [int((np.abs(each.astype(int) - (110, 220, 110)) < 3).all(axis=2).sum()) for each in pictures]
    assert lengths == [8, 16, 32]


def test_units_at_the_edge_and_beyond_it_are_cut_off() -> None:
    places = [(0, 0), (1, 1), (WIDTH, HEIGHT), (-5, 8), (WIDTH + 9, 3), (10, HEIGHT - 1)]
    frame = frame_of(*[{"owner": 1, "pos": place, "radius": 2} for place in places])
    assert draw_map(a_match(), frame, scale=3).shape == ((HEIGHT - 2) * 3, (WIDTH - 2) * 3, 3)


def test_creep_and_fog_are_drawn_if_the_frame_has_them() -> None:
    plain = draw_map(a_match(), frame_of(), scale=1)
    frame = frame_of()
    state = frame.observation.observation.raw_data.map_state
    for grid, row in ((state.visibility, [0] * 5 + [1] * 5 + [2] * 10), (state.creep, [0] * 15 + [1] * 5)):
        grid.size.x, grid.size.y, grid.bits_per_pixel, grid.data = WIDTH, HEIGHT, 8, bytes(row) * HEIGHT
    seen = draw_map(a_match(), frame, scale=1)
    light = seen.sum(axis=2)[5] / plain.sum(axis=2)[5]
    assert light[0] < light[6] < light[11] == 1
    assert (seen[5, -1] != plain[5, -1]).any()


def test_a_png_holds_the_pictures_bytes() -> None:
    picture = draw_map(a_match(), frame_of({"owner": 2, "pos": (6, 6)}), scale=2)
    png = to_png(picture)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + data),)
        chunks[kind], at = data, at + 12 + length
    height, width, _ = picture.shape
    assert chunks[b"IHDR"] == struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0) and chunks[b"IEND"] == b""
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + width * 3)
    assert not rows[:, 0].any() and (rows[:, 1:].reshape(picture.shape) == picture).all()


def test_a_match_without_a_map_and_a_wrong_scale_are_clear_errors() -> None:
    with pytest.raises(ValueError, match="has no map"):
        draw_map(Match(bridge_pb2.MatchDescription(), 1), frame_of())
    with pytest.raises(ValueError, match="scale 0: choose 1 or more pixels"):
        draw_map(a_match(), frame_of(), scale=0)
