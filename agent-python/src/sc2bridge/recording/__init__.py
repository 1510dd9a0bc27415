"""Recordings of matches: `sc2bridge.open_recording`. docs/recordings.md says what is in such a file.

    mcap        the container's records, from bytes
    chunk       a chunk's messages, decompressed and found without a copy
    index       where everything is: the summary, or a pass over a file that has none
    file        the file, and the chunk that was opened last
    seek        which chunk a game loop is in
    frames      the frames of a perspective
    recording   all of it, as agents' authors use it
    play        an agent played through a recording
"""

from sc2bridge.recording.frames import Frames, Perspective
from sc2bridge.recording.recording import Recording, Records, open_recording

__all__ = ["Frames", "Perspective", "Recording", "Records", "open_recording"]
