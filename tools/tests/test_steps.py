"""Tests of tools/gate_scheduler.py: a step runs after the steps that it needs, and within its time limit."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import time
from typing import Any

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gate_scheduler
import gate_steps
from gate_scheduler import Scheduler
from gate_steps import Run, Step, command_of

BUF = gate_steps.ROOT / "tools/peers/node_modules/.bin/buf"


@pytest.fixture
def run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run with the folders of results and of the set-up in a temporary folder."""
    monkeypatch.setattr(gate_steps, "ROOT", tmp_path)
    monkeypatch.setattr(gate_steps, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(gate_steps, "SET_UP", tmp_path / "set-up")
    (tmp_path / "results").mkdir()
    (tmp_path / "set-up/missing").mkdir(parents=True)
    return Run("usual")


def step(name: str, script: str, **options: Any) -> Step:
    return Step(name, command_of("sh", "-c", script), options.pop("seconds", 1), **options)


def test_a_step_runs_after_the_steps_that_it_needs(run: Run, tmp_path: pathlib.Path) -> None:
    Scheduler(run, [step("b", "echo b >> order", after=("a",)), step("a", "echo a >> order")]).run()
    assert (tmp_path / "order").read_text().split() == ["a", "b"] and run.failed == {}


def test_independent_steps_run_at_the_same_time(run: Run) -> None:
    Scheduler(run, [step("a", "mkfifo p; cat p"), step("b", "until [ -p p ]; do :; done; echo x > p")]).run()
    assert run.failed == {}


def test_a_step_that_hangs_is_killed_with_its_processes(
    run: Run, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(gate_scheduler.STEP_LIMITS, "usual", 5)
    began = time.monotonic()
    Scheduler(run, [step("a", "setsid sleep 100 & echo $! > child; wait")]).run()
    assert time.monotonic() - began < 60 and list(run.failed) == ["a"]
    assert "did not end within 5 s" in run.failed["a"]
    assert not pathlib.Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/exe").exists()
    assert "== a: FAILED: a did not end within 5 s" in capsys.readouterr().out


def test_a_suite_fails_if_a_step_that_it_needs_failed(run: Run, tmp_path: pathlib.Path) -> None:
    Scheduler(run, [step("build", "exit 3"), step("suite", "touch ran", after=("build",), kind="csharp")]).run()
    assert list(run.failed) == ["build", "suite"] and not (tmp_path / "ran").exists()
    assert run.failed["suite"] == "suite did not run: build failed"


def test_a_suite_that_this_machine_cannot_run_is_left_out_with_the_reason(run: Run, tmp_path: pathlib.Path) -> None:
    made = step("page", f"echo 'no npm' > {tmp_path}/set-up/missing/js")
    Scheduler(run, [made, step("suite", "touch ran", after=("page",), needs=("js",), kind="js")]).run()
    assert run.left_out == {"suite": "no npm"} and run.failed == {} and not (tmp_path / "ran").exists()


def test_a_suite_without_results_fails_even_if_its_exit_code_is_0(run: Run) -> None:
    Scheduler(run, [step("suite", "exit 0", kind="csharp", results="suite.xml")]).run()
    assert list(run.failed) == ["suite"]


def test_a_step_that_cannot_start_fails(run: Run) -> None:
    Scheduler(run, [Step("a", command_of("/no/such/program"), 1), step("b", "exit 0")]).run()
    assert list(run.failed) == ["a"] and "cannot start" in run.failed["a"]


def test_every_suite_names_steps_that_exist_and_a_tier() -> None:
    known: set[str] = set()
    for each in gate_steps.steps():
        assert each.name not in known
        known.add(each.name)
        assert set(each.after) < known and each.tier in gate_steps.TIERS and each.seconds > 0


@pytest.mark.skipif(not BUF.exists(), reason="buf is missing: tools/set-up --part peers installs it")
def test_buf_finds_a_field_number_that_changed(tmp_path: pathlib.Path) -> None:
    protos = shutil.copytree(gate_steps.ROOT / "proto", tmp_path / "proto")
    file = protos / "sc2bridge/v1/bridge.proto"
    file.write_text(file.read_text().replace("uint64 step = 3;", "uint64 step = 33;", 1))
    words = "breaking --against frozen/v1.binpb".split()
    ran = subprocess.run([BUF, *words], cwd=protos, stdout=subprocess.PIPE)
    assert ran.returncode == 100 and b'field "3" with name "step" on message "Error" was deleted' in ran.stdout
