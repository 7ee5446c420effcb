"""The logistic baseline: out of fold, seeded, and about as good as was measured."""

import os
import random
from pathlib import Path
from statistics import fmean

import pytest

from tests.rubrics.said import said
from userside.conversations import Conversation, read_conversations
from userside.errors import LabelError
from userside.rubrics.signals import Signals, extract_signals, out_of_fold_signals
from userside.statistics import auc

ROOT = Path(__file__).parents[2]
USS = Path(os.environ.get("USERSIDE_USS", ROOT / "../shared/data/uss"))


def rows(count: int) -> tuple[dict[str, Signals], dict[str, bool]]:
    happy = {f"c{number:03}": number % 2 == 0 for number in range(count)}
    words = {True: ("Thanks, great!", "Yes please"), False: ("No, that's wrong", "That doesn't work")}
    return {id_: extract_signals(said(*words[good], language="en")) for id_, good in happy.items()}, happy


def test_a_plain_difference_is_found() -> None:
    signals, happy = rows(40)
    probabilities = out_of_fold_signals(signals, satisfied=happy)
    assert probabilities.keys() == happy.keys()
    assert auc([probabilities[id_] for id_ in happy], positive=list(happy.values())) == 1.0
    assert all(0 < probability < 1 for probability in probabilities.values())


def test_order_does_not_matter_and_the_seed_decides() -> None:
    signals, happy = rows(40)
    noise = random.Random(1)
    happy |= {id_: noise.random() < 0.5 for id_ in happy}
    first = out_of_fold_signals(signals, satisfied=happy, seed=1)
    backwards = dict(reversed(happy.items()))
    assert out_of_fold_signals(signals, satisfied=backwards, seed=1) == first
    assert out_of_fold_signals(signals, satisfied=happy, seed=2) != first


def test_it_has_not_seen_the_conversation_it_judges() -> None:
    signals, happy = rows(200)
    noise = random.Random(0)
    shuffled = dict(zip(happy, noise.sample(list(happy.values()), len(happy)), strict=True))
    probabilities = out_of_fold_signals(signals, satisfied=shuffled)
    found = auc([probabilities[id_] for id_ in shuffled], positive=list(shuffled.values()))
    assert found is not None
    assert found < 0.65


def test_missing_signals_are_no_obstacle() -> None:
    signals, happy = rows(40)
    unknown = {id_: extract_signals(said("ขอบคุณ", language="th")) for id_ in list(happy)[:10]}
    assert len(out_of_fold_signals(signals | unknown, satisfied=happy)) == 40
    everywhere = {id_: extract_signals(said("ขอบคุณ", language="th")) for id_ in happy}
    assert len(out_of_fold_signals(everywhere, satisfied=happy)) == 40


def test_too_few_of_a_label_is_an_error() -> None:
    signals, happy = rows(8)
    with pytest.raises(LabelError, match="wanted 5 or more conversations of each label, not 4"):
        out_of_fold_signals(signals, satisfied=happy)


def overall(conversation: Conversation) -> float:
    return fmean(entry.rating for entry in conversation.feedback if entry.turn is None and entry.rating is not None)


@pytest.mark.skipif(not USS.is_dir(), reason="USS is not here (USERSIDE_USS)")
def test_clearly_rated_dialogues_are_told_apart_as_measured() -> None:
    conversations = read_conversations(USS / "ReDial.txt").conversations()
    means = {conversation.id: overall(conversation) for conversation in conversations}
    clear = {id_: mean >= 3.34 for id_, mean in means.items() if mean >= 3.34 or mean <= 2.67}
    assert (sum(clear.values()), len(clear) - sum(clear.values())) == (336, 147)
    signals = {
        conversation.id: extract_signals(conversation) for conversation in conversations if conversation.id in clear
    }
    probabilities = out_of_fold_signals(signals, satisfied=clear)
    found = auc([probabilities[id_] for id_ in clear], positive=list(clear.values()))
    assert found is not None
    assert found > 0.79
