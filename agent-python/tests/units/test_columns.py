"""Frames of columns: over each transport, compressed or not, the same units and the same rest as plain frames."""

from __future__ import annotations

import asyncio
import pathlib
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

import sc2bridge
from sc2bridge.__main__ import main
from sc2bridge._protocol.envelope import open_event
from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.frame import Frame
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

pytest.importorskip("numpy")

from columns_case import columns_of, observations  # noqa: E402
from fake_bridge import Match, observation  # noqa: E402
from test_units import same  # noqa: E402

from sc2bridge.units import Units  # noqa: E402


def without_units(message: Any) -> Any:
    rest = sc2api_pb2.ResponseObservation()
    rest.CopyFrom(message)
    rest.observation.raw_data.ClearField("units")
    return rest


@pytest.mark.parametrize("compression", ["none", "zstd", "group-zstd"])
def test_frames_of_columns_show_the_same_as_plain_ones(open_bridge: Any, compression: str) -> None:
    match = Match(steps=6)
    with open_bridge(match) as url, sc2bridge.connect(url, compression=compression) as bridge:
        plain = list(bridge.subscribe("every", agent="plain"))
        columns = list(bridge.subscribe("every", agent="columns", content="columns"))
    assert [asked.content for asked in match.subscriptions] == [1, 2]
    assert len(plain) == len(columns) == 6
    for frame, other in zip(plain, columns):
        assert (frame.content, other.content) == ("observation", "columns")
        assert frame.game_loop == other.game_loop
        same(other.units, frame.units)
        assert other.units is other.units
        assert other.observation == without_units(frame.observation)
        assert other.json == json_format.MessageToDict(other.observation)
        assert other.decode_ns is not None and other.decode_ns > 0


def test_asyncio_receives_columns(open_bridge: Any) -> None:
    async def hear(url: str) -> int:
        async with await sc2bridge.aconnect(url) as bridge:
            return sum([len(frame.units) async for frame in await bridge.subscribe("every", content="columns")])

    with open_bridge(Match(steps=2)) as url:
        assert asyncio.run(hear(url)) == 2 * 3


def test_an_agent_runs_on_columns(open_bridge: Any, capsys: Any) -> None:
    with open_bridge(Match(steps=4)) as url:
        arguments = ["run", "sc2bridge.agents:Watcher", "--bridge", url.partition("?")[0], "--content", "columns"]
        encoding = url.partition("?encoding=")[2]
        assert main([*arguments, *(["--encoding", encoding] if encoding else [])]) == 0
    assert "4 frames, loops 0-3, 3 units at the end" in capsys.readouterr().out


def test_an_unknown_content_is_refused() -> None:
    bridge = sc2bridge.connect("grpc://127.0.0.1:1")
    with pytest.raises(ValueError, match="content 'rows': choose observation, columns"):
        bridge.subscribe(content="rows")  # type: ignore[arg-type]


def open_frame(message: Any) -> Any:
    encoding: Any = "json" if isinstance(message, str) else "proto"
    opened = open_event(message, encoding)
    return Frame(*opened, encoding, 0, 0) if isinstance(opened, tuple) else None


def event(content: Any) -> Any:
    frame = bridge_pb2.Frame(match_id="m", step=3, content=bridge_pb2.CONTENT_COLUMNS)
    frame.skipped.frames = 1
    frame.skipped.chat.add(message='a "columns": and an "observation": {')
    frame.columns.CopyFrom(columns_of(content))
    return bridge_pb2.PlayResponse(frame=frame)


@given(observations())
def test_a_frame_of_columns_opens_without_being_parsed(content: Any) -> None:
    whole = event(content)
    for message in (whole.SerializeToString(), json_format.MessageToJson(whole, indent=None)):
        frame = open_frame(message)
        assert (frame.step, frame.content, frame.skipped.frames) == (3, "columns", 1)
        same(frame.units, Units.from_observation(content))
        assert frame.observation == without_units(content)


@given(observations(), st.data())
def test_damaged_frames_of_columns_raise_only_the_documented_error(content: Any, data: Any) -> None:
    whole = event(content)
    message = bytearray(whole.SerializeToString())
    message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    text = json_format.MessageToJson(whole, indent=None)
    at = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:at] + data.draw(st.sampled_from('{}[]",:0aé')) + text[at + 1 :]
    for each in (bytes(message), bytes(message[: len(message) // 2]), damaged, text[:at]):
        try:
            frame = open_frame(each)
            if frame is not None and frame.content in ("columns", "observation"):
                _ = frame.units.health, frame.units.orders.ability_id, frame.units.buffs.buff_id
                _ = frame.observation
        except MalformedMessageError:
            pass


def test_real_messages_read_the_same_as_frames_of_columns(shared: pathlib.Path) -> None:
    for file in sorted((shared / "data" / "real").rglob("*observation.pb")):
        content = sc2api_pb2.ResponseObservation.FromString(file.read_bytes())
        frame = open_frame(event(content).SerializeToString())
        same(frame.units, Units.from_observation(content))
        assert frame.observation == without_units(content)


def test_a_plain_frame_has_units_too() -> None:
    content = observation(7, 2)
    plain = bridge_pb2.PlayResponse(frame=bridge_pb2.Frame(match_id="m", observation=content))
    for message in (plain.SerializeToString(), json_format.MessageToJson(plain)):
        frame = open_frame(message)
        same(frame.units, Units.from_observation(content))
        assert len(frame.observation.observation.raw_data.units) == 2
