"""Observations one after another in a stream: each is its length (4 bytes, little-endian) and its bytes."""

from __future__ import annotations

from typing import BinaryIO, Iterator

LARGEST = 64 << 20


class BadFramesError(ValueError):
    """The stream is not what it should be; the message says where."""


def read_frames(stream: BinaryIO) -> Iterator[bytes]:
    """Every observation of a stream.

    Raises BadFramesError if it is cut off, or if a length is more than 64 MiB.
    """
    at = 0
    while True:
        head = _read(stream, 4)
        if not head:
            return
        length = int.from_bytes(head, "little")
        if len(head) < 4 or length > LARGEST:
            raise BadFramesError(f"no length of an observation at byte {at}")
        body = _read(stream, length)
        if len(body) < length:
            raise BadFramesError(f"the observation at byte {at} is cut off: {len(body)} of {length} bytes")
        yield body
        at += 4 + length


def _read(stream: BinaryIO, size: int) -> bytes:
    # A pipe gives what it has, which may be less.
    parts = []
    while size > 0:
        part = stream.read(size)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
