"""Messages for wrong names and wrong arguments."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Union


def did_you_mean(given: str, known: Union[Iterable[str], Mapping[str, str]], suffix: str = "", limit: int = 1) -> str:
    """Returns `did you mean X?` with up to `limit` similar names, then `suffix`; without similar names, only `suffix`.

    known: the valid names, or a map from keys to names. `given` is compared with the keys; the text shows the names.
    """
    if not isinstance(known, Mapping):
        given, known = given.casefold(), {each.casefold(): each for each in known}
    similar = difflib.get_close_matches(given, known, limit + 2)
    names = list(dict.fromkeys(known[each] for each in similar))[:limit]
    return " ".join([*([f"did you mean {', '.join(names)}?"] if names else []), *([suffix] if suffix else [])])


def require_no_string(name: str, given: Any) -> None:
    """Raises TypeError if a string was given instead of a list. Python would treat the string as a list of letters."""
    if isinstance(given, str):
        raise TypeError(f"{name} {given!r} is a string: give a list of strings, such as {name}=[{given!r}]")
