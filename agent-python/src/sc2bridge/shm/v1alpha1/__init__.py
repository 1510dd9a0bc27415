"""`from sc2bridge.shm.v1alpha1 import shm_pb2`. These messages may change."""

from sc2bridge import _descriptors

_descriptors.add_submodules(__name__, "sc2bridge/shm/v1alpha1/")
