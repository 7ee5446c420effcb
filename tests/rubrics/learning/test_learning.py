"""All stages: where each can stop, what goes on, and that it comes to the same."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.rubrics.learning.planted import plant, reply
from userside.conversations import Conversation, Feedback, Label
from userside.errors import AccessError, ModelError, RateLimitedError, RefusedError, TransientError
from userside.llm import (
    AnswerStore,
    Budget,
    Capabilities,
    DeferredEmbeddingModel,
    DeferredModel,
    EmbeddingModel,
    Encoded,
    HashingEmbeddingModel,
    Model,
    Passage,
    Reason,
    Reply,
    Request,
    ScriptedModel,
    StoredEmbedder,
    StoredModel,
)
from userside.rubrics import (
    Learned,
    LearningModels,
    LearnSettings,
    Side,
    Stage,
    learn_rubric,
    make_job,
    with_learn_retry,
)

SETTINGS = LearnSettings(share=1.0, items=3, batch_size=10, folds=2)
CHATS = plant(40)


def learn(
    model: Model,
    *,
    chats: Sequence[Conversation] = CHATS,
    settings: LearnSettings = SETTINGS,
    embedder: EmbeddingModel | None = None,
    store: AnswerStore | None = None,
    budget: Budget = Budget(),
    at_once: int = 64,
    retry: int = 0,
) -> Learned:
    job = with_learn_retry(make_job(chats, settings, inputs={}, source="planted", at_once=at_once), retry)
    with nullcontext(store) if store else AnswerStore(Path(":memory:")) as kept:
        asked = StoredModel(inner=model, store=kept, budget=budget)
        vectors = StoredEmbedder(embedder or HashingEmbeddingModel(), kept, runs_here=True)
        models = LearningModels(extractor=asked, judge=asked, embedder=vectors)
        return asyncio.run(learn_rubric(job.sample, models, learning=job.learning))


@pytest.fixture(scope="module")
def whole() -> Learned:
    """What comes of it where nothing fails."""
    learned = learn(ScriptedModel(reply))
    assert learned.stage is Stage.DONE
    assert learned.rubric is not None
    assert learned.fitted is not None
    return learned


def is_(request: Request, stage: str) -> bool:
    """Tell whether a request belongs to a stage."""
    properties = (request.schema or {})["properties"]
    kind = "score" if "entries" not in properties else ("extract" if "quote" in str(properties) else "summarize")
    return kind == stage


def failing(stage: str, error: ModelError) -> ScriptedModel:
    return ScriptedModel(lambda request: error if is_(request, stage) else reply(request))


STAGES = {"extract": Stage.EXTRACT, "summarize": Stage.SUMMARIZE, "score": Stage.SCORE}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RateLimitedError("slower"), Reason.RATE_LIMITED),
        (TransientError("later", reason="timeout"), Reason.TIMEOUT),
        (TransientError("later", reason="server_error"), Reason.SERVER_ERROR),
    ],
)
def test_what_fails_for_now_stops_at_its_stage_and_goes_on_from_there(
    stage: str, error: ModelError, reason: Reason, whole: Learned
) -> None:
    with AnswerStore(Path(":memory:")) as store:
        stopped = learn(failing(stage, error), store=store)
        assert (stopped.stage, stopped.open, stopped.failed) == (STAGES[stage], reason, "")
        again = ScriptedModel(reply)
        assert learn(again, store=store) == whole
        assert all(is_(request, "score") or stage != "score" for request in again.asked)
        assert not any(is_(request, "extract") for request in again.asked) or stage == "extract"


@pytest.mark.parametrize("stage", STAGES)
def test_what_waits_is_not_asked_anew_beside_it(stage: str) -> None:
    once, anew = (failing(stage, RateLimitedError("slower")) for _ in range(2))
    assert learn(anew, retry=2).open is Reason.RATE_LIMITED
    learn(once)
    assert len(anew.asked) == len(once.asked)


def test_answers_from_elsewhere_come_stage_by_stage(whole: Learned) -> None:
    with AnswerStore(Path(":memory:")) as store:
        deferred = DeferredModel("scripted:scripted", Capabilities(), store)
        embedder = DeferredEmbeddingModel("scripted:hashing", store)
        rounds = [learn(deferred, store=store, embedder=embedder)]
        while rounds[-1].open is Reason.PENDING and len(rounds) < 12:
            asyncio.run(answer_all(store))
            rounds.append(learn(deferred, store=store, embedder=embedder))
        assert rounds[-1] == whole
        assert list(dict.fromkeys(one.stage for one in rounds)) == list(Stage)
        assert list(store.pending()) == []


async def answer_all(store: AnswerStore) -> None:
    for key, identity, waiting in list(store.pending()):
        if isinstance(waiting, Passage):
            embedder = StoredEmbedder(HashingEmbeddingModel(), store)
            await embedder.embed([waiting.text], subjects=[waiting.subjects])
            continue
        said = await ScriptedModel(reply).ask(waiting)
        store.keep(key, said, identity=identity, subjects=waiting.subjects, cost=None)


def test_a_budget_stops_at_any_call_and_a_higher_one_asks_the_rest(whole: Learned) -> None:
    needed = ScriptedModel(reply)
    assert learn(needed) == whole
    asked: list[str] = []
    learned = None
    with AnswerStore(Path(":memory:")) as store:
        for allowed in range(0, len(needed.asked) + 9, 9):
            model = ScriptedModel(reply)
            learned = learn(model, store=store, budget=Budget(max_calls=allowed))
            asked += [request.key("x") for request in model.asked]
            assert len(asked) <= allowed
            if allowed < len(needed.asked):
                assert learned.open is Reason.BUDGET
        assert learned == whole
    assert len(asked) == len(set(asked)) == len(needed.asked)


@pytest.mark.parametrize("at_once", [1, 3])
def test_it_comes_to_the_same_however_many_are_under_way(at_once: int, whole: Learned) -> None:
    assert learn(ScriptedModel(reply), at_once=at_once) == whole


TWO_AT_ONCE = Capabilities(concurrency=2)


@dataclass(slots=True)
class Crowd:
    """A model that can have two calls under way, and says how many there were."""

    capabilities: Capabilities = TWO_AT_ONCE
    identity: str = "scripted:scripted"
    under_way: int = 0
    most: int = 0

    async def ask(self, request: Request) -> Reply:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        return Reply(text=reply(request))


def test_a_model_that_says_how_much_it_can_do_at_once_is_believed(whole: Learned) -> None:
    crowd = Crowd()
    settings = replace(SETTINGS, folds=0)
    assert learn(crowd, settings=settings).extractions == whole.extractions
    assert crowd.most == 2


@pytest.mark.parametrize("stage", STAGES)
def test_where_nobody_is_let_in_the_one_error_says_so(stage: str) -> None:
    with pytest.raises(AccessError, match="no key"):
        learn(failing(stage, AccessError("no key")))


class Spoilt:
    """An embedding model that fails."""

    identity = "scripted:hashing"
    dimensions = 8

    def __init__(self, error: ModelError) -> None:
        self.error = error

    async def encode(self, passages: Sequence[Passage]) -> Encoded:  # noqa: ARG002 - the signature of a model
        raise self.error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TransientError("later", reason="timeout"), Reason.SERVER_ERROR),
        (RateLimitedError("slower"), Reason.RATE_LIMITED),
    ],
)
def test_an_embedder_that_fails_for_now_is_waited_for(error: ModelError, reason: Reason, whole: Learned) -> None:
    with AnswerStore(Path(":memory:")) as store:
        stopped = learn(ScriptedModel(reply), store=store, embedder=Spoilt(error))
        assert (stopped.stage, stopped.open, stopped.rubric) == (Stage.ASSIGN, reason, None)
        assert learn(ScriptedModel(reply), store=store) == whole


def test_an_embedder_that_refuses_ends_it_with_what_was_found() -> None:
    learned = learn(ScriptedModel(reply), embedder=Spoilt(RefusedError("too rude", reason="content_filter")))
    assert (learned.stage, learned.open) == (Stage.ASSIGN, None)
    assert learned.failed == "the embedder refuses a reason or an item: too rude"
    assert len(learned.patterns) > 20


def nothing(_: Request) -> str:
    return '{"entries": []}'


def refusing(_: Request) -> str:
    return "I'm sorry, but I can't help with that."


def inventing(_: Request) -> str:
    return '{"entries": [{"quote": "Oh!", "reason": "The user sighs."}]}'


def one_sided(request: Request) -> str:
    return reply(request) if "was satisfied" in request.messages[0].text else nothing(request)


@pytest.mark.parametrize(
    ("stage", "said", "failed"),
    [
        ("extract", nothing, "none of the 20 conversations gave one: 20 have none by the extractor"),
        ("extract", refusing, "0 only some that their users' words do not hold, 20 no answer"),
        ("extract", inventing, "20 only some that"),
        ("extract", one_sided, "wanted reasons of dissatisfied users"),
        ("summarize", refusing, "the patterns of satisfied users could not be summarized: refused"),
        ("summarize", nothing, "could not be summarized: unreadable (the summarizer gave no item)"),
    ],
)  # fmt: skip
def test_nothing_to_learn_from_is_said_in_a_sentence(stage: str, said: Callable[[Request], str], failed: str) -> None:
    learned = learn(ScriptedModel(lambda request: said(request) if is_(request, stage) else reply(request)))
    assert failed in learned.failed
    assert (learned.rubric, learned.open) == (None, None)


def test_conversations_that_fail_for_good_leave_the_rest_alone(whole: Learned) -> None:
    filtered = RefusedError("filtered", reason="content_filter")
    dropped = {one.id for one in CHATS[:6]}
    learned = learn(
        ScriptedModel(lambda one: filtered if one.subjects & dropped and is_(one, "extract") else reply(one))
    )
    assert learned.stage is Stage.DONE
    assert {one.id for one in learned.extractions if one.reason is Reason.CONTENT_FILTER} == dropped
    kept = [one for one in whole.extractions if one.id not in dropped]
    assert [one for one in learned.extractions if one.id not in dropped] == kept
    assert learned.rubric is not None
    assert not dropped & {evidence.id for item in learned.rubric.items for evidence in item.evidence}


def neutral(conversation: Conversation) -> Conversation:
    return replace(conversation, id=f"n-{conversation.id}", feedback=(Feedback(by="rule:label", label=Label.NEUTRAL),))


def test_the_neutral_are_not_asked_for_reasons_and_the_cuts_leave_room_for_them() -> None:
    chats = [replace(one, feedback=(Feedback(by="rule:label", label=one.feedback[0].label),)) for one in CHATS]
    silent = [neutral(one) for one in plant(12, seed=5, strength=0.0)]
    model = ScriptedModel(reply)
    learned = learn(model, chats=[*chats, *silent])
    assert {one.side for one in learned.extractions} == set(Side)
    assert len(learned.extractions) == 40
    assert len(learned.scores) == 52
    assert learned.fitted is not None
    assert learned.fitted.fitted_to[Label.NEUTRAL] == 12
    assert learned.fitted.cuts.dissatisfied_below < learned.fitted.cuts.satisfied_above


def test_without_folds_the_rubric_scores_what_it_was_learned_from(whole: Learned) -> None:
    local = ScriptedModel(reply, capabilities=Capabilities(shares_prefix=True))
    model = ScriptedModel(reply)
    once = learn(model, settings=replace(SETTINGS, folds=0))
    assert learn(local, settings=replace(SETTINGS, folds=None)) == once
    assert once.rubric is not None
    assert whole.rubric is not None
    assert once.rubric.items == whole.rubric.items
    names = {item.name for item in once.rubric.items}
    assert all(set(score.items) == names for score in once.scores)
