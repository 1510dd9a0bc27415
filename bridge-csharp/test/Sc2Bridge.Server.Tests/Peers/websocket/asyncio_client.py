"""asyncio_client.py DESCRIPTORS URL SUB_PROTOCOL deflate|plain: follows a match to its end, and prints what arrived."""

import asyncio
import sys

import websockets
from messages import SUBSCRIPTION, Messages, Tally


async def main() -> None:
    descriptors, url, sub_protocol, compression = sys.argv[1:]
    messages = Messages(descriptors)
    tally = Tally(messages)
    async with websockets.connect(
        url,
        subprotocols=[sub_protocol],
        max_size=None,
        compression="deflate" if compression == "deflate" else None,
    ) as socket:
        assert socket.subprotocol == sub_protocol, socket.subprotocol
        await socket.send(messages.write(sub_protocol, clock={"agent_ns": 5}))
        await socket.send(messages.write(sub_protocol, describe={"without_data": True}))
        await socket.send(messages.write(sub_protocol, subscribe=SUBSCRIPTION))
        async for message in socket:
            for answer in tally.hear(message, sub_protocol):
                await socket.send(answer)
        protocol = getattr(socket, "protocol", socket)
        compressed = any("deflate" in type(one).__module__ for one in protocol.extensions)
        tally.print(socket.close_code, socket.close_reason, compressed)


asyncio.run(main())
