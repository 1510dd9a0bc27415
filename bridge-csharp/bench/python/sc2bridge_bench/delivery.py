"""A client of `bench delivery`: receives frames without parsing them, and reports when it had each one.

With group zstd a frame is in a client's hands when its observation is decompressed. The server's stamps are of the
monotonic clock that `time.monotonic_ns` reads on the same machine.
"""

from __future__ import annotations

import asyncio
import queue
import re
import ssl
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

from google.protobuf import json_format

import sc2bridge
from sc2bridge._protocol.compression import GroupDecompressor
from sc2bridge.v1 import bridge_pb2
from sc2bridge_bench.libraries import versions
from sc2bridge_bench.raw import MemoryConnection, RawConnection

Buffer = Union[bytes, memoryview]
STEP_FIELD, OBSERVED_FIELD, OBSERVATION_FIELD, BLOCK_FIELD, LENGTH_DELIMITED = 3, 6, 15, 18, 2
STEP, OBSERVED = (re.compile(rf'"{name}":"(\d+)"') for name in ("step", "observedNs"))
LONGEST_HEAD = 512
"""No envelope in JSON has more characters."""


def subscription(lockstep: bool, grouped: bool = False, text: bool = False) -> Any:
    """The first message: its policy, a name and, for group zstd, its compression."""
    message = bridge_pb2.PlayRequest()
    message.subscribe.policy = bridge_pb2.POLICY_LOCKSTEP if lockstep else bridge_pb2.POLICY_EVERY
    message.subscribe.agent = "benchmark"
    if grouped:
        message.subscribe.compression = bridge_pb2.COMPRESSION_GROUP_ZSTD
    return json_format.MessageToJson(message) if text else message.SerializeToString()


def acknowledgement(step: int, text: bool = False) -> Any:
    """A later one."""
    if text:
        return f'{{"acknowledge":{{"step":"{step}"}}}}'
    message = bridge_pb2.PlayRequest()
    message.acknowledge.SetInParent()
    message.acknowledge.step = step
    return message.SerializeToString()


