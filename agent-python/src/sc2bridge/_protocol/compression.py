"""Payloads compressed with zstd: each alone, or as blocks of a group (see Block in bridge.proto).

Nothing is decompressed until it is asked for; then what came before it in its group is too, in order. All sizes are
bounded: no more bytes are made than a block speaks of, none may speak of more than `LONGEST`, and no window is larger
than 8 MiB. Bytes that are none of the bridge's raise MalformedMessageError and nothing else.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import Any, Optional, Union, get_args

import zstandard

from sc2bridge._protocol import choices
from sc2bridge.errors import MalformedMessageError, SC2BridgeError

LONGEST = 64 << 20
"""The longest content that is taken, in bytes: many times the longest observation."""

LONGEST_GROUP = 4 * LONGEST
"""What the earlier blocks that come with one may speak of together: 64 observations of 4 MiB each."""

_SMALLEST_WINDOW_LOG, _LARGEST_WINDOW_LOG = 10, 23
# A bridge's group has no more; what would wait beyond it is decompressed at once.
_MOST_WAITING_BYTES, _MOST_WAITING = 4 << 20, 256


def choose(compression: Optional[choices.Compression]) -> tuple[Optional[str], Optional[str]]:
    """What a choice means for the transport (`deflate` or None), and for the payload (`zstd`, `group-zstd` or None).

    Raises ValueError for a choice that does not exist.
    """
    if compression not in (None, *get_args(choices.Compression)):
        raise ValueError(f"compression {compression!r}: choose none, deflate, zstd or group-zstd")
    if compression in ("zstd", "group-zstd"):
        return None, compression
    return ("deflate" if compression == "deflate" else None), None


class _DryError(SC2BridgeError):
    """All that was given is read."""


class _Source:
    """What a stream reads from: one piece at a time."""

    def __init__(self) -> None:
        self.piece: Optional[bytes] = None

    def read(self, _: int = -1) -> bytes:
        piece, self.piece = self.piece, None
        if not piece:  # To the reader an empty one would be the stream's end.
            raise _DryError
        return piece


class _Stream:
    """One zstd stream, whose pieces tell their size."""

    def __init__(self, window_log: int) -> None:
        self._source: Any = _Source()
        self._reader = zstandard.ZstdDecompressor(max_window_size=1 << window_log).stream_reader(self._source)

    def next(self, piece: bytes, size: int) -> memoryview:
        """What a piece decompresses to. Raises MalformedMessageError."""
        self._source.piece = piece
        try:
            # With a byte to spare the decoder gives all that it has; and one byte too many is seen.
            content = self._reader.read1(size + 1)
        except _DryError:
            content = b""
        except (zstandard.ZstdError, ValueError, MemoryError) as error:
            raise MalformedMessageError(f"a compressed content that is no zstd: {error}") from None
        if len(content) > size:
            raise MalformedMessageError(f"a compressed content of more than the {size} bytes it speaks of")
        if len(content) < size:
            raise MalformedMessageError(f"a compressed content of {len(content)} bytes that speaks of {size}")
        return memoryview(content)


class Content:
    """A payload's content, decompressed when it is asked for."""

    __slots__ = ("__weakref__", "_content", "_group")

    def __init__(self, group: Union[_Group, _Alone]) -> None:
        self._group: Optional[Union[_Group, _Alone]] = group
        self._content: Optional[memoryview] = None

    def get(self) -> memoryview:
        """The content, read-only. Raises MalformedMessageError."""
        # In this order: where another thread asks too, the content is there before the group goes.
        group, content = self._group, self._content
        if content is None:
            assert group is not None
            content = group.decompress(self)
        return content

    def _set(self, content: memoryview) -> None:
        self._content = content
        self._group = None


