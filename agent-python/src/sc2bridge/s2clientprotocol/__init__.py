"""The game's own messages: `from sc2bridge.s2clientprotocol import sc2api_pb2`.

The modules are those of an installed package `s2clientprotocol` where it is identical.
"""

from sc2bridge import _descriptors

_descriptors.publish(__name__, "s2clientprotocol/")
