"""sync_client.py DESCRIPTORS URL SUB_PROTOCOL deflate|plain: follows a match to its end, and prints what arrived."""

import sys

from messages import SUBSCRIPTION, Messages, Tally
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def main() -> None:
    descriptors, url, sub_protocol, compression = sys.argv[1:]
    messages = Messages(descriptors)
    tally = Tally(messages)
    with connect(
        url,
        subprotocols=[sub_protocol],
        max_size=None,
        compression="deflate" if compression == "deflate" else None,
    ) as socket:
        assert socket.subprotocol == sub_protocol, socket.subprotocol
        socket.send(messages.write(sub_protocol, clock={"agent_ns": 5}))
        socket.send(messages.write(sub_protocol, describe={"without_data": True}))
        socket.send(messages.write(sub_protocol, subscribe=SUBSCRIPTION))
        try:
            while True:
                for answer in tally.hear(socket.recv(), sub_protocol):
                    socket.send(answer)
        except ConnectionClosed:
            pass
        compressed = any("deflate" in type(one).__module__ for one in socket.protocol.extensions)
        tally.print(socket.protocol.close_code, socket.protocol.close_reason, compressed)


main()
