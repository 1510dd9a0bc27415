"""The examples of the documents: their names exist, and they run as written."""

from __future__ import annotations

import ast
import builtins
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import NamedTuple, Optional

import pytest
from bot_case import program
from conftest import ROOT
from typed_case import mypy

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs/guide").glob("*.md")),
    *sorted((ROOT / "docs/tutorials").glob("*.md")),
    ROOT / "agent-python/README.md",
    ROOT / "agent-js/README.md",
    ROOT / "bridge-csharp/samples/GrpcNetClientAgent/README.md",
]
BLOCK = re.compile(
    r"^(?:<!-- not run: ([^\n]+) -->\n)?(?P<indent> *)```(\w*)\n(.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL
)
LAUNCH = 'sc2bridge.launch("Cinder Fortress LE", ["agent:terran", "computer:zerg:Easy"], rate="max", steps=50)'
GIVEN = {
    "sc2bridge": "import sc2bridge",
    "pytest": "import pytest",
    "BotAI": "from sc2bridge.bot import BotAI",
    "Scout": "from scout import Scout",
    "recordings": 'from sc2bridge.data import Recordings\nrecordings = Recordings("out", perspective=1)',
    "bridge": f"import sc2bridge\nbridge = {LAUNCH}",
    "frames": f'import sc2bridge\nplayed = {LAUNCH}\nframes = played.subscribe("lockstep", can_act=True)',
    "base": "base = (30.0, 30.0)",
    "learn": "def learn(*arrays: object) -> None: ...",
}
"""Names that the text around an example explains, for examples that are a part of a program."""
TYPES = {"match": "Match", "frame": "Frame", "unit": "Unit", "end": "MatchEnd"}
OTHERS = ("gymnasium", "pandas", "torch", "mcap_protobuf")


class Block(NamedTuple):
    """A block of code in a document."""

    page: str
    line: int
    language: str
    code: str
    reason: Optional[str]
    """Why it cannot run here."""

    @property
    def given(self) -> str:
        """Lines that define the names that the block uses and does not define."""
        names = [node for node in ast.walk(ast.parse(self.code)) if isinstance(node, ast.Name)]
        bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(vars(builtins))
        bound.update(re.findall(r"(?:import|as|def|class) (\w+)", self.code))
        lines = [line for name, line in GIVEN.items() if name in {node.id for node in names} - bound]
        # A bridge that a test cannot start: any.
        return "\n".join(lines).replace(LAUNCH, 'sc2bridge.connect("grpc://h:1")' if self.reason else LAUNCH) + "\n"


def blocks() -> Iterator[Block]:
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start(3)) + 1
            yield Block(str(path.relative_to(ROOT)), line, found[3], textwrap.dedent(found[4]), found[1])


BLOCKS = list(blocks())
PYTHON = [block for block in BLOCKS if block.language == "python"]


def marks(block: Block) -> list[pytest.MarkDecorator]:
    """Each example runs in one environment: pandas and torch are Debian's."""
    usual = block.page in ("README.md", "agent-python/README.md") and "connect" not in block.code
    of_debian = re.search(r"\b(pandas|torch)\b", block.code)
    return [*([] if usual else [pytest.mark.long]), *([] if of_debian else [pytest.mark.newest])]


RUN = [pytest.param(block, id=f"{block.page}:{block.line}", marks=marks(block)) for block in PYTHON if not block.reason]


def test_names_in_the_examples_exist(tmp_path: pathlib.Path, mypy_cache: pathlib.Path) -> None:
    programs = {}
    for block in PYTHON:
        # The arguments of an agent's methods get the types that Agent declares.
        code = re.sub(
            r"(def on_\w+\(self, )(match|frame|unit|end)\b",
            lambda method: f"{method[1]}{method[2]}: _bridge.{TYPES[method[2]]}",
            block.code,
        )
        programs[
            re.sub(r"\W", "_", f"{block.page}_{block.line}") + ".py"
        ] = f"import sc2bridge as _bridge\n{block.given}{code}"
    wrong = [line for line in mypy(programs, tmp_path, mypy_cache) if "[no-untyped-" not in line]
    assert not wrong, "\n".join(wrong)


CSHARP_EXAMPLE = ROOT / "bridge-csharp/test/Sc2Bridge.Recordings.Tests/GuideTests.cs"
CHECKERS: dict[str, Callable[[str], object]] = {
    "python": lambda code: compile(code, "block", "exec"),  # The tests below also check the names, and run the code.
    "bash": lambda code: subprocess.run(
        ["bash", "-n"], input=code, text=True, check=True
    ),  # Also tools/check_commands.py.
    "csharp": lambda code: CSHARP_CODE.index(code),  # A test runs it.
    "js": lambda code: None,  # agent-js/test/documents.test.js compiles these.
    "json": json.loads,
    "toml": lambda code: pytest.importorskip("tomllib").loads(code),
    "bat": lambda code: None,  # Only Windows can run it.
    "sql": lambda code: None,  # DuckDB runs it, which the tests do not need.
    "text": lambda code: None,  # Output of a program.
}
"""For each language, the function that raises an error if a block of code is not valid."""
CSHARP_CODE = "\n".join(line[8:] for line in CSHARP_EXAMPLE.read_text("utf-8").splitlines()).replace(
    "_path", '"match.mcap"'
)


