"""Strangers' text, made safe for a page: escaped, with invisible characters shown and direction held in.

What is left alone: line breaks and tabs, the joiners that scripts and emoji need (U+200C, U+200D), the marks that
only nudge direction (U+200E, U+200F, U+061C). What is dropped: soft hyphens, and marks beyond four on one letter.
What is shown: bidirectional embeddings, overrides and isolates, zero-width spaces, tag characters, control
characters, lone surrogates and non-characters.
"""

import re
import unicodedata

from markupsafe import Markup, escape

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u180e\u200b\u2028\u2029\u202a-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]+"
)
"""Runs of characters that show nothing, or make a page lie."""

COMBINING = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
STACKED = re.compile(f"({COMBINING}{{4}}){COMBINING}+")
"""Marks piled on one letter: more than four paint over the lines around."""


def visible(text: str) -> Markup:
    r"""Return text as HTML that shows what it holds.

    >>> str(visible("<b>\u202eexe.gpj"))
    '&lt;b&gt;<span class="hidden-mark" title="right-to-left override">U+202E</span>exe.gpj'
    """
    pieces: list[Markup] = []
    done = 0
    for run in HIDDEN.finditer(text := _settled(text)):
        pieces += [escape(text[done : run.start()]), _mark(run.group())]
        done = run.end()
    return Markup("").join([*pieces, escape(text[done:])])


def visible_plain(text: str) -> str:
    r"""Return text on one line for places that hold no markup (attributes, drawings, terminals).

    >>> visible_plain("a\x1b[31m\nb")
    'a[U+001B][31m b'
    """
    spaced = re.sub(r"\s+", " ", _settled(text)).strip()
    return HIDDEN.sub(lambda run: f"[{_label(run.group())}]", spaced)


def isolated(text: str) -> Markup:
    """Return visible text whose direction cannot reach its neighbours."""
    return Markup("<bdi>{}</bdi>").format(visible(text))


def _settled(text: str) -> str:
    return STACKED.sub(r"\1", text.replace("\r\n", "\n").replace("\r", "\n").replace("\xad", ""))


def _mark(run: str) -> Markup:
    name = unicodedata.name(run[0], "control or unassigned character").lower()
    return Markup('<span class="hidden-mark" title="{}">{}</span>').format(name, _label(run))


def _label(run: str) -> str:
    label = f"U+{ord(run[0]):04X}"
    return label if len(run) == 1 else f"{label} and {len(run) - 1} more"
