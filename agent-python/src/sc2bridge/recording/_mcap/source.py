"""Random access to a file's bytes."""

from __future__ import annotations

import os
import threading


class FileSource:
    """The bytes of a file. Threads and forked processes may share this object. A forked process shares the file's
    descriptor and position, so no code here relies on the position."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = open(path, "rb", buffering=0)
        self._lock = threading.Lock()
        self._owner_pid = os.getpid()
        self.size = os.fstat(self._file.fileno()).st_size

    def read(self, offset: int, length: int) -> bytes:
        """Reads exactly `length` bytes. Raises ValueError if this object was closed, EOFError if the file has become
        shorter."""
        pieces: list[bytes] = []
        while length > 0:
            piece = self._read_piece(offset, length)
            if not piece:
                raise EOFError(offset)
            pieces.append(piece)
            offset += len(piece)
            length -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read_piece(self, offset: int, length: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._file.fileno(), length, offset)
        return self._read_with_seek(offset, length)

    def _read_with_seek(self, offset: int, length: int) -> bytes:
        """Reads without `pread`, which is missing on Windows."""
        with self._lock:
            if self._owner_pid != os.getpid():
                self._file, self._owner_pid = open(self._path, "rb", buffering=0), os.getpid()
            self._file.seek(offset)
            return self._file.read(length) or b""

    def close(self) -> None:
        self._file.close()
