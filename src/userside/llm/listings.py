"""Answers that are lists: JSON, bullets, numbers, tables, tags around them or a paragraph; entries out, or NONE.

Models put a list into whatever they like best. Sub-bullets and wrapped lines belong to the entry above them; a
preamble is no entry; of several blocks the last one counts; an entry that comes twice is one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from userside.llm.answers_json import Found, by_name, objects_in, parsed, salvaged
from userside.llm.formats import ENTRIES
from userside.llm.questions import Entry, Listing
from userside.llm.replies import Echo, is_refusal
from userside.llm.values import folded, unquoted
from userside.llm.verdicts import Elicited, Reason, Scored, Unscored, Verdict

_BLOCK = re.compile(
    r"<\s*(?P<tag>reasons?|rubric|answers?|patterns?|items?|list|output|result|entries|summary)\s*>"
    r"(?P<body>.*?)(?:<\s*/\s*(?P=tag)\s*>|(?=<\s*(?P=tag)\s*>)|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE)
_NONE = re.compile(
    r"(?:none|nothing|n/?a|no (?:reasons?|patterns?|entries|items|signals?)(?: (?:found|given|shown|stated))?"
    r"|there (?:is|are) none"
    r"|ninguno|ninguna|nada|keine?|aucune?|无|沒有|没有|なし|لا يوجد|لا شيء)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?P<indent>\s*)(?:[>#]+\s*)?(?:\*\*|__)?(?:(?:item|reason|pattern)\s*)?[(#]?\d{1,3}(?:\s*[.):、．）](?!\d)|\s*[-–—:]\s)(?P<rest>.*)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?P<indent>\s*)(?:[-*+•·●▪◦–—]|>)\s+(?P<rest>.*)")
_RULE = re.compile(r"[|\s:+=_*-]+")
_HEADING = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*]{1,80}:?\*\*:?|.{0,160}[:：])\s*")
_QUOTED = re.compile(r"[\"“„]([^\"“”„]{2,}?)[\"”“]|«\s*([^«»]{2,}?)\s*»|「([^「」]{2,}?)」")
_LEAD = re.compile(r"(?P<lead>[^:：|]{2,80}?)\s*(?:[:：]|\s[–—-])\s*(?P<rest>\S.*)", re.DOTALL)
_EDGES = " \t\r\n*_`|-–—,;"
_LAST_LINE = re.compile(r"\n[^\n]*\Z")
_MOST_READ = 200  # entries; a model that has lost its way repeats itself for ever


def read_listing(listing: Listing, text: str, *, echo: Echo, how: Elicited, is_cut: bool) -> Verdict[tuple[Entry, ...]]:
    """Return the entries of an answer, () where it says that there are none, or why it cannot be read.

    Entries may repeat lines of the prompt: a list that was handed in can come back with little changed. An answer that
    repeats the prompt from its beginning is read after the prompt's end, and not at all where nothing follows.
    """
    own = text if how is Elicited.SCHEMA else _after_echo(text, echo=echo)
    if own is None:
        return Unscored(reason=Reason.ECHO, detail="the answer repeats the prompt")
    found = _json_entries(own, listing=listing, is_cut=is_cut)
    if found is None:
        body = _body(own)
        if is_refusal(own):
            return Unscored(reason=Reason.REFUSED, detail=own[:200])
        if _says_none(body):
            return Scored(value=(), elicited=how)
        found = _text_entries(_LAST_LINE.sub("", body) if is_cut else body, listing=listing)
    entries = tuple(_distinct(_shaped(one, listing=listing) for one in found[:_MOST_READ]))
    if entries or (not found and _is_json(own)):
        return Scored(value=entries, elicited=how)
    return Unscored(reason=Reason.UNREADABLE, detail=f"no entry in {own[:80]!r}")


def _after_echo(text: str, *, echo: Echo) -> str | None:
    if not echo.begins(text):
        return text
    rest = echo.after_prompt(text).strip()
    return rest if rest and rest != text.strip() else None


def _is_json(text: str) -> bool:
    return parsed(text) is not None


# JSON


def _json_entries(text: str, *, listing: Listing, is_cut: bool) -> list[object] | None:
    values = [one.value for one in objects_in(text) if _is_ours(one, text, listing=listing)]
    whole = parsed(text)
    values += [whole.value] if whole is not None and not values else []
    rest = salvaged(text, until="}") if is_cut and not values else None
    values += [rest.value] if rest is not None else []
    lists = [entries for entries in map(_entries_in, values) if entries is not None]
    if lists:
        return lists[-1]
    # Objects without a list around them are the entries themselves.
    return values or None


def _is_ours(found: Found, text: str, *, listing: Listing) -> bool:
    """Tell whether a JSON value is the answer or a part of it; within a line it may be what a user typed."""
    value: object = found.value
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    if any(by_name(one).keys() & {ENTRIES, *listing.fields} for one in values):
        return True
    start = text.find(found.text)
    line = text[text.rfind("\n", 0, start) + 1 : start], text[start + len(found.text) :].partition("\n")[0]
    return not any(part.strip(" \t\r`,;*-") for part in line)


def _entries_in(value: object) -> list[object] | None:
    if isinstance(value, list):
        return cast("list[object]", value)
    named = by_name(value)
    while len(named) == 1 and isinstance(only := next(iter(named.values())), dict):
        named = by_name(cast("object", only))
    if isinstance(named.get(ENTRIES), list):
        return cast("list[object]", named[ENTRIES])
    held = [cast("list[object]", one) for one in named.values() if isinstance(one, list)]
    return held[0] if len(held) == 1 else None


# Text


def _body(text: str) -> str:
    blocks = [block["body"] for block in _BLOCK.finditer(text)]
    filled = [body for body in blocks if body.strip()]
    return _FENCE.sub("", filled[-1] if filled else text).strip("\n")


def _says_none(body: str) -> bool:
    lines = [line for line in body.splitlines() if line.strip()]
    if not lines:
        return False
    first = folded(_bare(lines[0]))
    if _NONE.fullmatch(first):
        return not any(_marked(line) for line in lines[1:])
    return (
        len(lines) == 1 and "|" not in body and re.match(r"NONE\b(?!\s+of\b)", lines[0].strip(" *_`\"'-")) is not None
    )


@dataclass(slots=True)
class _Line:
    text: str
    indent: int
    marked: str  # "number", "bullet" or ""


def _text_entries(body: str, *, listing: Listing) -> list[object]:
    lines = [_line(line) for line in body.splitlines() if line.strip() and not _RULE.fullmatch(line)]
    rows = [line for line in lines if line.text.count("|") >= min(2, len(listing.fields) - 1) and "|" in line.text]
    if rows and len(listing.fields) > 1:
        return [row.text for row in rows if not _is_header(row.text, listing=listing)]
    mark = "number" if any(line.marked == "number" for line in lines) else "bullet"
    margin = min((line.indent for line in lines if line.marked == mark), default=None)
    if margin is None:
        return list(_paragraphs(lines))
    return list(_marked_entries(lines, mark=mark, margin=margin))


def _line(line: str) -> _Line:
    for kind, pattern in (("number", _NUMBERED), ("bullet", _BULLET)):
        if found := pattern.fullmatch(line):
            return _Line(found["rest"], len(found["indent"].expandtabs(4)), kind)
    return _Line(line.strip(), len(line) - len(line.lstrip()), "")


def _marked_entries(lines: Iterable[_Line], *, mark: str, margin: int) -> Iterator[str]:
    entry: list[str] = []
    for line in lines:
        begins = line.marked == mark and line.indent <= margin + 1
        if begins or (entry and _is_heading_between(line)):
            if entry:
                yield " ".join(entry)
            entry = [line.text] if begins else []
        elif entry:
            entry.append(line.text)
    if entry:
        yield " ".join(entry)


def _is_heading_between(line: _Line) -> bool:
    return not line.marked and line.indent == 0 and _HEADING.fullmatch(line.text) is not None


def _paragraphs(lines: Iterable[_Line]) -> Iterator[str]:
    """Yield unmarked lines, a wrapped one joined to the one before it, without an introduction that ends in a colon."""
    entry = ""
    for line in lines:
        if entry and line.text[:1].islower() and entry[-1:] not in ".!?。！？":
            entry = f"{entry} {line.text}"
            continue
        if entry and not entry.endswith((":", "：")):
            yield entry
        entry = line.text
    if entry and not entry.endswith((":", "：")):
        yield entry


def _marked(line: str) -> bool:
    return bool(_line(line).marked) or "|" in line


def _bare(line: str) -> str:
    return _line(line).text


def _is_header(row: str, *, listing: Listing) -> bool:
    names = {folded(cell) for cell in row.split("|")} - {""}
    return bool(names & set(listing.fields)) and names <= {*listing.fields, "#", "no", "number", "id"}


# One entry


def _shaped(value: object, *, listing: Listing) -> Entry:
    if isinstance(value, str):
        return _cleaned(_split(value, listing=listing), listing=listing)
    named = by_name(value)
    given = {name: named.get(name) for name in listing.fields}
    if not isinstance(given[listing.key], str) and len(named) == 1:
        given[listing.key] = next(iter(named.values()))
    return _cleaned(given, listing=listing)


def _split(text: str, *, listing: Listing) -> Mapping[str, Any]:
    if "|" in text and len(listing.fields) > 1:
        return _cells(text, listing=listing)
    labelled = _labelled(text, listing=listing)
    if listing.key in labelled:
        return labelled
    if listing.quotes and (found := _QUOTED.search(text)):
        rest = f"{text[: found.start()].rstrip(' (')} {text[found.end() :].lstrip(' ).,;:')}".strip(f"{_EDGES}:(")
        if rest:
            return {listing.quotes: next(filter(None, found.groups())), listing.key: rest}
    if listing.leads and (parts := _LEAD.fullmatch(text)):
        return {listing.leads: parts["lead"], listing.key: parts["rest"]}
    return {listing.key: text}


def _cells(text: str, *, listing: Listing) -> Mapping[str, str]:
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    if len(cells) > len(listing.fields) and re.fullmatch(r"\W*\d*\W*", cells[0]):
        cells = cells[1:]
    if len(cells) < len(listing.fields):
        return {listing.key: " ".join(cells)}
    # A text with a bar in it is the last one.
    whole = [*cells[: len(listing.fields) - 1], " | ".join(cells[len(listing.fields) - 1 :])]
    return {name: re.sub(rf"^\W*{name}\W*[:=]\s*", "", cell, flags=re.IGNORECASE)
            for name, cell in zip(listing.fields, whole, strict=True)}  # fmt: skip


def _labelled(text: str, *, listing: Listing) -> Mapping[str, str]:
    names = "|".join(map(re.escape, listing.fields))
    marks = list(re.finditer(rf"(?:^|[\s*_(,;.-])(?P<name>{names})[*_]*\s*[:=：]\s*", text, re.IGNORECASE))
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    return {mark["name"].casefold(): text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)}


def _cleaned(given: Mapping[str, Any], *, listing: Listing) -> Entry:
    texts = {
        name: _clean(value)[: listing.max_chars].rstrip() for name, value in given.items() if isinstance(value, str)
    }
    texts = {name: text for name, text in texts.items() if text and text.strip("<>") not in listing.fields}
    if listing.key not in texts or _NONE.fullmatch(folded(texts[listing.key])):
        return {}
    chosen = {name: _chosen(texts.get(name, ""), allowed) for name, allowed in listing.allowed.items()}
    texts = {name: text for name, text in (texts | chosen).items() if text}
    if listing.quotes in texts and listing.quotes not in chosen and _NONE.fullmatch(folded(texts[listing.quotes])):
        texts.pop(listing.quotes)
    return {name: texts[name] for name in listing.fields if name in texts}


def _chosen(text: str, allowed: Sequence[str]) -> str:
    """Return the allowed text that was meant, "" where it is none of them."""
    marks = "[]()# "
    return next((one for one in allowed if text in {one, _clean(one)} or text.strip(marks) == one.strip(marks)), "")


def _clean(text: str) -> str:
    # Half a surrogate pair, as JSON can spell it, can be written to no file.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unquoted(" ".join(re.sub(r"\*\*|__|`", "", text).split()).strip(_EDGES))


def _distinct(entries: Iterable[Entry]) -> Iterator[Entry]:
    seen: set[tuple[str, ...]] = set()
    for entry in entries:
        mark = tuple(folded(text) for text in entry.values())
        if entry and mark not in seen:
            seen.add(mark)
            yield entry
