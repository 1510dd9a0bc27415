"""Tries every way to see the other side, and writes the results to the folder that COLLECT names.

A line for each try: its name, and the bridge's error code, or 0 if it was accepted.
"""

import os
import pathlib
import sys

import sc2bridge
from sc2bridge import Agent, BridgeError, Frame
from sc2bridge.s2clientprotocol import sc2api_pb2


class Spy(Agent):
    def __init__(self) -> None:
        words = sys.argv
        self._mine = int(words[words.index("--perspective") + 1])
        self._bridge = words[words.index("--bridge") + 1]
        self._encoding = words[words.index("--encoding") + 1] if "--encoding" in words else None
        self._file = open(pathlib.Path(os.environ["COLLECT"]) / words[words.index("--name") + 1], "w")
        assert os.environ.get("SC2BRIDGE_TOKEN", "-") not in words

    def on_step(self, frame: Frame) -> None:
        assert frame.perspective == self._mine
        if frame.step != 3:
            return
        other = 3 - self._mine
        ask = sc2api_pb2.Request(game_info=sc2api_pb2.RequestGameInfo())
        save = sc2api_pb2.Request(save_replay=sc2api_pb2.RequestSaveReplay())
        self._try("own describe", lambda: self.bridge.describe(perspective=self._mine))
        self._try("own request", lambda: self.bridge.request(ask, perspective=self._mine))
        self._try("other describe", lambda: self.bridge.describe(perspective=other))
        self._try("other request", lambda: self.bridge.request(ask, perspective=other))
        self._try("replay", lambda: self.bridge.request(save, perspective=self._mine))
        for token, name in ((None, "own token"), ("", "no token"), ("0" * 32, "guessed token")):
            self._try(f"other heard, {name}", lambda: self._join(token, other))
            self._try(f"other played, {name}", lambda: self._join(token, other, can_act=True))

    def _join(self, token, perspective, **more) -> None:
        with sc2bridge.connect(self._bridge, self._encoding, token=token) as bridge:
            # A refusal arrives before any frame.
            frames = bridge.subscribe("latest", perspective=perspective, **more)
            try:
                assert next(iter(frames)).perspective == perspective
            finally:
                frames.close()

    def _try(self, what, do) -> None:
        try:
            do()
            code = 0
        except BridgeError as refused:
            code = refused.code
        print(what, code, file=self._file, flush=True)
