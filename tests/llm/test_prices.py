"""Costs from the shipped price list: right where known, None where not, never a made-up 0."""

import pytest

from userside.llm import Reply, Usage
from userside.llm.prices import PriceList

MILLION = Usage(input_tokens=1_000_000, output_tokens=100_000)


@pytest.mark.parametrize(
    ("provider", "model"),
    [("openai", "gpt-4o-mini"), ("anthropic", "claude-haiku-4-5"), ("google", "gemini-2.5-flash")],
)
def test_known_models_have_a_price(provider: str, model: str) -> None:
    cost = PriceList(provider=provider, model=model).cost_of(MILLION)
    assert cost is not None
    assert 0.05 < cost < 10


def test_a_published_price_is_met() -> None:
    """0.15 and 0.60 dollars a million tokens, the published price of that model."""
    assert PriceList(provider="openai", model="gpt-4o-mini").cost_of(MILLION) == pytest.approx(0.15 + 0.06)


def test_cached_tokens_are_cheaper() -> None:
    prices = PriceList(provider="openai", model="gpt-4o-mini")
    cached = prices.cost_of(Usage(input_tokens=1_000_000, output_tokens=0, cached_tokens=1_000_000))
    plain = prices.cost_of(Usage(input_tokens=1_000_000, output_tokens=0))
    assert cached is not None
    assert plain is not None
    assert 0 < cached < plain


@pytest.mark.parametrize(
    "prices",
    [
        PriceList(provider="openai", model="a-finetune-nobody-lists"),
        PriceList(provider="nobody", model="gpt-4o-mini"),
        PriceList(provider="openai", model="gpt-4o-mini", own_address=True),
        PriceList(provider="ollama", model="qwen3"),
    ],
)
def test_an_unknown_price_is_none(prices: PriceList) -> None:
    assert prices.cost_of(MILLION) is None


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_unknown_tokens_have_no_price(usage: Usage) -> None:
    assert PriceList(provider="openai", model="gpt-4o-mini").cost_of(usage) is None


@pytest.mark.parametrize("provider", ["local", "scripted"])
def test_what_runs_here_is_free(provider: str) -> None:
    assert PriceList(provider=provider, model="any").price(Reply(text="7")) == 0.0
