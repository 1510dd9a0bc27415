"""A bridge, blocking: `connect`, then `describe`, `subscribe`, `request`. `sc2bridge.aio` is the same for asyncio."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Optional, Union

from sc2bridge.address import Address, parse_address
from sc2bridge.compression import choose
from sc2bridge.envelope import parse
from sc2bridge.errors import ConnectionLost
from sc2bridge.links import SERVICE, GrpcStream, WebSocketStream, grpc_error, grpc_metadata, grpc_options
from sc2bridge.playback import Playback
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.session import Session, encode, read_answer
from sc2bridge.subscription import Subscription
from sc2bridge.subscription_request import side_key, subscription_request
from sc2bridge.v1 import bridge_pb2


def connect(
    url: str, encoding: Optional[str] = None, compression: Optional[str] = None, key: Optional[str] = None
) -> Connection:
    """Connects to a bridge.

    url: `grpc://HOST:PORT`, `grpc+unix:/PATH` or `ws://HOST:PORT/v1`.
    encoding: `json` or `proto`. A WebSocket carries JSON where neither this nor `?encoding=proto` says otherwise, and
        gRPC always `proto`.
    compression: `group-zstd` compresses frames together, some 40 times, at next to no cost; `zstd` each alone; both
        need the package zstandard. `deflate` offers permessage-deflate (WebSocket) or takes gzip (gRPC), which cost
        more than they save on one machine or a fast network. None, or `none`, for none.
    key: opens the side that is heard, where the match keeps its sides apart; None for what the environment's
        SC2BRIDGE_KEY says, as it does for agents that `sc2bridge match` starts.
    Raises ValueError for an address that is none, or a compression that there is not. That no bridge is there shows at
    the first use: ConnectionLost.
    """
    return Connection(parse_address(url, encoding), compression, key)


class Connection(Playback[bridge_pb2.PlaybackState]):
    """A bridge. Each subscription has a stream of its own, and questions another, so none waits for another.

    Threads may share it; a subscription is iterated by one thread at a time, and may be closed by another.
    """

    def __init__(self, address: Address, compression: Optional[str] = None, key: Optional[str] = None) -> None:
        self.address = address
        self._key = side_key(key)
        self._compression, self._payload_compression = choose(compression)
        self._channel: Any = None
        self._questions: Optional[WebSocketStream] = None
        self._asking = threading.Lock()
        self._opening = threading.Lock()
        self._tag = 0
        self._clock_id: Optional[str] = None
        self._agent = ""
        self._subscriptions: weakref.WeakSet[Subscription] = weakref.WeakSet()

    def describe(
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
            description = parse(bridge_pb2.MatchDescription, self._call("Describe", request))
        else:
            description = self._ask(bridge_pb2.AgentMessage(describe=request), "description")
        self._clock_id = description.clock_id
        return description

    def request(self, request: sc2api_pb2.Request, *, match: str = "", perspective: int = 0) -> sc2api_pb2.Response:
        """Asks the game something that leaves the match as it is, such as a query.

        Raises BridgeError, among others for requests that would change the match.
        """
        self._tag += 1
        asked = bridge_pb2.GameRequest(
            match=match, perspective=perspective, tag=self._tag, request=request, agent=self._agent, key=self._key
        )
        answer: bridge_pb2.GameResponse
        if self.address.transport == "grpc":
            answer = parse(bridge_pb2.GameResponse, self._call("Request", asked))
        else:
            answer = self._ask(bridge_pb2.AgentMessage(request=asked), "response")
        return answer.response

    def _control(self, request: bridge_pb2.ControlRequest) -> bridge_pb2.PlaybackState:
        state: bridge_pb2.PlaybackState
        if self.address.transport == "grpc":
            state = parse(bridge_pb2.PlaybackState, self._call("Control", request))
        else:
            state = self._ask(bridge_pb2.AgentMessage(control=request), "playback")
        return state

    def subscribe(
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
        """Subscribes to a match's frames; iterate over what is returned.

        policy: `lockstep` (the game waits until the loop's body is done with each step), `latest` (the newest only;
            `frame.missed` sums up the skipped) or `every`.
        perspective: a player id, 0 for an observer of all; None for the match's first.
        when_full: under `every`, whether a full queue `pause`s the game or `end`s the subscription; None for the
            bridge's choice.
        leave_out: parts to do without: `abilities`, `score`, `raw`, `map_state`, `feature_layers`, `render`, `ui`.
        agent: a name for the bridge's logs and tables, and for what this connection asks from now on.
        queue_bytes: the most that may wait under `every`; 0 for the bridge's choice.
        content: `observation`, or `columns`: the units as vectors that `frame.units` shows as numpy arrays with nothing
            parsed, and the rest of the observation beside them.
        plays: act for the player whose perspective this is, by `attack` and its like; else the subscription only
        watches.
        priority: of several agents that command a unit in one step, the one with the highest is obeyed.
        report_times: send back what decoding and the loop's body took.
        Raises ValueError for a choice that does not exist. What the bridge refuses shows at the first frame.
        """
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
            opening = session.opening() if session.speaks else session.request.SerializeToString()
            method = "Play" if session.speaks else "Subscribe"
            stream = GrpcStream(self._grpc(), self.address.target, method, opening, grpc_metadata(self._compression))
        else:
            stream = WebSocketStream(self.address, self._compression)
            stream.send(session.opening())
        frames = Subscription(self, session, stream)
        self._subscriptions.add(frames)
        return frames

    def close(self) -> None:
        """Closes the connection; its subscriptions end."""
        for frames in list(self._subscriptions):
            frames.close()
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        questions, self._questions = self._questions, None
        if questions is not None:
            questions.close()

    def _clock_of(self, match: str) -> str:
        if self._clock_id is None:
            self.describe(match, without_game_info=True, without_data=True)
        return self._clock_id or ""

    def _grpc(self) -> Any:
        with self._opening:
            if self._channel is None:
                import grpc

                self._channel = grpc.insecure_channel(self.address.target, grpc_options(self.address))
            return self._channel

    def _call(self, method: str, request: Any) -> bytes:
        import grpc

        try:
            answer: bytes = self._grpc().unary_unary(SERVICE + method)(
                request.SerializeToString(), metadata=grpc_metadata(self._compression)
            )
            return answer
        except grpc.RpcError as error:
            raise grpc_error(error, self.address.target) from None

    def _ask(self, message: bridge_pb2.AgentMessage, kind: str) -> Any:
        with self._asking:
            if self._questions is None:
                self._questions = WebSocketStream(self.address, self._compression)
            questions = self._questions
            try:
                questions.send(encode(message, self.address.encoding))
                while True:
                    received = questions.receive()
                    if received is None:
                        raise ConnectionLost(f"the bridge at {self.address.target} closed before it answered")
                    answer = read_answer(received, self.address.encoding, kind)
                    if answer is not None:
                        return answer
            except BaseException:
                # Whatever is still on its way would be taken for the next question's answer.
                self._questions = None
                questions.close()
                raise

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()
