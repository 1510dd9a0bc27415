"""Matches that were published to RabbitMQ, read as from a bridge: by pika, a connection for each subscription.

pika's connection that blocks does it for asyncio too, on a thread for each stream: what is read lies in `Published`, and
is the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import math
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Optional, TypeVar, Union

from sc2bridge._protocol.coroutines import run
from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.published import (
    DIRECTORY,
    MOST_TO_HEAD,
    RUNNING,
    Message,
    Published,
    search,
    stream_of,
)
from sc2bridge._protocol.requests import DESCRIBE, Kind
from sc2bridge._transports.amqp_consumer import Consumer, broker_hosts, pika_errors
from sc2bridge._transports.pending import PendingRead
from sc2bridge._transports.security import OTHER_HOST
from sc2bridge._transports.transport import Timeouts
from sc2bridge.broker.v1alpha1 import broker_pb2
from sc2bridge.errors import (
    FAILED_PRECONDITION,
    INVALID_ARGUMENT,
    NOT_FOUND,
    UNAUTHENTICATED,
    BridgeError,
    ConnectionLostError,
    MalformedMessageError,
)
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

_T = TypeVar("_T")

_FIRST, _QUIET = 2.0, 0.3
"""How long what is there may take to come: the first message, and any behind another."""
_RECENT = 30
"""Matches that run are announced within so many seconds."""
_DEAF = 15
"""Who hears nothing for so many seconds begins anew: RabbitMQ 3.10 leaves some without messages, and without an error."""
_MOST_DEAF = 3
"""After so many times a match that is not announced any more has no publisher."""
_INTERNAL_ERROR = 541  # AMQP 0-9-1, reply codes.
_LOOK = 0.2
"""How often a reader that waits looks whether it was closed."""


class Broker:
    """A broker as a transport: its streams give what a bridge sends, and nothing is sent to it."""

    def __init__(self, url: str, timeouts: Timeouts) -> None:
        self._hosts = broker_hosts(url, timeouts)
        self._where = ", ".join(f"{host.host}:{host.port}" for host in self._hosts)
        self._timeouts = timeouts
        self._keys: dict[str, broker_pb2.Announcement] = {}

    async def matches(self, past: bool) -> list[broker_pb2.Announcement]:
        """The newest announcement of each match, by when they began."""
        newest: dict[str, broker_pb2.Announcement] = {}
        since = datetime.datetime.fromtimestamp(time.time() - _RECENT, datetime.timezone.utc)
        try:
            if past:
                self._add_announced(newest, DIRECTORY, "first")
            # Each that runs is in the directory too.
            if not past or any(not each.HasField("end") for each in newest.values()):
                self._add_announced(newest, RUNNING, since)
        except BridgeError as error:
            if error.code != NOT_FOUND:  # Nothing was ever published there.
                raise
        now = time.time() * 1000
        return sorted(
            (
                each
                for each in newest.values()
                if past or not (each.HasField("end") or now - each.created_ms > 3000 * max(1, each.interval_s))
            ),
            key=lambda each: each.started_ms,
        )

    def _add_announced(self, newest: dict[str, broker_pb2.Announcement], stream: str, offset: Any) -> None:
        newest_chunk = self._at(stream, "last", lambda _: True)
        last = newest_chunk.offset if newest_chunk is not None else -1
        with self._reading(stream, offset) as consumer:
            message, until = consumer.next(_FIRST), math.inf
            while message is not None and time.monotonic() < until:
                with contextlib.suppress(MalformedMessageError):  # Of a later release.
                    announced = message.content(broker_pb2.Announcement)
                    stream_of(announced.key)
                    if announced.key not in newest or newest[announced.key].created_ms <= announced.created_ms:
                        newest[announced.key] = announced
                # What is there is waited for; behind the newest chunk's first message only what comes with it, and for a
                # while: where hundreds of matches run, announcements never cease.
                if message.offset >= last:
                    until = min(until, time.monotonic() + _FIRST)
                message = consumer.next(self._timeouts.silence if message.offset < last else _QUIET)

    async def open_at(self, request: Any, from_loop: Optional[int], from_time: Optional[float]) -> _Stream:
        """Opens the stream of a perspective: now, or from a game loop or a time on."""
        announced = await self._announced(request.match_id)
        perspective = request.perspective if request.HasField("perspective") else _first(announced)
        stream = stream_of(announced.key, perspective)
        begins: Callable[[Message], bool]
        offset: Union[int, str]
        if from_loop is None and from_time is None:
            newest = self._at(stream, "last", lambda _: True)
            at = newest.offset if newest is not None else 0
            offset = max(0, at - MOST_TO_HEAD) if newest is not None else "first"
            begins = lambda frame: frame.offset >= at  # noqa: E731
        else:
            name, least = ("loop", from_loop or 0) if from_time is None else ("time", int(from_time * 1000))
            begins = lambda frame: frame.header(name) >= least  # noqa: E731
            offset = self._head(stream, lambda head: head.header(name) > least)
        published = Published(request.policy == bridge_pb2.POLICY_LATEST, begins)
        latest = request.policy == bridge_pb2.POLICY_LATEST
        return _Stream(self, announced.key, stream, published, offset, latest, self._timeouts.silence)

    async def ask(self, kind: Kind, message: Any) -> Any:
        """Describes a match. Raises BridgeError for all else: there is no game to ask."""
        if kind != DESCRIBE:
            raise BridgeError(FAILED_PRECONDITION, "a broker has what was published: nobody answers requests there")
        announced = await self._announced(message.match_id)
        answer = bridge_pb2.DescribeResponse()
        description = answer.match
        description.match_id = announced.match.match_id
        with self._reading(stream_of(announced.key), "first") as consumer:
            told = consumer.next(self._timeouts.request)
            while told is not None and told.kind in ("description", "game_info"):
                if told.kind == "description":
                    description.CopyFrom(told.content(bridge_pb2.MatchDescription))
                elif message.HasField("perspective") and told.header("perspective") == message.perspective:
                    description.game_info.CopyFrom(told.content(sc2api_pb2.ResponseGameInfo))
                told = consumer.next(_QUIET)
        for name in ("game_info", "data"):
            if getattr(message, f"without_{name}"):
                description.ClearField(name)
        return answer

    async def close(self) -> None:
        """Nothing is held open for requests."""

    def consume(self, stream: str, offset: Union[int, str, datetime.datetime]) -> Consumer:
        """Begins to read. Raises BridgeError."""
        until = time.monotonic() + self._timeouts.connect
        try:
            while True:
                try:
                    return Consumer(self._hosts, stream, offset)
                except pika_errors.ConnectionClosedByBroker as error:
                    # RabbitMQ 3.10 fails so while a stream is being made.
                    if error.reply_code != _INTERNAL_ERROR or time.monotonic() > until:
                        raise
                    time.sleep(_LOOK)
        except pika_errors.ChannelClosedByBroker as error:
            # A stream whose node is away, or comes back at this moment, is there.
            if error.reply_code == 404 and "no queue" in error.reply_text:
                raise BridgeError(NOT_FOUND, f"{stream} is not at {self._where}, or not any more") from None
            raise ConnectionLostError(f"{self._where} refuses {stream}: {error.reply_text}") from None
        except (pika_errors.ProbableAuthenticationError, pika_errors.ProbableAccessDeniedError):
            raise BridgeError(
                UNAUTHENTICATED, f"{self._where} does not let that user in: give amqp://USER:PASSWORD@HOST"
            ) from None
        except ssl.SSLCertVerificationError as error:
            advice = (
                "name the host as the certificate does, or give that name with ?server_name_indication=NAME"
                if error.verify_code in OTHER_HOST
                else "name the signer's with ?cacertfile=FILE"
            )
            raise BridgeError(
                UNAUTHENTICATED, f"the certificate of {self._where} is not trusted ({error.verify_message}): {advice}"
            ) from None
        except pika_errors.ConnectionClosedByBroker as error:  # No such virtual host, or not for that user.
            raise BridgeError(FAILED_PRECONDITION, f"{self._where} refuses: {error.reply_text}") from None
        except (pika_errors.AMQPError, OSError) as error:
            raise ConnectionLostError(f"{self._where} does not answer: {type(error).__name__} {error}") from None

    @contextlib.contextmanager
    def _reading(self, stream: str, offset: Union[int, str, datetime.datetime]) -> Iterator[Consumer]:
        consumer = self.consume(stream, offset)
        try:
            yield consumer
        except (pika_errors.AMQPError, OSError) as error:
            raise ConnectionLostError(f"{self._where} is gone: {type(error).__name__}") from None
        finally:
            consumer.close()

    async def _announced(self, match: str) -> broker_pb2.Announcement:
        """A match by its key or its id, the newest of those that run where none is named."""
        if match not in self._keys:
            running = await self.matches(past=bool(match))
            named = [each for each in running if match in ("", each.key, each.match.match_id)]
            if not named:
                which = f"no match {match}" if match else "no match that runs"
                raise BridgeError(NOT_FOUND, f"{which} was published at {self._where}: matches() lists them")
            for name in {match, named[-1].key, named[-1].match.match_id} - {""}:
                self._keys[name] = named[-1]
            return named[-1]
        return self._keys[match]

    def _at(self, stream: str, offset: Union[int, str], wanted: Callable[[Message], bool]) -> Optional[Message]:
        """The first such message from an offset on; None where none comes."""
        with self._reading(stream, offset) as consumer:
            message = consumer.next(_FIRST)
            while message is not None and message.kind != "end" and not wanted(message):
                message = consumer.next(_FIRST)
            return message if message is not None and wanted(message) else None

    def _head(self, stream: str, beyond: Callable[[Message], bool]) -> Union[int, str]:
        first = self._at(stream, "first", lambda message: message.is_head)
        last = self._at(stream, "last", lambda _: True)
        if first is None or last is None:
            return "first"
        return search(first.offset, last.offset + 1, lambda at: self._at(stream, at, lambda one: one.is_head), beyond)


def _first(announced: broker_pb2.Announcement) -> int:
    there = list(announced.match.perspectives) or [each.perspective for each in announced.perspectives]
    if not there:
        raise BridgeError(INVALID_ARGUMENT, f"{announced.key} tells no perspective: name one")
    return int(there[0])


class _Stream:
    """The frames of a perspective; read on behind the last one where the broker was away."""

    def __init__(
        self,
        broker: Broker,
        key: str,
        stream: str,
        published: Published,
        offset: Union[int, str],
        latest: bool,
        patience: float,
    ) -> None:
        self._broker = broker
        self._key = key
        self._name = stream
        self._published = published
        self._latest = latest
        self._patience = patience
        self._lock = threading.Lock()
        self._closed = False
        self._from = offset
        self._heard = time.monotonic()
        self._deaf = 0
        self._consumer: Optional[Consumer] = broker.consume(stream, offset)

    async def send(self, message: Wire) -> None:
        """Nobody hears it."""

    async def receive(self) -> Optional[Wire]:
        """The next event. Raises ConnectionLostError where the broker is away for too long, BridgeError."""
        lost_since: Optional[float] = None
        while not self._closed:
            event = self._published.pop()
            if event is not None:
                return event
            with self._lock:
                try:
                    self._read()
                    lost_since = None
                except (pika_errors.AMQPError, OSError, ConnectionLostError) as error:
                    lost_since = lost_since or time.monotonic()
                    self._deaf = 0
                    self._end()
                    if time.monotonic() - lost_since > self._patience:
                        raise ConnectionLostError(f"the broker is away: {type(error).__name__}") from None
                    time.sleep(_LOOK)
        raise ConnectionLostError("the subscription was closed")

    def _read(self) -> None:
        if self._closed:
            return
        if self._consumer is None:
            seen = self._published.offset
            self._consumer = self._broker.consume(self._name, self._from if seen < 0 else seen + 1)
            self._heard = time.monotonic()
        message = self._consumer.next(_LOOK)
        if message is not None:
            self._heard, self._deaf = time.monotonic(), 0
        elif time.monotonic() - self._heard > _DEAF:
            self._end()
            self._deaf += 1
            if self._deaf >= _MOST_DEAF and self._key not in (
                each.key for each in run(self._broker.matches(past=False))
            ):
                self._published.abort(
                    f"its publisher is gone: nothing was heard of {self._key} for {self._deaf * _DEAF} s"
                )
        while message is not None:
            self._published.take(message)
            # Of what is at hand the newest, or each.
            message = self._consumer.next(0) if self._latest else None

    async def finish(self) -> None:
        """The match has ended."""
        await self.close()

    async def close(self) -> None:
        self.drop()

    def drop(self) -> None:
        self._closed = True
        with self._lock:
            self._end()

    def _end(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close()


class AsyncBroker:
    """A broker for asyncio: each call on a thread."""

    def __init__(self, url: str, timeouts: Timeouts) -> None:
        self._broker = Broker(url, timeouts)
        self._threads = ThreadPoolExecutor(1, "sc2bridge-broker")

    async def matches(self, past: bool) -> list[broker_pb2.Announcement]:
        return await _on(self._threads, lambda: run(self._broker.matches(past)))

    async def open_at(self, request: Any, from_loop: Optional[int], from_time: Optional[float]) -> _AsyncStream:
        return _AsyncStream(await _on(self._threads, lambda: run(self._broker.open_at(request, from_loop, from_time))))

    async def ask(self, kind: Kind, message: Any) -> Any:
        return await _on(self._threads, lambda: run(self._broker.ask(kind, message)))

    async def close(self) -> None:
        self._threads.shutdown(wait=False)


class _AsyncStream:
    def __init__(self, stream: _Stream) -> None:
        self._stream = stream
        self._threads = ThreadPoolExecutor(2, "sc2bridge-stream")
        self._reads: PendingRead[Optional[Wire]] = PendingRead(self._read)

    async def send(self, message: Wire) -> None:
        """Nobody hears it."""

    async def receive(self) -> Optional[Wire]:
        return await self._reads.next()

    async def _read(self) -> Optional[Wire]:
        return await _on(self._threads, lambda: run(self._stream.receive()))

    async def finish(self) -> None:
        await self.close()

    async def close(self) -> None:
        await _on(self._threads, self._stream.drop)
        self._threads.shutdown(wait=False)

    def drop(self) -> None:
        self._threads.submit(self._stream.drop)
        self._threads.shutdown(wait=False)


async def _on(threads: ThreadPoolExecutor, work: Callable[[], _T]) -> _T:
    return await asyncio.get_running_loop().run_in_executor(threads, work)
