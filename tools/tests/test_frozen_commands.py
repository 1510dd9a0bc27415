"""The commands, options, keys and exit codes of docs/reference/commands.md: none of a release may disappear.

`python3 tools/tests/test_frozen_commands.py` adds the new ones to frozen_commands.json. Run it before each release.
tools/check_commands.py compares commands.md with the programs.
"""

from __future__ import annotations

import json
import pathlib
import re

FROZEN = pathlib.Path(__file__).with_name("frozen_commands.json")
COMMANDS = pathlib.Path(__file__).parents[2] / "docs/reference/commands.md"


def names_of(text: str) -> dict[str, list[str]]:
    """The options, configuration keys and exit codes of each section's tables, and the groups of options that it refers to."""
    names: dict[str, list[str]] = {}
    for title, rows in re.findall(r"^##? (.*)\n((?:(?!##? ).*\n)*)", text, flags=re.MULTILINE):
        names[title] = re.findall(r"\(#(options-[\w-]+)\)", rows)
        for cell in re.findall(r"^\| (\d+|`.*?`(?:, `.*?`)*) \|", rows, flags=re.MULTILINE):
            names[title] += re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", cell) or re.findall(r"\A`?([\w-]+)", cell)
    return names


def missing_names(frozen: dict[str, list[str]], present: dict[str, list[str]]) -> list[str]:
    missing = [command for command in frozen if command not in present]
    return missing + [
        f"{command} {name}"
        for command in frozen
        for name in frozen[command]
        if name not in present.get(command, frozen[command])
    ]


def test_no_command_option_or_exit_code_of_a_release_is_missing() -> None:
    frozen = json.loads(FROZEN.read_text())
    assert sum(map(len, frozen.values())) > 250 and {"0", "1", "2", "69", "130"} == {*frozen["Commands"]}
    assert missing_names(frozen, names_of(COMMANDS.read_text())) == []


def test_a_removed_option_is_found() -> None:
    text = "# Commands\n| exit code | meaning |\n| 0 | all went well |\n## match\n| `--map NAME` | … |\n| `keep-bytes = SIZE` | … |\n"
    frozen = names_of(text)
    assert frozen == {"Commands": ["0"], "match": ["--map", "keep-bytes"]}
    assert missing_names(frozen, names_of(text.replace("--map", "--maps").replace("| 0 ", "| 3 "))) == [
        "Commands 0",
        "match --map",
    ]
    assert missing_names(frozen, names_of("# Commands\n| 0 | all went well |\n")) == ["match"]


if __name__ == "__main__":
    now = names_of(COMMANDS.read_text())
    if lost := missing_names(json.loads(FROZEN.read_text()), now):
        raise SystemExit(f"a release promised these names: {lost}")
    FROZEN.write_text(json.dumps(now, indent=1) + "\n")
