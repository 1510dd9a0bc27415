"""HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sc2bridge.printing import printable


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """An HTML table. Every cell is escaped, because names from other people's games and files may contain HTML."""

    def row_html(tag: str, values: Iterable[Any]) -> str:
        return f"<tr>{''.join(f'<{tag}>{cell_text(value)}</{tag}>' for value in values)}</tr>"

    caption_html = f"<caption>{cell_text(caption)}</caption>" if caption else ""
    head_html = f"<thead>{row_html('th', head)}</thead>" if head else ""
    return f"<table>{caption_html}{head_html}<tbody>{''.join(row_html('td', row) for row in rows)}</tbody></table>"


def cell_text(value: Any) -> str:
    """A value as escaped HTML for a cell."""
    import html  # Imported on use: its table of HTML entities makes the import slow.

    return html.escape(printable(f"{value:.1f}" if isinstance(value, float) else str(value)))
