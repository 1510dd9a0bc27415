"""Tables as notebooks show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sc2bridge.printing import printable


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """An HTML table. Every cell is text: names come from games and files of others, and may hold markup."""

    def line(cell: str, values: Iterable[Any]) -> str:
        return f"<tr>{''.join(f'<{cell}>{text(value)}</{cell}>' for value in values)}</tr>"

    titled = f"<caption>{text(caption)}</caption>" if caption else ""
    headed = f"<thead>{line('th', head)}</thead>" if head else ""
    return f"<table>{titled}{headed}<tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"


def text(value: Any) -> str:
    """A value as a cell's text."""
    import html  # Its table of entities takes a while to import.

    return html.escape(printable(f"{value:.1f}" if isinstance(value, float) else str(value)))
