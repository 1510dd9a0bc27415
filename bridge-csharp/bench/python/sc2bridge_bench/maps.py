"""Draws the map of a recorded match as an observation shows it, and films a part of the match, with matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import numpy as np

import sc2bridge
from sc2bridge.game.images import to_array
from sc2bridge.game.words import MatchPlayer
from sc2bridge_bench.pictures import load_pyplot

NEUTRAL = 16
# The live page's, so that a player has one colour.
MINERALS, GEYSER, OTHER_NEUTRAL = "#58c7e6", "#43c98a", "#a5a89c"
PLAYERS = ("#9aa4ad", "#4c9be8", "#e8604c", "#5fbf6a", "#d9a23b", "#a87be0", "#43b8b0", "#d873a8", "#8b93a0")
HIDDEN, FOGGED = 0, 1
SNAPSHOT = 2
"""Of DisplayType: as it was last seen."""
LOOPS_PER_SECOND = 22.4
PIXELS_PER_CELL = 6
DPI = 100
HEAD, FOOT = 0.3, 0.35
"""Inches above and below the map."""


class MapDrawing:
    """A match's map, on which one observation after another is drawn."""

    def __init__(self, recording: sc2bridge.Recording, perspective: Optional[int]) -> None:
        """Raises LookupError for a perspective that was not recorded, ValueError where the map is not known, ImportError."""
        self.frames = recording.perspective(perspective)
        self._match = recording.describe(self.frames.perspective)
        raw = self._match.game_info.start_raw
        if not raw.map_size.x:
            raise ValueError(
                f"{recording.path} does not hold the game's info, which has the map: its map cannot be drawn"
            )
        self._resources = {unit.unit_id: MINERALS for unit in self._match.data.units if unit.has_minerals}
        self._resources.update({unit.unit_id: GEYSER for unit in self._match.data.units if unit.has_vespene})
        area = raw.playable_area
        width, height = area.p1.x - area.p0.x, area.p1.y - area.p0.y
        across, up = width * PIXELS_PER_CELL / DPI, height * PIXELS_PER_CELL / DPI
        self.pyplot = load_pyplot()
        self.figure = self.pyplot.figure(figsize=(across, up + HEAD + FOOT), dpi=DPI, facecolor="#14181d")
        total = up + HEAD + FOOT
        self._axes = self.figure.add_axes((0, FOOT / total, 1, up / total))
        self._axes.set_axis_off()
        self._cells = {"extent": (0, raw.map_size.x, 0, raw.map_size.y), "origin": "lower", "interpolation": "nearest"}
        self._axes.imshow(_terrain(raw), **self._cells)
        self._ground = self._axes.imshow(np.zeros((1, 1, 4)), zorder=1, **self._cells)
        self._axes.set(xlim=(area.p0.x, area.p1.x), ylim=(area.p0.y, area.p1.y), aspect="auto")
        self._head = self.figure.text(0.01, 1 - HEAD / total / 2, "", color="w", va="center", fontsize=9)
        self._units: Any = None
        self._legend()

    def draw(self, frame: sc2bridge.Frame) -> None:
        """Shows an observation in place of the one before."""
        from matplotlib.collections import EllipseCollection

        state = frame.observation.observation.raw_data.map_state
        self._ground.set_data(_ground(state))
        units = frame.units
        if self._units is not None:
            self._units.remove()
        # Flying units are drawn last, because they are above the others.
        order = np.argsort(units.is_flying, kind="stable")
        sizes = 2 * np.maximum(units.radius[order], 0.25)
        self._units = EllipseCollection(
            sizes,
            sizes,
            np.zeros(len(sizes)),
            units="xy",
            offsets=np.column_stack((units.x, units.y))[order],
            offset_transform=self._axes.transData,
            facecolors=self._colours(units)[order],
            edgecolors="#000000a0",
            linewidths=0.5,
            zorder=2,
        )
        self._axes.add_collection(self._units)
        self._head.set_text(self.head(frame))

    def head(self, frame: sc2bridge.Frame) -> str:
        """Which match it is, when, and who sees it."""
        loop, viewer = frame.game_loop, self.frames.perspective
        seconds = int(loop / LOOPS_PER_SECOND)
        seen = f"as player {viewer} sees it" if viewer else "as an observer sees it"
        return f"{self._match.map_name}, game loop {loop:,} ({seconds // 60}:{seconds % 60:02}), {seen}"

    def close(self) -> None:
        """Lets go of the figure."""
        self.pyplot.close(self.figure)

    def _colours(self, units: Any) -> Any:
        from matplotlib.colors import to_rgba

        colours = np.array(
            [
                to_rgba(self._resources.get(kind, OTHER_NEUTRAL) if owner == NEUTRAL else colour_of(owner))
                for kind, owner in zip(units.unit_type.tolist(), units.owner.tolist())
            ]
        ).reshape(-1, 4)
        colours[:, 3] = np.where(units.display_type == SNAPSHOT, 0.45, 0.95)
        return colours

    def _legend(self) -> None:
        from matplotlib.lines import Line2D

        names = [(colour_of(one.player_id), _name(one)) for one in self._match.players if one.kind != "observer"]
        names += [(MINERALS, "minerals"), (GEYSER, "vespene"), (OTHER_NEUTRAL, "neutral")]
        self.figure.legend(
            handles=[Line2D([], [], marker="o", linestyle="", color=colour, label=name) for colour, name in names],
            loc="lower left",
            ncol=len(names),
            fontsize=8,
            frameon=False,
            labelcolor="w",
            handletextpad=0.1,
            columnspacing=1,
            borderaxespad=0.2,
        )


