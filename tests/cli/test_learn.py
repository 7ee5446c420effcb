"""`userside learn`, from labelled conversations to a rubric that scores others."""

import json
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Printed, start_userside
from tests.cli.in_process import run_here
from tests.cli.learner import learner
from tests.cli.test_batch import answer_elsewhere
from tests.rubrics.learning.planted import SIGNS, answer, plant
from userside.conversations import Conversation, Feedback, Label, read_conversations, write_jsonl
from userside.llm.fake_server import Behaviour, FakeServerThread, Fault, Rule

ROOT = Path(__file__).parents[2]
USS = Path(os.environ.get("USERSIDE_USS", ROOT / "../shared/data/uss"))
SMALL = ("--train", "0.5", "--items", "3", "--batch-size", "10", "--embedder", "scripted:words")


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


def written(conversations: Sequence[Conversation], path: Path) -> Path:
    write_jsonl(conversations, path)
    return path


def words(file: Path, server: FakeServerThread, run: Path, *more: str) -> tuple[str | Path, ...]:
    return (file, "--model", "fake", "--base-url", server.base_url, "-o", run, *SMALL, *more)


def learn(file: Path, server: FakeServerThread, run: Path, *more: str) -> Printed:
    return run_here("learn", *words(file, server, run, *more))


def rubric(run: Path) -> dict[str, Any]:
    """Return a rubric without its provenance."""
    return {
        name: value
        for name, value in json.loads((run / "rubric.json").read_text("utf-8")).items()
        if name != "provenance"
    }


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


# Errors: one clear message, exit code 2, nothing half-written


def keep(*letters: str) -> Callable[[list[Conversation]], list[Conversation]]:
    return lambda said: [one for one in said if one.feedback[0].label in {Label(letter) for letter in letters}]


def few(said: list[Conversation]) -> list[Conversation]:
    return [*keep("satisfied")(said), *keep("dissatisfied")(said)[:3]]


def unlabelled(said: list[Conversation]) -> list[Conversation]:
    return [replace(one, feedback=(Feedback(by="rater", rating=4),)) for one in said]


def labelled_twice(said: list[Conversation]) -> list[Conversation]:
    return [replace(one, feedback=(*one.feedback, Feedback(by="rule:thumb", label=Label.SATISFIED))) for one in said]


@pytest.mark.parametrize(
    ("change", "more", "said"),
    [
        (few, (), "there are 30 satisfied and 3 dissatisfied"),
        (keep("satisfied"), (), "there are 30 satisfied and 0 dissatisfied"),
        (unlabelled, (), "none of the conversations carries a label of the whole conversation"),
        (labelled_twice, (), "Name one with --labels"),
        (
            labelled_twice,
            ("--labels", "mood"),
            "no conversation is labelled by 'mood'; there are: label (60), thumb (60)",
        ),
        (labelled_twice, ("--labels", "thumb"), "there are 60 satisfied and 0 dissatisfied"),
        (list, ("--folds", "1"), "--folds: wanted 0, or 2 and more"),
        (list, ("--max-cost", "1"), "--max-cost: the price of"),
        (list, ("--embedder", "nowhere"), "--embedder: wanted PROVIDER:MODEL"),
    ],
)
def test_what_cannot_be_learned_from_is_said_before_anything_is_asked(
    change: Callable[[list[Conversation]], list[Conversation]], more: tuple[str, ...], said: str,
    server: FakeServerThread, tmp_path: Path,
) -> None:  # fmt: skip
    file, before = written(change(plant(60)), tmp_path / "chats.jsonl"), server.tally.requests
    printed = learn(file, server, tmp_path / "run", *more)
    assert (printed.code, printed.out) == (2, "")
    assert said in printed.err
    assert printed.err.count("userside: ") == 1
    assert server.tally.requests == before
    assert not (tmp_path / "run").exists()


def test_where_no_reason_is_found_no_rubric_is_written(chats: Path, tmp_path: Path) -> None:
    with FakeServerThread(answer=lambda _: '{"entries": []}') as silent:
        printed = learn(chats, silent, tmp_path / "run")
    assert (printed.code, printed.out) == (2, "")
    assert "none of the 15 conversations gave one: 15 have none by the extractor" in printed.err
    assert "--extractor" in printed.err
    assert not (tmp_path / "run" / "rubric.json").exists()


