"""The report of a scoring run: its sections, its numbers, its links, strangers' text, and how it looks in a browser."""

import os
import re
import shutil
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.rubrics.report_page import ReportReader
from tests.rubrics.report_runs import MISLED, REFUSED, REPLICATES, RUBRIC, chance, everyday, hostile, inputs, written
from userside.conversations import Conversation, Feedback, Label
from userside.errors import FormatError, LabelError, RunError
from userside.llm import Elicited, Reason, RunState
from userside.rubrics import Cuts, ItemScore, ReportInputs, fit_cuts, read_report_inputs, relabel, render_report

CHROMIUM = shutil.which("chromium")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
NUMBER = re.compile(r"[−-]?[\d,]+")


def number(words: str) -> int:
    """Return the first whole number in words."""
    found = NUMBER.search(words)
    assert found, words
    return int(found.group().replace("−", "-").replace(",", ""))


@pytest.fixture(scope="module")
def labelled() -> str:
    return render_report(inputs(everyday()))


@pytest.fixture(scope="module")
def page(labelled: str) -> ReportReader:
    return ReportReader(labelled)


def test_the_first_screen_tells_the_story(page: ReportReader) -> None:
    assert page.headings[0] == "22 of 48 users say they were satisfied"
    assert "Read from the transcripts alone" in page.text
    assert re.search(r"it picks the satisfied one (\d+ times in 100?|every time)", page.text)
    assert "uncalibrated" in page.text


def test_the_sections_stand_in_order(page: ReportReader) -> None:
    wanted = [
        "What drives satisfaction",
        "The rubric",
        "How far to trust the estimate",
        "Where they disagree",
        "The scores",
        "Not scored",
        "How this was made",
        "Conversations",
    ]
    assert [heading for heading in page.headings if heading in wanted] == wanted


def test_every_id_is_once_and_every_link_leads_somewhere(page: ReportReader) -> None:
    assert len(set(page.ids)) == len(page.ids)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert {f"conversation-{place}" for place in range(48)} <= set(page.ids)


def test_hidden_failures_are_linked_with_the_users_own_words(page: ReportReader) -> None:
    rows = page.tables["Hidden failures (2)"][1:]
    assert {row[0].strip() for row in rows} == MISLED
    assert {f"#conversation-{int(one[-2:]) - 1}" for one in MISLED} <= set(page.links)
    assert any("we ate at the Italian" in row[-1] for row in rows)


def test_the_steps_add_up(page: ReportReader) -> None:
    steps = [(row[0].strip(), number(row[1])) for row in page.tables["From reading to estimates"][1:]]
    assert steps[0] == ("Read", 48)
    assert ("less: refused", -len(REFUSED)) in steps
    lost = sum(count for name, count in steps if name.startswith("less"))
    assert dict(steps)["Scored: they have R"] == 48 + lost == 48 - len(REFUSED)
    compared = [(row[0].strip(), number(row[1])) for row in page.tables["From scores to comparison"][1:]]
    assert sum(count for _, count in compared[:-1]) == compared[-1][1]


def test_confusion_and_headline_count_the_same(page: ReportReader) -> None:
    cells = [[number(cell) for cell in row[1:]] for row in page.tables["47 conversations with both"][2:]]
    assert sum(map(sum, cells)) == 47
    assert sum(cells[2][:1]) == len(MISLED)
    read_satisfied = sum(row[0] for row in cells)
    assert f"{read_satisfied} of 47 conversations look satisfied" in page.text


def test_every_reason_is_explained(page: ReportReader) -> None:
    rows = page.tables["Missing answers by reason"][1:]
    assert [(row[0].split(".")[0].strip(), number(row[1])) for row in rows] == [("Refused", 1)]
    assert "I would rather not" in page.text


def test_it_says_how_it_was_made(page: ReportReader) -> None:
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
    found = ReportReader(render_report(inputs(everyday(labelled=False))))
    assert found.headings[0].startswith("An estimated")
    assert "No user was asked" in found.text
    assert "Where they disagree" not in found.headings
    assert "What was found" in found.headings


def test_by_tokens_there_are_no_quotes_and_all_patterns_add_up() -> None:
    html = render_report(inputs(everyday(), how=Elicited.TOKENS))
    found = ReportReader(html)
    assert "there are no quotes" in found.text
    assert "<mark" not in html.split("<script>")[0].split("</style>")[1]
    assert re.search(r"had no probability of one half or more; they add [+−]", found.text)


def test_a_run_that_was_killed_says_so_at_the_top() -> None:
    found = ReportReader(render_report(inputs(everyday(labelled=False), state=RunState.RUNNING, rows=30)))
    assert "incomplete run" in found.text
    assert "This run is not complete" in found.text
    assert "18 of 48 conversations have no row of scores" in found.text
    steps = {row[0].strip(): number(row[1]) for row in found.tables["From reading to estimates"][1:]}
    assert steps["less: no row of scores (not reached, or withdrawn)"] == -18


