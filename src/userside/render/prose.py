"""Plain text to paragraphs and lists, with three signs of emphasis and nothing else."""

import re
from collections.abc import Iterator

from markupsafe import Markup

from userside.render.escaping import visible

EMPHASIS = re.compile(
    r"\*\*(?P<strong>[^\s*](?:[^*\n]*[^\s*])?)\*\*|(?<![\w*])\*(?P<em>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])|`(?P<code>[^`\n]+)`"
)

TAGS = {kind: Markup("<{0}>{{}}</{0}>").format(kind) for kind in ("strong", "em", "code")}


def render_prose(text: str) -> Markup:
    r"""Return paragraphs and lists.

    >>> str(render_prose("All *good* <i>.\n\n- one\n- two"))
    '<p dir="auto">All <em>good</em> &lt;i&gt;.</p><ul><li dir="auto">one</li><li dir="auto">two</li></ul>'
    """
    return Markup("").join(_passage(passage) for passage in re.split(r"\n\s*\n", text.strip()) if passage.strip())


def render_inline(text: str) -> Markup:
    """Return one line's words with emphasis."""
    return Markup("").join(_inline(text))


def _passage(passage: str) -> Markup:
    lines = passage.strip().split("\n")
    if all(line.startswith("- ") for line in lines):
        items = Markup("").join(Markup('<li dir="auto">{}</li>').format(render_inline(line[2:])) for line in lines)
        return Markup("<ul>{}</ul>").format(items)
    return Markup('<p dir="auto">{}</p>').format(render_inline(" ".join(lines)))


def _inline(text: str) -> Iterator[Markup]:
    done = 0
    for found in EMPHASIS.finditer(text):
        yield visible(text[done : found.start()])
        kind = str(found.lastgroup)
        yield TAGS[kind].format(visible(found[kind]))
        done = found.end()
    yield visible(text[done:])
