"""Jumps in a playback while others do too, and fails if its events are out of order.

The recording has the steps 0 to 299. Each frame follows the one before it or is marked as one that does not, and a
step has the same content each time.
"""

import hashlib
import random
import sys

from sc2bridge import Agent, BridgeError, Frame, Match, MatchEnd

SEEKS = 60


class Jumper(Agent):
    def __init__(self) -> None:
        self._random = random.Random(sys.argv[sys.argv.index("--name") + 1])
        self._contents: dict[int, str] = {}
        self._last = -1
        self._heard = self._jumps = self._again = 0
        self._seeks = SEEKS

    def on_start(self, match: Match) -> None:
        assert match.recording

    def on_step(self, frame: Frame) -> None:
        assert frame.seeked or frame.step == self._last + 1, f"{frame.step} came after {self._last}"
        assert frame.game_loop == frame.step
        self._last = frame.step
        self._heard += 1
        self._jumps += frame.seeked
        content = frame.raw
        if isinstance(content, str):
            # The event's text. The bytes before the payload contain times.
            content = content[content.index(f'"{frame.content}":') :].encode()
        digest = hashlib.sha256(content).hexdigest()
        self._again += frame.step in self._contents
        assert self._contents.setdefault(frame.step, digest) == digest, f"step {frame.step} is another now"
        if self._seeks > 0 and self._heard % 5 == 0:
            self._seeks -= 1
            # A short jump, so that the playback does not end before the next request.
            step = self._random.randint(0, 250)
            try:
                assert self.bridge.seek(step=step).step == step
            except BridgeError as error:
                # Another agent let the playback reach its end. The bridge then has no match, or has ended this subscription.
                assert error.code == 9, str(error)
                assert "no match runs" in error.message or "session has ended" in error.message, str(error)

    def on_end(self, end: MatchEnd) -> None:
        print(f"{self._heard} heard, {self._jumps} jumps, {self._again} again", flush=True)
