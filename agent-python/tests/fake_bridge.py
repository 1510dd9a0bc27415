"""A small fake bridge: grpcio's server, websockets' server or a Unix socket with shared memory. It plays one match of a few frames and records its requests."""

from __future__ import annotations

import asyncio
import contextlib
import http
import itertools
import mmap
import os
import pathlib
import socket
import ssl
import struct
import threading
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any, Optional

import grpc
import websockets
import websockets.exceptions
import zstandard
from google.protobuf import json_format

from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.shm.v1alpha1 import shm_pb2
from sc2bridge.v1 import bridge_pb2

UNKNOWN_TOKEN = "the token is unknown here: take the one that the bridge prints"

GROUP = 4
"""Frames of a group; a real bridge's have more."""


def observation(loop: int, units: int = 3) -> sc2api_pb2.ResponseObservation:
    message = sc2api_pb2.ResponseObservation()
    message.observation.game_loop = loop
    for number in range(units):
        message.observation.raw_data.units.add(tag=2**40 + number, health=loop + 0.5)
    return message


@dataclass
class Match:
    """The fake bridge's match, and the messages that it received."""

    steps: int = 5
    clock_id: str = ""
    observations: Optional[list[Any]] = None
    players: tuple[Any, ...] = ()
    """The players in its description."""
    subscribers: int = 1
    """The subscribers in its status, without the internal ones."""
    internal: list[Any] = field(default_factory=list)
    break_after: Optional[int] = None
    """The number of frames after which the first stream breaks off."""
    refusal: Optional[tuple[int, str]] = None
    subscriptions: list[Any] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)
    times: list[Any] = field(default_factory=list)
    requests: list[Any] = field(default_factory=list)
    acted: list[Any] = field(default_factory=list)
    told: int = 0
    """The number of entries of `acted` whose outcome was sent."""
    controls: list[Any] = field(default_factory=list)
    series: int = 1
    """The number of matches, m1, m2 …, each for one subscription."""
    perspective: int = 0
    """The perspective's id. If it is a player's, that player wins."""
    aborted: str = ""
    """The reason, if the game failed."""
    break_code: str = "UNAVAILABLE"
    """The name of the gRPC status with which the stream breaks off (over gRPC)."""
    data: Optional[Any] = None
    """The match's ResponseData."""
    answers: Optional[Any] = None
    """The game's answers: a function of the Request."""
    seeks: tuple[int, ...] = ()
    """The numbers of the frames before which the playback was moved."""
    token: str = ""
    """The token that each connection or call must have, if it is set."""
    shown: list[Optional[str]] = field(default_factory=list)
    """The received headers `authorization`."""
    progress: list[Any] = field(default_factory=list)
    """Agents' reports about shared memory."""
    protocol: int = 1
    """The protocol version that it serves."""
    refuses_hello: Optional[tuple[int, str]] = None
    hellos: list[Any] = field(default_factory=list)
    streams_ended: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    perspectives: tuple[int, ...] = ()
    """The perspectives. If there are any, each has its own GameInfo."""
    refuses_requests: Optional[tuple[int, str]] = None
    """The code and reason with which the game's requests are refused."""
    sessions_ended: bool = False
    """Whether calls of a session are refused."""

    def refusal_of(self, call: Any, usual: Optional[tuple[int, str]]) -> Optional[tuple[int, str]]:
        return (9, "this session has ended") if self.sessions_ended and call.session_id else usual

    def lets_in(self, authorization: Optional[str]) -> bool:
        self.shown.append(authorization)
        return not self.token or authorization == f"Bearer {self.token}"

    def description(self, perspective: int = 0) -> Any:
        """The description for one perspective, 0 for the first."""
        description = bridge_pb2.MatchDescription(
            match_id=self.name,
            map_name="Fake",
            simulated=True,
            clock_id=self.clock_id,
            data=self.data,
            perspectives=self.perspectives,
            players=self.players,
        )
        if self.perspectives:
            description.game_info.map_name = f"as player {perspective or self.perspectives[0]} knows it"
        return description

    @property
    def name(self) -> str:
        """The frames of the newest subscription's match."""
        return f"m{max(1, min(len(self.subscriptions), self.series))}"

    def events(self, asked: Any, as_json: bool) -> list[Any]:
        """The events that a bridge sends for a subscription."""
        stream = zstandard.ZstdCompressor().compressobj()
        observations = self.observations or [observation(step) for step in range(self.steps)]
        events = []
        for step, each in enumerate(observations):
            frame = bridge_pb2.Frame(
                match_id=self.name,
                perspective=self.perspective,
                step=step,
                game_loop=each.observation.game_loop,
                requested_ns=100 + step,
                observed_ns=200 + step,
            )
            payload, frame.content = "observation", asked.content or bridge_pb2.CONTENT_OBSERVATION
            if asked.content == bridge_pb2.CONTENT_COLUMNS:
                from columns_case import columns_of  # Needs numpy.

                payload, each = "columns", columns_of(each)
            if as_json:
                content = json_format.MessageToJson(each, indent=None).encode()
            else:
                content = each.SerializeToString()
            if asked.compression == bridge_pb2.COMPRESSION_ZSTD:
                frame.zstd = zstandard.ZstdCompressor().compress(content)
            elif asked.compression == bridge_pb2.COMPRESSION_GROUP_ZSTD:
                # A stream like the bridge's. Earlier blocks end with the previous group.
                index = step % GROUP
                stream = zstandard.ZstdCompressor().compressobj() if index == 0 else stream
                data = stream.compress(content) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
                block = bridge_pb2.Block(group=1 + step // GROUP, index=index, window_log=21, size=len(content))
                frame.block.CopyFrom(block)
                frame.block.data = data
            else:
                getattr(frame, payload).CopyFrom(each)
            if step in self.seeks:
                events.append(bridge_pb2.PlayResponse(playback=bridge_pb2.PlaybackState(match_id="m1", step=step)))
            events.append(bridge_pb2.PlayResponse(frame=frame))
        end = bridge_pb2.MatchEnd(match_id=self.name, step=len(observations) - 1, detail=self.aborted)
        end.reason = bridge_pb2.END_REASON_FAILED if self.aborted else bridge_pb2.END_REASON_STEP_LIMIT
        end.aborted = bool(self.aborted)
        end.next_follows = len(self.subscriptions) < self.series
        if self.perspective and not self.aborted:
            end.results.add(player_id=self.perspective, result=1)
        return [*events, bridge_pb2.PlayResponse(match_end=end)]

    def breaks(self, step: int) -> bool:
        return self.break_after == step and len(self.subscriptions) == 1

    def subscribe(self, message: Any) -> Any:
        """Records a subscription, and answers it."""
        self.subscriptions.append(message.subscribe)
        number = len(self.subscriptions)
        name = f"{message.subscribe.agent} {number}"
        answer = bridge_pb2.SubscribeResponse(session_id=f"{number:032x}", name=name)
        return bridge_pb2.PlayResponse(request_id=message.request_id, subscribe=answer)

    def take(self, message: Any) -> Optional[Any]:
        """Records an agent's message, and answers it."""
        answer = self._answer(message)
        if answer is not None:
            answer.request_id = message.request_id
        return answer

    def _answer(self, message: Any) -> Optional[Any]:
        kind = message.WhichOneof("message")
        if kind == "acknowledge":
            self.acted.extend(message.acknowledge.actions)
            self.acknowledged.append(message.acknowledge.step)
            self.times.extend(message.acknowledge.times)
        elif kind == "shared_progress":
            self.progress.append(message.shared_progress)
        elif kind == "hello" and self.refuses_hello:
            return bridge_pb2.PlayResponse(
                error=bridge_pb2.Error(code=self.refuses_hello[0], message=self.refuses_hello[1])
            )
        elif kind == "hello":
            return bridge_pb2.PlayResponse(hello=self.hello(message.hello))
        elif kind == "clock":
            return bridge_pb2.PlayResponse(clock=bridge_pb2.Clock(agent_ns=message.clock.agent_ns, bridge_ns=10**15))
        elif kind == "actions":
            self.acted.append(message.actions)
        elif kind == "describe":
            return bridge_pb2.PlayResponse(describe=self.describe(message.describe))
        elif kind == "call_game":
            if refusal := self.refusal_of(message.call_game, self.refuses_requests):
                self.requests.append(message.call_game)
                code, why = refusal
                return bridge_pb2.PlayResponse(error=bridge_pb2.Error(code=code, message=why))
            return bridge_pb2.PlayResponse(call_game=self.answer(message.call_game))
        elif kind == "control":
            if refusal := self.refusal_of(message.control, self.refusal):
                return bridge_pb2.PlayResponse(error=bridge_pb2.Error(code=refusal[0], message=refusal[1]))
            return bridge_pb2.PlayResponse(control=self.control(message.control))
        elif kind == "status":
            return bridge_pb2.PlayResponse(status=self.status(message.status))
        return None

    def status(self, request: Any) -> Any:
        told = bridge_pb2.SubscriberStatus(name="a", bytes=7, delay_ns=0)
        return bridge_pb2.StatusResponse(steps=2**40, subscribers=[told] * self.subscribers + self.internal)

    def hello(self, request: Any) -> Any:
        self.hellos.append(request)
        return bridge_pb2.HelloResponse(bridge_version="0.1.0", protocol_version=self.protocol, capabilities=["zstd"])

    def describe(self, request: Any) -> Any:
        return bridge_pb2.DescribeResponse(match=self.description(request.perspective))

    def control(self, request: Any) -> Any:
        self.controls.append(request)
        state = bridge_pb2.PlaybackState(match_id="m1", paused=request.pause, last_step=self.steps - 1)
        return bridge_pb2.ControlResponse(playback=state)

    def with_outcomes(self, event: Any) -> list[Any]:
        """The event as it is sent, with the outcomes of actions inside it or before it."""
        outcomes = []
        for sent in self.acted[self.told :]:
            became = bridge_pb2.ActionsOutcome(step=sent.step, request_id=sent.request_id)
            for action in sent.actions:
                became.outcomes.add(result=1 if action.HasField("action_chat") else 2)
            outcomes.append(became)
        self.told = len(self.acted)
        if not event.HasField("frame"):
            return [*(bridge_pb2.PlayResponse(actions_outcome=each) for each in outcomes), event]
        event.frame.outcomes.extend(outcomes)
        return [event]

    def answer(self, request: Any) -> Any:
        self.requests.append(request)
        answer = bridge_pb2.CallGameResponse()
        if self.answers is not None:
            answer.response.CopyFrom(self.answers(request.request))
        else:
            answer.response.ping.game_version = "5.0"
        return answer


class _Door(grpc.ServerInterceptor):  # type: ignore[misc]
    """Accepts requests with the token."""

    def __init__(self, match: Match) -> None:
        self._match = match

    def intercept_service(self, go_on: Any, call: Any) -> Any:
        handler = go_on(call)
        if self._match.lets_in(dict(call.invocation_metadata).get("authorization")):
            return handler

        def refuse(_: Any, context: Any) -> None:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, UNKNOWN_TOKEN)

        if handler.response_streaming:
            return grpc.stream_stream_rpc_method_handler(refuse)
        return grpc.unary_unary_rpc_method_handler(refuse)


