"""Compressed payloads: decompressed in order at any time of reading, bounded, and with only the documented error for garbage."""

from __future__ import annotations

import gc
import random
import threading
from typing import Any

import pytest
import zstandard
from google.protobuf import json_format
from hypothesis import example, given
from hypothesis import strategies as st

from sc2bridge._protocol import compression
from sc2bridge._protocol.compression import MAX_CONTENT_BYTES, GroupDecompressor, open_zstd_frame
from sc2bridge.errors import MalformedMessageError
from sc2bridge._protocol.session import Session
from sc2bridge._protocol.subscribe import subscribe_request as subscription
from sc2bridge.v1 import bridge_pb2


def contents(count: int, size: int = 3000) -> list[bytes]:
    """Contents that are similar to each other, like frames."""
    chance = random.Random(5)
    content = bytearray(chance.randbytes(size))
    made = []
    for _ in range(count):
        for _ in range(size // 50):
            content[chance.randrange(size)] = chance.randrange(256)
        made.append(bytes(content))
    return made


def blocks(of: list[bytes], group: int = 1) -> list[Any]:
    stream = zstandard.ZstdCompressor(level=1).compressobj()
    made = []
    for index, content in enumerate(of):
        data = stream.compress(content) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        made.append(bridge_pb2.Block(group=group, index=index, window_log=21, size=len(content), data=data))
    return made


def lacking(of: list[Any], taken: list[int]) -> list[Any]:
    """The blocks that a subscriber gets if it receives only some of a group's frames."""
    sent, following = [], 0
    for index in taken:
        block = bridge_pb2.Block()
        block.CopyFrom(of[index])
        block.earlier.extend(each.data for each in of[following:index])
        block.earlier_sizes.extend(each.size for each in of[following:index])
        sent.append(block)
        following = index + 1
    return sent


CONTENTS = contents(12)
BLOCKS = blocks(CONTENTS)


@given(st.sets(st.integers(0, 11)), st.permutations(range(12)), st.sets(st.integers(0, 11)))
def test_a_reader_that_skips_or_reads_late_gets_the_sent_contents(taken: Any, order: Any, dropped: Any) -> None:
    groups = GroupDecompressor()
    read = {index: groups.add(block) for index, block in zip(sorted(taken), lacking(BLOCKS, sorted(taken)))}
    for index in order:
        if index in dropped:
            read.pop(index, None)
        elif index in read:
            assert read[index].get() == CONTENTS[index]
            assert read[index].get().readonly


def test_groups_follow_each_other_and_an_older_one_can_still_be_read() -> None:
    groups = GroupDecompressor()
    older = [groups.add(block) for block in BLOCKS]
    newer = [groups.add(block) for block in blocks(CONTENTS, group=7)]
    for content in (newer, older):
        assert [bytes(each.get()) for each in content] == CONTENTS


@given(st.lists(st.sampled_from([b"", CONTENTS[0], CONTENTS[1]]), max_size=6))
@example([b"", CONTENTS[0], b"", CONTENTS[1]])
def test_an_empty_content_is_one_like_any_other(of: list[bytes]) -> None:
    groups = GroupDecompressor()
    assert [bytes(groups.add(block).get()) for block in blocks(of)] == of


def test_two_threads_may_look_at_one_content(monkeypatch: Any) -> None:
    class Overtaken(compression.CompressedContent):
        """Another thread reads it during its first read."""

        looks = 0

        @property
        def _content(self) -> Any:
            seen = slot.__get__(self)
            self.looks += 1
            if self.looks == 1:
                other = threading.Thread(target=self.get)
                other.start()
                other.join()
            return seen

        @_content.setter
        def _content(self, content: Any) -> None:
            slot.__set__(self, content)

    slot: Any = compression.CompressedContent._content  # type: ignore[misc]
    monkeypatch.setattr(compression, "CompressedContent", Overtaken)
    assert GroupDecompressor().add(BLOCKS[0]).get() == CONTENTS[0]


def test_unread_contents_are_dropped_beyond_the_limit(monkeypatch: Any) -> None:
    monkeypatch.setattr(compression, "_MAX_PENDING_BLOCKS", 5)
    groups = GroupDecompressor()
    for block in BLOCKS:
        last = groups.add(block)
        assert groups._group is not None and len(groups._group._pending) <= 5
    assert last.get() == CONTENTS[-1]
    monkeypatch.setattr(compression, "_MAX_PENDING_BYTES", 0)
    assert [bytes(GroupDecompressor().add(BLOCKS[0]).get())] == CONTENTS[:1]


def test_a_content_that_was_dropped_is_not_kept() -> None:
    groups = GroupDecompressor()
    kept = [groups.add(block) for block in BLOCKS][-1]
    gc.collect()
    assert kept.get() == CONTENTS[-1]
    assert groups._group is not None and not groups._group._pending


@pytest.mark.parametrize(
    "fault, says",
    [
        ({"index": 4}, "instead of block 3"),
        ({"index": 2}, "instead of block 3"),
        ({"group": 2}, "instead of block 0"),
        ({"earlier": [b""]}, "sizes of them"),
        ({"earlier_sizes": [1]}, "sizes of them"),
        ({"earlier": [b""] * 5, "earlier_sizes": [MAX_CONTENT_BYTES] * 5}, "the limit is"),
        ({"window_log": 24}, "a window of"),
        ({"window_log": 0}, "a window of"),
        ({"size": MAX_CONTENT_BYTES + 1}, "the limit is"),
        ({"size": 2**32 - 1}, "the limit is"),
        ({"size": 3001}, "3000 bytes instead of its declared 3001"),
        ({"size": 2999}, "more than its declared 2999"),
        ({"size": 0}, "more than its declared 0"),
        ({"data": b""}, "0 bytes instead of its declared 3000"),
        ({"data": b"\xff" * 40}, "not valid zstd"),
    ],
)
def test_a_faulty_block_is_one_clear_error(fault: Any, says: str) -> None:
    groups = GroupDecompressor()
    for block in BLOCKS[:3]:
        groups.add(block)
    faulty = bridge_pb2.Block()
    faulty.CopyFrom(BLOCKS[3])
    for name, value in fault.items():
        if isinstance(value, list):
            getattr(faulty, name).extend(value)
        else:
            setattr(faulty, name, value)
    with pytest.raises(MalformedMessageError, match=says):
        groups.add(faulty).get()


def test_blocks_after_a_broken_one_raise_the_same_error() -> None:
    groups = GroupDecompressor()
    broken = bridge_pb2.Block()
    broken.CopyFrom(BLOCKS[1])
    broken.data = b"\xff" * 40
    read = [groups.add(block) for block in (BLOCKS[0], broken, *BLOCKS[2:4])]
    for content in reversed(read[1:]):
        with pytest.raises(MalformedMessageError, match="not valid zstd"):
            content.get()
    assert read[0].get() == CONTENTS[0]


# Blocks of one repeated byte (RFC 8878, 3.1.1.2.2): four bytes each make 128 KiB.
BOMB = b"\x28\xb5\x2f\xfd\x00\x58" + b"\x02\x00\x10\x41" * 10_000


def test_a_decompression_bomb_stops_at_its_declared_size() -> None:
    block = bridge_pb2.Block(group=1, window_log=21, size=1000, data=BOMB)
    with pytest.raises(MalformedMessageError, match="more than its declared 1000"):
        GroupDecompressor().add(block).get()


def test_a_frame_alone_is_read_whole_or_not_at_all() -> None:
    whole = zstandard.ZstdCompressor().compress(CONTENTS[0])
    assert open_zstd_frame(whole).get() == CONTENTS[0]
    assert open_zstd_frame(zstandard.ZstdCompressor().compress(b"")).get() == b""
    for length in range(len(whole)):
        with pytest.raises(MalformedMessageError):
            open_zstd_frame(whole[:length]).get()
    with pytest.raises(MalformedMessageError, match="lacks the size of the content"):
        open_zstd_frame(BLOCKS[0].data)
    huge = zstandard.ZstdCompressor().compress(bytes(MAX_CONTENT_BYTES + 1))
    with pytest.raises(MalformedMessageError, match="the limit is"):
        open_zstd_frame(huge)


def hear(messages: list[Any], encoding: str) -> None:
    """Like a subscription. Raises the errors of receiving and of reading the frames."""
    session = Session(subscription("every"), encoding)
    for message in messages:
        frame, _ = session.handle_message(message)
        if frame is not None:
            assert len(frame.raw) <= 1 << 22
            _ = frame.observation


def events() -> list[Any]:
    made = []
    for step, block in enumerate(lacking(BLOCKS, [0, 1, 4, 5, 9])):
        made.append(bridge_pb2.PlayResponse(frame=bridge_pb2.Frame(match_id="m", step=step, block=block)))
    made.append(
        bridge_pb2.PlayResponse(frame=bridge_pb2.Frame(match_id="m", step=9, zstd=zstandard.compress(CONTENTS[0])))
    )
    return made


@given(st.integers(0, 5), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6))
@example(0, [(20, 0)])
def test_mutated_messages_raise_only_the_documented_error(which: int, changes: Any) -> None:
    messages = [bytearray(event.SerializeToString()) for event in events()]
    for at, value in changes:
        messages[which][at % len(messages[which])] = value
    with pytest.raises(MalformedMessageError):
        # Content that decompresses is still not an observation, because the contents are random.
        hear([bytes(message) for message in messages], "proto")


@given(st.integers(0, 5), st.integers(0, 10**6), st.sampled_from(list('{}[]",:0aZ+/=\\é')))
def test_mutated_texts_raise_only_the_documented_error(which: int, at: int, character: str) -> None:
    texts = [json_format.MessageToJson(event, indent=None) for event in events()]
    text = texts[which]
    texts[which] = text[: at % len(text)] + character + text[at % len(text) + 1 :]
    with pytest.raises(MalformedMessageError):
        hear(texts, "json")


@given(st.binary(max_size=60), st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(0, 5))
@example(b"", 0, 21, 0)
def test_any_bytes_as_a_block_raise_only_the_documented_error(data: bytes, size: int, window: int, index: int) -> None:
    block = bridge_pb2.Block(group=1, index=index, window_log=window, size=size % (1 << 21), data=data)
    try:
        GroupDecompressor().add(block).get()
    except MalformedMessageError:
        pass
    try:
        open_zstd_frame(data).get()
    except MalformedMessageError:
        pass
