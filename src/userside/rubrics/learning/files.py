"""`RUN/extractions.jsonl`: what each training conversation gave, one a line."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from userside.errors import FormatError
from userside.llm import write_atomically
from userside.rubrics.learning.patterns import Extraction

EXTRACTIONS = "extractions.jsonl"

_EXTRACTIONS = TypeAdapter(Extraction)


def write_extractions(extractions: Iterable[Extraction], path: Path) -> None:
    """Write what each conversation gave, whole or not at all; fields at their defaults are left out."""
    rows: list[dict[str, Any]] = [
        _EXTRACTIONS.dump_python(one, mode="json", exclude_defaults=True) for one in extractions
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomically(path, lines.encode("utf-8", "replace").decode())


def read_extractions(path: Path) -> Sequence[Extraction]:
    """Return what each conversation gave.

    Raises:
        FormatError: A line is no such row, or there is no such file.
    """
    try:
        # Not `splitlines`: it breaks at characters that stand in quotes as they are too, such as U+2028.
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise FormatError(f"{path}: wanted what a run of `learn` extracted, and there is none") from None
    found: list[Extraction] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            found.append(_EXTRACTIONS.validate_json(line))
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            raise FormatError(f"{path}:{number}: {fault['msg']}, not {fault['input']!r:.80}") from None
    return found
