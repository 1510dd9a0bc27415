"""Uses pika to read matches that were published to RabbitMQ. Each subscription has its own connection.

The asyncio form also uses pika's blocking connection, on its own threads. Both forms share `PublishedStream`.
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
from sc2bridge._protocol.envelope import WireMessage
from sc2bridge._protocol.published import (
    DIRECTORY_STREAM,
    MAX_HEAD_DISTANCE,
    RUNNING_STREAM,
    Message,
    PublishedStream,
    find_last_head,
    stream_of,
)
from sc2bridge._protocol.requests import DESCRIBE, RequestKind
from sc2bridge._transports.amqp_consumer import Consumer, broker_hosts, pika_errors
from sc2bridge._transports.pending import PendingRead
from sc2bridge._transports.security import OTHER_HOST_CODES
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

_FIRST_TIMEOUT, _NEXT_TIMEOUT = 2.0, 0.3
"""How long to wait for a stored message, in seconds: for the first one, and for each later one."""
_LONGEST_ANNOUNCE_INTERVAL = 30
"""The longest time between two announcements of a match that runs, in seconds."""
_SILENCE_BEFORE_RETRY = 15
"""If a stream receives nothing for this time in seconds, it subscribes again: RabbitMQ 3.10 sometimes stops sending
messages without an error."""
_MAX_SILENT_RETRIES = 3
"""After this number of retries without a message, a match that is no longer announced is considered lost."""
_INTERNAL_ERROR = 541  # An AMQP 0-9-1 reply code.
_POLL_INTERVAL = 0.2
"""Seconds between two retries, and between two checks whether a waiting stream was closed."""


class Broker:
    """A broker as a transport. Its streams return messages as a bridge sends them. The client publishes nothing."""

    def __init__(self, url: str, timeouts: Timeouts) -> None:
        self._hosts = broker_hosts(url, timeouts)
        self.target = ", ".join(f"{host.host}:{host.port}" for host in self._hosts)
        self._timeouts = timeouts
        self._announcement_by_name: dict[str, broker_pb2.Announcement] = {}

    async def matches(self, past: bool) -> list[broker_pb2.Announcement]:
        """Returns the newest announcement of each match, sorted by the match's start time. past: whether to include
        matches that have ended."""
        newest: dict[str, broker_pb2.Announcement] = {}
        since = datetime.datetime.fromtimestamp(time.time() - _LONGEST_ANNOUNCE_INTERVAL, datetime.timezone.utc)
        try:
            if past:
                self._add_announced(newest, DIRECTORY_STREAM, "first")
            # If the directory has no running match, the stream of running matches need not be read.
            if not past or any(not each.HasField("end") for each in newest.values()):
                self._add_announced(newest, RUNNING_STREAM, since)
        except BridgeError as error:
            if error.code != NOT_FOUND:  # The streams do not exist before something was published.
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
        newest_chunk = self._first_wanted(stream, "last", lambda _: True)
        chunk_offset = newest_chunk.offset if newest_chunk is not None else -1
        with self._open_consumer(stream, offset) as consumer:
            message, deadline = consumer.next(_FIRST_TIMEOUT), math.inf
            while message is not None and time.monotonic() < deadline:
                with contextlib.suppress(MalformedMessageError):  # Another release may have written the announcement.
                    announced = message.content(broker_pb2.Announcement)
                    stream_of(announced.key)
                    if announced.key not in newest or newest[announced.key].created_ms <= announced.created_ms:
                        newest[announced.key] = announced
                # Reads all messages before the newest chunk. After the first message of the newest chunk, the time to
                # wait is limited: if hundreds of matches run, announcements arrive without a pause.
                if message.offset >= chunk_offset:
                    deadline = min(deadline, time.monotonic() + _FIRST_TIMEOUT)
                message = consumer.next(self._timeouts.silence if message.offset < chunk_offset else _NEXT_TIMEOUT)

    async def open_at(self, request: Any, from_loop: Optional[int], from_time: Optional[float]) -> _Stream:
        """Opens the stream of a perspective at a game loop or a time; if both are None, at the newest frame."""
        announced = await self._find_announcement(request.match_id)
        perspective = request.perspective if request.HasField("perspective") else _first_perspective(announced)
        stream = stream_of(announced.key, perspective)
        may_begin: Callable[[Message], bool]
        offset: Union[int, str]
        if from_loop is None and from_time is None:
            newest = self._first_wanted(stream, "last", lambda _: True)
            newest_offset = newest.offset if newest is not None else 0
            offset = max(0, newest_offset - MAX_HEAD_DISTANCE) if newest is not None else "first"
            may_begin = lambda frame: frame.offset >= newest_offset  # noqa: E731
        else:
            name, minimum = ("loop", from_loop or 0) if from_time is None else ("time", int(from_time * 1000))
            may_begin = lambda frame: frame.header(name) >= minimum  # noqa: E731
            offset = self._head_offset(stream, lambda head: head.header(name) > minimum)
        published = PublishedStream(request.policy == bridge_pb2.POLICY_LATEST, may_begin)
        latest = request.policy == bridge_pb2.POLICY_LATEST
        return _Stream(self, announced.key, stream, published, offset, latest, self._timeouts.silence)

    async def ask(self, kind: RequestKind, message: Any) -> Any:
        """Answers a request for a match's description. Raises BridgeError for all other requests: they need a game."""
        if kind != DESCRIBE:
            raise BridgeError(
                FAILED_PRECONDITION,
                "a broker only has published matches and cannot answer requests: connect to the bridge of the match",
            )
        announced = await self._find_announcement(message.match_id)
        answer = bridge_pb2.DescribeResponse()
        description = answer.match
        description.match_id = announced.match.match_id
        with self._open_consumer(stream_of(announced.key), "first") as consumer:
            part = consumer.next(self._timeouts.request)
            while part is not None and part.kind in ("description", "game_info"):
                if part.kind == "description":
                    description.CopyFrom(part.content(bridge_pb2.MatchDescription))
                elif message.HasField("perspective") and part.header("perspective") == message.perspective:
                    description.game_info.CopyFrom(part.content(sc2api_pb2.ResponseGameInfo))
                part = consumer.next(_NEXT_TIMEOUT)
        for name in ("game_info", "data"):
            if getattr(message, f"without_{name}"):
                description.ClearField(name)
        return answer

    async def close(self) -> None:
        """Does nothing: there is no connection for requests."""

    def consume(self, stream: str, offset: Union[int, str, datetime.datetime]) -> Consumer:
        """Creates a consumer that reads a stream from an offset on. Raises BridgeError."""
        deadline = time.monotonic() + self._timeouts.connect
        try:
            while True:
                try:
                    return Consumer(self._hosts, stream, offset)
                except pika_errors.ConnectionClosedByBroker as error:
                    # RabbitMQ 3.10 reports this error while a stream is being created.
                    if error.reply_code != _INTERNAL_ERROR or time.monotonic() > deadline:
                        raise
                    time.sleep(_POLL_INTERVAL)
        except pika_errors.ChannelClosedByBroker as error:
            # After other errors, the stream exists, but its node is down or restarts.
            if error.reply_code == 404 and "no queue" in error.reply_text:
                raise BridgeError(
                    NOT_FOUND,
                    f"{self.target} has no stream {stream}: the match was not published, or its stream was deleted",
                ) from None
            raise ConnectionLostError(f"{self.target} refuses the stream {stream}: {error.reply_text}") from None
        except (pika_errors.ProbableAuthenticationError, pika_errors.ProbableAccessDeniedError):
            raise BridgeError(
                UNAUTHENTICATED, f"{self.target} refuses the user or the password: give amqp://USER:PASSWORD@HOST"
            ) from None
        except ssl.SSLCertVerificationError as error:
            advice = (
                "use the host name of the certificate, or give that name with ?server_name_indication=NAME"
                if error.verify_code in OTHER_HOST_CODES
                else "give its CA's certificate with ?cacertfile=FILE"
            )
            raise BridgeError(
                UNAUTHENTICATED, f"the certificate of {self.target} is not trusted ({error.verify_message}): {advice}"
            ) from None
        except pika_errors.ConnectionClosedByBroker as error:  # The virtual host is missing or forbidden.
            raise BridgeError(FAILED_PRECONDITION, f"{self.target} refused to connect: {error.reply_text}") from None
        except (pika_errors.AMQPError, OSError) as error:
            raise ConnectionLostError(
                f"{self.target} does not answer ({type(error).__name__} {error}): check that the broker runs, and its"
                " address"
            ) from None

    @contextlib.contextmanager
    def _open_consumer(self, stream: str, offset: Union[int, str, datetime.datetime]) -> Iterator[Consumer]:
        consumer = self.consume(stream, offset)
        try:
            yield consumer
        except (pika_errors.AMQPError, OSError) as error:
            raise ConnectionLostError(f"the connection to {self.target} was lost: {type(error).__name__}") from None
        finally:
            consumer.close()

    async def _find_announcement(self, match: str) -> broker_pb2.Announcement:
        """The announcement of a match. match: the match's key or id; empty for the newest running match."""
        if match not in self._announcement_by_name:
            listed = await self.matches(past=bool(match))
            found = [each for each in listed if match in ("", each.key, each.match.match_id)]
            if not found:
                which = f"match {match}" if match else "running match"
                raise BridgeError(NOT_FOUND, f"no {which} was published at {self.target}: matches() lists the matches")
            for name in {match, found[-1].key, found[-1].match.match_id} - {""}:
                self._announcement_by_name[name] = found[-1]
            return found[-1]
        return self._announcement_by_name[match]

    def _first_wanted(
        self, stream: str, offset: Union[int, str], wanted: Callable[[Message], bool]
    ) -> Optional[Message]:
        """Reads the first wanted message at an offset or after it; None if it does not exist. The offset `last`
        means the first message of the newest chunk."""
        with self._open_consumer(stream, offset) as consumer:
            message = consumer.next(_FIRST_TIMEOUT)
            while message is not None and message.kind != "end" and not wanted(message):
                message = consumer.next(_FIRST_TIMEOUT)
            return message if message is not None and wanted(message) else None

    def _head_offset(self, stream: str, is_after: Callable[[Message], bool]) -> Union[int, str]:
        first = self._first_wanted(stream, "first", lambda message: message.is_head)
        last = self._first_wanted(stream, "last", lambda _: True)
        if first is None or last is None:
            return "first"
        return find_last_head(
            first.offset, last.offset + 1, lambda at: self._first_wanted(stream, at, lambda one: one.is_head), is_after
        )


