"""`RUN/zero_shot.jsonl`: what the judge said outright of each conversation, beside the run's scores.

::

    {"id": "mwoz-17", "probability": 0.83}
    {"id": "mwoz-18", "unscored": "refused"}
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from userside.errors import FormatError
from userside.llm import Reason, Unscored, write_atomically

ZERO_SHOT = "zero_shot.jsonl"


def write_zero_shot(answers: Mapping[str, float | Unscored], folder: Path) -> Path:
    """Return the file that the answers by conversation id were written to, whole or not at all."""
    path = folder / ZERO_SHOT
    rows = ({"id": id_} | _row(answer) for id_, answer in answers.items())
    write_atomically(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    return path


def _row(answer: float | Unscored) -> dict[str, Any]:
    if isinstance(answer, Unscored):
        return {"unscored": answer.reason.value} | ({"detail": answer.detail} if answer.detail else {})
    return {"probability": round(answer, 6)}


def read_zero_shot(folder: Path) -> dict[str, float | Unscored] | None:
    """Return P(satisfied), or why there is none, by conversation id; None where the run did not ask.

    Raises:
        FormatError: A line cannot be read.
    """
    path = folder / ZERO_SHOT
    if not path.exists():
        return None
    # Not `splitlines`: an id may hold what Unicode calls a line's end.
    lines = enumerate(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"), start=1)
    return dict(_read_row(line, where=f"{path}:{number}") for number, line in lines)


def _read_row(line: str, *, where: str) -> tuple[str, float | Unscored]:
    try:
        row = json.loads(line)
        identity = str(row["id"])
        if "unscored" in row:
            return identity, Unscored(reason=Reason(row["unscored"]), detail=str(row.get("detail", "")))
        probability = float(row["probability"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{where}: wanted a zero-shot answer, and it cannot be read ({error})") from None
    if not 0 <= probability <= 1:
        raise FormatError(f"{where}: wanted a probability from 0 to 1, not {probability!r}")
    return identity, probability
