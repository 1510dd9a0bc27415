"""An open recording, as `sc2bridge.open_recording` returns it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import cached_property
from types import TracebackType
from typing import Any, Generic, Optional, TypeVar, Union, overload

from sc2bridge.agents.agent import Agent
from sc2bridge.errors import RecordingError
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.words import MatchEnd
from sc2bridge.recording import analysis as analyses
from sc2bridge.recording._mcap.file import Location, RecordingFile
from sc2bridge.recording._mcap.index import OBSERVATIONS, is_observations
from sc2bridge.recording.described import RecordedMatch
from sc2bridge.recording.frames import Frames, Perspective
from sc2bridge.recording.parsed_size import parse_checked
from sc2bridge.recording.play import ReplayResult, play
from sc2bridge.v1 import recording_pb2

_A = TypeVar("_A", bound=Agent)
_M = TypeVar("_M")


def open_recording(path: Union[str, os.PathLike[str]]) -> Recording:
    """Opens a recording.

        with sc2bridge.open_recording("match.mcap") as recording:
            print(recording.match.map_name, len(recording), "frames")
            print(len(recording.at_loop(4032).units.enemies), "enemies were seen")

    A file that was cut off, or is still being written, can be read up to its last complete chunk; `recording.damage`
    describes the damage. Such a file takes longer to open, because every chunk is read once. Raises RecordingError if
    the file is not a recording, OSError if the file cannot be opened.
    """
    return Recording(path)


class Records(Generic[_M]):
    """The messages of one channel. A message is parsed when the iteration reaches it."""

    def __init__(self, file: RecordingFile, topic: str, kind: Any) -> None:
        self._file = file
        self._topic = topic
        self._kind = kind

    def __len__(self) -> int:
        return self._file.count(self._topic)

    def __iter__(self) -> Iterator[_M]:
        """Reads the messages in order. Raises RecordingError after the last undamaged message of a damaged file."""
        for _, data in self._file.messages(self._topic):
            yield self._parse(data)

    def undamaged(self) -> Iterator[tuple[Location, _M]]:
        """Reads the messages of undamaged chunks, each with its location. Does not report damage at the file's end."""
        for location, data in self._file.messages(self._topic, undamaged_only=True):
            yield location, self._parse(data)

    def at(self, location: Location) -> _M:
        """Reads the message at a location. Raises RecordingError if the message's chunk is damaged."""
        return self._parse(self._file.message(location))

    def _parse(self, data: memoryview) -> _M:
        message: _M = parse_checked(self._kind, data, f"a message of {self._topic}")
        return message


