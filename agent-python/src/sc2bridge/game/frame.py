"""One observation, as an agent receives it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from sc2bridge._protocol.choices import Encoding
from sc2bridge._protocol.compression import Content as CompressedContent
from sc2bridge._protocol.envelope import Envelope
from sc2bridge._protocol.parsing import UNREADABLE, parse, parse_json
from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.outcomes import Outcome, SentAndOutcome, outcomes_of
from sc2bridge.s2clientprotocol import sc2api_pb2

if TYPE_CHECKING:
    from sc2bridge.game.names import Names
    from sc2bridge.units.columns import Columns
    from sc2bridge.units import Units
    from sc2bridge.v1.bridge_pb2 import Skipped


class Frame:
    """An observation, and the bridge's envelope. Nothing is parsed until it is asked for, and then once."""

    __slots__ = (
        "_acted",
        "_columns",
        "_envelope",
        "_json",
        "_observation",
        "_outcomes",
        "_raw",
        "_units",
        "content",
        "decode_ns",
        "encoding",
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
        acted: Sequence[SentAndOutcome] = (),
    ):
        self._envelope = envelope
        self._json: Optional[dict[str, Any]] = None
        self._observation: Optional[sc2api_pb2.ResponseObservation] = None
        self._columns: Optional[Columns] = None
        self._units: Optional[Units] = None
        self.encoding: Encoding = encoding
        """`proto` or `json`."""
        self.content = envelope.content
        """`observation` or `columns`: what was subscribed to."""
        self.seeked = seeked
        """The playback of a recording was moved here: the frame does not follow the one before it."""
        self._raw = raw
        self.received_ns = received_ns
        """When the whole message was here, in nanoseconds of this process's `time.monotonic_ns()`."""
        self.size = size
        """Bytes of the whole message as it came, compressed or not (over JSON: of its text)."""
        self._acted = acted
        self._outcomes: Optional[list[Outcome]] = None
        self.decode_ns: Optional[int] = None
        """What decompressing and parsing took, in nanoseconds; None where neither was needed."""
        self.unit_types: Optional[Names[Any]] = None
        """The match's unit types by name; None if the match is unknown."""

    @property
    def match_id(self) -> str:
        """The match, by its id; unique for the bridge's life."""
        return self._envelope.match_id

    @property
    def perspective(self) -> int:
        """A player id, 0 for an observer of all."""
        return self._envelope.perspective

    @property
    def step(self) -> int:
        """Counts from 0 at the match's first observation."""
        return self._envelope.step

    @property
    def game_loop(self) -> int:
        """The game's own clock: 22.4 loops a second at speed "faster"."""
        return self._envelope.game_loop

    @property
    def requested_ns(self) -> int:
        """When the bridge requested the observation; nanoseconds of the bridge's monotonic clock."""
        return self._envelope.requested_ns

    @property
    def observed_ns(self) -> int:
        """When the bridge held the answer; the same clock."""
        return self._envelope.observed_ns

    @property
    def skipped(self) -> Optional[Skipped]:
        """What frames skipped under the policy `latest` carried; None where none were."""
        return self._envelope.skipped

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of each of the agent's actions since its last frame."""
        if self._outcomes is None:
            self._outcomes = [outcome for each in self._acted for outcome in outcomes_of(each)]
        return self._outcomes

    @property
    def raw(self) -> Union[bytes, memoryview, str]:
        """`proto`: the serialized ResponseObservation, the game's own bytes, or Columns. `json`: the text of the whole
        event; where the payload was compressed, the content's text alone.

        Raises MalformedMessageError where a compressed payload cannot be read.
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
        """The units as a table of numpy columns, whichever content was subscribed to; see `sc2bridge.units`.

        Of `columns` they are views of the message's vectors. Of an observation they are made of `observation`, so over
        JSON subscribe to columns. Raises MalformedMessageError.
        """
        if self._units is None:
            from sc2bridge.units import Units

            if self.content == "columns":
                self._units = Units.of(self._opened())
            else:
                self._units = Units.from_observation(self.observation)
        self._units.match_types = self.unit_types
        return self._units

    @property
    def observation(self) -> sc2api_pb2.ResponseObservation:
        """The observation as a message; where columns were subscribed to without its units, which `units` has.

        Over JSON this is slow (57 ms for 160 KiB in a probe): prefer `json` or `units` there. Raises MalformedMessageError.
        """
        if self._observation is None:
            content = self.json if self.encoding == "json" else None
            raw = self._serialized() if content is None else b""
            start = time.perf_counter_ns()
            try:
                if content is None:
                    self._observation = parse(sc2api_pb2.ResponseObservation, raw)
                else:
                    from sc2bridge._protocol import json_messages

                    self._observation = json_messages.from_content(content, sc2api_pb2.ResponseObservation())
            except UNREADABLE as error:
                raise MalformedMessageError(f"step {self.step}: the observation cannot be read: {error}") from None
            self._add_decode_time(start)
        return self._observation

    @property
    def common(self) -> sc2api_pb2.PlayerCommon:
        """The player's minerals, vespene, supply and the like; read alone where the frame is JSON. Raises
        MalformedMessageError."""
        if self.encoding != "json":
            return self.observation.observation.player_common
        from sc2bridge._protocol import json_messages

        try:
            content = self.json.get("observation", {}).get("playerCommon", {})
            common: sc2api_pb2.PlayerCommon = json_messages.from_content(content, sc2api_pb2.PlayerCommon())
        except UNREADABLE as error:
            raise MalformedMessageError(f"step {self.step}: the player's numbers cannot be read: {error}") from None
        return common

    @property
    def json(self) -> dict[str, Any]:
        """`observation` as protobuf's JSON: names in lowerCamelCase, 64-bit numbers and bytes (base64) as text.

        Over JSON it comes from the text (by orjson where it is installed); else it is made from the message, slowly.
        Raises MalformedMessageError.
        """
        if self._json is None:
            if self.encoding != "json":
                from sc2bridge._protocol import json_messages

                self._json = json_messages.to_content(self.observation)
            elif self.content == "columns":
                rest = self._opened().rest
                if not isinstance(rest, dict):
                    raise MalformedMessageError(f"step {self.step}: the columns have no observation beside them")
                self._json = rest
            else:
                self._json = self._parsed()
        return self._json

    def _serialized(self) -> Union[bytes, memoryview]:
        """`observation`, not parsed."""
        if self.content == "columns":
            rest: Union[bytes, memoryview] = self._opened().rest or b""
            return rest
        return self.raw  # type: ignore[return-value]

    def _opened(self) -> Columns:
        if self._columns is None:
            from sc2bridge.units.columns import Columns

            content = self._parsed() if self.encoding == "json" else self.raw
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

    def _parsed(self) -> dict[str, Any]:
        """The payload's JSON."""
        raw = self.raw
        start = time.perf_counter_ns()
        try:
            if self._envelope.payload == self.content:
                content = parse_json(raw)["frame"][self.content]
            else:
                content = parse_json(bytes(raw))  # type: ignore[arg-type]
            if not isinstance(content, dict):
                raise ValueError("it is no object")
        except UNREADABLE as error:
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
        return _unpickled, (type(self), state, self.outcomes, self.decode_ns)

    def __repr__(self) -> str:
        return f"<Frame step={self.step} game_loop={self.game_loop} {self.size} bytes of {self.encoding}>"

    def _no_number(self, other: object) -> Any:
        """python-sc2's on_step receives a number."""
        if isinstance(other, (int, float)):
            raise TypeError("on_step receives a frame and not an iteration: frame.step counts the steps")
        return NotImplemented

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __mod__ = _no_number
    __hash__ = object.__hash__


def _unpickled(kind: type[Frame], state: tuple[Any, ...], outcomes: list[Outcome], decode_ns: Optional[int]) -> Frame:
    frame = kind.__new__(kind)
    Frame.__init__(frame, *state)
    frame._outcomes, frame.decode_ns = outcomes, decode_ns
    return frame
