"""The first example of docs/guide/data.md."""

from __future__ import annotations

import pathlib
import re
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_five_lines_draw_the_units_over_time(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/data.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    assert len(code.splitlines()) == 5
    shutil.copy(ROOT / "recordings/sample.mcap", tmp_path / "marines.mcap")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    exec(code.replace("MARINE", "SCV"), {})  # The sample has no marines.
    assert (tmp_path / "marines.png").read_bytes().startswith(b"\x89PNG")
