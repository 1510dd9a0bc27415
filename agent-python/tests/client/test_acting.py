"""Actions that are sent to a bridge, and their outcomes."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest
from fake_bridge import Match

import sc2bridge
from sc2bridge.agents.runner import RunOptions, run
from sc2bridge.s2clientprotocol import sc2api_pb2


def chat(text: str) -> sc2api_pb2.Action:
    return sc2api_pb2.Action(action_chat=sc2api_pb2.ActionChat(message=text))


def command(*tags: int) -> sc2api_pb2.Action:
    action = sc2api_pb2.Action()
    action.action_raw.unit_command.unit_tags.extend(tags)
    return action


def test_actions_precede_the_acknowledgement_and_outcomes_come_with_a_frame(open_bridge: Any) -> None:
    match = Match(steps=4)
    tags, told = [], []
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("lockstep", can_act=True, priority=3, report_times=False)
        for frame in frames:
            assert frame.step not in match.acknowledged
            copied = pickle.loads(pickle.dumps(frame))
            told.append([(one.step, one.tag, one.result) for one in frame.outcomes])
            assert copied.outcomes == frame.outcomes is frame.outcomes
            tags.append(frames.act([chat(f"step {frame.step}"), command(2**40 + frame.step)]))
        last = [one.tag for one in frames.outcomes]
    assert match.subscriptions[0].can_act and match.subscriptions[0].priority == 3
    assert tags == [1, 2, 3, 4] and last == [4, 4]
    assert told == [[], *([(step, step + 1, 1), (step, step + 1, 2)] for step in range(3))]
    assert [(sent.step, sent.request_id) for sent in match.acted] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert list(match.acted[3].actions) == [chat("step 3"), command(2**40 + 3)]


def test_an_action_is_sent_as_it_was_when_it_was_ordered(open_bridge: Any) -> None:
    match = Match(steps=1)
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("lockstep", can_act=True)
        for _ in frames:
            action = chat("before")
            frames.act([action])
            action.action_chat.message = "after"
            frames.act([action])
    assert [list(sent.actions) for sent in match.acted] == [[chat("before")], [chat("after")]]


def test_actions_are_sent_and_answered_by_asyncio(open_bridge: Any) -> None:
    async def play(url: str) -> tuple[list[list[int]], list[int]]:
        async with await sc2bridge.aconnect(url) as bridge:
            told = []
            frames = await bridge.subscribe("lockstep", can_act=True)
            async for frame in frames:
                told.append([one.tag for one in frame.outcomes])
                await frames.act([chat("hi")])
            return told, [one.tag for one in frames.outcomes]

    match = Match(steps=3)
    with open_bridge(match) as url:
        assert asyncio.run(play(url)) == ([[], [1], [2]], [3])
    assert [sent.step for sent in match.acted] == [0, 1, 2]


@pytest.mark.parametrize("what", ["attack", None, 23, b"", sc2api_pb2.RequestAction()])
def test_a_value_that_is_not_an_action_is_an_error(open_bridge: Any, what: Any) -> None:
    with open_bridge(Match(steps=2)) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("lockstep", can_act=True)
        for _ in frames:
            for act in (frames.do, lambda one: frames.act([one])):
                with pytest.raises(
                    TypeError, match="is not an action: pass a message Action, as sc2bridge.game.actions creates"
                ):
                    act(what)


def test_a_watcher_or_an_agent_without_a_frame_cannot_act(open_bridge: Any) -> None:
    with open_bridge(Match(steps=2)) as url, sc2bridge.connect(url) as bridge:
        watching = bridge.subscribe()
        next(watching)
        with pytest.raises(ValueError, match=r"subscribe\(can_act=True\)"):
            watching.act([])
        frames = bridge.subscribe(can_act=True)
        with pytest.raises(ValueError, match="an agent can only act after it receives a frame"):
            frames.act([])
        list(frames)
        with pytest.raises(ValueError, match="an agent can only act after it receives a frame"):
            frames.act([])
        with pytest.raises(ValueError, match="priority -1"):
            bridge.subscribe(can_act=True, priority=-1)


def test_an_acting_agent_sends_signs_of_life(open_bridge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sc2bridge._protocol.session._BATCH_NS", 0)
    match, watched = Match(steps=3), Match(steps=3)
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        list(bridge.subscribe("latest", can_act=True, report_times=False))
    assert match.acknowledged == [0, 1, 2]
    with open_bridge(watched) as url, sc2bridge.connect(url) as bridge:
        list(bridge.subscribe("latest", report_times=False))
    assert not watched.acknowledged


class Chatty(sc2bridge.Agent):
    can_act = True
    priority = 7

    def on_step(self, frame: sc2bridge.Frame) -> None:
        self.act([chat(str(frame.step))])


def test_an_agents_class_declares_that_it_acts(open_bridge: Any) -> None:
    match = Match(steps=3)
    with open_bridge(match) as url:
        options = RunOptions("test_acting:Chatty", url, subscription={"policy": "lockstep"})
        assert run(options) == 0
    assert (match.subscriptions[0].can_act, match.subscriptions[0].priority) == (True, 7)
    assert [[one.action_chat.message for one in sent.actions] for sent in match.acted] == [["0"], ["1"], ["2"]]
    with pytest.raises(ValueError, match="the agent has no match yet"):
        Chatty().act([])
