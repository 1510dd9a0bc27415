"""An open recording: what `sc2bridge.open_recording` gives."""

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
from sc2bridge.recording.described import Described
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

    One that was cut off, or that is still being written, opens up to its last whole chunk (`recording.damage`); its
    chunks are all read once then. Raises RecordingError for a file that is no recording, OSError for one that cannot
    be opened.
    """
    return Recording(path)


class Records(Generic[_M]):
    """The messages of one channel, parsed one after another as they are iterated over."""

    def __init__(self, file: RecordingFile, topic: str, kind: Any) -> None:
        self._file = file
        self._topic = topic
        self._kind = kind

    def __len__(self) -> int:
        return self._file.count(self._topic)

    def __iter__(self) -> Iterator[_M]:
        """Raises RecordingError behind the last whole one where there should be more."""
        for _, data in self._file.messages(self._topic):
            yield self._parsed(data)

    def whole(self) -> Iterator[tuple[Location, _M]]:
        """The messages of whole chunks, each with its location. Damage is not reported."""
        for location, data in self._file.messages(self._topic, whole_only=True):
            yield location, self._parsed(data)

    def at(self, location: Location) -> _M:
        """One of them again. Raises RecordingError if its chunk is damaged."""
        return self._parsed(self._file.message(location))

    def _parsed(self, data: memoryview) -> _M:
        parsed: _M = parse_checked(self._kind, data, f"a message of {self._topic}")
        return parsed


class Recording:
    """A match that was recorded: its frames, and what else was written down.

    `recording[i]`, slices, iteration, `at_loop` and `at_time` are those of the match's first perspective; `perspective`
    gives another's. One chunk (some 8 MiB) is in memory at a time, and those that frames show which are kept. Threads
    may share it, and so may processes: one that was forked, and one that was sent it, which opens the file anew.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self._file = RecordingFile(path)
        self._perspectives: dict[int, Perspective] = {}
        self._described = Described(self._file)

    # ---- frames --------------------------------------------------------------------------------------------------

    @property
    def perspectives(self) -> list[int]:
        """The recorded perspectives: player ids, 0 for an observer of all."""
        channels = self._file.index.channels.values()
        return sorted(int(channel.topic[len(OBSERVATIONS) :]) for channel in channels if is_observations(channel))

    def perspective(self, number: Optional[int] = None) -> Perspective:
        """The frames of a perspective; None for the match's first.

        Raises LookupError for one that was not recorded, RecordingError where that is not to be told, as the recording
        was cut off before its first frames.
        """
        there, start = self.perspectives, self._described.start
        if number is None:
            chosen = next((one for one in start.perspectives if one in there), there[0] if there else 0)
        elif number in there:
            chosen = number
        elif not there and self.damage is not None:
            raise self.damage
        else:
            raise LookupError(f"perspective {number} was not recorded: choose {', '.join(map(str, there)) or 'none'}")
        if chosen not in self._perspectives:
            self._perspectives[chosen] = Perspective(self._file, self._described, chosen)
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
        """Plays the recording to an agent, with no bridge and no game, and gives what came of it.

            played = recording.play(Scout, to_loop=4032)
            assert played.agent.bases_seen == 2

        agent: an agent, or its class, which is made without arguments then.
        from_loop, to_loop: the game loops of the first and the last frame that it receives; None for all there are.
        perspective: a player id, 0 for an observer of all; None for the match's first.
        What the agent raises passes through. Raises LookupError where the recording does not reach so far, or has no such
        perspective; RecordingError.
        """
        return play(self, agent, self.perspective(perspective).between(from_loop, to_loop))

    # ---- the match -----------------------------------------------------------------------------------------------

    @cached_property
    def match(self) -> Match:
        """The match as the first perspective had it described, with the game's constants by name.

        Raises RecordingError if the description is damaged.
        """
        return self.describe()

    def describe(self, perspective: Optional[int] = None) -> Match:
        """The match as a perspective had it described: with the `game_info` of its own game, if two sides were played; None for
        the first one.

        Raises LookupError for a perspective that was not recorded, RecordingError if the description is damaged.
        """
        if perspective is None:
            number, description = next(iter(self._described.start.perspectives), 0), self._described.first
        else:
            number = self.perspective(perspective).perspective
            description = self._described.of(number)
        match = Match(description, number)
        with contextlib.suppress(RecordingError):  # A description is whole without the end.
            match.end = self.end
        return match

    @property
    def end(self) -> Optional[MatchEnd]:
        """How the match ended; None if the recording ends before."""
        return self._described.end

    def analysis(self) -> analyses.Analysis:
        """Fights, expansions, supply blocks, idle production, unspent resources and failed actions.

        Raises LookupError if the recording has no analysis, RecordingError if it is damaged.
        """
        attached = self._file.attachment("analysis")
        if attached is None:
            raise LookupError(f"it has no analysis: if it is whole, `sc2bridge inspect {self.path} --fights` adds one")
        try:
            return analyses.parse(attached)
        except ValueError as error:
            line = (
                f"{self.path}: the attachment analysis is not an analysis ({error}): "
                f"`sc2bridge inspect {self.path} --fights` replaces it"
            )
            raise RecordingError("damaged", self._file.path, 0, line) from None

    @property
    def gaps(self) -> list[recording_pb2.Gap]:
        """Observations that were published and could not be written down."""
        return self._described.gaps

    # ---- beside the frames ---------------------------------------------------------------------------------------

    @property
    def steps(self) -> Records[recording_pb2.StepRecord]:
        """The step log, a record a step, as `steps.csv` has it."""
        return Records(self._file, "/step", recording_pb2.StepRecord)

    @property
    def requests(self) -> Records[recording_pb2.RequestRecord]:
        """What agents asked of the game, with its answers."""
        return Records(self._file, "/request", recording_pb2.RequestRecord)

    @property
    def actions(self) -> Records[recording_pb2.ActionRecord]:
        """What agents, and bots behind the proxy, had their players do."""
        return Records(self._file, "/action", recording_pb2.ActionRecord)

    @property
    def path(self) -> str:
        """The file."""
        return str(self._file.path)

    @property
    def damage(self) -> Optional[RecordingError]:
        """What ends the frames before the end of the match; None for a recording that ends as it should.

        A chunk within a whole file that was damaged shows when it is read.
        """
        damage = self._file.index.damage
        return None if damage is None else self._file.error(damage)

    def __reduce__(self) -> Any:
        return open_recording, (self.path,)

    def close(self) -> None:
        """Closes the file. Frames that were read stay as they are."""
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
