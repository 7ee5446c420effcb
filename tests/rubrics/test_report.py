"""The report of a scoring run: its sections, its numbers, its links, strangers' text, and how it looks in a browser."""

import os
import re
import shutil
from collections.abc import Generator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.rubrics.report_runs import MISLED, REFUSED, RUBRIC, everyday, hostile, inputs, written
from userside.conversations import Conversation, Feedback, Label
from userside.errors import FormatError, LabelError, RunError
from userside.llm import Elicited, Reason, RunState
from userside.rubrics import Cuts, ReportInputs, fit_cuts, read_report_inputs, relabel, render_report

CHROMIUM = shutil.which("chromium")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
CLOSED = {"h1", "h2", "caption", "td", "th", "style", "script"}
NUMBER = re.compile(r"[−-]?[\d,]+")


class Read(HTMLParser):
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
            self.tables[caption] = self._rows
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


def number(words: str) -> int:
    """Return the first whole number in words."""
    found = NUMBER.search(words)
    assert found, words
    return int(found.group().replace("−", "-").replace(",", ""))


@pytest.fixture(scope="module")
def labelled() -> str:
    return render_report(inputs(everyday()))


@pytest.fixture(scope="module")
def page(labelled: str) -> Read:
    return Read(labelled)


def test_the_first_screen_tells_the_story(page: Read) -> None:
    assert page.headings[0] == "22 of 48 users say they were satisfied"
    assert "Read from the transcripts alone" in page.text
    assert re.search(r"it picks the satisfied one (\d+ times in 100?|every time)", page.text)
    assert "uncalibrated" in page.text


def test_the_sections_stand_in_order(page: Read) -> None:
    wanted = [
        "What tells them apart",
        "Where they disagree",
        "The scores",
        "Not scored",
        "How this was made",
        "Conversations",
    ]
    assert [heading for heading in page.headings if heading in wanted] == wanted


def test_every_id_is_once_and_every_link_leads_somewhere(page: Read) -> None:
    assert len(set(page.ids)) == len(page.ids)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert {f"conversation-{place}" for place in range(48)} <= set(page.ids)


def test_hidden_failures_are_linked_with_the_users_own_words(page: Read) -> None:
    rows = page.tables["Hidden failures (2)"][1:]
    assert {row[0].strip() for row in rows} == MISLED
    assert {f"#conversation-{int(one[-2:]) - 1}" for one in MISLED} <= set(page.links)
    assert any("we ate at the Italian" in row[-1] for row in rows)


def test_the_steps_add_up(page: Read) -> None:
    steps = [(row[0].strip(), number(row[1])) for row in page.tables["From reading to estimates"][1:]]
    assert steps[0] == ("Read", 48)
    assert ("less: refused", -len(REFUSED)) in steps
    lost = sum(count for name, count in steps if name.startswith("less"))
    assert dict(steps)["Scored: they have R"] == 48 + lost == 48 - len(REFUSED)
    compared = [(row[0].strip(), number(row[1])) for row in page.tables["From scores to comparison"][1:]]
    assert sum(count for _, count in compared[:-1]) == compared[-1][1]


def test_confusion_and_headline_count_the_same(page: Read) -> None:
    cells = [[number(cell) for cell in row[1:]] for row in page.tables["47 conversations with both"][2:]]
    assert sum(map(sum, cells)) == 47
    assert sum(cells[2][:1]) == len(MISLED)
    read_satisfied = sum(row[0] for row in cells)
    assert f"{read_satisfied} of 47 conversations look satisfied" in page.text


def test_every_reason_is_explained(page: Read) -> None:
    rows = page.tables["Missing answers by reason"][1:]
    assert [(row[0].split(".")[0].strip(), number(row[1])) for row in rows] == [("Refused", 1)]
    assert "I would rather not" in page.text


