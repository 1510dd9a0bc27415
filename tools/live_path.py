#!/usr/bin/env python3
"""Counts the files and the lines of code that handle one observation on its way to an agent and back.

    tools/live_path.py      prints each path of docs/architecture.md with its files, its lines and its limits

A path in that document is a line "PATH: at most F files, L lines", with a line "FOLDER: NAME NAME …" below it for each folder.
The name * means all files of the folder. Exits with 1 if a file does not exist, with 2 if a path is over its limits.
"""

import pathlib
import re
import sys

from check_budgets import ROOT, code_lines

PAGE = ROOT / "docs/architecture.md"
SOURCES = "bridge-csharp/src/Sc2Bridge."
PATH = re.compile(r"(?P<name>[^:]+): at most (?P<files>\d+) files, (?P<lines>[\d,]+) lines")
FOLDER = re.compile(r"  (?P<folder>[\w/]+): (?P<names>.+)")


def files_of(folder: str, names: str) -> list[str]:
    """The paths of the files of a line, from the root of the repository."""
    found = []
    for name in names.split():
        every = sorted((ROOT / f"{SOURCES}{folder}").glob("*.cs")) if name == "*" else []
        found += [str(file.relative_to(ROOT)) for file in every] or [f"{SOURCES}{folder}/{name}.cs"]
    return found


def main() -> int:
    paths: list[tuple[str, int, int, list[str]]] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if begun := PATH.fullmatch(line):
            paths.append((begun["name"], int(begun["files"]), int(begun["lines"].replace(",", "")), []))
        elif paths and (part := FOLDER.fullmatch(line)):
            paths[-1][3].extend(files_of(part["folder"], part["names"]))

    missing = [file for *_, files in paths for file in files if not (ROOT / file).is_file()]
    for file in missing:
        print(f"{PAGE.name} names {file}, which does not exist")
    if missing or not paths:
        return 1

    over = False
    for name, most_files, most_lines, files in paths:
        lines = sum(code_lines(file, (ROOT / file).read_text(encoding="utf-8")) for file in files)
        print(f"{name}: {len(files)} files (at most {most_files}), {lines} lines (at most {most_lines})")
        over |= len(files) > most_files or lines > most_lines
    return 2 if over else 0


if __name__ == "__main__":
    sys.exit(main())
