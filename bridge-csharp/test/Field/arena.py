"""
Plays a match as AI Arena does: each bot's program is started with the address of its seat, and each seat passes
messages on between its bot and its simulated game, by the rules of `rules.py`. docs/reference/field.md lists the
differences from AI Arena.
"""

from __future__ import annotations

import asyncio
import contextlib
import pathlib
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Union

import aiohttp
from aiohttp import web
from google.protobuf.message import DecodeError
from processes import end_group
from rules import End, Seat, decided, match_result, result_type
from s2clientprotocol import sc2api_pb2 as api

MAP = "CinderFortressLE"
LARGEST = 128 << 20
"""The largest message (ws_routes.rs:47)."""
TERRAN = 1
"""The race of all bots of the test matches."""

Socket = Union[aiohttp.ClientWebSocketResponse, web.WebSocketResponse]


@dataclass
class Bot:
    """A bot of the match: how its program is started, and how it ended."""

    name: str
    command: list[str]
    folder: pathlib.Path
    race: int = TERRAN
    watch: Callable[[api.ResponseObservation], None] | None = None
    exit_code: int | None = None
    """None if the program had to be killed."""

    @property
    def log(self) -> pathlib.Path:
        return self.folder / "output.log"

    @property
    def said(self) -> str:
        """All that the program printed."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


@dataclass
class Limits:
    """The longest waits, in seconds. All except the last one are AI Arena's."""

    bot: float = 30
    """For a bot's next request (game/game_config.rs:63)."""
    game: float = 60
    """For the game's answer (websocket/player.rs:41)."""
    end: float = 60
    """For the end of both programs, after the match (match_controller/src/match_scheduler/mod.rs:253)."""
    match: float = 1200


@dataclass
class Played:
    """A match that was played."""

    result: dict[str, object]
    """What `match_result.json` would hold."""
    seats: list[Seat]
    not_started: list[str] = field(default_factory=list)
    """The bots that ended before they joined."""

    @property
    def ends(self) -> list[End | None]:
        """The end of each bot's match. None if its seat has none."""
        return [seat.end for seat in self.seats]


async def start(
    stack: contextlib.AsyncExitStack, command: list[str], environment: dict[str, str], **options: object
) -> asyncio.subprocess.Process:
    """Starts a program as the leader of a process group. The stack's end kills the group."""
    process = await asyncio.create_subprocess_exec(*command, env=environment, start_new_session=True, **options)

    async def end() -> None:
        end_group(process.pid)
        await asyncio.wait_for(process.wait(), 10)

    stack.push_async_callback(end)
    return process


