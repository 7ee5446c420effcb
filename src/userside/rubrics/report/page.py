"""The report of a scoring run, put together."""

from userside.render import Page, Section, render_page
from userside.rubrics.report.agreement import agreement_section
from userside.rubrics.report.cases import Facts, gather_facts
from userside.rubrics.report.conversation_list import conversations_section, link_shown
from userside.rubrics.report.disagreements import disagreements_section
from userside.rubrics.report.headline import headline, headline_subtitle, headline_title, is_complete
from userside.rubrics.report.inputs import ReportInputs
from userside.rubrics.report.patterns import patterns_section
from userside.rubrics.report.provenance import provenance_section
from userside.rubrics.report.rubric_section import rubric_section
from userside.rubrics.report.spread import spread_section
from userside.rubrics.report.unscored import unscored_section
from userside.rubrics.report.wording import counted, literal


def render_report(inputs: ReportInputs) -> str:
    """Return the report of a scoring run as one HTML file that asks for nothing else.

    The same inputs give the same bytes: nothing is drawn but from stated seeds, and no clock is read.
    """
    facts = gather_facts(inputs)
    return facts.links.resolve(render_page(_page(facts)))


def _page(facts: Facts) -> Page:
    run = facts.inputs.run
    n, day = counted(len(facts.cases), "conversation"), run.started_at[:10]
    incomplete = "" if is_complete(facts) else "incomplete run"
    return Page(
        kicker=" · ".join(filter(None, ("User satisfaction", facts.inputs.name, n, day, incomplete))),
        title=headline_title(facts),
        subtitle=headline_subtitle(facts),
        lead=headline(facts),
        sections=_sections(facts),
        footer=(_footer(facts),),
    )


def _footer(facts: Facts) -> str:
    run = facts.inputs.run
    made = f"Made with Userside {literal(run.userside)}".rstrip()
    return f"{made} from the run “{literal(facts.inputs.name)}”, last written {literal(run.updated_at)}."


def _sections(facts: Facts) -> tuple[Section, ...]:
    sections = (
        patterns_section(facts),
        rubric_section(facts.inputs.rubric, link_shown(facts)),
        agreement_section(facts),
        disagreements_section(facts),
        spread_section(facts),
        unscored_section(facts),
        provenance_section(facts),
        conversations_section(facts),
    )
    return tuple(section for section in sections if section)
