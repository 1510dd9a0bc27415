"""The game's images as numpy arrays.

Map images (`raw_data.map_state.visibility` and `creep`; GameInfo's `start_raw.pathing_grid`, `placement_grid` and
`terrain_height`) come in world coordinates: `array[y, x]` is the cell whose lower left corner is the point (x, y) of
`unit.pos`, so row 0 is the map's lower edge. That is the right way up for looking things up, and upside down for a
picture: `array[::-1]` is what a player sees (matplotlib: `imshow(array, origin="lower")`).

Feature layers and rendered pictures come in screen coordinates, row 0 at the top: `array[y, x]` again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sc2bridge.s2clientprotocol.common_pb2 import ImageData

_TYPES: dict[int, Any] = {8: np.dtype("u1"), 16: np.dtype("<u2"), 32: np.dtype("<i4")}


def to_array(image: ImageData) -> npt.NDArray[Any]:
    """An image as an array of shape (size.y, size.x).

    1 bit a pixel gives bool (the highest bit of a byte is the leftmost pixel), 8 gives uint8, 16 uint16, 32 int32;
    24 (a rendered picture) gives uint8 of shape (size.y, size.x, 3), red first. The array shares the message's bytes
    where it can, and cannot be written to. Raises ValueError for another number of bits, or data of the wrong length.
    """
    width, height, bits = image.size.x, image.size.y, image.bits_per_pixel
    pixels = width * height
    if width < 0 or height < 0 or bits not in (1, 8, 16, 24, 32):
        raise ValueError(f"an image of {width} x {height} pixels of {bits} bits is none of the game's")
    # Rows are not padded, only the image's end is.
    if len(image.data) != (pixels * bits + 7) // 8:
        raise ValueError(f"an image of {width} x {height} pixels of {bits} bits cannot have {len(image.data)} bytes")
    if bits == 1:
        packed = np.frombuffer(image.data, np.uint8)
        array: npt.NDArray[Any] = np.unpackbits(packed, count=pixels).view(np.bool_).reshape(height, width)
        array.flags.writeable = False
        return array
    if bits == 24:
        return np.frombuffer(image.data, np.uint8).reshape(height, width, 3)
    return np.frombuffer(image.data, _TYPES[bits]).reshape(height, width)
