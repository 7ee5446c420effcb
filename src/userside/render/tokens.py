"""Colours, type and spacing as data, and the CSS variables made from them.

Good and bad are teal and vermilion, which stay apart under the common colour-vision deficiencies. Text colours keep
a contrast of 4.5 to 1 on both papers in both schemes; `tests/render/test_tokens.py` measures all of this.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum


class Tone(StrEnum):
    """What a colour means; never the only bearer of the meaning."""

    INK = "ink"
    ACCENT = "accent"
    GOOD = "good"
    BAD = "bad"
    NEUTRAL = "neutral"
    MUTED = "muted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """The colours of one scheme, as `#rrggbb`.

    Attributes:
        paper: The page.
        wash: A quiet surface on it, such as the assistant's turns.
        ink: Text.
        muted: Secondary text, axis labels.
        rule: Hairlines.
        accent: Links, marks without a verdict.
        neutral: Fills that are neither good nor bad; `ink` is legible on it.
        good_wash: Behind a passage that counts for.
        bad_wash: Behind a passage that counts against.
        accent_wash: Behind any other marked passage.
    """

    paper: str
    wash: str
    ink: str
    muted: str
    rule: str
    accent: str
    good: str
    bad: str
    warning: str
    neutral: str
    good_wash: str
    bad_wash: str
    accent_wash: str


LIGHT = Palette(
    paper="#fffefb",
    wash="#f6f4ee",
    ink="#1d1c1a",
    muted="#67635b",
    rule="#dfdbd1",
    accent="#1f4f82",
    good="#0b6b66",
    bad="#b03a14",
    warning="#7d5600",
    neutral="#cdc8bc",
    good_wash="#d5ebe7",
    bad_wash="#fbe0d4",
    accent_wash="#dde8f4",
)

DARK = Palette(
    paper="#17181a",
    wash="#202124",
    ink="#ebe8e1",
    muted="#a8a399",
    rule="#37383b",
    accent="#8db9e6",
    good="#5cc4b8",
    bad="#f38b66",
    warning="#e3b75f",
    neutral="#55565b",
    good_wash="#123a37",
    bad_wash="#4a2417",
    accent_wash="#1d344c",
)

SERIF = (
    'Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", "Sitka Text", Cambria, '
    '"Noto Serif", "URW Palladio L", Georgia, serif'
)
SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif'
MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'

MEASURES: Mapping[str, str] = {
    "serif": SERIF,
    "sans": SANS,
    "mono": MONO,
    "text": "1.0625rem",
    "small": "0.875rem",
    "tiny": "0.8125rem",
    "measure": "40rem",
    "wide": "52rem",
    "gap": "1.5rem",
}


def colours(palette: Palette) -> dict[str, str]:
    """Return the colours by the name of their CSS variable, without the dashes.

    >>> colours(LIGHT)["good-wash"]
    '#d5ebe7'
    """
    return {colour.name.replace("_", "-"): getattr(palette, colour.name) for colour in fields(palette)}


def render_tokens() -> str:
    """Return the CSS that declares every token, for light, dark and print."""
    light, dark = _declarations(colours(LIGHT)), _declarations(colours(DARK))
    return (
        f":root{{color-scheme:light dark;{_declarations(MEASURES)}{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )


def _declarations(values: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in values.items())
