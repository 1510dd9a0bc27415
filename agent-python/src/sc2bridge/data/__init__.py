"""Recordings as tables and datasets.

    recordings  the recordings in files and folders, with their numbers of frames
    tables      frames as numpy arrays or pandas tables
    named       names of ids, and results of matches
    datasets    frames for training, with or without torch; import `sc2bridge.data.datasets` yourself, because this
                module imports torch if torch is installed

docs/guide/data.md has examples.
"""

from sc2bridge.data.named import GameNames, names, outcomes
from sc2bridge.data.recordings import Part, Recordings
from sc2bridge.data.tables import TABLES, batches, dataframes

__all__ = ["TABLES", "GameNames", "Part", "Recordings", "batches", "dataframes", "names", "outcomes"]
