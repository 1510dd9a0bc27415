"""Writes the unit table and the other content of each frame to the folder that COLLECT names."""

import os
import pathlib
import sys

from sc2bridge import Agent, Frame
from sc2bridge.s2clientprotocol import sc2api_pb2


def told(table):
    for name in table.fields:
        yield name.encode()
        yield getattr(table, name).tobytes()
        yield table.present(name).tobytes()


class Tabulator(Agent):
    def __init__(self) -> None:
        name = sys.argv[sys.argv.index("--name") + 1]
        self._folder = pathlib.Path(os.environ["COLLECT"]) / name
        self._folder.mkdir()

    def on_step(self, frame: Frame) -> None:
        units = frame.units
        parts = [*told(units), *told(units.own), *told(units.neutral[::3])]
        for lists in (units.orders, units.passengers, units.buffs, units.rally_targets, units.own.orders):
            parts += [lists.offsets.tobytes(), *told(lists)]
        rest = sc2api_pb2.ResponseObservation()
        rest.CopyFrom(frame.observation)
        if frame.content == "columns":
            assert len(rest.observation.raw_data.units) == 0
        rest.observation.raw_data.ClearField("units")
        parts.append(rest.SerializeToString(deterministic=True))
        (self._folder / f"{frame.step:04}").write_bytes(b"\n".join(parts))
