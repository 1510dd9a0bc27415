"""Types a line and a tab into a shell in a terminal of its own, and prints the words with which the shell then runs sc2bridge.

python complete.py LINE SHELL…, whose prompt is READY>.
"""

import os
import pty
import select
import sys
import time

line, shell = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execvpe(shell[0], shell, {**os.environ, "TERM": "dumb"})
said, deadline = b"", time.monotonic() + 120


def wait_for(words: bytes) -> None:
    global said
    while words not in said:
        if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
            sys.exit(f"no {words!r} in {said!r}")
        said += os.read(terminal, 4096)


wait_for(b"READY>")
os.write(terminal, line.encode() + b"\t\r")
wait_for(b"<END>")
os.write(terminal, b"exit\r")
print(said.decode().split("<BEGIN>")[-1].split("<END>")[0])
