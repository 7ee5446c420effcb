r"""Marks of citations in ChatGPT's answers: replaced by what the reader saw, or taken out; the sources are kept.

Newer exports write them with private-use characters (U+E200 to U+E206) around the names of search results, older ones
as `【1†source】`. What is replaced is found as text and never by its index: indexes count another string's characters.
"""

from collections.abc import Iterator
from typing import cast

import regex

from userside.conversations.readers.value_rows import fields_of, list_of
from userside.conversations.wire import Fields

_PRIVATE = regex.compile(r"[\ue200-\ue206]")
_MARK = regex.compile(r"\ue200[^\ue200\ue201]*\ue201|[\ue200-\ue206]")
_OLD_MARK = regex.compile(r"【[^【】]{0,40}†[^【】]{0,200}】")


def take_out_marks(text: str, metadata: Fields) -> str:
    r"""Return an answer without marks.

    Args:
        text: What the assistant wrote.
        metadata: The message's, with `content_references` or, of old, `citations`.

    Example:
        >>> reference = {"matched_text": "\ue200cite\ue202turn0news1\ue201", "alt": "([A paper](https://a.example))"}
        >>> take_out_marks("So it is. \ue200cite\ue202turn0news1\ue201", {"content_references": [reference]})
        'So it is. ([A paper](https://a.example))'
    """
    if _PRIVATE.search(text):
        for matched, alt in _references(metadata):
            text = text.replace(matched, alt)
        text = _MARK.sub("", text)
    # Only where the export speaks of citations: people use these brackets too.
    return _OLD_MARK.sub("", text) if list_of(metadata.get("citations")) else text


def read_sources(metadata: Fields) -> list[Fields]:
    """Return the titles and addresses of what an answer cites, each address once."""
    named = [*_new_sources(metadata), *_old_sources(metadata)]
    by_address = {source["url"]: source for source in named if isinstance(source.get("url"), str)}
    return [{name: held for name, held in one.items() if isinstance(held, str)} for one in by_address.values()]


def _references(metadata: Fields) -> list[tuple[str, str]]:
    """Return marks and what stands for each, longest first, since a short one may be the beginning of a long one."""
    references = [fields_of(held) for held in list_of(metadata.get("content_references"))]
    # A footnote's `matched_text` is a single blank: only what holds a mark is looked for.
    pairs = [
        (matched, cast("str", held["alt"]) if isinstance(held.get("alt"), str) else "")
        for held in references
        if isinstance(matched := held.get("matched_text"), str) and _PRIVATE.search(matched)
    ]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _new_sources(metadata: Fields) -> Iterator[Fields]:
    for reference in list_of(metadata.get("content_references")):
        for item in list_of(fields_of(reference).get("items")):
            held = fields_of(item)
            yield {"title": held.get("title"), "url": held.get("url")}


def _old_sources(metadata: Fields) -> Iterator[Fields]:
    for citation in list_of(metadata.get("citations")):
        held = fields_of(fields_of(citation).get("metadata"))
        yield {"title": held.get("title"), "url": held.get("url")}
