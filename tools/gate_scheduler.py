"""Runs the steps of tools/test, several at the same time. A step starts after the steps in its `after`, and has a time limit."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import gate_steps
from gate_steps import TOTAL_SLOTS, Run, Step

STEP_LIMITS = {"quick": 1200.0, "usual": 1200.0, "all": 7200.0}
"""The seconds after which a step is killed, by tier. Single tests have shorter limits, whose errors name the test."""

POLL = 0.05
"""Seconds between two checks of the running steps."""


def environment_of(tier: str) -> dict[str, str]:
    """The environment of all steps: the program that tests start, and the newer Node if set-up installed one."""
    root, set_up = gate_steps.ROOT, gate_steps.SET_UP
    # Most processes run for seconds only. For them, .NET's profiles, numpy's threads and RabbitMQ's busy waiting cost more time
    # than they save.
    fixed = {"DOTNET_TieredPGO": "0", "OPENBLAS_NUM_THREADS": "1", "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none"}
    variables = dict(os.environ, **fixed, SC2BRIDGE_EXECUTABLE=str(root / "sc2bridge"))
    if tier == "all":
        variables["SC2BRIDGE_TEST_CASES"] = "all"  # Otherwise tests with generated cases generate a fifth of them.
    if tier != "quick" and "SC2BRIDGE_PROGRAM" not in variables and (set_up / "native/stamp").exists():
        variables["SC2BRIDGE_PROGRAM"] = variables["SC2BRIDGE_EXECUTABLE"] = str(set_up / "native/sc2bridge")
        variables["SC2BRIDGE_PYTHON_ENVIRONMENT"] = str(root / ".venv")
    newer = set_up / "node/node_modules/.bin"
    if (newer / "npm").exists():
        variables["PATH"] = f"{newer}{os.pathsep}{variables['PATH']}"
    return variables


def start_step(step: Step, run: Run, only: list[str]) -> subprocess.Popen[bytes]:
    path = gate_steps.RESULTS / ("again" if only else "") / f"{step.name}.log"
    with open(path, "wb") as log:
        return subprocess.Popen(
            step.command(run, only),
            cwd=gate_steps.ROOT / step.folder,
            env=environment_of(run.tier),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def kill_step(process: subprocess.Popen[bytes]) -> None:
    """Ends a step and all processes that it started, also in other sessions."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout
    parents = [(int(pid), int(parent)) for pid, parent in (line.split() for line in listed.splitlines())]
    family = [process.pid]
    for member in family:
        family += [pid for pid, parent in parents if parent == member]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in family:
            try:
                os.kill(pid, number)
            except (ProcessLookupError, PermissionError):
                pass
        time.sleep(1 if number == signal.SIGTERM else 0)


class Scheduler:
    """Starts steps, watches them and reports their ends."""

    def __init__(self, run: Run, wanted: list[Step]) -> None:
        self._run, self._waiting = run, {step.name: step for step in wanted}
        self._running: dict[int, tuple[Step, subprocess.Popen[bytes], float]] = {}
        self._chain_seconds: dict[str, int] = {}
        """For each step: the seconds of the longest chain of steps that begins with it."""
        for step in reversed(wanted):
            after = [self._chain_seconds.get(other.name, 0) for other in wanted if step.name in other.after]
            self._chain_seconds[step.name] = step.seconds + max(after, default=0)

    def run(self) -> None:
        """Runs all steps, and returns when all have ended. If it is interrupted, it ends the running steps."""
        try:
            while self._waiting or self._running:
                self._start_ready()
                self._collect_ended()
                time.sleep(POLL)
        finally:
            for _, process, _ in self._running.values():
                kill_step(process)

    def _start_ready(self) -> None:
        for step in sorted(self._waiting.values(), key=lambda step: -self._chain_seconds[step.name]):
            unfinished = {*self._waiting, *(other.name for other, _, _ in self._running.values())}
            failed_steps = [name for name in step.after if name in self._run.failed]
            missing_needs = [need for need in step.needs if self._run.is_missing(need)]
            if unfinished.intersection(step.after):
                continue
            if failed_steps:
                del self._waiting[step.name]
                self._fail(step, f"{step.name} did not run: {failed_steps[0]} failed")
            elif missing_needs:
                del self._waiting[step.name]
                self._leave_out(step, (gate_steps.SET_UP / "missing" / missing_needs[0]).read_text().strip())
            elif sum(other.slots for other, _, _ in self._running.values()) + step.slots <= TOTAL_SLOTS:
                del self._waiting[step.name]
                try:
                    process = start_step(step, self._run, [])
                    self._running[process.pid] = (step, process, time.monotonic())
                except OSError as error:
                    self._fail(step, f"{step.name} cannot start: {error}")
            else:
                break  # A step of a shorter chain must not take the slots that this step waits for.

    def _leave_out(self, step: Step, reason: str) -> None:
        self._run.left_out[step.name] = reason
        print(f"== {step.name}: left out: {reason}", flush=True)

    def _fail(self, step: Step, reason: str) -> None:
        self._run.failed[step.name] = reason
        print(f"== {step.name}: FAILED: {reason}", flush=True)

    def _collect_ended(self) -> None:
        """Reports the steps that have ended. Kills steps that have reached the limit."""
        limit = STEP_LIMITS[self._run.tier]
        for pid, (step, process, began) in list(self._running.items()):
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                del self._running[pid]
                process.returncode = os.waitstatus_to_exitcode(status)
                self._report(step, process.returncode, time.monotonic() - began, usage.ru_utime + usage.ru_stime)
            elif time.monotonic() - began >= limit:
                kill_step(process)
                process.wait()
                del self._running[pid]
                self._fail(step, f"{step.name} did not end within {limit:g} s: see TestResults/{step.name}.log")

    def _report(self, step: Step, code: int, seconds: float, processor_seconds: float) -> None:
        """Prints the result and the times of a step. Prints its whole log if it failed."""
        path = gate_steps.RESULTS / f"{step.name}.log"
        log = path.read_text(encoding="utf-8", errors="replace").rstrip()
        times = f"{seconds:.0f} s; {processor_seconds:.0f} s of processor time; {time.monotonic() - self._run.began:.0f} s from the start"
        has_no_results = step.results and not (gate_steps.RESULTS / step.results).exists()
        failed = code != 0 or has_no_results
        shown = log if failed or step.kind == "set-up" else log[log.rfind("\n") + 1 :]
        print(f"== {step.name} ({times})", *filter(None, [shown]), sep="\n", flush=True)
        if failed:
            how = " and wrote no results" if has_no_results else ""
            self._fail(step, f"{step.name} ended with exit code {code}{how}: see TestResults/{path.name}")
