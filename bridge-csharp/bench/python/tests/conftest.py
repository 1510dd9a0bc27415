"""Imports the scripts and the package from the checkout: neither is installed for these tests."""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "bridge-csharp" / "bench" / "python"), str(ROOT / "agent-python" / "src")]
