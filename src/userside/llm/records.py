"""Records held against the question: each field scored or unscored, rows claimed twice settled."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from userside.llm.answers_json import by_name, objects_in, salvaged
from userside.llm.cells import Shape, align, loose_cells, named_values, piped_cells
from userside.llm.formats import schema_name
from userside.llm.questions import Record, Text
from userside.llm.replies import Echo
from userside.llm.tables import Claim, Labels, LineReader, claims_in_json, rows_of
from userside.llm.values import folded, read_value
from userside.llm.verdicts import Elicited, Reason, Scored, Unscored, Verdict

type Fields = dict[str, Verdict[Any]]

_MISSING = Unscored(reason=Reason.MISSING)


def record_verdict(fields: Fields, *, how: Elicited) -> Verdict[Fields]:
    """Return the record, or why there is nothing in it; no fields at all are those of the prompt."""
    if not fields:
        return Unscored(reason=Reason.ECHO, detail="the answer repeats what stands in the prompt")
    if any(isinstance(one, Scored) for one in fields.values()):
        return Scored(value=fields, elicited=how)
    reasons = [one for one in fields.values() if isinstance(one, Unscored)]
    telling = [one for one in reasons if one.reason is not Reason.MISSING]
    return (telling or reasons)[0]


def read_record(record: Record, text: str, *, echo: Echo, how: Elicited) -> Fields:
    """Return every field as far as the text answers it: as JSON where there is any, else as lines.

    JSON that stands in the prompt just so is not taken from text: it may be a quotation.
    """
    objects = objects_in(text)
    found = [one for one in objects if how is Elicited.SCHEMA or not echo.has(one.text)]
    for quoted in objects if len(found) < len(objects) else ():
        text = text if quoted in found else text.replace(quoted.text, " ")
    if objects and not found and not text.strip():
        return {}
    until = "}" if record.is_table else ","
    if not found and (rest := salvaged(text, until=until)) is not None:
        found = [rest]
    fields = _read_objects(record, [one.value for one in found], how=how)
    lines = {} if _scored(record, fields) else _read_text(record, text, echo=echo, how=how)
    return lines if _scored(record, lines) or not fields else fields


def _read_text(record: Record, text: str, *, echo: Echo, how: Elicited) -> Fields:
    if record.is_table:
        labels = Labels(record)
        return _read_rows(labels, LineReader(labels, echo).read(text), how=how)
    if any(isinstance(one, Record) for one in record.fields.values()):
        return _read_object(record, {}, how=how)
    return _read_lines(record, text, echo=echo, how=how)


def _read_objects(record: Record, values: list[Any], *, how: Elicited) -> Fields:
    """Return what the last of the objects that say most says; {} when none says anything."""
    alone = [_read_object(record, value, how=how) for value in values]
    if record.is_table and len(values) > 1:
        alone.insert(0, _read_object(record, values, how=how))  # one object a row
    answering = [fields for fields in alone if any(one != _MISSING for one in fields.values())]
    return max(reversed(answering), key=lambda fields: _scored(record, fields)) if answering else {}


def _read_object(record: Record, value: object, *, how: Elicited) -> Fields:
    if record.is_table:
        labels = Labels(record)
        return _read_rows(labels, claims_in_json(value, labels), how=how)
    named = _unwrapped(record, value)
    fields: Fields = {}
    for row in record.rows:
        question, inner = record.fields[row.key], named.get(folded(row.key), named.get(folded(schema_name(row))))
        if isinstance(question, Record):
            fields[row.key] = record_verdict(_read_object(question, inner, how=how), how=how)
        else:
            fields[row.key] = read_value(question, inner, how=how)
    return fields


def _unwrapped(record: Record, value: object) -> Mapping[str, Any]:
    """Return the object by folded name, also where it is the only thing in another object or a list."""
    while isinstance(value, dict | list):
        inside = cast("dict[str, Any] | list[Any]", value)
        named = by_name(inside)
        if len(inside) != 1 or set(named) & {folded(name) for name in record.fields}:
            return named
        value = inside[0] if isinstance(inside, list) else next(iter(inside.values()))
    return {}


def _read_rows(labels: Labels, claims: Iterable[Claim], *, how: Elicited) -> Fields:
    by_key: dict[str, list[tuple[Claim, Fields]]] = {key: [] for key in labels.table.fields}
    for row, claim in rows_of(claims, labels):
        by_key[row.key].append((claim, _read_object(labels.table.row, claim.values, how=how)))
    return {key: _settled(labels.table.row, said, how=how) for key, said in by_key.items()}


def _settled(shape: Record, said: list[tuple[Claim, Fields]], *, how: Elicited) -> Verdict[Any]:
    """Return the last claim that says most, unless a claim of its list or of a later one disagrees with it."""
    if not said:
        return _MISSING
    claim, fields = max(reversed(said), key=lambda one: _scored(shape, one[1]))
    if any(other.block >= claim.block and _disagree(shape, fields, against) for other, against in said):
        return Unscored(reason=Reason.CONTRADICTION, detail="this item is answered twice, differently")
    return record_verdict(fields, how=how)


def _scored(record: Record, fields: Fields) -> float:
    """Return how much is answered. Text alone is a little; beside values it does not make an answer fuller."""
    scored = [name for name, one in fields.items() if isinstance(one, Scored)]
    values = sum(not isinstance(record.fields[name], Text) for name in scored)
    return values or 0.5 * bool(scored)


def _disagree(shape: Record, one: Fields, other: Fields) -> bool:
    values = [name for name, question in shape.fields.items() if not isinstance(question, Text)]
    pairs = [(one[name], other[name]) for name in values]
    return any(isinstance(a, Scored) and isinstance(b, Scored) and a.value != b.value for a, b in pairs)


def _read_lines(record: Record, text: str, *, echo: Echo, how: Elicited) -> Fields:
    """Return a record from lines that name its fields, else from the last line that holds all of its values."""
    shape = Shape.of(record)
    lines = [line for line in text.splitlines() if line.strip() and not echo.has_line(line)]
    tries = [_read_object(record, named, how=how) for named in _named_records(lines, shape)]
    if not any(_scored(record, one) for one in tries):
        tries = [_read_object(record, cells, how=how) for line in lines if (cells := _all_values(line, shape))]
    nothing = _read_object(record, {}, how=how)
    return max(reversed(tries), key=lambda fields: _scored(record, fields), default=nothing)


def _named_records(lines: Iterable[str], shape: Shape) -> list[dict[str, Any]]:
    """Return the fields named in the lines; a name that comes again begins another record."""
    records: list[dict[str, Any]] = [{}]
    last = ""
    for line in lines:
        named = named_values(line, shape)
        if set(named) & set(records[-1]):
            records.append({})
        if not named and last in shape.texts:
            records[-1][last] = f"{records[-1][last]}\n{line.strip()}"
        records[-1] |= named
        last = next(reversed(named), last)
    return records


def _all_values(line: str, shape: Shape) -> dict[str, str]:
    count = len(shape.values)
    cells = align(piped_cells(line) if "|" in line else loose_cells(line, wanted=count), shape)
    return cells if count and all(name in cells and shape.reads(name, cells[name]) for name in shape.values) else {}
