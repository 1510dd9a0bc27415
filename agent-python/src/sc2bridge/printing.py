"""Text of peers and files on a terminal."""

import sys


def printable(text: str) -> str:
    """Escapes control and format characters, because they could command a terminal or look like other lines."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def say(code: int, line: str) -> int:
    """Prints a line to stderr and returns the exit code."""
    print(f"sc2bridge: {printable(line)}", file=sys.stderr, flush=True)
    return code
