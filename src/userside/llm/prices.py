"""What a call cost, from the price list that ships with genai-prices: no network. Unknown is None, never 0."""

from dataclasses import dataclass

from userside.llm.exchange import Reply, Usage

FREE = frozenset({"local", "hub", "scripted"})
"""Providers that charge nothing: the model runs on this machine, or does not run at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """What one model costs.

    Attributes:
        provider: As in `provider:model`.
        model: The provider's name for it.
        own_address: It is reached by `--base-url`: whoever runs it, no list knows what they charge.
    """

    provider: str
    model: str
    own_address: bool = False

    def cost_of(self, usage: Usage) -> float | None:
        """Return US dollars, or None where the price or the tokens are not known.

        >>> hundred_thousand = Usage(input_tokens=100_000, output_tokens=0)
        >>> PriceList(provider="openai", model="gpt-4o-mini").cost_of(hundred_thousand)
        0.015
        >>> PriceList(provider="openai", model="somebody's finetune").cost_of(hundred_thousand) is None
        True
        """
        if self.provider in FREE:
            return 0.0
        if self.own_address or self.provider == "ollama" or usage.input_tokens is None or usage.output_tokens is None:
            return None
        return _listed_cost(self.provider, self.model, usage)

    @property
    def is_unknown(self) -> bool:
        """Tell whether no list knows what the model costs."""
        return self.cost_of(Usage(input_tokens=1000, output_tokens=1000)) is None

    def price(self, reply: Reply) -> float | None:
        """Return what a reply cost in US dollars, or None; the form that `StoredModel` takes."""
        return self.cost_of(reply.usage)


def _listed_cost(provider: str, model: str, usage: Usage) -> float | None:
    import genai_prices

    tokens = genai_prices.Usage(
        input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cache_read_tokens=usage.cached_tokens
    )
    try:
        cost = float(genai_prices.calc_price(tokens, model, provider_id=provider).total_price)
    except (LookupError, ValueError):  # no such provider or model
        return None
    return cost or None  # listed without a price, or without tokens to charge for