class GrpcBridge:
    """The fake bridge on gRPC. tls: a file with a certificate and its key. clients: the authority of required client certificates."""

    service = "sc2bridge.v1.BridgeService"

    def __init__(
        self,
        match: Match,
        address: str = "127.0.0.1:0",
        tls: Optional[pathlib.Path] = None,
        clients: Optional[pathlib.Path] = None,
    ) -> None:
        self._match = match
        self._server = grpc.server(
            futures.ThreadPoolExecutor(8),
            options=[("grpc.max_send_message_length", -1)],
            interceptors=[_Door(match)],
        )
        kinds = {
            "Hello": (grpc.unary_unary_rpc_method_handler, self._hello, bridge_pb2.HelloRequest),
            "Describe": (grpc.unary_unary_rpc_method_handler, self._describe, bridge_pb2.DescribeRequest),
            "CallGame": (grpc.unary_unary_rpc_method_handler, self._call_game, bridge_pb2.CallGameRequest),
            "Control": (grpc.unary_unary_rpc_method_handler, self._control, bridge_pb2.ControlRequest),
            "Status": (grpc.unary_unary_rpc_method_handler, self._status, bridge_pb2.StatusRequest),
            "Play": (grpc.stream_stream_rpc_method_handler, self._play, bridge_pb2.PlayRequest),
        }
        handlers = {
            name: make(
                handle, request_deserializer=kind.FromString, response_serializer=lambda m: m.SerializeToString()
            )
            for name, (make, handle, kind) in kinds.items()
        }
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(self.service, handlers),))
        if tls is not None:
            own, roots = tls.read_bytes(), clients.read_bytes() if clients else None
            port = self._server.add_secure_port(
                address, grpc.ssl_server_credentials([(own, own)], roots, bool(clients))
            )
            self.url = f"grpcs://127.0.0.1:{port}"
        else:
            port = self._server.add_insecure_port(address)
            self.url = f"grpc+{address}" if address.startswith("unix:") else f"grpc://127.0.0.1:{port}"

    def __enter__(self) -> GrpcBridge:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(None).wait()

    def _hello(self, request: Any, context: Any) -> Any:
        if self._match.refuses_hello:
            self._refuse(context, self._match.refuses_hello)
        return self._match.hello(request)

    def _describe(self, request: Any, context: Any) -> Any:
        return self._match.describe(request)

    def _call_game(self, request: Any, context: Any) -> Any:
        if refusal := self._match.refusal_of(request, self._match.refuses_requests):
            self._match.requests.append(request)
            self._refuse(context, refusal)
        return self._match.answer(request)

    def _control(self, request: Any, context: Any) -> Any:
        if refusal := self._match.refusal_of(request, self._match.refusal):
            self._refuse(context, refusal)
        return self._match.control(request)

    def _status(self, request: Any, context: Any) -> Any:
        return self._match.status(request)

    def _refuse(self, context: Any, refusal: tuple[int, str]) -> None:
        code = next(code for code in grpc.StatusCode if code.value[0] == refusal[0])
        context.abort(code, refusal[1])

    def _play(self, messages: Any, context: Any) -> Any:
        match = self._match
        subscribed = match.subscribe(next(messages))
        context.add_callback(match.streams_ended.release)
        if match.refusal:
            self._refuse(context, match.refusal)
        yield subscribed
        lockstep = match.subscriptions[-1].policy == bridge_pb2.POLICY_LOCKSTEP
        for step, event in enumerate(match.events(match.subscriptions[-1], as_json=False)):
            if match.breaks(step):
                context.abort(grpc.StatusCode[match.break_code], "the bridge stops")
            yield from match.with_outcomes(event)
            if lockstep and event.HasField("frame"):
                for message in messages:
                    answer = match.take(message)
                    if answer is not None:
                        yield answer
                    if message.HasField("acknowledge"):
                        break
        for message in messages:
            answer = match.take(message)
            if answer is not None:
                yield answer


