"""Pictures of an environment's map, and its live page."""

from __future__ import annotations

import logging
import webbrowser
from typing import Any, Optional

import gymnasium

from sc2bridge.client.launch import page_of
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.pictures import draw_map

RENDER_MODES = ("human", "rgb_array")
FRAMES_A_SECOND = 2.8
"""So fast the game plays steps of 8 loops: 22.4 loops a second."""


class Screen:
    """The screen of one render mode."""

    def __init__(self, render_mode: Optional[str]) -> None:
        """render_mode: one of RENDER_MODES, or None."""
        self._mode = render_mode
        self._is_open = False

    def open(self, web_address: Optional[str]) -> None:
        """A match has begun. With `human` the first call opens the live page. If there is no browser, it logs the address."""
        if self._mode == "human" and web_address is not None and not self._is_open:
            self._is_open = True
            if not webbrowser.open(page_of(web_address)):
                logging.getLogger(__name__).warning("no browser: open %s to watch", page_of(web_address))

    def picture(self, match: Optional[Match], frame: Optional[Frame]) -> Any:
        """The map with `rgb_array`, else None. Raises ResetNeeded before the first match."""
        if self._mode != "rgb_array":
            return None
        if match is None or frame is None:
            raise gymnasium.error.ResetNeeded("reset() begins a match")
        return draw_map(match, frame)
