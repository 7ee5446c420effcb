"""The page as a file: complete, closed, ordered, the same bytes."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from tests.render.specimen import PAGE
from userside.render import Page, Section, render_page

HTML = render_page(PAGE)
VOID = {"meta", "input", "img", "br", "hr", "link"}


class Outline(HTMLParser):
    """Every element with its attributes, and whether all were closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def outline() -> Outline:
    parsed = Outline()
    parsed.feed(HTML)
    parsed.close()
    assert parsed.open == []
    return parsed


def named(outline: Outline, tag: str) -> list[dict[str, str | None]]:
    return [attributes for name, attributes in outline.elements if name == tag]


def test_the_same_page_gives_the_same_bytes() -> None:
    assert render_page(PAGE).encode() == HTML.encode()


def test_nothing_is_fetched_and_only_our_script_runs(outline: Outline) -> None:
    assert [name for name, _ in outline.elements if name in {"link", "img", "iframe", "object", "image", "use"}] == []
    assert not [a for _, a in outline.elements for name in a if name == "src" or name.startswith("on")]
    assert all((a["href"] or "").startswith("#") for a in named(outline, "a"))
    assert "@import" not in HTML
    assert "url(" not in HTML


def test_the_policy_names_the_script_by_its_hash(outline: Outline) -> None:
    (policy,) = [
        meta["content"] for meta in named(outline, "meta") if meta.get("http-equiv") == "Content-Security-Policy"
    ]
    scripts = re.findall(r"<script>(.*?)</script>", HTML, re.DOTALL)
    digest = b64encode(sha256(scripts[0].encode()).digest()).decode()
    assert len(scripts) == 1
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_landmarks_headings_and_names_are_in_order(outline: Outline) -> None:
    names = [name for name, _ in outline.elements]
    assert [names.count(landmark) for landmark in ("header", "nav", "main", "footer", "h1")] == [1, 1, 1, 1, 1]
    levels = [int(name[1]) for name in names if re.fullmatch(r"h[1-6]", name)]
    assert levels == [1, 2, 2, 2, 2]
    ids = [a["id"] for _, a in outline.elements if "id" in a]
    assert len(ids) == len(set(ids))
    referred = [a[key] for _, a in outline.elements for key in ("aria-labelledby", "for") if key in a]
    assert {*referred, *((a["href"] or "")[1:] for a in named(outline, "a"))} <= set(ids)


def test_tables_say_what_their_headings_head(outline: Outline) -> None:
    assert all(a.get("scope") in {"row", "col", "colgroup"} for a in named(outline, "th"))
    assert all(a.get("role") == "img" and a.get("aria-label") for a in named(outline, "svg"))


def test_language_and_direction_are_declared() -> None:
    html = render_page(Page(title="تقرير", language="ar", direction="rtl"))
    assert '<html lang="ar" dir="rtl">' in html


def test_hostile_text_is_shown_and_not_obeyed(outline: Outline) -> None:
    assert "onerror" in HTML
    assert "<img" not in HTML
    assert "{{ 7*7 }}" in HTML
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\u200b\ud800-\udfff]", HTML)
    assert named(outline, "script") == [{}]


def test_sections_of_one_name_have_names_of_their_own() -> None:
    sections = tuple(Section(title=title, blocks=()) for title in ("A b", "A b", "满意", "A b", "!"))
    html = render_page(Page(title="t", sections=sections))
    assert re.findall(r'<section id="([^"]*)"', html) == [
        "a-b",
        "a-b-again-1",
        "section",
        "a-b-again-2",
        "section-again-1",
    ]


def test_a_page_may_be_nearly_empty() -> None:
    html = render_page(Page(title="t"))
    assert "<nav" not in html
    assert "<footer" not in html
