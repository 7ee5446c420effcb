"""What `learn` and `batch start learn` have in common: who does what, doing it in a run's folder, how it went."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from userside.cli import settings
from userside.cli.console import Progress, say, show, show_json
from userside.cli.scoring_work import AT_ONCE, Limits, at_once_of, check_price, open_folder, price_of, read_all
from userside.errors import RunError
from userside.llm import (
    Budget,
    DeferredEmbeddingModel,
    DeferredModel,
    Model,
    ModelChoice,
    Pace,
    PacedModel,
    Reason,
    Run,
    StoredEmbedder,
    StoredModel,
    describe_model,
    encoder_entry,
    file_sha256,
    find_weights,
    open_embedder,
    open_model,
    read_embedder_name,
    read_model_name,
    read_run,
    store_embedder,
)
from userside.rubrics import (
    Learned,
    LearningModels,
    LearnJob,
    LearnSettings,
    Side,
    Stage,
    estimate_learning,
    learn_run,
    make_job,
    render_learned,
    with_learn_retry,
    write_learn_job,
)

BY_WORDS = "scripted:words"
BY_MEANING = "local:all-minilm-l6-v2"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleFlags:
    """Who the user said does what."""

    model: str | None
    extractor: str | None = None
    judge: str | None = None
    embedder: str | None = None
    base_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Who does what."""

    extractor: ModelChoice
    judge: ModelChoice
    embedder: ModelChoice

    @property
    def identities(self) -> dict[str, str]:
        """Return the identity by role, without opening anything; the embedder's as far as its name tells."""
        embedder = self.embedder
        return {
            "extractor": describe_model(self.extractor)[0],
            "judge": describe_model(self.judge)[0],
            "embedder": f"{embedder.provider}:{embedder.model}" if embedder.runs_here else describe_model(embedder)[0],
        }


def choose_roles(flags: RoleFlags, *, folder: Path, concurrency: int | None = None) -> Roles:
    """Return who does what, by flag, environment or file; a run that is there keeps its embedder."""

    def model(role: str, flag: str | None) -> ModelChoice:
        named = settings.model_name(role, flag or flags.model)
        address = settings.base_url(role, flags.base_url)
        return read_model_name(named, base_url=address, concurrency=concurrency or AT_ONCE)

    return Roles(
        extractor=model("extractor", flags.extractor),
        judge=model("judge", flags.judge),
        embedder=_choose_embedder(flags, folder=folder),
    )


def _choose_embedder(flags: RoleFlags, *, folder: Path) -> ModelChoice:
    named = settings.optional_model_name("embedder", flags.embedder)
    if named is not None:
        return read_embedder_name(named, base_url=settings.base_url("embedder", None))
    return embedder_of(_embedder_kept(folder) or _embedder_here())


def embedder_of(identity: str) -> ModelChoice:
    """Return the embedder that a run names in its plan, with the address it was asked at."""
    name, at, rest = identity.partition("@http")
    return read_embedder_name(name, base_url=f"http{rest}" if at else None)


def _embedder_kept(folder: Path) -> str | None:
    try:
        return read_run(folder).plan.models.get("embedder")
    except RunError:
        return None


def _embedder_here() -> str:
    entry = encoder_entry(BY_MEANING.partition(":")[2])
    is_here = find_weights(entry.weights) is not None and find_weights(entry.tokenizer) is not None
    return BY_MEANING if is_here else BY_WORDS


def build_learn_job(
    file: Path,
    settings: LearnSettings,
    *,
    prompts: Path | None,
    format: str | None,  # noqa: A002 - the flag's name
    roles: Roles,
) -> LearnJob:
    """Return the work, read from files; nothing is written yet."""
    return make_job(
        read_all(file, format=format),
        settings,
        inputs={file.name: file_sha256(file)},
        source=str(file.resolve()),
        prompts=prompts,
        at_once=describe_model(roles.extractor)[1].concurrency or roles.extractor.concurrency,
    )


def learn_live(job: LearnJob, roles: Roles, folder: Path, *, limits: Limits) -> Learned:
    """Return what a run learns, asking for what is not stored; with progress on stderr."""
    for choice in (roles.extractor, roles.judge):
        check_price(choice, limits.budget)

    async def go() -> Learned:
        # The run is opened first: other work in the folder is refused before any model is fetched or loaded.
        with open_learn_run(folder, job, roles, limits=limits) as (run, again):
            async with _opened(roles, run, budget=limits.budget) as models:
                steps = _Steps()
                try:
                    return await learn_run(run, again, models, on_step=steps.advance)
                finally:
                    steps.finish()

    return asyncio.run(go())


@asynccontextmanager
async def _opened(roles: Roles, run: Run, *, budget: Budget) -> AsyncGenerator[LearningModels]:
    async with AsyncExitStack() as stack:
        extractor = _kept(await stack.enter_async_context(open_model(roles.extractor)), roles.extractor, run, budget)
        judge = extractor
        if roles.judge != roles.extractor:
            judge = _kept(await stack.enter_async_context(open_model(roles.judge)), roles.judge, run, budget)
        bare = await stack.enter_async_context(open_embedder(roles.embedder))
        embedder = store_embedder(bare, roles.embedder, run.store, budget=budget)
        yield LearningModels(extractor=extractor, judge=judge, embedder=embedder)


