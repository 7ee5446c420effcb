"""From what a model wrote to an item: a name that can be a key, and a description that is a sentence."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

import regex

from userside.conversations import defuse
from userside.llm import Entry
from userside.rubrics.rubric import RubricItem, Side

NAME, DESCRIPTION = "name", "description"
_LONGEST_NAME = 50
_WORDS_OF_A_NAME = 6
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_ARTICLES = ("the", "a", "an", "their")
_SMALL_WORDS = ("is", "are", "was", "that", "when", "of", "to", "and", "or", "for", "with", "in", "by")
_NO_NAME = frozenset({"user", "users", *_ARTICLES, *_SMALL_WORDS})


def items_of(entries: Iterable[Entry], *, side: Side) -> tuple[RubricItem, ...]:
    """Return the entries as items of one side, in order, with names that are unique on this side.

    Items of one description are one. A name is made of Latin letters where it has some; else it is `pattern_3`, after
    the item's place, and the description says what it is in its own script. Descriptions go into the judge's prompt:
    what looks like a tag or a chat template's token in them is defused.

    >>> [
    ...     item.name
    ...     for item in items_of(
    ...         [{"name": "**Thanks!**", "description": "The user gives thanks."}], side=Side.SATISFIED
    ...     )
    ... ]
    ['thanks']
    """
    items: dict[str, RubricItem] = {}
    for entry in entries:
        description = as_sentence(defuse(entry[DESCRIPTION]))
        mark = " ".join(_WORD.findall(description.casefold()))
        if not mark or mark in items:
            continue
        taken = {item.name for item in items.values()}
        name = unique_name(_name(entry, place=len(items) + 1), taken=taken)
        items[mark] = RubricItem(name=name, description=description, side=side)
    return tuple(items.values())


def without_clashes(satisfied: Sequence[RubricItem], dissatisfied: Sequence[RubricItem]) -> tuple[RubricItem, ...]:
    """Return the items of both sides; a name that both have gets a number on the second."""
    taken = {item.name for item in satisfied}
    items = list(satisfied)
    for item in dissatisfied:
        name = unique_name(item.name, taken=taken)
        taken.add(name)
        items.append(RubricItem(name=name, description=item.description, side=item.side, evidence=item.evidence))
    return tuple(items)


def unique_name(name: str, *, taken: set[str]) -> str:
    """Return the name, with the first free number from 2 where it is taken.

    >>> unique_name("thanks", taken={"thanks", "thanks_2"})
    'thanks_3'
    """
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    return unique


def as_sentence(text: str) -> str:
    """Return a description that begins with a capital and ends with a full stop, in any script.

    >>> as_sentence("the user gives thanks"), as_sentence("用户表示感谢。")
    ('The user gives thanks.', '用户表示感谢。')
    """
    text = " ".join(text.split()).strip(" -–—:")
    text = text[:1].upper() + text[1:]
    return text if not text or unicodedata.category(text[-1]).startswith("P") else f"{text}."


def _name(entry: Entry, *, place: int) -> str:
    words = _latin_words(entry.get(NAME, ""))
    if not words:
        words = [word for word in _latin_words(entry[DESCRIPTION]) if word not in _NO_NAME]
    words = words[:_WORDS_OF_A_NAME]
    while words and words[-1] in _NO_NAME:
        words.pop()
    name = "_".join(words)[:_LONGEST_NAME].strip("_")
    return name if re.match(r"[a-z]", name) else f"pattern_{place}"


def _latin_words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.findall(r"[a-z0-9]+", plain.casefold())
