"""What has to be known of a reply before anything in it is taken for an answer."""

import re
from dataclasses import dataclass
from typing import Self

_THINKING = re.compile(
    r"(?:<(?P<close>/)?\s*(?:think|thinking|thought|reasoning|scratchpad)\b[^<>\n]{0,80}>)"
    r"|(?:\[(?P<close_bracket>/)?THINK\])"
    r"|(?:◁(?P<close_triangle>/)?think▷)",
    re.IGNORECASE,
)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final\s*(?:<\|[^|>\n]{1,40}\|>[^<\n]{0,40}){0,2}<\|message\|>")

_APOLOGY = (
    r"(?:i(?:'| a)m\s+(?:very\s+|so\s+)?sorry|sorry|apologies|i apologi[sz]e|unfortunately)[\s,.;:—–-]*(?:but\s+)?"
)
_INABILITY = (
    r"(?:i|we)\s*(?:cannot|can\s?not|can't|won't|will not|am unable to|'m unable to|am not able to|'m not able to)"
)
_SERVICE = (
    r"(?:assist|help|comply|provide|fulfil+|answer|evaluate|judge|rate|continue|discuss|engage|respond|process"
    r"|analy[sz]e)"
)
_REFUSAL = re.compile(
    rf"\s*(?:{_APOLOGY})?(?:as an ai\b[^.\n]{{0,60}},?\s*)?{_INABILITY}\s+(?:\w+\s+){{0,3}}?{_SERVICE}\b"
    r"|\s*(?:es tut mir leid|lo siento|je suis désolée?|desculpe|mi dispiace|przepraszam|извините|к сожалению"
    r"|申し訳|抱歉|对不起|很抱歉|죄송)",
    re.IGNORECASE,
)

_LEAST_ECHO = 40  # characters; shorter lines may agree by chance
_TAIL = 80


def without_thinking(text: str) -> str:
    """Return a reply without the model's reasoning: between tags, after one never closed, or before a lone closing one.

    A lone closing tag counts only beside a line break: within a line it is more likely quoted.

    >>> without_thinking("<think>Y 9?</think>N")
    'N'
    """
    if channels := list(_FINAL_CHANNEL.finditer(text)):
        text = text[channels[-1].end() :]
    kept: list[str] = []
    position, thinking = 0, False
    for tag in _THINKING.finditer(text):
        closes = any(tag.group("close", "close_bracket", "close_triangle"))
        if not closes:
            kept += [] if thinking else [text[position : tag.start()]]
            thinking = True
        elif thinking or _is_beside_line_break(text, tag):
            kept = kept if thinking else []
            position, thinking = tag.end(), False
    return "".join(kept if thinking else [*kept, text[position:]]).strip()


def _is_beside_line_break(text: str, tag: re.Match[str]) -> bool:
    before = text[max(0, tag.start() - 20) : tag.start()].rstrip(" \t")
    after = text[tag.end() : tag.end() + 20].lstrip(" \t")
    return not before or not after or before.endswith("\n") or after.startswith("\n")


def is_refusal(text: str) -> bool:
    """Tell whether a reply begins by declining to answer.

    >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("I can't find any thanks. No.")
    (True, False)
    """
    return _REFUSAL.match(text.replace("’", "'")[:400]) is not None


@dataclass(frozen=True, slots=True)
class Echo:
    """The words of a prompt, to tell an answer from its repetition."""

    lines: frozenset[str]
    whole: str

    @classmethod
    def of(cls, prompt: str) -> Self:
        """Return what can be recognised of `prompt`."""
        return cls(frozenset(filter(None, map(_plain, prompt.splitlines()))), _plain(prompt))

    def has_line(self, line: str) -> bool:
        """Tell whether this line stands in the prompt."""
        return _plain(line) in self.lines

    def has(self, fragment: str) -> bool:
        """Tell whether this fragment stands in the prompt."""
        return bool(self.whole) and _plain(fragment) in self.whole

    def begins(self, text: str) -> bool:
        """Tell whether `text` begins as the prompt does, for too long to agree by chance."""
        beginning = self.whole[:_TAIL]
        return len(beginning) >= _LEAST_ECHO and _plain(text)[: len(beginning) + _LEAST_ECHO].find(beginning) >= 0

    def is_all_of(self, text: str) -> bool:
        """Tell whether `text` is nothing but a part of the prompt, too long to agree by chance."""
        plain = _plain(text)
        return bool(self.whole) and (plain == self.whole or (len(plain) >= _LEAST_ECHO and plain in self.whole))

    def after_prompt(self, text: str) -> str:
        """Return what follows the end of the prompt, where `text` repeats that end."""
        words = self.whole[-_TAIL:].split()[1:]
        if sum(map(len, words)) < _LEAST_ECHO:
            return text
        repeated = list(re.finditer(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE))
        return text[repeated[-1].end() :] if repeated else text

    def removed_from(self, text: str) -> str:
        """Return `text` without runs of lines that stand in the prompt, too long to agree by chance."""
        if not self.whole:
            return text
        kept: list[str] = []
        run: list[str] = []
        for line in [*self.after_prompt(text).splitlines(), None]:
            if line is not None and (not line.strip() or self.has_line(line)):
                run.append(line)
                continue
            kept += run if sum(map(len, run)) < _LEAST_ECHO else []
            run = []
            kept += [] if line is None else [line]
        return "\n".join(kept)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
