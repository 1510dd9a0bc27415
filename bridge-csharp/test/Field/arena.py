"""
A ladder manager by the rules of AI Arena's, which is written in Rust and starts containers: sc2-ai-match-controller
51fa868, `sc2_controller/src/websocket/player.rs`, `ws_routes.rs` and `game/game_result.rs`. Each bot has a seat between
itself and its game. How the seats end makes the result, and the fields of `match_result.json`.

One rule differs. There, a bot that ends within two seconds did not start; a real game takes longer to load its map. The
simulated game does not, so here a bot that ends before it joined did not start.
"""

from __future__ import annotations

import asyncio
import contextlib
import pathlib
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web
from s2clientprotocol import sc2api_pb2 as api
from s2clientprotocol import score_pb2

MAP = "CinderFortressLE"
LAST_LOOP = 80_640
"""`game_config.rs`: max_game_time, an hour."""
LARGEST = 128 << 20
"""`ws_routes.rs`: the size of a message."""


@dataclass
class Bot:
    """A bot of the match: the program that a manager starts, and its folder."""

    name: str
    command: list[str]
    folder: pathlib.Path
    race: int = 1  # Terran, as all bots of the test matches
    exit_code: int | None = None
    said: str = ""


@dataclass
class Rules:
    """How long a seat waits for its bot and for its game, in seconds: there 30 and 60."""

    bot: float = 30
    game: float = 60
    leave: float = 60


class Ended(Exception):
    """A seat's end, with the player's result."""

    def __init__(self, result: str, why: str) -> None:
        super().__init__(why)
        self.result, self.why = result, why


@dataclass
class Seat:
    """One player's place: `Player` and `RuntimeVars` there."""

    number: int
    bot: Bot
    game: aiohttp.ClientWebSocketResponse
    opponent: str
    ports: list[int]
    start_port: int
    rules: Rules
    result: str = ""
    why: str = ""
    joined: bool = False
    player_id: int = 0
    loops: int = 0
    thought: float = 0
    tags: list[str] = field(default_factory=list)
    score: score_pb2.Score = field(default_factory=score_pb2.Score)
    """The bot's, as it saw it last."""

    async def ask(self, request: api.Request) -> api.Response:
        """Sends a request to the game, and waits for its answer."""
        await self.game.send_bytes(request.SerializeToString())
        try:
            message = await asyncio.wait_for(self.game.receive(), self.rules.game)
        except asyncio.TimeoutError:
            raise Ended("GameTimeout", f"the game did not answer for {self.rules.game} s") from None
        if message.type != aiohttp.WSMsgType.BINARY:
            raise Ended("SC2Crash", f"the game sent {message.type.name}: {message.data} {message.extra}")
        return api.Response.FromString(message.data)

    async def asked(self, bot: web.WebSocketResponse) -> api.Request:
        """The bot's next request."""
        try:
            message = await asyncio.wait_for(bot.receive(), self.rules.bot)
        except asyncio.TimeoutError:
            raise Ended("Timeout", f"the bot sent nothing for {self.rules.bot} s") from None
        if message.type != aiohttp.WSMsgType.BINARY:
            raise Ended("Crash", f"the bot sent {message.type.name}")
        return api.Request.FromString(message.data)

    async def join(self, bot: web.WebSocketResponse) -> None:
        """The bot may ping, and then joins with its own options; names, races and ports are the manager's."""
        while True:
            request = await self.asked(bot)
            if request.HasField("quit"):
                raise Ended("Defeat", "the bot quit")
            if request.HasField("join_game"):
                break
            if not request.HasField("ping"):
                raise Ended("Unexpected", f"the bot sent {request.WhichOneof('request')} before it joined")
            await bot.send_bytes((await self.ask(request)).SerializeToString())
        join = request.join_game
        if join.client_ports[0].base_port // 10 != self.start_port // 10:
            raise Ended("SC2Crash", f"the bot sent another start port than {self.start_port}")
        join.race, join.player_name = self.bot.race, self.bot.name
        join.options.raw_affects_selection = True
        join.shared_port = self.ports[0]
        join.server_ports.game_port, join.server_ports.base_port = self.ports[1:3]
        del join.client_ports[:]
        join.client_ports.add(game_port=self.ports[3], base_port=self.ports[4])
        response = await self.ask(request)
        await bot.send_bytes(response.SerializeToString())
        if response.error or response.join_game.HasField("error"):
            raise Ended("Unexpected", f"the game refused to join: {response}")
        self.player_id, self.joined = response.join_game.player_id, True

    async def play(self, bot: web.WebSocketResponse) -> None:
        """Passes the bot's requests on, until its result is known."""
        asked_at = 0.0
        while True:
            request = await self.asked(bot)
            self.thought += time.monotonic() - asked_at if asked_at else 0
            if request.HasField("debug"):
                answer = api.Response(id=request.id, status=api.in_game, debug=api.ResponseDebug())
                await bot.send_bytes(answer.SerializeToString())
                continue
            if request.HasField("observation"):
                request.observation.ClearField("disable_fog")
            said = [action.action_chat.message for action in request.action.actions]
            self.tags += [text[4:] for text in said if text.startswith("Tag:") and text[4:] not in self.tags]
            response = await self.ask(request)
            for player in response.game_info.player_info if response.HasField("game_info") else ():
                player.player_name = self.bot.name if player.player_id == self.player_id else self.opponent
            await bot.send_bytes(response.SerializeToString())
            asked_at = time.monotonic()
            if response.HasField("leave_game") or response.HasField("quit"):
                raise Ended("Defeat", "the bot left")
            if response.HasField("observation"):
                self.loops = response.observation.observation.game_loop
                self.score = response.observation.observation.score
                for player in response.observation.player_result:
                    if player.player_id == self.player_id:
                        raise Ended(api.Result.Name(player.result), "the match ended")
                if self.loops > LAST_LOOP:
                    raise Ended("Tie", "an hour was played")

    async def sit(self, bot: web.WebSocketResponse) -> None:
        """From the bot's first request to its result. A bot whose match goes on without it leaves the game."""
        try:
            await self.join(bot)
            await self.play(bot)
        except Ended as end:
            self.result, self.why = end.result, end.why
        except ConnectionError as error:
            self.result, self.why = "Crash", f"the connection of the bot or of its game was cut: {error}"
        if self.joined and self.result in ("Crash", "Timeout", "Tie"):
            with contextlib.suppress(Ended, ConnectionError):
                await self.ask(api.Request(leave_game=api.RequestLeaveGame()))