def test_where_nobody_is_let_in_no_folder_is_left(chats: Path, tmp_path: Path) -> None:
    with FakeServerThread(Behaviour(key="right")) as closed:
        printed = learn(chats, closed, tmp_path / "run")
    assert (printed.code, printed.out) == (2, "")
    assert not (tmp_path / "run").exists()


def test_other_work_in_the_folder_is_refused(learned: Path, server: FakeServerThread, chats: Path) -> None:
    before = (learned / "rubric.json").read_bytes()
    printed = learn(chats, server, learned, "--seed", "1")
    assert printed.code == 2
    assert "settings.seed was 0 and is now 1" in printed.err
    assert (learned / "rubric.json").read_bytes() == before


RATINGS = "id,question,answer,rating\n" + "".join(f"r{n},Hello there.,Hi.,{n % 10 + 1}\n" for n in range(60))


@pytest.mark.parametrize(
    ("scale", "at_import", "said", "remedy"),
    [
        ((), "", "; there are 60 ratings on a scale that is not said", "--labels rating --scale LOW-HIGH"),
        (("--scale", "20-30"), "ratings that are no number on their scale: left out: 60", "", "--labels RULE"),
    ],
)
def test_ratings_on_another_scale_are_said_to_be(
    scale: tuple[str, ...], at_import: str, said: str, remedy: str, server: FakeServerThread, tmp_path: Path
) -> None:
    source, out = tmp_path / "ratings.csv", tmp_path / "ratings.jsonl"
    source.write_text(RATINGS, "utf-8")
    imported = run_here("import", source, "--labels", "rating", *scale, "-o", out)
    assert at_import in imported.err
    assert "labels by" not in imported.out
    refused = learn(out, server, tmp_path / "run")
    assert (refused.code, refused.out) == (2, "")
    assert f"none of the conversations carries a label of the whole conversation{said}\n" in refused.err
    assert remedy in refused.err
    assert not (tmp_path / "run").exists()


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


@pytest.mark.parametrize("command", ["evaluate", "report"])
def test_a_learning_run_has_no_scores_to_evaluate(command: str, learned: Path) -> None:
    printed = run_here(command, learned)
    assert (printed.code, printed.out) == (2, "")
    assert "userside score" in printed.err
    assert not (learned / "evaluation.json").exists()


@pytest.mark.skipif(not USS.is_dir(), reason="USS is not here (USERSIDE_USS)")
@pytest.mark.parametrize("name", ["MWOZ", "SGD", "ReDial"])
def test_real_dialogues_from_ratings_to_an_evaluation(name: str, tmp_path: Path) -> None:
    labelled, run, scores = tmp_path / f"{name}.jsonl", tmp_path / "rubric", tmp_path / "scores"
    assert run_here("import", USS / f"{name}.txt", "--labels", "uss", "-o", labelled).code == 0
    with FakeServerThread(answer=learner) as endpoint:
        model = ("--model", "fake", "--base-url", endpoint.base_url)
        printed = run_here("learn", labelled, *model, "--labels", "uss", "--train", "0.05", "--items", "3",
                           "--folds", "2", "--embedder", "scripted:words", "-o", run)  # fmt: skip
        assert printed.code == 0, printed.err
        trained = set(rubric(run)["training_ids"])
        assert 45 <= len(trained) <= 60
        all_of_them = read_conversations(labelled).conversations()
        seen = [one for one in all_of_them if one.id in trained][:12]
        new = [one for one in all_of_them if one.id not in trained][:48]
        part = written([*seen, *new], tmp_path / "part.jsonl")
        scored = run_here("score", part, "--rubric", run, *model, "--labels", "uss", "-o", scores)
        assert scored.code == 0, scored.err
    evaluated = run_here("evaluate", scores, "--labels", "uss", "--json")
    assert evaluated.code in {0, 1}, evaluated.err
    found = json.loads(evaluated.out)
    assert found["coverage"]["training"] == 12
    quotes_stand_before_the_cut(run, {one.id: one for one in all_of_them})


def quotes_stand_before_the_cut(run: Path, by_id: dict[str, Conversation]) -> None:
    quotes: list[dict[str, Any]] = [words for item in rubric(run)["items"] for words in item["evidence"]]
    assert len(quotes) > 30
    for quote in quotes:
        conversation = by_id[quote["id"]]
        until = next(entry.until for entry in conversation.feedback if entry.by == "rule:uss")
        assert until is None or quote["turn"] < until
        assert conversation.turns[int(quote["turn"])].text.startswith(quote["quote"][:20].strip())
