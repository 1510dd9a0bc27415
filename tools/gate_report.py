"""Reads the result files of all test suites. Prints failed and skipped tests with their reasons, and the totals."""

from __future__ import annotations

import collections
import datetime
import os
import pathlib
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

# The third parties whose programs tests use, each with the kind of its suite. A C# test names its third parties by the trait
# `ThirdParty`, a Python test by the property of that name. If the shared folder exists, a test against each must have run.
THIRD_PARTIES = {
    "grpcio": "csharp",
    "grpc-js": "csharp",
    "websockets": "csharp",
    "ws": "csharp",
    "mcap": "csharp",
    "@mcap/core": "csharp",
    "@foxglove/ws-protocol": "csharp",
    "@foxglove/schemas": "csharp",
    "real messages": "csharp",
    "prometheus": "csharp",
    "burnysc2": "python",
    "pysc2": "python",
}

# A test whose skip reason has this variable needs the shared folder. If the folder exists, the skip is a failure.
SHARED = "SC2BRIDGE_SHARED"


@dataclass(frozen=True)
class Test:
    """The result of one test."""

    suite: str
    name: str
    outcome: str  # "passed", "failed" or "skipped"
    reason: str = ""
    method: str = ""  # In C#, with its class. All rows of a theory have the same method.
    third_parties: tuple[str, ...] = ()


def read_xunit(path: pathlib.Path) -> Iterator[Test]:
    """Reads the tests of an xunit.net v2+ XML file (https://xunit.net/docs/format-xml-v2)."""
    for test in ElementTree.parse(path).iter("test"):
        outcome = {"Pass": "passed", "Skip": "skipped"}.get(test.get("result", ""), "failed")
        parties = tuple(t.get("value", "") for t in test.iter("trait") if t.get("name") == "ThirdParty")
        if test.get("result") != "NotRun":  # Explicit tests run only on request.
            method = f"{test.get('type')}.{test.get('method')}"
            reason = test.findtext("reason", "") or test.findtext("failure/message", "")
            yield Test(path.stem, test.get("name", "?"), outcome, reason.strip(), method, parties)
    for error in ElementTree.parse(path).iter("error"):  # An error in a clean-up, or of the whole assembly.
        yield Test(path.stem, f"{error.get('type')} {error.get('name') or ''}".strip(), "failed")


def read_junit(path: pathlib.Path) -> Iterator[Test]:
    """Reads the tests of a JUnit XML file, as pytest and node:test write it."""
    for case in ElementTree.parse(path).iter("testcase"):
        skipped = case.find("skipped")
        failure = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        outcome = "failed" if failure is not None else "skipped" if skipped is not None else "passed"
        reason = next((found.get("message", "") for found in (failure, skipped) if found is not None), "")
        if skipped is not None and reason == "collection skipped":
            # A whole file was skipped. Its reason is in a tuple: ('path', 1, 'Skipped: reason').
            reason = (skipped.text or "").partition("Skipped: ")[2].rstrip("')\"")
        properties = case.findall("properties/property")
        parties = tuple(p.get("value", "") for p in properties if p.get("name") == "ThirdParty")
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        yield Test(path.name.replace(".junit.xml", ""), name, outcome, reason, name.replace(" ", "_"), parties)


def read_results(folder: pathlib.Path, failures: list[str]) -> list[Test]:
    """The tests of all result files of a folder. A file that cannot be read is added to `failures`."""
    tests: list[Test] = []
    for path in sorted(folder.glob("*.xml")):
        read = read_junit if path.name.endswith(".junit.xml") else read_xunit
        try:
            tests += read(path)
        except ElementTree.ParseError as error:
            failures.append(f"{path.name} cannot be read ({error}): its suite did not end normally")
    return tests


def failed_methods(results: pathlib.Path) -> list[tuple[str, str]]:
    """The suite and the method of each failed test. The rows of a theory count once."""
    return sorted({(test.suite, test.method) for test in read_results(results, []) if test.outcome == "failed"})


def read_quarantine(path: pathlib.Path, today: str, failures: list[str]) -> dict[tuple[str, str], str]:
    """The reason of each test that may fail next to others, by suite and name. A line is `DATE SUITE TEST REASON` with tabs
    between them. From DATE on the test counts as failed again."""
    found = {}
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), 1):
        entry = line.split("\t")
        if not line.strip() or line.startswith("#"):
            continue
        if len(entry) != 4 or not all(entry) or not re.fullmatch(r"\d{4}-\d\d-\d\d", entry[0]):
            failures.append(
                f"{path.name}:{number}: expected DATE, SUITE, TEST and REASON with tabs between them, found '{line}'"
            )
        elif entry[0] <= today:
            failures.append(f"{path.name}:{number}: {entry[1]}: {entry[2]} was to be repaired by {entry[0]}")
        else:
            found[entry[1], entry[2]] = entry[3]
    return found


