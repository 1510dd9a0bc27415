#!/usr/bin/env python3
"""Compares the project's language and size with budgets that can only be lowered.

    tools/check_budgets.py              prints each folder that is over its budget, and then exits with 1
    tools/check_budgets.py --lower      writes the current counts to tools/budgets.tsv if they are lower than the budgets
    tools/check_budgets.py --list PATH… prints the hard phrases of these files and folders

For each folder it counts four things:
    phrases       hard phrases in prose: documents, comments, docstrings and messages (the rules are in CONTRIBUTING.md)
    lines         lines of code, without blank lines, comments and docstrings
    long files    files of more than 350 lines of text
    public types  types that other projects can use

Every folder may have 1.5 phrases in a thousand words. A folder that is not in tools/budgets.tsv has the budget 0: for a new
folder, run --lower. A budget must not be higher than in any committed version of tools/budgets.tsv. A feature that needs more
code adds a line to tools/budget_grants.tsv (date, kind, folder, number, reason). The number is added to the budget.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
from typing import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUDGETS = pathlib.Path("tools/budgets.tsv")
GRANTS = pathlib.Path("tools/budget_grants.tsv")
KINDS = ("phrases", "lines", "long files", "public types")
LONG_FILE = 350
ALLOWED_IN_A_THOUSAND = 1.5

RULES = [
    (name, re.compile(pattern, re.IGNORECASE), plain)
    for line in (ROOT / "tools/phrases.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for name, pattern, plain in [line.split("\t")]
]

# Match the comments and the strings of a source file, from its beginning to its end.
C_STYLE = re.compile(
    r'//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|"{3}(?P<raw>.*?)"{3}|"(?P<text>(?:\\.|[^"\\\n])*)"|'
    r"'(?:\\.|[^'\\\n])*'|`(?P<template>(?:\\.|[^`\\])*)`",
    re.DOTALL,
)
HASH_STYLE = re.compile(
    r"(?<!\S)#(?P<line>[^\n]*)|(?P<quotes>\"{3}|'{3})(?P<block>.*?)(?P=quotes)|\"(?P<text>(?:\\.|[^\"\\\n])*)\"|'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
CODE = {
    ".cs": C_STYLE,
    ".ts": C_STYLE,
    ".tsx": C_STYLE,
    ".js": C_STYLE,
    ".mjs": C_STYLE,
    ".proto": C_STYLE,
    ".py": HASH_STYLE,
    ".sh": HASH_STYLE,
    "": HASH_STYLE,
}
SETTINGS = {".yml": HASH_STYLE, ".yaml": HASH_STYLE, ".toml": HASH_STYLE}
DOCUMENTS = {".md", ".html"}
FOREIGN = re.compile(
    r"(?:^|/)(?:s2clientprotocol|foxglove|Corpus|raw)/|package(?:-lock|s\.lock)\.json$|(?:^|/)LICENSE$"
)
TYPES = {
    ".cs": re.compile(
        r"^[ \t]*public (?:(?:abstract|sealed|static|readonly|partial|ref|unsafe) )*(?:class|struct|record|interface|enum|delegate)\b",
        re.MULTILINE,
    ),
    ".py": re.compile(r"^class [A-Z]", re.MULTILINE),
    ".ts": re.compile(r"^export (?:abstract )?(?:class|interface|type|enum)\b", re.MULTILINE),
}


def folder_of(path: str) -> str:
    """The folder to which a file counts: a C# project, or else the first two levels of its path."""
    parts = path.split("/")
    return "/".join(parts[: min(3 if parts[0] == "bridge-csharp" else 2, max(len(parts) - 1, 1))])


