"""Compressed payloads: read in order whenever they are asked for, bounded, and for garbage the documented error only."""

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
from sc2bridge._protocol.compression import LONGEST, Groups, alone
from sc2bridge.errors import MalformedMessageError
from sc2bridge._protocol.session import Session
from sc2bridge._protocol.subscribe import subscribe_request as subscription
from sc2bridge.v1 import bridge_pb2


def contents(count: int, size: int = 3000) -> list[bytes]:
    """Such that each is like the one before, as frames are."""
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
    """The blocks that a subscriber is sent which takes some of a group's frames only."""
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
def test_whoever_skips_and_whenever_it_looks_reads_what_was_sent(taken: Any, order: Any, dropped: Any) -> None:
    groups = Groups()
    read = {index: groups.add(block) for index, block in zip(sorted(taken), lacking(BLOCKS, sorted(taken)))}
    for index in order:
        if index in dropped:
            read.pop(index, None)
        elif index in read:
            assert read[index].get() == CONTENTS[index]
            assert read[index].get().readonly


def test_groups_follow_each_other_and_an_older_one_can_still_be_read() -> None:
    groups = Groups()
    older = [groups.add(block) for block in BLOCKS]
    newer = [groups.add(block) for block in blocks(CONTENTS, group=7)]
    for content in (newer, older):
        assert [bytes(each.get()) for each in content] == CONTENTS


@given(st.lists(st.sampled_from([b"", CONTENTS[0], CONTENTS[1]]), max_size=6))
@example([b"", CONTENTS[0], b"", CONTENTS[1]])
def test_an_empty_content_is_one_like_any_other(of: list[bytes]) -> None:
    groups = Groups()
    assert [bytes(groups.add(block).get()) for block in blocks(of)] == of


def test_two_threads_may_look_at_one_content(monkeypatch: Any) -> None:
    class Overtaken(compression.Content):
        """Another thread reads it while it is looked at for the first time."""

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

    slot: Any = compression.Content._content  # type: ignore[misc]
    monkeypatch.setattr(compression, "Content", Overtaken)
    assert Groups().add(BLOCKS[0]).get() == CONTENTS[0]


def test_what_nobody_looks_at_is_not_kept_beyond_its_bounds(monkeypatch: Any) -> None:
    monkeypatch.setattr(compression, "_MOST_WAITING", 5)
    groups = Groups()
    for block in BLOCKS:
        last = groups.add(block)
        assert groups._group is not None and len(groups._group._waiting) <= 5
    assert last.get() == CONTENTS[-1]
    monkeypatch.setattr(compression, "_MOST_WAITING_BYTES", 0)
    assert [bytes(Groups().add(BLOCKS[0]).get())] == CONTENTS[:1]


def test_a_content_that_was_dropped_is_not_kept() -> None:
    groups = Groups()
    kept = [groups.add(block) for block in BLOCKS][-1]
    gc.collect()
    assert kept.get() == CONTENTS[-1]
    assert groups._group is not None and not groups._group._waiting


@pytest.mark.parametrize(
    "fault, says",
    [
        ({"index": 4}, "came where block 3 was to come"),
        ({"index": 2}, "came where block 3 was to come"),
        ({"group": 2}, "came where block 0 was to come"),
        ({"earlier": [b""]}, "sizes of them"),
        ({"earlier_sizes": [1]}, "sizes of them"),
        ({"earlier": [b""] * 5, "earlier_sizes": [LONGEST] * 5}, "no more than"),
        ({"window_log": 24}, "a window of"),
        ({"window_log": 0}, "a window of"),
        ({"size": LONGEST + 1}, "no more than"),
        ({"size": 2**32 - 1}, "no more than"),
        ({"size": 3001}, "3000 bytes that speaks of 3001"),
        ({"size": 2999}, "more than the 2999"),
        ({"size": 0}, "more than the 0"),
        ({"data": b""}, "0 bytes that speaks of 3000"),
        ({"data": b"\xff" * 40}, "no zstd"),
    ],
)
def test_a_faulty_block_is_one_error_that_says_why(fault: Any, says: str) -> None:
    groups = Groups()
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


def test_what_comes_after_a_broken_block_is_the_same_error() -> None:
    groups = Groups()
    broken = bridge_pb2.Block()
    broken.CopyFrom(BLOCKS[1])
    broken.data = b"\xff" * 40
    read = [groups.add(block) for block in (BLOCKS[0], broken, *BLOCKS[2:4])]
    for content in reversed(read[1:]):
        with pytest.raises(MalformedMessageError, match="no zstd"):
            content.get()
    assert read[0].get() == CONTENTS[0]


# Blocks of one repeated byte (RFC 8878, 3.1.1.2.2): four bytes each make 128 KiB.
BOMB = b"\x28\xb5\x2f\xfd\x00\x58" + b"\x02\x00\x10\x41" * 10_000


def test_a_bomb_is_cut_off_at_the_size_that_it_speaks_of() -> None:
    block = bridge_pb2.Block(group=1, window_log=21, size=1000, data=BOMB)
    with pytest.raises(MalformedMessageError, match="more than the 1000"):
        Groups().add(block).get()


def test_a_frame_alone_is_read_whole_or_not_at_all() -> None:
    whole = zstandard.ZstdCompressor().compress(CONTENTS[0])
    assert alone(whole).get() == CONTENTS[0]
    assert alone(zstandard.ZstdCompressor().compress(b"")).get() == b""
    for length in range(len(whole)):
        with pytest.raises(MalformedMessageError):
            alone(whole[:length]).get()
    with pytest.raises(MalformedMessageError, match="does not tell its size"):
        alone(BLOCKS[0].data)
    huge = zstandard.ZstdCompressor().compress(bytes(LONGEST + 1))
    with pytest.raises(MalformedMessageError, match="no more than"):
        alone(huge)


def hear(messages: list[Any], encoding: str) -> None:
    """As a subscription does; raises what it raises, or what looking at the frames raises."""
    session = Session(subscription("every"), encoding)
    for message in messages:
        frame, _ = session.received(message)
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
        # What is read all the same is no observation: the contents are random.
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
        Groups().add(block).get()
    except MalformedMessageError:
        pass
    try:
        alone(data).get()
    except MalformedMessageError:
        pass
