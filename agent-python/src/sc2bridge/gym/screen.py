"""Pictures of an environment's map, and its live page."""

from __future__ import annotations

import logging
import webbrowser
from typing import Any, Optional

import gymnasium

from sc2bridge.client.launch import live_page_of
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.pictures import draw_map

RENDER_MODES = ("human", "rgb_array")
FRAMES_A_SECOND = 2.8
"""22.4 game loops per second, divided by the 8 game loops of a step."""


class Screen:
    """Shows matches in one render mode."""

    def __init__(self, render_mode: Optional[str]) -> None:
        """render_mode: one of RENDER_MODES, or None."""
        self._mode = render_mode
        self._is_open = False

    def open(self, web_address: Optional[str]) -> None:
        """Call this when a match has begun. With `human`, the first call opens the live page, or logs its address if
        there is no browser."""
        if self._mode == "human" and web_address is not None and not self._is_open:
            self._is_open = True
            if not webbrowser.open(live_page_of(web_address)):
                logging.getLogger(__name__).warning("no browser was found: open %s to watch", live_page_of(web_address))

    def picture(self, match: Optional[Match], frame: Optional[Frame]) -> Any:
        """With `rgb_array`, a picture of the map; else None. Raises ResetNeeded before the first match."""
        if self._mode != "rgb_array":
            return None
        if match is None or frame is None:
            raise gymnasium.error.ResetNeeded("no match is running: call reset()")
        return draw_map(match, frame)
