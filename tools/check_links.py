#!/usr/bin/env python3
"""Checks that the targets of links in the repository's Markdown exist, and that documents named in code exist.

    tools/check_links.py        prints each dead link, and then exits with 1

It checks the relative links (to a file, folder, heading or line `#L12`) of every tracked *.md. It also checks each path
`docs/….md`, and `README.md` of proto, recordings and agent-python, in source files. It does not check addresses on the web.
"""

import pathlib
import posixpath
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOREIGN = {"docs/protocol.md"}  # A document of s2client-proto, which comments cite.
CODE = (".cs", ".py", ".proto", ".js", ".csproj", ".props", ".targets", ".sh", ".yml")

FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"(`+)[^`].*?\1", re.DOTALL)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
NAMED = re.compile(r"(?<![\w/.:-])(?:docs/[\w./-]+|(?:proto|recordings|agent-python)/README)\.md\b")


def tracked_paths() -> "set[str]":
    """Every tracked file, and every folder that contains one."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = {name for name in listed.split("\0") if name and (ROOT / name).exists()}
    folders = {str(parent) for name in files for parent in pathlib.PurePosixPath(name).parents}
    return files | folders


def anchors_of(text: str) -> "set[str]":
    """The anchors that GitHub makes from the headings of a page, and explicit anchors."""
    found = set(ANCHOR.findall(text))
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        twin = 0
        while (slug if twin == 0 else f"{slug}-{twin}") in found:
            twin += 1
        found.add(slug if twin == 0 else f"{slug}-{twin}")
    return found


def problem_of(page: str, target: str, paths: "set[str]") -> str:
    """The problem with a link, or an empty text if it is valid."""
    path, _, anchor = urllib.parse.unquote(target).partition("#")
    linked = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if linked not in paths:
        return "no tracked file has this path"
    if not anchor:
        return ""
    text = (ROOT / linked).read_text(encoding="utf-8") if (ROOT / linked).is_file() else ""
    lines = re.fullmatch(r"L(\d+)(?:-L(\d+))?", anchor)
    if lines:
        last = int(lines[2] or lines[1])
        return "" if last <= text.count("\n") + 1 else f"it has no line {last}"
    return "" if linked.endswith(".md") and anchor in anchors_of(text) else f"it has no heading #{anchor}"


def main() -> int:
    paths = tracked_paths()
    dead = []
    checked = 0
    for page in sorted(paths):
        file = ROOT / page
        if not file.is_file():
            continue
        if page.endswith(".md"):
            text = file.read_text(encoding="utf-8")
            readable = CODE_SPAN.sub("", FENCE.sub("", text))
            for match in LINK.finditer(readable):
                target = match[1] or match[2]
                if urllib.parse.urlsplit(target).scheme or target.startswith("//"):
                    continue
                checked += 1
                wrong = problem_of(page, target, paths)
                if wrong:
                    dead.append(f"{page}: {target}: {wrong}")
        elif page.endswith(CODE):
            for name in NAMED.findall(file.read_text(encoding="utf-8", errors="replace")):
                checked += 1
                if name not in paths | FOREIGN:
                    dead.append(f"{page}: {name}: no tracked file has this path")
    for line in dead:
        print(line)
    print(f"{checked} links checked, {len(dead)} dead")
    return 1 if dead or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
