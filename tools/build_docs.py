#!/usr/bin/env python3
"""Builds the documentation site into build/docs, and checks it. `tools/set-up --docs` installs what it needs.

    .setup/debian/bin/python tools/build_docs.py

It fails if Sphinx has a warning, if a public name of the Python package has no docstring or is not on the site, or if a page
loads something from elsewhere. To read the site: `python3 -m http.server --directory build/docs`.
"""

import gc
import pathlib
import re
import shutil
import sys
import time
from typing import Iterator

from sphinx.cmd.build import build_main
from sphinx.util.inventory import InventoryFile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = ROOT / "build/docs"
DOCTREES = ROOT / "build/doctrees"

sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "agent-python/src")]

# Something that a browser loads with a page from another server, or from outside the site's folder.
LOADED = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*?\s(?:src|href)=\"((?:https?:|/)[^\"]*)\"|(?:url|@import)[\s(\"']+((?:https?:|/)[^)\"']*)"
)


def missing_names() -> Iterator[str]:
    """The public names that the site does not document. Sphinx leaves out a name without a docstring."""
    import api_pages

    with open(SITE / "objects.inv", "rb") as file:
        listed = InventoryFile.load(file, "", lambda base, path: path)
    on_site = {name for kind, names in listed.items() if kind.startswith("py:") for name in names}
    for module, names, _ in api_pages.pages():
        wanted = {f"{module}.{name}" for name in names} | {module}
        yield from sorted(wanted - on_site)
    yield from sorted(set(api_pages.OTHER_TYPES) - on_site)


def loaded_from_elsewhere() -> Iterator[str]:
    for path in sorted(SITE.rglob("*")):
        if path.suffix in (".html", ".css") and path.name != "sc2bridge-viewer.html":
            for found in LOADED.finditer(path.read_text("utf-8")):
                yield f"{path.relative_to(SITE)} loads {found[1] or found[2]}"


def main() -> int:
    for needed in ("agent-js/page/viewer/dist/sc2bridge-viewer.html", "agent-python/src/sc2bridge/_descriptors.binpb"):
        if not (ROOT / needed).exists():
            sys.exit(f"build_docs: {needed} is missing: run tools/set-up --docs")
    began = time.monotonic()
    for folder in (SITE, DOCTREES):
        shutil.rmtree(folder, ignore_errors=True)
    gc.disable()  # Sphinx makes millions of objects that stay until the end.
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", "-c", str(ROOT / "docs"), "-d", str(DOCTREES)]
    status = build_main([*options, str(ROOT), str(SITE)])
    if not (SITE / "objects.inv").exists():
        return status or 1
    wrong = [f"{name} has no docstring, or is not on the site" for name in missing_names()]
    wrong += loaded_from_elsewhere()
    count = sum(1 for _ in SITE.rglob("*.html"))
    print("\n".join([*wrong, f"{count} pages in {SITE.relative_to(ROOT)}, {time.monotonic() - began:.0f} s"]))
    return 1 if wrong else status


if __name__ == "__main__":
    sys.exit(main())
