"""Token probabilities read from what an endpoint reports."""

import math

import pytest

from userside.llm.responses import first_word, option_probabilities


@pytest.mark.parametrize(
    ("tokens", "options", "wanted"),
    [
        ({"Y": 0.5, " Y": 0.2, "y": 0.1, "N": 0.1}, ("Y", "N"), {"Y": 0.8, "N": 0.1}),
        ({"\u2581Yes": 0.5, "\u0120yes": 0.25, "No": 0.1}, ("Yes", "No"), {"Yes": 0.75, "No": 0.1}),
        ({"a": 0.5, "A": 0.25}, ("a", "A"), {"a": 0.5, "A": 0.25}),
        ({"7": 0.5, "10": 0.25, "1": 0.1}, ("1", "10"), {"1": 0.1, "10": 0.25}),
        ({"Perhaps": 0.9}, ("Y", "N"), {"Y": 0.0, "N": 0.0}),
    ],
)
def test_variants_of_an_option_count_together(
    tokens: dict[str, float], options: tuple[str, ...], wanted: dict[str, float]
) -> None:
    top = [{"token": token, "logprob": math.log(share)} for token, share in tokens.items()]
    found = option_probabilities({**top[0], "top_logprobs": top}, options=options)
    assert found == pytest.approx(wanted)


def test_a_line_break_before_the_answer_is_passed_over() -> None:
    tokens = [{"token": "\n", "logprob": -0.1}, {"token": "Y", "logprob": -0.2}]
    assert first_word(tokens) == tokens[1]
    assert first_word(tokens[:1]) == tokens[0]
    assert first_word([]) is None