class _Group:
    """Pieces to be decompressed, each with the receiver of its content; None where the content is thrown away."""

    def __init__(self, window_log: int) -> None:
        self._lock = threading.Lock()
        self._stream: Optional[_Stream] = None
        self._window_log = window_log
        self._waiting: deque[tuple[Optional[weakref.ref[Content]], bytes, int]] = deque()
        self._waiting_bytes = 0
        self._failure: Optional[str] = None

    def add(self, piece: bytes, size: int, wanted: bool) -> Optional[Content]:
        _check_size(size)
        content = Content(self) if wanted else None
        with self._lock:
            self._waiting.append((weakref.ref(content) if content is not None else None, piece, size))
            self._waiting_bytes += len(piece)
            while self._waiting_bytes > _MOST_WAITING_BYTES or len(self._waiting) > _MOST_WAITING:
                self._first()
        return content

    def decompress(self, wanted: Content) -> memoryview:
        with self._lock:
            while wanted._content is None:
                self._first()
            return wanted._content

    def _first(self) -> None:
        if self._failure is not None:
            raise MalformedMessageError(self._failure)
        whose, piece, size = self._waiting.popleft()
        self._waiting_bytes -= len(piece)
        try:
            if self._stream is None:
                self._stream = _Stream(self._window_log)
            made = self._stream.next(piece, size)
        except MalformedMessageError as error:
            # What comes after it in the stream cannot be read either.
            self._failure = str(error)
            raise
        content = whose() if whose is not None else None
        if content is not None:
            content._set(made)


class Groups:
    """The blocks of one subscription, in the order in which they come."""

    def __init__(self) -> None:
        self._number = 0
        self._next = 0
        self._group: Optional[_Group] = None

    def add(self, block: Any) -> Content:
        """The content of a `bridge_pb2.Block`. Raises MalformedMessageError for one that is not the next."""
        earlier, sizes = block.earlier, block.earlier_sizes
        if len(earlier) != len(sizes):
            raise MalformedMessageError(f"a block with {len(earlier)} earlier ones and {len(sizes)} sizes of them")
        if sum(sizes) > LONGEST_GROUP:
            raise MalformedMessageError(f"earlier blocks of {sum(sizes)} bytes: no more than {LONGEST_GROUP} are taken")
        group = self._group if block.group == self._number else None
        first, expected = block.index - len(earlier), self._next if group is not None else 0
        if first != expected:
            raise MalformedMessageError(f"block {first} of group {block.group} came where block {expected} was to come")
        if not _SMALLEST_WINDOW_LOG <= block.window_log <= _LARGEST_WINDOW_LOG:
            raise MalformedMessageError(
                f"a window of 2**{block.window_log} bytes: 2**{_SMALLEST_WINDOW_LOG} to 2**{_LARGEST_WINDOW_LOG}"
                " are taken"
            )
        if group is None:
            group = _Group(block.window_log)
        for piece, size in zip(earlier, sizes):
            group.add(piece, size, wanted=False)
        content = group.add(block.data, block.size, wanted=True)
        assert content is not None
        self._number, self._next, self._group = block.group, block.index + 1, group
        return content


class _Alone:
    """One whole zstd frame with its content size."""

    def __init__(self, frame: bytes) -> None:
        self._frame = frame

    def decompress(self, wanted: Content) -> memoryview:
        try:
            content = zstandard.ZstdDecompressor(max_window_size=1 << _LARGEST_WINDOW_LOG).decompress(self._frame)
        except (zstandard.ZstdError, ValueError, MemoryError) as error:
            raise MalformedMessageError(f"a compressed content that is no zstd: {error}") from None
        view = memoryview(content)
        wanted._set(view)
        return view


def alone(frame: bytes) -> Content:
    """The content of one whole zstd frame with its content size. Raises MalformedMessageError."""
    try:
        size = zstandard.frame_content_size(frame)
    except (zstandard.ZstdError, ValueError) as error:
        raise MalformedMessageError(f"a compressed content that is no zstd: {error}") from None
    if size < 0:
        raise MalformedMessageError("a zstd frame that does not tell its size")
    _check_size(size)
    return Content(_Alone(frame))


def _check_size(size: int) -> None:
    if size > LONGEST:
        raise MalformedMessageError(f"a compressed content of {size} bytes: no more than {LONGEST} are taken")
