"""Addresses of mail, web and network, and what tells them from a version number or a harmless link.

All patterns run over folded text (ASCII digits, no zero-width characters; see `personal`) and take time in
proportion to its length: every repetition is bounded, or anchored on a sign that is rare.
"""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlsplit

from userside.conversations.personal_spans import TOKEN, Span


def find_emails(text: str) -> Iterator[Span]:
    """Yield addresses, also those written with `[at]` and `(dot)`."""
    for found in DOMAIN.finditer(text):
        start = LOCAL_REVERSED.match(text[max(0, found.start() - 320) : found.start()][::-1])
        if start and start.group().strip("'."):
            yield found.start() - len(start.group().rstrip("'.-")), found.end()


DOMAIN = re.compile(
    r"(?:@|\s?[\[(]\s?at\s?[\])]\s?)(?:[^\W_][\w-]{0,62}(?:\.|\s?[\[(]\s?dot\s?[\])]\s?)){1,6}[^\W\d_]{2,63}",
    re.IGNORECASE,
)
LOCAL_REVERSED = re.compile(r"[\w.+%'~-]+")


def find_urls(text: str) -> Iterator[Span]:
    """Yield addresses of the web that carry a password, a key or a session."""
    for found in URL.finditer(text):
        written = found.group().rstrip(".,;:!?)]}'")
        if _opens_something(written):
            yield found.start(), found.start() + len(written)


URL = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9+-]{1,15}://[^\s<>\"]{1,4000}", re.IGNORECASE)
SECRET_FIELD = re.compile(
    r"(?:^|[_.-])(?:token|key|apikey|sig|signature|auth|authorization|password|passwd|pwd|secret|session|sessionid|sid|jwt|"
    r"code|credential|otp)$",
    re.IGNORECASE,
)


def _opens_something(url: str) -> bool:
    try:
        parts = urlsplit(url)
        fields = parse_qsl(parts.query) + parse_qsl(parts.fragment)
    except ValueError:
        return False
    has_credentials = "@" in parts.netloc and not parts.netloc.startswith("@")
    return has_credentials or any(SECRET_FIELD.search(name) and not TOKEN.fullmatch(value) for name, value in fields)


def find_ips(text: str) -> Iterator[Span]:
    """Yield IPv4 and IPv6 addresses of somebody: neither loopback nor unspecified, nor a version or section number."""
    for found in IP.finditer(text):
        if not NUMBERED.search(text, max(0, found.start() - 16), found.start()) and _is_somebody(found.group()):
            yield found.span()


IP = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)"
    r"|(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{1,4})?(?![\w:])",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"(?:version|release|firmware|build|section|chapter|clause|§|v\.?) ?$", re.IGNORECASE)


def _is_somebody(written: str) -> bool:
    try:
        address = ip_address(written)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified) and any(sign.isdigit() for sign in written)
