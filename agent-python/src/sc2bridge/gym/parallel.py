"""PettingZoo's base class, where it is installed; its API is kept all the same."""

try:
    from pettingzoo import ParallelEnv
except ImportError:
    ParallelEnv = object

__all__ = ["ParallelEnv"]
