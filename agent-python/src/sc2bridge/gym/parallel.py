"""PettingZoo's base class, or `object` without PettingZoo. The environments have PettingZoo's API in both cases."""

try:
    from pettingzoo import ParallelEnv
except ImportError:
    ParallelEnv = object

__all__ = ["ParallelEnv"]
