"""A report as one HTML file that asks for nothing else."""

import re
import unicodedata
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

from userside.render.blocks import Block
from userside.render.html import Writer, templates
from userside.render.tokens import render_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands under it. `anchor` names it in addresses; None to derive it from the title."""

    title: str
    blocks: tuple[Block, ...]
    anchor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One report.

    Attributes:
        kicker: A few words above the title: what kind of report this is.
        subtitle: The finding, in a sentence or two.
        lead: Blocks between the title and the first section.
        footer: How it was made, a line each.
        direction: `ltr` or `rtl`, for `language`.
    """

    title: str
    subtitle: str | None = None
    sections: tuple[Section, ...] = ()
    kicker: str | None = None
    lead: tuple[Block, ...] = ()
    footer: tuple[str, ...] = ()
    language: str = "en"
    direction: str = "ltr"


def render_page(page: Page) -> str:
    """Return the report as HTML, the same bytes for the same page.

    Whatever the page's strings hold, the result encodes as UTF-8 and runs no script but our own, which only sorts,
    filters and unfolds: the page is whole without it.
    """
    return (
        templates()
        .get_template("page.html.jinja")
        .render(
            page=page,
            anchors=_anchors(page.sections),
            policy=_policy(),
            script=Markup(_file("page.js")),  # noqa: S704  (our own file)
            style=Markup(render_tokens() + _file("page.css")),  # noqa: S704  (our own file)
            writer=Writer(),
        )
    )


def _anchors(sections: tuple[Section, ...]) -> list[str]:
    """Return a name for each section, unlike all others."""
    names: list[str] = []
    for section in sections:
        name = _slug(section.anchor or section.title)
        times = sum(1 for earlier in names if earlier == name or earlier.startswith(f"{name}-again-"))
        names.append(f"{name}-again-{times}" if times else name)
    return names


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "section"


@cache
def _policy() -> str:
    """Return the content security policy: our one script by its hash, inline style, embedded images, nothing else."""
    digest = b64encode(sha256(_file("page.js").encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _file(name: str) -> str:
    return files("userside.render").joinpath("templates", name).read_text(encoding="utf-8")
