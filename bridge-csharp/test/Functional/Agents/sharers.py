"""Hostile readers of shared memory, each in its own process. They end when standard input ends.

    sharers.py ADDRESS KILLED STOPPED KEEPING

    KILLED     are killed (SIGKILL), each at a moment of chance
    STOPPED    are stopped (SIGSTOP) at one, for ever
    KEEPING    give nothing back that they have received

Prints "there" when the killed have gone and the others are as they will stay.
"""

import os
import random
import signal
import sys
import time

import sc2bridge

MOST_AT_ONCE = 16
LATEST_SECONDS = 0.3


def read(address: str, number: int, keeps: bool) -> None:
    """Reads until it is killed. Keepers do not use lockstep, which would block the match."""
    policy = ("every", "latest", "lockstep")[number % (2 if keeps else 3)]
    kept = []
    with sc2bridge.connect(address) as bridge:
        overflow, content = "end" if policy == "every" else None, ("observation", "columns")[number % 2]
        for frame in bridge.subscribe(policy, overflow=overflow, content=content, report_times=False):
            assert sum(memoryview(frame.raw)[::4096]) > 0
            if keeps:
                kept.append(frame.raw)
    time.sleep(3600)


def start(address: str, number: int, keeps: bool = False) -> int:
    process = os.fork()
    if process == 0:
        try:
            read(address, number, keeps)
        except sc2bridge.BridgeError as error:  # An end that its policy gave it: it stays, with what it has.
            print(error, file=sys.stderr)
            time.sleep(3600)
        finally:
            os._exit(1)
    return process


def main(address: str, killed: int, stopped: int, keeping: int) -> None:
    chance = random.Random(1)
    keepers = [start(address, number, keeps=True) for number in range(keeping)]
    # Not with lockstep: the game would wait for a stopped agent.
    still = []
    for number in range(stopped):
        still.append(start(address, 6 * number + number % 2))
        time.sleep(chance.uniform(0, LATEST_SECONDS))
        os.kill(still[-1], signal.SIGSTOP)
    left = list(range(killed))
    while left:
        group = [start(address, number) for number in left[:MOST_AT_ONCE]]
        del left[:MOST_AT_ONCE]
        for process in group:
            time.sleep(chance.uniform(0, LATEST_SECONDS / 4))
            os.kill(process, signal.SIGKILL)
            assert os.waitpid(process, 0)[1] == signal.SIGKILL, "a reader ended by itself"
    print("there", flush=True)
    sys.stdin.read()
    for process in keepers + still:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
