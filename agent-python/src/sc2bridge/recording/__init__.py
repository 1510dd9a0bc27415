"""Recordings of matches: `sc2bridge.open_recording`. docs/reference/recording-format.md says what is in such a file.

    _mcap       the container: its records, chunks and index, and the file
    seek        which chunk a game loop is in
    frames      the frames of a perspective
    recording   all of it, as agents' authors use it
    play        an agent played through a recording
    export      its units as a table
    analysis    fights, and what else decided the match
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
