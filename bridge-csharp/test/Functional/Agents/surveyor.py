"""Writes the variables of its environment, in the folder that COLLECT names."""

import json
import os
import pathlib

from sc2bridge import Agent, Frame


class Surveyor(Agent):
    def __init__(self) -> None:
        (pathlib.Path(os.environ["COLLECT"]) / "environment").write_text(json.dumps(sorted(os.environ)))

    def on_step(self, frame: Frame) -> None:
        pass
