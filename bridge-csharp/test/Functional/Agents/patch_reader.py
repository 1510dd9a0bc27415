"""Reads all properties of an agent's classes. Unknown content of a newer game version must not fail it."""

import numpy as np

from sc2bridge import Frame, Match, MatchEnd
from sc2bridge.bot import BotAI
from sc2bridge.bot.derived import Derived
from sc2bridge.game.events import UnitEvents
from sc2bridge.game.images import to_array
from sc2bridge.units.tables import Column

# Only a playing bot can send these requests.
ASKING = {"debug"}


class Reader(BotAI):
    can_act = False

    def __init__(self) -> None:
        self.frames = 0
        self.unknown = 0

    def on_start(self, match: Match) -> None:
        self._events = UnitEvents(match)
        for names in (match.abilities, match.unit_types, match.upgrades, match.buffs, match.effects):
            assert [int(names[name]) for name in names], names
        start = match.game_info.start_raw
        size = (start.map_size.y, start.map_size.x)
        assert {to_array(grid).shape for grid in (start.pathing_grid, start.placement_grid, start.terrain_height)} == {
            size
        }

    def on_step(self, frame: Frame) -> None:
        self.frames += 1
        assert frame.json and frame.raw is not None
        units = frame.units
        self.unknown += int((units.unit_type >= 6000).sum())
        for table in (units, units.own, units.orders, units.passengers, units.buffs, units.rally_targets):
            for name in table.fields:
                assert len(getattr(table, name)) == len(table.present(name))
        self._events.update(frame)
        raw = frame.observation.observation.raw_data
        assert to_array(raw.map_state.visibility).shape == to_array(raw.map_state.creep).shape
        layers = frame.observation.observation.feature_layer_data
        for _, image in (*layers.renders.ListFields(), *layers.minimap_renders.ListFields()):
            assert to_array(image).size == image.size.x * image.size.y
        for kind in type(self).__mro__:
            for name, value in vars(kind).items():
                if name not in ASKING and hasattr(value, "__get__") and not callable(value):
                    getattr(self, name)
        every = self.all_units
        columns = [
            name
            for kind in type(every).__mro__
            for name, value in vars(kind).items()
            if isinstance(value, (Column, Derived))
        ]
        assert len(columns) > 60
        for name in columns:
            assert len(np.asarray(getattr(every, name))) == len(every)
        for unit in every:
            assert repr(unit)

    def on_end(self, end: MatchEnd) -> None:
        print(f"read {self.frames} frames and {self.unknown} units of unknown types", flush=True)
