"""Gemini's activity from Takeout: one exchange an entry, HTML as text, JSON or a page."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.exports import GEMINI, Fields, the_part
from tests.conversations.talk import read_text
from userside.conversations import Completeness, Conversation, ImportResult


def read(folder: Path, *given: Any) -> ImportResult:
    return read_text(folder, json.dumps(list(given)), name="MyActivity.json")


def read_one(folder: Path, **change: Any) -> Conversation:
    result = read(folder, GEMINI | change)
    (conversation,) = result.conversations()
    assert result.tally.skipped == []
    return conversation


def html(*texts: str) -> list[Fields]:
    return [{"html": text} for text in texts]


def test_an_exchange_never_a_thread(tmp_path: Path) -> None:
    result = read(tmp_path, GEMINI, GEMINI | {"title": "Prompted and?", "time": "2026-02-02T07:25:00Z"})
    first, second = result.conversations()
    assert set(result.tally.formats.values()) == {"gemini"}
    assert first.id != second.id
    assert [(str(turn.speaker), turn.text) for turn in first.turns] == [("user", "hi"), ("assistant", "hello")]
    assert first.started_at == first.turns[0].at == datetime(2026, 2, 2, 7, 24, 2, 806_000, tzinfo=UTC)
    assert (first.source, first.platform, first.title) == ("gemini", "gemini", None)
    assert first.completeness is Completeness.UNKNOWN
    assert first.metadata == {"single_exchange": True}


@pytest.mark.parametrize(
    ("change", "texts", "completeness", "metadata"),
    [
        ({"safeHtmlItem": []}, ["hi"], "partial", {}),
        ({"safeHtmlItem": None}, ["hi"], "partial", {}),
        ({"safeHtmlItem": html("")}, ["hi"], "partial", {}),
        ({"safeHtmlItem": html("<p>one</p>", "<p>two</p>")}, ["hi", "one"], "unknown", {"regenerated": 1}),
        ({"title": "Hai chiesto a Gemini: ciao"}, ["Hai chiesto a Gemini: ciao", "hello"], "unknown", {}),
        ({"header": "App Gemini", "products": None}, ["hi", "hello"], "unknown", {}),
        ({"header": "Bard", "products": ["Bard"]}, ["hi", "hello"], "unknown", {}),
        ({"title": "Prompted line one\nline two"}, ["line one\nline two", "hello"], "unknown", {}),
    ],
    ids=["no answer", "null", "an empty answer", "drafts", "another language", "a translated name", "Bard", "lines"],
)
def test_entries(tmp_path: Path, change: Fields, texts: list[str], completeness: str, metadata: Fields) -> None:
    conversation = read_one(tmp_path, **change)
    assert [turn.text for turn in conversation.turns] == texts
    assert str(conversation.completeness) == completeness
    assert conversation.metadata == {"single_exchange": True, **metadata}


def test_a_picture_that_came_with_the_prompt(tmp_path: Path) -> None:
    part = the_part(read_one(tmp_path, imageFile="image_89.png").turns[0])
    assert (str(part.kind), part.name) == ("image", "image_89.png")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (GEMINI | {"title": "Used an Assistant feature"}, "title: wanted a prompt, not 'Used an Assistant feature'"),
        (GEMINI | {"title": "Gave feedback: Good response", "safeHtmlItem": None}, "title: wanted a prompt, not"),
        (GEMINI | {"title": "Hola", "safeHtmlItem": None}, "title: wanted a prompt, not 'Hola'"),
        (GEMINI | {"header": "Search", "products": ["Search"]}, "header: wanted Gemini, not 'Search'"),
        (GEMINI | {"title": None}, "wanted an entry with header, title and time"),
        ("text", "wanted an entry with header, title and time"),
    ],
)
def test_entries_that_are_no_prompt(tmp_path: Path, bad: Any, reason: str) -> None:
    result = read(tmp_path, GEMINI, bad)
    assert len(result.conversations()) == 1
    assert [(skipped.row, skipped.reason[: len(reason)]) for skipped in result.tally.skipped] == [(2, reason)]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("<p>a</p><p>b</p>", "a\n\nb"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("  <div> <div>a</div>\n<div>b</div> </div>", "a\nb"),
        ("<ul><li>a</li><li><p>b</p></li></ul>after", "- a\n- b\n\nafter"),
        ("<h2>T</h2>text", "T\n\ntext"),
        ("<pre><code>if x:\n    y &lt; 1</code></pre>", "if x:\n    y < 1"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a\tb\nc"),
        ("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &nbsp;x", "<script>alert(1)</script> &  x"),
        ("a<script>alert('</p>')</script><style>p{}</style>b", "ab"),
        ("a<script>alert(1)", "a"),
        ('<a href="javascript:alert(1)" onclick="x()">link</a><img src=x onerror=alert(1)>', "link"),
        ("<!-- c -->a<![CDATA[x]]>", "a"),
        ("a < b and <3", "a < b and <3"),
        ("مرحبا <b>世界</b> 🙂", "مرحبا 世界 🙂"),
    ],
)
def test_html_as_text(tmp_path: Path, given: str, text: str) -> None:
    assert read_one(tmp_path, safeHtmlItem=html(given)).turns[1].text == text


def cell(*lines: str, answer: str = "<p>hello</p>", header: str = "Gemini Apps") -> str:
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">'
        f'<div class="header-cell mdl-cell"><p class="mdl-typography--title">{header}<br></p></div>'
        '<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">'
        f"{'<br>'.join(lines)}<br>{answer}</div>"
        '<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div>'
        '<div class="content-cell mdl-cell mdl-typography--caption"><b>Products:</b><br>&emsp;Gemini Apps<br></div>'
        "</div></div>"
    )


NOON = "Feb 2, 2026, 12:00:00 PM UTC"


@pytest.mark.parametrize(
    ("cells", "texts", "skipped"),
    [
        ([cell("Prompted&nbsp;hi", NOON)], [["hi", "hello"]], 0),
        (
            [cell("Prompted&nbsp;hi", "there", NOON), cell("Prompted&nbsp;b", NOON)],
            [["hi\nthere", "hello"], ["b", "hello"]],
            0,
        ),
        ([cell("Pokyn&nbsp;hi", "1. 1. 2026 10:00:00 SEČ")], [["Pokyn hi", "hello"]], 0),
        ([cell("Prompted hi", NOON, answer="")], [["hi"]], 0),
        (
            [cell("Prompted hi", NOON, answer="at 10:30 in 2026<br>x<div>y</div>")],
            [["hi", "at 10:30 in 2026\nx\ny"]],
            0,
        ),
        ([cell("Prompted hi"), cell("Prompted b", NOON)], [["b", "hello"]], 1),
        ([cell("Used a feature", NOON, answer=""), cell("Prompted b", NOON)], [["b", "hello"]], 1),
    ],
    ids=["one", "lines", "another language", "no answer", "a time in the answer", "no time", "no prompt"],
)
def test_the_page(tmp_path: Path, cells: list[str], texts: list[list[str]], skipped: int) -> None:
    page = f"<html><head><title>x</title></head><body><div>{''.join(cells)}</div></body></html>"
    result = read_text(tmp_path, page, name="MyActivity.html")
    conversations = result.conversations()
    assert [[turn.text for turn in conversation.turns] for conversation in conversations] == texts
    assert len(result.tally.skipped) == skipped
    assert conversations[-1].started_at is None
    assert "2026" in conversations[-1].metadata["written_at"]


def test_pages_longer_than_what_is_held(tmp_path: Path) -> None:
    page = "<html>" + "".join(cell(f"Prompted {number}", NOON, answer="x" * 9000) for number in range(60))
    result = read_text(tmp_path, page, name="MyActivity.html")
    assert [conversation.turns[0].text for conversation in result] == [str(number) for number in range(60)]
