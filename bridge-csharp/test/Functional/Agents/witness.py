"""Writes a line for each event to a file in the folder that COLLECT names. Equal input gives equal lines.

A line has no times, and of the description nothing that is said to be a playback's own.
"""

import hashlib
import os
import pathlib
import sys

from sc2bridge import Agent, BridgeError, Frame, Match, MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


class Witness(Agent):
    def __init__(self) -> None:
        name = sys.argv[sys.argv.index("--name") + 1]
        self._asks = "lockstep" in sys.argv
        self._file = open(pathlib.Path(os.environ["COLLECT"]) / name, "w")

    def _say(self, *words) -> None:
        print(*words, file=self._file, flush=True)

    def on_start(self, match: Match) -> None:
        for part in (match.game_info, match.data):
            self._say(part.DESCRIPTOR.name, digest(part.SerializeToString(deterministic=True)))
        for own in ("game_info", "data", "recording", "clock_id", "rate", "realtime"):
            match.description.ClearField(own)
        self._say("match", match.description.SerializeToString(deterministic=True).hex())

    def on_step(self, frame: Frame) -> None:
        content = frame.raw
        if isinstance(content, str):
            # The event's text. The bytes before the payload contain times.
            content = content[content.index(f'"{frame.content}":') :].encode()
        skipped = frame.skipped.SerializeToString(deterministic=True).hex() if frame.skipped else "none"
        self._say(
            *(frame.match_id, frame.perspective, frame.step, frame.game_loop, frame.content, frame.encoding),
            *("seeked" if frame.seeked else "follows", "skipped", skipped, len(content), digest(bytes(content))),
        )
        if self._asks and frame.step % 5 == 0:
            self._ask(frame)

    def _ask(self, frame: Frame) -> None:
        # The answer changes from step to step.
        request = sc2api_pb2.Request()
        path = request.query.pathing.add()
        path.start_pos.x, path.start_pos.y = 30.0 + frame.step / 100, 30.0
        path.end_pos.x, path.end_pos.y = 60.0, 60.0
        try:
            answer = self.bridge.request(request, perspective=frame.perspective)
            self._say("answer", answer.query.SerializeToString(deterministic=True).hex())
        except BridgeError as refused:
            self._say("refused", refused.code, refused.message)

    def on_end(self, end: MatchEnd) -> None:
        results = [result.SerializeToString(deterministic=True).hex() for result in end.results]
        self._say("end", end.match_id, end.step, end.game_loop, end.reason, end.detail, end.aborted, *results)
