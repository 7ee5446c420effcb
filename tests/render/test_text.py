"""Strangers' text on a page: escaped, shown, held in; prose; folded turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from userside.render import Highlight, Tone, TranscriptTurn
from userside.render.escaping import isolated, visible, visible_plain
from userside.render.prose import render_prose
from userside.render.turns import FOLD_BEYOND, fold

SHOWN = [
    ("<script>&\"'", "&lt;script&gt;&amp;&#34;&#39;"),
    ("a\u202eb", '<span class="hidden-mark" title="right-to-left override">U+202E</span>'),
    ("a\u2066b", "U+2066"),
    ("a\u200b\u200b\u200bb", "U+200B and 2 more"),
    ("a\x00b", "U+0000"),
    ("a\x1bb", "U+001B"),
    ("a\ud800b", "U+D800"),
    ("\U000e0041\U000e0042", "U+E0041 and 1 more"),
    ("\ufeffa", "U+FEFF"),
]
KEPT = ["plain", "tab\tand\nline", "می\u200cخواهم", "👩\u200d👩\u200d👧", "שלום\u200f!", "e\u0301", "満足"]


@pytest.mark.parametrize(("text", "part"), SHOWN)
def test_what_is_shown(text: str, part: str) -> None:
    assert part in visible(text)


@pytest.mark.parametrize("text", KEPT)
def test_what_is_kept(text: str) -> None:
    assert visible(text) == Markup(text)


def test_marks_piled_on_a_letter_are_cut_down() -> None:
    assert visible("z" + 500 * "\u0300") == "z" + 4 * "\u0300"


@given(st.text(st.characters()))
def test_no_text_makes_markup_or_fails_to_encode(text: str) -> None:
    for html in (visible(text), isolated(text), render_prose(text)):
        html.encode()
        assert "<script" not in html
        assert "\u202e" not in html
    assert "\n" not in visible_plain(text)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one *two* **three** `four`", "one <em>two</em> <strong>three</strong> <code>four</code>"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("*<b>*", "<em>&lt;b&gt;</em>"),
        ("snake_case and a*b*c", "snake_case and a*b*c"),
        ("`*so*`", "<code>*so*</code>"),
    ],
)
def test_emphasis(text: str, html: str) -> None:
    assert render_prose(text) == f'<p dir="auto">{html}</p>'


def test_short_turns_do_not_fold() -> None:
    assert fold(TranscriptTurn(speaker="u", text="x" * FOLD_BEYOND)).folded == ()


@pytest.mark.parametrize("text", ["word " * 1000, "x" * 100_000, "line\n" * 200, "\n" * 1000])
def test_long_turns_fold_and_lose_nothing(text: str) -> None:
    folded = fold(TranscriptTurn(speaker="u", text=text))
    assert folded.folded
    assert sum(len(piece.text) for piece in folded.shown) <= 500
    assert "".join(piece.text for piece in (*folded.shown, *folded.folded)) == text


MARKS = st.builds(Highlight, start=st.integers(-5, 3000), end=st.integers(-5, 3000))


@given(st.integers(0, 2500), st.lists(MARKS, max_size=6).map(tuple))
def test_marks_never_lose_or_repeat_text(length: int, marks: tuple[Highlight, ...]) -> None:
    text = "".join(chr(97 + place % 26) for place in range(length))
    folded = fold(TranscriptTurn(speaker="u", text=text, highlights=marks))
    assert "".join(piece.text for piece in (*folded.shown, *folded.folded)) == text


def test_a_mark_across_the_fold_is_on_both_sides() -> None:
    folded = fold(TranscriptTurn(speaker="u", text="x" * 2000, highlights=(Highlight(start=490, end=510),)))
    assert [len(piece.text) for piece in folded.shown if piece.marks] == [10]
    assert [len(piece.text) for piece in folded.folded if piece.marks] == [10]
    assert folded.folds_a_mark


def test_marks_that_overlap_are_cut_and_each_piece_says_why() -> None:
    good = Highlight(start=0, end=6, tone=Tone.GOOD, note="thanks")
    bad = Highlight(start=4, end=9, tone=Tone.BAD, note="gives up")
    folded = fold(TranscriptTurn(speaker="u", text="0123456789", highlights=(good, bad, good)))
    found = [(piece.text, piece.tone, piece.note) for piece in folded.shown]
    assert found == [
        ("0123", Tone.GOOD, "thanks"),
        ("45", Tone.ACCENT, "thanks, gives up"),
        ("678", Tone.BAD, "gives up"),
        ("9", Tone.ACCENT, ""),
    ]


@pytest.mark.parametrize(
    ("declared", "language", "direction"),
    [
        ("ar", "ar", "rtl"),
        ("pt-BR", "pt-BR", "auto"),
        ('"><script>', None, "auto"),
        ("English", None, "auto"),
        ("a b", None, "auto"),
        ("", None, "auto"),
        (None, None, "auto"),
    ],
)
def test_a_declared_language_is_an_attribute_only_where_it_can_be_one(
    declared: str | None, language: str | None, direction: str
) -> None:
    folded = fold(TranscriptTurn(speaker="u", text="4471", language=declared))
    assert (folded.language, folded.direction) == (language, direction)