def read_varint(data: Buffer, at: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def read_envelope(event: Buffer) -> Tuple[int, int, int]:
    """The frame's step, its observed_ns and its payload's field: nothing else is parsed, as that would be timed too."""
    if event[0] != 1 << 3 | LENGTH_DELIMITED:
        raise ValueError(f"not a frame: the event's first byte is {event[0]}")
    _, at = read_varint(event, 1)
    found = {STEP_FIELD: 0, OBSERVED_FIELD: 0}
    while True:
        key, at = read_varint(event, at)
        value, at = read_varint(event, at)
        field = key >> 3
        if field in (OBSERVATION_FIELD, BLOCK_FIELD):
            if at + value != len(event):
                raise ValueError(f"a payload of {value} bytes at {at} does not end an event of {len(event)}")
            return found[STEP_FIELD], found[OBSERVED_FIELD], field
        if key & 7 == LENGTH_DELIMITED:
            at += value
        else:
            found[field] = value


def read_text(event: str) -> Tuple[int, int, int]:
    """The same of a frame in JSON."""
    step, observed = (pattern.search(event, 0, LONGEST_HEAD) for pattern in (STEP, OBSERVED))
    if observed is None:
        raise ValueError(f"not a frame: {event[:100]}")
    return int(step[1]) if step else 0, int(observed[1]), OBSERVATION_FIELD


class Measured:
    """Takes frames as they come and keeps the times."""

    def __init__(self, order: Dict[str, Any]) -> None:
        self.frames = order["frames"]
        self.lockstep = order["lockstep"]
        self._warm_up = order["warm_up"]
        self._latencies: List[float] = []
        self._seen = 0
        self._previous = -1
        self._began = self._ended = 0
        self._groups = GroupDecompressor()
        self._bytes = 0

    def held(self, event: Union[Buffer, str]) -> int:
        """Call right when the whole message is there; the answer is its step."""
        now = time.monotonic_ns()
        step, stamp, field = read_text(event) if isinstance(event, str) else read_envelope(event)
        if field == BLOCK_FIELD and not isinstance(event, str):
            self._groups.add(bridge_pb2.PlayResponse.FromString(bytes(event)).frame.block).get()
            now = time.monotonic_ns()
        self.hold(now, step, stamp, len(event))
        return step

    def hold(self, now: int, step: int, stamp: int, size: int) -> None:
        """The same, of a frame that is known."""
        if self._previous >= 0 and step != self._previous + 1:
            raise ValueError(f"step {step} came after step {self._previous}")
        self._previous = step
        self._seen += 1
        if self._seen == self._warm_up:
            self._began = now
        elif self._seen > self._warm_up:
            self._latencies.append((now - stamp) / 1000)
            self._bytes += size
        self._ended = now

    @property
    def answers(self) -> bool:
        """Whether this frame is answered; the last is not, so that nothing is under way at the end."""
        return bool(self.lockstep and self._seen < self.frames)

    def result(self) -> Dict[str, Any]:
        """As `bench delivery` reads it."""
        if self._seen != self.frames:
            raise ValueError(f"{self._seen} of {self.frames} frames came")
        per_second = len(self._latencies) / ((self._ended - self._began) / 1e9)
        mean = self._bytes / len(self._latencies)
        return {"latencies_us": self._latencies, "per_second": per_second, "message_bytes": mean}


Phase = Callable[[Measured], None]


def certificate(address: str) -> str:
    """The server's certificate, in PEM. It is the benchmark's own, so it is trusted."""
    host, port = address.rsplit(":", 1)
    return ssl.get_server_certificate((host, int(port)))


def bare_client(kind: Any, address: str) -> Tuple[str, Phase]:
    """A yardstick."""

    def run(measured: Measured) -> None:
        with kind(address) as connection:
            connection.send(subscription(measured.lockstep))
            for _ in range(measured.frames):
                step = measured.held(connection.receive())
                if measured.answers:
                    connection.send(acknowledgement(step))

    return versions(), run


def grpc_client(address: str, more: List[str]) -> Tuple[str, Phase]:
    """grpcio, blocking."""
    import grpc

    options = [("grpc.max_receive_message_length", -1)]
    if "tls" in more:
        credentials = grpc.ssl_channel_credentials(certificate(address).encode())
        channel = grpc.secure_channel(address, credentials, options)
    else:
        channel = grpc.insecure_channel(address, options)
    play = channel.stream_stream("/sc2bridge.v1.BridgeService/Play")

    def run(measured: Measured) -> None:
        outgoing: queue.SimpleQueue[Optional[bytes]] = queue.SimpleQueue()
        outgoing.put(subscription(measured.lockstep, "group-zstd" in more))
        requests: Iterator[Optional[bytes]] = iter(outgoing.get, None)
        call = play(requests)
        next(call)  # The answer to the subscription.
        for _ in range(measured.frames):
            step = measured.held(next(call))
            if measured.answers:
                outgoing.put(acknowledgement(step))
        outgoing.put(None)
        call.cancel()

    return versions("grpcio"), run


def websocket_client(address: str, more: List[str]) -> Tuple[str, Phase]:
    """websockets, blocking if the version supports it."""
    grouped, text = "group-zstd" in more, "json" in more
    url = f"{'wss' if 'tls' in more else 'ws'}://{address}/v1"
    protocol = "sc2bridge.json.v1" if text else "sc2bridge.proto.v1"
    options: Dict[str, Any] = {"subprotocols": [protocol], "compression": None, "max_size": None}
    if "tls" in more:
        options["ssl"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        options["ssl"].load_verify_locations(cadata=certificate(address))
    try:
        from websockets.sync.client import connect
    except ImportError:  # before 11.0
        return versions("websockets"), asyncio_websocket(url, {**options, "ping_interval": None}, grouped, text)

    def run(measured: Measured) -> None:
        with connect(url, **options) as connection:
            connection.send(subscription(measured.lockstep, grouped, text))
            connection.recv()  # The answer to the subscription.
            for _ in range(measured.frames):
                step = measured.held(connection.recv())
                if measured.answers:
                    connection.send(acknowledgement(step, text))

    return versions("websockets"), run


def asyncio_websocket(url: str, options: Dict[str, Any], grouped: bool, text: bool) -> Phase:
    """websockets on asyncio."""
    import websockets

    async def receive(measured: Measured) -> None:
        async with websockets.connect(url, **options) as connection:
            await connection.send(subscription(measured.lockstep, grouped, text))
            await connection.recv()  # The answer to the subscription.
            for _ in range(measured.frames):
                step = measured.held(await connection.recv())
                if measured.answers:
                    await connection.send(acknowledgement(step, text))

    return lambda measured: asyncio.run(receive(measured))


def shared_client(address: str, columns: bool) -> Tuple[str, Phase]:
    """The package, over shared memory: as agents use it."""
    content = "columns" if columns else "observation"

    def run(measured: Measured) -> None:
        with sc2bridge.connect(address) as connection:
            policy = "lockstep" if measured.lockstep else "every"
            with connection.subscribe(policy, content=content, agent="benchmark", report_times=False) as frames:
                for _, frame in zip(range(measured.frames), frames):
                    held = frame.received_ns
                    if columns:  # They are made when they are asked for: delivered is when they are arrays.
                        frame.units
                        held = time.monotonic_ns()
                    measured.hold(held, frame.step, frame.observed_ns, frame.size)

    return versions("numpy"), run


CLIENTS: Dict[str, Any] = {
    "grpc": grpc_client,
    "websocket": websocket_client,
}

BARE = {"raw": RawConnection, "memory": MemoryConnection}


def client(transport: str, address: str) -> Tuple[str, Callable[[Dict[str, Any]], Dict[str, Any]]]:
    """The client's name, and the function that does a phase.

    The transport is one of CLIENTS, BARE, or shm, with or without +tls, +json, +columns or +group-zstd.
    """
    transport, *more = transport.split("+")
    if transport in BARE:
        name, run = bare_client(BARE[transport], address)
    elif transport == "shm":
        name, run = shared_client(address, "columns" in more)
    else:
        name, run = CLIENTS[transport](address, more)

    def measure(order: Dict[str, Any]) -> Dict[str, Any]:
        measured = Measured(order)
        run(measured)
        return measured.result()

    return name, measure
