"""The control of a playback, blocking and asyncio, over every transport and encoding against a fake bridge."""

from __future__ import annotations

import asyncio
from typing import Any, Callable

import pytest
from fake_bridge import Match

import sc2bridge
from sc2bridge.v1 import bridge_pb2

WISHES: list[tuple[Callable[[Any], Any], dict[str, Any]]] = [
    (lambda bridge: bridge.pause(), {"pause": True}),
    (lambda bridge: bridge.resume(match_id="m1"), {"match_id": "m1", "pause": False}),
    (lambda bridge: bridge.step(), {"step": 1}),
    (lambda bridge: bridge.step(-3), {"step": -3}),
    (lambda bridge: bridge.seek(loop=0), {"seek_loop": 0}),
    (lambda bridge: bridge.seek(loop=4032), {"seek_loop": 4032}),
    (lambda bridge: bridge.seek(step=2**40), {"seek_step": 2**40}),
    (lambda bridge: bridge.set_rate(22.4), {"rate": 22.4}),
    (lambda bridge: bridge.set_rate("max"), {"rate": 0.0}),
    (lambda bridge: bridge.playback(), {}),
]


def _check(match: Match, states: list[Any]) -> None:
    assert match.controls == [bridge_pb2.ControlRequest(**wish) for _, wish in WISHES]
    assert [control.WhichOneof("command") for control in match.controls][4:] == [
        *("seek_loop", "seek_loop", "seek_step", "rate", "rate", None)
    ]
    assert [state.paused for state in states] == [True] + [False] * 9
    assert all(state.last_step == 4 for state in states)


def test_each_control_is_sent_and_answered(open_bridge: Any) -> None:
    match = Match()
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        _check(match, [wish(bridge) for wish, _ in WISHES])


def test_each_control_is_sent_and_answered_by_asyncio(open_bridge: Any) -> None:
    async def wish_all(url: str) -> list[Any]:
        async with await sc2bridge.aconnect(url) as bridge:
            return [await wish(bridge) for wish, _ in WISHES]

    match = Match()
    with open_bridge(match) as url:
        _check(match, asyncio.run(wish_all(url)))


def test_invalid_controls_are_refused_at_once() -> None:
    bridge = sc2bridge.connect("grpc://127.0.0.1:1")
    for wish in (
        lambda: bridge.seek(),
        lambda: bridge.seek(loop=1, step=1),
        lambda: bridge.seek(loop=-1),
        lambda: bridge.seek(loop=1 << 32),
        lambda: bridge.seek(step=1 << 64),
        lambda: bridge.step(0),
        lambda: bridge.step(1 << 31),
        lambda: bridge.set_rate("fast"),
    ):
        with pytest.raises(ValueError):
            wish()


def test_a_refusal_has_a_reason_and_the_next_control_works(open_bridge: Any) -> None:
    match = Match(refusal=(9, "the match is live"))
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        with pytest.raises(sc2bridge.BridgeError, match="the match is live") as refused:
            bridge.pause()
        assert refused.value.code == 9
        match.refusal = None
        assert bridge.pause().paused


@pytest.mark.parametrize("compression", ["none", "group-zstd"])
def test_the_first_frame_after_a_move_has_seeked_set(open_bridge: Any, compression: str) -> None:
    match = Match(steps=6, seeks=(2, 5))
    with open_bridge(match) as url, sc2bridge.connect(url, compression=compression) as bridge:
        assert [(frame.step, frame.seeked) for frame in bridge.subscribe()] == [
            *((0, False), (1, False), (2, True), (3, False), (4, False), (5, True))
        ]


@pytest.mark.parametrize("rate", [0, 0.0, -1, float("nan"), float("inf")])
def test_a_rate_that_is_not_above_zero_does_not_mean_max(rate: float) -> None:
    with pytest.raises(ValueError, match="choose max or steps a second, above 0"):
        sc2bridge.connect("grpc://127.0.0.1:1").set_rate(rate)
