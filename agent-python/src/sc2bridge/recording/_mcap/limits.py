"""Limits of what is read of a file. With them no file takes more than 256 MB of memory.

The C# reader has these limits by the same names, and two more (Mcap/McapLimits.cs). docs/reference/recording-format.md lists them.
"""

from __future__ import annotations

from sc2bridge.recording._mcap.records import BadRecordError, UnreadError

CHUNK = 17 << 20
"""The records of a chunk, compressed or not. The bridge closes chunks at 8 MiB, unless one message is longer."""

MESSAGE = 16 << 20
"""A message. Only an observation with large feature layers, or images, has more than 1 MiB."""

ATTACHMENT = 16 << 20
"""An attachment. Real ones have less than 1 MiB."""

ANALYSIS = 4 << 20
"""The attachment `analysis`. Real ones have less than 100 KiB."""

RECORD = 1 << 20
"""The header, a schema, a channel or a metadata record."""

SUMMARY = 16 << 20
"""The summary with its offsets."""

INDEX = 32 << 20
"""All that `IndexMemory` counts of a file: the index of some 80,000 chunks."""

PARSED = 48 << 20
"""The objects that parsing one message makes, as `parsed_size` estimates them."""

PERSPECTIVES = 16
"""As many as StarCraft II has player ids."""

GAPS = 10_000
"""Gaps that are listed."""

ANSWERS = 400_000
"""Recorded answers that a playback indexes: 20 in each step of a long match."""


def check_length(what: str, length: int, limit: int) -> None:
    """Raises BadRecordError if a part of the file is longer than its limit."""
    if length > limit:
        raise BadRecordError(f"{what} of {length} bytes is longer than the {limit} that are read")


class IndexMemory:
    """Counts the memory of a file's index: its chunks, attachments and channels. One record takes a few bytes in the file
    and some hundred in memory."""

    _RECORD_BYTES = 256
    _ITEM_BYTES = 32

    def __init__(self) -> None:
        self.bytes = 0

    def add(self, text_bytes: int = 0, items: int = 0) -> None:
        """Counts a record: the bytes of its texts, and the entries of its lists. Raises UnreadError past `INDEX`."""
        self.bytes += self._RECORD_BYTES + 2 * text_bytes + self._ITEM_BYTES * items
        if self.bytes > INDEX:
            raise UnreadError(
                f"its chunks, attachments and channels take more than {INDEX} bytes of memory: write it again with fewer and"
                " longer chunks (mcap compress IN -o OUT)"
            )
