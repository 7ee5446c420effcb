"""What `score`, `batch` and `demo` have in common: reading the work, doing it in a run's folder, saying how it went."""

import asyncio
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from userside import __version__
from userside.cli import settings
from userside.cli.console import progress, say, show, show_json
from userside.cli.skipped import say_skipped
from userside.conversations import Conversation, read_conversations
from userside.errors import AccessError, InputError, MissingPartError, UnknownModelError, WeightsError
from userside.llm import (
    AnswerStore,
    Budget,
    CountingModel,
    DeferredModel,
    Elicited,
    Estimate,
    Model,
    ModelChoice,
    Pace,
    PacedModel,
    PriceList,
    Run,
    RunPlan,
    StoredModel,
    describe_model,
    file_sha256,
    open_model,
    read_model_name,
    read_prompts,
)
from userside.rubrics import (
    ConversationScore,
    Judging,
    ScoreJob,
    ScoringPlan,
    ask_zero_shots,
    open_rubric,
    run_cut_refusal,
    score_conversations,
    score_run,
    tally_scores,
    with_retry,
    write_job,
)

AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreFlags:
    """What the user asked to have scored, and how."""

    file: Path
    rubric: str
    prompts: Path | None = None
    format: str | None = None
    labels: str | None = None
    elicit: str | None = None
    items_per_call: int = 20
    answered_only: bool = False
    zero_shot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the work may use, and what it does with what it has."""

    budget: Budget = Budget()
    retry_unscored: bool = False
    copy: bool = True


def choose_model(name: str | None, base_url: str | None, *, concurrency: int | None = None) -> ModelChoice:
    """Return the judge that the user named, by flag, environment or file."""
    address = settings.base_url("judge", base_url)
    return read_model_name(settings.model_name("judge", name), base_url=address, concurrency=concurrency or AT_ONCE)


def build_job(flags: ScoreFlags) -> ScoreJob:
    """Return the work, read from files; nothing is written yet."""
    if flags.elicit not in {None, *(way.value for way in Elicited)}:
        raise InputError(f"--elicit: wanted schema, text or tokens, not {flags.elicit!r}")
    judging = Judging(
        prompts=read_prompts("userside.rubrics", folder=flags.prompts),
        how=Elicited(flags.elicit) if flags.elicit else None,
        items_per_call=flags.items_per_call,
        answered_only=flags.answered_only,
    )
    rubric = open_rubric(flags.rubric)
    return ScoreJob(
        conversations=read_all(flags.file, format=flags.format),
        inputs={flags.file.name: file_sha256(flags.file)},
        source=str(flags.file.resolve()),
        rubric=rubric,
        judging=judging,
        labels=flags.labels,
        zero_shot=flags.zero_shot,
    )


def read_all(file: Path, *, format: str | None = None) -> tuple[Conversation, ...]:  # noqa: A002 - the flag's name
    """Return all conversations of a file, and say what could not be read."""
    result = read_conversations(file, format=format)
    conversations = result.conversations()
    say_skipped(result.tally)
    return conversations


def price_of(choice: ModelChoice) -> PriceList:
    """Return what the chosen model costs, as far as is known."""
    return PriceList(provider=choice.provider, model=choice.model, own_address=choice.base_url is not None)


def check_price(choice: ModelChoice, budget: Budget) -> None:
    """Refuse a limit of money where nobody knows what is spent.

    Raises:
        InputError: There is such a limit, and the model's price is not known.
    """
    if budget.max_cost is not None and price_of(choice).is_unknown:
        raise InputError(f"--max-cost: the price of {choice.provider}:{choice.model} is not known").with_note(
            "Limit the number of calls with --max-calls."
        )


def score_live(job: ScoreJob, choice: ModelChoice, folder: Path, *, limits: Limits) -> tuple[ConversationScore, ...]:
    """Return the scores of a run, asking for what is not stored; with progress on stderr."""
    check_price(choice, limits.budget)

    async def go() -> tuple[ConversationScore, ...]:
        async with open_model(choice) as bare:
            with open_run(folder, job, bare.identity, limits=limits) as (run, again):
                at_once = at_once_of(bare, choice)
                paced = PacedModel(bare, pace=Pace(limit=at_once))
                price = price_of(choice).price
                model = StoredModel(inner=paced, store=run.store, budget=limits.budget, price=price)
                return await _with_progress(run, again, model, paced, at_once=at_once)

    return asyncio.run(go())


def at_once_of(model: Model, choice: ModelChoice) -> int:
    """Return how many conversations to have under way: as many as calls, one where their prefix is to be kept."""
    return model.capabilities.concurrency or choice.concurrency


async def _with_progress(
    run: Run, job: ScoreJob, model: StoredModel, paced: PacedModel, *, at_once: int
) -> tuple[ConversationScore, ...]:
    def spent() -> str:
        spend, tally = run.store.spend(), paced.tally
        cost = ", price unknown" if spend.unpriced else f", ${spend.cost:.4f}" if spend.cost else ""
        waits = f", {tally.rate_limited} × 429" if tally.rate_limited else ""
        retries = f", {tally.retries} retries" if tally.retries else ""
        failures = f", {tally.failed} failed" if tally.failed else ""
        return f"; {spend.input_tokens + spend.output_tokens:,} tokens{cost}{waits}{retries}{failures}"

    with progress("Scored", total=len(job.conversations), detail=spent) as bar:
        return await score_run(run, job, model, at_once=at_once, on_scored=lambda _: bar.advance())


def score_deferred(job: ScoreJob, choice: ModelChoice, folder: Path) -> tuple[ConversationScore, ...]:
    """Return the scores as far as answers are stored; what is missing is recorded for export."""
    identity, capabilities = describe_model(choice)
    with open_run(folder, job, identity, limits=Limits()) as (run, again):
        deferred = DeferredModel(identity, capabilities, run.store)
        model = StoredModel(inner=deferred, store=run.store)
        return asyncio.run(score_run(run, again, model, at_once=AT_ONCE, on_scored=lambda _: None))


@contextmanager
def open_run(folder: Path, job: ScoreJob, identity: str, *, limits: Limits) -> Generator[tuple[Run, ScoreJob]]:
    """Open a run for a job, and yield both; a run that nobody let in leaves nothing behind."""
    with open_folder(folder, job.plan(identity), limits=limits) as run:
        write_job(run, job, copy=limits.copy)
        yield run, with_retry(job, run.record.retries)


@contextmanager
def open_folder(folder: Path, plan: RunPlan, *, limits: Limits) -> Generator[Run]:
    """Open a run's folder for any work; one that was made for it goes again where no model let anybody in."""
    is_new = not folder.exists()
    try:
        with Run.open(folder, plan, version=__version__) as run:
            run.note(retries=run.record.retries + limits.retry_unscored)
            yield run
    except (AccessError, InputError, MissingPartError, UnknownModelError, WeightsError):
        if is_new and not _has_answers(folder):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _has_answers(folder: Path) -> bool:
    if not (folder / "answers.db").exists():
        return False
    with AnswerStore(folder / "answers.db") as store:
        return store.count() > 0


