"""Reading files of conversations for `import`, and saying what became of every row."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
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
    choose_labels,
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
    """What became of an import.

    Attributes:
        out: The file that was written.
        tally: What was read, and what was not.
        labels: Conversations by label source and label, `unlabelled` among them.
        redacted: What was replaced, by kind; None where nothing was looked for.
        unlabelled_by: The rule that was asked for and labelled nothing, or None.
    """

    out: Path
    tally: Tally
    labels: dict[str, dict[str, int]]
    redacted: dict[str, int] | None
    unlabelled_by: str | None = None


def import_files(flags: ImportFlags) -> Outcome:
    """Return what became of the files; the output is written whole or not at all, one conversation after the other."""
    if not flags.out.name.endswith((".jsonl", ".jsonl.gz", ".parquet")):
        raise InputError(f"{flags.out}: wanted a name that ends in .jsonl, .jsonl.gz or .parquet")
    result = read_conversations(
        flags.paths, format=flags.format, labels=flags.labels, columns=flags.columns, scale=flags.scale
    )
    first = next(iter(result), None)
    if first is None:
        raise nothing_read(flags.paths, result.tally)
    passing = _Passing(redacts=flags.redact)
    write = write_parquet if flags.out.suffix == ".parquet" else write_jsonl
    flags.out.parent.mkdir(parents=True, exist_ok=True)
    write(passing.through(chain([first], result)), flags.out)
    return Outcome(
        out=flags.out,
        tally=result.tally,
        labels=(labels := passing.label_counts()),
        unlabelled_by=flags.labels if flags.labels not in {None, "none", *labels} else None,
        redacted=dict(passing.places) if flags.redact else None,
    )


@dataclass(slots=True, kw_only=True)
class _Passing:
    """Looks at conversations on their way to the file, which may be larger than memory."""

    redacts: bool
    places: Counter[str] = field(default_factory=Counter[str])
    _pseudonyms: Pseudonyms = field(default_factory=Pseudonyms)
    _labels: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    _seen: int = 0

    def through(self, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        for conversation in conversations:
            self._seen += 1
            self._count_labels(conversation)
            yield self._redact(conversation) if self.redacts else conversation

    def _count_labels(self, conversation: Conversation) -> None:
        for source in label_sources([conversation]):
            found = choose_labels([conversation], name=source).get(conversation.id)
            counts = self._labels.setdefault(source, Counter())
            counts.update([found.label.value] if found else [])

    def _redact(self, conversation: Conversation) -> Conversation:
        redacted, tally = redact(conversation, self._pseudonyms)
        self.places.update({kind.value: count for kind, count in tally.items()})
        return redacted

    def label_counts(self) -> dict[str, dict[str, int]]:
        """Return how many conversations each source labels; where people disagree evenly there is no label."""
        return {
            source: {**{label.value: counts[label] for label in Label}, "unlabelled": self._seen - counts.total()}
            for source, counts in sorted(self._labels.items())
        }


def print_import(outcome: Outcome, *, json: bool) -> None:
    """Print what became of an import; exit with 1 when a row was skipped, or no label came of the rule asked for."""
    if json:
        show_json(_as_json(outcome))
    else:
        _print(outcome)
    if outcome.unlabelled_by is not None:
        say(f"  --labels {outcome.unlabelled_by}: no conversation got a label by it.")
        say("  For ratings the scale must be known: name it with --scale LOW-HIGH, such as --scale 1-5.")
    if outcome.tally.skipped or outcome.unlabelled_by is not None:
        raise typer.Exit(1)


def _print(outcome: Outcome) -> None:
    tally = outcome.tally
    formats = ", ".join(sorted(set(tally.formats.values())))
    show(f"{tally.taken} conversations ({formats}): {outcome.out}")
    for source, counts in outcome.labels.items():
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
        "labels": outcome.labels,
        "redacted": outcome.redacted,
    }


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
