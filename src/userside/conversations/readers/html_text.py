"""HTML as plain text: nothing is fetched or run, and no markup is left."""

from html.parser import HTMLParser

import regex

_PARAGRAPHS = frozenset({"blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "table", "ul"})
_LINES = frozenset({"article", "br", "dd", "div", "dt", "figure", "footer", "header", "li", "main", "section", "tr"})
_UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "title"})
_BLANKS = regex.compile(r"[ \t\r\n\f\v]+")
_LINE_ENDS = regex.compile(r"[ \t]+$", regex.MULTILINE)
_GAPS = regex.compile(r"\n{3,}")


class _Text(HTMLParser):
    """Gathers what a reader would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._unseen += tag in _UNSEEN
        self._verbatim += tag == "pre"
        self._break(tag)
        if tag == "li":
            self.pieces.append("- ")
        elif tag in {"td", "th"} and not self._is_at_margin():
            self.pieces.append("\t")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        self._verbatim = max(0, self._verbatim - (tag == "pre"))
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if not self._verbatim:
            data = _BLANKS.sub(" ", data)
            data = data.lstrip(" ") if self._is_at_margin() else data
        if data:
            self.pieces.append(data)

    def _break(self, tag: str) -> None:
        if tag == "br":
            self.pieces.append("\n")
        elif not self._is_at_margin() and tag in _LINES | _PARAGRAPHS:
            self.pieces.append("\n\n" if tag in _PARAGRAPHS else "\n")
        elif tag in _PARAGRAPHS and self.pieces and self.pieces[-1] == "\n":
            self.pieces.append("\n")

    def _is_at_margin(self) -> bool:
        """Tell whether nothing stands on this line yet but the mark of a list."""
        return not self.pieces or self.pieces[-1].endswith("\n") or self.pieces[-1] == "- "


def html_to_text(html: str) -> str:
    r"""Return what a reader would see of HTML: paragraphs with a blank line between them, a line an entry of a list.

    Scripts and styles are left out. What was written as an entity comes back as its character: text that shows markup
    shows it still, as text.

    Example:
        >>> html_to_text("<p>Try <b>this</b>:</p><ul><li>a &lt; b</li><li>c</li></ul><script>alert(1)</script>")
        'Try this:\n\n- a < b\n- c'
    """
    parser = _Text()
    parser.feed(html)
    parser.close()
    text = _LINE_ENDS.sub("", "".join(parser.pieces).replace("\N{NO-BREAK SPACE}", " "))
    return _GAPS.sub("\n\n", text).strip("\n")