def estimate(job: ScoreJob, choice: ModelChoice, folder: Path) -> Estimate:
    """Return what is still to be asked, without asking or writing anything."""
    identity, capabilities = describe_model(choice)
    counting = CountingModel(identity, capabilities)
    with tempfile.TemporaryDirectory() as scratch:
        existing = folder / "answers.db"
        path = Path(scratch) / "answers.db"
        if existing.exists():
            shutil.copyfile(existing, path)
        with AnswerStore(path) as store:
            model = StoredModel(inner=counting, store=store)
            plan = ScoringPlan(rubric=job.rubric, judging=job.judging, ends=job.ends)
            asyncio.run(score_conversations(job.conversations, model, plan=plan))
            if job.zero_shot:
                asyncio.run(ask_zero_shots(job.conversations, model, plan=plan))
    return counting.estimate(price_of(choice).price)


def print_estimate(job: ScoreJob, estimated: Estimate, *, json: bool) -> None:
    """Print what the work would cost."""
    if json:
        show_json({"conversations": len(job.conversations), **asdict(estimated)})
        return
    price = "price unknown" if estimated.cost is None else f"at most ${estimated.cost:.4f}"
    show(
        f"{len(job.conversations)} conversations: {estimated.calls} calls, about {estimated.input_tokens:,} tokens in, "
        f"at most {estimated.output_tokens:,} out; {price}. What is stored already is not counted."
    )


def print_outcome(scores: tuple[ConversationScore, ...], folder: Path, *, json: bool) -> None:
    """Print how the scoring went; exit with 1 when something is missing."""
    tally = tally_scores(scores)
    reasons = {reason.value: count for reason, count in tally.reasons.items()}
    refused = run_cut_refusal(folder, scores)
    if json:
        counts = {"scored": tally.scored, "unscored": tally.unscored, "without_cuts": refused.n if refused else 0}
        show_json({"run": str(folder), **counts, "missing_items": reasons})
    else:
        show(f"{tally.scored} of {len(scores)} conversations are scored: {folder / 'scores.jsonl'}")
        if reasons:
            say("Missing items: " + ", ".join(f"{count} {reason}" for reason, count in reasons.items()) + ".")
        if refused:
            say(refused.text)
        if tally.open:
            say("Run the same command again to go on where this stopped.")
        say(f"See them with: userside report {folder}")
    if reasons:
        raise typer.Exit(1)