async def start_game(
    stack: contextlib.AsyncExitStack, program: str, environment: dict[str, str]
) -> aiohttp.ClientWebSocketResponse:
    """Starts a simulated game, and connects to it."""
    command = [program, "simulate", "-listen", "127.0.0.1", "-port", "0"]
    process = await start(stack, command, environment, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
    port = re.search(r"port (\d+)$", line.strip())
    assert port, f"{command} printed {line!r}"
    session = await stack.enter_async_context(aiohttp.ClientSession())
    connecting = session.ws_connect(f"ws://127.0.0.1:{port[1]}/sc2api", max_msg_size=LARGEST)
    return await stack.enter_async_context(connecting)


async def run_bot(
    stack: contextlib.AsyncExitStack, bot: Bot, port: int, start_port: int, environment: dict[str, str]
) -> None:
    """Starts the bot with a ladder's arguments (bot_controller/src/main.rs:57), and waits for its exit code."""
    command = [*bot.command, "--GamePort", str(port), "--LadderServer", "127.0.0.1"]
    command += ["--StartPort", str(start_port), "--OpponentId", "abcd"]
    with bot.log.open("wb") as log:
        process = await start(stack, command, environment, cwd=bot.folder, stdout=log, stderr=asyncio.subprocess.STDOUT)
    bot.exit_code = await process.wait()


async def receive(party: Socket, seconds: float) -> bytes | None:
    """The next message. None if the connection has ended, or the message is not binary."""
    message = await asyncio.wait_for(party.receive(), seconds)
    return message.data if message.type is aiohttp.WSMsgType.BINARY else None


async def pass_on(
    seat: Seat, bot: web.WebSocketResponse, game: aiohttp.ClientWebSocketResponse, limits: Limits
) -> None:
    """Passes messages on until the bot's match has an end. Then leaves a game that goes on."""
    while seat.end is None:
        await pass_one_on(seat, bot, game, limits)
    if seat.joined and seat.end in (End.BOT_GONE, End.BOT_SILENT, End.DRAWN):
        with contextlib.suppress(ConnectionError, asyncio.TimeoutError):
            await game.send_bytes(api.Request(leave_game=api.RequestLeaveGame()).SerializeToString())
            await receive(game, limits.game)


async def pass_one_on(
    seat: Seat, bot: web.WebSocketResponse, game: aiohttp.ClientWebSocketResponse, limits: Limits
) -> None:
    """Passes one request to the game, and its answer to the bot; or notes the end of the bot's match."""
    try:
        asked = await receive(bot, limits.bot)
    except asyncio.TimeoutError:
        return seat.finish(End.BOT_SILENT, f"it sent nothing for {limits.bot} s")
    if asked is None:
        return seat.finish(End.BOT_GONE, "no request came")
    try:
        passed = seat.asked(api.Request.FromString(asked), time.monotonic())
        if isinstance(passed, api.Request):
            await game.send_bytes(passed.SerializeToString())
            answer = await receive(game, limits.game)
            if answer is None:
                return seat.finish(End.BROKEN, "no answer came")
            passed = seat.answered(api.Response.FromString(answer), time.monotonic())
    except asyncio.TimeoutError:
        return seat.finish(End.GAME_SILENT, f"it did not answer for {limits.game} s")
    except (ConnectionError, DecodeError) as error:
        return seat.finish(End.BROKEN, str(error))
    if passed is not None:
        try:
            await bot.send_bytes(passed.SerializeToString())
        except ConnectionError as error:
            return seat.finish(End.BOT_GONE, str(error))


async def open_seat(
    stack: contextlib.AsyncExitStack, seat: Seat, game: aiohttp.ClientWebSocketResponse, limits: Limits
) -> tuple[int, asyncio.Future[None]]:
    """Opens a seat for its bot. Returns its port, and what is done once the bot's match has an end."""
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def sit(request: web.Request) -> web.WebSocketResponse:
        bot = web.WebSocketResponse(max_msg_size=LARGEST)
        await bot.prepare(request)
        try:
            await pass_on(seat, bot, game, limits)
        except Exception as error:  # A defect: the test fails with it.
            over.set_exception(error)
        else:
            over.set_result(None)
        return bot

    app = web.Application()
    app.router.add_get("/sc2api", sit)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner.addresses[0][1], over


def free_ports(count: int) -> list[int]:
    """Ports that are free now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


async def create_game(game: aiohttp.ClientWebSocketResponse, limits: Limits) -> None:
    """Creates the game of two participants that the bots join."""
    create = api.RequestCreateGame(local_map=api.LocalMap(map_path=f"{MAP}.SC2Map"), realtime=False)
    create.player_setup.extend(api.PlayerSetup(type=api.Participant) for _ in range(2))
    await game.send_bytes(api.Request(create_game=create).SerializeToString())
    created = api.Response.FromString(await receive(game, limits.game) or b"")
    assert created.HasField("create_game") and not created.create_game.HasField("error"), created


def play_match(program: str, bots: list[Bot], limits: Limits, environment: dict[str, str]) -> Played:
    """Plays one match."""

    async def play() -> Played:
        async with contextlib.AsyncExitStack() as stack:
            ports, seats, running, overs = free_ports(5), [], [], []
            games = [await start_game(stack, program, environment) for _ in bots]
            await create_game(games[0], limits)
            for number, (bot, game) in enumerate(zip(bots, games), 1):
                start_port = 5000 + 100 * number
                seat = Seat(number, bot.name, bots[2 - number].name, bot.race, ports, start_port, bot.watch)
                port, over = await open_seat(stack, seat, game, limits)
                seats.append(seat)
                overs.append(over)
                running.append(asyncio.create_task(run_bot(stack, bot, port, start_port, environment)))
            played = await play_to_the_end(seats, overs, running)
            await wait_for_bots(running, limits)
            return played

    return asyncio.run(asyncio.wait_for(play(), limits.match))


async def wait_for_bots(running: list[asyncio.Task[None]], limits: Limits) -> None:
    """Waits for the programs of a match that has ended. Their exceptions are raised."""
    _, late = await asyncio.wait(running, timeout=limits.end)
    for task in late:
        task.cancel()
    await asyncio.gather(*(task for task in running if task not in late))


async def play_to_the_end(
    seats: list[Seat], overs: list[asyncio.Future[None]], running: list[asyncio.Task[None]]
) -> Played:
    """Waits until both seats have an end, or one decides the match."""
    while True:
        waiting = [one for one in (*overs, *running) if not one.done()]
        if all(over.done() for over in overs):
            return Played(match_result(seats, result_type(seats)), seats)
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for over in overs:
            if over.done():
                over.result()
        for seat in seats:
            if type_ := decided(seat, seats):
                return Played(match_result(seats, type_), seats)
        gone = [seat.name for seat, task in zip(seats, running) if task.done() and not seat.joined]
        if gone:
            return Played(match_result([], "InitializationError"), seats, gone)
