"""Reads recordings below a folder frame by frame, and as tables: patch_recordings.py FOLDER."""

import pathlib
import sys

import sc2bridge
from sc2bridge.bot import BotAI

recordings = frames = unknown = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*.mcap")):
    with sc2bridge.open_recording(str(path)) as recording:
        first = recording[0]
        for frame in recording:
            assert len(BotAI.for_frame(recording.describe(1), frame, first).all_units) > 0
            frames += 1
            unknown += int((frame.units.unit_type >= 6000).sum())
    recordings += 1
print(f"{recordings} recordings, {frames} frames, {unknown} units of unknown types")
