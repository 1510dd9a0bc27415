"""A bridge, for asyncio: `connection = await connect(url)`, then as `sc2bridge.connection`, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from types import TracebackType
from typing import Any, Optional, Union

from sc2bridge.address import Address, parse_address
from sc2bridge.aio_links import GrpcStream, WebSocketStream
from sc2bridge.aio_subscription import Subscription
from sc2bridge.compression import choose
from sc2bridge.envelope import parse
from sc2bridge.errors import ConnectionLost
from sc2bridge.links import SERVICE, grpc_error, grpc_metadata, grpc_options
from sc2bridge.playback import Playback
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.session import Session, encode, read_answer
from sc2bridge.subscription_request import side_key, subscription_request
from sc2bridge.v1 import bridge_pb2


async def connect(
    url: str, encoding: Optional[str] = None, compression: Optional[str] = None, key: Optional[str] = None
) -> Connection:
    """As `sc2bridge.connect`."""
    return Connection(parse_address(url, encoding), compression, key)


class Connection(Playback[Awaitable[bridge_pb2.PlaybackState]]):
    """A bridge; see `sc2bridge.connection.Connection`, whose methods these are."""

    def __init__(self, address: Address, compression: Optional[str] = None, key: Optional[str] = None) -> None:
        self.address = address
        self._key = side_key(key)
        self._compression, self._payload_compression = choose(compression)
        self._channel: Any = None
        self._questions: Optional[WebSocketStream] = None
        self._asking = asyncio.Lock()
        self._tag = 0
        self._clock_id: Optional[str] = None
        self._agent = ""
        self._subscriptions: set[Subscription] = set()

    async def describe(
        self,
        match: str = "",
        *,
        perspective: Optional[int] = None,
        without_game_info: bool = False,
        without_data: bool = False,
    ) -> bridge_pb2.MatchDescription:
        """The match that runs, or a named one; waits until there is one. Raises BridgeError.

        perspective: whose `game_info`; None for the first perspective's.
        """
        request = bridge_pb2.DescribeRequest(
            match=match,
            perspective=perspective,
            without_game_info=without_game_info,
            without_data=without_data,
            key=self._key,
        )
        if self.address.transport == "grpc":
            description: bridge_pb2.MatchDescription
            description = parse(bridge_pb2.MatchDescription, await self._call("Describe", request))
        else:
            description = await self._ask(bridge_pb2.AgentMessage(describe=request), "description")
        self._clock_id = description.clock_id
        return description

    async def request(
        self, request: sc2api_pb2.Request, *, match: str = "", perspective: int = 0
    ) -> sc2api_pb2.Response:
        """Asks the game something that leaves the match as it is, such as a query. Raises BridgeError."""
        self._tag += 1
        asked = bridge_pb2.GameRequest(
            match=match, perspective=perspective, tag=self._tag, request=request, agent=self._agent, key=self._key
        )
        answer: bridge_pb2.GameResponse
        if self.address.transport == "grpc":
            answer = parse(bridge_pb2.GameResponse, await self._call("Request", asked))
        else:
            answer = await self._ask(bridge_pb2.AgentMessage(request=asked), "response")
        return answer.response

    async def _control(self, request: bridge_pb2.ControlRequest) -> bridge_pb2.PlaybackState:
        state: bridge_pb2.PlaybackState
        if self.address.transport == "grpc":
            state = parse(bridge_pb2.PlaybackState, await self._call("Control", request))
        else:
            state = await self._ask(bridge_pb2.AgentMessage(control=request), "playback")
        return state

    async def subscribe(
        self,
        policy: str = "every",
        *,
        match: str = "",
        perspective: Optional[int] = None,
        when_full: Optional[str] = None,
        leave_out: Iterable[str] = (),
        agent: str = "",
        queue_bytes: int = 0,
        content: str = "observation",
        plays: bool = False,
        priority: int = 0,
        report_times: bool = True,
    ) -> Subscription:
        """Subscribes to a match's frames; see `sc2bridge.connection.Connection.subscribe`."""
        self._agent = agent or self._agent
        session = Session(
            subscription_request(
                policy,
                match=match,
                perspective=perspective,
                when_full=when_full,
                leave_out=leave_out,
                agent=agent,
                queue_bytes=queue_bytes,
                content=content,
                compression=self._payload_compression,
                plays=plays,
                priority=priority,
                report_times=report_times,
                key=self._key,
            ),
            self.address.encoding,
        )
        stream: Union[GrpcStream, WebSocketStream]
        if self.address.transport == "grpc":
            method = "Play" if session.speaks else "Subscribe"
            opening = session.opening() if session.speaks else session.request.SerializeToString()
            stream = GrpcStream(self._grpc(), self.address.target, method, opening, grpc_metadata(self._compression))
        else:
            stream = await WebSocketStream.open(self.address, self._compression)
            await stream.send(session.opening())
        frames = Subscription(self, session, stream)
        self._subscriptions.add(frames)  # Also where the loop over it is left, which nobody closes it for.
        return frames

    async def close(self) -> None:
        """Closes the connection; its subscriptions end."""
        for frames in list(self._subscriptions):
            await frames.close()
        if self._channel is not None:
            channel, self._channel = self._channel, None
            await channel.close()
        if self._questions is not None:
            questions, self._questions = self._questions, None
            await questions.close()

    async def _clock_of(self, match: str) -> str:
        if self._clock_id is None:
            await self.describe(match, without_game_info=True, without_data=True)
        return self._clock_id or ""

    def _grpc(self) -> Any:
        if self._channel is None:
            import grpc

            self._channel = grpc.aio.insecure_channel(self.address.target, grpc_options(self.address))
        return self._channel

    async def _call(self, method: str, request: Any) -> bytes:
        import grpc

        try:
            answer: bytes = await self._grpc().unary_unary(SERVICE + method)(
                request.SerializeToString(), metadata=grpc_metadata(self._compression)
            )
            return answer
        except grpc.RpcError as error:
            raise grpc_error(error, self.address.target) from None

    async def _ask(self, message: bridge_pb2.AgentMessage, kind: str) -> Any:
        async with self._asking:
            if self._questions is None:
                self._questions = await WebSocketStream.open(self.address, self._compression)
            questions = self._questions
            try:
                await questions.send(encode(message, self.address.encoding))
                while True:
                    received = await questions.receive()
                    if received is None:
                        raise ConnectionLost(f"the bridge at {self.address.target} closed before it answered")
                    answer = read_answer(received, self.address.encoding, kind)
                    if answer is not None:
                        return answer
            except BaseException:
                # Whatever is still on its way would be taken for the next question's answer.
                self._questions = None
                await questions.close()
                raise

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()
