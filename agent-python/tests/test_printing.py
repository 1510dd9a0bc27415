"""Text of peers on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sc2bridge.agents.watcher import Watcher
from sc2bridge.game.match import Match
from sc2bridge.game.words import MatchEnd
from sc2bridge.printing import printable, report
from sc2bridge.v1.bridge_pb2 import MatchDescription


@given(st.text())
def test_printable_text_has_no_control_character(text: str) -> None:
    assert printable(text).isprintable()


def test_a_watcher_escapes_what_the_bridge_sent(capsys: pytest.CaptureFixture[str]) -> None:
    watcher = Watcher()
    watcher.on_start(Match(MatchDescription(map_name="ev\x1b]0;title\x07il"), 0))
    watcher.on_end(MatchEnd("m1", 0, 0, "failed", "no\x1b[2J\nsc2bridge: forged"))
    assert report(3, "a\rb") == 3
    out, err = capsys.readouterr()
    assert "on ev\\x1b]0;title\\x07il (" in out and out.endswith(": no\\x1b[2J\\nsc2bridge: forged\n")
    assert err == "sc2bridge: a\\rb\n"