def _kept(bare: Model, choice: ModelChoice, run: Run, budget: Budget) -> StoredModel:
    paced = PacedModel(bare, pace=Pace(limit=at_once_of(bare, choice)))
    return StoredModel(inner=paced, store=run.store, budget=budget, price=price_of(choice).price)


@dataclass(slots=True)
class _Steps:
    """One bar a stage."""

    stage: Stage | None = None
    bar: Progress | None = None

    def advance(self, stage: Stage, total: int) -> None:
        if stage is not self.stage or self.bar is None:
            self.finish()
            self.stage, self.bar = stage, Progress(_DOING[stage], total, str)
        self.bar.advance()

    def finish(self) -> None:
        if self.bar is not None:
            self.bar.finish()
            self.bar = None


_DOING = {
    Stage.EXTRACT: "Asked for reasons",
    Stage.SUMMARIZE: "Summarized sides",
    Stage.ASSIGN: "Assigned evidence",
    Stage.SCORE: "Scored training conversations",
    Stage.DONE: "Done",
}


@contextmanager
def open_learn_run(folder: Path, job: LearnJob, roles: Roles, *, limits: Limits) -> Generator[tuple[Run, LearnJob]]:
    """Open a run for a job, and yield both; a run that nobody let in leaves nothing behind."""
    with open_folder(folder, job.plan(roles.identities), limits=limits) as run:
        write_learn_job(run, job, copy=limits.copy)
        yield run, with_learn_retry(job, run.record.retries)


async def learn_deferred(run: Run, job: LearnJob, roles: Roles) -> Learned:
    """Return what a run learns as far as answers are stored; what is missing is recorded for export.

    Vectors are made at once where the embedder runs here; else they are awaited too.
    """
    identities = {role: describe_model(choice) for role, choice in (("e", roles.extractor), ("j", roles.judge))}
    extractor, judge = (
        StoredModel(inner=DeferredModel(identity, capabilities, run.store), store=run.store)
        for identity, capabilities in (identities["e"], identities["j"])
    )
    async with AsyncExitStack() as stack:
        if roles.embedder.runs_here:
            bare = await stack.enter_async_context(open_embedder(roles.embedder))
            embedder = store_embedder(bare, roles.embedder, run.store)
        else:
            embedder = StoredEmbedder(DeferredEmbeddingModel(roles.identities["embedder"], run.store), run.store)
        models = LearningModels(extractor=extractor, judge=judge, embedder=embedder)
        return await learn_run(run, job, models)


def print_learn_estimate(job: LearnJob, roles: Roles, *, json: bool) -> None:
    """Print what learning would cost at most, nothing being stored yet."""
    estimated = asyncio.run(
        estimate_learning(
            job,
            extractor=(*describe_model(roles.extractor), price_of(roles.extractor).price),
            judge=(*describe_model(roles.judge), price_of(roles.judge).price),
        )
    )
    if json:
        show_json(
            {"training_conversations": len(job.sample.ids), **{part: asdict(one) for part, one in estimated.items()}}
        )
        return
    show(f"Learning from {len(job.sample.ids)} conversations, nothing being stored yet:")
    for part, one in estimated.items():
        price = "price unknown" if one.cost is None else f"at most ${one.cost:.4f}"
        tokens = f"about {one.input_tokens:,} tokens in, at most {one.output_tokens:,} out"
        show(f"  {part}: {one.calls} calls, {tokens}; {price}")


def print_learned(learned: Learned, job: LearnJob, folder: Path, *, json: bool) -> None:
    """Print the rubric, or how far learning came; exit with 1 when something is missing."""
    if json:
        show_json(
            {
                "run": str(folder),
                "stage": learned.stage.value,
                "waits_for": learned.open.value if learned.open else None,
                "rubric": str(folder / "rubric.json") if learned.open is None else None,
                "items": {side.value: len(learned.rubric.side(side)) if learned.rubric else 0 for side in Side},
                "cuts": learned.fitted is not None,
                "notes": list(learned.notes),
            }
        )
    else:
        show(render_learned(learned, job.sample))
        if learned.open is not None:
            say(f"Not done: it waits at the stage “{learned.stage.value}” ({learned.open.value}).")
            say(_how_to_go_on(learned.open))
        else:
            show(f"The rubric: {folder / 'rubric.json'}")
            say(f"Score with it: userside score FILE --rubric {folder} --model MODEL -o scores")
    if learned.open is not None:
        raise typer.Exit(1)


def _how_to_go_on(waits_for: Reason) -> str:
    if waits_for is Reason.BUDGET:
        return "Run the same command with a higher --max-calls or --max-cost to go on where this stopped."
    return "Run the same command again to go on where this stopped."