def test_nothing_scored_is_no_share_of_zero() -> None:
    silent = [replace(one, turns=(), feedback=()) for one in everyday()]
    found = ReportReader(render_report(inputs(silent)))
    assert found.headings[0] == "No conversation could be scored"
    assert "0 %" not in found.text
    steps = {row[0].strip(): number(row[1]) for row in found.tables["From reading to estimates"][1:]}
    assert steps == {"Read": 48, "less: nothing to judge": -48, "Scored: they have R": 0, "With an estimated label": 0}
    assert Reason.NOTHING_TO_JUDGE.value == "nothing_to_judge"


@pytest.mark.parametrize("conversations", [everyday()[:1], everyday()[5:6], ()], ids=["one", "one neutral", "none"])
def test_few_conversations_are_no_trouble(conversations: Sequence[Conversation]) -> None:
    assert ReportReader(render_report(inputs(conversations))).headings


def test_without_cuts_for_the_judge_there_is_r_and_no_label() -> None:
    rubric = replace(RUBRIC, cuts=(Cuts(judge="another"),))
    found = ReportReader(render_report(inputs(everyday(labelled=False), rubric=rubric)))
    assert found.headings[0] == "Scored, but without labels"
    assert "R without labels" in found.text


def test_fitted_cuts_are_said_to_be_calibrated() -> None:
    bare = inputs(everyday())
    fit = fit_cuts(bare.scores, bare.labels, rubric=bare.rubric, prompts=bare.prompts.fingerprint, source="label")
    found = ReportReader(render_report(replace(bare, scores=relabel(bare.scores, fit.fitted), fitted=fit.fitted)))
    assert "calibrated on users' labels" in found.text
    assert "uncalibrated" not in found.text
    assert "Can the probabilities be believed?" in found.text


def test_rivals_stand_beside_the_rubric_and_probabilities_are_put_in_words() -> None:
    bare = inputs(everyday())
    fit = fit_cuts(bare.scores, bare.labels, rubric=bare.rubric, prompts=bare.prompts.fingerprint, source="label")
    outright = {one.id: chance("outright", one.id) for one in bare.conversations}
    scores = relabel(bare.scores, fit.fitted)
    found = ReportReader(render_report(replace(bare, scores=scores, fitted=fit.fitted, zero_shot=outright)))
    rows = {row[0].strip(): row[1:] for row in found.tables["With three labels"][1:]}
    assert set(rows) == {
        "R, the rubric's estimate",
        "Counted words and forms, no judge",
        "The judge asked outright",
        "Always “satisfied”",
    }
    assert all("[" in cell for cell in rows["The judge asked outright"])
    assert "With two labels" in found.tables
    assert "calibration error" in found.text
    assert "Brier score" in found.text


@pytest.mark.parametrize(
    ("strength", "flag"),
    [(-1.0, "works against the rubric"), (0.0, "has nearly the same score everywhere")],
)
def test_patterns_not_to_lean_on_are_named(strength: float, flag: str) -> None:
    bare = inputs(everyday())
    scores = [
        replace(one, items={**one.items, "thanks": turned(bare.labels[one.id].label, strength)}) for one in bare.scores
    ]
    found = ReportReader(render_report(replace(bare, scores=tuple(scores))))
    assert "Patterns not to lean on here" in found.text
    assert re.search(rf"Thanks\s+{flag}", found.text)


def turned(label: Label, strength: float) -> ItemScore:
    applies = strength != 0 and (label is Label.SATISFIED) == (strength > 0)
    return ItemScore(score=8 if applies else 0, yes=float(applies))


def test_labels_by_a_rule_are_not_called_the_users_word() -> None:
    ruled = [
        replace(one, feedback=(Feedback(by="rule:uss", label=Label.SATISFIED if place % 2 else Label.DISSATISFIED),))
        for place, one in enumerate(everyday())
    ]
    found = ReportReader(render_report(inputs(ruled)))
    assert found.headings[0] == "24 of 48 conversations are labelled satisfied"
    assert "“uss”" in found.text
    assert "Users say" not in found.text


def test_training_conversations_are_left_out_of_the_comparison() -> None:
    rubric = replace(RUBRIC, training_ids=tuple(one.id for one in everyday()[20:30]))
    found = ReportReader(render_report(inputs(everyday(), rubric=rubric)))
    steps = {row[0].strip(): number(row[1]) for row in found.tables["From scores to comparison"][1:]}
    assert steps["less: the rubric was learned from them"] == -10
    assert steps["Held against the user's own label"] == 37


def many(times: int) -> tuple[Conversation, ...]:
    return tuple(replace(one, id=f"{one.id}-{copy}") for copy in range(times) for one in everyday())


def test_a_large_run_shows_all_in_a_table_and_says_which_can_be_opened() -> None:
    found = ReportReader(render_report(inputs(many(10))))
    rows = found.tables["All 480 conversations"][1:]
    assert len(rows) == 480
    opened = sum(one.startswith("conversation-") for one in found.ids)
    assert f"{opened} can be opened here" in found.text
    assert 100 < opened < 300
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)


@pytest.fixture(scope="module")
def evil() -> str:
    return render_report(inputs(hostile()))


def test_strangers_text_is_inert(page: ReportReader, evil: str) -> None:
    clean, html, found = page, evil, ReportReader(evil)
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
    read = read_report_inputs(written(inputs(everyday()), tmp_path / "run"))
    assert render_report(replace(read, replicates=REPLICATES)) == labelled


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
