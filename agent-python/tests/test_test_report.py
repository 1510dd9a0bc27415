"""The report of tools/test, as tools/test_report.py prints it for made-up result files."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Dict, List, Tuple

import pytest
from conftest import ROOT

PASSED = '<test name="A.one" type="A" method="one" result="Pass"/>'
FAILED = '<test name="A.two(1)" type="A" method="two" result="Fail"/>'
SKIPPED = '<test name="A.three" type="A" method="three" result="Skip"><reason>no broker</reason></test>'
NOT_RUN = '<test name="A.four" type="A" method="four" result="NotRun"/>'


class Results:
    """A folder as tools/test leaves it."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        for name in ("results/failed", "results/again", "results/left-out"):
            (folder / name).mkdir(parents=True)

    def write(self, files: Dict[str, str]) -> None:
        for name, text in files.items():
            (self._folder / "results" / name).write_text(text)

    def run(self, *more: str) -> Tuple[int, List[str]]:
        report, results = ROOT / "tools/test_report.py", self._folder / "results"
        ended = subprocess.run(
            [sys.executable, str(report), str(results), *more], stdout=subprocess.PIPE, text=True, timeout=60
        )
        return ended.returncode, ended.stdout.splitlines()

    def report(self) -> Tuple[int, List[str]]:
        left_out, shared = str(self._folder / "results/left-out"), str(self._folder / "not-there")
        return self.run("--left-out", left_out, "--shared", shared, "--suites", "csharp", "python")


@pytest.fixture
def results(tmp_path: pathlib.Path) -> Results:
    return Results(tmp_path)


def xunit(*tests: str) -> str:
    return f"<assemblies><assembly>{''.join(tests)}</assembly></assemblies>"


def junit(*tests: str) -> str:
    return f"<testsuites><testsuite>{''.join(tests)}</testsuite></testsuites>"


def test_a_need_that_is_not_met_is_one_skip_whatever_the_name_of_its_file(results: Results) -> None:
    results.write(
        {"A.xml": xunit(PASSED), "left-out/new": "the tests of new things: no things; 3 test methods in C#\n"}
    )
    status, lines = results.report()
    assert status == 0
    assert "skipped: the tests of new things: no things; 3 test methods in C#" in lines
    assert lines[-1] == "1 passed, 0 failed, 1 skipped"


def test_a_test_that_passes_when_it_runs_once_more_is_flaky_and_does_not_fail_the_run(results: Results) -> None:
    passed = FAILED.replace("Fail", "Pass")
    results.write({"A.xml": xunit(PASSED, FAILED), "failed/A": "", "again/A.xml": xunit(passed)})
    status, lines = results.report()
    assert (status, lines[-1]) == (0, "2 passed, 0 failed, 0 skipped")
    assert "flaky, passed when it ran once more and alone: A: A.two(1)" in lines


def test_a_test_that_fails_twice_fails_the_run(results: Results) -> None:
    results.write({"A.xml": xunit(PASSED, FAILED), "failed/A": "", "again/A.xml": xunit(FAILED)})
    status, lines = results.report()
    assert (status, lines[-2:]) == (1, ["failed: A: A.two(1)", "1 passed, 1 failed, 0 skipped"])
    assert results.run("--failed") == (0, ["A A.two"])


def test_a_suite_that_was_cut_off_and_a_check_without_tests_fail_the_run(results: Results) -> None:
    results.write({"A.xml": xunit(PASSED)[:-20], "B.junit.xml": "", "C.xml": xunit(PASSED), "failed/C# formatting": ""})
    status, lines = results.report()
    failed = [line for line in lines if line.startswith("failed: ")]
    assert (status, lines[-1]) == (1, "1 passed, 3 failed, 0 skipped")
    assert failed[0].startswith("failed: A.xml cannot be read (") and failed[0].endswith("): that suite was cut off")
    assert failed[1].startswith("failed: B.junit.xml cannot be read (")
    assert failed[2].startswith("failed: C# formatting: see ") and failed[2].endswith("C# formatting.log")


def test_totals_count_the_tests_of_all_suites(results: Results) -> None:
    case = '<testcase classname="t" name="{}">{}</testcase>'
    results.write(
        {
            "A.xml": xunit(PASSED, FAILED, SKIPPED, NOT_RUN),
            "B.junit.xml": junit(
                case.format("one", ""),
                case.format("two", '<failure message="no"/>'),
                case.format("three", '<error message="no"/>'),
                case.format("four", '<skipped message="no numpy"/>'),
            ),
        }
    )
    status, lines = results.report()
    assert (status, lines[-1]) == (1, "2 passed, 3 failed, 2 skipped")
    assert lines[1:3] == ["A: 1 passed, 1 failed, 1 skipped", "B: 1 passed, 2 failed, 1 skipped"]
    assert {"skipped: A: A.three: no broker", "skipped: B: t.four: no numpy"} < set(lines)
