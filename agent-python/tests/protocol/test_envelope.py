"""The envelope with an unparsed content: equal to a full parser's result, and only the documented error for bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from fake_bridge import observation
from google.protobuf import json_format
from hypothesis import example, given
from hypothesis import strategies as st

from sc2bridge._protocol.envelope import Envelope, open_event
from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.frame import Frame
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2


@st.composite
def frames(draw: Any) -> Any:
    frame = bridge_pb2.Frame(
        match_id=draw(st.text(st.characters(blacklist_categories=["Cs"]), max_size=40)),
        perspective=draw(st.integers(0, 2**32 - 1)),
        step=draw(st.integers(0, 2**64 - 1)),
        game_loop=draw(st.integers(0, 2**32 - 1)),
        requested_ns=draw(st.integers(-(2**63), 2**63 - 1)),
        observed_ns=draw(st.integers(-(2**63), 2**63 - 1)),
        content=bridge_pb2.CONTENT_OBSERVATION,
    )
    if draw(st.booleans()):
        frame.skipped.frames = draw(st.integers(0, 2**64 - 1))
        frame.skipped.dead_units.extend(draw(st.lists(st.integers(0, 2**64 - 1), max_size=4)))
        frame.skipped.chat.add(player_id=1, message='"observation":')
    frame.observation.CopyFrom(observation(draw(st.integers(0, 2**19)), draw(st.integers(0, 4))))
    return frame


def check(envelope: Envelope, frame: Any) -> None:
    for name in ("match_id", "perspective", "step", "game_loop", "requested_ns", "observed_ns"):
        assert getattr(envelope, name) == getattr(frame, name), name
    assert (envelope.skipped is not None) == frame.HasField("skipped")
    assert envelope.skipped is None or envelope.skipped == frame.skipped


@given(frames())
def test_a_frame_opens_as_the_parser_reads_it(frame: Any) -> None:
    message = bridge_pb2.PlayResponse(frame=frame).SerializeToString()
    envelope, raw = open_event(message, "proto")
    check(envelope, frame)
    assert bytes(raw) == frame.observation.SerializeToString()


@given(frames(), st.sampled_from([None, 2]), st.booleans())
def test_a_frame_in_json_opens_as_the_parser_reads_it(frame: Any, indent: Any, as_bytes: bool) -> None:
    text = json_format.MessageToJson(bridge_pb2.PlayResponse(frame=frame), indent=indent)
    envelope, content = open_event(text.encode() if as_bytes else text, "json")
    check(envelope, frame)
    assert content == text, "it is not looked at"
    received = Frame(envelope, content, "json", 0, len(text))
    assert received.json == json_format.MessageToDict(frame.observation)
    assert received.observation == frame.observation


@pytest.mark.parametrize("encode", [lambda e: e.SerializeToString(), lambda e: json_format.MessageToJson(e)])
def test_other_events_open_whole(encode: Any) -> None:
    event = bridge_pb2.PlayResponse(match_end=bridge_pb2.MatchEnd(detail='a "frame" of "observation": {'))
    encoded = encode(event)
    opened = open_event(encoded, "proto" if isinstance(encoded, bytes) else "json")
    assert opened.match_end == event.match_end and opened.SerializeToString() == event.SerializeToString()


def test_a_frame_written_in_another_order_opens_too() -> None:
    content = observation(3, 1)
    frame = bridge_pb2.Frame(match_id="m", step=3, observation=content)
    first, last = bridge_pb2.Frame(observation=content), bridge_pb2.Frame(match_id="m", step=3)
    late = first.SerializeToString() + last.SerializeToString()
    assert len(late) < 128, "its length is one byte"
    envelope, raw = open_event(bytes([0x0A, len(late)]) + late, "proto")
    check(envelope, frame)
    assert sc2api_pb2.ResponseObservation.FromString(bytes(raw)) == content
    text = json.dumps({"frame": {"observation": json_format.MessageToDict(content), "matchId": "m", "step": "3"}})
    check(open_event(text, "json")[0], frame)


def only_the_documented_error(act: Any) -> None:
    try:
        opened = act()
        if isinstance(opened, tuple):
            _ = Frame(opened[0], opened[1], "json" if isinstance(opened[1], str) else "proto", 0, 0).observation
    except MalformedMessageError:
        pass


@given(st.binary(max_size=80))
@example(b"\x0a")
@example(b"\x0a\x02\x7a\x05")
@example(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
@example(b"\x0a\x03\x0a\x01\xff")
def test_garbage_raises_only_the_documented_error(message: bytes) -> None:
    only_the_documented_error(lambda: open_event(message, "proto"))
    only_the_documented_error(lambda: open_event(b"\x0a" + bytes([len(message)]) + message, "proto"))


@given(frames(), st.data())
def test_a_damaged_frame_raises_only_the_documented_error(frame: Any, data: Any) -> None:
    message = bytearray(bridge_pb2.PlayResponse(frame=frame).SerializeToString())
    only_the_documented_error(lambda: open_event(bytes(message[: data.draw(st.integers(0, len(message)))]), "proto"))
    message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    only_the_documented_error(lambda: open_event(bytes(message), "proto"))


@given(frames(), st.data())
def test_damaged_json_raises_only_the_documented_error(frame: Any, data: Any) -> None:
    text = json_format.MessageToJson(bridge_pb2.PlayResponse(frame=frame), indent=None)
    at = data.draw(st.integers(0, len(text) - 1))
    for damaged in (text[:at], text[:at] + data.draw(st.sampled_from('{}[]",:0aé')) + text[at + 1 :]):

        def act(damaged: str = damaged) -> None:
            opened = open_event(damaged, "json")
            if isinstance(opened, tuple):
                _ = Frame(*opened, "json", 0, 0).observation

        only_the_documented_error(act)


@given(st.one_of(st.text(max_size=40), st.binary(max_size=40)))
@example("[" * 100_000)
@example('{"frame": 1, "observation": 2}')
@example('{"frame": {"step": [], "observation": {}}}')
@example('{"frame": {"step": "9' + "9" * 5000 + '", "observation": {}}}')
@example('{"frame": {"matchId": "m", "step": 1e999, "observation": {}}}')
@example('{"frame": {"matchId": "m", "step": -1, "observation": {}}}')
@example('{"frame": {"matchId": "m", "gameLoop": true, "observation": {}}}')
@example('{"frame": {"matchId": ["m"], "observation": {}}}')
@example('{"frame": {"matchId": "m", "skipped": {"frames": 1e999}, "observation": {}}}')
@example('{"frame": {"matchId": "m", "observation": {"observation": {"alerts": [1e999]}}}}')
def test_text_garbage_raises_only_the_documented_error(text: Any) -> None:
    only_the_documented_error(lambda: open_event(text, "json"))


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        st.sampled_from(["", "1", "-1", "1e999", "NaN", "aGk=", "Flying", "m"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                "matchId step gameLoop requestedNs skipped frames deadUnits alerts chat actions observation rawData units tag"
                " health mapState visibility data abilities message".split()
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(JSON, JSON, JSON)
@example("1e999", {"frames": "x"}, {"observation": {"alerts": [float("inf")]}})
def test_values_of_the_wrong_kind_raise_only_the_documented_error(step: Any, skipped: Any, content: Any) -> None:
    text = json.dumps({"frame": {"matchId": "m", "step": step, "skipped": skipped, "observation": content}})
    for number in (text, text.replace("Infinity", "1e999")):

        def act(text: str = number) -> None:
            opened = open_event(text, "json")
            if isinstance(opened, tuple):
                assert 0 <= opened[0].step < 2**64
                _ = Frame(*opened, "json", 0, 0).observation

        only_the_documented_error(act)


@pytest.mark.parametrize("message", [b"\x0c\x0a", b"\x12\x00\x0c\x00", b"\x0a\x07\x0a\x01m\x7a\x02\x0c\x00"])
def test_a_stray_end_of_a_group_is_the_documented_error_without_a_warning(message: bytes) -> None:
    program = f"""
from sc2bridge import Frame, MalformedMessageError
from sc2bridge._protocol.envelope import open_event
try:
    opened = open_event({message!r}, "proto")
    Frame(*opened, "proto", 0, 0).observation
except MalformedMessageError:
    print("refused")
"""
    # pytest sets its own filters, so in a process without it.
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("refused\n", "")
