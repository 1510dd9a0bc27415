"""Reading a broker's streams, without a broker."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional

import pytest
from fake_bridge import Match, observation
from hypothesis import given
from hypothesis import strategies as st

from sc2bridge._protocol.published import Message, PublishedStream, find_last_head, read_message, stream_of
from sc2bridge._protocol.session import Session
from sc2bridge.errors import MalformedMessageError
from sc2bridge.v1 import bridge_pb2

STEPS = 24
REQUEST = bridge_pb2.SubscribeRequest(compression=bridge_pb2.COMPRESSION_GROUP_ZSTD)


def messages(steps: int = STEPS) -> list[Message]:
    """As a publisher numbers them, and the broker with it."""
    made = []
    for number, event in enumerate(Match(steps=steps, subscriptions=[REQUEST]).events(REQUEST, as_json=False)):
        kind = "end" if event.HasField("match_end") else "frame"
        head = kind == "frame" and event.frame.block.index == 0
        body = event.match_end if kind == "end" else event
        made.append(Message(kind, number, number, body.SerializeToString(), {"head": head, "loop": number}))
    return made


def at_offsets(chosen: list[Message]) -> list[Message]:
    return [Message(one.kind, one.number, at, one.body, one.headers) for at, one in enumerate(chosen)]


def read(chosen: list[Message], latest: int = 0, first: int = 0) -> list[Any]:
    """The frames that a subscriber gets. latest: the numbers of messages that are available each time under that policy."""
    published = PublishedStream(bool(latest), lambda frame: frame.header("loop") >= first)
    session, frames = Session(REQUEST, "proto"), []
    for at, message in enumerate(chosen):
        published.add(message)
        if latest and (at + 1) % latest and at + 1 < len(chosen):
            continue
        event = published.pop()
        while event is not None:
            frame, _ = session.handle_message(event)
            frames += [frame] if frame else []
            event = published.pop()
    # Decompresses the last one first, which includes the skipped ones.
    assert [frame.observation for frame in reversed(frames)] == [observation(frame.step) for frame in reversed(frames)]
    return frames


@given(first=st.integers(0, STEPS), again=st.lists(st.tuples(st.integers(0, STEPS), st.integers(0, 6)), max_size=6))
def test_repeated_messages_give_each_frame_once_and_in_order(first: int, again: list[tuple[int, int]]) -> None:
    sent = messages()
    for at, back in sorted(again, reverse=True):
        sent[at:at] = sent[max(0, at - back) : at]
    assert [frame.step for frame in read(at_offsets(sent), first=first)] == list(range(first, STEPS))


@given(at=st.integers(0, STEPS - 1), latest=st.integers(1, 9))
def test_latest_returns_the_newest_frame_and_counts_the_skipped_frames(at: int, latest: int) -> None:
    frames = read(messages(), latest, first=at)
    steps = [frame.step for frame in frames]
    assert steps[-1] == STEPS - 1 and steps == sorted(set(steps)) and steps[0] >= at
    for before, frame in zip(frames, frames[1:]):
        missing = frame.step - before.step - 1
        assert missing == (frame.skipped.frames if frame.skipped else 0)
        assert not missing or frame.skipped.first_step == before.step + 1


@given(begin=st.integers(0, STEPS), cut=st.integers(0, STEPS), kept=st.integers(0, STEPS))
def test_deleted_frames_are_reported_and_reading_starts_after_them_at_a_head(begin: int, cut: int, kept: int) -> None:
    every = messages()
    cut, kept = max(begin, min(cut, kept)), max(begin, cut, kept)
    frames = read(every[begin:cut] + every[kept:])
    heads = [one.number for one in every if one.is_head or one.kind == "end"]
    first = min(head for head in heads if head >= begin)
    resumed = kept if first >= cut or kept == cut else min(head for head in heads if head >= kept)
    if first >= cut:
        expected = list(range(min(head for head in heads if head >= (kept if first >= cut else begin)), STEPS))
        assert [frame.step for frame in frames] == expected
    else:
        assert [frame.step for frame in frames] == [*range(first, cut), *range(resumed, STEPS)]
        told = sum(frame.skipped.frames for frame in frames if frame.skipped)
        assert told == (resumed - cut if resumed < STEPS else 0)


@given(target=st.integers(-1, 130), spacing=st.integers(1, 9), first=st.integers(0, 20))
def test_the_search_ends_at_the_last_head_that_is_not_beyond(target: int, spacing: int, first: int) -> None:
    offsets = range(first, first + 100)
    heads = [at for at in offsets if (at - first) % spacing == 0]

    def head_at(offset: int) -> Optional[Message]:
        found = next((head for head in heads if head >= offset), None)
        return None if found is None else Message("frame", found, found, b"", {"head": True})

    found = find_last_head(heads[0], offsets[-1] + 1, head_at, lambda head: head.offset > target)
    assert found == max((head for head in heads if head <= target), default=heads[0])


_header = st.one_of(st.none(), st.integers(), st.text(max_size=3), st.booleans(), st.binary(max_size=3))
_names = st.sampled_from(["x-stream-offset", "head", "loop", "step", "time", "zstd", "group"])


@given(
    headers=st.one_of(st.none(), st.dictionaries(_names, _header)),
    kind=st.one_of(st.none(), st.sampled_from(["frame", "playback", "gap", "end", "x"])),
    number=st.one_of(st.none(), st.text(max_size=4), st.integers(0, 3).map(str)),
    encoding=st.sampled_from([None, "zstd", "gzip"]),
    body=st.binary(max_size=40),
)
def test_any_bytes_are_a_message_or_a_documented_error(**given: Any) -> None:
    properties = SimpleNamespace(
        headers=given["headers"], type=given["kind"], message_id=given["number"], content_encoding=given["encoding"]
    )
    try:
        published = PublishedStream(False, lambda _: True)
        published.add(read_message(properties, given["body"]))
        published.pop()
    except MalformedMessageError:
        pass


@given(at=st.integers(0, STEPS), changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4))
def test_a_changed_message_is_read_or_a_documented_error(at: int, changes: list[tuple[int, int]]) -> None:
    sent = messages()
    body = bytearray(sent[at].body)
    for where, value in changes:
        body[where % len(body)] = value
    sent[at] = Message(sent[at].kind, at, at, bytes(body), sent[at].headers)
    published, session = PublishedStream(True, lambda _: True), Session(REQUEST, "proto")
    try:
        for message in sent:
            published.add(message)
            event = published.pop()
            frame = session.handle_message(event)[0] if event else None
            if frame is not None:
                assert frame.observation is not None
    except MalformedMessageError:
        pass


def test_a_key_that_would_name_another_queue_is_refused() -> None:
    assert stream_of("m-1", 2) == "sc2bridge.v1alpha1.m-1.2"
    for key in ["", "M", "a.b", "a/b", "a" * 65]:
        with pytest.raises(MalformedMessageError):
            stream_of(key)
