#!/usr/bin/env python3
"""Checks the files of a release in dist/ and writes their checksums to dist/SHA256SUMS.

    tools/check_packages.py [KIND…]    prints each problem, and then exits with 1. No file of a kind KIND needs to exist

Every file must have the version of bridge-csharp/Directory.Build.props, every package must name the repository's addresses, and the
links on the pages of packages must be absolute. tools/package calls it at its end.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import re
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator

from check_links import CODE_SPAN, FENCE, LINK
from package_page import ROOT, property_of

URLS = ("Homepage", "Repository", "Issues", "Documentation", "Changelog")


def file_in(archive: pathlib.Path, pattern: str) -> str:
    """The text of the first file in an archive whose whole name matches."""
    if archive.suffix in (".whl", ".nupkg"):
        with zipfile.ZipFile(archive) as packed:
            name = next(name for name in packed.namelist() if re.fullmatch(pattern, name))
            return packed.read(name).decode()
    with tarfile.open(archive) as unpacked:
        name = next(name for name in unpacked.getnames() if re.fullmatch(pattern, name))
        content = unpacked.extractfile(name)
        assert content is not None
        return content.read().decode()


def found_in(pattern: str, text: str) -> str:
    """The first group of the first match. Empty if nothing matches."""
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


def relative_links(page: str) -> Iterator[str]:
    for first, second in LINK.findall(CODE_SPAN.sub("", FENCE.sub("", page))):
        if not re.match(r"[a-z][a-z+.-]*:", first or second):
            yield f"its page has the relative link {first or second}"


def of_python(file: pathlib.Path) -> tuple[str, list[str]]:
    text = file_in(file, r".*\.dist-info/METADATA" if file.suffix == ".whl" else r"[^/]+/PKG-INFO")
    head, _, page = text.partition("\n\n")
    labels = re.findall(
        rf"^Project-URL: (\w+), {re.escape(property_of('RepositoryUrl'))}(?:/\S+)?$", head, re.MULTILINE
    )
    missing = [f"it has no address of its {label.lower()}" for label in URLS if label not in labels]
    return found_in(r"^Version: (.*)$", head), [*missing, *relative_links(page)]


def has_library(wheel: pathlib.Path) -> bool:
    with zipfile.ZipFile(wheel) as packed:
        return any(re.fullmatch(r"sc2bridge/(lib)?sc2bridge\.(so|dll|dylib)", name) for name in packed.namelist())


def of_nuget(file: pathlib.Path) -> tuple[str, list[str]]:
    about, address = file_in(file, r"[^/]+\.nuspec"), re.escape(property_of("RepositoryUrl"))
    wanted = {"project": f"<projectUrl>{address}<", "repository": f'<repository [^>]*url="{address}"'}
    wanted["changelog"] = f"<releaseNotes>{address}/"
    missing = [f"it has no address of its {name}" for name, pattern in wanted.items() if not re.search(pattern, about)]
    return found_in(r"<version>(.*)</version>", about), [*missing, *relative_links(file_in(file, r"README\.md"))]


def of_npm(file: pathlib.Path) -> tuple[str, list[str]]:
    about, address = json.loads(file_in(file, r"package/package\.json")), property_of("RepositoryUrl")
    found = {"homepage": about.get("homepage", ""), "repository": about.get("repository", {}).get("url", "")}
    found["issues"] = about.get("bugs", "")
    missing = [f"it has no address of its {name}" for name, value in found.items() if address not in str(value)]
    return about["version"], [*missing, *relative_links(file_in(file, r"package/README\.md"))]


def of_viewer(file: pathlib.Path) -> tuple[str, list[str]]:
    return found_in(r'<meta name="generator" content="sc2bridge (.*?)">', file.read_text("utf-8")), []


def of_parts(file: pathlib.Path) -> tuple[str, list[str]]:
    listed = json.loads(file.read_text("utf-8"))
    kinds = {part["purl"].partition("/")[0] for part in listed["components"]}
    missing = {"pkg:nuget", "pkg:npm", "pkg:pypi"} - kinds
    return listed["metadata"]["component"]["version"], [f"it lists no {kind}" for kind in sorted(missing)]


def of_program(file: pathlib.Path) -> tuple[str, list[str]]:
    return found_in(r"^sc2bridge-(.*?)-(?:linux|win|osx)-", file.name), []


KINDS: dict[str, tuple[str, Callable[[pathlib.Path], tuple[str, list[str]]]]] = {
    "wheel": (r".*\.whl", of_python),
    "sdist": (r"sc2bridge-[^-]+\.tar\.gz", of_python),
    "program": (r"sc2bridge-[^-]+-\w+-\w+\.tar\.gz", of_program),
    "nuget": (r".*\.nupkg", of_nuget),
    "npm": (r".*\.tgz", of_npm),
    "viewer": (r"sc2bridge-viewer\.html", of_viewer),
    "parts": (r"sc2bridge\.cdx\.json", of_parts),
}
"""For each kind of file the pattern of its name, and a function that reads its version and its problems."""


def problems_of(dist: pathlib.Path, left_out: set[str]) -> list[str]:
    """The problems of all files in a folder. left_out: kinds of files that this machine cannot make; `library` for the
    native libraries in the wheels of other systems."""
    version, problems = property_of("VersionPrefix"), []
    rest = {file for file in dist.iterdir() if file.is_file() and file.name != "SHA256SUMS"}
    for kind, (pattern, read) in KINDS.items():
        files = sorted(file for file in rest if re.fullmatch(pattern, file.name))
        problems += [] if files or kind in left_out else [f"dist/ has no file of the kind {kind}"]
        for file in files:
            found, wrong = read(file)
            problems += [f"{file.name}: {problem}" for problem in wrong]
            problems += [] if found == version else [f"{file.name}: its version is '{found}', not {version}"]
        rest.difference_update(files)
    for wheel in [] if "library" in left_out else sorted(dist.glob("*.whl")):
        if not wheel.name.endswith("-any.whl") and not has_library(wheel):
            problems.append(f"{wheel.name}: it has no native library: run tools/package on its system")
    return problems + [f"{file.name}: no release has this file: remove it" for file in sorted(rest)]


def main() -> int:
    dist = ROOT / "dist"
    problems = problems_of(dist, set(sys.argv[1:]))
    sums = []
    for file in sorted(file for file in dist.iterdir() if file.is_file() and file.name != "SHA256SUMS"):
        sums.append(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n")
    (dist / "SHA256SUMS").write_bytes("".join(sums).encode())
    print("".join(f"{problem}\n" for problem in problems), end="", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
