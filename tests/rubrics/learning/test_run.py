"""A learning run's folder: what is in it, going on with it, and forgetting."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rubrics.learning.planted import plant, reply
from userside.conversations import Conversation, Feedback, Turn, write_jsonl
from userside.errors import InputError, LabelError, RubricError, RunError
from userside.llm import (
    HashingEmbeddingModel,
    Reason,
    Run,
    RunState,
    ScriptedModel,
    StoredEmbedder,
    StoredModel,
    file_sha256,
    forget,
    read_run,
)
from userside.rubrics import (
    Extraction,
    Learned,
    LearningModels,
    LearnJob,
    LearnSettings,
    Side,
    learn_run,
    make_job,
    open_rubric,
    read_extractions,
    read_learn_job,
    with_learn_retry,
    write_learn_job,
)
from userside.rubrics.learning import write_extractions

SETTINGS = LearnSettings(share=0.5, items=3, batch_size=10, folds=0)
MODELS = {"extractor": "scripted:scripted", "judge": "scripted:scripted", "embedder": "scripted:words"}
REFUSAL = "I'm sorry, but I can't help with that."


def chats() -> list[Conversation]:
    """Return conversations of twenty people, each of whom adds a word that nobody else says."""
    said = plant(60)
    return [
        replace(one, contributor=f"person-{place % 20:02}", turns=_signed(one, place)) for place, one in enumerate(said)
    ]


def _signed(one: Conversation, place: int) -> tuple[Turn, ...]:
    return tuple(replace(turn, text=turn.text.replace("Well,", f"Well by word{place:02}word,")) for turn in one.turns)


def job_of(
    file: Path, settings: LearnSettings = SETTINGS, conversations: Sequence[Conversation] | None = None
) -> LearnJob:
    conversations = chats() if conversations is None else conversations
    write_jsonl(conversations, file)
    return make_job(conversations, settings, inputs={file.name: file_sha256(file)}, source=str(file))


def work(job: LearnJob, folder: Path, model: ScriptedModel | None = None, *, copy: bool = True) -> Learned:
    with Run.open(folder, job.plan(MODELS)) as run:
        write_learn_job(run, job, copy=copy)
        asked = StoredModel(inner=model or ScriptedModel(reply), store=run.store)
        embedder = StoredEmbedder(HashingEmbeddingModel(name="words"), run.store, runs_here=True)
        return asyncio.run(learn_run(run, job, LearningModels(extractor=asked, judge=asked, embedder=embedder)))


def test_a_run_holds_what_came_of_it_and_a_second_time_asks_nothing(tmp_path: Path) -> None:
    job, run = job_of(tmp_path / "chats.jsonl"), tmp_path / "run"
    learned = work(job, run)
    first = {path.name: path.read_bytes() for path in run.glob("*.json*") if path.name != "run.json"}
    assert set(first) == {"rubric.json", "extractions.jsonl", "training-scores.jsonl", "input.jsonl"}
    assert tuple(read_extractions(run / "extractions.jsonl")) == learned.extractions
    assert open_rubric(str(run)) == learned.rubric
    assert read_run(run).state is RunState.COMPLETE
    again = ScriptedModel([])
    assert work(job, run, again) == learned
    assert again.asked == []
    assert {path.name: path.read_bytes() for path in run.glob("*.json*") if path.name != "run.json"} == first


@pytest.mark.parametrize("copy", [True, False])
def test_a_run_is_read_back_as_it_was_made(tmp_path: Path, copy: bool) -> None:
    job, run = job_of(tmp_path / "chats.jsonl"), tmp_path / "run"
    work(job, run, copy=copy)
    read = read_learn_job(run)
    assert (run / "input.jsonl").exists() == copy
    assert (read.sample.ids, read.sample.labels) == (job.sample.ids, job.sample.labels)
    assert (read.sample.available, read.sample.raised) == (job.sample.available, job.sample.raised)
    assert read.plan(MODELS) == job.plan(MODELS)


def test_without_a_copy_the_file_must_be_the_same(tmp_path: Path) -> None:
    file, run = tmp_path / "chats.jsonl", tmp_path / "run"
    work(job_of(file), run, copy=False)
    write_jsonl(chats()[:50], file)
    with pytest.raises(RunError, match="has changed"):
        read_learn_job(run)
    file.unlink()
    with pytest.raises(RunError, match="neither a copy nor"):
        read_learn_job(run)


def test_a_scoring_run_is_no_learning_run(tmp_path: Path) -> None:
    job = job_of(tmp_path / "chats.jsonl")
    with Run.open(tmp_path / "run", replace(job.plan(MODELS), command="score")):
        pass
    with pytest.raises(RunError, match="wanted a run of `learn`, and it is one of `score`"):
        read_learn_job(tmp_path / "run")


def test_whoever_is_forgotten_leaves_no_trace_and_does_not_come_back(tmp_path: Path) -> None:
    job, run = job_of(tmp_path / "chats.jsonl"), tmp_path / "run"
    learned = work(job, run)
    quoted = next(evidence.id for item in learned.rubric.items for evidence in item.evidence) if learned.rubric else ""
    person = next(one.contributor for one in job.sample.conversations if one.id == quoted) or ""
    theirs = [one.id for one in job.sample.conversations if one.contributor == person]
    words = [f"word{int(one[1:]):02}word".encode() for one in theirs]
    assert any(words[0] in path.read_bytes() for path in run.rglob("*") if path.is_file())
    with Run.resume(run) as opened:
        gone = forget(opened, [person])
    assert gone.answers > 0
    for path in (path for path in run.rglob("*") if path.is_file()):
        held = path.read_bytes()
        assert not [
            word for word in [*words, person.encode(), *(f'"{one}"'.encode() for one in theirs)] if word in held
        ], path
    model = ScriptedModel(reply)
    after = work(job, run, model)
    assert after.rubric is not None
    assert set(after.rubric.training_ids) == set(job.sample.ids) - set(theirs)
    assert not any(set(theirs) & one.subjects for one in model.asked)
    assert not any(word in path.read_bytes() for path in run.rglob("*") if path.is_file() for word in words)


@pytest.mark.parametrize("said", ["a\u2028b", "a\x85b", "a\x0cb", "\ud83d", "「谢谢」", "\u202eabc"])
def test_every_character_of_an_extraction_survives_its_file(said: str, tmp_path: Path) -> None:
    path = tmp_path / "extractions.jsonl"
    rows = [Extraction(id=f"c{n}", side=Side.SATISFIED, reason=Reason.REFUSED, detail=said) for n in range(2)]
    write_extractions(rows, path)
    whole = said.encode("utf-8", "replace").decode()
    assert [one.detail for one in read_extractions(path)] == [whole, whole]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"share": float("nan")}, "--train: wanted a part of the whole"),
        ({"share": 1.5}, "--train"),
        ({"folds": 1}, "--folds: wanted 0, or 2 and more, not 1"),
        ({"least": 40}, "wanted 40 satisfied and 40 dissatisfied"),
        ({"labels": "thumb"}, "no conversation is labelled by 'thumb'; there are: label"),
    ],
)
def test_settings_that_cannot_be_are_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        make_job(chats(), replace(SETTINGS, **change), inputs={}, source="chats")


def test_labels_are_known_by_one_name() -> None:
    derived = [replace(one, feedback=(Feedback(by="rule:uss", label=one.feedback[0].label),)) for one in chats()]
    names = ("", "uss", "rule:uss")
    jobs = [make_job(derived, replace(SETTINGS, labels=name), inputs={}, source="chats") for name in names]
    assert {job.settings.labels for job in jobs} == {"uss"}
    two = [replace(one, feedback=(*one.feedback, *chats()[0].feedback)) for one in derived]
    with pytest.raises(LabelError, match=r"several labels: label .60., uss .60."):
        make_job(two, SETTINGS, inputs={}, source="chats")


def test_a_summary_that_was_refused_can_be_asked_for_anew(tmp_path: Path) -> None:
    job, run = job_of(tmp_path / "chats.jsonl"), tmp_path / "run"
    stubborn = ScriptedModel(lambda one: REFUSAL if "Rubric so far" in one.messages[-1].text else reply(one))
    with pytest.raises(RubricError, match="could not be summarized: refused") as failed:
        work(job, run, stubborn)
    assert "--retry-unscored" in failed.value.__notes__[0]
    assert not (run / "rubric.json").exists()
    assert len(read_extractions(run / "extractions.jsonl")) == len(job.sample.ids)
    assert read_run(run).state is RunState.PARTIAL
    with pytest.raises(RubricError):
        work(job, run, ScriptedModel([]))
    anew = ScriptedModel(reply)
    assert work(with_learn_retry(job, 1), run, anew).rubric is not None
    assert {one.retry for one in anew.asked if "(none yet)" in one.messages[-1].text} == {1}


def test_provenance_says_where_a_rubric_is_from(tmp_path: Path) -> None:
    job, run = job_of(tmp_path / "chats.jsonl"), tmp_path / "run"
    work(job, run)
    told = json.loads((run / "rubric.json").read_text("utf-8"))["provenance"]
    assert told["models"] == MODELS
    assert told["learned_from"]["source"] == "chats.jsonl"
    assert told["learned_from"]["taken"]["satisfied"] + told["learned_from"]["taken"]["dissatisfied"] == len(
        job.sample.ids
    )
    assert (told["cuts"]["optimistic"], told["cuts"]["how"]) == (
        True,
        "the training conversations scored with the rubric itself",
    )
