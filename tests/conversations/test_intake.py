"""Reading files: formats found from content, odd encodings, and imports that a bad row does not end."""

import gzip
import json
from pathlib import Path

import pytest

from tests.conversations.talk import exchange, read_text
from userside.conversations import (
    READERS,
    Note,
    conversation_to_json,
    read_conversations,
    read_sample,
    sample_names,
    sample_path,
    write_jsonl,
    write_parquet,
)
from userside.errors import FormatError, InputError, LabelError

OURS = conversation_to_json(exchange("hi", "hello", id="a"))
CHAT = '{"messages": [{"role": "user", "content": "hi"}]}'
USS = "\nUSER\thi\tgreet\t3,3,4\nSYSTEM\thello\t\t\nUSER\tOVERALL\t\t4,4,4\n"
TABLE = "speaker,text\nuser,hi\nbot,hello\n"


@pytest.mark.parametrize("name", ["x", "x.txt", "x.csv", "x.json"])  # names mislead; content does not
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (OURS, "jsonl"),
        (f"[{OURS}]", "jsonl"),
        (json.dumps(json.loads(OURS), indent=2), "jsonl"),
        (CHAT, "openai"),
        (f"[{CHAT},\n{CHAT}]", "openai"),
        ('[{"role": "user", "content": "hi"}]', "openai"),
        (USS, "uss"),
        (TABLE, "csv"),
        (TABLE.replace(",", ";"), "csv"),
        (TABLE.replace(",", "\t"), "csv"),
    ],
)
def test_the_format_is_found_from_content(tmp_path: Path, name: str, text: str, found: str) -> None:
    result = read_text(tmp_path, text, name=name)
    assert set(result.tally.formats.values()) == {found}
    assert len(result.conversations()) >= 1
    assert result.tally.skipped == []


def test_parquet_is_found(tmp_path: Path) -> None:
    write_parquet([exchange("hi")], tmp_path / "x.txt")
    assert read_conversations(tmp_path / "x.txt").conversations() == (exchange("hi"),)


@pytest.mark.parametrize("text", ["Just prose.\nTwo lines.", '{"a": 1}', "a,b\n1,2", "PK without more", "\x00\x01\x02"])
def test_an_unknown_format_says_what_was_tried(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match=f"tried: {', '.join(READERS)}") as caught:
        read_text(tmp_path, text)
    note = caught.value.__notes__[0]
    assert "--format" in note
    assert all(f"{name}: " in note for name in READERS)


def test_an_ambiguous_file_says_so(tmp_path: Path) -> None:
    both = '{"turns": [], "messages": [{"role": "user", "content": "x"}]}'
    with pytest.raises(FormatError, match="could be jsonl or openai"):
        read_text(tmp_path, both)
    assert len(read_text(tmp_path, both, format="openai").conversations()) == 1


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (None, InputError, "no such file"),
        (b"", FormatError, "is empty"),
        (b" \n\n ", FormatError, "is empty"),
        (b"\x1f\x8bbroken", FormatError, "cannot be read"),
        (b"PK\x03\x04zip", FormatError, "begins as a zip, but cannot be read as one"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes | None, error: type[Exception], message: str) -> None:
    if content is not None:
        (tmp_path / "x").write_bytes(content)
    with pytest.raises(error, match=message):
        read_conversations(tmp_path / "x")


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no format is called 'xml'; there are: chatgpt"):
        read_text(tmp_path, OURS, format="xml")
    with pytest.raises(LabelError, match="no label rule is called 'mood'"):
        read_text(tmp_path, OURS, labels="mood")


def test_a_bad_row_costs_itself_only(tmp_path: Path) -> None:
    lines = [
        '{"turns": [',
        OURS,
        "not json",
        "",
        '{"id": "b", "turns": [{"speaker": "robot", "text": "x"}]}',
        "[" * 100_000,
        '{"id": "c", "turns": [], "feedback": [{"by": "u", "turn": 4}]}',
        '{"id": "d", "feedback": [{"by": "u", "rating": NaN}]}',
        '{"id": "e", "turns": [{"speaker": "user", "text": "ok \\udeaa"}]}',
        '"text"',
    ]
    result = read_text(tmp_path, "\n".join(lines), format=None)
    assert [conversation.id for conversation in result] == ["a", "e"]
    assert result.tally.taken == 2
    assert [(skipped.row, skipped.reason[:24]) for skipped in result.tally.skipped] == [
        (1, "not JSON: Expecting valu"),
        (3, "not JSON: Expecting valu"),
        (5, "turns[0].speaker: wanted"),
        (6, "not usable JSON: maximum"),
        (7, "feedback[0].turn: wanted"),
        (8, "feedback[0].rating: want"),
        (10, "the row: wanted an objec"),
    ]
    assert result.tally.notes == {Note.SURROGATE: 1}
    said = result.tally.lines()
    assert said[0] == "2 conversations read, 7 rows skipped"
    assert said[1] == f"{Note.SURROGATE}: 1"
    assert said[2].startswith(f"{tmp_path / 'file.txt'}:1: not JSON")


