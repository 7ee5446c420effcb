"""The page in a real browser: phone and desktop, light and dark, filtering, sorting, print."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.render.specimen import PAGE, PLOTS
from userside.render import render_page

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None and "CI" not in os.environ, reason="chromium is not here")

PHONE, DESKTOP = 375, 1280


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with sync_playwright() as playwright:
        switches = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=switches)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_page(PAGE), encoding="utf-8")
    return path.as_uri()


@contextmanager
def opened(browser: Browser, address: str, *, width: int = DESKTOP, scheme: str = "light") -> Generator[Page]:
    """Yield the page; complaints on the console and requests for anything else are failures."""
    dark = scheme == "dark"
    page = browser.new_page(viewport={"width": width, "height": 812}, color_scheme="dark" if dark else "light")
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if request.url != address else None)
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(address)
    yield page
    page.close()
    assert complaints == []


OPEN_ALL = "document.querySelectorAll('details').forEach(details => { details.open = true; })"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, PHONE, DESKTOP])
def test_the_page_never_scrolls_sideways(browser: Browser, address: str, width: int, scheme: str) -> None:
    with opened(browser, address, width=width, scheme=scheme) as page:
        assert page.evaluate(OVERFLOW) == 0
        page.evaluate(OPEN_ALL)
        assert page.evaluate(OVERFLOW) == 0


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(255, 254, 251)"), ("dark", "rgb(23, 24, 26)")])
def test_the_reader_s_scheme_is_followed(browser: Browser, address: str, scheme: str, paper: str) -> None:
    with opened(browser, address, scheme=scheme) as page:
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper


@pytest.mark.parametrize(("width", "shown"), [(PHONE, "plot-narrow"), (DESKTOP, "plot-wide")])
def test_the_drawing_that_fits_is_shown(browser: Browser, address: str, width: int, shown: str) -> None:
    with opened(browser, address, width=width) as page:
        drawings = page.locator("figure svg:visible")
        assert drawings.count() == len(PLOTS)
        assert {drawing.get_attribute("class") for drawing in drawings.all()} == {f"plot {shown}"}


def test_the_list_is_searched_and_narrowed(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        entries, found = page.locator(".entries > li:visible"), page.get_by_role("status")
        assert (entries.count(), found.inner_text()) == (2, "2 conversations")
        page.get_by_role("searchbox").fill("About BOOKING-2")
        assert (entries.count(), found.inner_text()) == (1, "1 of 2 conversations")
        page.get_by_role("searchbox").fill("")
        page.get_by_role("button", name="satisfied 1", exact=True).click()
        assert entries.all_inner_texts()[0].startswith("booking-1")
        assert entries.count() == 1


def test_a_table_is_sorted_with_what_is_missing_last(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        table = page.locator("table[data-sortable]")
        first = table.locator("tbody th")
        table.get_by_role("button", name="Found in").click()
        assert [text[:8] for text in first.all_inner_texts()][:2] == ["Corrects", "Says tha"]
        assert first.all_inner_texts()[-1] == "Repeats"
        table.get_by_role("button", name="Found in").click()
        assert first.all_inner_texts()[-1] == "Repeats"
        assert table.locator("th[aria-sort=ascending]").count() == 1


def test_the_page_is_whole_without_its_script(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator(".entries > li:visible").count() == 2
    assert page.locator(".finder:visible").count() == 0
    page.locator(".entries summary").first.click()
    assert page.locator(".entries .turn:visible").count() == 4
    context.close()


def test_print_opens_entries_and_stays_light(browser: Browser, address: str) -> None:
    with opened(browser, address, scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 254, 251)"
        words = page.locator(".entry-body .turn").first.bounding_box()
        assert words is not None
        assert words["height"] > 0
        assert page.pdf(format="A4").startswith(b"%PDF")
