"""Numbers of accounts, cards and telephones, and what tells them from an order number, a date or a price.

All patterns run over folded text (ASCII digits, no zero-width characters; see `personal`) and take time in
proportion to its length: every repetition is bounded, or anchored on a sign that is rare.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from userside.conversations.personal_spans import Span


def find_ibans(text: str) -> Iterator[Span]:
    """Yield account numbers whose country, length and check digits (ISO 13616, mod 97) are right."""
    for found in IBAN.finditer(text):
        length = IBAN_LENGTHS.get(found.group()[:2].upper(), 0)
        places = [place for place, sign in enumerate(found.group()) if sign.isalnum()]
        if not 0 < length <= len(places):
            continue
        end = found.start() + places[length - 1] + 1
        if not text[end : end + 1].isalnum() and is_iban(text[found.start() : end]):
            yield found.start(), end


IBAN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}", re.IGNORECASE)
COUNTRIES_BY_LENGTH = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT SC",
    32: "LC",
}
IBAN_LENGTHS = {country: length for length, countries in COUNTRIES_BY_LENGTH.items() for country in countries.split()}


def is_iban(written: str) -> bool:
    """Tell whether the check digits hold.

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    signs = [sign for sign in written.upper() if sign.isalnum()]
    return int("".join(str(int(sign, 36)) for sign in signs[4:] + signs[:4])) % 97 == 1


def find_cards(text: str) -> Iterator[Span]:
    """Yield every unbroken Luhn-valid run of 13 to 19 digits, and grouped ones that begin like a card's number."""
    for found in DIGIT_GROUPS.finditer(text):
        groups = found.group().replace("-", " ").split(" ")
        starts = list(accumulate((len(group) + 1 for group in groups), initial=found.start()))
        for first, last in _cards_among(groups):
            yield starts[first], starts[last] + len(groups[last])


DIGIT_GROUPS = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,}")
DIGITS = re.compile(r"\d+")
SHORTEST_CARD, LONGEST_CARD = 13, 19
GROUP_SIZES = range(3, 7)
"""How many digits stand together on a card, and when somebody types one."""

MOST_GROUPS = LONGEST_CARD // GROUP_SIZES.start + 1

SPACED_OUT = 2
"""Digits a group at most when a number is spelt out."""


def _cards_among(groups: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last group of each card's number."""
    if len(groups) > 1 and all(len(group) <= SPACED_OUT for group in groups):
        if _is_card(groups):
            yield 0, len(groups) - 1
        return
    done = 0
    for first in range(len(groups)):
        if first < done:
            continue
        size = next((size for size in _window_sizes(groups, first) if _is_card(groups[first : first + size])), 0)
        if size:
            done = first + size
            yield first, done - 1


def _window_sizes(groups: Sequence[str], first: int) -> list[int]:
    """Return how many groups from the first have a card's number of digits, most first."""
    digits, sizes = 0, list[int]()
    for size, group in enumerate(groups[first : first + MOST_GROUPS], start=1):
        digits += len(group)
        if SHORTEST_CARD <= digits <= LONGEST_CARD:
            sizes.insert(0, size)
        if digits > LONGEST_CARD or len(group) not in GROUP_SIZES:
            break
    return sizes


def _is_card(groups: Sequence[str]) -> bool:
    # unbroken runs are taken whatever they begin with; grouped ones must begin like a card's
    if len(groups) > 1 and groups[0][0] not in "23456":
        return False
    digits = "".join(groups)
    return SHORTEST_CARD <= len(digits) <= LONGEST_CARD and is_luhn_valid(digits)


def is_luhn_valid(digits: str) -> bool:
    """Tell whether the last digit is the Luhn check digit of the others.

    >>> is_luhn_valid("4111111111111111"), is_luhn_valid("4111111111111112")
    (True, False)
    """
    return (sum(map(int, digits[-1::-2])) + sum(map(int, digits[-2::-2].translate(DOUBLED)))) % 10 == 0


DOUBLED = str.maketrans("0123456789", "0246813579")
"""Each digit doubled, less nine when that has two digits."""


def find_phones(text: str) -> Iterator[Span]:
    """Yield numbers in international form, in national form by their 0 or brackets, or after a word like `tel`."""
    for pattern in PHONES:
        for found in pattern.finditer(text):
            start, end = found.span("number")
            if not _reads_as_time(text[start:end]):
                yield start, end


STOP = r"(?![\d\w])(?!(?:[.,:/-]|\s?%)\d)"
PHONES = (
    # +44 20 7946 0958, +1 (415) 555-2671
    re.compile(rf"(?<![\w+])(?P<number>\+ ?\(?[1-9](?:[ ./()-]{{0,3}}\d){{6,14}}){STOP}"),
    # 0044 20 7946 0958
    re.compile(rf"(?<![\w.,+/-])(?P<number>00[1-9](?:[ ./()-]{{0,3}}\d){{8,13}}){STOP}"),
    # 01223 351880, 06 12 34 56 78, (030) 1234567, 0171/1234567
    re.compile(rf"(?<![\w.,+:/-])(?P<number>\(?0[1-9](?:[ ./()-]{{0,3}}\d){{7,10}}){STOP}"),
    # (415) 555-2671, 415-555-2671, 1-800-555-0199
    re.compile(
        r"(?<![\w.,+:/$€£-])(?P<number>(?:1[ .-])?"
        r"(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-]|[2-9]\d\d (?=\d{3}[ -]\d{4}))"
        rf"[2-9]\d\d[ .-]\d{{4}}){STOP}"
    ),
    # tel: 555 2671, call me on 4155552671
    re.compile(
        r"(?<!\w)(?:phone|tel|telephone|mobile|cell|cellphone|whatsapp|fax|sms|call|ring|text me|reach me|"
        r"contact number|reached (?:at|on)|telefon|handy|mobil|téléphone|portable|teléfono|móvil|cellulare|"
        r"電話|电话|手机)"
        r"(?!\w)\.?[^\d\n+(,;!?]{0,24}"
        rf"(?P<number>\(?\d(?:[ ./()-]{{0,3}}\d){{6,14}}){STOP}",
        re.IGNORECASE,
    ),
)
DATE = re.compile(
    r"(?:\d{1,2}([./-])\d{1,2}\1(?:19|20)?\d\d|(?:19|20)\d\d([./-])\d{1,2}\2\d{1,2}|(?:19|20)\d{6})(?!\d)"
)
CLOCK_TIME = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")


def _reads_as_time(number: str) -> bool:
    groups = DIGITS.findall(number)
    return bool(DATE.match(number)) or (len(groups) > 1 and all(CLOCK_TIME.fullmatch(group) for group in groups))
