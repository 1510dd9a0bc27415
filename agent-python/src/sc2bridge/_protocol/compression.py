"""Decompresses payloads with zstd: single zstd frames, or blocks of a group (see Block in bridge.proto).

A payload is decompressed on first use, after all earlier blocks of its group. All sizes are limited: a block's content
must have the size that the block declares, at most `MAX_CONTENT_BYTES`, and zstd's window has at most 8 MiB. Invalid
bytes raise MalformedMessageError and no other error.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import Any, Optional, Union, get_args

import zstandard

from sc2bridge._protocol import choices
from sc2bridge.errors import MalformedMessageError, SC2BridgeError

MAX_CONTENT_BYTES = 64 << 20
"""The limit of a payload's content, in bytes. Real observations are much shorter."""

MAX_EARLIER_BYTES = 4 * MAX_CONTENT_BYTES
"""The limit of the content of all earlier blocks in a message, in bytes: enough for 64 observations of 4 MiB."""

_SMALLEST_WINDOW_LOG, _LARGEST_WINDOW_LOG = 10, 23
# The limits for compressed blocks that wait for their first use. A bridge's group stays below both limits. Above a
# limit, the oldest blocks are decompressed at once.
_MAX_PENDING_BYTES, _MAX_PENDING_BLOCKS = 4 << 20, 256


def split_compression(compression: Optional[choices.Compression]) -> tuple[Optional[str], Optional[str]]:
    """Returns the transport's compression (`deflate` or None) and the payload's compression (`zstd`, `group-zstd` or
    None). Raises ValueError for an unknown compression."""
    if compression not in (None, *get_args(choices.Compression)):
        raise ValueError(f"compression {compression!r}: choose none, deflate, zstd or group-zstd")
    if compression in ("zstd", "group-zstd"):
        return None, compression
    return ("deflate" if compression == "deflate" else None), None


class _EndOfPieceError(SC2BridgeError):
    """The current piece of the input has no more bytes."""


class _PieceSource:
    """The input of a zstd stream, one piece at a time."""

    def __init__(self) -> None:
        self.piece: Optional[bytes] = None

    def read(self, _: int = -1) -> bytes:
        piece, self.piece = self.piece, None
        if not piece:  # An empty result would mean the end of the stream.
            raise _EndOfPieceError
        return piece


class _ZstdStream:
    """Decompresses a zstd stream piece by piece. The size of the content of each piece is known."""

    def __init__(self, window_log: int) -> None:
        self._source: Any = _PieceSource()
        self._reader = zstandard.ZstdDecompressor(max_window_size=1 << window_log).stream_reader(self._source)

    def decompress_piece(self, piece: bytes, size: int) -> memoryview:
        """Decompresses the next piece. size: the size of the content. Raises MalformedMessageError."""
        self._source.piece = piece
        try:
            # Reads one byte more than the size: the decoder outputs all content, and longer content is detected.
            content = self._reader.read1(size + 1)
        except _EndOfPieceError:
            content = b""
        except (zstandard.ZstdError, ValueError, MemoryError) as error:
            raise MalformedMessageError(f"compressed content is not valid zstd: {error}") from None
        if len(content) > size:
            raise MalformedMessageError(f"compressed content has more than its declared {size} bytes")
        if len(content) < size:
            raise MalformedMessageError(f"compressed content has {len(content)} bytes instead of its declared {size}")
        return memoryview(content)


class CompressedContent:
    """The content of a compressed payload. The content is decompressed on first use."""

    __slots__ = ("__weakref__", "_content", "_group")

    def __init__(self, group: Union[_Group, _ZstdFrame]) -> None:
        self._group: Optional[Union[_Group, _ZstdFrame]] = group
        self._content: Optional[memoryview] = None

    def get(self) -> memoryview:
        """The content, read-only. Raises MalformedMessageError."""
        # Reads `_group` before `_content`, because `_set` stores the content before it clears the group. Then at least
        # one of them is set here, even if another thread decompresses at the same time.
        group, content = self._group, self._content
        if content is None:
            assert group is not None
            content = group.decompress(self)
        return content

    def _set(self, content: memoryview) -> None:
        self._content = content
        self._group = None


