"""Links from anywhere in a report to a conversation in it.

`userside.render` escapes every string, so a string cannot carry a link. What is put into strings here is a mark, which
becomes a link once the page is rendered. A mark holds a digest of all conversations, so no text in them can hold it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from userside.conversations import Conversation

_OPEN, _CLOSE = "\ue000", "\ue001"
"""Private-use characters, which mean nothing to anybody else."""
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Links:
    """Marks for one report.

    Attributes:
        key: 16 hex digits that occur in no conversation.
    """

    key: str

    def to(self, place: int, words: str) -> str:
        """Return words that will lead to the conversation at a place of the run."""
        return f"{self._mark(f'to{place}')}{words}{self._mark('end')}"

    def anchor(self, place: int) -> str:
        """Return what such words will lead to; shows nothing."""
        return self._mark(f"at{place}")

    def resolve(self, html: str) -> str:
        """Return the page with its marks turned into links and anchors; inside a tag they are dropped."""
        bare = _TAG.sub(lambda tag: self._pattern.sub("", tag.group()), html)
        return self._pattern.sub(_element, bare)

    def _mark(self, what: str) -> str:
        return f"{_OPEN}{self.key}:{what}{_CLOSE}"

    @property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(f"{_OPEN}{self.key}:(to|at|end)([0-9]*){_CLOSE}")


def new_links(conversations: Iterable[Conversation]) -> Links:
    """Return links whose marks no text of the conversations can hold."""
    digest = sha256()
    for conversation in conversations:
        digest.update(repr(conversation).encode("utf-8", "surrogatepass"))
    return Links(digest.hexdigest()[:16])


def _element(mark: re.Match[str]) -> str:
    match mark[1]:
        case "to":
            return f'<a href="#conversation-{mark[2]}">'
        case "at":
            # An address inside a closed entry opens it; the margin leaves its heading in view.
            return f'<span id="conversation-{mark[2]}" style="scroll-margin-block-start:6rem"></span>'
        case _:
            return "</a>"
