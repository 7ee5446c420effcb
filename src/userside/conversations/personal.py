"""Personal data that has a shape, found without a model.

Found: e-mail addresses, telephone numbers, payment cards (Luhn), bank accounts (IBAN), IP addresses, web addresses
with credentials, keys and passwords. **Not looked for: `NOT_LOOKED_FOR`.** Those have no shape, and text may still
tell who wrote it.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from userside.conversations.personal_addresses import find_emails, find_ips, find_urls
from userside.conversations.personal_keys import find_keys
from userside.conversations.personal_numbers import find_cards, find_ibans, find_phones
from userside.conversations.personal_spans import Finder

NOT_LOOKED_FOR = (
    "names of people and places",
    "postal addresses",
    "dates of birth",
    "user names and handles",
    "identity, insurance and passport numbers",
    "short local telephone numbers without a word like `tel` before them",
    "anything in images, audio and files",
)
"""What the deterministic redaction leaves where it is."""


class PersonalKind(StrEnum):
    """What was found; of findings of one length, the earlier kind here wins."""

    KEY = "key"
    URL = "url"
    EMAIL = "email"
    IBAN = "iban"
    CARD = "card"
    IP = "ip"
    PHONE = "phone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Characters `start` to `end` (exclusive) of a text."""

    kind: PersonalKind
    start: int
    end: int


FINDERS: Mapping[PersonalKind, Finder] = {
    PersonalKind.KEY: find_keys,
    PersonalKind.URL: find_urls,
    PersonalKind.EMAIL: find_emails,
    PersonalKind.IBAN: find_ibans,
    PersonalKind.CARD: find_cards,
    PersonalKind.IP: find_ips,
    PersonalKind.PHONE: find_phones,
}
PRIORITY = {kind: place for place, kind in enumerate(PersonalKind)}

INVISIBLE = frozenset(
    "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
DASHES = frozenset("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63")


def find_personal(text: str) -> tuple[Finding, ...]:
    """Return what was found, in order and without overlaps.

    Overlapping findings become one that covers them all and has the kind of the longest.

    >>> [finding.kind.value for finding in find_personal("ada@example.org, +44 20 7946 0958, order 4711")]
    ['email', 'phone']
    """
    folded = fold(text)
    places = _places(text) if len(folded) != len(text) else None
    spans = [Finding(kind=kind, start=start, end=end) for kind, find in FINDERS.items() for start, end in find(folded)]
    merged = _merge(spans)
    if places is None:
        return merged
    return tuple(
        Finding(kind=finding.kind, start=places[finding.start], end=places[finding.end - 1] + 1) for finding in merged
    )


def fold(text: str) -> str:
    r"""Return text as the patterns read it: ASCII digits, dashes and spaces, nothing invisible.

    >>> fold("٠\u200b１–\xa0")
    '01- '
    """
    return text if text.isascii() else "".join(map(_fold_character, text))


def _fold_character(character: str) -> str:
    if character.isascii():
        return character
    if character in INVISIBLE:
        return ""
    if character in DASHES:
        return "-"
    if character.isspace():
        return " "
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    # full-width Latin
    return chr(ord(character) - 0xFEE0) if "\uff01" <= character <= "\uff5e" else character


def _places(text: str) -> list[int]:
    """Return where each folded character stands in the text."""
    return [place for place, character in enumerate(text) if character not in INVISIBLE]


def _merge(spans: list[Finding]) -> tuple[Finding, ...]:
    merged: list[Finding] = []
    longest = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end, PRIORITY[span.kind])):
        length = span.end - span.start
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
            longest = length
            continue
        kind = span.kind if length > longest else merged[-1].kind
        longest = max(longest, length)
        merged[-1] = Finding(kind=kind, start=merged[-1].start, end=max(merged[-1].end, span.end))
    return tuple(merged)


def normalise(kind: PersonalKind, written: str) -> str:
    """Return what two ways of writing the same address or number have in common.

    >>> normalise(PersonalKind.PHONE, "+44 (20) 7946-0958") == normalise(PersonalKind.PHONE, "0044 20 7946 0958")
    True
    """
    folded = fold(written)
    match kind:
        case PersonalKind.EMAIL | PersonalKind.IP:
            return re.sub(r"\s", "", folded).casefold()
        case PersonalKind.IBAN | PersonalKind.CARD:
            return re.sub(r"[\s-]", "", folded).upper()
        case PersonalKind.PHONE:
            return re.sub(r"^00", "", re.sub(r"\D", "", folded))
        case _:
            return folded
