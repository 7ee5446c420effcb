"""Cuts of one judge are refused for another, and it is said whose they are and what to do."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.rubrics.scored import JUDGE, labels_of, rubric, score, scored
from userside import score as score_conversations
from userside.conversations import Label, read_sample
from userside.llm import Elicited, Reason, ScriptedModel, Unscored
from userside.rubrics import (
    ConversationScore,
    Cuts,
    EvaluationSettings,
    evaluate,
    open_rubric,
    read_report_inputs,
    refuse_cuts,
    render_evaluation,
    render_report,
    run_cut_refusal,
    write_rubric,
    write_scores,
)

WORDING = "0123456789abcdef"
FITTED = Cuts(judge="openai:large", elicited=Elicited.SCHEMA, prompts=WORDING, calibrated=True)


@pytest.mark.parametrize(
    ("cuts", "said"),
    [
        ((), "the rubric has no cuts, and the judge was scripted:judge, asked by text."),
        ((Cuts(judge="openai:large"),), "for openai:large, and the judge was scripted:judge, asked by text."),
        ((Cuts(judge=JUDGE, elicited=Elicited.TOKENS),), "for scripted:judge, asked by tokens, and the judge was"),
        ((Cuts(judge=JUDGE, prompts="ffffffffffff"),), "for scripted:judge (wording ffffffff), and the judge was"),
        ((Cuts(judge=JUDGE, prompts="ffffffffffff"),), "asked by text (wording 01234567)."),
        ((FITTED, Cuts(judge="local:x")), "for openai:large, asked by schema (wording 01234567) and for local:x, and"),
    ],
)
def test_whose_cuts_there_are_and_which_judge_it_was_is_said(cuts: tuple[Cuts, ...], said: str) -> None:
    refused = refuse_cuts(scored(1, -1, Reason.EMPTY), cuts, prompts=WORDING)
    assert refused is not None
    assert refused.n == 2
    assert said in refused.text
    assert refused.text.startswith("2 conversations have R, and no label follows")
    assert "`userside evaluate RUN --fit-cuts`" in refused.text


@pytest.mark.parametrize(
    "cuts",
    [Cuts(), Cuts(judge=JUDGE), Cuts(judge=JUDGE, elicited=Elicited.TEXT, prompts=WORDING)],
)
def test_cuts_that_hold_are_not_refused(cuts: Cuts) -> None:
    assert refuse_cuts(scored(1, -1), (cuts,), prompts=WORDING) is None
    assert refuse_cuts([], (), prompts=WORDING) is None


def test_only_those_asked_in_another_way_are_counted() -> None:
    scores = [*scored(1, -1), score("c2", 3, elicited=Elicited.SCHEMA)]
    refused = refuse_cuts(scores, (Cuts(elicited=Elicited.TEXT),), prompts=WORDING)
    assert refused is not None
    assert (refused.n, refused.asked) == (1, ((JUDGE, "schema"),))
    assert refused.text.startswith("1 conversation has R")


def test_a_judges_name_cannot_drive_the_terminal() -> None:
    refused = refuse_cuts(scored(1), (Cuts(judge="evil\x1b[2J"),), prompts=WORDING)
    assert refused is not None
    assert "\x1b" not in refused.text


def test_an_evaluation_refuses_them_too_in_whole_or_in_part() -> None:
    settings = EvaluationSettings(replicates=20, prompts=WORDING)
    labels = labels_of("sds")
    whole = evaluate(
        scored(1, -1, 2), labels, rubric=rubric(cuts=[FITTED]), generator=np.random.default_rng(0), settings=settings
    )
    assert whole.tables is None
    assert whole.cuts_refused is not None
    assert whole.cuts_refused.n == 3
    assert "openai:large" in whole.gaps[0]
    part = evaluate(
        [*scored(1, -1), score("c2", 3, elicited=Elicited.SCHEMA)], labels,
        rubric=rubric(cuts=[Cuts(judge=JUDGE, elicited=Elicited.TEXT)]), generator=np.random.default_rng(0),
        settings=settings,
    )  # fmt: skip
    assert part.tables is not None
    assert part.tables.three.figures.n == 2
    assert part.cuts_refused is not None
    assert part.cuts_refused.n == 1
    assert "1 conversation has R, and no label follows" in " ".join(render_evaluation(part).split())


def refused_run(folder: Path) -> tuple[Path, tuple[ConversationScore, ...]]:
    """Return a run whose rubric has cuts for another judge, and its scores."""
    chosen = replace(open_rubric("builtin:general"), cuts=(FITTED,))
    path = folder / "rubric.json"
    write_rubric(chosen, path)
    silent = ScriptedModel(lambda _: "no")
    scores = score_conversations(
        read_sample("everyday")[:6], rubric=open_rubric(str(path)), model=silent, folder=folder / "run"
    )
    put = tuple(replace(one, R=float(place - 3)) for place, one in enumerate(scores))
    write_scores(put, folder / "run" / "scores.jsonl")
    return folder / "run", put


def test_a_run_says_so_and_its_report_does(tmp_path: Path) -> None:
    run, scores = refused_run(tmp_path)
    assert all(one.label is None for one in scores)
    refused = run_cut_refusal(run, scores)
    assert refused is not None
    assert (refused.n, refused.cuts) == (6, (FITTED,))
    html = render_report(read_report_inputs(run))
    assert "R without labels" in html
    assert "openai:large" in html


def test_what_has_no_r_or_has_a_label_is_no_refusal(tmp_path: Path) -> None:
    run, scores = refused_run(tmp_path)
    labelled = [replace(one, label=Label.NEUTRAL) for one in scores]
    assert run_cut_refusal(run, labelled) is None
    missing = {"thanks": Unscored(reason=Reason.EMPTY)}
    assert run_cut_refusal(run, [replace(one, R=None, items=missing) for one in scores]) is None
