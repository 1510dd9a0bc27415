"""A client of the delivery benchmark: receives frames, does not parse them, and says when each was in its hands.

    delivery_client.py raw|grpc|websocket[+group-zstd] HOST:PORT

Each line of standard input is a phase, `{"lockstep": bool, "frames": int, "warm_up": int, "digests": bool}`; each is
answered by one line of standard output, `{"latencies_us": [...], "per_second": float, "digests": [...]}`, where the
digests, if they were asked for, are the SHA-256 of each observation. With group zstd a frame is in a client's hands when
its observation is decompressed. A frame is an `Event` of bridge.proto whose
`arrived_ns` is the server's monotonic clock, the one that `time.monotonic_ns` reads on the same machine.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import platform
import queue
import socket
import sys
import time
from typing import Any, Callable, Iterator

POLICY_LOCKSTEP, POLICY_EVERY = 1, 3
STEP_FIELD, ARRIVED_FIELD, OBSERVATION_FIELD, BLOCK_FIELD, LENGTH_DELIMITED = 3, 6, 15, 18, 2
SUB_PROTOCOL = "sc2bridge.v1.proto"


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def nested(field: int, body: bytes) -> bytes:
    return varint(field << 3 | LENGTH_DELIMITED) + varint(len(body)) + body


def subscription(lockstep: bool, grouped: bool = False) -> bytes:
    """An AgentMessage with a Subscription: its policy, a name and, for group zstd, its compression."""
    policy = POLICY_LOCKSTEP if lockstep else POLICY_EVERY
    compression = varint(9 << 3) + varint(3) if grouped else b""
    return nested(1, varint(3 << 3) + varint(policy) + nested(6, b"benchmark") + compression)


def acknowledgement(step: int) -> bytes:
    """An AgentMessage with an Acknowledgement."""
    return nested(2, varint(1 << 3) + varint(step))


def read_envelope(event: bytes | memoryview) -> tuple[int, int, int, int]:
    """The frame's step, its arrived_ns, its payload's field and where that begins, which ends with the event."""
    if event[0] != 1 << 3 | LENGTH_DELIMITED:
        raise ValueError(f"not a frame: the event's first byte is {event[0]}")
    _, at = read_varint(event, 1)
    found = {STEP_FIELD: 0, ARRIVED_FIELD: 0}
    while True:
        key, at = read_varint(event, at)
        value, at = read_varint(event, at)
        field = key >> 3
        if field in (OBSERVATION_FIELD, BLOCK_FIELD):
            if at + value != len(event):
                raise ValueError(f"a payload of {value} bytes at {at} does not end an event of {len(event)}")
            return found[STEP_FIELD], found[ARRIVED_FIELD], field, at
        if key & 7 == LENGTH_DELIMITED:
            at += value
        else:
            found[field] = value


class Group:
    """Decompresses the blocks of group zstd, as the package `sc2bridge` does: straight into the observation's room."""

    def __init__(self) -> None:
        self._number = 0
        self._reader: Any = None
        self._piece: bytes | memoryview = b""

    def read(self, _: int = -1) -> bytes | memoryview:
        """What the stream reads from."""
        return self._piece

    def decompress(self, event: bytes | memoryview, at: int) -> bytes | memoryview:
        """The observation of the block that the event ends with; of a group that is heard from its first block on."""
        numbers = {2: 0}
        while True:
            key, at = read_varint(event, at)
            value, at = read_varint(event, at)
            field = key >> 3
            if field == 7:
                break
            if key & 7 == LENGTH_DELIMITED:
                raise ValueError("a client that hears every frame was sent earlier blocks")
            numbers[field] = value
        if numbers[1] != self._number:
            import zstandard

            self._number = numbers[1]
            self._reader = zstandard.ZstdDecompressor(max_window_size=1 << numbers[3]).stream_reader(self)
        size = numbers[4]
        self._piece = event[at:]
        observation = bytearray(size + 1)
        made = self._reader.readinto1(observation)
        if made != size:
            raise ValueError(f"{made} bytes instead of {size}")
        return memoryview(observation)[:size]


