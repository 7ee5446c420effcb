"""What a judge said outright is kept beside the scores, with what it did not say."""

from pathlib import Path

import pytest

from userside.errors import FormatError
from userside.llm import Reason, Unscored
from userside.rubrics import read_zero_shot, write_zero_shot


def test_answers_are_read_as_they_were_written(tmp_path: Path) -> None:
    answers = {
        "a": 0.25,
        "b": Unscored(reason=Reason.REFUSED),
        "ç\n\u2028": 1.0,
        "d": Unscored(reason=Reason.EMPTY, detail="x"),
    }
    write_zero_shot(answers, tmp_path)
    assert read_zero_shot(tmp_path) == answers


def test_a_run_that_did_not_ask_has_none(tmp_path: Path) -> None:
    assert read_zero_shot(tmp_path) is None


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{", '{"id": "a"}', '{"id": "a", "probability": 2}', '{"id": "a", "probability": NaN}',
     '{"id": "a", "unscored": "no such reason"}', '{"probability": 0.5}'],
)  # fmt: skip
def test_what_cannot_be_read_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "zero_shot.jsonl").write_text('{"id": "z", "probability": 0.5}\n' + line + "\n", "utf-8")
    with pytest.raises(FormatError, match=r"zero_shot\.jsonl:2: wanted"):
        read_zero_shot(tmp_path)