def test_it_says_how_it_was_made(page: Read) -> None:
    for words in (
        "fake:judge",
        "0123456789abcdef" * 4,
        "not yet validated against people",
        "price unknown",
        "2026-03-07T09:12:00+00:00",
        "Lin, Y.-C. et al. (2024)",
        "Benjamini",
        *(item.description for item in RUBRIC.items),
    ):
        assert words in page.text, words


def test_a_quote_is_marked_in_its_turn(labelled: str) -> None:
    assert labelled.count("<mark class=") > 48


def test_without_labels_it_is_an_estimate_and_says_so() -> None:
    found = Read(render_report(inputs(everyday(labelled=False))))
    assert found.headings[0].startswith("An estimated")
    assert "No user was asked" in found.text
    assert "Where they disagree" not in found.headings
    assert "What was found" in found.headings


def test_by_tokens_there_are_no_quotes_and_all_patterns_add_up() -> None:
    html = render_report(inputs(everyday(), how=Elicited.TOKENS))
    found = Read(html)
    assert "there are no quotes" in found.text
    assert "<mark" not in html.split("<script>")[0].split("</style>")[1]
    assert re.search(r"had no probability of one half or more; they add [+−]", found.text)


def test_a_run_that_was_killed_says_so_at_the_top() -> None:
    found = Read(render_report(inputs(everyday(labelled=False), state=RunState.RUNNING, rows=30)))
    assert "incomplete run" in found.text
    assert "This run is not complete" in found.text
    assert "18 of 48 conversations have no row of scores" in found.text
    steps = {row[0].strip(): number(row[1]) for row in found.tables["From reading to estimates"][1:]}
    assert steps["less: no row of scores (not reached, or withdrawn)"] == -18


def test_nothing_scored_is_no_share_of_zero() -> None:
    silent = [replace(one, turns=(), feedback=()) for one in everyday()]
    found = Read(render_report(inputs(silent)))
    assert found.headings[0] == "No conversation could be scored"
    assert "0 %" not in found.text
    steps = {row[0].strip(): number(row[1]) for row in found.tables["From reading to estimates"][1:]}
    assert steps == {"Read": 48, "less: nothing to judge": -48, "Scored: they have R": 0, "With an estimated label": 0}
    assert Reason.NOTHING_TO_JUDGE.value == "nothing_to_judge"


@pytest.mark.parametrize("conversations", [everyday()[:1], everyday()[5:6], ()], ids=["one", "one neutral", "none"])
def test_few_conversations_are_no_trouble(conversations: Sequence[Conversation]) -> None:
    assert Read(render_report(inputs(conversations))).headings


def test_without_cuts_for_the_judge_there_is_r_and_no_label() -> None:
    rubric = replace(RUBRIC, cuts=(Cuts(judge="another"),))
    found = Read(render_report(inputs(everyday(labelled=False), rubric=rubric)))
    assert found.headings[0] == "Scored, but without labels"
    assert "R without labels" in found.text


def test_fitted_cuts_are_said_to_be_calibrated() -> None:
    bare = inputs(everyday())
    fit = fit_cuts(bare.scores, bare.labels, rubric=bare.rubric, prompts=bare.prompts.fingerprint, source="label")
    found = Read(render_report(replace(bare, scores=relabel(bare.scores, fit.fitted), fitted=fit.fitted)))
    assert "calibrated on users' labels" in found.text
    assert "uncalibrated" not in found.text
    assert "Can the probabilities be believed?" in found.text


def test_labels_by_a_rule_are_not_called_the_users_word() -> None:
    ruled = [
        replace(one, feedback=(Feedback(by="rule:uss", label=Label.SATISFIED if place % 2 else Label.DISSATISFIED),))
        for place, one in enumerate(everyday())
    ]
    found = Read(render_report(inputs(ruled)))
    assert found.headings[0] == "24 of 48 conversations are labelled satisfied"
    assert "“uss”" in found.text
    assert "Users say" not in found.text


