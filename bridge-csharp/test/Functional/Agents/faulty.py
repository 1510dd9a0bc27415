"""
An agent that causes a fault at a game loop, and a bot that does the same.

LC_SC2BRIDGE_FAULT has the fault: TARGET KIND LOOP FILE. TARGET is agent (also the bot), game or bridge. The agent suspends or kills other processes itself. For
other faults it writes the kind into FILE.TARGET, and a thread in the other process causes the fault (StartupHook.cs).
"""

import asyncio
import getpass
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import time

from sc2bridge import Agent, Frame
from sc2bridge.game.actions import chat
from sc2bridge.s2clientprotocol import common_pb2, sc2api_pb2

TARGET, KIND, LOOP, FILE = os.environ["LC_SC2BRIDGE_FAULT"].split(" ", 3)
LIMIT_BYTES = 1 << 30
SLOW_SECONDS = 5.5


def find_process(words: str) -> int:
    """The process of the same test with these words in its command line, which is not a shell."""
    mark = f"LC_SC2BRIDGE_TEST={os.environ['LC_SC2BRIDGE_TEST']}".encode()
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as variables, open(f"/proc/{name}/cmdline", "rb") as command:
                line = command.read().replace(b"\0", b" ").decode()
                if mark in variables.read() and words in line and "/bin/sh" not in line and "setsid" not in line:
                    return int(name)
        except OSError:
            pass
    raise RuntimeError(f"no process with {words!r}")


def cut_connections() -> None:
    for name in os.listdir("/proc/self/fd"):
        try:
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                with socket.socket(fileno=os.dup(int(name))) as connection:
                    connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def make_secrets() -> str:
    with open(f"{FILE}.token") as file:
        token = file.read().strip()
    return (
        f"{os.path.expanduser('~')}/bots by {getpass.getuser()}: {os.environ['FAULT_SECRET']}, ws://a/v1?token=abcdef0123, "
        f"amqp://me:pass-word@host, {token}, C:\\users\\{getpass.getuser()}\\x"
    )


def cause() -> None:
    if TARGET != "agent" and KIND in ("exception", "memory", "connection"):
        with open(f"{FILE}.new", "w") as file:
            file.write(KIND)
        os.rename(f"{FILE}.new", f"{FILE}.{TARGET}")
        while os.path.exists(f"{FILE}.{TARGET}"):
            time.sleep(0.001)
        time.sleep(0.5)  # The process ends, or its connection breaks, at this step.
        return
    game = os.environ.get("LC_FAULT_GAME")
    process = (
        os.getpid()
        if TARGET == "agent"
        else int(game)
        if game is not None
        else find_process(" simulate " if TARGET == "game" else " --lockstep-deadline ")
    )
    if KIND == "kill":
        os.kill(process, signal.SIGKILL)
    elif KIND == "hang":
        os.kill(process, signal.SIGSTOP)
    elif KIND == "slow" and TARGET == "agent":
        time.sleep(SLOW_SECONDS)
    elif KIND == "slow":
        subprocess.Popen(
            ["sh", "-c", f"kill -STOP {process}; sleep {SLOW_SECONDS}; kill -CONT {process}"], start_new_session=True
        )
        time.sleep(0.2)  # The process is suspended at this step.
    elif KIND == "secrets":
        raise RuntimeError(make_secrets())
    elif KIND == "exception":
        raise ZeroDivisionError("division by zero")
    elif KIND == "memory":
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
        kept = []
        while True:
            kept.append(bytearray(64 << 20))
    elif KIND == "loop":
        while True:
            time.sleep(0.01)
    elif KIND == "connection":
        cut_connections()


class Faulty(Agent):
    can_act = True
    _has_caused = False

    def on_step(self, frame: Frame) -> None:
        if KIND == "secrets":
            self.debug.text_screen(make_secrets())
            self.do(chat(make_secrets()))
        if frame.observation.observation.game_loop == int(LOOP) and not Faulty._has_caused:
            Faulty._has_caused = True
            cause()


async def play_as_bot(host: str, port: str) -> None:
    """Plays like an unmodified bot: joins, and then steps and observes."""
    async with websockets.connect(f"ws://{host}:{port}/sc2api", max_size=None, compression=None) as game:

        async def ask(**request: object) -> sc2api_pb2.Response:
            await game.send(sc2api_pb2.Request(**request).SerializeToString())
            return sc2api_pb2.Response.FromString(await game.recv())

        await ask(
            join_game=sc2api_pb2.RequestJoinGame(race=common_pb2.Terran, options=sc2api_pb2.InterfaceOptions(raw=True))
        )
        for _ in range(2 * int(LOOP)):
            observed = await ask(observation=sc2api_pb2.RequestObservation())
            if observed.observation.observation.game_loop == int(LOOP):
                cause()
            await ask(step=sc2api_pb2.RequestStep(count=1))
        await ask(leave_game=sc2api_pb2.RequestLeaveGame())


async def create_game(host: str, port: str) -> None:
    """Creates a match as a ladder manager does."""
    async with websockets.connect(f"ws://{host}:{port}/sc2api", max_size=None, compression=None) as game:
        players = [
            sc2api_pb2.PlayerSetup(type=sc2api_pb2.Participant),
            sc2api_pb2.PlayerSetup(type=sc2api_pb2.Computer, race=common_pb2.Zerg, difficulty=sc2api_pb2.Easy),
        ]
        map_file = sc2api_pb2.LocalMap(map_path="CinderFortressLE.SC2Map")
        create = sc2api_pb2.RequestCreateGame(local_map=map_file, player_setup=players)
        await game.send(sc2api_pb2.Request(create_game=create).SerializeToString())
        answer = sc2api_pb2.Response.FromString(await game.recv())
        if answer.create_game.HasField("error") or answer.error:
            sys.exit(f"the game was not created: {answer}")


if __name__ == "__main__":
    import websockets

    asyncio.run({"bot": play_as_bot, "create": create_game}[sys.argv[1]](*sys.argv[2:]))
