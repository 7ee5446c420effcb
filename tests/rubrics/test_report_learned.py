"""Reports of a learning run and of scoring with what it learned: evidence, links, marks, languages, strangers' text."""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.rubrics.learning.planted import SIGNS, plant, reply
from tests.rubrics.report_page import ReportReader
from tests.rubrics.report_runs import EVIL, RUBRIC, inputs
from userside.conversations import Conversation, Feedback, Label, Speaker, Turn, read_sample
from userside.errors import LabelError, RunError
from userside.facade import learn
from userside.llm import ScriptedModel
from userside.rubrics import (
    Evidence,
    LearnSettings,
    Rubric,
    RubricItem,
    Side,
    open_rubric,
    render_report,
    render_run_report,
)
from userside.rubrics.report.learned import LearnedFrom, learned_from

SETTINGS = LearnSettings(share=0.4, items=3, batch_size=10, folds=0)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "learned"
    learn(plant(120), model=ScriptedModel(reply, name="planted"), settings=SETTINGS, folder=folder)
    return folder


@pytest.fixture(scope="module")
def page(learned: Path) -> str:
    return render_run_report(learned)


def test_a_learning_run_has_a_page_of_its_own(page: str) -> None:
    found = ReportReader(page)
    assert found.headings[0] == "3 signs of satisfaction, 3 of dissatisfaction"
    assert [heading for heading in found.headings if heading in SECTIONS] == SECTIONS
    assert "Its cuts are optimistic" in found.text
    assert "of 120 labelled ones" in found.text
    assert all(told in found.text for told in SIGNS.values())
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert len(set(found.ids)) == len(found.ids)


SECTIONS = [
    "The rubric, and whose words it comes from",
    "The reasons",
    "Where the line runs",
    "How this was made",
    "Training conversations",
]


def test_what_conversations_gave_adds_up(page: str) -> None:
    rows = {row[0].strip(): [int(cell) for cell in row[1:]] for row in ReportReader(page).tables[GAVE][1:]}
    for side in range(2):
        told = (rows[name][side] for name in ("gave at least one reason", "showed none in their words", UNFOUNDED))
        assert rows["Conversations asked about"][side] == sum(told)


GAVE, UNFOUNDED = "What the conversations gave", "only reasons whose words are not the user's"


def test_every_quote_is_marked_in_its_conversation(page: str, learned: Path) -> None:
    rubric = open_rubric(str(learned))
    quotes = {one.quote for item in rubric.items for one in item.evidence}
    marked = {re.sub(r"<span.*?</span>", "", words) for words in re.findall(r"<mark[^>]*>(.*?)</mark>", page)}
    assert quotes == marked


def test_the_same_run_gives_the_same_page(page: str, learned: Path) -> None:
    assert render_run_report(learned) == page


def test_other_labels_than_it_was_learned_from_are_refused(learned: Path) -> None:
    with pytest.raises(LabelError, match="wanted the labels it was learned from, 'label', not 'stars'"):
        render_run_report(learned, labels="stars")


def test_a_learning_run_that_stopped_early_has_a_page_too(learned: Path, tmp_path: Path) -> None:
    folder = tmp_path / "stopped"
    folder.mkdir()
    for name in ("input.jsonl", "extractions.jsonl"):
        (folder / name).write_bytes((learned / name).read_bytes())
    run = json.loads((learned / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**run, "state": "partial"}))
    shutil.copytree(learned / "prompts", folder / "prompts")
    found = ReportReader(render_run_report(folder))
    assert found.headings[0] == "No rubric yet"
    assert "This run is not complete" in found.text
    (folder / "extractions.jsonl").unlink()
    assert "not asked" in ReportReader(render_run_report(folder)).text


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"no run\.json"):
        render_run_report(tmp_path)


def chat(*lines: str, language: str | None = None, id_: str = "c0", label: Label = Label.SATISFIED) -> Conversation:
    turns = tuple(Turn(index=place, speaker=Speaker.USER, text=line) for place, line in enumerate(lines))
    return Conversation(
        id=id_, source="here", turns=turns, language=language, feedback=(Feedback(by="user", label=label),)
    )