class WebSocketBridge:
    """The fake bridge on a WebSocket, in a thread with a loop of its own. As `GrpcBridge`."""

    def __init__(
        self, match: Match, tls: Optional[pathlib.Path] = None, clients: Optional[pathlib.Path] = None
    ) -> None:
        self._match = match
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if tls else None
        if self._tls is not None and tls is not None:
            self._tls.load_cert_chain(tls)
            if clients is not None:
                self._tls.load_verify_locations(clients)
                self._tls.verify_mode = ssl.CERT_REQUIRED
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self.url = ""

    def __enter__(self) -> WebSocketBridge:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self) -> None:
        protocols = ["sc2bridge.json.v1", "sc2bridge.proto.v1"]
        options: dict[str, Any] = {"subprotocols": protocols, "max_size": None, "ssl": self._tls}
        async with websockets.serve(self._handle, "127.0.0.1", 0, process_request=self._door, **options) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            self.url = f"{'wss' if self._tls else 'ws'}://127.0.0.1:{port}/v1"
            self._started.set()
            await self._stopping.wait()

    async def _door(self, connection: Any, request: Any) -> Any:
        # Until release 13 the path and the headers, and what is returned is a tuple.
        headers = getattr(request, "headers", request)
        if self._match.lets_in(headers.get("authorization")):
            return None
        if request is headers:
            return http.HTTPStatus.UNAUTHORIZED, [("Content-Type", "text/plain")], UNKNOWN_TOKEN.encode()
        return connection.respond(401, UNKNOWN_TOKEN)

    async def _handle(self, socket: Any, path: str = "") -> None:
        match = self._match
        as_json = socket.subprotocol == "sc2bridge.json.v1"

        def read(message: Any) -> Any:
            if as_json:
                return json_format.Parse(message, bridge_pb2.PlayRequest())
            return bridge_pb2.PlayRequest.FromString(message)

        async def send(event: Any) -> None:
            await socket.send(json_format.MessageToJson(event, indent=None) if as_json else event.SerializeToString())

        async def take(message: Any) -> Any:
            answer = match.take(message)
            if answer is not None:
                await send(answer)
            return message

        subscribed = False
        try:
            async for received in socket:
                message = await take(read(received))
                if not message.HasField("subscribe"):
                    continue
                subscribed = True
                answer = match.subscribe(message)
                if match.refusal:
                    error = bridge_pb2.Error(code=match.refusal[0], message=match.refusal[1], fatal=True)
                    await send(bridge_pb2.PlayResponse(error=error))
                    return
                await send(answer)
                lockstep = message.subscribe.policy == bridge_pb2.POLICY_LOCKSTEP
                for step, event in enumerate(match.events(message.subscribe, as_json)):
                    if match.breaks(step):
                        await socket.close(1001, "the bridge stops")
                        return
                    for told in match.with_outcomes(event):
                        await send(told)
                    while lockstep and event.HasField("frame"):
                        if (await take(read(await socket.recv()))).HasField("acknowledge"):
                            break
        except websockets.exceptions.ConnectionClosed:
            pass
        finally:
            if subscribed:
                match.streams_ended.release()


