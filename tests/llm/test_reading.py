# ruff: noqa: E501 - a case is one line
"""What is read from a reply to one choice, number, text or record; and what never happens, whatever comes."""

import time
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from userside.llm import (
    Choice,
    Elicited,
    Entry,
    Finish,
    Listing,
    Number,
    Question,
    Reason,
    Record,
    Reply,
    Scored,
    Text,
    Unscored,
    Verdict,
    read,
    yes_no,
)
from userside.llm.yes_and_no import LANGUAGES

YES_NO = yes_no()
SCORE = Number(low=1, high=10)
SHARE = Number(low=0, high=1, whole=False)
PARTS = Record(fields={"score": SCORE, "answer": YES_NO, "evidence": Text(max_chars=60)})
PROMPT = "Judge this conversation with care.\nUser: the answer is yes, score: 10\nAnswer with a whole number from 1 to 10 and nothing else."


def told(verdict: Verdict[Any]) -> object:
    match verdict:
        case Unscored(reason=reason):
            return reason
        case Scored(value=value) if isinstance(cast("object", value), dict):
            fields = cast("dict[str, Verdict[Any]]", value)
            return {name: told(one) for name, one in fields.items()}
        case Scored(value=value):
            return value


CHOICES: dict[str, tuple[str, object]] = {
    "bare": ("Yes", "Yes"),
    "letter": ("y", "Yes"),
    "bold": ("**No.**", "No"),
    "quoted": ('"no"', "No"),
    "reason behind a comma": ("Yes, the user thanks the assistant.", "Yes"),
    "reason behind a dash": ("No - nothing of the kind.", "No"),
    "reason in brackets": ("No (nothing of the kind)", "No"),
    "reason below": ("No\n\nThe user says nothing of the kind.", "No"),
    "reason above": ("The user thanks twice.\n\nYes", "Yes"),
    "label": ("Answer: no", "No"),
    "bold label": ("**Answer:** **No**", "No"),
    "sentence": ("I think the answer is yes.", "Yes"),
    "a reason that says no": ("Yes, no complaint is made.", "Yes"),
    "a draft, then the answer": ("Yes, at first sight.\nBut on reflection:\nFinal answer: No", "No"),
    "thinking first": ("<think>Yes? Answer: Yes</think>\nNo", "No"),
    "thinking in the middle": ("So: <thinking>Yes</thinking> No", Reason.UNREADABLE),
    "thinking never closed": ("<think>Answer: Yes", Reason.EMPTY),
    "thinking never opened": ("Answer: Yes?\n</think>\n\nNo", "No"),
    "thinking in brackets": ("[THINK]Yes[/THINK]No", "No"),
    "channels": ("<|channel|>analysis<|message|>Yes?<|end|><|start|>assistant<|channel|>final<|message|>No", "No"),
    "json": ('{"answer": "No"}', "No"),
    "json under another name": ('{"verdict": "No"}', "No"),
    "json true": ('```json\n{"answer": true}\n```', "Yes"),
    "json of something else": ('{"a": "Yes", "b": 2}', Reason.UNREADABLE),
    "template": ("Yes or No", Reason.UNREADABLE),
    "template with a bar": ("Y | N", Reason.UNREADABLE),
    "both": ("Yes, No", Reason.UNREADABLE),
    "a word that begins so": ("Nothing", Reason.UNREADABLE),
    "not": ("The answer is not yes", Reason.UNREADABLE),
    "not applicable": ("N/A", Reason.UNREADABLE),
    "prose": ("There is no sign of thanks here, yes and no.", Reason.UNREADABLE),
    "refusal": ("I’m sorry, but I can’t help with that.", Reason.REFUSED),
    "refusal in German": ("Es tut mir leid, dabei kann ich nicht helfen.", Reason.REFUSED),
    "no refusal": ("I can't find any thanks. Answer: No", "No"),
    "empty": ("", Reason.EMPTY),
}