def picture(path: str, target: str, loop: Optional[int], perspective: Optional[int]) -> None:
    """Draws the map at a game loop, or at the next recorded one. None means the last. Raises the errors of `MapDrawing`,
    LookupError if the recording ends before the loop, and OSError."""
    with sc2bridge.open_recording(path) as recording:
        drawing = MapDrawing(recording, perspective)
        drawing.draw(drawing.frames[-1] if loop is None else drawing.frames.at_loop(loop))
        drawing.figure.savefig(target, facecolor=drawing.figure.get_facecolor())
        drawing.close()


def film(path: str, target: str, first: Optional[int], last: Optional[int], perspective: Optional[int]) -> None:
    """Films the observations from one game loop to another, at the game's pace. Raises as `picture`."""
    with sc2bridge.open_recording(path) as recording:
        drawing = MapDrawing(recording, perspective)
        writer = film_writer(target, LOOPS_PER_SECOND / (recording.match.step_size or 1))
        frames = drawing.frames.between(first, last)
        with writer.saving(drawing.figure, target, DPI):
            for frame in frames:
                drawing.draw(frame)
                writer.grab_frame(facecolor=drawing.figure.get_facecolor())
        drawing.close()


def film_writer(target: str, fps: float) -> Any:
    """A writer of videos. The file's ending decides the format. Raises ImportError if matplotlib or ffmpeg is missing,
    ValueError for an unknown ending. Its `saving` raises OSError."""
    load_pyplot()
    from matplotlib.animation import FFMpegWriter

    codecs = {".mp4": "h264", ".mkv": "h264", ".webm": "libvpx-vp9", ".gif": "gif"}
    ending = Path(target).suffix.lower()
    if ending not in codecs:
        raise ValueError(f"a video cannot be written as {Path(target).name}: end its name in {', '.join(codecs)}")
    if not FFMpegWriter.isAvailable():
        raise ImportError(
            "a video needs ffmpeg, which is not installed: install it from https://ffmpeg.org or as Debian's ffmpeg"
        )

    class Film(FFMpegWriter):
        def finish(self) -> None:
            """Raises OSError for whatever ffmpeg complains of: on a full disk it ends without an error."""
            _, said = self._proc.communicate()
            if self._proc.returncode or said:
                lines = said.decode(errors="replace").strip().splitlines()
                raise OSError(f"ffmpeg did not write {target} whole: {lines[-1] if lines else 'it says nothing'}")

    return Film(fps=fps, codec=codecs[ending])


def colour_of(player: int) -> str:
    """A player's."""
    return PLAYERS[player % len(PLAYERS)]


def _name(player: MatchPlayer) -> str:
    return " ".join(filter(None, (str(player.player_id), player.race, player.difficulty, player.name)))


def _terrain(raw: Any) -> Any:
    """Higher ground is lighter. Ground that units cannot walk on is darker."""
    height = to_array(raw.terrain_height).astype(float)
    low, high = height.min(), max(height.max(), height.min() + 1)
    shade = 0.22 + 0.4 * (height - low) / (high - low)
    shade = np.where(to_array(raw.pathing_grid), shade, shade * 0.45)
    return shade[..., None] * np.array([0.92, 0.96, 1.0])


def _ground(state: Any) -> Any:
    """Creep, and darkness where the player does not see; as red, green, blue and opacity."""
    if not state.visibility.data:
        return np.zeros((1, 1, 4))
    seen = to_array(state.visibility)
    creep = to_array(state.creep) if state.creep.data else np.zeros_like(seen, bool)
    ground = np.zeros((*seen.shape, 4))
    ground[creep] = (0.42, 0.16, 0.5, 0.55)
    dark = np.select([seen == HIDDEN, seen == FOGGED], [0.62, 0.34], 0.0)
    # The darkness over the creep.
    under = ground[..., 3] * (1 - dark)
    ground[..., 3] = dark + under
    shown = ground[..., 3] > 0
    ground[shown, :3] *= (under[shown] / ground[..., 3][shown])[:, None]
    return ground
