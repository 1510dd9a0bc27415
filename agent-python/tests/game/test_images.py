"""Images as arrays: the bits in their order, the rows in theirs."""

from __future__ import annotations

import pathlib

import pytest

from sc2bridge.s2clientprotocol import common_pb2, sc2api_pb2

np = pytest.importorskip("numpy")


def image(width: int, height: int, bits: int, data: bytes) -> common_pb2.ImageData:
    return common_pb2.ImageData(bits_per_pixel=bits, size=common_pb2.Size2DI(x=width, y=height), data=data)


def test_an_image_of_each_depth_becomes_an_array() -> None:
    from sc2bridge.game.images import to_array

    one = to_array(image(3, 3, 1, bytes([0b100_010_00, 0b1_0000000])))
    assert one.dtype == bool and one.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert to_array(image(2, 3, 8, bytes(range(6)))).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert to_array(image(2, 1, 16, b"\1\0\0\1")).tolist() == [[1, 256]]
    assert to_array(image(1, 1, 32, b"\xff\xff\xff\xff")).tolist() == [[-1]]
    assert to_array(image(1, 2, 24, bytes(range(6)))).tolist() == [[[0, 1, 2]], [[3, 4, 5]]]
    with pytest.raises(ValueError):
        to_array(image(1, 1, 8, b"a"))[0, 0] = 1


@pytest.mark.parametrize("wrong", [image(2, 2, 8, b"abc"), image(2, 2, 7, b"abcd"), image(-1, -4, 8, b"abcd")])
def test_a_wrong_image_is_refused(wrong: common_pb2.ImageData) -> None:
    from sc2bridge.game.images import to_array

    with pytest.raises(ValueError, match="an image of"):
        to_array(wrong)


def test_map_images_of_real_matches_are_in_world_coordinates(shared: pathlib.Path) -> None:
    from sc2bridge.game.images import to_array

    checked = 0
    for folder in sorted((shared / "data" / "real").iterdir()):
        if not folder.is_dir():
            continue
        observation = sc2api_pb2.ResponseObservation.FromString((folder / "observation.pb").read_bytes())
        info = sc2api_pb2.Response.FromString((folder / "game_info.pb").read_bytes()).game_info
        raw = observation.observation.raw_data
        height = to_array(info.start_raw.terrain_height)
        own = [(int(unit.pos.x), int(unit.pos.y)) for unit in raw.units if unit.alliance == 1]
        visibility = to_array(raw.map_state.visibility)
        assert all(visibility[y, x] == 2 for x, y in own), folder.name
        # A unit's z follows the ground below it, which is a measure of the map's being the right way up.
        ground = [(height[int(unit.pos.y), int(unit.pos.x)], unit.pos.z) for unit in raw.units]
        flipped = [(height[-1 - int(unit.pos.y), int(unit.pos.x)], unit.pos.z) for unit in raw.units]
        follows = np.corrcoef(np.array(ground, float).T)[0, 1]
        assert follows > 0.8 and follows > np.corrcoef(np.array(flipped, float).T)[0, 1], folder.name
        checked += 1
    assert checked > 0
