"""What is written once, as coroutines, and used in two ways: awaited, or run at once.

Every wait is in a transport. One that blocks never suspends the coroutine that awaits it, so that `run` finishes it in
one go, on the thread that calls; one of asyncio's suspends it as any other.
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
    """The result of a coroutine over a transport that blocks."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    coroutine.close()
    raise RuntimeError("a transport that blocks has suspended its caller")


def blocking(method: Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]]) -> Callable[Concatenate[Any, _P], _T]:
    """A method that runs this one of its object's `_core`."""

    @functools.wraps(method)
    def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return run(method(self._core, *args, **kwargs))

    return call


def blocking_into(
    made: Callable[[_T], _U], method: Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]]
) -> Callable[Concatenate[Any, _P], _U]:
    """The same, of whose result something is made."""

    @functools.wraps(method)
    def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _U:
        return made(run(method(self._core, *args, **kwargs)))

    return call