def _first_perspective(announced: broker_pb2.Announcement) -> int:
    perspectives = list(announced.match.perspectives) or [each.perspective for each in announced.perspectives]
    if not perspectives:
        raise BridgeError(
            INVALID_ARGUMENT, f"the announcement of {announced.key} has no perspectives: give the argument perspective"
        )
    return int(perspectives[0])


class _Stream:
    """The stream of a perspective. After the connection was lost, it connects again and resumes after the newest
    received message."""

    def __init__(
        self,
        broker: Broker,
        key: str,
        stream: str,
        published: PublishedStream,
        offset: Union[int, str],
        latest: bool,
        reconnect_seconds: float,
    ) -> None:
        self._broker = broker
        self._key = key
        self._name = stream
        self._published = published
        self._latest_only = latest
        self._reconnect_seconds = reconnect_seconds
        self._lock = threading.Lock()
        self._is_closed = False
        self._start_offset = offset
        self._last_message_time = time.monotonic()
        self._silent_retries = 0
        self._consumer: Optional[Consumer] = broker.consume(stream, offset)

    async def send(self, message: WireMessage) -> None:
        """Does nothing: a broker does not receive messages from subscribers."""

    async def receive(self) -> Optional[WireMessage]:
        """Waits for the next event. Raises BridgeError; ConnectionLostError if the broker is unreachable too long."""
        lost_since: Optional[float] = None
        while not self._is_closed:
            event = self._published.pop()
            if event is not None:
                return event
            with self._lock:
                try:
                    self._read()
                    lost_since = None
                except (pika_errors.AMQPError, OSError, ConnectionLostError) as error:
                    lost_since = lost_since or time.monotonic()
                    self._silent_retries = 0
                    self._close_consumer()
                    if time.monotonic() - lost_since > self._reconnect_seconds:
                        raise ConnectionLostError(
                            f"{self._broker.target} cannot be reached ({type(error).__name__}): check that it runs"
                        ) from None
                    time.sleep(_POLL_INTERVAL)
        raise ConnectionLostError("the subscription was closed")

    def _read(self) -> None:
        if self._is_closed:
            return
        if self._consumer is None:
            offset = self._published.offset
            self._consumer = self._broker.consume(self._name, self._start_offset if offset < 0 else offset + 1)
            self._last_message_time = time.monotonic()
        message = self._consumer.next(_POLL_INTERVAL)
        if message is not None:
            self._last_message_time, self._silent_retries = time.monotonic(), 0
        elif time.monotonic() - self._last_message_time > _SILENCE_BEFORE_RETRY:
            self._close_consumer()
            self._silent_retries += 1
            if self._silent_retries >= _MAX_SILENT_RETRIES and self._key not in (
                each.key for each in run(self._broker.matches(past=False))
            ):
                seconds = self._silent_retries * _SILENCE_BEFORE_RETRY
                self._published.abort(f"its publisher is gone: {self._key} received no messages for {seconds} s")
        while message is not None:
            self._published.add(message)
            # If only the newest frame is wanted, reads all messages that have already arrived.
            message = self._consumer.next(0) if self._latest_only else None

    async def finish(self) -> None:
        await self.close()

    async def close(self) -> None:
        self.drop()

    def drop(self) -> None:
        self._is_closed = True
        with self._lock:
            self._close_consumer()

    def _close_consumer(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close()


class AsyncBroker:
    """The asyncio form of `Broker`. Each call runs on another thread."""

    def __init__(self, url: str, timeouts: Timeouts) -> None:
        self._broker = Broker(url, timeouts)
        self._threads = ThreadPoolExecutor(1, "sc2bridge-broker")

    async def matches(self, past: bool) -> list[broker_pb2.Announcement]:
        return await _run_on(self._threads, lambda: run(self._broker.matches(past)))

    async def open_at(self, request: Any, from_loop: Optional[int], from_time: Optional[float]) -> _AsyncStream:
        return _AsyncStream(
            await _run_on(self._threads, lambda: run(self._broker.open_at(request, from_loop, from_time)))
        )

    async def ask(self, kind: RequestKind, message: Any) -> Any:
        return await _run_on(self._threads, lambda: run(self._broker.ask(kind, message)))

    async def close(self) -> None:
        self._threads.shutdown(wait=False)


class _AsyncStream:
    """The asyncio form of `_Stream`. Each call runs on another thread."""

    def __init__(self, stream: _Stream) -> None:
        self._stream = stream
        self._threads = ThreadPoolExecutor(2, "sc2bridge-stream")
        self._pending_read: PendingRead[Optional[WireMessage]] = PendingRead(self._read)

    async def send(self, message: WireMessage) -> None:
        """Does nothing: a broker does not receive messages from subscribers."""

    async def receive(self) -> Optional[WireMessage]:
        return await self._pending_read.next()

    async def _read(self) -> Optional[WireMessage]:
        return await _run_on(self._threads, lambda: run(self._stream.receive()))

    async def finish(self) -> None:
        await self.close()

    async def close(self) -> None:
        await _run_on(self._threads, self._stream.drop)
        self._threads.shutdown(wait=False)

    def drop(self) -> None:
        self._threads.submit(self._stream.drop)
        self._threads.shutdown(wait=False)


async def _run_on(threads: ThreadPoolExecutor, work: Callable[[], _T]) -> _T:
    return await asyncio.get_running_loop().run_in_executor(threads, work)
