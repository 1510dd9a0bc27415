"""Recordings as tables and datasets: docs/guide/data.md.

    recordings  which recordings there are, and how many frames each has, of the files' ends alone
    tables      frames as numpy arrays, and as pandas
    named       the names of ids, and how the matches ended
    datasets    frames to train on, with torch or without; imported by its own name, as it imports torch where that is
"""

from sc2bridge.data.named import GameNames, names, outcomes
from sc2bridge.data.recordings import Part, Recordings
from sc2bridge.data.tables import TABLES, batches, dataframes

__all__ = ["TABLES", "GameNames", "Part", "Recordings", "batches", "dataframes", "names", "outcomes"]