class Recording:
    """A recorded match: its frames, description, end, steps, requests and actions.

    `recording[i]`, slices, iteration, `at_loop` and `at_time` use the match's first perspective. `perspective` returns
    the frames of another perspective. The last chunk that was read (about 8 MiB) stays in memory, and so does each
    chunk whose frames you still use. Threads and forked processes may share a recording. A process that unpickles a
    recording opens the file again.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self._file = RecordingFile(path)
        self._perspectives: dict[int, Perspective] = {}
        self._match = RecordedMatch(self._file)

    # ---- frames --------------------------------------------------------------------------------------------------

    @property
    def perspectives(self) -> list[int]:
        """The recorded perspectives: player ids, or 0 for an observer of all players."""
        channels = self._file.index.channels.values()
        return sorted(int(channel.topic[len(OBSERVATIONS) :]) for channel in channels if is_observations(channel))

    def perspective(self, number: Optional[int] = None) -> Perspective:
        """The frames of a perspective; None for the match's first perspective.

        Raises LookupError if the perspective was not recorded. Raises RecordingError if the recording was cut off
        before its first frames, because its perspectives are unknown in this case.
        """
        recorded, start = self.perspectives, self._match.bare_description
        if number is None:
            chosen = next((one for one in start.perspectives if one in recorded), recorded[0] if recorded else 0)
        elif number in recorded:
            chosen = number
        elif not recorded and self.damage is not None:
            raise self.damage
        else:
            raise LookupError(
                f"perspective {number} was not recorded: choose {', '.join(map(str, recorded)) or 'another recording'}"
            )
        if chosen not in self._perspectives:
            self._perspectives[chosen] = Perspective(self._file, self._match, chosen)
        return self._perspectives[chosen]

    def __len__(self) -> int:
        return len(self.perspective())

    @overload
    def __getitem__(self, which: int) -> Frame:
        ...

    @overload
    def __getitem__(self, which: slice) -> Frames:
        ...

    def __getitem__(self, which: Union[int, slice]) -> Union[Frame, Frames]:
        return self.perspective()[which]

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.perspective())

    def raw(self) -> Iterator[memoryview]:
        """See `Frames.raw`."""
        return self.perspective().raw()

    def at_loop(self, loop: int) -> Frame:
        """See `Perspective.at_loop`."""
        return self.perspective().at_loop(loop)

    def at_time(self, seconds: float) -> Frame:
        """See `Perspective.at_time`."""
        return self.perspective().at_time(seconds)

    def play(
        self,
        agent: Union[_A, type[_A]],
        *,
        from_loop: Optional[int] = None,
        to_loop: Optional[int] = None,
        perspective: Optional[int] = None,
    ) -> ReplayResult[_A]:
        """Plays the recording to an agent, without a bridge or a game. Returns what the agent did.

            played = recording.play(Scout, to_loop=4032)
            assert played.agent.bases_seen == 2

        agent: an agent, or an agent's class, which is called without arguments.
        from_loop, to_loop: the game loops of the first and the last frame that the agent receives; None for no limit.
        perspective: a player id, or 0 for an observer of all players; None for the match's first perspective.
        Raises the exceptions of the agent. Raises LookupError if the recording ends before a given loop or does not
        have the perspective, RecordingError if the recording is damaged.
        """
        return play(self, agent, self.perspective(perspective).between(from_loop, to_loop))

    # ---- the match -----------------------------------------------------------------------------------------------

    @cached_property
    def match(self) -> Match:
        """The match's description for the first perspective, with the game's constants by name. Raises RecordingError
        if the description is damaged."""
        return self.describe()

    def describe(self, perspective: Optional[int] = None) -> Match:
        """The match's description for a perspective; None for the first perspective. If agents played both sides, each
        side had its own game program, and each description has the `game_info` of that side's program.

        Raises LookupError if the perspective was not recorded, RecordingError if the description is damaged.
        """
        if perspective is None:
            number = next(iter(self._match.bare_description.perspectives), 0)
            description = self._match.first_description
        else:
            number = self.perspective(perspective).perspective
            description = self._match.description_of(number)
        match = Match(description, number)
        with contextlib.suppress(RecordingError):  # The description is useful without the end.
            match.end = self.end
        return match

    @property
    def end(self) -> Optional[MatchEnd]:
        """How the match ended; None if the recording has no end of the match."""
        return self._match.end

    def analysis(self) -> analyses.Analysis:
        """The fights, and each player's bases, supply blocks, idle production, unspent resources and failed actions.
        Raises LookupError if the recording has no analysis, RecordingError if the analysis is damaged."""
        attached = self._file.attachment("analysis")
        if attached is None:
            raise LookupError(
                f"{self.path} has no analysis: if the file is complete, "
                f"`sc2bridge inspect {self.path} --fights` adds the analysis"
            )
        try:
            return analyses.parse(attached)
        except ValueError as error:
            message_text = (
                f"{self.path}: the attachment analysis is invalid ({error}): "
                f"`sc2bridge inspect {self.path} --fights` replaces it"
            )
            raise RecordingError("damaged", self._file.path, 0, message_text) from None

    @property
    def gaps(self) -> list[recording_pb2.Gap]:
        """The gaps: observations that the bridge published but could not write to the recording."""
        return self._match.gaps

    # ---- other records -------------------------------------------------------------------------------------------

    @property
    def steps(self) -> Records[recording_pb2.StepRecord]:
        """The step log: one record per step, with the fields of `steps.csv`."""
        return Records(self._file, "/step", recording_pb2.StepRecord)

    @property
    def requests(self) -> Records[recording_pb2.RequestRecord]:
        """The requests of agents to the game, and the game's answers."""
        return Records(self._file, "/request", recording_pb2.RequestRecord)

    @property
    def actions(self) -> Records[recording_pb2.ActionRecord]:
        """The actions of agents, and of bots behind the proxy."""
        return Records(self._file, "/action", recording_pb2.ActionRecord)

    @property
    def path(self) -> str:
        """The path of the file."""
        return str(self._file.path)

    @property
    def damage(self) -> Optional[RecordingError]:
        """The damage after which nothing can be read; None for a complete recording. A damaged chunk in the middle of a
        complete file is reported only when the chunk is read."""
        damage = self._file.index.damage
        return None if damage is None else self._file.error(damage)

    def __reduce__(self) -> Any:
        return open_recording, (self.path,)

    def close(self) -> None:
        """Closes the file. Frames that were already read stay usable."""
        self._file.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Recording {self.path}: {len(self)} frames>"
