"""Runs coroutines in blocking code, so that the client's logic is written only once.

Only transports wait. A blocking transport never suspends the coroutine, so `run` completes the coroutine in one call,
on the calling thread. An asyncio transport suspends the coroutine as usual.
"""

from __future__ import annotations

import functools
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Callable, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    _P = ParamSpec("_P")

_T = TypeVar("_T")
_U = TypeVar("_U")


def run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine with a blocking transport, and returns its result."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    coroutine.close()
    raise RuntimeError("a blocking transport has suspended its caller: this is a bug of sc2bridge")


def blocking(method: Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]]) -> Callable[Concatenate[Any, _P], _T]:
    """Creates the blocking form of a method. The new method runs `method` on the `_core` of its object."""

    @functools.wraps(method)
    def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return run(method(self._core, *args, **kwargs))

    return call


def blocking_into(
    convert: Callable[[_T], _U], method: Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]]
) -> Callable[Concatenate[Any, _P], _U]:
    """Like `blocking`, but the new method passes the result to `convert`, and returns what `convert` returns."""

    @functools.wraps(method)
    def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _U:
        return convert(run(method(self._core, *args, **kwargs)))

    return call
