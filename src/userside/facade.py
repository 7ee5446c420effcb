"""The library without `await`: for notebooks, scripts, web applications and tests alike.

Coroutines run on one loop in a background thread, so that this works where a loop runs already.
"""

import asyncio
import threading
from collections.abc import Coroutine, Iterable
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from userside.conversations import Conversation
from userside.llm import (
    Model,
    Pace,
    PacedModel,
    Run,
    StoredModel,
    open_embedder,
    open_model,
    read_embedder_name,
    read_model_name,
    read_prompts,
    store_embedder,
)
from userside.rubrics import (
    ConversationScore,
    Judging,
    Learned,
    LearningModels,
    LearnJob,
    LearnSettings,
    Rubric,
    ScoreJob,
    ScoringPlan,
    learn_run,
    make_job,
    open_rubric,
    score_conversations,
    score_run,
    write_job,
    write_learn_job,
)

AT_ONCE = 64


def wait_for[T](work: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns, or raise what it raises; whether or not a loop runs here already.

    >>> async def answer() -> int:
    ...     return 42
    >>> wait_for(answer())
    42
    """
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="userside", daemon=True).start()
    return loop


def score(
    conversations: Iterable[Conversation],
    *,
    model: Model | str,
    rubric: Rubric | str = "builtin:general",
    folder: Path | str | None = None,
) -> tuple[ConversationScore, ...]:
    """Return the score of each conversation, in their order (SPUR, section 3.3).

    Args:
        conversations: What was said.
        model: A model, or the name of one, such as `local:qwen2.5-coder-1.5b`.
        rubric: A rubric, or the name of one: `builtin:NAME`, a rubric.json, the folder of a `learn` run.
        folder: Keep every answer in this run folder and go on from what it holds; None keeps nothing.

    Raises:
        UsersideError: The rubric, the model or the folder cannot be used.

    Example:
        >>> from userside.conversations import read_sample
        >>> from userside.llm import ScriptedModel
        >>> [one] = score(read_sample("everyday")[:1], model=ScriptedModel(lambda request: "I had rather not say."))
        >>> one.R is None, one.missing == len(open_rubric("builtin:general").items)
        (True, True)
    """
    chosen = open_rubric(rubric) if isinstance(rubric, str) else rubric
    judging = Judging(prompts=read_prompts("userside.rubrics"))
    work = _Work(tuple(conversations), chosen, judging, None if folder is None else Path(folder))
    return wait_for(work.with_named(model) if isinstance(model, str) else work.with_model(model))


def learn(
    conversations: Iterable[Conversation],
    *,
    model: Model | str,
    settings: LearnSettings | None = None,
    embedder: str = "scripted:words",
    folder: Path | str | None = None,
) -> Learned:
    """Return the rubric that labelled conversations give, or how far learning came (SPUR, section 3).

    Args:
        conversations: What was said, with labels of whole conversations.
        model: Extracts, summarizes and judges: a model, or the name of one.
        settings: Items, share, seed and the like; None takes the paper's.
        embedder: Tells which words stand behind which item; by default texts are alike as far as they share words.
        folder: Keep every answer in this run folder and go on from what it holds; None keeps nothing.

    Raises:
        UsersideError: There are too few labels, no reasons, or the model or the folder cannot be used.

    Example:
        >>> from userside.conversations import read_sample
        >>> from userside.errors import RubricError
        >>> from userside.llm import ScriptedModel
        >>> try:
        ...     learn(read_sample("everyday"), model=ScriptedModel(lambda request: "NONE"))
        ... except RubricError as error:
        ...     print(str(error).partition(": ")[2].partition(",")[0])
        wanted reasons of satisfied users
    """
    job = make_job(tuple(conversations), settings or LearnSettings(), inputs={}, source="")
    with TemporaryDirectory() as scratch:
        work = _learn_in(Path(scratch) / "run" if folder is None else Path(folder), job, model, embedder)
        return wait_for(work)


async def _learn_in(folder: Path, job: LearnJob, model: Model | str, embedder: str) -> Learned:
    async with AsyncExitStack() as stack:
        if isinstance(model, str):
            choice = read_model_name(model)
            bare = await stack.enter_async_context(open_model(choice))
            model = PacedModel(bare, pace=Pace(limit=bare.capabilities.concurrency or choice.concurrency))
        embeds = read_embedder_name(embedder)
        vectors = await stack.enter_async_context(open_embedder(embeds))
        models = {"extractor": model.identity, "judge": model.identity, "embedder": vectors.identity}
        with Run.open(folder, job.plan(models)) as run:
            write_learn_job(run, job, copy=True)
            stored = StoredModel(inner=model, store=run.store)
            kept = store_embedder(vectors, embeds, run.store)
            return await learn_run(run, job, LearningModels(extractor=stored, judge=stored, embedder=kept))


class _Work:
    """One call of `score`."""

    def __init__(
        self, conversations: tuple[Conversation, ...], rubric: Rubric, judging: Judging, folder: Path | None
    ) -> None:
        self._conversations = conversations
        self._rubric = rubric
        self._judging = judging
        self._folder = folder

    async def with_named(self, name: str) -> tuple[ConversationScore, ...]:
        choice = read_model_name(name)
        async with open_model(choice) as bare:
            pace = Pace(limit=bare.capabilities.concurrency or choice.concurrency)
            return await self.with_model(PacedModel(bare, pace=pace))

    async def with_model(self, model: Model) -> tuple[ConversationScore, ...]:
        at_once = model.capabilities.concurrency or AT_ONCE
        if self._folder is None:
            plan = ScoringPlan(rubric=self._rubric, judging=self._judging, at_once=at_once)
            return await score_conversations(self._conversations, model, plan=plan)
        job = ScoreJob(
            conversations=self._conversations, inputs={}, source="", rubric=self._rubric, judging=self._judging
        )
        with Run.open(self._folder, job.plan(model.identity)) as run:
            write_job(run, job, copy=True)
            stored = StoredModel(inner=model, store=run.store)
            return await score_run(run, job, stored, at_once=at_once, on_scored=lambda _: None)
