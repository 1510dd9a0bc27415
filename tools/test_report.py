"""Reads the result files of all test suites; lists what was skipped and why, and prints the totals."""

import argparse
import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Iterable, Iterator

# The tests against a third party, by the trait `ThirdParty` of the C# tests and the property of that name of the Python
# ones, with the suite that they are of. Where the shared folder is present, each of them must have run.
THIRD_PARTIES = {
    "grpcio": "csharp",
    "grpc-js": "csharp",
    "websockets": "csharp",
    "ws": "csharp",
    "mcap": "csharp",
    "@mcap/core": "csharp",
    "@foxglove/ws-protocol": "csharp",
    "@foxglove/schemas": "csharp",
    "Chromium": "csharp",
    "real messages": "csharp",
    "prometheus": "csharp",
    "burnysc2": "python",
    "pysc2": "python",
}

# What the reason of a test names that needs the shared folder and did not find it: where that is, none may say so.
SHARED = "SC2BRIDGE_SHARED"


@dataclass(frozen=True)
class Test:
    """One test as its suite reported it."""

    suite: str
    name: str
    outcome: str  # "passed", "failed" or "skipped"
    reason: str = ""
    method: str = ""  # of C#, with its class: a theory's tests share it
    third_parties: tuple[str, ...] = ()


def read_xunit(path: pathlib.Path) -> Iterator[Test]:
    """The tests of an xunit.net v2+ XML file (https://xunit.net/docs/format-xml-v2)."""
    for test in ElementTree.parse(path).iter("test"):
        outcome = {"Pass": "passed", "Skip": "skipped"}.get(test.get("result", ""), "failed")
        parties = tuple(t.get("value", "") for t in test.iter("trait") if t.get("name") == "ThirdParty")
        if test.get("result") != "NotRun":  # Explicit ones, which nobody asked for.
            method = f"{test.get('type')}.{test.get('method')}"
            yield Test(path.stem, test.get("name", "?"), outcome, test.findtext("reason", "").strip(), method, parties)


def read_junit(path: pathlib.Path) -> Iterator[Test]:
    """The tests of a JUnit XML file, as pytest writes it."""
    for case in ElementTree.parse(path).iter("testcase"):
        skipped = case.find("skipped")
        failed = case.find("failure") is not None or case.find("error") is not None
        outcome = "failed" if failed else "skipped" if skipped is not None else "passed"
        reason = skipped.get("message", "") if skipped is not None else ""
        if skipped is not None and reason == "collection skipped":
            # A whole file, whose reason stands in a tuple: ('path', 1, 'Skipped: why').
            reason = (skipped.text or "").partition("Skipped: ")[2].rstrip("')\"")
        properties = case.findall("properties/property")
        parties = tuple(p.get("value", "") for p in properties if p.get("name") == "ThirdParty")
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        yield Test(path.name.replace(".junit.xml", ""), name, outcome, reason, name.replace(" ", "_"), parties)


def read_results(folder: pathlib.Path, failures: list[str]) -> list[Test]:
    """The tests of all files of a folder; a file that cannot be read is a failure."""
    tests: list[Test] = []
    for path in sorted(folder.glob("*.xml")):
        read = read_junit if path.name.endswith(".junit.xml") else read_xunit
        try:
            tests += read(path)
        except ElementTree.ParseError as error:
            failures.append(f"{path.name} cannot be read ({error}): that suite was cut off")
    return tests


def ran_elsewhere(tests: Iterable[Test]) -> set[Test]:
    """Those that one of Python's environments skips and the other runs; a skipped file counts as its tests."""
    tests = [test for test in tests if test.suite.startswith("agent-python-")]
    ran = [test.name for test in tests if test.outcome != "skipped"]
    return {
        test
        for test in tests
        if test.outcome == "skipped" and any(name == test.name or name.startswith(f"{test.name}.") for name in ran)
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=pathlib.Path, help="folder of the result files")
    parser.add_argument("--failed", action="store_true", help="print only the failed tests: suite, method")
    parser.add_argument("--left-out", type=pathlib.Path, help="folder of files: the tests that are left out, and why")
    parser.add_argument("--shared", type=pathlib.Path, help="the folder of real messages")
    parser.add_argument("--suites", nargs="+", help="the suites that were asked for")
    parser.add_argument("--quick", action="store_true", help="not every third party was to be tried")
    arguments = parser.parse_args()

    failures: list[str] = []
    tests = read_results(arguments.results, failures)
    if arguments.failed:
        for test in tests:
            if test.outcome == "failed":
                print(test.suite, test.method)
        return 0

    again = read_results(arguments.results / "again", failures)
    passed_again = {(test.suite, test.name) for test in again if test.outcome == "passed"}
    flaky = [test for test in tests if test.outcome == "failed" and (test.suite, test.name) in passed_again]
    failures += [f"{test.suite}: {test.name}" for test in tests if test.outcome == "failed" and test not in flaky]
    # A check without tests of its own (formatting, types), or a suite that failed without naming a test.
    named = {test.suite for test in tests if test.outcome == "failed"}
    steps = sorted(path.name for path in (arguments.results / "failed").iterdir())
    failures += [f"{step}: see {arguments.results / step}.log" for step in steps if step not in named]

    elsewhere = ran_elsewhere(tests)
    skipped = [test for test in tests if test.outcome == "skipped" and test not in elsewhere]
    skips = [f"{test.suite}: {test.name}: {test.reason}" for test in skipped]
    if {"csharp", "python", "js"} & set(arguments.suites):
        skips += [path.read_text().strip() for path in sorted(arguments.left_out.iterdir())]

    ran = collections.Counter(party for test in tests if test.outcome != "skipped" for party in test.third_parties)
    if arguments.shared.is_dir():
        there = f"although {arguments.shared} is there"
        failures += [f"{test.suite}: {test.name} was skipped, {there}" for test in skipped if SHARED in test.reason]
        if not arguments.quick:
            failures += [
                f"no test against {party} ran, {there}"
                for party, suite in THIRD_PARTIES.items()
                if suite in arguments.suites and not ran[party]
            ]

    print()
    for suite in sorted({test.suite for test in tests}):
        counts = collections.Counter(test.outcome for test in tests if test.suite == suite)
        print(f"{suite}: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    print("against third parties: " + ", ".join(f"{party} {ran[party]}" for party in THIRD_PARTIES))
    for test in sorted(elsewhere, key=lambda test: (test.suite, test.reason, test.name)):
        print(f"not in {test.suite}, but in the other environment: {test.name}: {test.reason}")
    for line in skips:
        print(f"skipped: {line}")
    for test in flaky:
        print(f"flaky, passed when it ran once more and alone: {test.suite}: {test.name}")
    for line in failures:
        print(f"failed: {line}")
    passed = sum(test.outcome == "passed" for test in tests) + len(flaky)
    print(f"{passed} passed, {len(failures)} failed, {len(skips)} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
