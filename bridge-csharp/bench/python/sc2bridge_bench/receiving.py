"""The agent that `sc2bridge compare` measures: it subscribes as any agent does, and says when it held each frame.

An order is a line of standard input, its answer a line of standard output, both JSON (see `Order` and `Received.result`).
Times are of one machine: the bridge's stamp and `time.monotonic_ns` are the same clock.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, TextIO, Union

from sc2bridge import Compression, Content, Encoding, Frame, Overflow, Policy, aio, connect
from sc2bridge._protocol.session import Session
from sc2bridge._protocol.subscribe import subscribe_request
from sc2bridge.errors import BridgeError
from sc2bridge_bench.libraries import optional, versions
from sc2bridge_bench.raw import MemoryConnection, RawConnection

_PATIENCE_NS = 2_000_000_000
"""A slow agent leaves this long after the counted time. Otherwise it would receive its backlog for minutes."""

_BARE = {"raw://": RawConnection, "raw+unix:": RawConnection, "memory:": MemoryConnection}
"""The yardsticks' clients, by what their addresses begin with."""


class Order(NamedTuple):
    """The order for one measurement."""

    url: str
    encoding: Encoding
    compression: Compression
    content: Content
    policy: Policy
    warm_up_seconds: float
    seconds: float

    @classmethod
    def read(cls, line: str) -> Order:
        """Of a line. Raises ValueError."""
        given = json.loads(line)
        try:
            return cls(*(given[name] for name in cls._fields))
        except (KeyError, TypeError) as error:
            raise ValueError(f"no order: {error}") from None

    @property
    def transport(self) -> str:
        """`raw`, `memory`, `grpc`, `ws` or `shm`."""
        return self.url.split(":", 1)[0].split("+", 1)[0]


class Received:
    """The counted frames: those that the bridge received after the warm-up, which begins with the first frame."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._counted_from: Optional[int] = None
        self._held: List[float] = []
        self._parsed: List[float] = []
        self._decode: List[float] = []
        self._bytes: List[int] = []
        self._lost = 0
        self._last_step = -1
        self._began = self._ended = 0
        self._cpu_began = self._cpu_ended = 0.0

    def take(self, frame: Frame) -> bool:
        """Parses a frame as an agent would. True when enough frames were received."""
        _parse(frame)
        now = time.monotonic_ns()
        return self.note(frame.step, frame.observed_ns, frame.received_ns, now, frame.decode_ns or 0, frame.size)

    def note(self, step: int, observed_ns: int, received_ns: int, parsed_ns: int, decode_ns: int, size: int) -> bool:
        """Adds a frame that is already parsed. True when enough frames were received."""
        if self._counted_from is None:
            self._counted_from = observed_ns + int(self._order.warm_up_seconds * 1e9)
        if observed_ns >= self._counted_from:
            self._ended, self._cpu_ended = parsed_ns, time.process_time()
            if self._held:
                self._lost += step - self._last_step - 1
            else:
                # From now on the number of frames equals the number of periods between them.
                self._began, self._cpu_began = self._ended, self._cpu_ended
            self._last_step = step
            self._held.append((received_ns - observed_ns) / 1000)
            self._parsed.append((parsed_ns - observed_ns) / 1000)
            self._decode.append(decode_ns / 1000)
            self._bytes.append(size)
        return parsed_ns - self._counted_from > self._order.seconds * 1e9 + _PATIENCE_NS

    def result(self, agent: Optional[str] = None) -> Dict[str, Any]:
        """The answer, in microseconds, bytes and seconds. The default agent is this package's."""
        return {
            "agent": agent or _agent(self._order),
            "held_us": self._held,
            "parsed_us": self._parsed,
            "decode_us": self._decode,
            "bytes": self._bytes,
            "lost": self._lost,
            "seconds": (self._ended - self._began) / 1e9,
            "cpu_seconds": self._cpu_ended - self._cpu_began,
            "memory_bytes": _resident(),
        }


def _parse(frame: Frame) -> None:
    if frame.content == "columns":
        frame.units
    elif frame.encoding == "json":
        frame.json
    else:
        frame.observation


def _resident() -> int:
    """Bytes of this process in memory, 0 if the system does not report them."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _agent(order: Order) -> str:
    libraries = {"grpc": ["grpcio"], "ws": ["websockets"]}.get(order.transport, [])
    return versions(*libraries, *(["orjson"] if order.encoding == "json" and optional("orjson") else []))


def receive(order: Order) -> Dict[str, Any]:
    """Receives a match with the blocking package. Raises BridgeError, OSError, ValueError."""
    received = Received(order)
    for scheme, kind in _BARE.items():
        if order.url.startswith(scheme):
            for frame in _bare_frames(kind(order.url[len(scheme) :])):
                if received.take(frame):
                    break
            return received.result()
    with connect(order.url, order.encoding, order.compression) as bridge:
        with bridge.subscribe(
            order.policy, content=order.content, agent="measured", overflow=_overflow(order), report_times=False
        ) as frames:
            for frame in frames:
                if received.take(frame):
                    break
    return received.result()


async def receive_asyncio(order: Order) -> Dict[str, Any]:
    """The same on asyncio."""
    received = Received(order)
    async with await aio.connect(order.url, order.encoding, order.compression) as bridge:
        async with await bridge.subscribe(
            order.policy, content=order.content, agent="measured", overflow=_overflow(order), report_times=False
        ) as frames:
            async for frame in frames:
                if received.take(frame):
                    break
    return received.result()


def receive_in_loop(order: Order) -> Dict[str, Any]:
    """`receive_asyncio` in an event loop of its own."""
    return asyncio.run(receive_asyncio(order))


def _overflow(order: Order) -> Optional[Overflow]:
    return "pause" if order.policy == "every" else None


def _bare_frames(bare: Any) -> Iterator[Frame]:
    """A yardstick's frames: the same bytes as the transports' messages."""
    session = Session(subscribe_request("every"), "proto")
    with bare as connection:
        # An empty subscription.
        connection.send(b"")
        while session.end is None:
            frame, _ = session.handle_message(connection.receive())
            if frame is not None:
                session.begin_frame(frame)
                yield frame


def serve(orders: TextIO, answers: TextIO, hello: Dict[str, Any], obey: Callable[[str], Dict[str, Any]]) -> None:
    """Executes orders, one on each line, until the input ends."""
    _say(answers, hello)
    for line in orders:
        answer: Dict[str, Union[str, Dict[str, Any]]]
        try:
            answer = {"result": obey(line)}
        except (BridgeError, OSError, ValueError) as error:
            answer = {"error": str(error)}
        _say(answers, answer)


def _say(answers: TextIO, value: Dict[str, Any]) -> None:
    answers.write(json.dumps(value) + "\n")
    answers.flush()


def main(on_asyncio: bool) -> None:
    """The process: standard input and output."""
    obey = receive_in_loop if on_asyncio else receive
    serve(sys.stdin, sys.stdout, {"agent": platform.python_version()}, lambda line: obey(Order.read(line)))
