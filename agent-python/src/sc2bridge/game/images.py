"""The game's images as numpy arrays.

Map images (`raw_data.map_state.visibility` and `creep`; GameInfo's `start_raw.pathing_grid`, `placement_grid` and
`terrain_height`) use world coordinates: the lower left corner of the cell `array[y, x]` is at (x, y), in the
coordinates of `unit.pos`. Row 0 is the map's lower edge. A picture of such an array is upside down. `array[::-1]` has
the map's upper edge first, as a player sees the map (matplotlib: `imshow(array, origin="lower")`).

Feature layers and rendered pictures use screen coordinates: also `array[y, x]`, but row 0 is the upper edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sc2bridge.s2clientprotocol.common_pb2 import ImageData

_TYPES: dict[int, Any] = {8: np.dtype("u1"), 16: np.dtype("<u2"), 32: np.dtype("<i4")}


def to_array(image: ImageData) -> npt.NDArray[Any]:
    """Converts an image to a read-only array of shape (size.y, size.x).

    An image with 1 bit per pixel becomes bool (the highest bit of a byte is the leftmost pixel), 8 bits uint8, 16 bits
    uint16, 32 bits int32. 24 bits (a rendered picture) become uint8 of shape (size.y, size.x, 3), red first. With 8
    bits or more, the array shares the message's bytes. Raises ValueError for another number of bits, or if the data has
    the wrong length.
    """
    width, height, bits = image.size.x, image.size.y, image.bits_per_pixel
    pixels = width * height
    if width < 0 or height < 0 or bits not in (1, 8, 16, 24, 32):
        raise ValueError(f"an image of {width} x {height} pixels of {bits} bits: expected 1, 8, 16, 24 or 32 bits")
    # Only the end of the data is padded, not the end of each row.
    if len(image.data) != (pixels * bits + 7) // 8:
        given, needed = len(image.data), (pixels * bits + 7) // 8
        raise ValueError(f"an image of {width} x {height} pixels of {bits} bits has {given} bytes: expected {needed}")
    if bits == 1:
        packed = np.frombuffer(image.data, np.uint8)
        array: npt.NDArray[Any] = np.unpackbits(packed, count=pixels).view(np.bool_).reshape(height, width)
        array.flags.writeable = False
        return array
    if bits == 24:
        return np.frombuffer(image.data, np.uint8).reshape(height, width, 3)
    return np.frombuffer(image.data, _TYPES[bits]).reshape(height, width)