def match_result(seats: list[Seat], started: bool) -> dict[str, object]:
    """What `match_result.json` would hold: `From<&GameResult>` of `game_result.rs`."""
    if not started:
        return {"match": 1, "type": "InitializationError", "game_steps": 0}
    fields: dict[str, object] = {"match": 1}
    for seat in seats:
        fields[f"bot{seat.number}_avg_step_time"] = seat.thought / seat.loops if seat.loops else 0.0
        fields[f"bot{seat.number}_tags"] = seat.tags
    return fields | {"type": result_type(seats), "game_steps": max(seat.loops for seat in seats)}


def result_type(seats: list[Seat]) -> str:
    """The match's result, by the results of its seats."""
    results = [seat.result for seat in seats]
    if "SC2Crash" in results:
        return "Error"
    if "Tie" in results:
        return "Tie"
    for result, name in (("Crash", "Crash"), ("Timeout", "TimeOut")):
        for seat in seats:
            if seat.result == result:
                return f"Player{seat.number}{name}"
    return "Player1Win" if results[0] == "Victory" or results[1] == "Defeat" else "Player2Win"


def free_ports(count: int) -> list[int]:
    """Ports that are free now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextlib.contextmanager
def games(program: str) -> Iterator[list[int]]:
    """The simulated games of both players; their ports."""
    command = [program, "simulate", "-listen", "127.0.0.1", "-port", "0"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        yield [int(game.stdout.readline().split()[-1]) for game in started if game.stdout]
    finally:
        for game in started:
            game.kill()
            game.communicate()


async def run_bot(bot: Bot, port: int, start_port: int, environment: dict[str, str]) -> None:
    """Starts the bot as `bot_controller/src/main.rs` does, and keeps what it says and its exit code."""
    arguments = ["--GamePort", str(port), "--LadderServer", "127.0.0.1", "--StartPort", str(start_port)]
    process = await asyncio.create_subprocess_exec(
        *bot.command,
        *arguments,
        "--OpponentId",
        "abcd",
        cwd=bot.folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        bot.said = (await process.communicate())[0].decode(errors="replace")
        bot.exit_code = process.returncode
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise


async def open_seat(seat: Seat, sat: asyncio.Event, stack: contextlib.AsyncExitStack) -> int:
    """Opens the address that a seat's bot connects to; its port. The event is set once the seat has a result."""

    async def sit(request: web.Request) -> web.WebSocketResponse:
        bot = web.WebSocketResponse(max_msg_size=LARGEST)
        await bot.prepare(request)
        await seat.sit(bot)
        sat.set()
        return bot

    app = web.Application()
    app.router.add_get("/sc2api", sit)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port: int = runner.addresses[0][1]
    return port


async def play_match(
    program: str, bots: list[Bot], rules: Rules, environment: dict[str, str]
) -> tuple[dict[str, object], list[Seat]]:
    """Plays one match; what `match_result.json` would hold, and the seats."""
    seats: list[Seat] = []
    running, waiting = [], []
    with games(program) as game_ports:
        async with aiohttp.ClientSession() as session, contextlib.AsyncExitStack() as stack:
            ports = free_ports(5)
            for number, bot in enumerate(bots, 1):
                url = f"ws://127.0.0.1:{game_ports[number - 1]}/sc2api"
                game = await stack.enter_async_context(session.ws_connect(url, max_msg_size=LARGEST))
                seats.append(Seat(number, bot, game, bots[2 - number].name, ports, 5000 + 100 * number, rules))
            create = api.RequestCreateGame(local_map=api.LocalMap(map_path=f"{MAP}.SC2Map"), realtime=False)
            create.player_setup.extend(api.PlayerSetup(type=api.Participant) for _ in bots)
            created = (await seats[0].ask(api.Request(create_game=create))).create_game
            assert not created.HasField("error"), created
            for seat in seats:
                sat = asyncio.Event()
                port = await open_seat(seat, sat, stack)
                running.append(asyncio.create_task(run_bot(seat.bot, port, seat.start_port, environment)))
                waiting.append(asyncio.create_task(sat.wait()))
            started = await play_to_the_end(seats, running, waiting)
            _, late = await asyncio.wait(running, timeout=rules.leave)
            for task in [*late, *waiting]:
                task.cancel()
            await asyncio.gather(*running, *waiting, return_exceptions=True)
            return match_result(seats, started), seats


async def play_to_the_end(
    seats: list[Seat], running: list[asyncio.Task[None]], waiting: list[asyncio.Task[bool]]
) -> bool:
    """Waits until both seats have a result. False if a bot did not start: then the match is over."""
    while open_seats := [task for task in waiting if not task.done()]:
        alive = [task for task in running if not task.done()]
        await asyncio.wait([*alive, *open_seats], return_when=asyncio.FIRST_COMPLETED)
        gone = any(task.done() and not seat.joined for seat, task in zip(seats, running))
        if gone or any(seat.result in ("GameTimeout", "Unexpected") for seat in seats):
            return False
    return True