def tracked_files(paths: list[str]) -> Iterator["tuple[str, str]"]:
    """The path and the text of each tracked file that this project wrote."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *paths], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for path in filter(None, listed.split("\0")):
        file = ROOT / path
        kind = file.suffix
        known = (
            kind in DOCUMENTS
            or kind in SETTINGS
            or kind in CODE
            and (kind or path.startswith(("tools/", "sc2bridge", ".ci/")))
        )
        if known and file.is_file() and not FOREIGN.search(path):
            yield path, file.read_text(encoding="utf-8", errors="replace")


def readable_passages(path: str, text: str) -> list[tuple[int, str]]:
    """The passages of a file that a person reads, each with the number of its first line."""
    kind = pathlib.PurePosixPath(path).suffix
    if kind in DOCUMENTS:
        readable = re.sub(
            r"^(```|~~~).*?^\1|`[^`\n]*`|\]\([^)]*\)|<[^>\n]*>",
            lambda cut: " " + "\n" * cut[0].count("\n"),
            text,
            flags=re.MULTILINE | re.DOTALL,
        )
        return [(1, readable)]
    scan = CODE.get(kind) or SETTINGS[kind]
    found = []
    for match in scan.finditer(text):
        name = match.lastgroup
        if name is None:
            continue
        passage = match[name]
        if name in ("line", "block") or len(passage.split()) > 2:
            found.append((text.count("\n", 0, match.start()) + 1, passage))
    return found


def find_phrases(path: str, text: str) -> tuple[list[tuple[int, str, str, str]], int]:
    """The hard phrases of a file (number of the line, rule, line, plain form), and the number of its words."""
    hits, words = [], 0
    for first, passage in readable_passages(path, text):
        for number, line in enumerate(passage.split("\n"), first):
            line = line.strip(" /*#\t")
            words += len(line.split())
            hits += [(number, name, line, plain) for name, rule, plain in RULES for _ in rule.finditer(line)]
    return hits, words


def code_lines(path: str, text: str) -> int:
    """The number of lines of code, without blank lines, comments and docstrings."""
    scan = CODE.get(pathlib.PurePosixPath(path).suffix)
    if scan is None:
        return 0

    def without(match: re.Match[str]) -> str:
        is_docstring = (
            scan is HASH_STYLE
            and match["block"] is not None
            and not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        )
        is_comment = match["line"] is not None or scan is C_STYLE and match["block"] is not None or is_docstring
        return "\n" * match[0].count("\n") if is_comment else match[0]

    return sum(1 for line in scan.sub(without, text).split("\n") if line.strip())


Figures = dict[str, dict[str, int]]  # counts by kind and folder


def measure_folders() -> tuple[Figures, dict[str, int]]:
    """Counts all tracked files. Returns the counts, and the number of words of each folder."""
    figures: dict[str, collections.Counter[str]] = {kind: collections.Counter() for kind in KINDS}
    words: collections.Counter[str] = collections.Counter()
    for path, text in tracked_files([]):
        folder, kind = folder_of(path), pathlib.PurePosixPath(path).suffix
        hits, count = find_phrases(path, text)
        words[folder] += count
        figures["phrases"][folder] += len(hits)
        if kind in CODE:
            figures["lines"][folder] += code_lines(path, text)
            figures["long files"][folder] += text.count("\n") > LONG_FILE
            figures["public types"][folder] += len(TYPES[kind].findall(text)) if kind in TYPES else 0
    return {kind: dict(counts) for kind, counts in figures.items()}, words


def parse_budgets(table: str) -> Figures:
    """Parses tools/budgets.tsv: a line for each folder, a column for each kind."""
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    return {kind: {row[0]: int(row[1 + column]) for row in rows} for column, kind in enumerate(KINDS)}


def format_budgets(budgets: Figures) -> str:
    rows = [[folder, *(str(budgets[kind][folder]) for kind in KINDS)] for folder in sorted(budgets["phrases"])]
    return "".join("\t".join(row) + "\n" for row in [["folder", *KINDS], *rows])


def committed_budgets() -> Iterator[tuple[str, Figures]]:
    """The budgets of each commit that changed them. A shallow clone has only its newest commits."""
    commits = subprocess.run(
        ["git", "log", "--full-history", "--format=%h", "--", str(BUDGETS)], cwd=ROOT, capture_output=True, text=True
    ).stdout.split()
    for commit in commits:
        shown = subprocess.run(["git", "show", f"{commit}:{BUDGETS}"], cwd=ROOT, capture_output=True, text=True)
        if shown.returncode == 0:
            yield commit, parse_budgets(shown.stdout)


def sum_of_grants() -> collections.Counter[tuple[str, str]]:
    """The sum of the grants by kind and folder."""
    sums: collections.Counter[tuple[str, str]] = collections.Counter()
    if (ROOT / GRANTS).exists():
        for line in (ROOT / GRANTS).read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                _, kind, folder, number, _ = line.split("\t")
                sums[kind, folder] += int(number)
    return sums


def over_budget(figures: Figures, words: dict[str, int], budgets: Figures) -> Iterator[str]:
    """A line for each count that is over its budget."""
    grants = sum_of_grants()
    for kind, counts in figures.items():
        for folder, count in counts.items():
            budget = budgets[kind].get(folder, 0) + grants[kind, folder]
            if kind == "phrases":
                budget = max(budget, int(words[folder] * ALLOWED_IN_A_THOUSAND / 1000))
            if count > budget:
                remedy = (
                    f"run tools/check_budgets.py --list {folder}" if kind == "phrases" else f"shorten, or see {GRANTS}"
                )
                yield f"over budget: {folder}: {count} {kind}, and its budget is {budget}: {remedy}"


def raised_budgets(budgets: Figures) -> Iterator[str]:
    """A line for each budget that is higher than in an earlier commit."""
    seen = set()
    for commit, earlier in committed_budgets():
        for kind in KINDS:
            for folder, before in earlier[kind].items():
                budget = budgets[kind].get(folder, 0)
                if budget > before and (kind, folder) not in seen:
                    seen.add((kind, folder))
                    yield f"over budget: {BUDGETS}: the budget of {folder} for {kind} was {before} in {commit} and is {budget}: a budget can only be lowered"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--list", nargs="+", metavar="PATH")
    arguments = parser.parse_args()
    if arguments.list:
        for path, text in tracked_files(arguments.list):
            for number, name, line, plain in find_phrases(path, text)[0]:
                print(f"{path}:{number}: {name}: {line[:120]}   [{plain}]")
        return 0

    figures, words = measure_folders()
    path = ROOT / BUDGETS
    budgets = parse_budgets(path.read_text() if path.exists() else "")
    if arguments.lower:
        for kind, counts in figures.items():
            budgets[kind] = {
                folder: min(counts.get(folder, 0), budgets[kind].get(folder, sys.maxsize))
                for folder in figures["phrases"]
            }
        path.write_text(format_budgets(budgets))
    wrong = [*over_budget(figures, words, budgets), *raised_budgets(budgets)]
    for line in wrong:
        print(line)
    totals = ", ".join(f"{sum(counts.values())} {kind}" for kind, counts in figures.items())
    print(f"{totals}; {sum(words.values())} words; {len(wrong)} over budget")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
