"""agent.py URL [asyncio] [POLICY]: reads three frames, and prints success or the error in one line."""

import asyncio
import sys

import sc2bridge

url, way, policy = sys.argv[1], sys.argv[2], sys.argv[3]


def heard() -> int:
    with sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe(policy)
        return len([next(frames).step for _ in range(3)])


async def heard_by_asyncio() -> int:
    async with await sc2bridge.aconnect(url) as bridge:
        frames = await bridge.subscribe(policy)
        return len([(await frames.__anext__()).step for _ in range(3)])


try:
    print(heard() if way == "blocking" else asyncio.run(heard_by_asyncio()), "frames")
except (sc2bridge.SC2BridgeError, ValueError) as error:
    sys.exit(f"{error}")
