"""Limits of the reader. With these limits, reading a file never takes more than 256 MB of memory. Lengths are in bytes.

The C# reader has limits of the same names, and two more limits (Mcap/McapLimits.cs).
docs/reference/recording-format.md lists all limits.
"""

from __future__ import annotations

from sc2bridge.recording._mcap.records import BadRecordError, UnsupportedError

CHUNK = 17 << 20
"""The limit for the records of a chunk, compressed or not. The bridge ends a chunk at 8 MiB, unless one message is
longer."""

MESSAGE = 16 << 20
"""The limit for a message. Only observations with large feature layers or images have more than 1 MiB."""

ATTACHMENT = 16 << 20
"""The limit for an attachment. The attachments of real matches have less than 1 MiB."""

ANALYSIS = 4 << 20
"""The limit for the attachment `analysis`. The analysis of a real match has less than 100 KiB."""

RECORD = 1 << 20
"""The limit for the header, a schema, a channel or a metadata record."""

SUMMARY = 16 << 20
"""The limit for the summary and its summary offsets."""

INDEX = 32 << 20
"""The limit for the index in memory, as `IndexMemory` counts it: enough for about 80,000 chunks."""

PARSED = 48 << 20
"""The limit for the memory of one parsed message, as `parsed_size` estimates it."""

PERSPECTIVES = 16
"""The limit for the number of perspectives in a recording. StarCraft II has 16 player ids."""

GAPS = 10_000
"""The limit for the number of gaps in a recording."""

ANSWERS = 400_000
"""The limit for the number of recorded answers that a playback indexes: 20 at each of 20,000 steps."""


def check_length(what: str, length: int, limit: int) -> None:
    """Raises BadRecordError if a part of the file is longer than its limit."""
    if length > limit:
        raise BadRecordError(f"{what} of {length} bytes is longer than the limit of {limit}")


class IndexMemory:
    """Counts the memory of a file's index: its chunks, attachments and channels. A record of a few bytes in the file
    takes a few hundred bytes in memory."""

    _RECORD_BYTES = 256
    _ITEM_BYTES = 32

    def __init__(self) -> None:
        self.bytes = 0

    def add(self, text_bytes: int = 0, items: int = 0) -> None:
        """Adds the memory of a record with texts of `text_bytes` bytes and lists of `items` entries. Raises
        UnsupportedError if the total exceeds `INDEX`."""
        self.bytes += self._RECORD_BYTES + 2 * text_bytes + self._ITEM_BYTES * items
        if self.bytes > INDEX:
            raise UnsupportedError(
                f"its chunks, attachments and channels take more than {INDEX} bytes of memory: rewrite the file with"
                " fewer and longer chunks (mcap compress IN -o OUT)"
            )
