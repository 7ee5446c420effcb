"""The report of a run: one HTML file, for someone who has never heard of rubrics.

Of a scoring run:

- `inputs`: what is read from its folder
- `cases`: each conversation with all that is known of it
- `headline`, `patterns`, `rubric_section`, `agreement`, `disagreements`, `spread`, `unscored`, `provenance`,
  `conversation_list`: the sections
- `pattern`, `pattern_table`, `examples`, `reliability`, `entries`, `transcript`: what they show
- `page`: all of it

Of a learning run: `learn_inputs`, `training_list`, `learn_page`. Both share `learned`, `links`, `wording`; `run_report`
takes either.
"""

from userside.rubrics.report.inputs import ReportInputs, read_report_inputs
from userside.rubrics.report.learn_inputs import LearnReportInputs, read_learn_report_inputs
from userside.rubrics.report.learn_page import render_learn_report
from userside.rubrics.report.page import render_report
from userside.rubrics.report.run_report import render_run_report

__all__ = [
    "LearnReportInputs",
    "ReportInputs",
    "read_learn_report_inputs",
    "read_report_inputs",
    "render_learn_report",
    "render_report",
    "render_run_report",
]
