"""The agent that `sc2bridge compare` measures: its orders, the counted frames, and the raw yardstick's bytes."""

from __future__ import annotations

import io
import json
import socket
import threading
import time
from typing import Any, Callable, Dict, Iterable, List

import pytest

from sc2bridge._protocol.envelope import Envelope
from sc2bridge.game.frame import Frame
from sc2bridge_bench import receiving
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

WIRE = sc2api_pb2.ResponseObservation(observation=sc2api_pb2.Observation(game_loop=7)).SerializeToString()


def order(**others: Any) -> receiving.Order:
    given = dict(
        url="grpc://127.0.0.1:1",
        encoding="proto",
        compression="none",
        content="observation",
        policy="every",
        warm_up_seconds=0.5,
        seconds=1.0,
    )
    return receiving.Order.read(json.dumps({**given, **others}))


def frame(step: int, observed_ns: int) -> Frame:
    envelope = Envelope()
    envelope.step, envelope.observed_ns = step, observed_ns
    return Frame(envelope, WIRE, "proto", observed_ns + 250_000, len(WIRE))


def test_frames_count_once_the_warm_up_is_over() -> None:
    received, now = receiving.Received(order()), time.monotonic_ns() - 800_000_000
    for step, ms in ((0, 0), (1, 499), (2, 500), (4, 600)):
        assert not received.take(frame(step, now + ms * 1_000_000))
    result = received.result()
    assert result["held_us"] == [250, 250]
    assert len(result["parsed_us"]) == 2 and all(us > 250 for us in result["parsed_us"])
    assert result["lost"] == 1 and result["bytes"] == [len(WIRE)] * 2
    assert result["agent"].startswith("Python 3") and result["memory_bytes"] > 0


def test_resources_are_counted_for_as_many_frames_as_periods() -> None:
    received = receiving.Received(order(warm_up_seconds=0))
    for step in range(5):
        arrived = step * 100_000_000
        received.note(step, arrived, arrived + 1_000_000, arrived + 3_000_000, 2_000_000, 10)
    assert received.result()["seconds"] == 0.4
    alone = receiving.Received(order(warm_up_seconds=0))
    alone.note(0, 0, 1, 2, 1, 10)
    assert (alone.result()["seconds"], alone.result()["cpu_seconds"]) == (0, 0)


def test_a_slow_agent_leaves_two_seconds_after_the_counted_time() -> None:
    received, now = receiving.Received(order()), time.monotonic_ns()
    assert not received.take(frame(0, now - 3_400_000_000))
    received = receiving.Received(order())
    assert received.take(frame(0, now - 3_600_000_000))


def framed(events: Iterable[Any]) -> bytes:
    messages = [event.SerializeToString() for event in events]
    return b"".join(b"\0" + len(message).to_bytes(4, "big") + message for message in messages)


def served(data: bytes) -> str:
    """A raw sender that gives these bytes in pieces of odd sizes, and closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def give() -> None:
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(5) == bytes(5)
            for at in range(0, len(data), 37):
                connection.sendall(data[at : at + 37])

    threading.Thread(target=give, daemon=True).start()
    return f"raw://127.0.0.1:{listener.getsockname()[1]}"


def events(count: int) -> List[Any]:
    now = time.monotonic_ns()
    made = [bridge_pb2.PlayResponse() for _ in range(count)]
    for step, event in enumerate(made):
        event.frame.step, event.frame.observed_ns = step, now + step
        event.frame.observation.MergeFromString(WIRE)
    return made


def test_the_raw_socket_is_received_to_the_matchs_end_however_its_bytes_come() -> None:
    end = bridge_pb2.PlayResponse(match_end=bridge_pb2.MatchEnd(detail="measured"))
    received = receiving.receive(order(url=served(framed([*events(20), end])), warm_up_seconds=0))
    assert len(received["held_us"]) == 20 and received["lost"] == 0


def serve(lines: str, answers: io.StringIO, receive: Callable[[receiving.Order], Dict[str, Any]]) -> None:
    receiving.serve(io.StringIO(lines), answers, {"agent": "3"}, lambda line: receive(receiving.Order.read(line)))


def test_each_line_is_answered_with_a_result_or_an_error() -> None:
    cut = order(url=served(framed(events(3))[:-2]), warm_up_seconds=0)
    lines = [json.dumps(cut._asdict()), "{}", "nothing", json.dumps(order(compression="lzw")._asdict())]
    answers = io.StringIO()
    serve("\n".join(lines) + "\n", answers, receiving.receive)
    said = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert "agent" in said[0] and len(said) == 5
    assert "in the middle of the match" in said[1]["error"]
    assert "no order" in said[2]["error"]
    assert "choose none, deflate, zstd or group-zstd" in said[4]["error"]


@pytest.mark.parametrize("receive", [receiving.receive, receiving.receive_in_loop])
def test_without_a_bridge_the_answer_is_an_error(receive: Callable[[receiving.Order], Dict[str, Any]]) -> None:
    answers = io.StringIO()
    serve(json.dumps(order()._asdict()) + "\n", answers, receive)
    assert "no bridge answers at 127.0.0.1:1" in json.loads(answers.getvalue().splitlines()[1])["error"]