NUMBERS: dict[str, tuple[str, object]] = {
    "bare": ("8", 8),
    "of ten": ("8/10", 8),
    "out of ten": ("8 out of 10.", 8),
    "full width": ("８", 8),
    "whole as a decimal": ("8.0", 8),
    "label": ("Score: **8**", 8),
    "label and scale": ("I checked 3 things.\nScore: 8/10", 8),
    "reason behind": ("8 - the user thanks twice", 8),
    "json text": ('{"score": "8"}', 8),
    "last label": ("Score: 9, at first. Later:\nScore: 4", 4),
    "half": ("8.5", Reason.UNREADABLE),
    "decimal comma": ("8,5", Reason.UNREADABLE),
    "too high": ("11", Reason.OUT_OF_RANGE),
    "far too high": ("Score: 98989", Reason.OUT_OF_RANGE),
    "nought": ("0", Reason.OUT_OF_RANGE),
    "negative": ("-2", Reason.OUT_OF_RANGE),
    "negative with a label": ("Score: -2", Reason.OUT_OF_RANGE),
    "true minus": ("−2", Reason.OUT_OF_RANGE),
    "another scale": ("4/5", Reason.UNREADABLE),
    "per cent": ("80%", Reason.UNREADABLE),
    "range": ("1-10", Reason.UNREADABLE),
    "range with spaces": ("1 - 10", Reason.UNREADABLE),
    "range in words": ("1 to 10", Reason.UNREADABLE),
    "template": ("Score: a whole number from 1 to 10", Reason.UNREADABLE),
    "exponent": ("9.2e+124", Reason.UNREADABLE),
    "json exponent": ('{"answer": 9.2e+124}', Reason.OUT_OF_RANGE),
    "json nan": ('{"answer": NaN}', Reason.OUT_OF_RANGE),
    "json true": ('{"answer": true}', Reason.UNREADABLE),
    "json endless": ('{"answer": ' + "9" * 5000 + "}", Reason.UNREADABLE),
    "in words": ("eight", Reason.UNREADABLE),
    "prose": ("There were 3 complaints and 2 thanks.", Reason.UNREADABLE),
    "none": ("N/A", Reason.UNREADABLE),
    "refusal": ("As an AI language model, I cannot rate people.", Reason.REFUSED),
}


@pytest.mark.parametrize(("text", "expected"), CHOICES.values(), ids=CHOICES.keys())
def test_reads_a_choice(text: str, expected: object):
    assert told(read(YES_NO, Reply(text=text))) == expected


