"""What `userside learn` cannot learn from: one clear message, exit code 2, nothing half-written."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.in_process import run_here
from tests.cli.learning_runs import learn, written
from tests.rubrics.learning.planted import answer, plant
from userside.conversations import Conversation, Feedback, Label
from userside.llm.fake_server import Behaviour, FakeServerThread


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServerThread]:
    with FakeServerThread(answer=answer) as running:
        yield running


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(plant(60), tmp_path_factory.mktemp("chats") / "chats.jsonl")


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
