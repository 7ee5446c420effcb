"""Answers in rows: what an answer, in JSON or in text, claims about each row of a table.

A claim calls its row by key or by number. Two lists that both count from 1 are the groups of the question in order.
Claims that agree are one; a later list replaces an earlier one; within one list a disagreement is no answer.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

from userside.llm.cells import Shape, align, columns_of, loose_cells, named_values, piped_cells
from userside.llm.formats import schema_name
from userside.llm.questions import Record, Row
from userside.llm.replies import Echo
from userside.llm.values import folded

_PREFIX = (
    r"(?:[^\W\d_]{1,2}|item|row|number|question|criterion|pattern|signal|sat|dsat|satisfied|dissatisfied"
    r"|satisfaction|dissatisfaction|punkt|пункт|項目|番号)"  # `Turn 3: yes` is about a turn, not about row 3
)
_NUMBERED = rf"(?P<prefix>{_PREFIX}[\s_#.-]{{0,2}}|#|№)?(?P<number>\d{{1,4}})"
_LABEL = re.compile(
    rf"\W{{0,4}}{_NUMBERED}(?:\s*[.):：、-]?|\s*[.):：、–—-]\s+(?P<name>.+))", re.DOTALL | re.IGNORECASE
)
_NUMBERED_LINE = re.compile(rf"(?P<label>{_NUMBERED})(?:\s*[.)：:、](?!\d)|\s+[-–—]\s)\s*(?P<rest>.*)", re.IGNORECASE)
_BULLET = re.compile(r"^[>\s]*(?:[-*•·+]\s+)?(?:#{1,6}\s+)?")
_EMPHASIS = re.compile(r"\*\*|__|`")
_RULE = re.compile(r"[|\s:+=_-]+")
_NUMBER_NAMES = ("number", "no", "id", "#", "index", "row", "item", "key", "name", "question", "criterion")


@dataclass(slots=True)
class Claim:
    """What an answer says of one row.

    Attributes:
        label: What it calls the row.
        values: Cells or JSON values by field.
        block: Counts the lists of the answer; prose divides them.
        begins: Whether a heading or a new list stands before it.
    """

    label: str
    values: dict[str, Any]
    block: int = 0
    begins: bool = False


@dataclass(slots=True)
class Labels:
    """The rows of a table by what an answer may call them."""

    table: Record
    by_key: dict[str, Row] = field(init=False)

    def __post_init__(self) -> None:
        rows = self.table.rows
        self.by_key = {folded(schema_name(row)): row for row in rows} | {folded(row.key): row for row in rows}

    def row(self, label: str) -> Row | None:
        """Return the row that is called by its key, also after a number."""
        if (row := self.by_key.get(folded(label))) is not None:
            return row
        numbered = _LABEL.fullmatch(label)
        return self.by_key.get(folded(numbered["name"])) if numbered and numbered["name"] else None

    def number(self, label: str) -> tuple[str, int] | None:
        """Return prefix and number of a label such as `3`, `S3`, `Item 3` or `3. Thanks`."""
        numbered = _LABEL.fullmatch(label.strip())
        return (folded(numbered["prefix"] or ""), int(numbered["number"])) if numbered else None

    def knows(self, label: str) -> bool:
        """Tell whether a label calls a row by key or number."""
        return self.row(label) is not None or self.number(label) is not None


def rows_of(claims: Iterable[Claim], labels: Labels) -> list[tuple[Row, Claim]]:
    """Return each claim with the row it is about; nothing where it cannot be told which rows are meant."""
    claims = list(claims)
    called = [(claim, labels.row(claim.label), labels.number(claim.label)) for claim in claims]
    numbered = [(claim, *number) for claim, row, number in called if row is None and number is not None]
    rows = _numbered_rows(numbered, labels.table)
    found = [(row or rows.get(id(claim)), claim) for claim, row, _ in called]
    return [(row, claim) for row, claim in found if row is not None]


def _numbered_rows(claims: list[tuple[Claim, str, int]], table: Record) -> dict[int, Row]:
    by_number = {row.number: row for row in table.rows}
    lists = _lists(claims)
    groups = len(table.groups) or 1
    is_counting_through = len(lists) <= 1 or groups == 1 or max(n for *_, n in claims) > max(table.groups)
    if is_counting_through:
        return {id(claim): by_number[number] for claim, _, number in claims if number in by_number}
    if len(lists) % groups:
        return {}
    by_place = {(row.group, row.place): row for row in table.rows}
    placed = [(claim, by_place.get((at % groups, n))) for at, one in enumerate(lists) for claim, _, n in one]
    return {id(claim): row for claim, row in placed if row is not None}


def _lists(claims: list[tuple[Claim, str, int]]) -> list[list[tuple[Claim, str, int]]]:
    """Divide where counting starts again: at a 1, under a heading, or with another prefix."""
    if not claims:
        return []
    lists = [[claims[0]]]
    for (_, old_prefix, old), (claim, prefix, number) in pairwise(claims):
        starts_again = (number < old and number == 1) or (number <= old and claim.begins)
        if starts_again or prefix != old_prefix:
            lists.append([])
        lists[-1].append((claim, prefix, number))
    return lists


def claims_in_json(value: object, labels: Labels) -> list[Claim]:
    """Return the claims of a JSON value: rows by name, a list of rows, or either of them in groups or wrapped."""
    match value:
        case dict():
            return _claims_in_object(cast("dict[str, Any]", value), labels)
        case list():
            items = cast("list[Any]", value)
            claims = [claim for item in items for claim in claims_in_json(item, labels)]
            is_in_order = len(claims) == len(labels.table.fields) and not any(claim.label for claim in claims)
            for row, claim in zip(labels.table.rows, claims, strict=False) if is_in_order else ():
                claim.label = row.key
            return claims
        case _:
            return []


def _claims_in_object(value: Mapping[str, Any], labels: Labels) -> list[Claim]:
    fields = labels.table.row.fields
    names = {folded(name): name for name in value}
    if any(folded(name) in names for name in fields) and not any(labels.row(name) for name in value):
        naming = next((name for name in _NUMBER_NAMES if name in names and name not in fields), None)
        return [Claim(str(value[names[naming]]) if naming else "", _by_field(value, fields))]
    claims: list[Claim] = []
    for name, inner in value.items():
        if labels.knows(name):
            claims.append(Claim(name, _row_values(inner, fields)))
        elif inside := claims_in_json(inner, labels):
            inside[0].begins = True
            claims += inside
    return claims


def _row_values(value: object, fields: Mapping[str, object]) -> dict[str, Any]:
    match value:
        case dict():
            return _by_field(cast("dict[str, Any]", value), fields)
        case list():
            cells = cast("list[Any]", value)
            return dict(zip(fields, cells, strict=True)) if len(cells) == len(fields) else {}
        case _:
            return {next(iter(fields)): value} if len(fields) == 1 else {}


def _by_field(value: Mapping[str, Any], fields: Mapping[str, object]) -> dict[str, Any]:
    names = {folded(name): name for name in value}
    return {name: value[names[folded(name)]] for name in fields if folded(name) in names}


@dataclass(slots=True)
class LineReader:
    """Reads claims from lines of text, one line after another."""

    labels: Labels
    echo: Echo
    shape: Shape = field(init=False)
    claims: list[Claim] = field(default_factory=list[Claim])
    _columns: tuple[str, ...] | None = None
    _block: int = 0
    _begins: bool = False

    def __post_init__(self) -> None:
        self.shape = Shape.of(self.labels.table.row)

    def read(self, text: str) -> list[Claim]:
        """Return the claims of all lines; a row that stands in the prompt just so is no claim."""
        for line in text.splitlines():
            if line.strip() and not _RULE.fullmatch(line):
                self._read_line(line)
        return self.claims

    def _read_line(self, line: str) -> None:
        bare = _BULLET.sub("", line, count=1).strip()
        is_piped = "|" in bare or "｜" in bare or "\t" in bare
        if is_piped and self._is_header(bare):
            return
        claim = self._piped_claim(bare) if is_piped else None
        claim = claim or self._loose_claim(_EMPHASIS.sub("", bare))
        if claim is not None:
            if not self.echo.has_line(line):
                self._keep(claim)
        elif not self._continue(line):
            self._block += 1
            self._begins = True
            self._columns = None

    def _keep(self, claim: Claim) -> None:
        claim.block, claim.begins = self._block, self._begins
        self._begins = False
        self.claims.append(claim)

    def _is_header(self, line: str) -> bool:
        cells = piped_cells(line)
        columns = columns_of(cells, self.shape)
        if columns is None or self.labels.knows(cells[0]):
            return False
        self._columns, self._begins = columns, True
        return True

    def _piped_claim(self, line: str) -> Claim | None:
        label, *cells = piped_cells(line)
        if not self.labels.knows(label):
            return None
        if self._columns is not None and len(self._columns) == len(cells) + 1:
            values = {name: cell for name, cell in zip(self._columns[1:], cells, strict=True) if name}
            return Claim(label, values)
        if len(cells) == 1:
            cells = loose_cells(cells[0], wanted=len(self.shape.values))
        return Claim(label, align(self._without_name(cells), self.shape))

    def _loose_claim(self, line: str) -> Claim | None:
        numbered = _NUMBERED_LINE.fullmatch(line)
        label, rest = (numbered["label"], numbered["rest"]) if numbered else self._by_name(line)
        if not label:
            return None
        if named := named_values(self._after_name(rest), self.shape):
            return Claim(label, dict(named))
        cells = self._without_name(loose_cells(rest, wanted=len(self.shape.values)))
        return Claim(label, align(cells, self.shape))

    def _by_name(self, line: str) -> tuple[str, str]:
        for row in self.labels.table.rows:
            if line.casefold().startswith(row.key.casefold()):
                rest = line[len(row.key) :].lstrip(" \"'")
                if rest[:1] in {":", "：", "(", "=", "-", "–", "—"}:
                    return row.key, rest[1:] if rest[0] != "(" else rest
        return "", ""

    def _without_name(self, cells: list[str]) -> list[str]:
        return cells[1:] if len(cells) > 1 and folded(cells[0]) in self.labels.by_key else cells

    def _after_name(self, rest: str) -> str:
        name, colon, after = rest.partition(":")
        return after.strip() if colon and folded(name) in self.labels.by_key else rest

    def _continue(self, line: str) -> bool:
        """Add a line such as `Answer: Yes` to the row above it."""
        named = named_values(line, self.shape)
        if not named or not self.claims or self.echo.has_line(line):
            return bool(named)
        self.claims[-1].values = {
            **named,
            **{k: v for k, v in self.claims[-1].values.items() if self.shape.reads(k, v)},
        }
        return True
