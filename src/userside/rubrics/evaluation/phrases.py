"""Figures in words: what is missing is a dash, never a zero."""

from collections.abc import Callable

from userside.statistics import Bootstrap, Rate

MISSING = "–"
LONGEST_NAME = 40
LONGEST_RIVAL = 20


def plain(text: str, *, longest: int = LONGEST_NAME) -> str:
    """Return a stranger's short text without what a terminal would act on."""
    visible = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return visible if len(visible) <= longest else f"{visible[: longest - 1]}…"


def short(name: str) -> str:
    """Return the name of another score, as a table has room for it."""
    return plain(name, longest=LONGEST_RIVAL)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "conversation")
    '1 conversation'
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def decimal(value: float | None, *, places: int = 2) -> str:
    """Return a figure, with a true minus where it is below 0.

    >>> decimal(-0.004), decimal(None)
    ('0.00', '–')
    """
    if value is None:
        return MISSING
    written = f"{abs(value):.{places}f}"
    return f"−{written}" if value < 0 and float(written) else written


def signed(value: float | None, *, places: int = 2) -> str:
    """Return a difference, always with its sign.

    >>> signed(0.25), signed(-0.25)
    ('+0.25', '−0.25')
    """
    written = decimal(value, places=places)
    return f"+{written}" if value is not None and value > 0 and float(written) else written


def bootstrap_text(figure: Bootstrap, *, places: int = 2, number: Callable[..., str] = decimal) -> str:
    """Return a figure with its interval, where there is one."""
    if figure.estimate is None or figure.interval is None:
        return number(figure.estimate, places=places)
    low, high = (number(end, places=places) for end in (figure.interval.low, figure.interval.high))
    return f"{number(figure.estimate, places=places)} [{low}, {high}]"


def signed_text(difference: Bootstrap) -> str:
    """Return a difference with its interval, where there is one, always with its sign."""
    return bootstrap_text(difference, number=signed)


def rate_text(rate: Rate) -> str:
    """Return a rate with its counts and its interval.

    >>> from userside.statistics import rate_of
    >>> rate_text(rate_of(8, denominator=25))
    '8/25  32 % [17, 52]'
    """
    if rate.value is None or rate.interval is None:
        return f"{rate.numerator:,}/{rate.denominator:,}  {MISSING}"
    low, high = (f"{100 * end:.0f}" for end in (rate.interval.low, rate.interval.high))
    return f"{rate.numerator:,}/{rate.denominator:,}  {100 * rate.value:.0f} % [{low}, {high}]"
