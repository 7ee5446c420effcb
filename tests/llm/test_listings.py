"""Lists as awkward as models write them."""

import json

import pytest

from userside.llm import Elicited, Entry, Listing, Reason, Reply, Scored, Unscored, Verdict, read
from userside.llm.exchange import Finish
from userside.llm.formats import schema_of

REASONS = Listing(fields=("quote", "reason"), key="reason", most=3, quotes="quote")
RUBRIC = Listing(fields=("name", "description"), key="description", most=10, leads="name")

ONE = ({"reason": "The user gives thanks."},)
QUOTED = ({"quote": "thanks a lot", "reason": "The user gives thanks."},)


def entries(listing: Listing, text: str, *, prompt: str = "", cut: bool = False) -> tuple[Entry, ...]:
    verdict = said(listing, text, prompt=prompt, cut=cut)
    assert isinstance(verdict, Scored), verdict
    return verdict.value


def said(listing: Listing, text: str, *, prompt: str = "", cut: bool = False) -> Verdict[tuple[Entry, ...]]:
    reply = Reply(text=text, finish=Finish.LENGTH if cut else Finish.STOP)
    return read(listing, reply, prompt=prompt, how=Elicited.TEXT)


@pytest.mark.parametrize(
    "text",
    ["NONE", "None.", "**NONE**", "<REASONS>NONE</REASONS>", "<reasons>\nnone\n</reasons>", "- None", "1. None.",
     "N/A", "NONE\nThe user says nothing about it.", "NONE, the user only asks for a table.", '{"entries": []}', "[]",
     "```\nNONE\n```", "<think>Thanks? No.</think>NONE", "No reasons found.", "无"],
)  # fmt: skip
def test_none_is_an_answer(text: str) -> None:
    assert entries(REASONS, text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "The user gives thanks.",
        "- The user gives thanks.",
        "• The user gives thanks.",
        "1) The user gives thanks.",
        "1. **The user gives thanks.**",
        "<REASONS>\n- The user gives thanks.\n</REASONS>",
        "<REASONS>\n- The user gives thanks.",
        "I shall put them between <REASONS></REASONS>, as asked.\n<REASONS>The user gives thanks.</REASONS>",
        "<reasons>- wrong</reasons> No, rather: <reasons>- The user gives thanks.</reasons>",
        "Here is what I found:\n- The user gives thanks.",
        "- The user\n  gives thanks.",
        "- The user gives thanks.\n- The user gives thanks.",
        "```\n- The user gives thanks.\n```",
        '{"reasons": ["The user gives thanks."]}',
        '["The user gives thanks."]',
        '{"entries": [{"quote": "", "reason": "The user gives thanks."}]}',
        '[{"reason": "The user gives thanks."}]',
        '{"reason": "The user gives thanks."}',
        "reason: The user gives thanks.",
        "NONE | The user gives thanks.",
    ],
)
def test_one_reason_however_it_is_written(text: str) -> None:
    assert entries(REASONS, text) == ONE


def test_json_within_a_line_is_what_a_user_typed() -> None:
    text = 'it says {"error": "not found"} | The user reports an error.\nso what | The user is cross.'
    assert entries(REASONS, text) == (
        {"quote": 'it says {"error": "not found"}', "reason": "The user reports an error."},
        {"quote": "so what", "reason": "The user is cross."},
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": {"reasons": [{"reason": "The user gives thanks."}]}}',
        'Here: {"reasons": [{"reason": "The user gives thanks."}], "entries": [{"reason": "The user gives thanks."}]}',
        'So:\n- {"reason": "The user gives thanks."}\n- {"reason": "The user gives thanks."}',
    ],
)
def test_json_is_the_answer_wherever_it_names_our_fields(text: str) -> None:
    assert entries(REASONS, text) == ONE


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert entries(REASONS, '{"entries": [{"reason": "The user is glad \\ud83d."}]}') == (
        {"reason": "The user is glad \ufffd."},
    )
    assert entries(REASONS, '{"entries": [{"reason": "Glad \\ud83d\\ude00."}]}') == ({"reason": "Glad 😀."},)


@pytest.mark.parametrize(
    "text",
    [
        "thanks a lot | The user gives thanks.",
        '| 1 | "thanks a lot" | The user gives thanks. |',
        "| # | quote | reason |\n|---|---|---|\n| 1 | thanks a lot | The user gives thanks. |",
        "1. thanks a lot | The user gives thanks.",
        'The user gives thanks ("thanks a lot").',
        "“thanks a lot” - The user gives thanks.",
        'quote: "thanks a lot", reason: The user gives thanks.',
        '- **Quote:** "thanks a lot"\n  **Reason:** The user gives thanks.',
        '{"entries": [{"quote": "thanks a lot", "reason": "The user gives thanks."}]}',
        '```json\n[{"Quote": "thanks a lot", "Reason": "The user gives thanks."}]\n```',
    ],
)
def test_a_quote_is_told_from_its_reason(text: str) -> None:
    found = entries(REASONS, text)
    assert [{name: words.rstrip(".") for name, words in one.items()} for one in found] == [
        {"quote": "thanks a lot", "reason": "The user gives thanks"}
    ]


def test_signs_that_would_break_xml_are_text() -> None:
    reasons = ["The user writes <3 & praises R&D.", "It took < 3 minutes."]
    text = f"<REASONS>\n- {reasons[0]}\n- {reasons[1]}\n</REASONS>"
    assert [one["reason"] for one in entries(REASONS, text)] == reasons


