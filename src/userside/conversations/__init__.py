"""What was said: the record, its readers and writers, labels, prompts' rendering and redaction."""

from userside.conversations.bundled import read_sample, sample_names, sample_path
from userside.conversations.intake import ImportResult, read_conversations
from userside.conversations.label_choice import (
    LabelCounts,
    LabelledText,
    choose_labels,
    count_labels,
    label_sources,
    no_labels,
)
from userside.conversations.label_values import read_label, read_rating, read_thumb
from userside.conversations.labels import Aggregation, LabelRule, derive_label, rule_names
from userside.conversations.languages import language_name, language_tag
from userside.conversations.personal import NOT_LOOKED_FOR, Finding, PersonalKind, find_personal
from userside.conversations.quotes import QuoteSpan, find_quote_spans, locate_quote
from userside.conversations.readers import READERS, Reader, ReadOptions
from userside.conversations.record import (
    Completeness,
    Conversation,
    Feedback,
    Label,
    Origin,
    Part,
    PartKind,
    Speaker,
    Thumb,
    Turn,
)
from userside.conversations.redaction import Pseudonyms, redact, redact_text
from userside.conversations.rendering import RenderStyle, defuse, render
from userside.conversations.scoreability import Scoreability, scoreable
from userside.conversations.tally import Note, Skipped, Tally
from userside.conversations.trimming import Shortened, Trimmed, trim
from userside.conversations.wire import (
    conversation_from_dict,
    conversation_from_json,
    conversation_schema,
    conversation_to_dict,
    conversation_to_json,
)
from userside.conversations.writers import write_jsonl, write_parquet

__all__ = [
    "NOT_LOOKED_FOR",
    "READERS",
    "Aggregation",
    "Completeness",
    "Conversation",
    "Feedback",
    "Finding",
    "ImportResult",
    "Label",
    "LabelCounts",
    "LabelRule",
    "LabelledText",
    "Note",
    "Origin",
    "Part",
    "PartKind",
    "PersonalKind",
    "Pseudonyms",
    "QuoteSpan",
    "ReadOptions",
    "Reader",
    "RenderStyle",
    "Scoreability",
    "Shortened",
    "Skipped",
    "Speaker",
    "Tally",
    "Thumb",
    "Trimmed",
    "Turn",
    "choose_labels",
    "conversation_from_dict",
    "conversation_from_json",
    "conversation_schema",
    "conversation_to_dict",
    "conversation_to_json",
    "count_labels",
    "defuse",
    "derive_label",
    "find_personal",
    "find_quote_spans",
    "label_sources",
    "language_name",
    "language_tag",
    "locate_quote",
    "no_labels",
    "read_conversations",
    "read_label",
    "read_rating",
    "read_sample",
    "read_thumb",
    "redact",
    "redact_text",
    "render",
    "rule_names",
    "sample_names",
    "sample_path",
    "scoreable",
    "trim",
    "write_jsonl",
    "write_parquet",
]
