"""Reads the result files of all test suites; lists what was skipped and why, and prints the totals."""

import argparse
import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Iterator

# The tests against a third party, by the trait `ThirdParty` of the C# tests and the property of that name of the Python
# ones, with the suite that they are of. Where the shared folder is present, each of them must have run.
THIRD_PARTIES = {
    "grpcio": "csharp",
    "grpc-js": "csharp",
    "websockets": "csharp",
    "ws": "csharp",
    "mcap": "csharp",
    "@mcap/core": "csharp",
    "Chromium": "csharp",
    "real messages": "csharp",
    "burnysc2": "python",
}

# What the reason of a test names that needs the shared folder and did not find it: where that is, none may say so.
SHARED = "SC2BRIDGE_SHARED"


@dataclass(frozen=True)
class Test:
    """One test as its suite reported it."""

    name: str
    outcome: str  # "passed", "failed" or "skipped"
    reason: str = ""
    third_parties: tuple[str, ...] = ()


def read_xunit(path: pathlib.Path) -> Iterator[Test]:
    """The tests of an xunit.net v2+ XML file (https://xunit.net/docs/format-xml-v2)."""
    for test in ElementTree.parse(path).iter("test"):
        outcome = {"Pass": "passed", "Skip": "skipped"}.get(test.get("result", ""), "failed")
        parties = tuple(t.get("value", "") for t in test.iter("trait") if t.get("name") == "ThirdParty")
        yield Test(test.get("name", "?"), outcome, test.findtext("reason", "").strip(), parties)


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
        yield Test(f"{case.get('classname')}.{case.get('name')}", outcome, reason, parties)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=pathlib.Path, help="folder of the result files")
    parser.add_argument("--shared", type=pathlib.Path, required=True, help="the folder of real messages")
    parser.add_argument("--checks-failed", type=int, required=True, help="suites and checks that exited non-zero")
    parser.add_argument("--suites", nargs="+", required=True, help="the suites that were asked for")
    arguments = parser.parse_args()

    tests: list[Test] = []
    broken: list[str] = []
    for path in sorted(arguments.results.glob("*.xml")):
        read = read_junit if path.name.endswith(".junit.xml") else read_xunit
        try:
            tests += read(path)
        except ElementTree.ParseError as error:
            broken.append(f"{path.name} cannot be read ({error}): that suite was cut off")

    counts = collections.Counter(test.outcome for test in tests)
    ran = collections.Counter(party for test in tests if test.outcome != "skipped" for party in test.third_parties)
    missing = []
    blind = []
    if arguments.shared.is_dir():
        blind = [test for test in tests if test.outcome == "skipped" and SHARED in test.reason]
        missing = [party for party, suite in THIRD_PARTIES.items() if suite in arguments.suites and not ran[party]]

    print()
    for test in tests:
        if test.outcome == "failed":
            print(f"failed: {test.name}")
    for test in tests:
        if test.outcome == "skipped":
            print(f"skipped: {test.name}: {test.reason}")
    for line in broken:
        print(f"failed: {line}")
    for test in blind:
        print(f"failed: {test.name} was skipped, although {arguments.shared} is there")
    for party in missing:
        print(f"failed: no test against {party} ran, although {arguments.shared} is there")
    print("against third parties: " + ", ".join(f"{party} {ran[party]}" for party in THIRD_PARTIES))
    failures = counts["failed"] + len(broken) + len(missing) + len(blind)
    if failures == 0:
        # A check without tests of its own (formatting, types), or a suite that failed without naming a test.
        failures = arguments.checks_failed
    print(f"{counts['passed']} passed, {failures} failed, {counts['skipped']} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
