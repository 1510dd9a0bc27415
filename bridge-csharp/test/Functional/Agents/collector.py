"""Saves every observation in the folder that COLLECT names."""

import os
import pathlib
import sys

from sc2bridge import Agent, Frame


class Collector(Agent):
    def __init__(self) -> None:
        name = sys.argv[sys.argv.index("--name") + 1]
        self._folder = pathlib.Path(os.environ["COLLECT"]) / name
        self._folder.mkdir()

    def on_step(self, frame: Frame) -> None:
        if frame.encoding == "json":
            # The message that google.protobuf.json_format makes of the text.
            content = frame.observation.SerializeToString()
        else:
            content = bytes(frame.raw)
        (self._folder / f"{frame.step:04}").write_bytes(content)
