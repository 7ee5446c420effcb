"""Hypothesis strategies for conversations."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from userside.conversations import (
    Completeness,
    Conversation,
    Feedback,
    Label,
    Origin,
    Part,
    PartKind,
    Speaker,
    Thumb,
    Turn,
)

QUICK = settings(deadline=None, max_examples=40)
"""Enough to find what an example table forgets; a whole run of these tests stays within seconds."""

texts = st.text(max_size=12)
names = st.none() | texts
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
metadata = st.dictionaries(texts, values, max_size=2)
offsets = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])
naive = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1))  # noqa: DTZ001  (exports leave offsets out)
aware = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=offsets)  # noqa: DTZ001
times = st.none() | naive | aware

parts = st.builds(
    Part,
    kind=st.sampled_from(PartKind),
    text=names,
    language=names,
    name=names,
    url=names,
    media_type=names,
    raw=values,
    metadata=metadata,
)


@st.composite
def turns(draw: st.DrawFn, *, index: int) -> Turn:
    return Turn(
        index=index,
        speaker=draw(st.sampled_from(Speaker)),
        text=draw(texts),
        parts=draw(st.none() | st.lists(parts, max_size=2).map(tuple)),
        name=draw(names),
        at=draw(times),
        model=draw(names),
        metadata=draw(metadata),
    )


@st.composite
def feedback(draw: st.DrawFn, *, turns: int) -> Feedback:
    low = draw(st.integers(-3, 3))
    scale = draw(st.none() | st.integers(low + 1, 10).map(lambda high: (float(low), float(high))))
    ratings = st.floats(*scale) if scale else st.floats(allow_nan=False, allow_infinity=False)
    return Feedback(
        by=draw(texts),
        turn=draw(st.none() | st.integers(0, turns - 1)) if turns else None,
        until=draw(st.none() | st.integers(0, turns)),
        rating=draw(st.none() | ratings),
        scale=scale,
        label=draw(st.none() | st.sampled_from(Label)),
        thumb=draw(st.none() | st.sampled_from(Thumb)),
        purpose=draw(names),
        outcome=draw(names),
        description=draw(names),
        answers=draw(metadata),
        form_version=draw(names),
        metadata=draw(metadata),
    )


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Return any conversation that the record allows."""
    said = tuple(draw(turns(index=index)) for index in range(draw(st.integers(0, 3))))
    given: Any = tuple(draw(feedback(turns=len(said))) for _ in range(draw(st.integers(0, 2))))
    return Conversation(
        id=draw(st.text(min_size=1, max_size=8)),
        turns=said,
        source=draw(texts),
        platform=draw(names),
        language=draw(names),
        title=draw(names),
        started_at=draw(times),
        contributor=draw(names),
        origin=draw(st.none() | st.sampled_from(Origin)),
        completeness=draw(st.sampled_from(Completeness)),
        completeness_reasons=draw(st.lists(texts, max_size=2).map(tuple)),
        feedback=given,
        codes=draw(st.dictionaries(texts, st.lists(texts, max_size=2).map(tuple), max_size=2)),
        metadata=draw(metadata),
    )
