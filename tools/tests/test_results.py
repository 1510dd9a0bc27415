"""Tests of tools/gate_report.py: it reports every test and suite that failed, hung or did not run."""

from __future__ import annotations

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gate_report

XUNIT = "<assemblies><assembly><collection>{}</collection></assembly></assemblies>"
TEST = '<test name="{name}" type="A.B" method="{name}" result="{result}"><reason>{reason}</reason></test>'


class Results:
    """A folder of result files, from which a test makes a report."""

    def __init__(self, folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder / "results", capsys
        (self.folder / "again").mkdir(parents=True)
        self.failed: dict[str, str] = {}
        self.missing = folder / "missing"
        self.missing.mkdir()
        self.quarantine = folder / "quarantine.tsv"

    def write(self, suite: str, again: bool = False, **results: str) -> None:
        tests = "".join(TEST.format(name=name, result=result, reason="why") for name, result in results.items())
        (self.folder / ("again" if again else "") / f"{suite}.xml").write_text(XUNIT.format(tests))
        if "Fail" in results.values() and not again:
            self.failed[suite] = f"{suite} ended with exit code 1: see"

    def report(self, expected: tuple[str, ...] = (), left_out: dict[str, str] = {}) -> tuple[int, list[str]]:
        files = (self.folder, self.missing, self.folder / "no shared folder")
        code = gate_report.print_report(
            *files, ["csharp"], expected, self.failed, left_out, whole=True, quarantine=self.quarantine
        )
        return code, self._capsys.readouterr().out.splitlines()


@pytest.fixture
def results(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.delenv("CI", raising=False)
    return Results(tmp_path, capsys)


def test_totals_count_each_outcome(results: Results) -> None:
    results.write("One", a="Pass", b="Skip", c="NotRun")
    results.write("Two", d="Pass")
    code, lines = results.report(("One", "Two"))
    assert (code, lines[-1]) == (0, "2 passed, 0 failed, 1 skipped")
    assert "skipped: One: b: why" in lines


def test_a_failed_test_fails_the_command(results: Results) -> None:
    results.write("One", a="Pass", b="Fail")
    code, lines = results.report(("One",))
    assert (code, lines[-2:]) == (1, ["failed: One: b: why", "1 passed, 1 failed, 0 skipped"])


def test_a_flaky_test_fails_the_command(results: Results) -> None:
    results.write("One", a="Fail")
    results.write("One", again=True, a="Pass")
    code, lines = results.report(("One",))
    assert code == 1
    assert "failed: One: a is flaky: it failed next to other tests, and passed alone" in lines


@pytest.mark.parametrize("until, code", [("2999-01-01", 0), ("2026-01-01", 1)])
def test_quarantine_excuses_a_flaky_test_until_its_date(results: Results, until: str, code: int) -> None:
    results.write("One", a="Fail")
    results.write("One", again=True, a="Pass")
    results.quarantine.write_text(f"# comment\n{until}\tOne\ta\twaits for a slow disk\n")
    found, lines = results.report(("One",))
    assert found == code
    assert any(
        "waits for a slow disk" in line if code == 0 else f"was to be repaired by {until}" in line for line in lines
    )


def test_quarantine_does_not_excuse_a_test_that_also_fails_alone(results: Results) -> None:
    results.write("One", a="Fail")
    results.write("One", again=True, a="Fail")
    results.quarantine.write_text("2999-01-01\tOne\ta\treason\n")
    assert results.report(("One",))[0] == 1


def test_a_quarantine_entry_without_a_reason_fails_the_command(results: Results) -> None:
    results.write("One", a="Pass")
    results.quarantine.write_text("2999-01-01\tOne\ta\n")
    code, lines = results.report(("One",))
    assert code == 1 and any("quarantine.tsv:1: expected" in line for line in lines)


def test_a_suite_that_did_not_run_fails_the_command(results: Results) -> None:
    results.write("One", a="Pass")
    results.write("Two")
    code, lines = results.report(("One", "Two"))
    assert (code, lines[-2]) == (1, "failed: Two ran no test: see results/Two.log")


def test_a_suite_that_cannot_run_here_is_listed_as_skipped(results: Results) -> None:
    results.write("One", a="Pass")
    code, lines = results.report(("One", "Two"), {"Two": "no browser"})
    assert (code, lines[-2:]) == (0, ["skipped: Two: no browser", "1 passed, 0 failed, 1 skipped"])


def test_in_ci_a_suite_that_cannot_run_fails_the_command(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    results.write("One", a="Pass")
    code, lines = results.report(("One", "Two"), {"Two": "no browser"})
    assert (code, lines[-2]) == (1, "failed: Two did not run: no browser")


def test_in_ci_the_suite_of_a_release_is_left_out_before_the_first_release(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    results.write("One", a="Pass")
    code, lines = results.report(("One", "Released"), {"Released": "no tag v* in this clone"})
    assert (code, lines[-2]) == (0, "skipped: Released: no tag v* in this clone")


def test_a_hang_is_reported_with_the_name_of_its_test(results: Results) -> None:
    (results.folder / "One.log").write_text("starting\nhang: One.a did not end within 300 s\n")
    results.failed["One"] = "One wrote no results"
    code, lines = results.report(("One",))
    assert (code, lines[-2]) == (1, "failed: hang: One.a did not end within 300 s")


def test_an_error_outside_of_tests_fails_the_command_although_a_flaky_test_is_excused(results: Results) -> None:
    results.write("One", a="Fail")
    results.write("One", again=True, a="Pass")
    results.quarantine.write_text("2999-01-01\tOne\ta\treason\n")
    path = results.folder / "One.xml"
    error = '<errors><error type="test-class-cleanup" name="One.B"/></errors>'
    path.write_text(path.read_text().replace("<collection>", f"{error}<collection>"))
    code, lines = results.report(("One",))
    assert (code, lines[-2]) == (1, "failed: One: test-class-cleanup One.B: ")


def test_a_result_file_that_was_cut_off_fails_the_command(results: Results) -> None:
    (results.folder / "One.xml").write_text("<assemblies><assem")
    code, lines = results.report(("One",))
    assert code == 1 and any("One.xml cannot be read" in line for line in lines)


def test_a_missing_need_that_no_suite_has_is_listed_as_skipped(results: Results) -> None:
    results.write("One", a="Pass")
    (results.missing / "images").write_text("images: root is needed")
    code, lines = results.report(("One",))
    assert code == 0 and "skipped: images: root is needed" in lines


def test_a_junit_file_gives_reasons_of_skipped_files(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "py.junit.xml"
    path.write_text(
        '<testsuite><testcase classname="" name="tests.a"><skipped message="collection skipped">'
        "('a.py', 1, 'Skipped: no torch')</skipped></testcase>"
        '<testcase classname="tests.b" name="c"/><testcase classname="tests.b" name="d"><failure/></testcase></testsuite>'
    )
    outcomes = [(test.name, test.outcome, test.reason) for test in gate_report.read_junit(path)]
    assert outcomes == [("tests.a", "skipped", "no torch"), ("tests.b.c", "passed", ""), ("tests.b.d", "failed", "")]
