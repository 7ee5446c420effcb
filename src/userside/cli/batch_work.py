"""The steps of a batch: what waits goes out, answers come in, the ordinary pipeline goes on."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from userside.cli.console import say, show, show_json
from userside.cli.learning_work import Roles, embedder_of, learn_deferred, open_learn_run, print_learned
from userside.cli.scoring_work import AT_ONCE, Limits, price_of, print_outcome, score_deferred
from userside.errors import InputError
from userside.llm import (
    DeferredModel,
    Imported,
    ModelChoice,
    Run,
    StoredModel,
    describe_model,
    export_requests,
    import_responses,
    read_model_name,
    read_run,
    write_atomically,
)
from userside.rubrics import (
    LEARN,
    ConversationScore,
    Learned,
    LearnJob,
    ScoreJob,
    read_job,
    read_learn_job,
    score_run,
)


def start_score(job: ScoreJob, choice: ModelChoice, folder: Path, *, json: bool) -> None:
    """Begin a run and record its questions."""
    _refuse_local(choice)
    score_deferred(job, choice, folder)
    _print_started(folder, json=json)


def start_learn(job: LearnJob, roles: Roles, folder: Path, *, json: bool) -> None:
    """Begin a learning run and record the questions of its first stage."""
    _refuse_local(roles.extractor)
    with open_learn_run(folder, job, roles, limits=Limits()) as (run, again):
        asyncio.run(learn_deferred(run, again, roles))
    _print_started(folder, json=json)


def _refuse_local(choice: ModelChoice) -> None:
    if choice.runs_here:
        raise InputError(f"--model: {choice.provider}:{choice.model} runs here and answers at once; a batch waits")


def _print_started(folder: Path, *, json: bool) -> None:
    waiting = _count_pending(folder)
    if json:
        show_json({"run": str(folder), "pending": waiting})
    else:
        show(f"{waiting} questions wait. Write them with: userside batch export {folder} -o requests.jsonl")


def export(folder: Path, out: Path) -> None:
    """Write every question that waits."""
    with Run.resume(folder) as run:
        lines = list(export_requests(run.store))
    write_atomically(out, "".join(lines))
    show(f"{len(lines)} requests: {out}" if lines else f"Nothing waits; {out} is empty.")


def take_in(folder: Path, files: Sequence[Path], *, json: bool) -> None:
    """Take in answers and go on with the work, whatever it is; say what still waits."""
    learns = read_run(folder).plan.command == LEARN
    job = read_learn_job(folder) if learns else read_job(folder)
    with Run.resume(folder) as run:
        # The answers of one file are priced as one model's; where roles differ, the extractor asks the most.
        asked = choice_of(run.record.plan.models["extractor" if learns else "judge"])
        imported = import_responses(run.store, files, price=price_of(asked).price)
        came = _learn_on(run, job) if isinstance(job, LearnJob) else _go_on(run, job, asked)
        waiting = sum(1 for _ in run.store.pending())
    if json:
        show_json({"run": str(folder), "imported": asdict(imported), "pending": waiting})
    else:
        _print_imported(imported, folder, waiting=waiting)
    if waiting or (json and _lacks_something(came)):
        raise typer.Exit(1)
    if json:
        return
    if isinstance(came, Learned) and isinstance(job, LearnJob):
        print_learned(came, job, folder, json=False)
    elif isinstance(came, tuple):
        print_outcome(came, folder, json=False)


def _lacks_something(came: Learned | tuple[ConversationScore, ...]) -> bool:
    return came.open is not None if isinstance(came, Learned) else any(score.missing for score in came)


def _learn_on(run: Run, job: LearnJob) -> Learned:
    models = run.record.plan.models
    roles = Roles(
        extractor=choice_of(models["extractor"]),
        judge=choice_of(models["judge"]),
        embedder=embedder_of(models["embedder"]),
    )
    return asyncio.run(learn_deferred(run, job, roles))


def choice_of(identity: str) -> ModelChoice:
    """Return the choice that has an identity."""
    name, _, base_url = identity.partition("@")
    return read_model_name(name, base_url=base_url or None)


def _go_on(run: Run, job: ScoreJob, choice: ModelChoice) -> tuple[ConversationScore, ...]:
    identity, capabilities = describe_model(choice)
    model = StoredModel(inner=DeferredModel(identity, capabilities, run.store), store=run.store)
    return asyncio.run(score_run(run, job, model, at_once=AT_ONCE, on_scored=lambda _: None))


def _print_imported(imported: Imported, folder: Path, *, waiting: int) -> None:
    say(f"{imported.answers} answers are taken in, {imported.refusals} refusals, {imported.failed} failures to repeat.")
    if imported.foreign:
        say(f"{imported.foreign} lines answer nothing that waits here.")
    for number, why in imported.unreadable[:5]:
        say(f"line {number}: no response: {why}")
    if waiting:
        show(f"{waiting} questions wait. Write them with: userside batch export {folder} -o requests.jsonl")
    else:
        show("Done: nothing waits.")


def _count_pending(folder: Path) -> int:
    with Run.resume(folder) as run:
        return sum(1 for _ in run.store.pending())
