"""The demo, stage by stage: look, learn, score, report; each with its time."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from userside.cli.console import duration, say, show
from userside.cli.learning_work import RoleFlags, choose_roles, learn_live
from userside.cli.reporting import write_report
from userside.cli.scoring_work import Limits, ScoreFlags, build_job, choose_model, score_live
from userside.conversations import read_sample, sample_path
from userside.llm import file_sha256
from userside.rubrics import LearnSettings, look_at, make_job, render_learned, render_look

SAMPLE = "everyday"
SCORED = 24
"""The sample's first conversations are scored; the others are learned from."""
SETTINGS = LearnSettings(name="everyday", labels="label", items=4, reasons=2, share=1.0, least=5, folds=0)
"""Small enough for two cores: four items a side, and cuts from the training conversations themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What the user wants to see.

    Attributes:
        folder: Where the runs go: `rubric` and `scores`.
        model: Learns and judges.
        base_url: The model's address, if it is elsewhere.
        count: How many conversations to score.
        quick: Score with a built-in rubric.
    """

    folder: Path
    model: str
    base_url: str | None
    count: int
    quick: bool


@dataclass(slots=True)
class _Stages:
    """Numbers the stages and times them."""

    total: int
    number: int = field(default=0)

    @contextmanager
    def __call__(self, what: str) -> Generator[None]:
        self.number += 1
        where = f"[{self.number}/{self.total}]"
        say(f"\n{where} {what}.")
        started, used = time.monotonic(), time.process_time()
        yield
        wall, cpu = time.monotonic() - started, time.process_time() - used
        say(f"{where} took {duration(wall)} ({duration(cpu)} of one core).")


def run_demo(demo: Demo) -> None:
    """Look at the sample, learn from half of it, score the other half, and write the report."""
    conversations = read_sample(SAMPLE)
    stage = _Stages(3 if demo.quick else 4)
    with stage(f"Looking at {len(conversations)} conversations, without a model"):
        show(render_look(look_at(conversations)))
    rubric = "builtin:general"
    if not demo.quick:
        with stage(f"Learning a small rubric from {len(conversations) - SCORED} of them with {demo.model}"):
            rubric = str(_learn(demo))
    with stage(f"Scoring {demo.count} of the others with {demo.model}, item by item"):
        _score(demo, rubric)
    with stage("Writing the report"):
        report = write_report(demo.folder / "scores")
    show(f"\nThe report: {report.resolve()}")
    say("Open it in a browser; it needs no network. Next: `userside learn YOURS.jsonl`, and docs/tutorial.md.")


def _learn(demo: Demo) -> Path:
    """Return the folder of a rubric that was learned from the conversations which are not scored."""
    file, folder = sample_path(SAMPLE), demo.folder / "rubric"
    roles = choose_roles(RoleFlags(model=demo.model, base_url=demo.base_url), folder=folder)
    job = make_job(
        read_sample(SAMPLE)[SCORED:], SETTINGS, inputs={file.name: file_sha256(file)}, source=str(file.resolve())
    )
    learned = learn_live(job, roles, folder, limits=Limits())
    show(render_learned(learned, job.sample))
    return folder


def _score(demo: Demo, rubric: str) -> None:
    whole = build_job(ScoreFlags(file=sample_path(SAMPLE), rubric=rubric))
    job = replace(whole, conversations=whole.conversations[: demo.count])
    scores = score_live(job, choose_model(demo.model, demo.base_url), demo.folder / "scores", limits=Limits())
    scored = sum(score.R is not None for score in scores)
    show(f"{scored} of {len(scores)} conversations are scored: {demo.folder / 'scores' / 'scores.jsonl'}")
