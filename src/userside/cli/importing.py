"""Reading files of conversations for `import`, and saying what became of every row."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from userside.cli.console import say, show, show_json
from userside.cli.skipped import SHOWN_ROWS, nothing_read
from userside.conversations import (
    NOT_LOOKED_FOR,
    Conversation,
    Label,
    Pseudonyms,
    Tally,
    count_labels,
    label_sources,
    read_conversations,
    redact,
    write_jsonl,
    write_parquet,
)
from userside.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFlags:
    """What the user asked to have imported."""

    paths: tuple[Path, ...]
    out: Path
    format: str | None = None
    labels: str | None = None
    columns: dict[str, str]
    scale: tuple[float, float] | None = None
    redact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an import."""

    out: Path
    conversations: tuple[Conversation, ...]
    tally: Tally
    redacted: dict[str, int] | None


def import_files(flags: ImportFlags) -> Outcome:
    """Return what became of the files; the output is written whole or not at all."""
    if not flags.out.name.endswith((".jsonl", ".jsonl.gz", ".parquet")):
        raise InputError(f"{flags.out}: wanted a name that ends in .jsonl, .jsonl.gz or .parquet")
    result = read_conversations(
        flags.paths, format=flags.format, labels=flags.labels, columns=flags.columns, scale=flags.scale
    )
    conversations = result.conversations()
    if not conversations:
        raise nothing_read(flags.paths, result.tally)
    redacted: dict[str, int] | None = None
    if flags.redact:
        conversations, redacted = _redact_all(conversations)
    write = write_parquet if flags.out.suffix == ".parquet" else write_jsonl
    flags.out.parent.mkdir(parents=True, exist_ok=True)
    write(conversations, flags.out)
    return Outcome(out=flags.out, conversations=conversations, tally=result.tally, redacted=redacted)


def _redact_all(conversations: Sequence[Conversation]) -> tuple[tuple[Conversation, ...], dict[str, int]]:
    pseudonyms, places = Pseudonyms(), Counter[str]()
    clean: list[Conversation] = []
    for conversation in conversations:
        redacted, tally = redact(conversation, pseudonyms)
        clean.append(redacted)
        places.update({kind.value: count for kind, count in tally.items()})
    return tuple(clean), dict(places)


def print_import(outcome: Outcome, *, json: bool) -> None:
    """Print what became of an import; exit with 1 when a row was skipped."""
    if json:
        show_json(_as_json(outcome))
    else:
        _print(outcome)
    if outcome.tally.skipped:
        raise typer.Exit(1)


def _print(outcome: Outcome) -> None:
    tally = outcome.tally
    formats = ", ".join(sorted(set(tally.formats.values())))
    show(f"{tally.taken} conversations ({formats}): {outcome.out}")
    for source, counts in _label_counts(outcome).items():
        show(f"  labels by {source}: " + ", ".join(f"{count} {label}" for label, count in counts.items() if count))
    _, *details = tally.lines()
    for line in details[:SHOWN_ROWS]:
        say(f"  {line}")
    if len(details) > SHOWN_ROWS:
        say(f"  … and {len(details) - SHOWN_ROWS} more (all of them with --json).")
    if outcome.redacted is not None:
        found = ", ".join(f"{count} {kind}" for kind, count in sorted(outcome.redacted.items()))
        say(f"  redacted: {found or 'nothing was found'}. Not looked for: {', '.join(NOT_LOOKED_FOR)}.")


def _as_json(outcome: Outcome) -> dict[str, Any]:
    tally = outcome.tally
    skipped = [{"path": one.path, "row": one.row, "reason": one.reason} for one in tally.skipped]
    return {
        "out": str(outcome.out),
        "taken": tally.taken,
        "formats": tally.formats,
        "skipped": skipped,
        "notes": {str(note): count for note, count in tally.notes.items()},
        "labels": _label_counts(outcome),
        "redacted": outcome.redacted,
    }


def _label_counts(outcome: Outcome) -> dict[str, dict[str, int]]:
    counted: dict[str, dict[str, int]] = {}
    for source in label_sources(outcome.conversations):
        counts = count_labels(outcome.conversations, name=source)
        by_label = {label.value: getattr(counts, label.value) for label in Label}
        counted[source] = {**by_label, "unlabelled": counts.unlabelled}
    return counted


def read_columns(pairs: Sequence[str]) -> dict[str, str]:
    """Return `OUR=THEIRS` flags as a mapping."""
    for pair in pairs:
        if "=" not in pair:
            raise InputError(f"--column: wanted OUR=THEIRS, such as text=Message, not {pair!r}")
    return dict(pair.split("=", 1) for pair in pairs)


def read_scale(text: str | None) -> tuple[float, float] | None:
    """Return a scale given as `LOW-HIGH`."""
    if text is None:
        return None
    low, _, high = text.partition("-") if not text.startswith("-") else _split_negative(text)
    try:
        scale = float(low), float(high)
    except ValueError:
        raise InputError(f"--scale: wanted LOW-HIGH, such as 1-5, not {text!r}") from None
    if scale[0] >= scale[1]:
        raise InputError(f"--scale: wanted the lower value first, not {text!r}")
    return scale


def _split_negative(text: str) -> tuple[str, str, str]:
    low, dash, high = text[1:].partition("-")
    return f"-{low}", dash, high
