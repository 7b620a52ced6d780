"""Tables of a page, which sort themselves when their headings are pressed."""

from html import escape

from streamjoin_core.report.table import UNDEFINED

Cell = str | int | float | None


def table(caption: str, headings: list[str], rows: list[list[Cell]]) -> str:
    """A table; numbers are right-aligned, sorted as numbers, and None is shown as undefined."""
    head = "".join(
        f'<th scope="col"><button type="button">{escape(heading)}</button></th>'
        for heading in headings
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def facts(entries: dict[str, Cell]) -> str:
    """Names with their values."""
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(text(value))}</dd></div>"
        for name, value in entries.items()
    )
    return f'<dl class="facts">{items}</dl>'


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        return f"<td>{escape(value)}</td>"
    key = "" if value is None else f' data-value="{value}"'
    return f'<td class="number"{key}>{escape(text(value))}</td>'


def text(value: Cell) -> str:
    """A value as people read it."""
    if value is None:
        return UNDEFINED
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"
