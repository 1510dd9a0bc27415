"""A recording's match: how it was described to agents, how it ended, and which observations are missing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Optional

from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.words import MatchEnd
from sc2bridge.recording._mcap import limits
from sc2bridge.recording._mcap.file import RecordingFile
from sc2bridge.recording._mcap.index import Damage
from sc2bridge.recording.earlier import convert
from sc2bridge.recording.parsed_size import parse_checked
from sc2bridge.v1 import bridge_pb2, recording_pb2


class Described:
    """Each part is read when it is first asked for. Raises RecordingError if it is damaged."""

    def __init__(self, file: RecordingFile) -> None:
        self._file = file
        self._others: dict[int, bridge_pb2.MatchDescription] = {}

    @cached_property
    def start(self) -> bridge_pb2.MatchDescription:
        """The description without what is attached."""
        starts = (record.start for record in self._records() if record.HasField("start"))
        return next(starts, bridge_pb2.MatchDescription())

    @cached_property
    def first(self) -> bridge_pb2.MatchDescription:
        """The description with `data`, and with the `game_info` of the first perspective."""
        description = bridge_pb2.MatchDescription()
        description.CopyFrom(self.start)
        for name in ("game_info", "data"):
            self._attach(name, name, description)
        return description

    def of(self, perspective: int) -> bridge_pb2.MatchDescription:
        """The description with the `game_info` of a perspective's own game."""
        if perspective == next(iter(self.start.perspectives), perspective):
            return self.first
        if perspective not in self._others:
            description = bridge_pb2.MatchDescription()
            description.CopyFrom(self.first)
            self._attach(f"game_info_{perspective}", "game_info", description)
            self._others[perspective] = description
        return self._others[perspective]

    @cached_property
    def end(self) -> Optional[MatchEnd]:
        """How the match ended; None if the recording ends before."""
        end = None
        for record in self._records():
            if record.HasField("end"):
                end = MatchEnd.of(record.end)
        return end

    @cached_property
    def gaps(self) -> list[recording_pb2.Gap]:
        """Observations that were published and could not be written."""
        found: list[recording_pb2.Gap] = []
        size = 0
        for record in self._records():
            if record.HasField("gap"):
                size += record.ByteSize()
                if len(found) == limits.GAPS or size > limits.PARSED:
                    what = f"it has more than {limits.GAPS} gaps, or {limits.PARSED} bytes of them, and no match has so many"
                    raise self._file.error(Damage("foreign", 0, what))
                found.append(record.gap)
        return found

    def _attach(self, attachment: str, name: str, description: bridge_pb2.MatchDescription) -> None:
        attached = self._file.attachment(attachment)
        if attached is not None:
            kind = type(getattr(description, name))
            getattr(description, name).CopyFrom(self._parsed(kind, attached, f"the attachment {attachment}"))

    def _records(self) -> Iterator[recording_pb2.MatchRecord]:
        """The match records of whole chunks: a few."""
        for _, data in self._file.messages("/match", whole_only=True):
            yield self._parsed(recording_pb2.MatchRecord, data, "a match record")

    def _parsed(self, kind: Any, data: memoryview, what: str) -> Any:
        try:
            parsed = parse_checked(kind, data, "it")
            if kind is recording_pb2.MatchRecord:
                convert(parsed)
            return parsed
        except MalformedMessageError as error:
            raise self._file.error(Damage("damaged", 0, f"{what}: {error}")) from None