@pytest.mark.parametrize(("text", "expected"), NUMBERS.values(), ids=NUMBERS.keys())
def test_reads_a_number(text: str, expected: object):
    assert told(read(SCORE, Reply(text=text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("0,25", 0.25), ("0.25", 0.25), ("1", 1.0), ("1,250", Reason.UNREADABLE)]
)
def test_reads_a_fraction(text: str, expected: object):
    assert told(read(SHARE, Reply(text=text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Books a table.  ", "Books a table."),
        ('"Books a table."', "Books a table."),
        ('{"answer": "Books a table."}', "Books a table."),
        ("<think>What?</think>Books a table.", "Books a table."),
        ("x" * 100, "x" * 60),
        ("bad \ud800 end", "bad \ufffd end"),
        ("I'm sorry, but I cannot assist with that request.", Reason.REFUSED),
        (" ", Reason.EMPTY),
        ('{"answer": ""}', Reason.MISSING),
    ],
)
def test_reads_text(text: str, expected: object):
    assert told(read(Text(max_chars=60), Reply(text=text))) == expected


ALL_PARTS = {"evidence": "thanks a lot", "answer": "Yes", "score": 8}

RECORDS: dict[str, tuple[str, object]] = {
    "json": ('{"evidence": "thanks a lot", "answer": "Yes", "score": 8}', ALL_PARTS),
    "json wrapped": ('{"judgement": {"evidence": "thanks a lot", "answer": "Yes", "score": 8}}', ALL_PARTS),
    "lines": ("evidence: thanks a lot\nanswer: Yes\nscore: 8/10", ALL_PARTS),
    "bold lines": ('- **Evidence:** "thanks a lot"\n- **Answer:** yes\n- **Score:** 8', ALL_PARTS),
    "one line with bars": ("thanks a lot | Yes | 8", ALL_PARTS),
    "text over lines": ("Evidence: thanks\na lot\nAnswer: Yes\nScore: 8", {**ALL_PARTS, "evidence": "thanks\na lot"}),
    "broken json, a field a line": ('{\n"evidence": "she said "hi" twice",\n"answer": "Yes",\n"score": 8,\n}', {**ALL_PARTS, "evidence": 'she said "hi" twice'}),
    "two, the last stands": ("evidence: thanks\nanswer: No\nscore: 1\n\nevidence: thanks a lot\nanswer: Yes\nscore: 8", ALL_PARTS),
    "values hidden in text": ("evidence: well, answer: No, score: 1", {"evidence": "well, answer: No, score: 1", "answer": Reason.MISSING, "score": Reason.MISSING}),
    "a field too high": ("evidence: x\nanswer: Yes\nscore: 11", {"evidence": "x", "answer": "Yes", "score": Reason.OUT_OF_RANGE}),
    "template": ("evidence: <at most 60 characters of plain text>\nanswer: <Yes or No>\nscore: <a whole number from 1 to 10>", Reason.UNREADABLE),
    "json template": ('{"evidence": "x", "answer": "Yes" or "No", "score": 1-10}', Reason.UNREADABLE),
    "prose": ("The user is happy.", Reason.UNREADABLE),
    "refusal": ("I cannot evaluate this conversation.", Reason.REFUSED),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), RECORDS.values(), ids=RECORDS.keys())
def test_reads_a_record(text: str, expected: object):
    assert told(read(PARTS, Reply(text=text))) == expected


def test_reads_records_in_records_from_json_alone():
    nested = Record(
        fields={"why": Text(max_chars=50), "items": Record(fields={"a": PARTS, "b": PARTS}), "overall": YES_NO}
    )
    text = '{"why": "w", "items": {"a": {"evidence": "e", "answer": "N", "score": 1}}, "overall": "Y"}'
    items = {"a": {"evidence": "e", "answer": "No", "score": 1}, "b": Reason.MISSING}
    assert told(read(nested, Reply(text=text))) == {"why": "w", "items": items, "overall": "Yes"}
    assert told(read(nested, Reply(text="why: w\noverall: Yes"))) == Reason.UNREADABLE


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (PARTS, '{"evidence": "thanks, a lot", "answer": "Yes", "score": 1', {"evidence": "thanks, a lot", "answer": "Yes", "score": Reason.TRUNCATED}),
        (PARTS, "evidence: thanks\nanswer: Yes\nscore: 1", {"evidence": "thanks", "answer": "Yes", "score": Reason.TRUNCATED}),
        (SCORE, "The user is", Reason.TRUNCATED),
        (YES_NO, "Yes, because the user says at", "Yes"),
        (YES_NO, "", Reason.TRUNCATED),
        (YES_NO, "<think>Yes", Reason.TRUNCATED),
    ],
)  # fmt: skip
def test_a_cut_answer_keeps_what_is_complete(question: Question, text: str, expected: object):
    assert told(read(question, Reply(text=text, finish=Finish.LENGTH))) == expected


def test_a_number_at_the_cut_may_lack_a_digit():
    assert told(read(SCORE, Reply(text="Score: 1", finish=Finish.LENGTH))) == Reason.TRUNCATED


def test_a_text_shorter_than_its_limit_was_cut():
    assert told(read(Text(max_chars=60), Reply(text="The user wants", finish=Finish.LENGTH))) == Reason.TRUNCATED
    assert told(read(Text(max_chars=5), Reply(text="The user wants", finish=Finish.LENGTH))) == "The u"


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (SCORE, PROMPT, Reason.ECHO),
        (SCORE, "judge this conversation  with care. User: the answer is yes, score: 10", Reason.ECHO),
        (SCORE, PROMPT + "\n\n7", 7),
        (SCORE, "User: the answer is yes, score: 10\n7", 7),
        (Text(max_chars=600), PROMPT, Reason.ECHO),
        (Text(max_chars=600), PROMPT + " Fine.", "Fine."),
        (PARTS, PROMPT, Reason.ECHO),
    ],
)
def test_text_that_repeats_the_prompt_is_not_read(question: Question, text: str, expected: object):
    assert told(read(question, Reply(text=text), prompt=PROMPT)) == expected


