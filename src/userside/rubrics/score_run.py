"""A scoring run: its folder holds all it needs, so that it can be resumed, reported and answered elsewhere.

::

    RUN/rubric.json     the rubric as it was used
    RUN/prompts/        the wording as it was used
    RUN/input.jsonl     the conversations (unless `--no-copy`)
    RUN/scores.jsonl    one row a conversation
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from userside.conversations import Conversation, LabelledText, choose_labels, read_conversations, write_jsonl
from userside.errors import InputError, RunError
from userside.llm import Elicited, Model, PromptSet, Run, RunPlan, RunState, read_prompts, read_run, write_prompts
from userside.rubrics.cut_refusal import CutRefusal, refuse_cuts
from userside.rubrics.evaluation import read_fitted_cuts, relabel
from userside.rubrics.judging import Judging, subjects_of
from userside.rubrics.rubric import Rubric, read_rubric, write_rubric
from userside.rubrics.scores import ConversationScore, tally_scores, write_scores
from userside.rubrics.scoring import OnScored, ScoringPlan, score_conversations
from userside.rubrics.zero_shot import ask_zero_shots
from userside.rubrics.zero_shot_file import write_zero_shot

SCORES = "scores.jsonl"
PACKAGE = "userside.rubrics"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreJob:
    """What is to be scored, with what, and how.

    Attributes:
        conversations: All of them, in order.
        inputs: SHA-256 of each input file by its name.
        source: Where the conversations were read from, for a run without a copy.
        rubric: The items.
        judging: How the judge is asked.
        labels: The label whose end cuts each conversation (`LabelledText.until`), or None to show the judge all.
        zero_shot: Ask the judge outright as well, whether each user is satisfied. May be added to a run later.
    """

    conversations: tuple[Conversation, ...]
    inputs: Mapping[str, str]
    source: str
    rubric: Rubric
    judging: Judging
    labels: str | None = None
    zero_shot: bool = False

    def __post_init__(self) -> None:
        if not any(conversation.user_turns for conversation in self.conversations):
            raise InputError(
                f"{self.source}: wanted conversations in which a user says something, and none of the "
                f"{len(self.conversations)} read is one"
            )

    def plan(self, identity: str) -> RunPlan:
        """Return what tells this work from other work."""
        rubric = sha256(repr(self.rubric).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return RunPlan(
            command="score",
            inputs=self.inputs,
            models={"judge": identity},
            prompts={self.judging.prompts.name: self.judging.prompts.fingerprint},
            settings={
                "rubric": self.rubric.name,
                "rubric_digest": rubric,
                "elicited": self.judging.how.value if self.judging.how else None,
                "items_per_call": self.judging.items_per_call,
                "answered_only": self.judging.answered_only,
                "labels": self.labels,
            },
        )

    @property
    def ends(self) -> Mapping[str, LabelledText] | None:
        """Return where the chosen label ends each conversation."""
        return None if self.labels is None else choose_labels(self.conversations, name=self.labels)


def write_job(run: Run, job: ScoreJob, *, copy: bool) -> None:
    """Write what a run needs to be resumed, where it is not there yet."""
    if not (run.folder / "rubric.json").exists():
        write_rubric(job.rubric, run.folder / "rubric.json")
    if not (run.folder / "prompts").exists():
        write_prompts(job.judging.prompts, run.folder / "prompts")
    if copy and not run.input_copy.exists():
        write_jsonl(job.conversations, run.input_copy)
    run.note(summary={"source": job.source} | ({"zero_shot": True} if job.zero_shot else {}))


def read_job(folder: Path) -> ScoreJob:
    """Return the work that a run's folder was made for.

    Raises:
        RunError: It is no scoring run, or its conversations are no longer there.
    """
    record = read_run(folder)
    if record.plan.command != "score":
        raise RunError(f"{folder}: wanted a run of `score`, and it is one of `{record.plan.command}`")
    settings = record.plan.settings
    elicited = settings["elicited"]
    judging = Judging(
        prompts=run_prompts(folder),
        how=Elicited(elicited) if elicited else None,
        items_per_call=settings["items_per_call"],
        answered_only=settings["answered_only"],
        retry=record.retries,
    )
    return ScoreJob(
        conversations=read_run_conversations(folder),
        inputs=record.plan.inputs,
        source=str(record.summary.get("source", "")),
        rubric=run_rubric(folder),
        judging=judging,
        labels=settings["labels"],
        zero_shot=bool(record.summary.get("zero_shot")),
    )


def run_rubric(folder: Path) -> Rubric:
    """Return the rubric a run used."""
    path = folder / "rubric.json"
    if not path.exists():
        raise RunError(f"{folder}: wanted a scoring run, and there is no rubric.json in it")
    return read_rubric(path.read_text(encoding="utf-8"), where=str(path))


def run_prompts(folder: Path) -> PromptSet:
    """Return the wording a run used."""
    return read_prompts(PACKAGE, folder=folder / "prompts")


def read_run_conversations(folder: Path) -> tuple[Conversation, ...]:
    """Return the conversations of a run: its copy, else the file they came from.

    Raises:
        RunError: Neither is there any more.
    """
    source = Path(str(read_run(folder).summary.get("source", "")))
    copy = folder / "input.jsonl"
    if copy.exists():
        return read_conversations(copy, format="jsonl").conversations()
    if not source.is_file():
        raise RunError(f"{folder}: wanted its conversations, and neither a copy nor {str(source)!r} is there")
    return read_conversations(source).conversations()


async def score_run(
    run: Run, job: ScoreJob, model: Model, *, at_once: int, on_scored: OnScored
) -> tuple[ConversationScore, ...]:
    """Return the scores of a run's conversations, asked or remembered, and write them.

    Whoever was forgotten is left out. What landed is written even when the work is interrupted.
    """
    run.note(state=RunState.RUNNING)
    kept = [one for one in job.conversations if not run.store.is_forgotten(subjects_of(one))]
    plan = ScoringPlan(rubric=job.rubric, judging=job.judging, at_once=at_once, ends=job.ends)
    landed: dict[str, ConversationScore] = {}

    def land(score: ConversationScore) -> None:
        landed[score.id] = score
        on_scored(score)

    try:
        await score_conversations(kept, model, plan=plan, on_scored=land)
    finally:
        scores = tuple(landed[one.id] for one in kept if one.id in landed)
        if fitted := read_fitted_cuts(run.folder):
            scores = relabel(scores, fitted)
        write_scores(scores, run.folder / SCORES)
    if job.zero_shot:
        write_zero_shot(await ask_zero_shots(kept, model, plan=plan), run.folder)
    run.note(state=_state(scores), summary=_summary(scores))
    return scores


def run_cut_refusal(folder: Path, scores: Sequence[ConversationScore]) -> CutRefusal | None:
    """Return which scores of a run have R and no label since no cuts hold for their judge; None where none are so."""
    fitted = read_fitted_cuts(folder)
    unlabelled = [score for score in scores if score.label is None]
    cuts = (fitted.cuts,) if fitted else run_rubric(folder).cuts
    return refuse_cuts(unlabelled, cuts, prompts=run_prompts(folder).fingerprint)


def with_retry(job: ScoreJob, retry: int) -> ScoreJob:
    """Return the same work, with unscored questions asked anew up to `retry` times."""
    return replace(job, judging=replace(job.judging, retry=retry))


def _state(scores: Sequence[ConversationScore]) -> RunState:
    reasons = {reason.value for score in scores for reason in score.reasons}
    if "pending" in reasons:
        return RunState.PENDING
    return RunState.PARTIAL if any(score.is_open for score in scores) else RunState.COMPLETE


def _summary(scores: Sequence[ConversationScore]) -> dict[str, object]:
    tally = tally_scores(scores)
    return {
        "conversations": len(scores),
        "scored": tally.scored,
        "unscored": tally.unscored,
        "reasons": {reason.value: count for reason, count in tally.reasons.items()},
    }
