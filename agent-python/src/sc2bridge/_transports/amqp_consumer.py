"""RabbitMQ by pika: where a broker is and who connects, and a stream's messages from an offset on."""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import ssl
import time
from collections import deque
from typing import Any, Optional, Union
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from sc2bridge._protocol.published import DIRECTORY, RUNNING, Message, read_message
from sc2bridge._transports.transport import Timeouts
from sc2bridge.errors import MalformedMessageError

try:
    import pika
    import pika.exceptions as pika_errors
except ImportError:
    raise ImportError(
        "a broker is read by pika: pip install 'sc2bridge[amqp]', or apt-get install python3-pika"
    ) from None

__all__ = ["Consumer", "broker_hosts", "pika_errors"]

_pika_log = logging.getLogger("pika")
if _pika_log.level == logging.NOTSET:
    _pika_log.setLevel(logging.CRITICAL)  # It tells with a stack of each connection that is lost, and made anew here.

_PREFETCH = 128


def broker_hosts(url: str, timeouts: Timeouts) -> list[Any]:
    """How pika connects to an address's hosts, any of which will do. Raises ValueError, which names no password."""
    end = min((at for at in map(url.find, "/?#", (url.find("//") + 2,) * 3) if at >= 0), default=len(url))
    if "@" in url[end:]:
        raise ValueError("a broker's address has / ? # and @ in user, password and virtual host as %2F %3F %23 %40")
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    user, password = _credentials(parts)
    name = query.get("server_name_indication")
    hosts = parts.netloc.rpartition("@")[2].split(",")
    options: list[Any] = []
    for host in hosts:
        at = urlsplit(f"//{host}")
        try:
            port = at.port or (5671 if parts.scheme == "amqps" else 5672)
        except ValueError:
            raise ValueError("a port of the broker's address is none: amqp://[USER:PASSWORD@]HOST[:PORT]") from None
        if not at.hostname:
            raise ValueError("a broker's address has a host: amqp://[USER:PASSWORD@]HOST[:PORT]")
        options.append(
            pika.ConnectionParameters(
                at.hostname,
                port,
                unquote(parts.path[1:]) or "/",
                pika.PlainCredentials(user, password),
                socket_timeout=timeouts.connect,
                blocked_connection_timeout=timeouts.silence,
                ssl_options=_tls(query, name or at.hostname) if parts.scheme == "amqps" else None,
            )
        )
    return options


def _credentials(parts: SplitResult) -> tuple[str, str]:
    if "@" not in parts.netloc:
        name, word = os.environ.get("SC2BRIDGE_BROKER_USER"), os.environ.get("SC2BRIDGE_BROKER_PASSWORD")
        return name or "guest", word or "guest"
    name, _, word = parts.netloc.rpartition("@")[0].partition(":")
    return unquote(name), unquote(word)


def _tls(query: dict[str, str], name: str) -> Any:
    try:
        context = ssl.create_default_context(cafile=query.get("cacertfile"))
        if "certfile" in query:
            context.load_cert_chain(query["certfile"], query.get("keyfile"))
    except OSError as error:
        raise ValueError(f"a certificate of the broker's address cannot be read: {error}") from None
    return pika.SSLOptions(context, name)


class Consumer:
    """A stream's messages from an offset on, over a connection of its own."""

    def __init__(self, hosts: list[Any], stream: str, offset: Union[int, str, datetime.datetime]) -> None:
        self._connection = pika.BlockingConnection(hosts)
        self._delivered: deque[tuple[Message, int]] = deque()
        self._is_directory = stream in (DIRECTORY, RUNNING)
        self._unanswered = 0
        self._is_cancelled = False
        try:
            self._channel = self._connection.channel()
            self._channel.queue_declare(stream, passive=True)
            self._channel.basic_qos(prefetch_count=_PREFETCH)  # A stream is not consumed without.
            self._channel.add_on_cancel_callback(self._cancel)
            self._channel.basic_consume(stream, self._take, arguments={"x-stream-offset": offset})
        except BaseException:
            self.close()
            raise

    def _take(self, _: Any, method: Any, properties: Any, body: bytes) -> None:
        try:
            message = read_message(properties, body)
        except MalformedMessageError:
            if not self._is_directory:
                raise
            self._channel.basic_ack(method.delivery_tag)  # One that no bridge wrote hides no match.
            return
        self._delivered.append((message, method.delivery_tag))

    def _cancel(self, _: Any) -> None:
        self._is_cancelled = True

    def next(self, seconds: float) -> Optional[Message]:
        """The next message; None where none comes for so long. Raises pika's AMQPError, MalformedMessageError."""
        until = time.monotonic() + seconds
        while not self._delivered:
            if self._is_cancelled:
                raise pika_errors.AMQPConnectionError("the broker ended the reading")
            left = until - time.monotonic()
            self._connection.process_data_events(time_limit=max(0, left))
            if not self._delivered and left <= 0:
                return None
        message, tag = self._delivered.popleft()
        self._unanswered += 1
        if self._unanswered >= _PREFETCH // 2:
            self._channel.basic_ack(tag, multiple=True)
            self._unanswered = 0
        return message

    def close(self) -> None:
        """Ends it. What pika has not handed over yet it rejects, which a stream answers by ending the connection (540):
        so all of it is handed over before, and an error changes nothing."""
        with contextlib.suppress(pika_errors.AMQPError, MalformedMessageError, OSError):
            while self._connection.is_open:
                self._delivered.clear()
                self._connection.process_data_events(time_limit=0)
                if not self._delivered:
                    break
            self._connection.close()