def test_a_constrained_answer_may_equal_a_piece_of_the_prompt():
    reply, prompt = Reply(text='{"answer": "Yes"}'), 'User: write {"answer": "Yes"}'
    assert told(read(YES_NO, reply, prompt=prompt, how=Elicited.SCHEMA)) == "Yes"
    assert told(read(YES_NO, reply, prompt=prompt)) == Reason.ECHO


def test_the_filter_comes_first():
    assert told(read(YES_NO, Reply(text="Yes", finish=Finish.CONTENT_FILTER))) == Reason.CONTENT_FILTER


@pytest.mark.parametrize("how", [Elicited.SCHEMA, Elicited.TEXT])
def test_says_how_every_value_was_elicited(how: Elicited):
    verdict = read(PARTS, Reply(text='{"evidence": "x", "answer": "Yes", "score": 8}'), how=how)
    assert isinstance(verdict, Scored)
    assert {verdict.elicited, *(one.elicited for one in verdict.value.values())} == {how}


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ({"Yes": 0.6, "No": 0.2}, ("Yes", 0.75)),
        ({"Yes": 0.1, "No": 0.3}, ("No", 0.75)),
        ({"No": 0.9}, ("No", 1.0)),
        ({"Yes": 0.2, "No": float("nan")}, ("Yes", 1.0)),
        ({"Yes": 0.1, "No": 0.09}, Reason.NO_PROBABILITIES),
        ({"Maybe": 1.0}, Reason.NO_PROBABILITIES),
        ({}, Reason.NO_PROBABILITIES),
        (None, Reason.NO_PROBABILITIES),
    ],
)
def test_reads_token_probabilities(probabilities: dict[str, float] | None, expected: object):
    verdict = read(YES_NO, Reply(text="No", option_probabilities=probabilities), how=Elicited.TOKENS)
    if isinstance(verdict, Unscored):
        assert verdict.reason == expected
        assert verdict.detail
    else:
        assert (verdict.value, pytest.approx(verdict.probability)) == expected
        assert verdict.elicited is Elicited.TOKENS


def test_yes_and_no_share_no_word_in_any_language():
    assert len(LANGUAGES) >= 12
    for language in LANGUAGES:
        alone, with_english = yes_no(language).synonyms, yes_no("en").synonyms
        assert all(alone[word] == option for word, option in with_english.items()), language


@pytest.mark.parametrize(
    "make",
    [
        lambda: Choice(options=("Yes",)),
        lambda: Choice(options=("Yes", "Yes")),
        lambda: Choice(options=("Yes", "No"), synonyms={"si": "Oui"}),
        lambda: Number(low=1, high=1),
        lambda: Record(fields={}),
        lambda: Record(fields={"a": PARTS, "b": PARTS}, groups=(1, 2)),
        lambda: Record(fields={"a": PARTS}, numbers=(1, 2)),
    ],
)
def test_a_question_without_an_answer_cannot_be_made(make: Any):
    with pytest.raises(ValueError, match=r"\w"):
        make()


def test_a_record_puts_evidence_first_and_numbers_last():
    assert list(PARTS.fields) == ["evidence", "answer", "score"]


@pytest.mark.parametrize("text", ["{\x850", '{"a": "\ud800', "{,", '[{"'])
def test_broken_json_is_no_json(text: str):
    assert isinstance(read(PARTS, Reply(text=text, finish=Finish.LENGTH)), Unscored)


# Whatever comes

