"""What a rubric's file says of how it was learned, read with care: anybody may have written it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from userside.rubrics.rubric import Rubric, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedFrom:
    """How a rubric was learned; what its file does not say is empty.

    Attributes:
        available: Labelled conversations there were to choose from.
        taken: Those it was learned from, by label.
        extraction: Counts of conversations and reasons by side.
        unanswered: Conversations without an answer by side and reason.
        unassigned: Reasons that stand behind no item, by side.
        models: Who did what, by role.
        settings: What else decided it.
        optimistic: Whether its cuts were fitted to conversations it was learned from, scored with itself.
        cuts: How the cuts came about, in words.
        wording: Name and fingerprint of the instructions.
        notes: What a person should know.
    """

    available: int = 0
    taken: Mapping[str, int] = field(default_factory=dict[str, int])
    extraction: Mapping[Side, Mapping[str, int]] = field(default_factory=dict[Side, Mapping[str, int]])
    unanswered: Mapping[Side, Mapping[str, int]] = field(default_factory=dict[Side, Mapping[str, int]])
    unassigned: Mapping[Side, int] = field(default_factory=dict[Side, int])
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    optimistic: bool = False
    cuts: str = ""
    wording: str = ""
    notes: tuple[str, ...] = ()

    @property
    def patterns(self) -> Mapping[Side, int]:
        """Return how many reasons were kept, by side."""
        return {side: counts.get("patterns", 0) for side, counts in self.extraction.items()}


def read_learned_from(rubric: Rubric) -> LearnedFrom:
    """Return what a rubric's provenance says."""
    return learned_from(rubric.provenance)


def learned_from(provenance: Mapping[str, Any]) -> LearnedFrom:
    """Return what a provenance, or a learning run's summary, says; of a shape nobody expects it says nothing."""
    origin, cuts, prompts = (_mapping(provenance.get(name)) for name in ("learned_from", "cuts", "prompts"))
    tallies = _by_side(provenance.get("extraction"))
    notes = provenance.get("notes")
    return LearnedFrom(
        available=sum(_counts(origin.get("available")).values()),
        taken=_counts(origin.get("taken")),
        extraction={side: _counts(tally) for side, tally in tallies.items()},
        unanswered={side: _counts(tally.get("unanswered")) for side, tally in tallies.items()},
        unassigned={side: count for side in Side if (count := _counts(provenance.get("unassigned")).get(side.value))},
        models=_texts(provenance.get("models")),
        settings={name: text for name, text in _texts(provenance.get("settings")).items() if text not in _UNSAID},
        optimistic=cuts.get("optimistic") is True,
        cuts=str(cuts.get("how", "")),
        wording=" ".join(str(prompts[name]) for name in ("name", "fingerprint") if name in prompts),
        notes=tuple(str(note) for note in cast("list[Any]", notes)) if isinstance(notes, list | tuple) else (),
    )


_UNSAID = frozenset({"None", "False", ""})


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _counts(value: object) -> dict[str, int]:
    return {str(name): count for name, count in _mapping(value).items() if type(count) is int}


def _texts(value: object) -> dict[str, str]:
    return {str(name): str(one) for name, one in _mapping(value).items()}


def _by_side(value: object) -> dict[Side, Mapping[str, Any]]:
    tallies = _mapping(value)
    return {side: _mapping(tallies[side.value]) for side in Side if side.value in tallies}
