"""RabbitMQ on free ports, in a temporary folder, and a publisher of a fake match (docs/reference/broker-streams.md)."""

from __future__ import annotations

import contextlib
import pathlib
import shutil
import time
from collections.abc import Iterator
from typing import Any, Optional

import pika
import pytest
import zstandard
from certificates import Certificates
from fake_bridge import Match
from rabbitmq import SERVER, RabbitNode, free_port

from sc2bridge.broker.v1alpha1 import broker_pb2
from sc2bridge.v1 import bridge_pb2, recording_pb2

DIRECTORY = "sc2bridge.v1alpha1.matches"
RUNNING = "sc2bridge.v1alpha1.running"


class BrokerServer(RabbitNode):
    """A node for tests, also over TLS. Deletes its data when it is closed."""

    def __init__(self, folder: pathlib.Path, tls: Optional[Certificates] = None) -> None:
        if not SERVER.exists():
            pytest.skip("needs RabbitMQ: apt-get install rabbitmq-server, which tools/set-up --test does")
        self._folder = folder
        self.tls_port = free_port()
        configuration = (
            f"""listeners.ssl.1 = 127.0.0.1:{self.tls_port}
ssl_options.cacertfile = {tls.ca}
ssl_options.certfile = {tls.bridge}
ssl_options.keyfile = {tls.bridge}
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = false
"""
            if tls
            else ""
        )
        super().__init__(folder, configuration)

    def close(self) -> None:
        super().close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def log(self) -> str:
        return "".join(file.read_text() for file in (self._folder / "log").glob("*.log"))


class Publisher:
    """A match's streams, published in parts, and repeated if a test asks for it."""

    def __init__(
        self, url: str, match: Match, key: str, perspectives: tuple[int, ...] = (0,), retention: bool = False
    ) -> None:
        self._url = url
        self.key = key
        self.match = match
        self.frames = f"sc2bridge.v1alpha1.{key}.{perspectives[0]}"
        self.reconnect()
        request = bridge_pb2.SubscribeRequest(compression=bridge_pb2.COMPRESSION_GROUP_ZSTD)
        match.subscriptions.append(request)
        *frames, end = match.events(request, as_json=False)
        self.messages = [self._event(number, each) for number, each in enumerate(frames)]
        self.messages.append(("end", len(frames), end.match_end, {"step": len(frames) - 1}))
        description = match.description()
        self.announcement = broker_pb2.Announcement(key=key, match=description, interval_s=10, tags=["test"])
        self.announcement.match.perspectives[:] = perspectives
        for name in (
            DIRECTORY,
            RUNNING,
            f"sc2bridge.v1alpha1.{key}",
            *(f"sc2bridge.v1alpha1.{key}.{each}" for each in perspectives),
        ):
            kept = {"x-max-length-bytes": 20_000, "x-stream-max-segment-size-bytes": 10_000}
            self._declare(
                name,
                {"x-max-age": "30D"}
                if name in (DIRECTORY, RUNNING)
                else kept
                if retention and "." in name.partition("sc2bridge.v1alpha1.")[2]
                else {},
            )
        self.announce()
        self.send(f"sc2bridge.v1alpha1.{key}", "description", 0, description, {}, "zstd")

    def reconnect(self, stream: Optional[str] = None) -> None:
        """stream: the stream to wait for. RabbitMQ 3.10 confirms messages before a stream is back, and loses them."""
        self._connection = pika.BlockingConnection(pika.URLParameters(self._url))
        self._channel = self._connection.channel()
        if stream is not None:
            try:
                self._channel.queue_declare(stream, passive=True)
            except pika.exceptions.ChannelClosedByBroker:
                self._connection.close()
                time.sleep(0.2)
                return self.reconnect(stream)
        self._channel.confirm_delivery()
        return None

    def _declare(self, name: str, more: dict[str, Any]) -> None:
        self._channel.queue_declare(name, durable=True, arguments={"x-queue-type": "stream", **more})

    def _event(self, number: int, event: Any) -> tuple[str, int, Any, dict[str, Any]]:
        if event.HasField("playback"):
            return "playback", number, event, {"time": 1000 * number}
        block = event.frame.block
        headers = {"step": event.frame.step, "loop": event.frame.game_loop, "group": block.group}
        return "frame", number, event, {**headers, "head": block.index == 0, "time": 1000 * event.frame.step}

    def announce(self, end: Optional[Any] = None) -> None:
        self.announcement.created_ms = int(time.time() * 1000)
        self.announcement.started_ms = self.announcement.started_ms or self.announcement.created_ms
        if end is not None:
            self.announcement.end.CopyFrom(end)
        for stream in (DIRECTORY, RUNNING):
            self.send(stream, "announcement", 0, self.announcement, {})

    def publish(self, begin: int = 0, end: Optional[int] = None) -> None:
        """The messages of the frames' stream from one number to before another. The default is all."""
        for message in self.messages[begin:end]:
            self.send(self.frames, *message)

    def gap(self, begin: int, end: int) -> None:
        """Publishes a gap instead of frames. The next frame contains their blocks, and its number follows the gap."""
        gap = recording_pb2.Gap(first_step=begin, steps=end - begin, reason="the spool was full")
        for number in range(end, len(self.messages)):
            kind, _, content, headers = self.messages[number]
            self.messages[number] = kind, number - (end - begin) + 1, content, headers
        event = self.messages[end][2]
        if event.HasField("frame"):
            block = event.frame.block
            first = max(begin, end - block.index)
            for kind, _, left_out, _ in self.messages[first:end]:
                block.earlier.append(left_out.frame.block.data)
                block.earlier_sizes.append(left_out.frame.block.size)
        self.send(self.frames, "gap", begin, gap, {"step": begin, "steps": end - begin})

    def send(
        self, stream: str, kind: str, number: int, content: Any, headers: dict[str, Any], encoding: Optional[str] = None
    ) -> None:
        body = content if isinstance(content, bytes) else content.SerializeToString()
        if encoding:
            body = zstandard.ZstdCompressor().compress(body)
        properties = pika.BasicProperties(
            type=kind,
            message_id=str(number),
            app_id="sc2bridge",
            delivery_mode=2,
            content_encoding=encoding,
            headers=headers,
        )
        self._channel.basic_publish("", stream, body, properties)

    def close(self) -> None:
        with contextlib.suppress(pika.exceptions.AMQPError):
            self._connection.close()


@contextlib.contextmanager
def open_broker(folder: pathlib.Path, tls: Optional[Certificates] = None) -> Iterator[BrokerServer]:
    server = BrokerServer(folder, tls)
    try:
        yield server
    finally:
        server.close()
