"""The bridge's messages, version 1: `from sc2bridge.v1 import bridge_pb2`."""

from sc2bridge import _descriptors

_descriptors.add_submodules(__name__, "sc2bridge/v1/")
