#!/usr/bin/env python3
"""Checks the commands that the documentation shows against what the programs' --help lists.

    tools/check_commands.py      prints each flag that there is not, and exits with 1 where there is one

- Each flag in a fenced `bash` block of a tracked *.md, after `sc2bridge COMMAND` or `python -m sc2bridge COMMAND`,
  must be in that command's --help.
- docs/reference/commands.md must name every flag of every command, and none that no command has.

SC2BRIDGE_EXECUTABLE names the program (default: ./sc2bridge), SC2BRIDGE_PYTHON_AGENT the Python (.venv/bin/python).
"""

import functools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BRIDGE = os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge"))
PYTHON = os.environ.get("SC2BRIDGE_PYTHON_AGENT", str(ROOT / ".venv/bin/python"))
BRIDGE_COMMANDS = tuple("match replay record relay run inspect export doctor simulate codec compare ladder".split())
WORK_COMMANDS = ("work submit", "work run", "work status")
PYTHON_COMMANDS = ("run", "export")

BLOCK = re.compile(r"^```(?:bash|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(rf"(-m )?sc2bridge\s+({'|'.join(WORK_COMMANDS + BRIDGE_COMMANDS + PYTHON_COMMANDS)})\b([^\n#|;]*)")
FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
LONG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]+")
ALWAYS = {"-h", "--help", "--version"}


@functools.cache
def flags(command: str, of_python: bool = False) -> "frozenset[str]":
    """The flags that a command's --help names, one dash or two."""
    program = [PYTHON, "-m", "sc2bridge"] if of_python else [BRIDGE]
    shown = subprocess.run([*program, *command.split(), "--help"], capture_output=True, text=True, check=True)
    return frozenset(FLAG.findall(shown.stdout)) - ALWAYS


def main() -> int:
    wrong = []
    checked = 0
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for page in filter(lambda name: (ROOT / name).exists(), listed.split()):
        for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
            for of_python, command, rest in COMMAND.findall(block.replace("\\\n", " ")):
                if command not in (PYTHON_COMMANDS if of_python else BRIDGE_COMMANDS + WORK_COMMANDS):
                    continue
                for flag in FLAG.findall(re.sub(r"\"[^\"]*\"|'[^']*'", "", rest)):
                    checked += 1
                    if flag not in flags(command, bool(of_python)) | ALWAYS:
                        wrong.append(f"{page}: {command} has no {flag}")

    reference = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    named = set(LONG.findall(reference)) - ALWAYS
    existing = {
        f"{'-m ' * of_python}{command}": {flag for flag in flags(command, of_python) if flag.startswith("--")}
        for of_python, commands in ((False, BRIDGE_COMMANDS + WORK_COMMANDS), (True, PYTHON_COMMANDS))
        for command in commands
    }
    checked += len(named)
    wrong += [
        f"docs/reference/commands.md: no command has {flag}" for flag in sorted(named - set().union(*existing.values()))
    ]
    for command, there in existing.items():
        wrong += [f"docs/reference/commands.md: {flag} of {command} is missing" for flag in sorted(there - named)]

    print("\n".join([*wrong, f"{checked} flags checked, {len(wrong)} wrong"]))
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
