"""The report of a scoring run: one HTML file, for someone who has never heard of rubrics.

- `inputs`: what is read from a run's folder
- `cases`: each conversation with all that is known of it
- `headline`, `patterns`, `disagreements`, `spread`, `unscored`, `provenance`, `conversation_list`: the sections
- `pattern`, `examples`, `entries`: what they show of one pattern, and of one conversation
- `links`, `wording`: what they share
- `page`: all of it
"""

from userside.rubrics.report.inputs import ReportInputs, read_report_inputs
from userside.rubrics.report.page import render_report

__all__ = ["ReportInputs", "read_report_inputs", "render_report"]
