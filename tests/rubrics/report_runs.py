"""Scoring runs made up for reports: who is satisfied decides the scores, a hash decides the rest."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from userside.conversations import (
    Conversation,
    Feedback,
    Label,
    Speaker,
    Turn,
    choose_labels,
    label_sources,
    read_sample,
    write_jsonl,
)
from userside.llm import (
    Elicited,
    PromptSet,
    Reason,
    RunPlan,
    RunRecord,
    RunState,
    Unscored,
    read_prompts,
    write_prompts,
)
from userside.rubrics import (
    ConversationScore,
    ItemScore,
    ItemVerdict,
    ReportInputs,
    Rubric,
    Side,
    label_of,
    open_rubric,
    sum_scores,
    write_rubric,
    write_scores,
)

RUBRIC = open_rubric("builtin:general")
PROMPTS: PromptSet = read_prompts("userside.rubrics")
MISLED = {"everyday-02", "everyday-04"}
"""Dissatisfied users whose transcripts are scored as satisfied ones'."""
REPLICATES = 200
"""Resamples: enough to see an interval, few enough to be quick."""
REFUSED = {"everyday-07"}
"""A conversation with one item that the judge refused."""


def chance(*names: object) -> float:
    """Return a number from 0 to 1 that the names decide."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, names)).encode("utf-8", "replace")).digest()[:4]) / 2**32


def everyday(*, labelled: bool = True) -> tuple[Conversation, ...]:
    """Return the bundled conversations, with or without what their users said of them."""
    found = read_sample("everyday")
    return found if labelled else tuple(replace(one, feedback=()) for one in found)


def scored(conversation: Conversation, label: Label | None, *, how: Elicited, rubric: Rubric) -> ConversationScore:
    """Return a score that goes with the label, except where the id says otherwise."""
    likes = (label is Label.SATISFIED) != (conversation.id in MISLED)
    items = {
        item.name: _verdict(conversation, item.name, (item.side is Side.SATISFIED) == likes, how)
        for item in rubric.items
    }
    if conversation.id in REFUSED:
        items["thanks"] = Unscored(reason=Reason.REFUSED, detail="<b>I would rather not.</b>")
    total = sum_scores(items, rubric)
    cuts = rubric.cuts_for(judge="fake:judge", elicited=how, prompts=PROMPTS.fingerprint)
    return ConversationScore(
        id=conversation.id, R=total, label=label_of(total, cuts), items=items, judge="fake:judge", elicited=how
    )


def _verdict(conversation: Conversation, item: str, fits: bool, how: Elicited) -> ItemVerdict:
    turns = conversation.user_turns
    if not turns:
        return Unscored(reason=Reason.NOTHING_TO_JUDGE)
    strength = chance(conversation.id, item) * (1.0 if fits else 0.55)
    if how is Elicited.TOKENS:
        return ItemScore(score=10 * strength, yes=strength, elicited=how)
    if strength < 0.5:
        return ItemScore(score=0, yes=0.0, elicited=how)
    turn = turns[int(chance(item, conversation.id) * len(turns))]
    quote = " ".join(turn.text.split()[:5])
    return ItemScore(score=round(10 * strength), yes=1.0, quote=quote, turn=turn.index, elicited=how)


def inputs(
    conversations: Sequence[Conversation],
    *,
    how: Elicited = Elicited.SCHEMA,
    state: RunState = RunState.COMPLETE,
    rubric: Rubric = RUBRIC,
    rows: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> ReportInputs:
    """Return what a report of such a run is made from; `rows` is how many conversations were reached."""
    labels = choose_labels(conversations) if label_sources(conversations) else {}
    known = {name: one.label for name, one in labels.items()}
    plan = RunPlan(
        command="score",
        inputs={"chats.jsonl": "0123456789abcdef" * 4},
        models={"judge": "fake:judge"},
        prompts={PROMPTS.name: PROMPTS.fingerprint},
        settings={"rubric": rubric.name, "elicited": None, "answered_only": False, "labels": None, **(settings or {})},
    )
    run = RunRecord(
        plan=plan,
        state=state,
        started_at="2026-03-07T09:12:00+00:00",
        updated_at="2026-03-07T09:31:20+00:00",
        userside="0.1.0",
        spend={"calls": 48, "input_tokens": 1234, "output_tokens": 56, "cost": 0.0, "unpriced": 48, "uncounted": 0},
        summary={"source": "nowhere.jsonl"},
    )
    scores = [scored(one, known.get(one.id), how=how, rubric=rubric) for one in conversations[:rows]]
    return ReportInputs(
        name="run",
        run=run,
        rubric=rubric,
        prompts=PROMPTS,
        conversations=tuple(conversations),
        scores=tuple(scores),
        labels=labels,
        labels_by=next(iter(label_sources(conversations)), None),
        replicates=REPLICATES,
    )


def written(found: ReportInputs, folder: Path) -> Path:
    """Write such a run into a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_bytes(TypeAdapter(RunRecord).dump_json(found.run))
    write_rubric(found.rubric, folder / "rubric.json")
    write_prompts(found.prompts, folder / "prompts")
    write_jsonl(found.conversations, folder / "input.jsonl")
    write_scores(found.scores, folder / "scores.jsonl")
    return folder


EVIL = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)> *b* **s** `c` \u202eevil \x1b[31m {{7*7}} "
    "\ue000abcdef0123456789:to1\ue001 <a href='javascript:alert(1)'>x</a> &lt; \udc80"
)
"""Text that would do harm wherever it is not escaped."""


def hostile() -> tuple[Conversation, ...]:
    """Return conversations with such text in every place a stranger can write to."""
    return tuple(_hostile(number) for number in range(6))


def _hostile(number: int) -> Conversation:
    label = Label.SATISFIED if number % 2 else Label.DISSATISFIED
    given = Feedback(
        by="user",
        label=label,
        rating=3,
        scale=(1, 5),
        purpose=EVIL,
        outcome=EVIL,
        description=EVIL,
        answers={EVIL: EVIL},
    )
    turns = (
        Turn(index=0, speaker=Speaker.USER, text=EVIL, name=EVIL),
        Turn(index=1, speaker=Speaker.ASSISTANT, text="x" * 4000),
        Turn(index=2, speaker=Speaker.USER, text=f"thanks {EVIL}"),
    )
    return Conversation(
        id=f"<img src=x onerror=alert({number})>*{number}*\u202e",
        source=EVIL,
        turns=turns,
        language=EVIL if number else None,
        platform=EVIL if number > 2 else "a",
        feedback=(given,),
    )
