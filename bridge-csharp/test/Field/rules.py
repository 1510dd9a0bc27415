"""
AI Arena's rules of a match, without I/O: how the messages between a bot and its game are changed, when a bot's match
ends, and what the result contains. They are facts about sc2-ai-match-controller 51fa868. Each rule names its
source. Paths are relative to `sc2_controller/src`, unless they begin with another program's folder. That program is GPL-3.0, and none of its code is here.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Union

from s2clientprotocol import sc2api_pb2 as api
from s2clientprotocol import score_pb2

LAST_LOOP = 80_640
"""A match of an hour is a tie (game/game_config.rs:61)."""


class End(enum.Enum):
    """How a bot's match ends."""

    WON = api.Victory
    LOST = api.Defeat
    DRAWN = api.Tie
    BOT_GONE = "the bot's connection ended"
    BOT_SILENT = "the bot sent nothing for too long"
    GAME_SILENT = "the game did not answer in time"
    REFUSED = "the bot did not get into the game"
    BROKEN = "the game's connection ended, or a message was no request"


# The first of these ends that either bot has names the match's result (game/game_result.rs:109).
RESULTS = {
    End.BROKEN: "Error",
    End.GAME_SILENT: "Error",
    End.DRAWN: "Tie",
    End.BOT_GONE: "Player{}Crash",
    End.BOT_SILENT: "Player{}TimeOut",
    End.WON: "Player{}Win",
}


@dataclass
class Seat:
    """One bot's place in a match. Gets each message in turn, and the time at which it came."""

    number: int
    name: str
    opponent: str
    race: int
    ports: Sequence[int]
    """The shared one, the server's two, the client's two."""
    start_port: int
    watch: Callable[[api.ResponseObservation], None] | None = None
    """Gets each observation that the bot gets."""
    end: End | None = None
    why: str = ""
    joined: bool = False
    player_id: int = 0
    loops: int = 0
    thought: float = 0
    """The seconds between the game's answers and the bot's next requests."""
    answered_at: float | None = None
    tags: list[str] = field(default_factory=list)
    score: score_pb2.Score = field(default_factory=score_pb2.Score)

    def finish(self, end: End, why: str) -> None:
        """Ends the bot's match. The first end counts."""
        if self.end is None:
            self.end, self.why = end, why

    def asked(self, request: api.Request, now: float) -> Union[api.Request, api.Response, None]:
        """Turns the bot's request into one for the game, or answers it. Returns None if the bot's match is over."""
        kind = request.WhichOneof("request")
        if not self.joined:
            return self._before_it_joined(kind, request)
        if self.answered_at is not None:
            self.thought += now - self.answered_at
        if kind == "debug":  # websocket/player.rs:379
            return api.Response(id=request.id, status=api.in_game, debug=api.ResponseDebug())
        if kind == "observation":
            request.observation.ClearField("disable_fog")  # websocket/player.rs:393
        for action in request.action.actions:  # websocket/runtime_vars.rs:73
            text = action.action_chat.message
            if text.startswith("Tag:") and text[4:] not in self.tags:
                self.tags.append(text[4:])
        return request

    def answered(self, response: api.Response, now: float) -> api.Response:
        """Changes the game's answer for the bot."""
        if not self.joined:
            self._join_answered(response)
            return response
        self.answered_at = now
        for player in (
            response.game_info.player_info if response.HasField("game_info") else ()
        ):  # websocket/player.rs:400
            player.player_name = self.name if player.player_id == self.player_id else self.opponent
            if player.player_id != self.player_id:
                player.race_actual = player.race_requested
        if response.HasField("leave_game") or response.HasField("quit"):  # websocket/player.rs:416
            self.finish(End.LOST, "the bot left")
        if response.HasField("observation"):
            self._observed(response.observation)
        return response

    def _before_it_joined(self, kind: str | None, request: api.Request) -> api.Request | None:
        """A bot may ping until it joins (websocket/player.rs:309)."""
        if kind == "join_game":
            return self._join(request)
        if kind == "ping":
            return request
        end = End.LOST if kind == "quit" else End.REFUSED
        self.finish(end, f"the bot sent {kind} before it joined")
        return None

    def _join(self, request: api.Request) -> api.Request | None:
        """Only the options are the bot's own (websocket/player.rs:535). The start port shows that it sits on its own seat."""
        asked = request.join_game
        if [ports.base_port // 10 for ports in asked.client_ports][:1] != [self.start_port // 10]:
            self.finish(End.BROKEN, f"the bot sent another start port than {self.start_port}")
            return None
        asked.options.raw_affects_selection = True  # game/player_data.rs:26
        shared, *pairs = self.ports
        join = api.RequestJoinGame(race=self.race, player_name=self.name, options=asked.options, shared_port=shared)
        join.server_ports.game_port, join.server_ports.base_port = pairs[:2]
        join.client_ports.add(game_port=pairs[2], base_port=pairs[3])
        asked.CopyFrom(join)
        return request

    def _join_answered(self, response: api.Response) -> None:
        if response.error or response.join_game.HasField("error"):
            self.finish(End.REFUSED, f"the game refused: {response}")
        elif response.HasField("join_game"):
            self.player_id, self.joined = response.join_game.player_id, True

    def _observed(self, seen: api.ResponseObservation) -> None:
        self.loops, self.score = seen.observation.game_loop, seen.observation.score
        if self.watch:
            self.watch(seen)
        for player in seen.player_result:
            if player.player_id == self.player_id:
                self.finish(End(player.result), "the match ended")
        if self.loops > LAST_LOOP:
            self.finish(End.DRAWN, "an hour was played")


def decided(seat: Seat, seats: Sequence[Seat]) -> str:
    """The match's result if this seat's end alone decides it, or nothing (ws_routes.rs:123)."""
    if seat.end is End.REFUSED:
        return "InitializationError"
    if seat.end is End.GAME_SILENT:
        return "" if any(other.end for other in seats if other is not seat) else "InitializationError"
    if seat.end is End.BROKEN or (seat.end is End.BOT_SILENT and not seat.joined):
        return "Error"
    return ""


def result_type(seats: Sequence[Seat]) -> str:
    """The match's result, once both seats have an end."""
    ends = [seat.end for seat in seats]
    for end, name in RESULTS.items():
        if end in ends:
            return name.format(ends.index(end) + 1)
    return "Player1Win" if ends[1] is End.LOST else "Player2Win"


def match_result(seats: Sequence[Seat], type_: str) -> dict[str, object]:
    """
    The content of `match_result.json` (common/src/models/aiarena/aiarena_game_result.rs:5). It has figures of the seats
    that have an end, and the loops of the last of them (game/game_result.rs:79).
    """
    fields: dict[str, object] = {"match": 1}
    steps = 0
    for seat in (seat for seat in seats if seat.end):
        failed = seat.end is End.GAME_SILENT  # Then nothing is known of the seat (ws_routes.rs:188).
        steps = 0 if failed else seat.loops
        fields[f"bot{seat.number}_avg_step_time"] = seat.thought / steps if steps else 0.0
        fields[f"bot{seat.number}_tags"] = [] if failed else seat.tags
    return fields | {"type": type_, "game_steps": steps}