def rubric_of(*evidence: Evidence) -> Rubric:
    items = (
        RubricItem(name="thanks", description="The user thanks.", side=Side.SATISFIED, evidence=evidence),
        RubricItem(name="complains", description="The user complains.", side=Side.DISSATISFIED),
    )
    return Rubric(name="learned", items=items, training_ids=tuple(one.id for one in evidence))


def test_scoring_with_a_learned_rubric_shows_its_evidence_linked_where_it_is() -> None:
    rubric = rubric_of(Evidence(id="c0", turn=0, quote="Bless you"), Evidence(id="gone", turn=3, quote="so kind"))
    html = render_report(inputs([chat("Bless  you, friend"), chat("no", id_="c1")], rubric=rubric))
    found = ReportReader(html)
    assert "The rubric, and whose words it comes from" in found.headings
    assert "gone (not in this run)" in found.text
    assert "“so kind”" in found.text
    assert "#conversation-0" in found.links
    assert ">Bless  you<" in html
    assert "Thanks, learned here" in found.text
    assert "nothing behind it" in found.text  # the other item


def test_a_written_rubric_says_so() -> None:
    found = ReportReader(render_report(inputs([chat("Hello there")])))
    assert "written by people" in found.text
    assert all(item.description in found.text for item in RUBRIC.items)


@pytest.mark.parametrize(
    ("sample", "attributes"),
    [
        ("spanish", 'lang="es" dir="auto"'),
        ("chinese", 'lang="zh" dir="auto"'),
        ("arabic", 'lang="ar" dir="rtl">'),  # no letters: its language decides
        ("arabic", 'lang="ar" dir="auto"'),
    ],
)
def test_turns_carry_the_declared_language(sample: str, attributes: str) -> None:
    html = render_report(inputs(read_sample(sample)[:2]))
    assert attributes in re.sub(r'lang="zh[^"]*"', 'lang="zh"', html)


def test_several_languages_are_held_side_by_side() -> None:
    several = [one for name in ("spanish", "chinese", "arabic") for one in read_sample(name)[:3]]
    rows = ReportReader(render_report(inputs(several))).tables["Agreement by language"][1:]
    assert {row[0].strip() for row in rows} == {"Spanish", "Chinese", "Arabic"}
    assert all("too few" in row[-1] for row in rows)


def test_one_label_only_is_compared_with_nothing_and_fails_nowhere() -> None:
    found = ReportReader(render_report(inputs([chat("thanks", id_=f"c{place}") for place in range(3)])))
    assert found.headings[0] == "3 of 3 users say they were satisfied"
    assert "What was found" in found.headings


def test_strangers_words_in_a_rubric_are_inert() -> None:
    rubric = replace(
        rubric_of(Evidence(id="c0", turn=0, quote=EVIL)),
        name=EVIL,
        provenance={"notes": [EVIL], "models": {EVIL: EVIL}, "learned_from": {"taken": {EVIL: 3}}, "settings": 7},
    )
    described = replace(rubric, items=tuple(replace(item, description=EVIL) for item in rubric.items))
    html = render_report(inputs([chat(EVIL, language='"><script>')], rubric=described))
    found = ReportReader(html)
    assert not {"img", "iframe", "object", "base", "form"} & found.tags
    assert not any(name.startswith("on") for name in found.attributes)
    assert html.count("<script>") == 1
    assert all(link.startswith("#") for link in found.links)
    assert "\u202e" not in html
    assert "http:" not in html
    assert "https:" not in html


@pytest.mark.parametrize(
    "provenance",
    [{}, {"extraction": 3, "cuts": [], "notes": "x", "unassigned": {"satisfied": "many"}, "models": None}],
)
def test_a_provenance_of_another_shape_says_nothing(provenance: Mapping[str, Any]) -> None:
    assert learned_from(provenance) == LearnedFrom()
