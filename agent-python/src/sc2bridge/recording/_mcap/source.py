"""A file whose bytes are read at any place."""

from __future__ import annotations

import os
import threading


class FileSource:
    """Threads may share it, and so may processes: one that was forked has the same descriptor, and with it the same
    place in the file, so that nothing here depends on that place."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = open(path, "rb", buffering=0)
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self.size = os.fstat(self._file.fileno()).st_size

    def read(self, offset: int, length: int) -> bytes:
        """So many bytes. Raises ValueError where the file was closed, EOFError where it has become shorter."""
        pieces: list[bytes] = []
        while length > 0:
            piece = self._piece(offset, length)
            if not piece:
                raise EOFError(offset)
            pieces.append(piece)
            offset += len(piece)
            length -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _piece(self, offset: int, length: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._file.fileno(), length, offset)
        return self._sought(offset, length)

    def _sought(self, offset: int, length: int) -> bytes:
        """Where there is no `pread`, as on Windows."""
        with self._lock:
            if self._owner != os.getpid():
                self._file, self._owner = open(self._path, "rb", buffering=0), os.getpid()
            self._file.seek(offset)
            return self._file.read(length) or b""

    def close(self) -> None:
        self._file.close()
