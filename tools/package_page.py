#!/usr/bin/env python3
"""Prints a page of this repository for readers elsewhere: with absolute links to the files of the version's tag.

    tools/package_page.py PAGE                      for the pages of packages on PyPI, npm and NuGet
    tools/package_page.py CHANGELOG.md --section X  only the section of version X, for the text of a release

The repository's address and the version are in bridge-csharp/Directory.Build.props.
"""

from __future__ import annotations

import argparse
import pathlib
import posixpath
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A piece of code, or the target of a link or a picture. Code contains no links.
CODE_OR_TARGET = re.compile(
    r"(?P<code>^(```|~~~).*?^\2|(?P<ticks>`+)[^`].*?(?P=ticks))"
    r"|(?P<picture>!\[[^\]]*)?\]\((?P<target>[^)\s]+)|^(?P<label>\[[^\]]+\]:\s+)(?P<defined>\S+)",
    re.MULTILINE | re.DOTALL,
)


def property_of(name: str) -> str:
    """A property of Directory.Build.props."""
    found = re.search(f"<{name}>([^<]+)</{name}>", (ROOT / "bridge-csharp/Directory.Build.props").read_text("utf-8"))
    if found is None:
        raise SystemExit(f"package_page: bridge-csharp/Directory.Build.props has no <{name}>")
    return found[1]


def absolute(target: str, page: str, is_picture: bool) -> str:
    """The address of a link's target on the web."""
    if re.match(r"[a-z][a-z+.-]*:|//", target):
        return target
    path, hash_sign, anchor = target.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    kind = "raw" if is_picture else "blob"
    return f"{property_of('RepositoryUrl')}/{kind}/v{property_of('VersionPrefix')}/{file}{hash_sign}{anchor}"


def with_absolute_links(text: str, page: str) -> str:
    """The text of a page with absolute links. page: its path in the repository."""

    def replace(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        if found["label"]:
            return found["label"] + absolute(found["defined"], page, False)
        return f"{found['picture'] or ''}]({absolute(found['target'], page, bool(found['picture']))}"

    return CODE_OR_TARGET.sub(replace, text)


def section_of(text: str, version: str) -> str:
    """The section of a version in the changelog, without its heading."""
    found = re.search(rf"^## {re.escape(version)}\b[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"package_page: the changelog has no section for {version}: add it")
    return found[1].strip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("--section", metavar="X")
    arguments = parser.parse_args()
    text = (ROOT / arguments.page).read_text("utf-8")
    if arguments.section:
        text = section_of(text, arguments.section)
    sys.stdout.buffer.write(with_absolute_links(text, arguments.page).encode())


if __name__ == "__main__":
    main()
