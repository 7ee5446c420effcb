"""Drawings: the same bytes, the page's colours, text as text, legible at every width."""

import re
from xml.etree import ElementTree

import pytest
from markupsafe import escape

from tests.render.specimen import PLOTS
from userside.errors import InputError
from userside.render import (
    Axis,
    ConfusionTable,
    DivergingBars,
    DivergingRow,
    Dot,
    DotPlot,
    Estimate,
    Histogram,
    HistogramGroup,
    Metric,
    Plot,
    ReliabilityCurve,
    ShareRow,
    StackedShares,
    Tone,
    plot_table,
    render_plot,
    table_text,
)
from userside.render.canvas import text_width, wrap

every_plot = pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: type(plot).__name__)


@every_plot
@pytest.mark.parametrize("width", [335.0, 680.0])
def test_a_drawing_belongs_to_its_page(plot: Plot, width: float) -> None:
    svg = render_plot(plot, width=width, label="what it shows")
    assert svg == render_plot(plot, width=width, label="what it shows")
    assert 'role="img" aria-label="what it shows"' in svg
    assert not re.search(r"#[0-9a-f]{3,8}\b|\bid=|url\(|href|<style|<image|font-family", svg)
    assert "var(--ink)" in svg or "var(--muted)" in svg
    assert set(re.findall(r"<(\w+)", svg)) == {"svg", "path", "text"}


@every_plot
@pytest.mark.parametrize("width", [335.0, 680.0])
def test_text_is_large_enough_and_stays_on_the_sheet(plot: Plot, width: float) -> None:
    root = ElementTree.fromstring(render_plot(plot, width=width))
    _, _, sheet, height = map(float, root.attrib["viewBox"].split())
    for text in root.iter("text"):
        style = dict(part.split(":", 1) for part in text.attrib["style"].split(";"))
        size = float(style["font-size"].removesuffix("px"))
        words = "".join(text.itertext())
        room = text_width(words, size=size)
        share = {"middle": 0.5, "end": 1.0}.get(style.get("text-anchor", "start"), 0.0)
        left = float(text.attrib["x"]) - share * room
        assert size >= 11
        assert left >= -12, words
        assert left + room <= sheet + 12, words
        assert 0 < float(text.attrib["y"]) <= height


def test_labels_are_text_whatever_they_say() -> None:
    label = "$x^2$ <b>& 満足 @3@"
    plot = DotPlot(axis=Axis(label="x"), dots=(Dot(label=label, estimate=Estimate(value=1)),))
    assert f">{escape(label)}</text>" in render_plot(plot)


def test_a_missing_estimate_is_named_and_not_drawn() -> None:
    svg = render_plot(PLOTS[0])
    assert ">not run</text>" in svg
    dots = [path for path in re.findall(r'<path d="([^"]*)"', svg) if "C" in path]
    assert len(dots) == 2


def test_values_beyond_the_axis_stop_at_its_end() -> None:
    axis = Axis(label="odds ratio", low=0, high=2)
    plot = DotPlot(axis=axis, dots=(Dot(label="a", estimate=Estimate(value=1, low=-9, high=float("inf"))),))
    assert "∞" in render_plot(plot)


def test_what_does_not_fit_together_is_refused() -> None:
    group = HistogramGroup(label="a", tone=Tone.GOOD, counts=(1, 2))
    with pytest.raises(InputError, match=r"group 'a': wanted 1 counts, came 2"):
        Histogram(axis=Axis(label="x"), edges=(0.0, 1.0), groups=(group,))
    with pytest.raises(InputError, match=r"row 'b': wanted 0 counts, came 1"):
        StackedShares(parts=(), rows=(ShareRow(label="b", counts=(1,)),))
    with pytest.raises(InputError, match="wanted a number, came nan"):
        Estimate(value=float("nan"))
    with pytest.raises(InputError, match="wanted 1 rows of 1 counts"):
        ConfusionTable(labels=("a",), counts=((1, 2),), row_title="", column_title="")
    with pytest.raises(InputError, match="wanted a scale from low to high"):
        Metric(value="1", label="m", low=1, high=1)


EMPTY: list[Plot] = [
    DotPlot(axis=Axis(label="x"), dots=()),
    DivergingBars(axis=Axis(label="x"), rows=()),
    DivergingBars(axis=Axis(label="x"), rows=(DivergingRow(label="none", left=0, right=0),)),
    StackedShares(parts=(), rows=()),
    Histogram(axis=Axis(label="x"), edges=(0.0, 1.0), groups=(HistogramGroup(label="a", tone=Tone.GOOD, counts=(0,)),)),
    ReliabilityCurve(points=()),
    DotPlot(axis=Axis(label="x"), dots=(Dot(label="", estimate=Estimate(value=0)),)),
]


@pytest.mark.parametrize("plot", EMPTY, ids=lambda plot: type(plot).__name__)
def test_nothing_to_draw_is_still_a_drawing(plot: Plot) -> None:
    assert render_plot(plot).startswith("<svg")
    assert render_plot(plot, width=335).startswith("<svg")
    assert table_text(plot_table(plot))


@every_plot
def test_every_drawing_has_its_figures_as_a_table(plot: Plot) -> None:
    assert len(plot_table(plot).rows) >= 2


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("short", ["short"]),
        ("one two three four five six seven", ["one two three", "four five s…"]),
        ("unbreakablelongword", ["unbreakabl…"]),
        ("満足満足満足満足満足", ["満足満足満足…"]),
        ("", [""]),
    ],
)
def test_labels_are_broken_and_cut(words: str, lines: list[str]) -> None:
    assert wrap(words, width=70, size=10) == lines
