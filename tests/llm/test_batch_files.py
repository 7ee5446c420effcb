"""Files of answers as other programs write them."""

import json
from pathlib import Path

import pytest

from userside.llm import AnswerStore, Message, Reply, Request, Role, import_responses

REQUEST = Request(messages=(Message(role=Role.USER, text="What did the user say?"),))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("said", ["one\u2028two", "one\x85two", "one\x0btwo", "one\ntwo"])
def test_an_answer_may_hold_any_line_break(said: str, end: str, tmp_path: Path) -> None:
    path, key = tmp_path / "responses.jsonl", REQUEST.key("openai:fake")
    body = {"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}
    line = json.dumps({"custom_id": key, "response": {"status_code": 200, "body": body}}, ensure_ascii=False)
    path.write_bytes(f"{line}{end}".encode())
    with AnswerStore(Path(":memory:")) as store:
        store.wait_for(key, REQUEST, identity="openai:fake")
        taken = import_responses(store, [path], price=lambda _: None)
        assert (taken.answers, taken.unreadable, taken.still_pending) == (1, (), 0)
        answer = store.find(key)
        assert isinstance(answer, Reply)
        assert answer.text == said
