"""Tables on a terminal and in a spreadsheet."""

import csv
from io import StringIO

import pytest
from inline_snapshot import snapshot

from tests.render.specimen import TABLE
from userside.errors import InputError
from userside.render import Cell, Column, ColumnKind, Missing, Rate, Table, table_csv, table_text
from userside.render.cells import cell_view


def test_a_table_in_a_terminal() -> None:
    small = Table(columns=TABLE.columns, rows=TABLE.rows[:3], caption=TABLE.caption, notes=TABLE.notes)
    assert table_text(small).replace("\xa0", " ") == snapshot("""\
How often each reason was found

Reason                           Found in             Mean         Odds ratio
Says thanks  45/195 = 23.1 % [17.7, 29.5]              6.1  3.20 [1.80, 5.90]
Repeats                               0/0  – (never asked)                  –
Corrects                 100/195 = 51.3 %              2.5              −0.31
Brackets: 95 % intervals.
""")


@pytest.mark.parametrize("width", [40, 80])
def test_a_terminal_gets_no_control_characters_and_no_line_too_long(width: int) -> None:
    written = table_text(TABLE, width=width)
    assert not any(ord(character) < 32 and character != "\n" for character in written)
    table_lines = written.splitlines()[2:-1]
    assert max(map(len, table_lines)) <= width


def test_a_table_for_a_spreadsheet() -> None:
    small = Table(columns=TABLE.columns, rows=TABLE.rows[:3])
    assert table_csv(small) == snapshot("""\
Reason,Found in numerator,Found in denominator,Found in low,Found in high,Mean,Odds ratio,Odds ratio low,Odds ratio high
Says thanks,45,195,0.177,0.295,6.1,3.2,1.8,5.9
Repeats,0,0,,,,,,
Corrects,100,195,,,2.5,-0.31,,
""")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "＝1"])
def test_a_formula_stays_text(text: str) -> None:
    written = table_csv(Table(columns=(Column(name=text),), rows=((text,),)))
    assert list(csv.reader(StringIO(written, newline=""))) == [[f"'{text}"], [f"'{text}"]]


def test_numbers_stay_numbers_for_a_spreadsheet() -> None:
    table = Table(
        columns=(Column(name="n", kind=ColumnKind.NUMBER),), rows=((-1.5,), (None,), (Missing(reason="cut"),))
    )
    assert table_csv(table) == 'n\n-1.5\n""\n""\n'


def test_an_empty_table_has_its_heading() -> None:
    empty = Table(columns=(Column(name="a"), Column(name="b")), rows=())
    assert table_csv(empty) == "a,b\n"
    assert table_text(empty) == "a  b\n"


def test_rows_must_fit_the_columns() -> None:
    with pytest.raises(InputError) as raised:
        Table(columns=(Column(name="a"),), rows=(("x",), ("y", 1)))
    assert str(raised.value) == snapshot("row 2: wanted 1 cells, came 2: ('y', 1)")


@pytest.mark.parametrize("cell", [None, Missing(reason="cut short"), Rate(numerator=0, denominator=0)])
def test_missing_is_never_zero_and_sorts_last(cell: Cell) -> None:
    view = cell_view(cell, Column(name="x", kind=ColumnKind.NUMBER))
    assert (view.text, view.sort_key, view.share) == ("–", "", None)
