"""The first example of docs/guide/data.md."""

from __future__ import annotations

import pathlib
import re
import shutil
from typing import Any

import pytest
from conftest import ROOT


def test_five_lines_draw_the_units_over_time(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/data.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    *count, draw = code.splitlines()
    assert len(count) == 4
    shutil.copy(ROOT / "recordings/sample.mcap", tmp_path / "marines.mcap")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, Any] = {}
    # The sample was observed from neither side, and has no marines.
    exec("\n".join(count).replace("MARINE", "SCV").replace("alliance == 1", "alliance == 4"), names)
    assert names["marines"].iloc[0] == 12
    pytest.importorskip("matplotlib")
    exec(draw, names)
    assert (tmp_path / "marines.png").read_bytes().startswith(b"\x89PNG")