class Measurement:
    """Takes frames as they come and keeps the times."""

    def __init__(self, frames: int, warm_up: int, digests: bool) -> None:
        self.frames = frames
        self._digests: list[str] | None = [] if digests else None
        self._warm_up = warm_up
        self._latencies: list[float] = []
        self._seen = 0
        self._previous = -1
        self._began = self._ended = 0
        self._group = Group()

    def held(self, event: bytes | memoryview) -> int:
        """Call right when the whole message is there; the answer is its step."""
        now = time.monotonic_ns()
        step, stamp, field, at = read_envelope(event)
        observation: bytes | memoryview = memoryview(event)[at:]
        if field == BLOCK_FIELD:
            observation = self._group.decompress(event, at)
            now = time.monotonic_ns()
        if self._previous >= 0 and step != self._previous + 1:
            raise ValueError(f"step {step} came after step {self._previous}")
        self._previous = step
        self._seen += 1
        if self._seen == self._warm_up:
            self._began = now
        elif self._seen > self._warm_up:
            self._latencies.append((now - stamp) / 1000)
        self._ended = now
        if self._digests is not None:
            self._digests.append(hashlib.sha256(observation).hexdigest())
        return step

    @property
    def more(self) -> bool:
        """Whether frames are still to come; the last is not answered, so that nothing is under way at the end."""
        return self._seen < self.frames

    def result(self) -> dict[str, Any]:
        if self._seen != self.frames:
            raise ValueError(f"{self._seen} of {self.frames} frames came")
        seconds = (self._ended - self._began) / 1e9
        per_second = len(self._latencies) / seconds
        return {"latencies_us": self._latencies, "per_second": per_second, "digests": self._digests or []}


Phase = Callable[[bool, Measurement], None]


def raw_client(address: str, grouped: bool) -> tuple[str, Phase]:
    host, port = address.rsplit(":", 1)
    buffer = bytearray(4 << 20)
    view = memoryview(buffer)

    def framed(message: bytes) -> bytes:
        return b"\0" + len(message).to_bytes(4, "big") + message

    def run(lockstep: bool, measurement: Measurement) -> None:
        with socket.create_connection((host, int(port))) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(framed(subscription(lockstep)))
            held = 0
            for _ in range(measurement.frames):
                wanted = 5
                while True:
                    if wanted == 5 and held >= 5:
                        wanted = 5 + int.from_bytes(view[1:5], "big")
                    if wanted > 5 and held >= wanted:
                        break
                    received = connection.recv_into(view[held:])
                    if not received:
                        raise ConnectionError("the server closed the connection")
                    held += received
                step = measurement.held(view[5:wanted])
                # Where this process was late, the next frame's beginning has come along.
                buffer[: held - wanted] = buffer[wanted:held]
                held -= wanted
                if lockstep and measurement.more:
                    connection.sendall(framed(acknowledgement(step)))

    return "socket.recv_into", run


def grpc_client(address: str, grouped: bool) -> tuple[str, Phase]:
    import grpc

    channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)])
    play = channel.stream_stream("/sc2bridge.v1.Bridge/Play")

    def run(lockstep: bool, measurement: Measurement) -> None:
        outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        outgoing.put(subscription(lockstep, grouped))
        requests: Iterator[bytes | None] = iter(outgoing.get, None)
        call = play(requests)
        for _ in range(measurement.frames):
            step = measurement.held(next(call))
            if lockstep and measurement.more:
                outgoing.put(acknowledgement(step))
        outgoing.put(None)
        call.cancel()

    return f"grpcio {grpc.__version__} sync", run


def websocket_client(address: str, grouped: bool) -> tuple[str, Phase]:
    from websockets.version import version

    url = f"ws://{address}/v1"
    options: dict[str, Any] = {"subprotocols": [SUB_PROTOCOL], "compression": None, "max_size": None}
    try:
        from websockets.sync.client import connect
    except ImportError:  # before 11.0
        return f"websockets {version} asyncio", asyncio_websocket(url, {**options, "ping_interval": None}, grouped)

    def run(lockstep: bool, measurement: Measurement) -> None:
        with connect(url, **options) as connection:
            connection.send(subscription(lockstep, grouped))
            for _ in range(measurement.frames):
                event = connection.recv()
                step = measurement.held(event)
                if lockstep and measurement.more:
                    connection.send(acknowledgement(step))

    return f"websockets {version} sync", run


def asyncio_websocket(url: str, options: dict[str, Any], grouped: bool) -> Phase:
    import websockets

    async def receive(lockstep: bool, measurement: Measurement) -> None:
        async with websockets.connect(url, **options) as connection:
            await connection.send(subscription(lockstep, grouped))
            for _ in range(measurement.frames):
                step = measurement.held(await connection.recv())
                if lockstep and measurement.more:
                    await connection.send(acknowledgement(step))

    return lambda lockstep, measurement: asyncio.run(receive(lockstep, measurement))


CLIENTS = {"raw": raw_client, "grpc": grpc_client, "websocket": websocket_client}


def main(transport: str, address: str) -> None:
    transport, _, compression = transport.partition("+")
    name, run = CLIENTS[transport](address, compression == "group-zstd")
    if compression:
        import zstandard

        name += f", zstandard {zstandard.__version__}"
    print(json.dumps({"client": f"{name}, Python {platform.python_version()}"}), flush=True)
    for line in sys.stdin:
        phase = json.loads(line)
        measurement = Measurement(phase["frames"], phase["warm_up"], phase["digests"])
        run(phase["lockstep"], measurement)
        print(json.dumps(measurement.result()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
