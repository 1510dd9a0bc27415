"""Opens connections of hostile clients, as many of each kind as requested. They close when standard input ends.

    crowd.py GRPC WEB [--idle N] [--calls N] [--name NAME] [--readers N]

    --idle     connections that send nothing, half of them to each port
    --calls    subscriptions with one name, on ten connections, that read nothing; accepted ones stay open
    --readers  readers of JSON that omit different fields, and one that never reads

Prints "there" when all are, each reader with a frame. A crowd has machines of its own: here it gives way to all others.
"""

import argparse
import asyncio
import os
import pathlib
import resource
import socket
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
import websockets

from sc2bridge.v1 import bridge_pb2

PARTS = [name for name in bridge_pb2.Part.keys() if name != "PART_UNSPECIFIED"]
CONNECTIONS = 10


async def idle(address: str) -> socket.socket:
    host, port = address.split(":")
    stranger = socket.socket()
    stranger.setblocking(False)
    try:
        await asyncio.get_running_loop().sock_connect(stranger, (host, int(port)))
    except OSError:
        pass  # Refused, which is what the bridge may do.
    return stranger


def call(address: str, name: str, calls: int) -> list[object]:
    """Opens the calls. Returns the objects that keep them open. Calls beyond the bridge's limit wait or are refused."""
    channel = grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
    play = channel.stream_stream(
        "/sc2bridge.v1.BridgeService/Play", bridge_pb2.PlayRequest.SerializeToString, lambda frame: frame
    )
    subscribe = bridge_pb2.SubscribeRequest(agent=name, policy=bridge_pb2.POLICY_LATEST)
    request = bridge_pb2.PlayRequest(subscribe=subscribe)
    held = []
    for number in range(calls):
        held.append(play(iter([request])))
        if number == 0:
            # The order of calls that wait for a stream is undefined.
            held[0].initial_metadata()
    return [channel, *held]


async def read(address: str, number: int, subscribed: asyncio.Event) -> None:
    exclude = ",".join(f'"{part}"' for bit, part in enumerate(PARTS) if number >> bit & 1)
    try:
        async with websockets.connect(
            f"ws://{address}/v1", subprotocols=["sc2bridge.json.v1"], compression=None, max_size=None
        ) as stream:
            await stream.send(
                f'{{"subscribe":{{"agent":"reader-{number}","overflow":"OVERFLOW_END","exclude":[{exclude}]}}}}'
            )
            if number == 0:
                subscribed.set()
                await asyncio.Event().wait()
            async for message in stream:
                if message.startswith('{"subscribe"'):
                    continue
                if not subscribed.is_set() and not message.startswith('{"frame"'):
                    sys.exit(f"reader-{number} got no frame: {message}")
                subscribed.set()
    except (OSError, websockets.WebSocketException) as error:
        if not subscribed.is_set():
            sys.exit(f"reader-{number} is not let in: {error}")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("grpc")
    parser.add_argument("web")
    parser.add_argument("--idle", type=int, default=0)
    parser.add_argument("--calls", type=int, default=0)
    parser.add_argument("--name", default="agent")
    parser.add_argument("--readers", type=int, default=0)
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    # Linux divides processor time among sessions first. In its own session, this program has a low priority as a whole.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    if os.getsid(0) == os.getpid() and os.path.exists("/proc/self/autogroup"):
        pathlib.Path("/proc/self/autogroup").write_text("19")

    loop = asyncio.get_running_loop()
    subscribed = [asyncio.Event() for _ in range(given.readers + 1 if given.readers else 0)]
    readers = [asyncio.create_task(read(given.web, number, there)) for number, there in enumerate(subscribed)]
    for there in subscribed:
        await there.wait()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        share = given.calls // CONNECTIONS
        calls = [loop.run_in_executor(threads, call, given.grpc, given.name, share) for _ in range(CONNECTIONS)]
        strangers = [await idle(given.web if number % 2 else given.grpc) for number in range(given.idle)]
        held = await asyncio.gather(*calls)
    print("there", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    for reader in readers:
        reader.cancel()
    for stranger in strangers:
        stranger.close()


if __name__ == "__main__":
    asyncio.run(main())
