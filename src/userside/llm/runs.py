"""A run: the folder of one piece of work that costs something.

::

    RUN/run.json      what was asked for: command, inputs, models, prompts, seeds, training ids; state and spend
    RUN/answers.db    every answer, as it came (`AnswerStore`)
    RUN/input.jsonl   a copy of the conversations, unless it was not wanted
    RUN/…             results, reports

The same command on the same folder goes on where it stopped. Other work on the same folder is refused.
"""

import fcntl
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import file_digest
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, cast

from pydantic import TypeAdapter, ValidationError

from userside.errors import RunError
from userside.llm.store import AnswerStore


class RunState(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    """Begun and not ended: under way, or killed."""
    COMPLETE = "complete"
    PARTIAL = "partial"
    """Ended with something missing."""
    PENDING = "pending"
    """Waiting for answers from elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What a run is for. Two plans that differ are different work.

    Attributes:
        command: `score`, `learn`, `study run`…
        inputs: SHA-256 of each input file by its name.
        models: Identity of the model by role.
        prompts: Fingerprint of each prompt by name.
        settings: Everything else that changes results: rubric, elicitation, seeds, labels.
    """

    command: str
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def differences(self, other: "RunPlan") -> list[str]:
        """Return one sentence for each thing in which another plan differs from this one."""
        mine, theirs = _flat(_PLANS.dump_python(self, mode="json")), _flat(_PLANS.dump_python(other, mode="json"))
        names = sorted(mine.keys() | theirs.keys())
        return [f"{name} was {mine.get(name)!r} and is now {theirs.get(name)!r}" for name in names
                if mine.get(name) != theirs.get(name)]  # fmt: skip


_PLANS = TypeAdapter(RunPlan)


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            leaves |= _flat(cast("dict[str, Any]", value), f"{prefix}{name}.")
        else:
            leaves[f"{prefix}{name}"] = value
    return leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What `run.json` holds."""

    format: Literal[1] = 1
    plan: RunPlan
    state: RunState = RunState.RUNNING
    retries: int = 0
    started_at: str
    updated_at: str
    userside: str = ""
    spend: Mapping[str, Any] = field(default_factory=dict[str, Any])
    summary: Mapping[str, Any] = field(default_factory=dict[str, Any])


_RECORDS = TypeAdapter(RunRecord)


class Run:
    """An open run folder; one process at a time may have it open for work.

    Attributes:
        folder: Where it is.
        store: Its answers.
        record: What `run.json` says.
    """

    def __init__(self, folder: Path, record: RunRecord, lock: IO[str]) -> None:
        self.folder = folder
        self.record = record
        self._lock = lock
        self.store = AnswerStore(folder / "answers.db")

    @classmethod
    def open(cls, folder: Path, plan: RunPlan, *, version: str = "") -> Self:
        """Return the run of this plan in a folder, new or resumed.

        Raises:
            RunError: The folder holds other work, is in use, or is not a run.
        """
        _refuse_foreign_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        lock = _lock(folder)
        try:
            record = _resumed(folder, plan) or RunRecord(
                plan=plan, started_at=_now(), updated_at=_now(), userside=version
            )
            run = cls(folder, record, lock)
        except BaseException:
            lock.close()
            raise
        run.write()
        return run

    @classmethod
    def resume(cls, folder: Path) -> Self:
        """Return the run that a folder already holds, open for work.

        Raises:
            RunError: There is none, or it is in use.
        """
        return cls.open(folder, read_run(folder).plan)

    @property
    def input_copy(self) -> Path:
        """Return where the copy of the input is, or would be."""
        return self.folder / "input.jsonl"

    def note(
        self, *, state: RunState | None = None, retries: int | None = None, summary: Mapping[str, Any] | None = None
    ) -> None:
        """Write what became of the run so far; entries of `summary` join those that are there."""
        self.record = replace(
            self.record,
            state=self.record.state if state is None else state,
            retries=self.record.retries if retries is None else retries,
            summary={**self.record.summary, **(summary or {})},
        )
        self.write()

    def write(self) -> None:
        """Write `run.json` in one step."""
        self.record = replace(self.record, updated_at=_now(), spend=asdict(self.store.spend()))
        write_atomically(self.folder / "run.json", _RECORDS.dump_json(self.record, indent=1).decode() + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self.record.state is RunState.RUNNING:
            self.note(state=RunState.PARTIAL)
        self.store.close()
        self._lock.close()


def read_run(folder: Path) -> RunRecord:
    """Return what `run.json` of a folder says.

    Raises:
        RunError: The folder is no run.
    """
    try:
        return _RECORDS.validate_json((folder / "run.json").read_bytes())
    except FileNotFoundError:
        raise RunError(f"{folder}: wanted the folder of a run, and there is no run.json in it") from None
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in fault["loc"]) or "the whole file"
        raise RunError(f"{folder / 'run.json'}: {where}: {fault['msg']}") from None


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes as 64 hex digits."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that it is either the old one or the new one, whole, whatever happens."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _refuse_foreign_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder}: wanted a folder for the run, and it is a file")
    if folder.is_dir() and any(folder.iterdir()) and not _is_run(folder):
        raise RunError(f"{folder}: wanted a run's folder or an empty one, and it holds other files").with_note(
            "Name a new folder with -o."
        )


def _is_run(folder: Path) -> bool:
    # A folder that holds nothing but the lock is a run which was killed in its first millisecond.
    return (folder / "run.json").exists() or {one.name for one in folder.iterdir()} <= {".lock", "answers.db"}


def _lock(folder: Path) -> IO[str]:
    lock = (folder / ".lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise RunError(f"{folder}: another process is working in this run").with_note(
            "Wait for it to end, or stop it; nothing it received is lost."
        ) from None
    return lock


def _resumed(folder: Path, plan: RunPlan) -> RunRecord | None:
    if not (folder / "run.json").exists():
        return None
    record = read_run(folder)
    if differences := record.plan.differences(plan):
        raise RunError(f"{folder}: holds other work: " + "; ".join(differences)).with_note(
            "Name a new folder with -o, or repeat the command as it was."
        )
    return record


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
