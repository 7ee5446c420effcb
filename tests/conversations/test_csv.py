"""Tables: one row a turn or a conversation, with whatever names and delimiters they come."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.talk import read_text
from userside.conversations import Completeness, Conversation, Feedback, ImportResult, Label, Note, Thumb
from userside.errors import FormatError


def said(conversation: Conversation) -> list[tuple[str, str]]:
    return [(str(turn.speaker), turn.text) for turn in conversation.turns]


def read(tmp_path: Path, text: str, **options: Any) -> tuple[list[Conversation], ImportResult]:
    result = read_text(tmp_path, text, name="t.csv", **options)
    return list(result), result


TURNS = """conversation_id,speaker,text,timestamp,rating,ward
a,Customer,"Hi, ""you""
there",2026-03-01T10:00:00Z,,north
b,user,Hello,2026-03-01 10:00:30,4,
a,BOT,Yes?,1772359260,,
b,agent,Bye,,,
"""


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_one_row_a_turn(tmp_path: Path, delimiter: str, ending: str) -> None:
    text = TURNS.replace('"Hi, ""you""\nthere"', "@").replace(",", delimiter)
    text = text.replace("@", '"Hi, ""you""\nthere"').replace("\n", ending)
    (a, b), result = read(tmp_path, text, scale=(1, 5))
    assert (a.id, b.id, a.source) == ("a", "b", "csv")
    assert said(a) == [("user", f'Hi, "you"{ending}there'), ("assistant", "Yes?")]
    assert said(b) == [("user", "Hello"), ("assistant", "Bye")]
    assert a.turns[1].at == datetime(2026, 3, 1, 10, 1, tzinfo=UTC)
    assert a.turns[0].metadata == {"extra": {"ward": "north"}}
    assert b.feedback == (Feedback(by="user", turn=0, rating=4.0, scale=(1.0, 5.0)),)
    assert result.tally.skipped == []


def test_columns_are_mapped_by_name(tmp_path: Path) -> None:
    text = "Nr;Von;Nachricht;Note\n1;Kunde;hallo;2\n1;Bot;ja;\n"
    columns = {"conversation": "Nr", "speaker": "Von", "text": "nachricht", "rating": "Note"}
    conversations, result = read(tmp_path, text, columns=columns)
    assert said(conversations[0]) == [("assistant", "ja")]
    assert result.tally.skipped[0].reason == "speaker: wanted a name such as user or assistant, not 'Kunde'"
    assert conversations[0].completeness is Completeness.PARTIAL


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"text": "Body"}, "wanted a column for text=Body; there are: speaker, text"),
        ({"words": "text"}, "no column is called 'words' here; there are: conversation, id, speaker, text"),
    ],
)
def test_columns_that_are_not_there(tmp_path: Path, columns: dict[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(tmp_path, "speaker,text\nuser,hi\n", columns=columns, format="csv")


def test_a_table_without_the_columns(tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match="wanted columns speaker and text, or transcript, or question and answer"
    ) as caught:
        read(tmp_path, "a,b\n1,2\n", format="csv")
    assert "--column" in caught.value.__notes__[0]


def test_bad_rows_cost_themselves_only(tmp_path: Path) -> None:
    rows = ["a,user,hi", "a,martian,x", ",user,y", "a,user,b,c,d", "", "  ,,", "a,user,", "a,assistant,ok", "b,user,"]
    text = "\n".join(["chat_id,role,message", *rows])
    conversations, result = read(tmp_path, text)
    assert [said(conversation) for conversation in conversations] == [[("user", "hi"), ("assistant", "ok")]]
    assert [(skipped.row, skipped.reason) for skipped in result.tally.skipped] == [
        (3, "speaker: wanted a name such as user or assistant, not 'martian'"),
        (4, "has no conversation id"),
        (5, "wanted at most 3 cells, not 5"),
        (10, "conversation 'b': wanted text, and no turn has any"),
    ]
    assert conversations[0].completeness_reasons == ("row 3 could not be read",)
    assert result.tally.notes == {Note.EMPTY_TURN: 1}


def test_a_last_row_that_is_lost_does_not_lose_its_conversation(tmp_path: Path) -> None:
    (a, b), _ = read(tmp_path, "chat_id,role,message\na,user,hi\nb,user,ho\na,martian,x\n")
    assert {a.id, b.id} == {"a", "b"}


def test_without_a_conversation_column_the_file_is_one(tmp_path: Path) -> None:
    for header in ("role,content", "id,role,content"):
        rows = [("1," if "id" in header else "") + "user,hi", ("2," if "id" in header else "") + "bot,yes"]
        (conversation,), _ = read(tmp_path, "\n".join([header, *rows]))
        assert said(conversation) == [("user", "hi"), ("assistant", "yes")]
    two, _ = read(tmp_path, "id,role,content\n1,user,hi\n1,bot,yes\n2,user,ho\n")
    assert [conversation.id for conversation in two] == ["1", "2"]


def test_turns_are_put_in_order_of_time(tmp_path: Path) -> None:
    text = "speaker,text,time\nbot,second,2026-01-01T10:00:02\nuser,first,2026-01-01T10:00:01Z\n"
    (conversation,), result = read(tmp_path, text)
    assert [turn.text for turn in conversation.turns] == ["first", "second"]
    assert result.tally.notes == {Note.SORTED: 1}


def test_unclear_times_are_left_out_and_counted_once(tmp_path: Path) -> None:
    (conversation,), result = read(tmp_path, "speaker,text,time\nuser,a,03/04/2026 10:00\nbot,b,1e300\n")
    assert [turn.at for turn in conversation.turns] == [None, None]
    assert result.tally.notes == {Note.UNCLEAR_TIME: 2}


def test_a_rating_on_all_rows_is_the_conversations(tmp_path: Path) -> None:
    text = "chat_id,speaker,text,rating,thumb\na,user,hi,4/5,👍\na,bot,yes,4/5,👍\n"
    (conversation,), _ = read(tmp_path, text)
    assert conversation.feedback == (Feedback(by="user", rating=4.0, scale=(1.0, 5.0), thumb=Thumb.UP),)


def test_a_row_with_a_rating_and_no_text_rates_the_conversation(tmp_path: Path) -> None:
    text = "chat_id,speaker,text,rating\na,user,hi,\na,,,2\n"
    (conversation,), result = read(tmp_path, text)
    assert conversation.feedback == (Feedback(by="user", rating=2.0),)
    assert result.tally.notes == {}


def test_ratings_off_their_scale_are_left_out(tmp_path: Path) -> None:
    text = "question,answer,stars,thumbs,label\nq,a,9,sideways,hm\nq2,a,five,,\nq3,a,nan,down,dislike\n"
    conversations, result = read(tmp_path, text, scale=(1, 5))
    assert [len(conversation.feedback) for conversation in conversations] == [0, 0, 1]
    assert conversations[2].feedback == (Feedback(by="user", thumb=Thumb.DOWN, label=Label.DISSATISFIED),)
    assert result.tally.notes == {Note.RATING_LEFT_OUT: 3, Note.UNCLEAR_LABEL: 2}


def test_questions_and_answers(tmp_path: Path) -> None:
    text = "id,Prompt,Response,CSAT,model,purpose\n7,hi,hello,5 ,m-1,greet\n8,,only an answer,,,\n9,,,3,,\n"
    (first, second), result = read(tmp_path, text, scale=(1, 5), labels="rating")
    assert said(first) == [("user", "hi"), ("assistant", "hello")]
    assert first.turns[1].model == "m-1"
    assert first.feedback == (
        Feedback(by="user", rating=5.0, scale=(1.0, 5.0), purpose="greet"),
        Feedback(by="rule:rating", label=Label.SATISFIED),
    )
    assert said(second) == [("assistant", "only an answer")]
    assert [(skipped.row, skipped.reason) for skipped in result.tally.skipped] == [
        (4, "wanted text, and no turn has any")
    ]


TRANSCRIPT = """id,transcript,satisfied
x,"Chat started
User: hi
  there
**Assistant**: hello
[10:02] User： note: this
Model: ok
USER:
",yes
y,no names here,
"""


def test_transcripts(tmp_path: Path) -> None:
    (conversation,), result = read(tmp_path, TRANSCRIPT)
    assert said(conversation) == [
        ("user", "hi\n  there"),
        ("assistant", "hello"),
        ("user", "note: this"),
        ("assistant", "ok"),
    ]
    assert conversation.feedback[0].label is Label.SATISFIED
    assert result.tally.notes == {Note.SPEAKERLESS: 1, Note.EMPTY_TURN: 1}
    assert "none begins so" in result.tally.skipped[0].reason
    assert result.tally.skipped[0].row == 10


def test_cells_longer_than_the_modules_limit(tmp_path: Path) -> None:
    (conversation,), _ = read(tmp_path, f"speaker,text\nuser,{'x' * 300_000}\n")
    assert len(conversation.turns[0].text) == 300_000


def test_surrounding_oddities(tmp_path: Path) -> None:
    (conversation,), _ = read(tmp_path, '\ufeff"Speaker" , "Text"\nuser, "a\x00b"\n')
    assert conversation.turns[0].speaker == "user"