@pytest.mark.parametrize("language", sorted({block.language for block in BLOCKS}))
def test_each_block_of_code_is_valid_in_its_language(language: str) -> None:
    assert language in CHECKERS, "add the language to CHECKERS, with what checks it"
    for block in (each for each in BLOCKS if each.language == language):
        try:
            CHECKERS[language](block.code)
        except (ValueError, SyntaxError, subprocess.CalledProcessError) as error:
            pytest.fail(f"{block.page}:{block.line}: {error}")


def test_a_command_runs_the_agent_that_its_page_shows() -> None:
    shown = 0
    for block in BLOCKS:
        named = re.findall(r"(?:--agent|\brun) (\w+):(\w+)", block.code) if block.language == "bash" else []
        for module, name in named:
            example = ROOT / "agent-python/examples" / f"{module}.py"
            for code in (each.code for each in PYTHON if each.page == block.page and f"class {name}(" in each.code):
                shown += 1
                assert not example.is_file() or code in example.read_text(), f"{block.page}:{block.line}: {module}"
    assert shown > 5


@pytest.mark.parametrize(
    "name", ["UnitTypeId", "AbilityId", "UpgradeId", "BuffId", "EffectId", "client.game_step", "iteration"]
)
def test_the_guide_for_users_of_python_sc2_has_a_row_for_each_hint(name: str) -> None:
    guide = (ROOT / "docs/guide/from-python-sc2.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| [^|]*\b{re.escape(name)}\b", guide, re.MULTILINE)


def test_a_page_that_names_an_extra_says_how_to_get_it_in_a_clone() -> None:
    extras = re.findall(r"^(\w+) = \[", (ROOT / "agent-python/pyproject.toml").read_text(), re.MULTILINE)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"pip install '?sc2bridge\[([\w,]+)\]", text)
        in_clone = ",".join(re.findall(r"tools/set-up --extras ([\w,]+)", text)).split(",")
        for extra in ",".join(named).split(",") if named else ():
            # A clone's .venv has pika from the beginning.
            assert extra in extras and (extra in in_clone or extra == "amqp"), f"{page.name}: {extra}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder as a reader of the documents has it: a recorded match, in out/ too."""
    made = tmp_path_factory.mktemp("documents")
    match = "match --rate max --step-size 22 --steps 220 --observe 1 --no-agents --out out/match-1 --no-page".split()
    addresses = "--grpc 127.0.0.1:0 --web 127.0.0.1:0".split()
    subprocess.run([program(), *match, *addresses], cwd=made, check=True, capture_output=True, timeout=120)
    shutil.copy(made / "out/match-1/match.mcap", made)
    return made


@pytest.mark.parametrize("block", RUN)
def test_an_example_runs_as_it_is_written(block: Block, folder: pathlib.Path) -> None:
    for name in OTHERS:
        if name in block.code:
            pytest.importorskip(name)
    if 'backend="native"' in block.code and not (ROOT / ".setup/library/libsc2bridge.so").exists():
        pytest.skip("no native library: run tools/set-up --part library")
    code = block.given + block.code.replace("steps=5000", "steps=50")
    if "grpc://127.0.0.1:50051" in code:
        code = f"import sc2bridge\nhere = {LAUNCH}\n" + code.replace('"grpc://127.0.0.1:50051"', "here.web_address")
    path = os.pathsep.join([str(ROOT / "agent-python/examples"), *filter(None, sys.path)])
    environment = dict(os.environ, PYTHONPATH=path, SC2BRIDGE_EXECUTABLE=program())
    if block.page == "README.md":
        del environment["SC2BRIDGE_EXECUTABLE"]  # The package finds the clone's own program.
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.newest
@pytest.mark.long
@pytest.mark.timeout(1200)
def test_the_commands_of_the_readme_run_as_they_are_written(folder: pathlib.Path) -> None:
    (folder / "sc2bridge").symlink_to(ROOT / "sc2bridge")
    (folder / ".venv").symlink_to(ROOT / ".venv")
    for block in PYTHON:
        named = re.match(r"# (\w+\.py)\n", block.code)
        if block.page == "README.md" and named:
            (folder / named[1]).write_text(block.code)
    waiting: list[subprocess.Popen[str]] = []
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for block in BLOCKS:
        if block.page != "README.md" or block.language != "bash" or block.reason:
            continue
        for line in filter(None, re.sub(r"\s+#.*", "", block.code).splitlines()):
            # Uses any free port, no browser, and only the match's beginning. A command that waits gets its agent from the next line.
            line = line.replace("50051", str(port)).replace(" --open", "")
            if re.match(r"\./sc2bridge (match|replay) ", line):
                line += f" --grpc 127.0.0.1:{port if '--wait' in line else 0} --web 127.0.0.1:0"
                line += "" if "swarm:" in line or "replay" in line else " --steps 200"
            if "--wait" in line:
                waiting.append(subprocess.Popen(line.split(), cwd=folder, stderr=subprocess.PIPE, text=True))
                assert any("gRPC on" in said for said in waiting[-1].stderr or ())
                continue
            ran = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, timeout=600)
            assert ran.returncode == 0, f"{line}\n{ran.stdout}{ran.stderr}"
            if "swarm:" in line:
                assert "victory" in ran.stderr and ran.stderr.count("NotEnough") < 100, ran.stderr
    for each in waiting:
        each.communicate(timeout=120)
        assert each.returncode == 0
