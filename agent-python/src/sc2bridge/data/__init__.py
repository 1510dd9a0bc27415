"""Recordings as tables and datasets: docs/guide/data.md.

    recordings  which recordings there are, and how many frames each has, of the files' ends alone
    tables      frames as numpy arrays, and as pandas
    datasets    frames to train on, with torch or without; imported by its own name, as it imports torch where that is
"""

from sc2bridge.data.recordings import Part, Recordings
from sc2bridge.data.tables import TABLES, batches, dataframes

__all__ = ["TABLES", "Part", "Recordings", "batches", "dataframes"]