class SharedMemoryBridge(WebSocketBridge):
    """The fake bridge on a Unix socket with its frames in shared memory, each in its own place."""

    HELLO = struct.Struct("<8sIQ")
    LAYOUT = 4
    LENGTH = struct.Struct("<I")
    CLOSE = b"\xff\xff\xff\xff"
    BYTES = 64 << 20
    _names = itertools.count()

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        name = f"sc2bridge-test-{os.getpid()}-{next(self._names)}"
        self.url = f"shm:{name}"
        self._name = f"\0{name}"
        self._file = os.memfd_create("test")
        os.truncate(self._file, self.BYTES)
        self._memory = mmap.mmap(self._file, self.BYTES)
        self._end = 0
        self.gone = threading.Semaphore(0)
        self.has_room = True

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        os.close(self._file)

    async def _serve(self) -> None:
        connections: set[asyncio.Task[None]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.add(asyncio.current_task())  # type: ignore[arg-type]
            await self._connected(reader, writer)

        server = await asyncio.start_unix_server(serve, self._name)
        self._started.set()
        await self._stopping.wait()
        server.close()
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno())) as itself:
            itself.sendall(self.HELLO.pack(b"sc2bshm\0", self.LAYOUT, self.BYTES))
            own = _Framed(reader, writer, self)
            try:
                token = (await own.recv()).decode()
                if self._match.lets_in(f"Bearer {token}" if token else None):
                    socket.send_fds(itself, [self.LENGTH.pack(0)], [self._file])
                    await self._handle(own)
                else:
                    error = bridge_pb2.Error(code=16, message=UNKNOWN_TOKEN, fatal=True)
                    await own.send(bridge_pb2.PlayResponse(error=error).SerializeToString())
                writer.write(self.CLOSE)
            except (asyncio.IncompleteReadError, ConnectionError):
                pass
            finally:
                writer.close()
            # Waits until the client has closed all its ends.
            with contextlib.suppress(ConnectionError):  # Unread data causes a reset.
                while await asyncio.get_running_loop().sock_recv(itself, 4096):
                    pass
            self.gone.release()

    def share(self, event: Any) -> None:
        """Puts a frame's payload into memory, unless it is compressed."""
        payload = event.frame.WhichOneof("payload") if event.HasField("frame") else None
        if payload not in ("observation", "columns") or not self.has_room:
            return
        content = getattr(event.frame, payload).SerializeToString()
        if not content:
            return
        start, self._end = self._end, self._end + len(content)
        self._memory[start : self._end] = content
        event.frame.shared.CopyFrom(shm_pb2.SharedBlock(offset=start, length=len(content)))


class _Framed:
    """A connection to it, as websockets' are."""

    subprotocol = "sc2bridge.proto.v1"

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, bridge: SharedMemoryBridge) -> None:
        self._reader, self._writer, self._bridge = reader, writer, bridge

    async def recv(self) -> bytes:
        head = await self._reader.readexactly(4)
        if head == self._bridge.CLOSE:
            raise websockets.exceptions.ConnectionClosedOK(None, None)
        (length,) = self._bridge.LENGTH.unpack(head)
        return await self._reader.readexactly(length)

    async def send(self, message: bytes) -> None:
        event = bridge_pb2.PlayResponse.FromString(message)
        self._bridge.share(event)
        message = event.SerializeToString()
        self._writer.write(self._bridge.LENGTH.pack(len(message)) + message)
        await self._writer.drain()

    async def close(self, code: int, reason: str) -> None:
        # As when the bridge is gone: the copy of this end that waits for the client's would hide it.
        self._writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
        self._writer.close()

    def __aiter__(self) -> _Framed:
        return self

    async def __anext__(self) -> bytes:
        return await self.recv()