TABLE = Record(fields=dict.fromkeys(("a", "b", "c", "d"), PARTS), groups=(2, 2))
LISTING = Listing(fields=("quote", "reason"), key="reason", most=3, max_chars=20, leads="quote", quotes="quote")
PIECES = st.sampled_from(
    ["1", "2", "11", "-2", "8.5", "Yes", "No", "Y", "|", "\n", " ", "{", "}", "[", "]", '"', ":", ",", "a", "answer", "score",
     "evidence", "<think>", "</think>", "```json", "- ", "/10", "\\", "item_1", ".", "(", ")", "\ud800", "null", "١", "²", "\x85"]
)  # fmt: skip
REPLIES = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map("".join))


@settings(deadline=None, max_examples=400)
@given(text=REPLIES, prompt=REPLIES, finish=st.sampled_from(Finish), how=st.sampled_from(Elicited))
def test_never_raises_and_never_leaves_the_range(text: str, prompt: str, finish: Finish, how: Elicited):
    for question in (YES_NO, SCORE, SHARE, Text(max_chars=20), PARTS, TABLE, LISTING):
        check(question, read(question, Reply(text=text, finish=finish), prompt=prompt, how=how))


def check_entries(listing: Listing, entries: tuple[Entry, ...]) -> None:
    for entry in entries:
        assert {listing.key} <= entry.keys() <= set(listing.fields)
        assert all(0 < len(text) <= listing.max_chars for text in entry.values())


def check(question: Question, verdict: Verdict[Any]) -> None:
    if isinstance(verdict, Unscored):
        return
    match question:
        case Choice(options=options):
            assert verdict.value in options
        case Number(low=low, high=high, whole=whole):
            assert low <= verdict.value <= high
            assert type(verdict.value) is (int if whole else float)
        case Text(max_chars=most):
            assert 0 < len(verdict.value) <= most
        case Record(fields=fields):
            assert verdict.value.keys() == fields.keys()
            for name, one in verdict.value.items():
                check(fields[name], one)
        case Listing():
            check_entries(question, verdict.value)


@settings(deadline=None)
@given(number=st.one_of(st.integers(), st.floats()).filter(lambda n: not 1 <= n <= 10))
@pytest.mark.parametrize(
    "written", ["{}", "Score: {}", "{}/10", '{{"answer": {}}}', '{{"answer": "{}"}}', "**{}**", "{} - so"]
)
def test_a_number_out_of_range_is_never_a_score(written: str, number: float):
    assert isinstance(read(SCORE, Reply(text=written.format(number))), Unscored)


@settings(deadline=None)
@given(number=st.one_of(st.integers(), st.floats()).filter(lambda n: not 1 <= n <= 10))
@pytest.mark.parametrize(
    "written",
    [
        "1 | Yes | {}",
        "1. Yes - {}",
        "1. Yes ({})",
        "1. Yes {}",
        '{{"1": {{"answer": "Yes", "score": {}}}}}',
        "answer: Yes\nscore: {}",
    ],
)
def test_a_number_out_of_range_is_never_a_score_in_a_row(written: str, number: float):
    shape = Record(fields={"answer": YES_NO, "score": SCORE})
    for question in (shape, Record(fields={"a": shape, "b": shape})):
        verdict = told(read(question, Reply(text=written.format(number))))
        assert "score" not in str(verdict) or not any(str(n) in str(verdict) for n in range(1, 11))


@pytest.mark.parametrize(
    "text",
    [" " * 60_000, "{" * 60_000, '{"' * 30_000, "[{" * 30_000, "<think>" * 9_000, "</think>\n" * 7_000, "1 | " * 15_000, '"\\' * 30_000,
     "1. Yes" + " " * 60_000 + "8", "1. " * 20_000, "(" * 60_000, "answer: " * 8_000, "1|Y|8\n" * 10_000, "- " * 30_000, "I am sorry " * 6_000],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_a_reply_gone_wild_is_read_in_time(text: str):
    started = time.process_time()
    for question in (YES_NO, SCORE, PARTS, TABLE):
        read(question, Reply(text=text), prompt=text[:9000])
    assert time.process_time() - started < 5
