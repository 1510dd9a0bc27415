"""Messages for wrong names and wrong arguments."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Union


def did_you_mean(given: str, known: Union[Iterable[str], Mapping[str, str]], then: str = "", most: int = 1) -> str:
    """`did you mean X?` with the names that are most like the given one, if any is, and then a further text.

    known: names, or texts to compare and the name of each. Several texts may have one name.
    """
    if not isinstance(known, Mapping):
        given, known = given.casefold(), {each.casefold(): each for each in known}
    near = difflib.get_close_matches(given, known, most + 2)
    names = list(dict.fromkeys(known[each] for each in near))[:most]
    return " ".join([*([f"did you mean {', '.join(names)}?"] if names else []), *([then] if then else [])])


def refuse_text(name: str, given: Any) -> None:
    """Raises TypeError for a text in place of a list, because the text would be a list of its letters."""
    if isinstance(given, str):
        raise TypeError(f"{name} {given!r} is a text: give a list of texts, such as {name}=[{given!r}]")
