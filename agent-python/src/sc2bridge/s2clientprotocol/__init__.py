"""The game's own messages: `from sc2bridge.s2clientprotocol import sc2api_pb2`. If an installed package
`s2clientprotocol` has the same messages, these are its modules."""

from sc2bridge import _descriptors

_descriptors.add_submodules(__name__, "s2clientprotocol/")
