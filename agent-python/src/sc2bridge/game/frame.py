"""One observation, as an agent receives it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from sc2bridge._protocol.choices import Encoding
from sc2bridge._protocol.compression import CompressedContent
from sc2bridge._protocol.envelope import Envelope
from sc2bridge._protocol.parsing import PARSE_ERRORS, parse, parse_json
from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.outcomes import Outcome, SentAndOutcome, outcomes_of
from sc2bridge.s2clientprotocol import sc2api_pb2

if TYPE_CHECKING:
    from sc2bridge.game.ground import Ground
    from sc2bridge.game.names import Names
    from sc2bridge.units.columns import Columns
    from sc2bridge.units import Units
    from sc2bridge.v1.bridge_pb2 import Skipped


class Frame:
    """An observation, with its match, step and times from the bridge. Each part is parsed once, on first use."""

    __slots__ = (
        "_columns",
        "_envelope",
        "_json",
        "_observation",
        "_outcomes",
        "_raw",
        "_sent_and_outcomes",
        "_units",
        "content",
        "decode_ns",
        "encoding",
        "_ground",
        "received_ns",
        "seeked",
        "size",
        "unit_types",
    )

    def __init__(
        self,
        envelope: Envelope,
        raw: Union[bytes, memoryview, str, CompressedContent],
        encoding: Encoding,
        received_ns: int,
        size: int,
        seeked: bool = False,
        sent_and_outcomes: Sequence[SentAndOutcome] = (),
    ):
        self._envelope = envelope
        self._json: Optional[dict[str, Any]] = None
        self._observation: Optional[sc2api_pb2.ResponseObservation] = None
        self._columns: Optional[Columns] = None
        self._units: Optional[Units] = None
        self.encoding: Encoding = encoding
        """`proto` or `json`."""
        self.content = envelope.content
        """`observation` or `columns`, as chosen in the subscription."""
        self.seeked = seeked
        """True if the playback of a recording jumped to this frame. Such a frame does not follow the previous frame."""
        self._raw = raw
        self.received_ns = received_ns
        """When the whole message had arrived, in nanoseconds of this process's `time.monotonic_ns()`."""
        self.size = size
        """The size of the received message in bytes, before it is decompressed. For JSON, the size of the text."""
        self._sent_and_outcomes = sent_and_outcomes
        self._outcomes: Optional[list[Outcome]] = None
        self.decode_ns: Optional[int] = None
        """The time for decompressing and parsing so far, in nanoseconds; None if neither was needed yet."""
        self._ground: Optional[Ground] = None
        """The ground of the match's map, which `sc2bridge.simulate` needs; None if the match is unknown."""
        self.unit_types: Optional[Names[Any]] = None
        """The match's unit types by name; None if the match is unknown."""

    @property
    def match_id(self) -> str:
        """The id of the match. A running bridge uses each id for one match only."""
        return self._envelope.match_id

    @property
    def perspective(self) -> int:
        """The player id whose view this frame shows, or 0 for an observer of all players."""
        return self._envelope.perspective

    @property
    def step(self) -> int:
        """The number of the observation in its match, from 0."""
        return self._envelope.step

    @property
    def game_loop(self) -> int:
        """The game loop of the observation. The game plays 22.4 loops a second at speed "faster"."""
        return self._envelope.game_loop

    @property
    def requested_ns(self) -> int:
        """When the bridge requested the observation, in nanoseconds of the bridge's monotonic clock."""
        return self._envelope.requested_ns

    @property
    def observed_ns(self) -> int:
        """When the bridge had received the observation, in nanoseconds of the bridge's monotonic clock."""
        return self._envelope.observed_ns

    @property
    def skipped(self) -> Optional[Skipped]:
        """A summary of the frames that the policy `latest` skipped before this one; None if no frame was skipped."""
        return self._envelope.skipped

    @property
    def outcomes(self) -> list[Outcome]:
        """Outcomes of the agent's actions: all outcomes that arrived since the agent's previous frame."""
        if self._outcomes is None:
            self._outcomes = [outcome for each in self._sent_and_outcomes for outcome in outcomes_of(each)]
        return self._outcomes

    @property
    def raw(self) -> Union[bytes, memoryview, str]:
        """The frame as received. With the encoding `proto`: a serialized ResponseObservation, as the game sent it, or a
        serialized Columns. With `json`: the text of the message; if the content was compressed, its text alone.

        Raises MalformedMessageError if a compressed payload cannot be read.
        """
        if not isinstance(self._raw, CompressedContent):
            return self._raw
        start = time.perf_counter_ns()
        content = self._raw.get()
        self._raw = content
        self._add_decode_time(start)
        return content

    @property
    def units(self) -> Units:
        """The units as a table of numpy columns, for both kinds of content; see `sc2bridge.units`.

        With the content `columns`, the arrays are views of the message. With `observation`, the arrays are built from
        the observation. Over JSON, this is slow: subscribe to columns instead. Raises MalformedMessageError.
        """
        if self._units is None:
            from sc2bridge.units import Units

            if self.content == "columns":
                self._units = Units.of(self._open_columns())
            else:
                self._units = Units.from_observation(self.observation)
        self._units.match_types = self.unit_types
        return self._units

    @property
    def observation(self) -> sc2api_pb2.ResponseObservation:
        """The observation as a message. With the content `columns`, the message has no units: use `units`. Over JSON,
        this property is slow (57 ms for 160 KiB in a measurement): prefer `json` or `units`. Raises
        MalformedMessageError."""
        if self._observation is None:
            content = self.json if self.encoding == "json" else None
            raw = self._serialized() if content is None else b""
            start = time.perf_counter_ns()
            try:
                if content is None:
                    self._observation = parse(sc2api_pb2.ResponseObservation, raw)
                else:
                    from sc2bridge._protocol import json_messages

                    self._observation = json_messages.from_dict(content, sc2api_pb2.ResponseObservation())
            except PARSE_ERRORS as error:
                raise MalformedMessageError(f"step {self.step}: the observation cannot be read: {error}") from None
            self._add_decode_time(start)
        return self._observation

    @property
    def common(self) -> sc2api_pb2.PlayerCommon:
        """The player's minerals, vespene, supply and similar numbers. Over JSON, this property converts only this part
        of the frame. Raises MalformedMessageError."""
        if self.encoding != "json":
            return self.observation.observation.player_common
        from sc2bridge._protocol import json_messages

        try:
            content = self.json.get("observation", {}).get("playerCommon", {})
            common: sc2api_pb2.PlayerCommon = json_messages.from_dict(content, sc2api_pb2.PlayerCommon())
        except PARSE_ERRORS as error:
            raise MalformedMessageError(f"step {self.step}: the player's numbers cannot be read: {error}") from None
        return common

    @property
    def json(self) -> dict[str, Any]:
        """`observation` as protobuf's JSON: names in lowerCamelCase, 64-bit numbers and bytes (base64) as text.

        With the encoding `json`, the received text is parsed, by orjson if it is installed. With `proto`, the message
        is converted, which is slow. Raises MalformedMessageError.
        """
        if self._json is None:
            if self.encoding != "json":
                from sc2bridge._protocol import json_messages

                self._json = json_messages.to_dict(self.observation)
            elif self.content == "columns":
                rest = self._open_columns().rest
                if not isinstance(rest, dict):
                    raise MalformedMessageError(f"step {self.step}: it has columns but no observation: use `units`")
                self._json = rest
            else:
                self._json = self._parse_content()
        return self._json

    def _serialized(self) -> Union[bytes, memoryview]:
        if self.content == "columns":
            rest: Union[bytes, memoryview] = self._open_columns().rest or b""
            return rest
        return self.raw  # type: ignore[return-value]

    def _open_columns(self) -> Columns:
        if self._columns is None:
            from sc2bridge.units.columns import Columns

            content = self._parse_content() if self.encoding == "json" else self.raw
            start = time.perf_counter_ns()
            try:
                if isinstance(content, dict):
                    self._columns = Columns.open_json(content)
                else:
                    self._columns = Columns.open(content)  # type: ignore[arg-type]
            except MalformedMessageError as error:
                raise MalformedMessageError(f"step {self.step}: {error}") from None
            self._add_decode_time(start)
        return self._columns

    def _parse_content(self) -> dict[str, Any]:
        raw = self.raw
        start = time.perf_counter_ns()
        try:
            if self._envelope.payload == self.content:
                content = parse_json(raw)["frame"][self.content]
            else:
                content = parse_json(bytes(raw))  # type: ignore[arg-type]
            if not isinstance(content, dict):
                raise ValueError("it is not an object")
        except PARSE_ERRORS as error:
            raise MalformedMessageError(
                f"step {self.step}: the {self.content}'s JSON cannot be read: {error}"
            ) from None
        self._add_decode_time(start)
        return content

    def _add_decode_time(self, start: int) -> None:
        self.decode_ns = (self.decode_ns or 0) + time.perf_counter_ns() - start

    def __reduce__(self) -> Any:
        raw = self.raw
        state = (
            self._envelope,
            raw if isinstance(raw, str) else bytes(raw),
            self.encoding,
            self.received_ns,
            self.size,
            self.seeked,
        )
        return _unpickle, (type(self), state, self.outcomes, self.decode_ns)

    def __repr__(self) -> str:
        return f"<Frame step={self.step} game_loop={self.game_loop} {self.size} bytes of {self.encoding}>"

    def _refuse_number(self, other: object) -> Any:
        """Raises TypeError with a hint for users of python-sc2: there, on_step receives a number."""
        if isinstance(other, (int, float)):
            raise TypeError("on_step receives a frame, not an iteration number: use frame.step")
        return NotImplemented

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __mod__ = _refuse_number
    __hash__ = object.__hash__


def _unpickle(kind: type[Frame], state: tuple[Any, ...], outcomes: list[Outcome], decode_ns: Optional[int]) -> Frame:
    frame = kind.__new__(kind)
    Frame.__init__(frame, *state)
    frame._outcomes, frame.decode_ns = outcomes, decode_ns
    return frame
