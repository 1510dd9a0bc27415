"""Tests of the documentation site: links, docstrings, and the checks of tools/build_docs.py."""

from __future__ import annotations

import pathlib
import sys
import zlib

import pytest

for needed in ("sphinx", "myst_parser"):
    pytest.importorskip(needed, reason="Sphinx is missing: tools/set-up --docs installs it")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "docs"), str(ROOT / "agent-python/src")]
import api_pages
import build_docs
import conf


@pytest.mark.parametrize(
    ("target", "on_the_site"),
    [
        ("agents.md#commands", "agents.md#commands"),
        ("../../README.md", "../../README.md"),
        ("../images/live.png", "../images/live.png"),
        ("#here", "#here"),
        ("../../tools/set-up", f"{conf.REPOSITORY}/blob/main/tools/set-up"),
        ("../../tools/peers", f"{conf.REPOSITORY}/tree/main/tools/peers"),
        ("../../tools/set-up#L9", f"{conf.REPOSITORY}/blob/main/tools/set-up#L9"),
    ],
)
def test_a_link_to_a_file_that_is_not_a_page_becomes_an_address(target: str, on_the_site: str) -> None:
    assert conf.site_link(target, "docs/guide/page.md") == on_the_site


def test_the_sidebar_has_each_page_of_the_index_once() -> None:
    sidebar = conf.sidebar().split("\n")
    assert sidebar.count("/docs/guide/agents.md") == 1 and sidebar.count("/agent-js/README.md") == 1
    assert sidebar.index("/docs/guide/agents.md") < sidebar.index("/docs/reference/commands.md")


def test_a_docstring_becomes_fields_and_code() -> None:
    def connect(url: str, token: str, tls: str) -> None:
        ...

    lines = "Connects.\n\nurl: the address,\n    or None.\ntoken, tls: secrets.\nRaises OSError.\n\n    code()".split(
        "\n"
    )
    api_pages.as_rst(None, "function", "connect", connect, None, lines)
    fields = [":param url: the address,", "    or None.", ":param token: secrets.", ":param tls: see `token`"]
    assert [line for line in lines if line] == ["Connects.", *fields, "Raises OSError.", "::", "    code()"]


def test_a_public_name_that_is_not_on_the_site_is_reported(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{module}.{name}" for module, new, _ in api_pages.pages() for name in new] + api_pages.MODULES
    lines = "".join(
        f"{name} py:class 1 x -\n" for name in [*names, *api_pages.OTHER_TYPES] if name != "sc2bridge.Frame"
    )
    header = b"# Sphinx inventory version 2\n# Project: x\n# Version: 1\n# The remainder is compressed using zlib.\n"
    (tmp_path / "objects.inv").write_bytes(header + zlib.compress(lines.encode()))
    monkeypatch.setattr(build_docs, "SITE", tmp_path)
    assert list(build_docs.missing_names()) == ["sc2bridge.Frame"]


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ('<script defer src="https://cdn.example/a.js"></script>', "https://cdn.example/a.js"),
        ('<link rel="stylesheet" href="/javascript/a.css" />', "/javascript/a.css"),
        ("@import url(/javascript/a.css);", "/javascript/a.css"),
        ('<img src="../_images/a.png"><a href="https://example.org">text</a>', None),
        ("background: url('data:image/svg+xml;http://www.w3.org')", None),
    ],
)
def test_something_that_a_page_loads_from_elsewhere_is_reported(text: str, loads: str | None) -> None:
    found = build_docs.LOADED.search(text)
    assert (found and (found[1] or found[2])) == loads