@pytest.mark.parametrize(
    ("text", "taken", "reason"),
    [
        (f"[{CHAT},{CHAT}", 2, "the file ends before its array does"),
        (f'[{CHAT},{{"messages": [', 1, "not JSON from here to the end of the file"),
        (f"[{CHAT}] tail", 1, None),
    ],
)
def test_an_array_that_breaks_off(tmp_path: Path, text: str, taken: int, reason: str | None) -> None:
    result = read_text(tmp_path, text)
    assert len(result.conversations()) == taken
    if reason:
        assert [skipped.reason for skipped in result.tally.skipped] == [reason]


def test_a_large_array_is_read_value_by_value(tmp_path: Path) -> None:
    chats = [{"messages": [{"role": "user", "content": f"{number} " + "x" * 3000}]} for number in range(200)]
    for indent in (None, 1):
        read = read_text(tmp_path, json.dumps(chats, indent=indent)).conversations()
        assert [conversation.turns[0].text.split()[0] for conversation in read] == [str(n) for n in range(200)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_in_any_dress(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(("speaker,text\nuser,Grüße 谢谢 👍\nbot,hello\n" + "user,more text\n" * 20).encode(encoding))
    result = read_conversations(path)
    assert result.conversations()[0].turns[0].text == "Grüße 谢谢 👍"
    assert result.tally.notes == {}


def test_an_old_encoding_is_guessed_and_said(tmp_path: Path) -> None:
    path = tmp_path / "x"
    text = (
        "Je voudrais réserver une table près de la gare, s'il vous plaît. Où êtes-vous situés ? Merci, c'était parfait."
    )
    path.write_bytes(f'speaker,text\nuser,"{text}"\n'.encode("cp1252"))
    result = read_conversations(path)
    assert result.conversations()[0].turns[0].text == text
    assert [note for note in result.tally.notes if note.startswith("x: not UTF-8; read as")]


def test_damaged_utf8_stays_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes("speaker,text\nuser,Grüße aus Köln über München?".encode() + b"\xff\nbot,ok\n")
    result = read_conversations(path)
    assert result.conversations()[0].turns[0].text == "Grüße aus Köln über München?�"
    assert list(result.tally.notes) == ["x: not all of it is UTF-8; the odd bytes became U+FFFD"]


def test_replacement_characters_in_a_sound_file_are_no_damage(tmp_path: Path) -> None:
    result = read_text(tmp_path, OURS.replace("hi", "�"))
    assert result.conversations()[0].turns[0].text == "�"
    assert result.tally.notes == {}


def test_a_gzipped_file_that_breaks_off(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    whole = gzip.compress("\n".join(f'{{"id": "{n}", "turns": [], "x": "{n * 7919}"}}' for n in range(20_000)).encode())
    path.write_bytes(whole[: len(whole) // 2])
    result = read_conversations(path)
    read = result.conversations()
    assert 0 < len(read) < 20_000
    assert "the file is damaged from here on" in result.tally.skipped[-1].reason


def test_a_line_separator_inside_json_ends_no_line(tmp_path: Path) -> None:
    result = read_text(tmp_path, f"{OURS.replace('hi', 'a\u2028b\x85c')}\nbroken\n{OURS}\n")
    assert result.conversations()[0].turns[0].text == "a\u2028b\x85c"
    assert [skipped.row for skipped in result.tally.skipped] == [2]


def test_ids_that_come_again_are_made_unique(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    write_jsonl([exchange("a", id="x"), exchange("b", id="x"), exchange("c", id="x-2")], first)
    write_jsonl([exchange("d", id="x")], second)
    result = read_conversations([first, str(second)])
    assert [conversation.id for conversation in result] == ["x", "x-2", "x-2-2", "x-3"]
    assert result.tally.notes == {Note.ID_AGAIN: 3}
    assert set(result.tally.formats) == {str(first), str(second)}


def test_equal_conversations_without_ids_are_all_kept(tmp_path: Path) -> None:
    result = read_text(tmp_path, f"{CHAT}\n{CHAT}\n")
    ids = [conversation.id for conversation in result]
    assert ids[1] == f"{ids[0]}-2"


def test_rows_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    result = read_text(tmp_path, f"{OURS}\nbroken\n")
    assert next(iter(result)).id == "a"
    assert (result.tally.taken, result.tally.skipped) == (1, [])
    assert result.conversations() == ()
    assert len(result.tally.skipped) == 1


def test_samples() -> None:
    assert "everyday" in sample_names()
    assert sample_path("everyday").is_file()
    sample = read_sample("everyday")
    assert len({conversation.id for conversation in sample}) == len(sample) == 48
    with pytest.raises(
        InputError, match=r"no sample is called '\.\./x'; there are: arabic, chinese, everyday, spanish"
    ):
        sample_path("../x")
