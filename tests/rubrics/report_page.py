"""Reading a report as a browser would, without one."""

import re
from html.parser import HTMLParser

CLOSED = {"h1", "h2", "caption", "td", "th", "style", "script"}


class ReportReader(HTMLParser):
    """What a page holds: its text, headings, ids, links to them, and every tag and attribute."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._in = ""
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.headings: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._text: list[str] = []
        self._rows: list[list[str]] = []
        self.feed(html)
        self.text = re.sub(r"\s+", " ", " ".join(self._text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down a tag."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag in {"h1", "h2", "caption"}:
            self.headings.append("")
        if tag == "table":
            self._rows = []
        if tag == "tr":
            self._rows.append([])
        if tag in {"td", "th"} and self._rows:
            self._rows[-1].append("")
        if tag in CLOSED:
            self._in = tag

    def handle_endtag(self, tag: str) -> None:
        """Take down the end of a table."""
        if tag == "table":
            caption = self.headings[-1] if self.headings else ""
            self.tables.setdefault(caption, self._rows)  # a figure's own table has no caption
        if tag in CLOSED:
            self._in = ""

    def handle_data(self, data: str) -> None:
        """Take down text."""
        if self._in in {"style", "script"}:
            return
        self._text.append(data)
        if self._in in {"h1", "h2", "caption"}:
            self.headings[-1] += data
        if self._in in {"td", "th"} and self._rows and self._rows[-1]:
            self._rows[-1][-1] += data
