#!/usr/bin/env python3
"""Prints the list of third-party parts of a release, in CycloneDX's format.

    tools/parts_list.py FOUND.json      the list that cdxgen made from the lock files of C# and JavaScript

Keeps only fields that are the same in each run, and leaves out the path of the build. Adds the product with its version, and the
requirements of the Python package. These have no version, because pip chooses it when a user installs the package.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
import uuid
from typing import Any

from package_page import ROOT, property_of

KEPT = ("type", "group", "name", "version", "purl", "bom-ref", "hashes", "licenses")


def requirements() -> list[dict[str, Any]]:
    """The required packages of the Python package."""
    project = (ROOT / "agent-python/pyproject.toml").read_text("utf-8")
    listed = re.search(r"^dependencies = \[(.*)\]$", project, re.MULTILINE)
    if listed is None:
        raise SystemExit("parts_list: agent-python/pyproject.toml has no line 'dependencies = […]'")
    names = re.findall(r'"([\w-]+)', listed[1])
    return [
        {"type": "library", "name": name, "purl": f"pkg:pypi/{name}", "bom-ref": f"pkg:pypi/{name}"} for name in names
    ]


def parts_list(found: dict[str, Any]) -> dict[str, Any]:
    version, address = property_of("VersionPrefix"), property_of("RepositoryUrl")
    components = [
        {name: part[name] for name in KEPT if part.get(name)}
        for part in found["components"]
        if not part["name"].startswith("sc2bridge.")  # projects of this repository
    ]
    components = sorted(components + requirements(), key=lambda part: str(part["purl"]))
    return {
        "bomFormat": found["bomFormat"],
        "specVersion": found["specVersion"],
        # The same parts of the same version have the same number.
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{address}@{version}{json.dumps(components)}").urn,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "sc2bridge",
                "version": version,
                "bom-ref": f"sc2bridge@{version}",
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "externalReferences": [{"type": "vcs", "url": address}],
            }
        },
        "components": components,
    }


if __name__ == "__main__":
    json.dump(parts_list(json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8"))), sys.stdout, indent=1)
