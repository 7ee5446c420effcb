"""`userside learn`, from labelled conversations to a rubric that scores others."""

import json
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.commands import start_userside
from tests.cli.in_process import run_here
from tests.cli.learning_runs import learn, rubric, words, written
from tests.cli.test_batch import answer_elsewhere
from tests.rubrics.learning.planted import SIGNS, answer, plant
from userside.llm.fake_server import Behaviour, FakeServerThread, Fault, Rule


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServerThread]:
    with FakeServerThread(answer=answer) as running:
        yield running


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(plant(60), tmp_path_factory.mktemp("chats") / "chats.jsonl")


@pytest.fixture(scope="module")
def learned(server: FakeServerThread, chats: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a live run."""
    run = tmp_path_factory.mktemp("live") / "run"
    printed = learn(chats, server, run)
    assert printed.code == 0, printed.err
    return run


def test_the_rubric_is_printed_with_its_words_and_where_it_lies(
    server: FakeServerThread, chats: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    printed = learn(chats, server, run)
    assert printed.code == 0, printed.err
    assert "Learned from 30 of 60 labelled conversations (15 satisfied, 15 dissatisfied)." in printed.out
    for told in SIGNS.values():
        assert told in printed.out
    assert "“Well, forget it," in printed.out
    assert f"The rubric: {run / 'rubric.json'}" in printed.out
    assert "Traceback" not in printed.err


def test_two_runs_write_the_same_bytes_provenance_apart(
    learned: Path, server: FakeServerThread, chats: Path, tmp_path: Path
) -> None:
    printed = learn(chats, server, tmp_path / "again", "--concurrency", "2", "--json")
    told = json.loads(printed.out)
    assert (told["stage"], told["waits_for"], told["cuts"]) == ("done", None, True)
    assert told["items"] == {"satisfied": 3, "dissatisfied": 3}
    texts = [
        (run / "rubric.json").read_text("utf-8").partition('"provenance"')[0] for run in (learned, tmp_path / "again")
    ]
    assert texts[0] == texts[1]
    assert texts[0].count('"quote"') > 15


def test_a_batch_in_rounds_gives_the_rubric_of_the_live_run(
    learned: Path, server: FakeServerThread, chats: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    started = run_here("batch", "start", "learn", *words(chats, server, run), "--json")
    assert json.loads(started.out)["pending"] == 30, started.err
    rounds = batch_rounds(run, server, tmp_path)
    assert len(rounds) >= 5  # reasons, two batches a side, the folds' too, scores
    assert rounds[0] == 30
    assert rubric(run) == rubric(learned)
    for name in ("extractions.jsonl", "training-scores.jsonl", "input.jsonl"):
        assert (run / name).read_bytes() == (learned / name).read_bytes()


def batch_rounds(run: Path, server: FakeServerThread, folder: Path) -> list[int]:
    """Have all that waits answered elsewhere, round after round; return how many answers each took."""
    answered: list[int] = []
    requests, responses = folder / "requests.jsonl", folder / "responses.jsonl"
    while len(answered) < 20:
        assert run_here("batch", "export", run, "-o", requests).code == 0
        answered.append(answer_elsewhere(requests, responses, server.base_url))
        done = run_here("batch", "import", run, responses, "--json")
        if done.code == 0:
            return answered
        assert done.code == 1, done.err
    raise AssertionError(answered)


def test_vectors_of_an_endpoint_are_answered_elsewhere_too(
    server: FakeServerThread, chats: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    by_endpoint = ("--embedder", "openai:vectors", "--folds", "0")
    os.environ["USERSIDE_EMBEDDER_BASE_URL"] = server.base_url
    try:
        started = run_here("batch", "start", "learn", *words(chats, server, run, *by_endpoint))
    finally:
        del os.environ["USERSIDE_EMBEDDER_BASE_URL"]
    assert started.code == 0, started.err
    assert batch_rounds(run, server, tmp_path)[-1] == 30
    assert json.loads((run / "rubric.json").read_text("utf-8"))["provenance"]["models"]["embedder"].endswith(
        server.base_url
    )
    assert sum(len(item["evidence"]) for item in rubric(run)["items"]) > 15


def test_awkward_answers_come_to_a_rubric_too(chats: Path, tmp_path: Path) -> None:
    rules = (
        Rule(fault=Fault.PROSE, share=0.3),
        Rule(fault=Fault.TRUNCATED, share=0.2),
        Rule(fault=Fault.THINKING, share=0.2),
    )
    with FakeServerThread(Behaviour(rules=rules, seed=3), answer=answer) as awkward:
        printed = learn(chats, awkward, tmp_path / "run", "--json")
    assert printed.code == 0, printed.err
    assert json.loads(printed.out)["stage"] == "done"


def test_a_killed_run_goes_on_and_asks_nothing_twice(learned: Path, chats: Path, tmp_path: Path) -> None:
    run, under_way = tmp_path / "run", 4
    with FakeServerThread(Behaviour(delay=0.05), answer=answer) as slow:
        process = start_userside("learn", *words(chats, slow, run, "--concurrency", str(under_way)))
        until = random.Random(5).randrange(34, 60)
        while slow.tally.requests < until and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        assert process.returncode < 0
        served = Counter(slow.tally.served)
        printed = learn(chats, slow, run, "--concurrency", str(under_way))
        assert printed.code == 0, printed.err
        assert sum((slow.tally.served - served).values()) > 0
        twice = [key for key, times in slow.tally.served.items() if times > 1]
        assert len(twice) <= under_way
    assert rubric(run)["items"] == rubric(learned)["items"]


def test_a_limit_stops_in_every_stage_and_a_higher_one_goes_on(
    learned: Path, server: FakeServerThread, chats: Path, tmp_path: Path
) -> None:
    run, before = tmp_path / "run", Counter(server.tally.served)
    stages: list[str] = []
    for allowed in ("10", "31", "40", "60", "200"):
        printed = learn(chats, server, run, "--max-calls", allowed, "--json")
        told = json.loads(printed.out)
        stages.append(told["stage"])
        assert (printed.code, told["waits_for"]) == ((0, None) if allowed == "200" else (1, "budget"))
        assert sum((server.tally.served - before).values()) <= int(allowed)
        assert (run / "rubric.json").exists() == (allowed == "200")
    assert stages == [
        "extract",
        "summarize",
        "score the training conversations",
        "score the training conversations",
        "done",
    ]
    assert (server.tally.served - before).most_common(1)[0][1] == 1
    assert rubric(run) == rubric(learned)
    printed = learn(chats, server, tmp_path / "other", "--max-calls", "10")
    assert "with a higher --max-calls" in printed.err


def test_an_estimate_asks_and_writes_nothing(server: FakeServerThread, chats: Path, tmp_path: Path) -> None:
    before = server.tally.requests
    told = json.loads(learn(chats, server, tmp_path / "run", "--dry-run", "--json").out)
    assert told["training_conversations"] == 30
    assert (told["extract"]["calls"], told["score"]["calls"]) == (30, 30)
    assert told["summarize"]["calls"] >= 10
    assert told["extract"]["cost"] is None
    assert "price unknown" in learn(chats, server, tmp_path / "run", "--dry-run").out
    assert server.tally.requests == before
    assert not (tmp_path / "run").exists()


def test_forgetting_leaves_no_trace_in_a_learning_run(
    learned: Path, server: FakeServerThread, chats: Path, tmp_path: Path
) -> None:
    run = shutil.copytree(learned, tmp_path / "run")
    gone = rubric(run)["items"][0]["evidence"][0]["id"]
    assert f'"{gone}"'.encode() in (run / "rubric.json").read_bytes()
    printed = run_here("forget", run, gone, "--json")
    assert printed.code == 0, printed.err
    assert json.loads(printed.out)["answers"] >= 3  # its reasons, its score, the summaries it helped to make
    for path in (path for path in run.rglob("*") if path.is_file()):
        assert f'"{gone}"'.encode() not in path.read_bytes(), path
    again = learn(chats, server, run)
    assert again.code == 0, again.err
    assert gone not in (run / "rubric.json").read_text("utf-8")
    assert len(rubric(run)["training_ids"]) == 29


def test_a_contributor_is_forgotten_without_a_copy_too(server: FakeServerThread, tmp_path: Path) -> None:
    people = [replace(one, contributor=f"person-{place // 3:02}") for place, one in enumerate(plant(60))]
    file, run = written(people, tmp_path / "chats.jsonl"), tmp_path / "run"
    assert learn(file, server, run, "--no-copy", "--folds", "0").code == 0
    quoted = rubric(run)["items"][0]["evidence"][0]["id"]
    person = next(one.contributor for one in people if one.id == quoted) or ""
    assert run_here("forget", run, person).code == 0
    for path in (path for path in run.rglob("*") if path.is_file()):
        assert f'"{quoted}"'.encode() not in path.read_bytes(), path
    file.unlink()
    assert "Neither a copy" in run_here("forget", run, "person-19").err


def test_other_work_in_the_folder_is_refused(learned: Path, server: FakeServerThread, chats: Path) -> None:
    before = (learned / "rubric.json").read_bytes()
    printed = learn(chats, server, learned, "--seed", "1")
    assert printed.code == 2
    assert "settings.seed was 0 and is now 1" in printed.err
    assert (learned / "rubric.json").read_bytes() == before


# What a rubric is for


def test_cuts_of_one_judge_are_not_used_for_another(
    learned: Path, server: FakeServerThread, chats: Path, tmp_path: Path
) -> None:
    own = ("score", chats, "--rubric", learned, "--base-url", server.base_url, "--json")
    same = json.loads(run_here(*own, "--model", "fake", "-o", tmp_path / "same").out)
    assert (same["scored"], same["without_cuts"]) == (60, 0)
    other = run_here(*own[:-1], "--model", "other", "-o", tmp_path / "other")
    assert other.code == 0, other.err
    assert "60 conversations have R, and no label follows from it: the cuts at hand are for openai:fake@" in other.err
    assert "and the judge was openai:other@" in other.err
    assert "evaluate RUN --fit-cuts" in other.err
    labels = [
        json.loads(line)["label"] for line in (tmp_path / "other" / "scores.jsonl").read_text("utf-8").splitlines()
    ]
    assert set(labels) == {None}


def test_training_conversations_never_enter_the_evaluation(
    learned: Path, server: FakeServerThread, chats: Path, tmp_path: Path
) -> None:
    run = tmp_path / "scores"
    scored = run_here("score", chats, "--rubric", learned, "--model", "fake", "--base-url", server.base_url, "-o", run)
    assert scored.code == 0, scored.err
    printed = run_here("evaluate", run, "--json")
    assert printed.code == 0, printed.err
    found = json.loads(printed.out)
    assert found["coverage"]["training"] == 30
    assert found["coverage"]["evaluated"] == {"satisfied": 15, "dissatisfied": 15, "neutral": 0}
    assert found["ranking"]["auc"]["estimate"] > 0.8
    assert "30" in run_here("evaluate", run).out


def test_a_learning_run_has_no_scores_to_evaluate(learned: Path) -> None:
    printed = run_here("evaluate", learned)
    assert (printed.code, printed.out) == (2, "")
    assert "userside score" in printed.err
    assert not (learned / "evaluation.json").exists()
