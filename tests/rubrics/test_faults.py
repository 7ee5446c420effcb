"""Everything an endpoint can do wrong, once and for good, over real HTTP: nothing is lost and every count adds up."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from tests.rubrics.coherent_judge import judge
from userside.conversations import Conversation, Speaker, Turn
from userside.llm import (
    AnswerStore,
    Pace,
    PacedModel,
    Reason,
    StoredModel,
    open_model,
    read_model_name,
    read_prompts,
)
from userside.llm.fake_server import Behaviour, FakeServer, Fault, Lasting, Rule
from userside.rubrics import ConversationScore, Judging, ScoringPlan, open_rubric, score_conversations

SHARE = 0.2
NUMBER = 40
RUBRIC = open_rubric("builtin:general")

FOR_GOOD: dict[Fault, set[Reason]] = {
    Fault.RATE_LIMITED: {Reason.RATE_LIMITED},
    Fault.SERVER_ERROR: {Reason.SERVER_ERROR},
    Fault.UNAVAILABLE: {Reason.SERVER_ERROR},
    Fault.HANG: {Reason.TIMEOUT},
    Fault.RESET: {Reason.CONNECTION},
    Fault.HTML_PAGE: {Reason.SERVER_ERROR},
    Fault.HALF_A_BODY: {Reason.CONNECTION, Reason.SERVER_ERROR},
    Fault.NO_CHOICES: {Reason.SERVER_ERROR},
    Fault.TRUNCATED: {Reason.TRUNCATED},
    Fault.EMPTY: {Reason.EMPTY},
    Fault.WRONG_JSON: {Reason.UNREADABLE, Reason.MISSING},
    Fault.PROSE: {Reason.UNREADABLE},
    Fault.REFUSAL: {Reason.REFUSED},
    # An answer to a schema is JSON or nothing: that it repeats the prompt is not looked for.
    Fault.ECHO: {Reason.ECHO, Reason.UNREADABLE},
    Fault.CONTENT_FILTER: {Reason.CONTENT_FILTER},
    Fault.FILTERED_PROMPT: {Reason.CONTENT_FILTER},
    Fault.CONTEXT_WINDOW: {Reason.CONTEXT_WINDOW},
    # The answer is there, behind the thinking, or late.
    Fault.THINKING: set(),
    Fault.DELAY: set(),
}
FINAL = {Fault.REFUSAL, Fault.CONTENT_FILTER, Fault.FILTERED_PROMPT, Fault.CONTEXT_WINDOW}
"""What is an endpoint's last word: it is not asked again, also when another attempt would have helped."""


def conversations() -> list[Conversation]:
    texts = [f"Please book table number {number}." for number in range(NUMBER)]
    return [
        Conversation(
            id=f"c-{number}",
            source="test",
            turns=(
                Turn(index=0, speaker=Speaker.USER, text=text),
                Turn(
                    index=1,
                    speaker=Speaker.ASSISTANT,
                    text="Your table is booked for seven o'clock, by the window, as you asked.",
                ),
                Turn(index=2, speaker=Speaker.USER, text=f"Good. {number}"),
            ),
        )
        for number, text in enumerate(texts)
    ]


async def score_against(behaviour: Behaviour, folder: Path) -> tuple[list[ConversationScore], FakeServer]:
    faults = {rule.fault for rule in behaviour.rules}
    limited = [rule for rule in behaviour.rules if rule.fault is Fault.RATE_LIMITED]
    patience = 0.3 if limited and limited[0].lasting is Lasting.ALWAYS else 60.0
    pace = Pace(limit=32, patience=patience, retries=2, first_wait=0.01, longest_wait=0.05)
    timeout = 1.0 if Fault.HANG in faults else 30.0
    async with FakeServer(behaviour, answer=judge) as server:
        choice = read_model_name("fake", base_url=server.base_url, timeout=timeout, concurrency=32)
        async with open_model(choice) as endpoint:
            with AnswerStore(folder / "answers.db") as store:
                model = StoredModel(inner=PacedModel(endpoint, pace=pace), store=store)
                plan = ScoringPlan(rubric=RUBRIC, judging=Judging(prompts=read_prompts("userside.rubrics")), at_once=32)
                return list(await score_conversations(conversations(), model, plan=plan)), server


def run(fault: Fault, lasting: Lasting, folder: Path) -> tuple[list[ConversationScore], FakeServer]:
    seconds = {Fault.DELAY: 0.05, Fault.HANG: 5.0, Fault.RATE_LIMITED: 0.05}.get(fault)
    rule = Rule(fault=fault, share=SHARE, lasting=lasting, seconds=seconds)
    return asyncio.run(score_against(Behaviour(rules=(rule,), seed=1), folder))


def reasons(scores: list[ConversationScore]) -> Counter[Reason]:
    return Counter(reason for score in scores for reason in score.reasons)


def test_every_fault_of_the_fake_server_about_one_answer_is_in_the_table() -> None:
    ends_the_run = {Fault.BAD_KEY, Fault.NO_QUOTA, Fault.NO_SUCH_MODEL}
    assert set(FOR_GOOD) | ends_the_run == set(Fault)


@pytest.mark.parametrize("fault", [fault for fault in FOR_GOOD if fault not in FINAL], ids=str)
def test_a_fault_at_the_first_attempt_only_costs_nothing(fault: Fault, tmp_path: Path) -> None:
    scores, server = run(fault, Lasting.FIRST, tmp_path)
    assert len(scores) == NUMBER
    lost = [score for score in scores if score.R is None]
    # After an empty answer the question goes out in other words: to the server a new one, which may be struck as well.
    assert len(lost) <= (3 * SHARE**2 * NUMBER if fault is Fault.EMPTY else 0)
    assert set(reasons(scores)) <= {Reason.EMPTY}
    struck = server.tally.faults[fault.value]
    assert fault is Fault.DELAY or struck > 0


@pytest.mark.parametrize("fault", FOR_GOOD, ids=str)
def test_a_fault_for_good_is_named_and_the_counts_add_up(fault: Fault, tmp_path: Path) -> None:
    scores, server = run(fault, Lasting.ALWAYS, tmp_path)
    counted = reasons(scores)
    assert set(counted) <= FOR_GOOD[fault]
    assert [score.id for score in scores] == [f"c-{number}" for number in range(NUMBER)]
    assert sum(counted.values()) == sum(score.missing for score in scores)
    assert all((score.R is None) == (score.missing > 0) for score in scores)
    struck = [score for score in scores if score.R is None]
    if FOR_GOOD[fault]:
        assert 0 < len(struck) < NUMBER / 2, "about a fifth of the conversations"
        assert server.tally.faults[fault.value] >= len(struck)
