"""Recordings of matches: `sc2bridge.open_recording`. docs/reference/recording-format.md documents the file format.

    _mcap       reads the container: the file, its index, chunks and records
    seek        finds the chunk that contains a game loop
    frames      the frames of a perspective
    recording   an open recording: its frames, description and other records
    play        plays a recording to an agent
    export      writes the units as a table
    analysis    fights and other important events of a match
"""

from sc2bridge.recording.analysis import Analysis, Fight
from sc2bridge.recording.frames import Frames, Perspective
from sc2bridge.recording.play import ActionRecord, DrawingRecord, QueryRecord, ReplayResult
from sc2bridge.recording.recording import Recording, Records, open_recording

__all__ = [
    "ActionRecord",
    "Analysis",
    "DrawingRecord",
    "Fight",
    "Frames",
    "Perspective",
    "QueryRecord",
    "Recording",
    "Records",
    "ReplayResult",
    "open_recording",
]
