"""The game loop is found in an observation's bytes as a parser would find it."""

from __future__ import annotations

import pytest
from google.protobuf.internal import encoder
from hypothesis import given
from hypothesis import strategies as st
from recording_case import observation

import sc2bridge
from sc2bridge._protocol.messages import game_loop
from sc2bridge.s2clientprotocol import sc2api_pb2


def varint(value: int) -> bytes:
    return bytes(encoder._VarintBytes(value))


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


LOOPS = st.integers(0, 2**32 - 1).map(lambda loop: varint(9 << 3) + varint(loop))
"""Observation.game_loop."""
OTHERS = st.one_of(
    st.binary(max_size=300).map(lambda data: field(900, data)),
    st.integers(0, 2**64 - 1).map(lambda number: varint(901 << 3) + varint(number)),
    st.binary(min_size=4, max_size=4).map(lambda data: varint(902 << 3 | 5) + data),
    st.binary(min_size=8, max_size=8).map(lambda data: varint(903 << 3 | 1) + data),
    st.just(field(1, sc2api_pb2.PlayerCommon(minerals=50).SerializeToString())),
)
INNER = st.lists(LOOPS | OTHERS, max_size=5).map(b"".join)
UNKNOWN = st.binary(max_size=20).map(lambda data: field(900, data))


@given(st.lists(INNER.map(lambda inner: field(3, inner)) | UNKNOWN, max_size=4).map(b"".join))
def test_game_loop_finds_the_same_loop_as_a_parser(data: bytes) -> None:
    """In any order, several times, not at all, or in an observation of several pieces."""
    assert game_loop(memoryview(data)) == sc2api_pb2.ResponseObservation.FromString(data).observation.game_loop


@given(st.binary(max_size=60) | st.integers(0, 200).map(lambda cut: observation(7).SerializeToString()[:cut]))
def test_bytes_that_are_no_observation_give_a_loop_or_the_documented_error(data: bytes) -> None:
    try:
        loop = game_loop(memoryview(data))
    except sc2bridge.MalformedMessageError:
        return
    assert 0 <= loop < 2**32


def test_a_cut_observation_is_malformed() -> None:
    with pytest.raises(sc2bridge.MalformedMessageError):
        game_loop(memoryview(observation(7).SerializeToString()[:-1]))
