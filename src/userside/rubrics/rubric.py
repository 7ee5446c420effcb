"""A rubric: named patterns of what users say and do when they are satisfied, or not (SPUR, section 3.2)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from userside.errors import RubricError
from userside.llm import Elicited, write_atomically
from userside.statistics import LogisticCalibration


class Side(StrEnum):
    """Which way an item counts."""

    SATISFIED = "satisfied"
    DISSATISFIED = "dissatisfied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A user's own words that stand behind an item."""

    id: str
    turn: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricItem:
    """One pattern.

    Attributes:
        name: Short, in lower case with underscores; the key of its scores.
        description: One sentence, in the third person, that is true or false of a conversation.
        side: Whether it speaks for or against the user's satisfaction.
        evidence: Where it was learned from; empty for a written rubric.
    """

    name: str
    description: str
    side: Side
    evidence: tuple[Evidence, ...] = ()

    @property
    def title(self) -> str:
        """Return the name as a reader would write it."""
        return self.name.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Where R turns into a label; valid for one judge, asked in one way with one wording.

    A conversation with R > `satisfied_above` is satisfied, with R < `dissatisfied_below` dissatisfied, else neutral.
    The paper leaves these open.

    Attributes:
        judge: The judge's identity, or None for any (the stated defaults of a built-in rubric).
        elicited: How it was asked, or None for any.
        prompts: Fingerprint of the wording, or None for any.
        calibrated: Whether the values were fitted to labels; else the report says *uncalibrated*.
        calibration: From R to the probability that the user is satisfied, or None where none was fitted.
    """

    dissatisfied_below: float = 0.0
    satisfied_above: float = 0.0
    judge: str | None = None
    elicited: Elicited | None = None
    prompts: str | None = None
    calibrated: bool = False
    calibration: LogisticCalibration | None = None

    def holds_for(self, *, judge: str, elicited: Elicited, prompts: str) -> bool:
        """Tell whether the cuts may be used with this judge, elicitation and wording."""
        return self.judge in {None, judge} and self.elicited in {None, elicited} and self.prompts in {None, prompts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """Items of both sides, where R turns into a label, and where all this comes from."""

    format: Literal[1] = 1
    name: str
    items: tuple[RubricItem, ...]
    cuts: tuple[Cuts, ...] = ()
    training_ids: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def side(self, side: Side) -> tuple[RubricItem, ...]:
        """Return the items of one side, in order."""
        return tuple(item for item in self.items if item.side is side)

    def cuts_for(self, *, judge: str, elicited: Elicited, prompts: str) -> Cuts | None:
        """Return the cuts for a judge, elicitation and wording; the most particular first; None when none hold."""
        held = [cuts for cuts in self.cuts if cuts.holds_for(judge=judge, elicited=elicited, prompts=prompts)]
        return min(held, key=lambda cuts: cuts.judge is None, default=None)


_RUBRICS = TypeAdapter(Rubric)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


def builtin_names() -> tuple[str, ...]:
    """Return the names of the rubrics that ship, sorted.

    >>> builtin_names()
    ('booking', 'general')
    """
    folder = resources.files("userside.rubrics") / "builtin"
    return tuple(sorted(path.name.removesuffix(".json") for path in folder.iterdir() if path.name.endswith(".json")))


def open_rubric(name: str) -> Rubric:
    """Return the rubric that a user names: `builtin:NAME`, a rubric.json, or the folder of a `learn` run.

    Raises:
        RubricError: There is none, or it cannot be used as written.
    """
    if name.startswith("builtin:"):
        return _builtin(name.removeprefix("builtin:"))
    path = Path(name)
    path = path / "rubric.json" if path.is_dir() else path
    try:
        return read_rubric(path.read_text(encoding="utf-8"), where=str(path))
    except (FileNotFoundError, UnicodeDecodeError) as error:
        problem = "there is none" if isinstance(error, FileNotFoundError) else "it is not UTF-8 text"
        raise RubricError(f"{path}: wanted a rubric, and {problem}").with_note(
            f"Built-in rubrics: {', '.join(f'builtin:{one}' for one in builtin_names())}."
        ) from None


def _builtin(name: str) -> Rubric:
    if name not in builtin_names():
        raise RubricError(f"builtin:{name}: wanted one of {', '.join(builtin_names())}")
    text = (resources.files("userside.rubrics") / "builtin" / f"{name}.json").read_text(encoding="utf-8")
    return read_rubric(text, where=f"builtin:{name}")


def read_rubric(text: str, *, where: str) -> Rubric:
    """Return the rubric in a JSON text.

    Raises:
        RubricError: It is not one, or its items have no proper or unique names, or it has none; says where.
    """
    try:
        rubric = _RUBRICS.validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        step = ".".join(str(one) for one in fault["loc"]) or "the whole file"
        raise RubricError(f"{where}: {step}: {fault['msg']}, not {fault['input']!r:.80}") from None
    names = [item.name for item in rubric.items]
    if bad := [name for name in names if not _NAME.fullmatch(name)]:
        raise RubricError(f"{where}: wanted names such as `repeats_request`, not {bad[0]!r:.80}")
    if not names or len(set(names)) < len(names):
        raise RubricError(f"{where}: wanted items with different names, and got {names!r:.200}")
    return rubric


def write_rubric(rubric: Rubric, path: Path) -> None:
    """Write a rubric as JSON, whole or not at all."""
    write_atomically(path, json.dumps(_RUBRICS.dump_python(rubric, mode="json"), ensure_ascii=False, indent=1) + "\n")