def test_more_than_wanted_is_all_read() -> None:
    """How many are kept is up to who asked."""
    assert len(entries(REASONS, "\n".join(f"- reason {word}" for word in ("a", "b", "c", "d", "e")))) == 5


TWO = (
    {"name": "Gratitude", "description": "The user gives thanks."},
    {"name": "Repeats", "description": "The user asks again."},
)
LINES = "1. Gratitude: The user gives thanks.\n2. Repeats: The user asks again."


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        "**1.** Gratitude: The user gives thanks.\n**2.** Repeats: The user asks again.",
        "1) **Gratitude** - The user gives thanks.\n2) **Repeats** - The user asks again.",
        f"<rubric>\n{LINES}\n</rubric>",
        f"```\n{LINES}\n```",
        f"<Rubric>1. Draft: no good.</Rubric>\n<Rubric>\n{LINES}\n</Rubric>",
        "1. Gratitude: The user gives\n   thanks.\n2. Repeats: The user asks again.",
        "Gratitude | The user gives thanks.\nRepeats | The user asks again.",
        "- Gratitude: The user gives thanks.\n- Repeats: The user asks again.\n- Gratitude: The user gives thanks.",
        "Rubric:\n\n1. Gratitude: The user gives thanks.\n\nMore:\n\n1. Repeats: The user asks again.",
        json.dumps({"items": TWO}),
        "1. Gratitude: The user gives thanks.\n2.\n3. Repeats: The user asks again.",
        "| Name | Description |\n|---|---|\n| Gratitude | The user gives thanks. |\n| Repeats | The user asks again. |",
    ],
)  # fmt: skip
def test_a_rubric_however_it_is_written(text: str) -> None:
    assert entries(RUBRIC, text) == TWO


def test_sub_bullets_belong_to_the_item_above() -> None:
    text = "1. Gratitude: The user gives thanks.\n   - e.g. cheers\n2. Repeats: The user asks again."
    assert entries(RUBRIC, text) == ({**TWO[0], "description": "The user gives thanks. e.g. cheers"}, TWO[1])


def test_an_item_without_a_name_is_a_description() -> None:
    assert entries(RUBRIC, "- The user gives thanks.") == ({"description": "The user gives thanks."},)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.EMPTY),
        ("<think>hm", Reason.EMPTY),
        ("I'm sorry, but I can't help with that.", Reason.REFUSED),
        ("{}", Reason.UNREADABLE),
        ("<quote> | <reason>", Reason.UNREADABLE),
        ("Here are the reasons:", Reason.UNREADABLE),
    ],
)
def test_no_list_is_unscored(text: str, reason: Reason) -> None:
    found = said(REASONS, text)
    assert isinstance(found, Unscored), found
    assert found.reason is reason


PROMPT = "Find at most three reasons why the user was satisfied.\n\nUser: 1. thanks a lot\n\nAnswer with few lines."


def test_an_echoed_prompt_is_no_answer() -> None:
    echo = said(REASONS, PROMPT, prompt=PROMPT)
    assert isinstance(echo, Unscored)
    assert echo.reason is Reason.ECHO
    assert entries(REASONS, f"{PROMPT}\n- The user gives thanks.", prompt=PROMPT) == ONE


def test_a_rubric_handed_in_may_come_back_as_it_is() -> None:
    lines = "1. Gratitude: The user gives thanks.\n2. Repeats: The user asks again."
    assert (
        entries(RUBRIC, lines, prompt=f"Write a rubric that covers these patterns.\n\nSo far:\n{lines}\n\nGo on.")
        == TWO
    )


@pytest.mark.parametrize(
    "text",
    [
        "1. Gratitude: The user gives thanks.\n2. Repeats: The user as",
        '{"entries": [{"name": "Gratitude", "description": "The user gives thanks."}, {"name": "Repeats", "descr',
    ],
)
def test_a_cut_list_loses_what_is_not_whole(text: str) -> None:
    assert entries(RUBRIC, text, cut=True) == TWO[:1]


def test_what_is_long_is_cut_and_what_never_ends_is_read_in_time() -> None:
    [one] = entries(Listing(fields=("reason",), key="reason", most=1, max_chars=20), "x" * 100)
    assert one == {"reason": "x" * 20}
    assert len(entries(REASONS, "- so it goes\n" * 20_000 + "".join(f"- {n} and more\n" for n in range(300)))) <= 200


def test_a_field_that_chooses_holds_nothing_else() -> None:
    listing = Listing(fields=("turn", "reason"), key="reason", most=3, allowed={"turn": ("2", "4")})
    assert entries(listing, "4 | The user gives thanks.\n3 | The user says bye.\n[2] | The user asks.") == (
        {"turn": "4", "reason": "The user gives thanks."},
        {"reason": "The user says bye."},
        {"turn": "2", "reason": "The user asks."},
    )
    fields = schema_of(listing)["properties"]["entries"]["items"]["properties"]
    assert fields == {"turn": {"type": "string", "enum": ["2", "4"]}, "reason": {"type": "string"}}


def test_a_verdict_of_a_listing_is_a_tuple() -> None:
    assert not isinstance(read(REASONS, Reply(text="NONE")), Unscored)
