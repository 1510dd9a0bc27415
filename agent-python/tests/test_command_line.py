"""Mistyped command lines: one clear line each, exit code 2, and nothing is started."""

from __future__ import annotations

import pathlib
import random
import re
import string
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from sc2bridge.client.process import find_executable

FILES = """
replay nofile.mcap | nofile.mcap
replay nofile.SC2Replay | nofile.SC2Replay
replay . | is a folder
replay text.txt | not an MCAP file
replay empty.mcap | the file is empty
inspect nofile.mcap | nofile.mcap
inspect text.txt | not an MCAP file
inspect text.txt --json nowhere/a.json | nowhere/a.json
inspect text.txt --loop 3 | --loop is for --map-picture
export nofile --parquet tables | recording or folder not found: 'nofile'
export empty --parquet tables | no recordings
export text.txt | --parquet DIR
record nofile | 'nofile' does not exist
record empty | no replays
match --json nowhere/a.json | --json: nowhere/a.json cannot be written
match --observations nowhere | the folder does not exist
match --tokens nowhere | nowhere
match --tls-cert nowhere.pem | nowhere.pem
match --tls-key text.txt | --tls-cert
match --scenario nowhere.json | no such file or scenario
match --scenario text.txt | text.txt
match --recording text.txt | already exists
match --out text.txt | --out
match --python nowhere/python --agent a:B | --python
"""

ADDRESSES = """
match --grpc localhost | write host:port
match --grpc 127.0.0.1:99999 | write host:port
match --grpc 127.0.0.1:port | write host:port
match --grpc 300.1.1.1:50051 | 300.1.1.1
match --web :8765x | write host:port
match --web 127.0.0.1 | write host:port
match --grpc 192.0.2.1:50051 | 192.0.2.1
match --attach localhost | HOST:PORT
match --attach 127.0.0.1:0x | HOST:PORT
match --otlp localhost:4318 | http://localhost:4318
match --otlp ftp://localhost | http://localhost:4318
match --publish localhost | amqp://HOST
match --publish http://localhost | amqp://HOST
match --allow-origin viewer.example | https://viewer.example
match --allow-host viewer.example:80 | without a port
relay http://localhost | amqp://HOST
work submit localhost | amqp://HOST
work run amqp://127.0.0.1 | --store is missing
ladder --race zerg --GamePort 99999 | 1 to 65535
simulate -port 99999 | 65535
"""

VALUES = """
match --steps many | whole number
match --steps 0 | from 1
match --steps -5 | from 1
match --steps 1.5 | whole number
match --steps 5 --steps 6 | given 2 times
match --steps | needs a value
match --seed -1 | from 0
match --seed --steps 5 | --seed needs a value before --steps
match --map --sed 5 | --map needs a value before --sed
match --rate fast | --rate: 
match --rate 0 | not a rate
match --rate -16 | not a rate
match --step-size 0 | from 1
match --games 0 | from 1
match --games two | whole number
match --map Cinder_Fortres | no map
match --map Nope | no map
match --map A --map B | --games
match --scenario 3n | did you mean 3m?
match --scenario corridr | did you mean corridor?
match --game sc2 | starcraft
match --game simulatd | did you mean simulated?
match --player human | computer:RACE:DIFFICULTY
match --player computer:terran | computer:RACE:DIFFICULTY
match --player compter:terran:easy | did you mean computer?
match --player computer:teran:easy | did you mean Terran?
match --player computer:terran:esy | did you mean Easy?
match --player computer:terran:easy:Marco | did you mean Macro?
match --player agent:zreg | did you mean Zerg?
match --player api:protos | did you mean Protoss?
match --player computer:zerg:insane | did you mean CheatInsane?
match --game simulated --player agent:terran | add a second --player
match --agent bot | MODULE:CLASS
match --agent bot: | MODULE:CLASS
match --agent bot:Bot@grcp | @grpc
match --agent bot:Bot@grpc+zip | +zstd
match --agent x=bot:Bot | player number
match --agent 3=bot:Bot | player 3
match --policy lockstp | did you mean lockstep?
match --log-level warn | warning
match --log-level debg | did you mean debug?
match --codec-log on | off, sampled or full
match --memory 1 | from 64M
match --memory lots | size
match --keep-bytes 5 | configuration file
match --keep-games 3 | --games
match --lockstep-deadline soon | seconds
match --observe 9 | there are 2 players
match --observe me | whole number
match --feature-layers big | SCREEN
match --shm a/b | letters
match --wait -1 | from 0
match --wait | needs a value
match --max-connections none | from 1
match --agent-env A=B | the variable's name alone
match --open --no-page | leave one out
match --no-agents --agent a:B | leave one out
match --api-port 5000 | --player api:RACE
match --trace-steps 5 | configuration file
match --tag x | --publish
match --no-agents=perhaps | one word too many
match now | one word too many
replay | FILE is missing
replay a.mcap b.mcap | one word too many
replay text.txt --from first | game loop
record | REPLAYS is missing
record text.txt --observe all | player id
inspect | FILE is missing
export | FILES is missing
work | needs a command
work submt amqp://127.0.0.1 | did you mean submit?
work submit | BROKER is missing
mach | did you mean match?
recrod | did you mean record?
play | did you mean match?
config | did you mean init?
export a.mcap --format parquet | did you mean --parquet?
inspect a.mcap --format json | did you mean --json?
help mach | did you mean match?
doctor --game simulatd | did you mean simulated?
ladder --race zreg --GamePort 5000 | did you mean zerg?
ladder | --GamePort
simulate --recrding x | did you mean --recording?
simulate --replays . | did you mean -replays?
simulate -port many | port
simulate --max-connections none | --max-connections
"""


