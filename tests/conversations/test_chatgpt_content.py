"""What ChatGPT's messages hold: every kind of content, citations, and what is said of a turn."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conversations.exports import HI, Fields, chain, read_one_chatgpt, said, the_part
from userside.conversations import Completeness, PartKind, render


def content(role: str, content_type: str, **fields: Any) -> Fields:
    return {
        "author": {"role": role, "name": "a.tool" if role == "tool" else None},
        "content": {"content_type": content_type, **fields},
    }


IMAGE = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1", "width": 4, "size_bytes": 9}
VOICE = {"content_type": "audio_transcription", "text": "spoken", "direction": "in"}
SOUND = {
    "content_type": "real_time_user_audio_video_asset_pointer",
    "audio_asset_pointer": {"asset_pointer": "sediment://s"},
}
FILE = {"id": "f1", "name": "cat.png", "mime_type": "image/png", "size": 9}
WIDGET = json.dumps({"report_message": {"content": {"parts": ["The report."]}}})
CANVAS = json.dumps({"name": "poem", "type": "document", "content": "O!"})


@pytest.mark.parametrize(
    ("message", "rendered", "parts"),
    [
        (said("user", "a", "b"), "User: a\n  b", []),
        (content("assistant", "code", text="x = 1", language="python"), "Assistant: x = 1", ["code"]),
        (content("assistant", "code", text="x = 1", language="unknown"), "Assistant: x = 1", []),
        (said("user", IMAGE, "what is it?"), "User: what is it?\n  [image]", ["image"]),
        (said("user", IMAGE), "User: [image]", ["image"]),
        (said("user", IMAGE, metadata={"attachments": [FILE]}), "User: [image]", ["image"]),
        (said("user", "read it", metadata={"attachments": [{"name": "a.pdf"}]}), "User: read it\n  [file]", ["file"]),
        (said("user", VOICE, SOUND), "User: spoken\n  [audio]", ["audio"]),
        (content("tool", "execution_output", text="42"), "[a.tool answered]", []),
        (
            content("tool", "tether_quote", text="said", url="https://a.example", title="A"),
            "[a.tool answered]",
            ["citations"],
        ),
        (content("tool", "tether_browsing_display", result="L0: page", summary=None), "[a.tool answered]", []),
        (said("tool", IMAGE), "Assistant: [image]", ["image"]),
        (content("assistant", "thoughts", thoughts=[{"summary": "s", "content": "deep"}]), "", ["thinking"]),
        (content("assistant", "reasoning_recap", content="Thought for 8s"), "", ["thinking"]),
        (said("assistant", "{}", recipient="web.run"), "[assistant called web.run]", ["tool_call"]),
        (
            content("assistant", "code", text="{}", language="json") | {"recipient": "python"},
            "[assistant called python]",
            ["tool_call"],
        ),
        (said("assistant", CANVAS, recipient="canmore.create_textdoc"), "Assistant: [artifact]", ["artifact"]),
        (
            said("assistant", "{", recipient="canmore.create_textdoc"),
            "[assistant called canmore.create_textdoc]",
            ["tool_call"],
        ),
        (said("tool", "", metadata={"chatgpt_sdk": {"widget_state": WIDGET}}), "Assistant: The report.", []),
        (said("tool", "x", metadata={"chatgpt_sdk": {"widget_state": "{"}}), "[a tool answered]", []),
        (content("assistant", "hologram", text="seen"), "Assistant: seen", []),
        (content("assistant", "hologram", beams=[1]), "Assistant: [attachment]", ["unknown"]),
        (said("user", {"content_type": "scent"}), "User: [attachment]", ["unknown"]),
        (content("user", "text", parts=[None, "a"]), "User: a", []),
        (said("user") | {"content": None, "metadata": {"attachments": [FILE]}}, "User: [image]", ["image"]),
    ],
)
def test_5_every_kind_of_content(tmp_path: Path, message: Fields, rendered: str, parts: list[str]) -> None:
    conversation = read_one_chatgpt(tmp_path, chain(message))
    assert render(conversation) == rendered
    assert [str(part.kind) for turn in conversation.turns for part in turn.parts or ()] == parts
    assert (conversation.completeness is Completeness.PARTIAL) == ("unknown" in parts)


def test_5_what_parts_say(tmp_path: Path) -> None:
    conversation = read_one_chatgpt(
        tmp_path,
        chain(said("user", IMAGE, metadata={"attachments": [FILE]}), content("assistant", "hologram", beams=[1])),
    )
    image, unknown = [part for turn in conversation.turns for part in turn.parts or ()]
    assert (image.name, image.media_type, image.url) == ("cat.png", "image/png", "file-service://f1")
    assert image.metadata == {"width": 4, "bytes": 9}
    assert (unknown.kind, unknown.name, unknown.raw) == (
        PartKind.UNKNOWN,
        "hologram",
        {"content_type": "hologram", "beams": [1]},
    )


CITE, LONG = "\ue200cite\ue202turn0news1\ue201", "\ue200cite\ue202turn0news1\ue202turn0search5\ue201"


@pytest.mark.parametrize(
    ("text", "metadata", "expected"),
    [
        (f"So. {CITE}", {}, "So."),
        (
            f"So. {CITE} On.",
            {"content_references": [{"matched_text": CITE, "alt": "([A](https://a.example))"}]},
            "So. ([A](https://a.example)) On.",
        ),
        (
            f"🙂 {LONG} and {CITE}",
            {"content_references": [{"matched_text": CITE, "alt": "(A)"}, {"matched_text": LONG, "alt": "(A, B)"}]},
            "🙂 (A, B) and (A)",
        ),
        ("a b c \ue203", {"content_references": [{"matched_text": " ", "type": "sources_footnote"}]}, "a b c"),
        ("Old.【4†source】", {"citations": [{"metadata": {"url": "https://a.example"}}]}, "Old."),
        ("A list 【x†y】", {}, "A list 【x†y】"),
        ("turn0news1 stays", {}, "turn0news1 stays"),
    ],
    ids=["no reference", "its words", "longest first", "a footnote's blank", "old marks", "not a mark", "plain text"],
)
def test_marks_of_citations(tmp_path: Path, text: str, metadata: Fields, expected: str) -> None:
    conversation = read_one_chatgpt(tmp_path, chain(HI, said("assistant", text, metadata=metadata)))
    assert conversation.turns[1].text == expected


def test_sources_are_kept_once(tmp_path: Path) -> None:
    item = {"title": "A", "url": "https://a.example", "attribution": "x"}
    answer = said("assistant", "So.", metadata={"content_references": [{"items": [item]}, {"items": [item, None]}]})
    part = the_part(read_one_chatgpt(tmp_path, chain(answer)).turns[0])
    assert part.metadata == {"sources": [{"title": "A", "url": "https://a.example"}]}


def test_a_user_may_type_such_marks(tmp_path: Path) -> None:
    assert read_one_chatgpt(tmp_path, chain(said("user", CITE))).turns[0].text == CITE


@pytest.mark.parametrize(
    ("message", "metadata"),
    [
        (said("assistant", "The", metadata={"finish_details": {"type": "max_tokens"}}), {"finish": "max_tokens"}),
        (said("assistant", "The", metadata={"finish_details": {"type": "stop"}}), {}),
        (said("tool", "The output was redacted.", metadata={"is_redacted": True}), {"redacted": True}),
    ],
)
def test_what_a_turn_is_told_apart_by(tmp_path: Path, message: Fields, metadata: Mapping[str, Any]) -> None:
    assert read_one_chatgpt(tmp_path, chain(message)).turns[0].metadata == metadata