MAY_BE_LEFT_OUT = ("packages", "images", "Released")
"""The suites that CI may leave out. Released needs a release in the history of the clone."""


def step_failure(results: pathlib.Path, step: str, reason: str) -> str:
    """The reason why a step without failed tests failed: lines of its log, or else the reason of the scheduler."""
    log = results / f"{step}.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return "; ".join(line for line in text.splitlines() if line.startswith(("hang: ", "over budget: "))) or reason


def print_report(
    results: pathlib.Path,
    missing: pathlib.Path,
    shared: pathlib.Path,
    kinds: Iterable[str],
    expected: Iterable[str],
    failed: Mapping[str, str],
    left_out: Mapping[str, str],
    whole: bool,
    quarantine: pathlib.Path = pathlib.Path(__file__).with_name("quarantine.tsv"),
) -> int:
    """Prints the skipped, flaky and failed tests, and the totals. Returns the exit code.

    missing: a folder with a file for each thing that this machine lacks. The text of a file has the tests that are left out,
        and the reason.
    kinds: the kinds of suites that were chosen. expected: the suites that must have results.
    failed: the reason of each step that failed. left_out: the reason of each suite that cannot run here.
    whole: whether a test against every third party must have run.
    """
    failures: list[str] = []
    tests = read_results(results, failures)
    quarantined = read_quarantine(quarantine, datetime.date.today().isoformat(), failures)
    rerun_tests = read_results(results / "again", failures)
    passed_again = {(test.suite, test.name) for test in rerun_tests if test.outcome == "passed"}
    flaky = [test for test in tests if test.outcome == "failed" and (test.suite, test.name) in passed_again]
    excused = [test for test in flaky if (test.suite, test.name) in quarantined]
    failures += [
        f"{test.suite}: {test.name}: {test.reason.partition(chr(10))[0][:200]}"
        for test in tests
        if test.outcome == "failed" and test not in flaky
    ]
    failures += [
        f"{test.suite}: {test.name} is flaky: it failed next to other tests, and passed alone"
        for test in flaky
        if test not in excused
    ]
    # If a failed step has no failed test, such as a check, its own reason is a failure.
    named = {test.suite for test in tests if test.outcome == "failed" and test not in excused}
    named |= {test.suite for test in excused if "ended with exit code 1:" in failed.get(test.suite, "")}
    failures += [step_failure(results, step, reason) for step, reason in failed.items() if step not in named]
    # CI has root and all registries, but maybe no release's tag and not every program.
    if os.environ.get("CI") == "true":
        failures += [f"{suite} did not run: {why}" for suite, why in left_out.items() if suite not in MAY_BE_LEFT_OUT]
    ran_tests = {test.suite for test in tests}
    failures += [
        f"{suite} ran no test: see {results.name}/{suite}.log"
        for suite in expected
        if suite not in (*ran_tests, *left_out, *failed)
    ]

    skipped = [test for test in tests if test.outcome == "skipped"]
    skips = [f"{test.suite}: {test.name}: {test.reason}" for test in skipped]
    skips += [f"{suite}: {reason}" for suite, reason in sorted(left_out.items())]
    reasons = [path.read_text().strip() for path in sorted(missing.iterdir())]
    skips += [reason for reason in reasons if reason not in left_out.values()]
    skips += [
        f"{test.suite}: {test.name} failed; in quarantine: {quarantined[test.suite, test.name]}" for test in excused
    ]

    ran = collections.Counter(party for test in tests if test.outcome != "skipped" for party in test.third_parties)
    if shared.is_dir():
        although = f"although {shared} exists"
        failures += [f"{test.suite}: {test.name} was skipped, {although}" for test in skipped if SHARED in test.reason]
        if whole:
            failures += [
                f"no test against {party} ran, {although}"
                for party, kind in THIRD_PARTIES.items()
                if kind in kinds and not ran[party]
            ]

    print()
    for suite in sorted({test.suite for test in tests}):
        counts = collections.Counter(test.outcome for test in tests if test.suite == suite)
        print(f"{suite}: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    print("tests against third parties: " + ", ".join(f"{party} {ran[party]}" for party in THIRD_PARTIES))
    for line in skips:
        print(f"skipped: {line}")
    for line in failures:
        print(f"failed: {line}")
    passed = sum(test.outcome == "passed" for test in tests)
    print(f"{passed} passed, {len(failures)} failed, {len(skips)} skipped")
    return 1 if failures else 0
