"""Prints text safely on a terminal, even if another program or a file supplied the text."""

import sys


def printable(text: str) -> str:
    """Escapes control and format characters. Unescaped, they could control the terminal or imitate other lines."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def report(exit_code: int, line: str) -> int:
    """Prints a line to stderr. Returns `exit_code`, so that a command can end with `return report(…)`."""
    print(f"sc2bridge: {printable(line)}", file=sys.stderr, flush=True)
    return exit_code
