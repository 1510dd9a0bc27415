"""Sends a ping to the game on every tenth step, and at the end a request that is refused."""

from sc2bridge import Agent, BridgeError, Frame
from sc2bridge.s2clientprotocol import sc2api_pb2


class Asker(Agent):
    def on_step(self, frame: Frame) -> None:
        assert self.bridge
        if frame.step % 10 == 0:
            self.bridge.request(sc2api_pb2.Request(ping=sc2api_pb2.RequestPing()), perspective=1)
        if frame.step == 19:
            try:
                self.bridge.request(sc2api_pb2.Request(quit=sc2api_pb2.RequestQuit()))
            except BridgeError as refusal:
                print("refused:", refusal)
