#!/usr/bin/env python3
"""Checks the commands that the documentation shows against what the programs accept.

    tools/check_commands.py           prints each command that the programs would refuse, and then exits with 1
    tools/check_commands.py --write   writes docs/reference/commands.md

- Each command in a fenced `bash` block of a tracked *.md, after `sc2bridge` or `python -m sc2bridge`, must exist, and its
  --help must list each flag. The program also parses the whole command. An added option with an empty value prevents a start.
- docs/reference/commands.md must have, after its mark, the descriptions that the programs print. --write puts them there.

SC2BRIDGE_EXECUTABLE is the program (default: ./sc2bridge), SC2BRIDGE_PYTHON_AGENT the Python (default: .venv/bin/python).
"""

import functools
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
from typing import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
BRIDGE = os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge"))
PYTHON = os.environ.get("SC2BRIDGE_PYTHON_AGENT", str(ROOT / ".venv/bin/python"))
BRIDGE_COMMANDS = "match replay record relay run inspect export doctor simulate codec compare ladder".split()
BRIDGE_COMMANDS += ["work submit", "work run", "work status"]
PYTHON_COMMANDS = ["run", "export"]
TEXTS = ("--out", "--json", "--arrow", "--repair", "--map", "--recording", "--store")
"""Options with a text as value. Each command except `simulate` and `run` has at least one of them."""

REFERENCE = ROOT / "docs/reference/commands.md"
MARK = "<!-- From here on: tools/check_commands.py --write -->\n"
PYTHON_REFERENCE = """
from sc2bridge.__main__ import make_parser
for command in make_parser()._subparsers._group_actions[0].choices.values():
    print(f"## {command.prog.removeprefix('sc2bridge ')}\\n{command.description or ''}\\n\\n```text\\n{command.format_usage()[7:].strip()}\\n```")
    for group in command._action_groups:
        rows = [action for action in group._group_actions if action.dest != "help"]
        if rows:
            title = {"positional arguments": "argument", "options": "option"}.get(group.title, group.title)
            print(f"\\n| {title} | meaning |\\n| --- | --- |")
        for action in rows:
            value = "" if action.nargs == 0 else action.metavar or "\\\\|".join(action.choices or [action.dest.upper()])
            name = " ".join(filter(None, [*action.option_strings, value]))
            print(f"| `{name}` | {(action.help or '') % {'default': action.default}} |")
    print()
"""

BLOCK = re.compile(r"^```(?:bash|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
ALWAYS = {"-h", "--help", "--help-all", "--version"}


def program_of(command: str, of_python: bool) -> "list[str]":
    if of_python:
        return [PYTHON, "-m", "sc2bridge"]
    # Only the launcher ./sc2bridge knows the commands of the program that measures.
    return [str(ROOT / "sc2bridge") if command in ("codec", "compare") else BRIDGE]


@functools.cache
def flags_of(command: str, of_python: bool = False) -> "frozenset[str]":
    """The flags that the --help of a command lists, with one dash or two."""
    words = [
        *program_of(command, of_python),
        *command.split(),
        "--help" if of_python or command == "run" else "--help-all",
    ]
    shown = subprocess.run(words, capture_output=True, text=True, check=True)
    return frozenset(FLAG.findall(shown.stdout)) - ALWAYS


def commands_of(block: str) -> "Iterator[tuple[bool, list[str]]]":
    """For each command: whether it is a command of the Python package, and the words after `sc2bridge`."""
    for line in block.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(re.sub(r"\$\w+", "1", line), posix=True, punctuation_chars=";|&<>")
        lexer.whitespace_split = True
        try:
            words = list(lexer)
        except ValueError:
            continue  # A quoted text of several lines.
        for place, word in enumerate(words):
            if word.rsplit("/", 1)[-1] == "sc2bridge" and words[place - 1 : place] != ["-t"]:
                ends = itertools.takewhile(lambda each: each[0:1] not in tuple(";|&<>"), words[place + 1 :])
                yield words[place - 1 : place] == ["-m"], list(ends)


def problems(of_python: bool, words: "list[str]") -> Iterator[str]:
    """A line for each problem for which the program would refuse a command."""
    command = " ".join(words[: 2 if words[0] == "work" else 1])
    if command not in (PYTHON_COMMANDS if of_python else BRIDGE_COMMANDS):
        if not words[0].startswith("-") and words[0] != "bench":
            yield f"the command {command} does not exist"
        return
    accepted = flags_of(command, of_python) | ALWAYS
    named = [match[0] for match in map(FLAG.match, words) if match]
    yield from (f"{command} has no {flag}" for flag in named if flag not in accepted)
    if not of_python and command not in ("run", "simulate") and not ALWAYS & set(words):
        text = next((each for each in TEXTS if each in accepted and each not in words), "--store")
        tried = subprocess.run([*program_of(command, False), *words, text, ""], capture_output=True, text=True)
        if not re.search("has an empty value|is empty: write|is given 2 times|unknown option '--store'", tried.stderr):
            yield f"{shlex.join(words)}: {tried.stderr.strip()}"


def reference() -> str:
    """The text that docs/reference/commands.md must have: its beginning, and the descriptions that the programs print."""
    begin = REFERENCE.read_text(encoding="utf-8").partition(MARK)[0]
    program, bench = (
        subprocess.run([*command, "help", "--markdown"], capture_output=True, text=True, check=True).stdout
        for command in ([BRIDGE], [str(ROOT / "sc2bridge"), "bench"])
    )
    measured = [
        part.replace("sc2bridge bench", "sc2bridge")
        for part in re.split("^(?=## )", bench, flags=re.M)
        if part.split()[1:2] in (["codec"], ["compare"])
    ]
    python = subprocess.run([PYTHON, "-c", PYTHON_REFERENCE], capture_output=True, text=True, check=True).stdout
    return begin + MARK + "\n".join([part.rstrip() + "\n" for part in (program, *measured, python)])


def main() -> int:
    if sys.argv[1:] == ["--write"]:
        REFERENCE.write_text(reference(), encoding="utf-8")
        return 0
    wrong = []
    checked = 0
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for page in filter(lambda name: (ROOT / name).exists(), listed.split()):
        for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
            for of_python, words in commands_of(block):
                checked += 1
                wrong += [f"{page}: {problem}" for problem in problems(of_python, words or ["--help"])]

    if REFERENCE.read_text(encoding="utf-8") != reference():
        wrong.append(f"{REFERENCE.relative_to(ROOT)} differs from the programs: run tools/check_commands.py --write")
    print("\n".join([*wrong, f"{checked} commands checked, {len(wrong)} wrong"]))
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
