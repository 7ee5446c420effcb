"""Asking outright, beside the items."""

import asyncio
from pathlib import Path

import pytest

from userside.conversations import read_sample
from userside.llm import Capabilities, Reason, Reply, Request, Run, ScriptedModel, StoredModel, Unscored, read_prompts
from userside.rubrics import Judging, ScoreJob, ask_zero_shots, open_rubric, read_zero_shot, score_run, write_job
from userside.rubrics.scoring import ScoringPlan

CONVERSATIONS = read_sample("everyday")[:4]
JUDGING = Judging(prompts=read_prompts("userside.rubrics"))
PLAN = ScoringPlan(rubric=open_rubric("builtin:booking"), judging=JUDGING)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(text="Y", option_probabilities={"Yes": 0.6, "No": 0.2}), pytest.approx(0.75)),
        (Reply(text="N", option_probabilities={"Yes": 0.1, "No": 0.9}), pytest.approx(0.1)),
        (Reply(text='{"answer": "Yes"}'), 1.0),
        (Reply(text="No."), 0.0),
        (Reply(text="Who knows?"), Reason.UNREADABLE),
    ],
)
def test_an_answer_becomes_a_probability_or_a_reason(reply: Reply, expected: object) -> None:
    probabilities = reply.option_probabilities is not None
    judge = ScriptedModel(lambda _: reply, capabilities=Capabilities(token_probabilities=probabilities))
    answers = asyncio.run(ask_zero_shots(CONVERSATIONS[:1], judge, plan=PLAN))
    [found] = answers.values()
    assert (found.reason if isinstance(found, Unscored) else found) == expected


def test_a_run_that_asks_outright_keeps_the_answers(tmp_path: Path) -> None:
    def answer(request: Request) -> str:
        return '{"answer": "Yes"}' if "satisfied with the assistant?" in request.messages[-1].text else "no table"

    job = ScoreJob(
        conversations=tuple(CONVERSATIONS), inputs={}, source="", rubric=PLAN.rubric, judging=JUDGING, zero_shot=True
    )
    model = ScriptedModel(answer)
    with Run.open(tmp_path / "run", job.plan(model.identity)) as run:
        write_job(run, job, copy=True)
        stored = StoredModel(inner=model, store=run.store)
        asyncio.run(score_run(run, job, stored, at_once=2, on_scored=lambda _: None))
    assert read_zero_shot(tmp_path / "run") == {one.id: 1.0 for one in CONVERSATIONS}
