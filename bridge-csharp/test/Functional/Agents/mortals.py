"""Playing agents, each in its own process, that are killed early.

    mortals.py killed COUNT GRPC WEB    kills (SIGKILL) each at a moment of chance; for each, prints its name and how
                                        many of its actions it had heard the result of
    mortals.py frozen GRPC WEB          freezes (SIGSTOP) one in lockstep, one that pauses the game, and one that
                                        hears the newest frame only, for ever

They are forked from one process that has everything imported, as Python's start is most of an agent's life.
"""

import os
import random
import signal
import sys
import time

import grpc  # noqa: F401
import numpy  # noqa: F401
import websockets  # noqa: F401

import sc2bridge
from sc2bridge.s2clientprotocol import sc2api_pb2


def play(url: str, name: str, told: int, policy: str) -> None:
    """Sends a chat message in each step, and writes the number of outcomes since the last step, as a byte."""
    with sc2bridge.connect(url, "proto") as bridge:
        frames = bridge.subscribe(policy, can_act=True, agent=name, queue_bytes=1)
        for frame in frames:
            os.write(told, bytes([len(frame.outcomes)]))
            frames.act([sc2api_pb2.Action(action_chat=sc2api_pb2.ActionChat(message=f"{name} {frame.step}"))])


def fork(url: str, name: str, policy: str) -> tuple[int, int]:
    """The process, and the pipe to which it writes a byte for each frame."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        try:
            play(url, name, tell, policy)
        finally:
            os._exit(1)
    os.close(tell)
    return child, told


def hear(told: int, frames: int, name: str) -> int:
    heard = 0
    for _ in range(frames):
        byte = os.read(told, 1)
        if not byte:
            sys.exit(f"{name} died by itself")
        heard += byte[0]
    return heard


def end(child: int, told: int) -> int:
    """Kills the process. Returns the sum of the bytes that were not read yet."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    heard = 0
    while rest := os.read(told, 4096):
        heard += sum(rest)
    os.close(told)
    return heard


def main(how: str, *arguments: str) -> None:
    *count, grpc_address, web_address = arguments
    urls = [f"grpc://{grpc_address}", f"ws://{web_address}/v1"]
    if how == "killed":
        chance = random.Random(7)
        for number in range(int(count[0])):
            name = f"mortal-{number}"
            child, told = fork(urls[number % 2], name, chance.choice(["lockstep", "lockstep", "every", "latest"]))
            heard = hear(told, chance.randrange(4), name)
            time.sleep(chance.random() * 0.03)  # Any moment of its connecting, or of its steps.
            print(name, heard + end(child, told), flush=True)
        return
    policies = ("lockstep", "every", "latest")
    born = [fork(url, f"frozen-{policy}", policy) for url, policy in zip(urls * 2, policies)]
    for policy, (child, told) in zip(policies, born):
        hear(told, 64 if policy == "latest" else 3, policy)  # It says that it is there with each 32 at least.
        os.kill(child, signal.SIGSTOP)
        print(f"frozen-{policy} is frozen", flush=True)
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
