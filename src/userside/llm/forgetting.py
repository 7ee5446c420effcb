"""Forgetting a subject: nothing of it stays readable in a run's folder.

Answers, vectors and pending requests go from the store; rows of results, copies of the input and quotes given as
evidence go from the files; reports, which mix many subjects, are removed and can be made again. Originals
outside the run are the user's.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from userside.llm.runs import Run, write_atomically

_REMADE = (".html", ".csv", ".parquet", ".svg", ".txt", ".tmp")
"""Files that mix many subjects and are made again from what stays."""

_NAMING = ("id", "conversation", "contributor", "participant", "subject", "custom_id")
_NAMING_LISTS = ("ids", "training_ids", "conversations", "contributors", "participants", "subjects")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was deleted.

    Attributes:
        answers: Stored answers, vectors of texts and pending requests.
        rows: Lines of JSON Lines files.
        mentions: Evidence, quotes and ids inside other JSON files.
        removed: Files removed whole, to be made again.
    """

    answers: int = 0
    rows: int = 0
    mentions: int = 0
    removed: tuple[str, ...] = ()


def forget(run: Run, subjects: Iterable[str]) -> Forgotten:
    """Return what was deleted of the subjects: ids of conversations or of contributors.

    A contributor's conversations are forgotten with it, as far as the copy of the input tells which they are.
    """
    names = frozenset(subjects) | _conversations_of(run.input_copy, frozenset(subjects))
    answers = run.store.forget(sorted(names))
    rows = sum(_forget_lines(path, names) for path in sorted(run.folder.rglob("*.jsonl")))
    mentions = sum(_forget_mentions(path, names) for path in sorted(run.folder.rglob("*.json")))
    removed = [path for path in sorted(run.folder.rglob("*")) if path.suffix in _REMADE]
    for path in removed:
        path.unlink()
    run.write()
    return Forgotten(
        answers=answers,
        rows=rows,
        mentions=mentions,
        removed=tuple(str(path.relative_to(run.folder)) for path in removed),
    )


def _conversations_of(copy: Path, contributors: frozenset[str]) -> frozenset[str]:
    return frozenset(str(row["id"]) for row in _rows(copy) if row.get("contributor") in contributors and "id" in row)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = _parsed(line)
            if isinstance(row, dict):
                yield cast("dict[str, Any]", row)


def _parsed(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return line


def _forget_lines(path: Path, names: frozenset[str]) -> int:
    with path.open(encoding="utf-8") as file:
        lines = file.readlines()
    kept = [line for line in lines if not _is_about(_parsed(line), names)]
    if len(kept) < len(lines):
        write_atomically(path, "".join(kept))
    return len(lines) - len(kept)


def _forget_mentions(path: Path, names: frozenset[str]) -> int:
    tree = _parsed(path.read_text(encoding="utf-8"))
    pruned, gone = _pruned(tree, names)
    if gone:
        write_atomically(path, json.dumps(pruned, ensure_ascii=False, indent=1) + "\n")
    return gone


def _is_about(entry: object, names: frozenset[str]) -> bool:
    """Tell whether an object names a subject in one of the fields that name subjects."""
    if not isinstance(entry, dict):
        return False
    tree = cast("dict[str, object]", entry)
    return any(tree.get(field) in names for field in _NAMING if isinstance(tree.get(field), str))


def _pruned(value: object, names: frozenset[str], *, naming: bool = False) -> tuple[object, int]:
    """Return a JSON value without what is about a subject, and how many entries that was.

    The smallest object that names a subject goes, so that a rubric loses one quote and not an item. `naming`
    says that the strings of a list are themselves names of subjects.
    """
    match value:
        case dict():
            tree = cast("dict[str, object]", value)
            pairs = {key: _pruned(one, names, naming=key in _NAMING_LISTS) for key, one in tree.items()}
            return {key: one for key, (one, _) in pairs.items()}, sum(count for _, count in pairs.values())
        case list():
            entries = cast("list[object]", value)
            kept = [_pruned(one, names) for one in entries if not (_is_about(one, names) or (naming and one in names))]
            return [one for one, _ in kept], len(entries) - len(kept) + sum(count for _, count in kept)
        case _:
            return value, 0
