"""Gemini's activity as Google Takeout exports it: single exchanges, never a thread.

No entry says which conversation it belonged to, so each is one conversation of a prompt and, in most, its answer.
Entries that are no prompt are skipped: what Google writes before a prompt is in the account's language, so only the
English word is taken off; in other languages an entry counts as a prompt if it has an answer, and its title is kept
whole. Several answers to one prompt are taken for drafts: the first is read, the others are counted.

Unverified: that reading of several answers, and the HTML form, which was seen in descriptions only.
"""

from collections.abc import Iterator
from typing import Any

from userside.conversations.json_rows import JsonRow, Layout, first_values, json_layout, read_json_rows
from userside.conversations.readers.activity_page import is_activity_page, read_activity_page
from userside.conversations.readers.cells import read_time
from userside.conversations.readers.html_text import html_to_text
from userside.conversations.readers.protocol import Entries, ReadOptions, read_each
from userside.conversations.readers.said import said
from userside.conversations.readers.value_rows import fields_of, list_of
from userside.conversations.record import Completeness, Conversation
from userside.conversations.sources import Head, Source, read_head
from userside.conversations.tally import Notes, Skipped
from userside.conversations.wire import Fields, conversation_from_dict, shown
from userside.errors import FormatError

_PROMPTED = "Prompted "
_OTHER_ACTS = ("Created ", "Gave feedback", "Selected preferred draft", "Used ")
_PRODUCTS = ("gemini", "bard")
_ALONE = "Takeout does not say which exchanges belong together"
_UNANSWERED = "the answer is not in the export"


class GeminiReader:
    """Reads one exchange an entry of My Activity."""

    name = "gemini"
    about = "Gemini in Google Takeout (My Activity), JSON or HTML: single exchanges"
    labels = None

    def recognises(self, head: Head, *, options: ReadOptions) -> bool:  # noqa: ARG002
        """Tell whether the file is a page of activity, or one of the first values is an entry, of Gemini's."""
        if is_activity_page(head.text):
            return any(name in head.text.lower() for name in _PRODUCTS)
        return any(_is_entry(fields_of(value)) and _is_gemini(fields_of(value)) for value in first_values(head))

    def read(self, source: Source, *, options: ReadOptions, notes: Notes) -> Entries:  # noqa: ARG002
        """Yield one exchange an entry."""

        def build(value: Any) -> Conversation:
            return conversation_from_dict(_record(fields_of(value), notes=notes), notes=notes)

        yield from read_each(_entries(source), path=str(source.path), build=build)


def _entries(source: Source) -> Iterator[JsonRow | Skipped]:
    head = read_head(source)
    if is_activity_page(head.text):
        return read_activity_page(source)
    return read_json_rows(source, layout=json_layout(head.text) or Layout.ARRAY)


def _is_entry(entry: Fields) -> bool:
    return isinstance(entry.get("title"), str) and "header" in entry and "time" in entry


def _is_gemini(entry: Fields) -> bool:
    named = " ".join(str(name) for name in (entry.get("header"), *list_of(entry.get("products")))).lower()
    return any(name in named for name in _PRODUCTS)


def _record(entry: Fields, *, notes: Notes) -> Fields:
    if not _is_entry(entry):
        raise FormatError("wanted an entry with header, title and time")
    if not _is_gemini(entry):
        raise FormatError(f"header: wanted Gemini, not {shown(entry.get('header'))}")
    answers = [text for held in list_of(entry.get("safeHtmlItem")) if (text := _answer(fields_of(held)))]
    at = read_time(str(entry["time"]), notes=notes)
    prompt = {"speaker": "user", "text": _prompt(entry["title"], is_answered=bool(answers)), "at": at}
    turns: list[Fields] = [prompt | {"parts": _attached(entry) or None}]
    turns += [{"speaker": "assistant", "text": answers[0]}] if answers else []
    return {
        "source": "gemini",
        "platform": "gemini",
        "started_at": at,
        "turns": list(said(turns, notes=notes)),
        "completeness": Completeness.UNKNOWN if answers else Completeness.PARTIAL,
        "completeness_reasons": [_ALONE] if answers else [_ALONE, _UNANSWERED],
        "metadata": {
            "single_exchange": True,
            **({"regenerated": len(answers) - 1} if len(answers) > 1 else {}),
            **({"written_at": entry["written_at"]} if "written_at" in entry else {}),
        },
    }


def _prompt(title: str, *, is_answered: bool) -> str:
    if title.startswith(_PROMPTED):
        return title.removeprefix(_PROMPTED)
    if title.startswith(_OTHER_ACTS) or not is_answered:
        raise FormatError(f"title: wanted a prompt, not {shown(title)}")
    return title


def _answer(item: Fields) -> str:
    html = item.get("html")
    return html_to_text(html) if isinstance(html, str) else ""


def _attached(entry: Fields) -> list[Fields]:
    image = entry.get("imageFile")
    return [{"kind": "image", "name": image}] if isinstance(image, str) else []
