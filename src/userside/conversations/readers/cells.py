"""What a table's cells say of a conversation or a turn: ratings, thumbs, labels and times."""

from datetime import UTC, datetime

from userside.conversations.label_values import Scale, read_label, read_rating, read_scale, read_thumb
from userside.conversations.tables import Row
from userside.conversations.tally import Note, Notes
from userside.conversations.wire import Fields

_MILLISECONDS = 1e11


def read_verdict(row: Row, *, scale: Scale | None, notes: Notes) -> Fields:
    """Return what a row says of the whole conversation or of its turn, as fields of `Feedback`; empty for nothing."""
    verdict = {**read_cell_rating(row, scale=scale, notes=notes), **read_cell_thumb(row, notes=notes)}
    return {**verdict, **read_statement(row, scale=scale, notes=notes)}


def read_cell_rating(row: Row, *, scale: Scale | None, notes: Notes) -> Fields:
    """Return a row's rating and its scale, empty where there is none; what is no number or off its scale is noted."""
    cell = row.get("rating")
    if not cell:
        return {}
    rating, scale = read_rating(cell), scale or read_scale(cell)
    if rating is None or (scale and not scale[0] <= rating <= scale[1]):
        notes[Note.RATING_LEFT_OUT] += 1
        return {}
    return {"rating": rating, "scale": scale}


def read_cell_thumb(row: Row, *, notes: Notes) -> Fields:
    """Return a row's thumb, empty where there is none."""
    cell = row.get("thumb")
    thumb = read_thumb(cell) if cell else None
    if cell and thumb is None:
        notes[Note.UNCLEAR_LABEL] += 1
    return {"thumb": thumb} if thumb else {}


def read_statement(row: Row, *, scale: Scale | None, notes: Notes) -> Fields:
    """Return what only a whole conversation can have: its label, purpose and outcome."""
    cell = row.get("label")
    label = read_label(cell, scale=scale) if cell else None
    if cell and label is None:
        notes[Note.UNCLEAR_LABEL] += 1
    said = {"label": label, "purpose": row.get("purpose"), "outcome": row.get("outcome")}
    return {name: value for name, value in said.items() if value}


def read_time(cell: str, *, notes: Notes) -> datetime | None:
    """Return the time that a cell means: ISO 8601, or seconds or milliseconds since 1970.

    Other ways of writing dates are left out and noted: day and month cannot be told apart in them.
    """
    if not cell:
        return None
    try:
        return datetime.fromisoformat(cell)
    except ValueError:
        pass
    number = read_rating(cell)
    try:
        if number is not None:
            return datetime.fromtimestamp(number / 1000 if number > _MILLISECONDS else number, tz=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    notes[Note.UNCLEAR_TIME] += 1
    return None
