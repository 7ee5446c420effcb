"""One line of an answer in text: which row it is about, and what stands in its cells."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from userside.llm.questions import Choice, Number, Record, Text
from userside.llm.values import folded, read_value
from userside.llm.verdicts import Elicited, Scored

_SEPARATOR = re.compile(
    r"\s*(?:[;:：()（）=、，]|(?<!\d),|,(?!\d))\s*"  # a comma between digits may be a decimal one
    r"|\s+[-–—→]\s+"
    r"|\.\s+"
)
_NUMERIC = re.compile(r"[-+−–—]?\d[\d.,/ ]*")
_TWO_WORDS = re.compile(r"(\S+)\s+(\S+)")


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of a row, told apart: text, which may hold anything, and the values after it."""

    record: Record
    texts: tuple[str, ...]
    values: tuple[str, ...]

    @classmethod
    def of(cls, record: Record) -> "Shape":
        """Return the shape of a record without records."""
        texts = tuple(name for name, one in record.fields.items() if isinstance(one, Text))
        return cls(record, texts, tuple(name for name in record.fields if name not in texts))

    def reads(self, name: str, cell: str) -> bool:
        """Tell whether a cell is a usable value of that field."""
        question = self.record.fields[name]
        assert isinstance(question, Choice | Number | Text)  # noqa: S101 - a shape holds no records
        return isinstance(read_value(question, cell, how=Elicited.TEXT), Scored)


def piped_cells(line: str) -> list[str]:
    """Return the cells of a line with bars or tabs, the outer bars of a Markdown table apart.

    >>> piped_cells("| 1 | Y | |"), piped_cells("1|Y|8")
    (['1', 'Y', ''], ['1', 'Y', '8'])
    """
    line = line.strip().replace("｜", "|")
    if line.startswith("|"):
        line = line[1:].removesuffix("|")
    return [cell.strip() for cell in re.split(r"\||\t", line)]


def loose_cells(text: str, *, wanted: int) -> list[str]:
    """Return the cells of a line without bars: divided by punctuation, or by a space when two words are wanted.

    >>> loose_cells("y (8)", wanted=2), loose_cells("Yes - 8/10", wanted=2), loose_cells("Yes -2", wanted=2)
    (['y', '8'], ['Yes', '8/10'], ['Yes', '-2'])
    """
    cells = [cell for cell in _SEPARATOR.split(" ".join(text.split())) if cell.strip()]
    if len(cells) == 1 and wanted == 2 and (words := _TWO_WORDS.fullmatch(cells[0].strip())):  # noqa: PLR2004
        return [words[1], words[2]]
    return cells


def align(cells: Sequence[str], shape: Shape) -> dict[str, str]:
    """Return the cells by field. Where they do not fit, what cannot be placed is left out.

    Text may hold anything, even what looks like values: with text in the shape, the values are the last cells.
    """
    count = len(shape.values)
    while len(cells) > len(shape.record.fields) and not cells[-1]:
        cells = cells[:-1]
    if shape.texts:
        return _align_after_text(cells, shape)
    if len(cells) > count and not shape.reads(shape.values[0], cells[0]):
        cells = cells[1:]  # the item's name or description
    if len(cells) > count and _NUMERIC.fullmatch(cells[count]):
        return {}  # `Y - 1 - 10` repeats a range; one number too many is no answer
    return dict(zip(shape.values, cells, strict=False))


def _align_after_text(cells: Sequence[str], shape: Shape) -> dict[str, str]:
    count, first = len(shape.values), len(cells) - len(shape.values)
    if first <= 0 or not count:
        names = shape.values or shape.texts
        return dict(zip(names, cells, strict=False))
    texts = {shape.texts[0]: " | ".join(cells[:first])} if len(shape.texts) == 1 else {}
    if len(shape.texts) == first:
        texts = dict(zip(shape.texts, cells[:first], strict=True))
    values = dict(zip(shape.values, cells[first:], strict=True))
    if _is_text_last(cells, shape):
        return {**dict(zip(shape.values, cells, strict=False)), shape.texts[0]: cells[-1]}
    return texts | values


def _is_text_last(cells: Sequence[str], shape: Shape) -> bool:
    """Tell whether the values come first and the text last; a last cell that could be a value is none."""
    answer = shape.values[0]
    return (
        len(shape.texts) == 1
        and len(cells) == len(shape.record.fields)
        and all(map(shape.reads, shape.values, cells))
        and not shape.reads(answer, cells[1])
        and not shape.reads(answer, cells[-1])
        and not _NUMERIC.fullmatch(cells[-1])
    )


def columns_of(cells: Sequence[str], shape: Shape) -> tuple[str, ...] | None:
    """Return the field of each column where the cells are a header, "" for columns of no field; None otherwise."""
    fields = {folded(name): name for name in shape.record.fields}
    columns = tuple(fields.get(folded(cell), "") for cell in cells)
    return columns if any(columns) else None


def named_values(line: str, shape: Shape) -> dict[str, str]:
    """Return the values of a line that names its fields; after the name of a text, all the rest is text.

    >>> shape = Shape.of(Record(fields={"answer": Choice(options=("Yes", "No")), "score": Number(low=1, high=9)}))
    >>> named_values("**Answer:** Yes, score: 8", shape)
    {'answer': 'Yes', 'score': '8'}
    """
    label = _label_of(shape.record.fields)
    start = re.match(rf"[\s>*_`\"'•-]*{label}", line, re.IGNORECASE)
    if start is None:
        return {}
    name, rest = _field(start["field"], shape), line[start.end() :]
    following = None if name in shape.texts else re.search(rf"(?:^|[\s,;|.*_]){label}", rest, re.IGNORECASE)
    if following is None:
        return {name: rest.strip().rstrip(",")}
    more = named_values(rest[following.start() :].lstrip(" ,;|."), shape)
    return {name: rest[: following.start()].strip(" ,;|"), **more}


def _label_of(fields: Mapping[str, object]) -> str:
    names = "|".join(re.escape(name) for name in sorted(fields, key=len, reverse=True))
    return rf"(?P<field>{names})[\"'*_`]*\s*[:：=]\s*[*_]*"


def _field(name: str, shape: Shape) -> str:
    return next(one for one in shape.record.fields if one.casefold() == name.casefold())
