"""The demo, stage by stage: look, score, report; each with its time."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from userside.cli.console import duration, say, show
from userside.cli.reporting import write_report
from userside.cli.scoring_work import Limits, ScoreFlags, build_job, choose_model, score_live
from userside.conversations import read_sample, sample_path
from userside.rubrics import look_at, render_look

SAMPLE = "everyday"


def run_demo(folder: Path, *, model: str, base_url: str | None, count: int) -> None:
    """Look at the sample, score part of it in `folder`, and write the report there."""
    choice = choose_model(model, base_url)
    conversations = read_sample(SAMPLE)
    with _stage(1, f"Looking at {len(conversations)} conversations, without a model"):
        show(render_look(look_at(conversations)))
    flags = ScoreFlags(file=sample_path(SAMPLE), rubric="builtin:general")
    whole = build_job(flags)
    job = replace(whole, conversations=whole.conversations[:count])
    with _stage(2, f"Scoring {count} of them with {model}, item by item"):
        scores = score_live(job, choice, folder, limits=Limits())
        scored = sum(score.R is not None for score in scores)
        show(f"{scored} of {len(scores)} conversations are scored: {folder / 'scores.jsonl'}")
    with _stage(3, "Writing the report"):
        report = write_report(folder)
    show(f"\nThe report: {report.resolve()}")
    say("Open it in a browser; it needs no network. Next: `userside score YOURS.jsonl`, and docs/tutorial.md.")


@contextmanager
def _stage(number: int, what: str) -> Generator[None]:
    say(f"\n[{number}/3] {what}.")
    started, used = time.monotonic(), time.process_time()
    yield
    wall, cpu = time.monotonic() - started, time.process_time() - used
    say(f"[{number}/3] took {duration(wall)} ({duration(cpu)} of one core).")
