"""Words and figures that the sections of a report share."""

from dataclasses import dataclass
from math import floor

from userside.conversations import Label
from userside.llm import Elicited, Reason
from userside.render import Estimate, Missing, Tone, render_number, render_percent
from userside.render import Rate as RateCell
from userside.statistics import Bootstrap, Interval, Rate, rate_of

TONES = {Label.SATISFIED: Tone.GOOD, Label.DISSATISFIED: Tone.BAD, Label.NEUTRAL: Tone.NEUTRAL}
ORDER = (Label.SATISFIED, Label.NEUTRAL, Label.DISSATISFIED)

ELICITED = {
    Elicited.SCHEMA: "The judge filled in a form whose shape the endpoint enforced (*schema*): for each pattern the "
    "user's words, yes or no, and a score.",
    Elicited.TEXT: "The judge answered in writing and the answer was read (*text*): for each pattern the user's words, "
    "yes or no, and a score.",
    Elicited.TOKENS: "For each pattern the probability of the word Yes was read off the model (*tokens*). Nothing else "
    "is written, so there are no quotes; a score is ten times that probability.",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a reason means, and what to do about it, for someone who has never read this code."""

    meaning: str
    remedy: str


_AGAIN = "Run the same command again; what was answered is kept."
_ANOTHER_JUDGE = "Run it again with --retry-unscored, or use a stronger judge."
_SMALLER = "Ask for fewer items in one call (--items-per-call), or use a stronger judge."

REASONS = {
    Reason.EMPTY: Explanation("The judge's answer was empty.", _ANOTHER_JUDGE),
    Reason.TRUNCATED: Explanation("The judge's answer was cut off at its length limit, twice.", _SMALLER),
    Reason.REFUSED: Explanation("The judge declined to answer.", "Use another judge."),
    Reason.UNREADABLE: Explanation("The judge's answer could not be understood.", _ANOTHER_JUDGE),
    Reason.OUT_OF_RANGE: Explanation("The judge gave a number outside the scale.", _ANOTHER_JUDGE),
    Reason.CONTRADICTION: Explanation("The judge contradicted itself, such as Yes with a score of 0.", _ANOTHER_JUDGE),
    Reason.MISSING: Explanation("The judge answered other items and left this one out.", _SMALLER),
    Reason.ECHO: Explanation("The judge repeated the question instead of answering it.", "Use a stronger judge."),
    Reason.NO_PROBABILITIES: Explanation(
        "The judge put hardly any probability on Yes or No.", "Use another judge, or --elicit schema."
    ),
    Reason.CONTENT_FILTER: Explanation("The provider's content filter stopped the answer.", "Use another provider."),
    Reason.CONTEXT_WINDOW: Explanation(
        "The conversation is longer than the judge can read.", "Use a judge with a larger context window."
    ),
    Reason.BAD_REQUEST: Explanation(
        "The provider turned the request down.", "Read the detail in scores.jsonl; often a setting is not supported."
    ),
    Reason.RATE_LIMITED: Explanation("The provider had too many requests for too long.", _AGAIN),
    Reason.TIMEOUT: Explanation("The provider did not answer in time.", _AGAIN),
    Reason.SERVER_ERROR: Explanation("The provider had a fault.", _AGAIN),
    Reason.CONNECTION: Explanation("The provider could not be reached.", _AGAIN),
    Reason.NOTHING_TO_JUDGE: Explanation(
        "The conversation has no text of its user.", "Nothing: there is nothing to go by."
    ),
    Reason.PENDING: Explanation("It waits for an answer from a batch.", "Import the batch's answers."),
    Reason.BUDGET: Explanation("The allowed calls or money were used up.", "Run it again with a higher limit."),
    Reason.FORGOTTEN: Explanation("The person withdrew.", "Nothing: it is not asked again."),
}


def counted(number: int, noun: str, *, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "conversation"), counted(1200, "user")
    ('1 conversation', '1,200 users')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def literal(text: str) -> str:
    """Return a stranger's words with nothing in them that prose would read as emphasis, nor a line of its own."""
    return " ".join(text.replace("*", "∗").replace("`", "ˋ").split())


def percent(share: float | None) -> str:
    """Return a share as a whole percentage, or a dash."""
    return "–" if share is None else render_percent(share, decimals=0)


def interval_words(interval: Interval | None) -> str | None:
    """Return an interval of shares as a headline says it."""
    if interval is None:
        return None
    low, high = (render_number(100 * end) for end in (interval.low, interval.high))
    return f"{low} to {high} %"


def rate_cell(rate: Rate) -> RateCell:
    """Return a rate as a table's cell."""
    low, high = (rate.interval.low, rate.interval.high) if rate.interval else (None, None)
    return RateCell(numerator=rate.numerator, denominator=rate.denominator, low=low, high=high)


def counts_cell(numerator: int, denominator: int) -> RateCell:
    """Return counts as a table's cell, with Wilson's interval."""
    return rate_cell(rate_of(numerator, denominator=denominator))


def rate_estimate(rate: Rate) -> Estimate | None:
    """Return a rate for a headline's scale; None when nothing was counted."""
    if rate.value is None:
        return None
    low, high = (rate.interval.low, rate.interval.high) if rate.interval else (None, None)
    return Estimate(value=rate.value, low=low, high=high)


def bootstrap_cell(figure: Bootstrap | None) -> Estimate | Missing:
    """Return a figure as a table's cell."""
    if figure is None or figure.estimate is None:
        return Missing(reason="one group only")
    low, high = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
    return Estimate(value=figure.estimate, low=low, high=high)


def times(auc: float, *, short: bool = False) -> str:
    """Return a chance in words, never rounded up to certainty.

    >>> times(0.912), times(0.97), times(1.0)
    ('9 times in 10', '97 times in 100', 'every time')
    >>> times(0.912, short=True)
    '9 in 10'
    """
    if auc in {0.0, 1.0}:
        return "every time" if auc else "never"
    in_tenths = 0.05 <= auc < 0.95  # noqa: PLR2004 - beyond, tenths would say always or never
    often, of = (round(10 * auc), 10) if in_tenths else (min(99, max(1, floor(100 * auc))), 100)
    return f"{often} in {of}" if short else f"{counted(often, 'time')} in {of}"


def score_words(total: float | None) -> str:
    """Return R as it stands beside a conversation."""
    return "no R" if total is None else f"R {signed(total)}"


def signed(value: float) -> str:
    """Return a figure with its sign, and a decimal where it has one.

    >>> signed(7), signed(-2.54), signed(0)
    ('+7', '−2.5', '0')
    """
    rounded = round(value, 1)
    written = render_number(rounded, decimals=0 if rounded == int(rounded) else 1)
    return f"+{written}" if rounded > 0 else written


def shortened(text: str, *, longest: int = 200) -> str:
    """Return the beginning of a text on one line.

    >>> shortened("one two three", longest=8)
    'one two…'
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"
