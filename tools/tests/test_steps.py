"""How tools/test runs its steps: in order of their needs, each within a limit."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import pathlib
import signal
import sys
import time
from typing import Any

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "test"
loader = importlib.machinery.SourceFileLoader("gate", str(TOOL))
gate: Any = importlib.util.module_from_spec(importlib.util.spec_from_loader("gate", loader))  # type: ignore[arg-type]
sys.modules["gate"] = gate
loader.exec_module(gate)


@pytest.fixture
def run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run whose results and set-up are in a folder of the test."""
    monkeypatch.setattr(gate, "ROOT", tmp_path)
    monkeypatch.setattr(gate, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(gate, "SET_UP", tmp_path / "set-up")
    monkeypatch.setenv("SC2BRIDGE_SHARED", str(tmp_path))
    (tmp_path / "results/failed").mkdir(parents=True)
    (tmp_path / "set-up/missing").mkdir(parents=True)
    previous = signal.signal(signal.SIGALRM, gate.alarm)
    yield gate.Run("usual", [])
    signal.signal(signal.SIGALRM, previous)


def step(name: str, script: str, **options: Any) -> Any:
    return gate.Step(name, gate.fixed("sh", "-c", script), options.pop("seconds", 1), **options)


def test_a_step_runs_after_the_steps_that_it_needs(run: Any, tmp_path: pathlib.Path) -> None:
    gate.Scheduler(run, [step("b", "echo b >> order", after=("a",)), step("a", "echo a >> order")]).run()
    assert (tmp_path / "order").read_text().split() == ["a", "b"] and run.failed == []


def test_steps_that_need_nothing_of_each_other_run_at_the_same_time(run: Any) -> None:
    gate.Scheduler(run, [step("a", "mkfifo p; cat p"), step("b", "until [ -p p ]; do :; done; echo x > p")]).run()
    assert run.failed == []


def test_a_step_that_hangs_is_killed_with_what_it_started(
    run: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gate, "STEP_LIMIT", 0.5)
    began = time.monotonic()
    gate.Scheduler(run, [step("a", "sleep 100 & echo $! > child; wait")]).run()
    assert time.monotonic() - began < 60 and run.failed == ["a"]
    assert "did not end within 0.5 s" in (tmp_path / "results/failed/a").read_text()
    assert not pathlib.Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/exe").exists()
    assert "a (" in capsys.readouterr().out


def test_a_suite_whose_need_failed_fails_too(run: Any, tmp_path: pathlib.Path) -> None:
    gate.Scheduler(run, [step("build", "exit 3"), step("suite", "touch ran", after=("build",), kind="csharp")]).run()
    assert run.failed == ["build", "suite"] and not (tmp_path / "ran").exists()
    assert (tmp_path / "results/failed/suite").read_text() == "suite did not run: build failed"


def test_a_suite_that_this_machine_cannot_run_is_left_out_with_the_reason(run: Any, tmp_path: pathlib.Path) -> None:
    made = step("page", f"echo 'no npm' > {tmp_path}/set-up/missing/js")
    gate.Scheduler(run, [made, step("suite", "touch ran", after=("page",), needs=("js",), kind="js")]).run()
    assert run.left_out == {"suite": "no npm"} and run.failed == [] and not (tmp_path / "ran").exists()


def test_a_suite_without_results_fails_even_if_its_exit_code_is_0(run: Any) -> None:
    gate.Scheduler(run, [step("suite", "exit 0", kind="csharp", results="suite.xml")]).run()
    assert run.failed == ["suite"]


def test_every_suite_names_steps_that_exist_and_a_tier() -> None:
    known = {each.name for each in gate.steps()}
    for each in gate.steps():
        assert set(each.after) <= known and each.tier in gate.TIERS and each.seconds > 0