def test_training_conversations_are_left_out_of_the_comparison() -> None:
    rubric = replace(RUBRIC, training_ids=tuple(one.id for one in everyday()[20:30]))
    found = Read(render_report(inputs(everyday(), rubric=rubric)))
    steps = {row[0].strip(): number(row[1]) for row in found.tables["From scores to comparison"][1:]}
    assert steps["less: the rubric was learned from them"] == -10
    assert steps["Held against the user's own label"] == 37


def many(times: int) -> tuple[Conversation, ...]:
    return tuple(replace(one, id=f"{one.id}-{copy}") for copy in range(times) for one in everyday())


def test_a_large_run_shows_all_in_a_table_and_says_which_can_be_opened() -> None:
    found = Read(render_report(inputs(many(10))))
    rows = found.tables["All 480 conversations"][1:]
    assert len(rows) == 480
    opened = sum(one.startswith("conversation-") for one in found.ids)
    assert f"{opened} can be opened here" in found.text
    assert 100 < opened < 300
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)


@pytest.fixture(scope="module")
def evil() -> str:
    return render_report(inputs(hostile()))


def test_strangers_text_is_inert(page: Read, evil: str) -> None:
    clean, html, found = page, evil, Read(evil)
    html.encode("utf-8")
    assert found.tags <= clean.tags | {"mark"}
    assert found.attributes <= clean.attributes | {"title"}
    assert not {"onerror", "src"} & found.attributes
    assert html.count("<script>") == 1
    assert all(link.startswith("#") for link in found.links)
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "*b* **s** `c`" in found.text


# From a run's folder


def test_from_a_folder_it_is_the_same_to_the_byte(labelled: str, tmp_path: Path) -> None:
    assert render_report(read_report_inputs(written(inputs(everyday()), tmp_path / "run"))) == labelled


def with_two_labels() -> ReportInputs:
    extra = Feedback(by="rule:rating", label=Label.NEUTRAL)
    return inputs(tuple(replace(one, feedback=(extra, *one.feedback)) for one in everyday(labelled=False)))


def test_labels_can_be_chosen_and_several_want_a_name(tmp_path: Path) -> None:
    both = tuple(
        replace(one, feedback=(*one.feedback, Feedback(by="rule:x", label=Label.NEUTRAL))) for one in everyday()
    )
    folder = written(replace(with_two_labels(), conversations=both), tmp_path / "run")
    with pytest.raises(LabelError, match="several labels"):
        read_report_inputs(folder)
    assert read_report_inputs(folder, labels="x").labels_by == "x"
    with pytest.raises(LabelError, match="no conversation is labelled by 'y'"):
        read_report_inputs(folder, labels="y")


def test_what_is_no_finished_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"no run\.json"):
        read_report_inputs(tmp_path)
    folder = written(inputs(everyday()), tmp_path / "run")
    (folder / "scores.jsonl").unlink()
    with pytest.raises(FormatError, match="wanted the scores"):
        read_report_inputs(folder)


# In a browser


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    if CHROMIUM is None and "CI" not in os.environ:
        pytest.skip("chromium is not here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("who", ["everyday", "hostile"])
def test_it_opens_without_complaint_and_never_scrolls_sideways(
    browser: Browser, tmp_path: Path, labelled: str, evil: str, width: int, who: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(labelled if who == "everyday" else evil, encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 812})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: complaints.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    page.close()
    assert complaints == []


def test_a_link_opens_the_conversation_and_the_list_is_narrowed(
    browser: Browser, tmp_path: Path, labelled: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(labelled, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 812})
    page.goto(path.as_uri())
    entry = page.locator("#conversations .entries > li").nth(1)
    assert not entry.locator(".transcript").is_visible()
    page.locator("#disagreements").get_by_role("link", name="everyday-02").click()
    entry.locator(".transcript").wait_for(state="visible")
    page.locator("#conversations").get_by_role("button", name=re.compile("^disagree")).click()
    assert page.locator("#conversations .entries > li:visible").count() >= len(MISLED)
    page.close()