def known_options() -> "list[tuple[str, str]]":
    """A command and an option of it, for each option of the program."""
    shown = subprocess.run([find_executable(), "help", "--markdown"], capture_output=True, text=True, check=True).stdout
    options: "list[tuple[str, str]]" = []
    command = ""
    for line in shown.splitlines():
        if line.startswith("## "):
            command = "match" if line.startswith(("## Options", "## All")) else line[3:]
        elif found := re.match(r"\| `(--[\w-]+)", line):
            options.append((command, found[1]))
    return options


def mistyped(word: str, chance: random.Random) -> str:
    """A word of an option with one letter lost, doubled, changed, or swapped with the next one."""
    place = chance.randrange(2, len(word) - 1)
    head, letter, tail = word[:place], word[place], word[place + 1 :]
    return chance.choice(
        [head + tail, head + letter * 2 + tail, head + chance.choice(string.ascii_lowercase) + tail]
        + [head + tail[:1] + letter + tail[1:]]
    )


def generated() -> "list[tuple[str, str]]":
    chance = random.Random(44)
    known = known_options()
    names = {name for _, name in known}
    lines = []
    while len(lines) < 100:
        command, name = chance.choice(known)
        word = mistyped(name, chance)
        if word not in names and command not in ("simulate", "ladder"):
            lines.append((f"{command} {word} 5", f"unknown option '{word}'; did you mean --"))
    return lines


def test_200_mistyped_command_lines_are_refused_in_one_line_each(tmp_path: pathlib.Path) -> None:
    (tmp_path / "text.txt").write_text("a text")
    (tmp_path / "empty.mcap").write_bytes(b"")
    (tmp_path / "empty").mkdir()
    (tmp_path / "out").mkdir()
    before = sorted(tmp_path.rglob("*"))
    by_hand = [line.split(" | ") for line in (FILES + ADDRESSES + VALUES).strip().splitlines() if line]
    lines = [*generated(), *((words, expected) for words, expected in by_hand)]
    assert len(lines) >= 200
    program = find_executable()

    def refuse(line: "tuple[str, str]") -> "str | None":
        words, expected = line
        ended = subprocess.run(
            [program, *words.split(" ")],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        said = ended.stderr.splitlines()
        is_clear = len(said) == 1 and said[0].startswith("sc2bridge: ") and expected in said[0]
        return None if is_clear and (ended.returncode, ended.stdout) == (2, "") else f"{words}: {ended}"

    with ThreadPoolExecutor(2) as pool:
        wrong = [problem for problem in pool.map(refuse, lines) if problem]
    assert not wrong, "\n".join(wrong)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "output, code, error",
    [("| true", 0, ""), (">/dev/full", 1, "sc2bridge: standard output cannot be written: No space left on device\n")],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_help_ends_without_a_traceback_if_it_cannot_be_written(
    output: str, code: int, error: str, unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    words = ["bash", "-o", "pipefail", "-c", f'"$0" -m sc2bridge run --help {output}', sys.executable]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (code, error)
