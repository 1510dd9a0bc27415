"""Reads the description of a recorded match, the match's end, and the gaps of the recording."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Optional

from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.words import MatchEnd
from sc2bridge.recording._mcap import limits
from sc2bridge.recording._mcap.file import RecordingFile
from sc2bridge.recording._mcap.index import Damage
from sc2bridge.recording.earlier import convert_earlier
from sc2bridge.recording.parsed_size import parse_checked
from sc2bridge.v1 import bridge_pb2, recording_pb2


class RecordedMatch:
    """The description, the end and the gaps of a recorded match. Each property is read on first use, and
    raises RecordingError for damaged data."""

    def __init__(self, file: RecordingFile) -> None:
        self._file = file
        self._description_by_perspective: dict[int, bridge_pb2.MatchDescription] = {}

    @cached_property
    def bare_description(self) -> bridge_pb2.MatchDescription:
        """The description without `data` and `game_info`, which are attachments."""
        starts = (record.start for record in self._records() if record.HasField("start"))
        return next(starts, bridge_pb2.MatchDescription())

    @cached_property
    def first_description(self) -> bridge_pb2.MatchDescription:
        """The description with `data` and the `game_info` of the first perspective."""
        description = bridge_pb2.MatchDescription()
        description.CopyFrom(self.bare_description)
        for field in ("game_info", "data"):
            self._attach(field, field, description)
        return description

    def description_of(self, perspective: int) -> bridge_pb2.MatchDescription:
        """The description with `data` and the `game_info` of the perspective's own game program."""
        if perspective == next(iter(self.bare_description.perspectives), perspective):
            return self.first_description
        if perspective not in self._description_by_perspective:
            description = bridge_pb2.MatchDescription()
            description.CopyFrom(self.first_description)
            self._attach(f"game_info_{perspective}", "game_info", description)
            self._description_by_perspective[perspective] = description
        return self._description_by_perspective[perspective]

    @cached_property
    def end(self) -> Optional[MatchEnd]:
        """How the match ended; None if the recording has no end of the match."""
        end = None
        for record in self._records():
            if record.HasField("end"):
                end = MatchEnd.of(record.end)
        return end

    @cached_property
    def gaps(self) -> list[recording_pb2.Gap]:
        """The gaps of the recording: observations that the bridge published but could not write."""
        found: list[recording_pb2.Gap] = []
        gap_bytes = 0
        for record in self._records():
            if record.HasField("gap"):
                gap_bytes += record.ByteSize()
                if len(found) == limits.GAPS or gap_bytes > limits.PARSED:
                    what = f"it has more than {limits.GAPS} gaps or {limits.PARSED} bytes of gaps, unlike any match"
                    raise self._file.error(Damage("foreign", 0, what))
                found.append(record.gap)
        return found

    def _attach(self, attachment: str, field: str, description: bridge_pb2.MatchDescription) -> None:
        attached = self._file.attachment(attachment)
        if attached is not None:
            kind = type(getattr(description, field))
            getattr(description, field).CopyFrom(self._parse(kind, attached, f"the attachment {attachment}"))

    def _records(self) -> Iterator[recording_pb2.MatchRecord]:
        """The messages of the channel `/match` in undamaged chunks. There are only a few messages."""
        for _, data in self._file.messages("/match", undamaged_only=True):
            yield self._parse(recording_pb2.MatchRecord, data, "a match record")

    def _parse(self, kind: Any, data: memoryview, what: str) -> Any:
        try:
            parsed = parse_checked(kind, data, "it")
            if kind is recording_pb2.MatchRecord:
                convert_earlier(parsed)
            return parsed
        except MalformedMessageError as error:
            raise self._file.error(Damage("damaged", 0, f"{what}: {error}")) from None