class _Group:
    """The blocks of a group that are not decompressed yet. A block of a frame that the agent may read has a
    CompressedContent, which receives the block's content. The content of other blocks is not kept."""

    def __init__(self, window_log: int) -> None:
        self._lock = threading.Lock()
        self._stream: Optional[_ZstdStream] = None
        self._window_log = window_log
        self._pending: deque[tuple[Optional[weakref.ref[CompressedContent]], bytes, int]] = deque()
        self._pending_bytes = 0
        self._failure: Optional[str] = None

    def add(self, piece: bytes, size: int, keeps_content: bool) -> Optional[CompressedContent]:
        _check_size(size)
        content = CompressedContent(self) if keeps_content else None
        with self._lock:
            self._pending.append((weakref.ref(content) if content is not None else None, piece, size))
            self._pending_bytes += len(piece)
            while self._pending_bytes > _MAX_PENDING_BYTES or len(self._pending) > _MAX_PENDING_BLOCKS:
                self._decompress_first()
        return content

    def decompress(self, wanted: CompressedContent) -> memoryview:
        with self._lock:
            while wanted._content is None:
                self._decompress_first()
            return wanted._content

    def _decompress_first(self) -> None:
        if self._failure is not None:
            raise MalformedMessageError(self._failure)
        content_reference, piece, size = self._pending.popleft()
        self._pending_bytes -= len(piece)
        try:
            if self._stream is None:
                self._stream = _ZstdStream(self._window_log)
            decompressed = self._stream.decompress_piece(piece, size)
        except MalformedMessageError as error:
            # After this error, no later block of the stream can be decompressed.
            self._failure = str(error)
            raise
        content = content_reference() if content_reference is not None else None
        if content is not None:
            content._set(decompressed)


class GroupDecompressor:
    """Receives the blocks of one subscription in the order of their arrival. Checks that no block is missing."""

    def __init__(self) -> None:
        self._group_number = 0
        self._next_index = 0
        self._group: Optional[_Group] = None

    def add(self, block: Any) -> CompressedContent:
        """Returns the content of a `bridge_pb2.Block`. Raises MalformedMessageError if another block was expected."""
        earlier, sizes = block.earlier, block.earlier_sizes
        if len(earlier) != len(sizes):
            raise MalformedMessageError(f"a block has {len(earlier)} earlier blocks but {len(sizes)} sizes of them")
        if sum(sizes) > MAX_EARLIER_BYTES:
            raise MalformedMessageError(f"earlier blocks of {sum(sizes)} bytes: the limit is {MAX_EARLIER_BYTES}")
        group = self._group if block.group == self._group_number else None
        first, expected = block.index - len(earlier), self._next_index if group is not None else 0
        if first != expected:
            raise MalformedMessageError(f"received block {first} of group {block.group} instead of block {expected}")
        if not _SMALLEST_WINDOW_LOG <= block.window_log <= _LARGEST_WINDOW_LOG:
            raise MalformedMessageError(
                f"a window of 2**{block.window_log} bytes: the limits are 2**{_SMALLEST_WINDOW_LOG} and"
                f" 2**{_LARGEST_WINDOW_LOG}"
            )
        if group is None:
            group = _Group(block.window_log)
        for piece, size in zip(earlier, sizes):
            group.add(piece, size, keeps_content=False)
        content = group.add(block.data, block.size, keeps_content=True)
        assert content is not None
        self._group_number, self._next_index, self._group = block.group, block.index + 1, group
        return content


class _ZstdFrame:
    """A complete zstd frame, whose header has the size of the content."""

    def __init__(self, frame: bytes) -> None:
        self._frame = frame

    def decompress(self, wanted: CompressedContent) -> memoryview:
        try:
            content = zstandard.ZstdDecompressor(max_window_size=1 << _LARGEST_WINDOW_LOG).decompress(self._frame)
        except (zstandard.ZstdError, ValueError, MemoryError) as error:
            raise MalformedMessageError(f"compressed content is not valid zstd: {error}") from None
        view = memoryview(content)
        wanted._set(view)
        return view


def open_zstd_frame(frame: bytes) -> CompressedContent:
    """Returns the content of a complete zstd frame. Raises MalformedMessageError if its header lacks the size."""
    try:
        size = zstandard.frame_content_size(frame)
    except (zstandard.ZstdError, ValueError) as error:
        raise MalformedMessageError(f"compressed content is not valid zstd: {error}") from None
    if size < 0:
        raise MalformedMessageError("the header of a zstd frame lacks the size of the content")
    _check_size(size)
    return CompressedContent(_ZstdFrame(frame))


def _check_size(size: int) -> None:
    if size > MAX_CONTENT_BYTES:
        raise MalformedMessageError(f"compressed content of {size} bytes: the limit is {MAX_CONTENT_BYTES}")
