"""Objects that agents keep, copied and sent to other processes."""

from __future__ import annotations

import copy
import pathlib
import pickle
from typing import Any, Callable

import pytest
from columns_case import columns_of, observations
from events_case import Sequence, Step
from hypothesis import given
from recording_case import Case
from test_units import same

import sc2bridge
from sc2bridge.units import Units

CONTENTS: list[Any] = [("observation", "proto"), ("columns", "proto"), ("columns", "json"), ("observation", "json")]
UNITS = [{"tag": 7, "unit_type": 45, "alliance": 1, "health": 40}, {"tag": 2**63, "unit_type": 18, "alliance": 4}]


def through_a_pickle(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WAYS = pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, through_a_pickle])


@given(observations())
def test_a_table_is_the_same_through_a_pickle(observation: Any) -> None:
    for units in (Units.from_observation(observation), Units.from_columns(columns_of(observation).SerializeToString())):
        same(through_a_pickle(units), units)
        same(through_a_pickle(units[::-1]).own, units[::-1].own)


@WAYS
@pytest.mark.parametrize(("content", "encoding"), CONTENTS)
def test_a_unit_is_the_same(content: Any, encoding: Any, way: Callable[[Any], Any]) -> None:
    frame = Sequence(content, encoding).frame(Step(UNITS))
    for unit in frame.units:
        other = way(unit)
        assert other == unit and repr(other) == repr(unit)
        assert {name: getattr(other, name) for name in Units.fields} == {
            name: getattr(unit, name) for name in Units.fields
        }
        assert len(other.orders) == len(unit.orders)


@WAYS
@pytest.mark.parametrize(("content", "encoding"), CONTENTS)
def test_a_frame_is_the_same(content: Any, encoding: Any, way: Callable[[Any], Any]) -> None:
    frame = Sequence(content, encoding).frame(Step(UNITS, way="skipped", skipped_dead=[5]))
    other = way(frame)
    for name in ("match_id", "perspective", "step", "game_loop", "requested_ns", "observed_ns", "skipped", "seeked"):
        assert getattr(other, name) == getattr(frame, name)
    for name in ("encoding", "content", "received_ns", "size", "observation", "json", "outcomes"):
        assert getattr(other, name) == getattr(frame, name)
    same(other.units, frame.units)


@pytest.mark.parametrize("compression", ["zstd", "group-zstd"])
def test_frames_of_a_bridge_are_the_same_through_a_pickle(open_bridge: Any, compression: Any) -> None:
    from fake_bridge import Match

    with open_bridge(Match(steps=6)) as url, sc2bridge.connect(url, compression=compression) as bridge:
        frames = list(bridge.subscribe(can_act=True))
    for frame in (frames[5], frames[2]):
        assert through_a_pickle(frame).observation == frame.observation


def test_a_pickled_recording_is_opened_again(tmp_path: pathlib.Path) -> None:
    case = Case()
    for step in range(5):
        case.step(step)
    (tmp_path / "match.mcap").write_bytes(case.close().data)
    with sc2bridge.open_recording(tmp_path / "match.mcap") as recording:
        with through_a_pickle(recording) as other:
            assert [bytes(raw) for raw in other.raw()] == [bytes(raw) for raw in recording.raw()]
        frame = through_a_pickle(recording[3])
        assert (frame.step, frame.game_loop, frame.raw) == (3, recording[3].game_loop, recording[3].raw)


@pytest.mark.parametrize(
    "error",
    [
        sc2bridge.BridgeError(9, "no"),
        sc2bridge.ConnectionLostError("gone"),
        sc2bridge.RequestTimeoutError("late"),
        sc2bridge.MalformedMessageError("cut off"),
        sc2bridge.RecordingError("damaged", pathlib.Path("a"), 7, "a is damaged"),
        sc2bridge.AgentError("on_step", ValueError("no")),
    ],
)
def test_an_error_is_equal_after_a_pickle(error: sc2bridge.SC2BridgeError) -> None:
    other = through_a_pickle(error)
    assert type(other) is type(error) and str(other) == str(error)
    assert {name: repr(value) for name, value in vars(other).items()} == {
        name: repr(value) for name, value in vars(error).items()
    }
