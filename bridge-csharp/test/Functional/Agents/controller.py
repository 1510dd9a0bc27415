"""Controls its playback, and fails if the frames are not the requested ones.

Start the playback with --paused. The recording needs a step for each game loop from 0 to 299. A live match refuses it.
"""

from sc2bridge import Agent, BridgeError, Frame, Match, MatchEnd


class Controller(Agent):
    def __init__(self) -> None:
        self._script = self._steps()
        self._expected = next(self._script)

    def on_start(self, match: Match) -> None:
        self._live = not match.recording
        if self._live:
            for wish in (self.bridge.pause, self.bridge.playback, lambda: self.bridge.seek(loop=4)):
                self._refused(wish, 9, "is not played from a recording")

    def on_step(self, frame: Frame) -> None:
        if self._live:
            return
        heard = (frame.step, frame.seeked)
        if self._expected is not None:
            assert heard == self._expected, f"{heard} came, not {self._expected}"
            self._expected = self._script.send(frame)

    def on_end(self, end: MatchEnd) -> None:
        assert self._live or self._expected is None, f"the match ended before {self._expected}"
        print("controlled to the end" if not self._live else "refused", flush=True)

    def _refused(self, wish, code: int, why: str) -> None:
        try:
            wish()
        except BridgeError as error:
            assert error.code == code and why in error.message, str(error)
        else:
            raise AssertionError(f"not refused with {why!r}")

    def _steps(self):
        """The expected frames: the step of each, and whether it follows a jump."""
        frame = yield 0, False
        bridge = self.bridge
        state = bridge.playback()
        assert (state.paused, state.step, state.last_step, state.last_game_loop) == (True, 0, 299, 299), str(state)
        assert bridge.step(3).paused
        for step in (1, 2, 3):
            frame = yield step, False
        assert bridge.playback().step == 3

        # There and back.
        assert bridge.seek(loop=200).step == 200
        frame = yield 200, True
        assert frame.game_loop == 200
        assert bridge.seek(step=50).game_loop == 50
        frame = yield 50, True
        assert bridge.step(-1).step == 49
        frame = yield 49, True
        bridge.step()
        frame = yield 50, False
        bridge.seek(step=50)
        frame = yield 50, True

        for wish, why in (
            (lambda: bridge.seek(loop=300), "choose from 0 to 299"),
            (lambda: bridge.seek(step=1 << 40), "choose from 0 to 299"),
            (lambda: bridge.set_rate(20_000), "from 0.001 to 10000"),
            (lambda: bridge.set_rate(0.0001), "from 0.001 to 10000"),
        ):
            self._refused(wish, 3, why)
        self._refused(lambda: bridge.pause(match_id="other"), 5, "does not run")

        # A rate at which no frame would arrive, and then a normal rate.
        assert bridge.set_rate(0.001).rate == 0.001
        assert bridge.seek(loop=100).step == 100
        frame = yield 100, True
        assert bridge.set_rate("max").rate == 0
        assert bridge.step(2).paused
        for step in (101, 102):
            frame = yield step, False
        bridge.step(20)
        for step in range(103, 110):
            frame = yield step, False
        state = bridge.pause()
        assert state.paused
        for step in range(frame.step + 1, state.step + 1):  # On their way already.
            frame = yield step, False
        bridge.seek(loop=290)
        frame = yield 290, True
        assert not bridge.resume().paused
        for step in range(291, 300):
            frame = yield step, False
        yield None
