"""Keys, tokens and passwords.

All patterns run over folded text (ASCII digits, no zero-width characters; see `personal`) and take time in
proportion to its length: every repetition is bounded, or anchored on a sign that is rare.
"""

import re
from collections.abc import Callable, Iterator

from userside.conversations.personal_spans import BRACKETED, TOKEN, Span


def find_keys(text: str) -> Iterator[Span]:
    """Yield passwords, tokens and private keys; of `password=…` the value alone."""
    yield from (found.span() for found in PRIVATE_KEY.finditer(text))
    yield from (found.span() for found in KNOWN_KEY.finditer(text) if DIGIT.search(found.group()))
    yield from _values(BEARER, text, is_secret=_is_random)
    yield from _values(SECRET, text, is_secret=_is_random)
    yield from _values(PASSWORD, text, is_secret=bool)
    yield from _values(PASSWORD_IS, text, is_secret=lambda value: not value.isalpha())


PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----)[\s\S])*-----END [A-Z ]{0,30}-----|[A-Za-z0-9+/=\s\\]*)"
)
KNOWN_KEY = re.compile(
    r"(?<![\w-])(?:[srp]k[-_][\w-]{16,200}|gh[pousr]_\w{20,200}|github_pat_\w{20,200}"
    r"|glpat-[\w-]{16,200}|xox[abeprs]-[\w-]{10,200}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,60}|ya29\.[\w-]{20,400}"
    r"|hf_[A-Za-z0-9]{20,100}|npm_[A-Za-z0-9]{30,60}"
    r"|SG\.[\w-]{16,64}\.[\w-]{16,64}|eyJ[\w-]{8,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,4000})?)"
)
VALUE = r"[\"']?(?P<value>(?<=\")[^\"\n]{3,200}|(?<=')[^'\n]{3,200}|[^\s\"'<>,;&]{3,200})"
BEARER = re.compile(r"(?<!\w)(?:bearer|basic)\s{1,3}(?P<value>[\w.~+/-]{8,4000}={0,2})", re.IGNORECASE)
SECRET = re.compile(
    r"(?<![a-z0-9])(?:secret|api[ _-]?key|(?:access|secret|private|account)[ _-]?key|client[ _-]?secret|"
    r"(?:auth|access|refresh|session|api|bearer)?[ _-]?token|credentials?)[\"']?\s{0,3}(?:[=:]|\bis\b)\s{0,3}" + VALUE,
    re.IGNORECASE,
)
UNLOCKING = (
    r"(?<![a-z0-9])(?:password|passwd|passphrase|passcode|pwd|pass(?==)|passwort|kennwort|mot de passe|contraseña|"
    r"senha|wachtwoord|пароль|密码|パスワード)"
)
PASSWORD = re.compile(UNLOCKING + r"[\"']?\s{0,3}[=:：]\s{0,3}" + VALUE, re.IGNORECASE)
PASSWORD_IS = re.compile(
    rf"(?:{UNLOCKING}|(?<![a-z0-9])pin(?: code| number)?)\s{{0,3}}(?:\b(?:is|ist|est|es)\b|=|:)\s{{0,3}}" + VALUE,
    re.IGNORECASE,
)
DIGIT = re.compile(r"\d")
SHORTEST_VALUE, SHORTEST_RANDOM = 3, 8


def _values(pattern: re.Pattern[str], text: str, *, is_secret: Callable[[str], bool]) -> Iterator[Span]:
    for found in pattern.finditer(text):
        value = found["value"].rstrip(".,;!?)")
        is_redacted = TOKEN.fullmatch(value) or BRACKETED.match(value)
        if len(value) >= SHORTEST_VALUE and is_secret(value) and not is_redacted:
            yield found.start("value"), found.start("value") + len(value)


def _is_random(value: str) -> bool:
    return len(value) >= SHORTEST_RANDOM and any(sign.isdigit() for sign in value) and value.isascii()
