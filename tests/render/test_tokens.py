"""Contrast in both schemes, and good against bad for eyes that see fewer colours."""

from itertools import combinations

import pytest

from userside.render.tokens import DARK, LIGHT, Palette, colours, render_tokens

AA_TEXT = 4.5
ON_PAPER = ["ink", "muted", "accent", "good", "bad", "warning"]
PAIRS = [
    *((name, "paper") for name in ON_PAPER),
    *((name, "wash") for name in ("ink", "muted")),
    *((name, f"{name}-wash") for name in ("good", "bad", "accent")),
    *(("ink", f"{name}-wash") for name in ("good", "bad", "accent")),
    ("ink", "neutral"),
    *(("paper", name) for name in ("good", "bad", "accent", "ink")),
]

type Colour = tuple[float, float, float]

# Machado, Oliveira and Fernandes 2009, severity 1.0
VISIONS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def linear(written: str) -> Colour:
    red, green, blue = (int(written[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return _linear(red), _linear(green), _linear(blue)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def luminance(colour: Colour) -> float:
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def contrast(first: str, second: str) -> float:
    lighter, darker = sorted((luminance(linear(first)), luminance(linear(second))), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_measured_as_the_guideline_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "behind"), PAIRS)
def test_text_is_legible(palette: Palette, text: str, behind: str) -> None:
    named = colours(palette)
    assert contrast(named[text], named[behind]) >= AA_TEXT


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_is_legible_on_the_deepest_shade_of_a_confusion_table(palette: Palette) -> None:
    named = colours(palette)
    assert contrast(named["ink"], mixed(named["accent"], named["paper"], share=0.35)) >= AA_TEXT


def mixed(first: str, second: str, *, share: float) -> str:
    pairs = ((int(first[at : at + 2], 16), int(second[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(share * one + (1 - share) * other):02x}" for one, other in pairs)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_good_bad_and_neutral_stay_apart(palette: Palette, vision: str) -> None:
    named = colours(palette)
    for first, second in combinations(("good", "bad", "neutral"), 2):
        assert distance(seen(named[first], vision), seen(named[second], vision)) > 20, (first, second)


def seen(written: str, vision: str) -> Colour:
    colour = linear(written)
    red, green, blue = (sum(a * b for a, b in zip(row, colour, strict=True)) for row in VISIONS[vision])
    return red, green, blue


def distance(first: Colour, second: Colour) -> float:
    """Return the CIE 1976 colour difference."""
    return sum((a - b) ** 2 for a, b in zip(lab(first), lab(second), strict=True)) ** 0.5


def lab(colour: Colour) -> Colour:
    red, green, blue = (min(max(channel, 0), 1) for channel in colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def test_every_colour_is_declared_for_both_schemes() -> None:
    css = render_tokens()
    assert all(css.count(f"--{name}:") == 2 for name in colours(LIGHT))
    assert "@media screen and (prefers-color-scheme:dark)" in css  # print stays light
