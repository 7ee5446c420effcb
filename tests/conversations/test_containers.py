"""Exports as a folder or a zip: what is read, in which order, what is passed over, and what is refused."""

import io
import random
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.big_export import run_import, write_export
from tests.conversations.exports import CHATGPT, CLAUDE, GEMINI, Fields, chain, said, write_folder, write_zip
from userside.conversations import read_conversations
from userside.conversations.json_window import JsonWindow
from userside.errors import FormatError, InputError

USER = {"id": "user-1", "email": "someone@example.org"}
FEEDBACK = [{"id": "f", "conversation_id": "c", "rating": "thumbs_up", "content": "{}"}]
VIEWER = "<html><script>var jsonData = [];</script></html>"
NOTHING: Fields = {}
ACCOUNT: Fields = {
    "user.json": USER,
    "user_settings.json": {"settings": NOTHING},
    "message_feedback.json": FEEDBACK,
    "shared_conversations.json": [{"id": "s", "conversation_id": "c", "title": "A talk"}],
    "export_manifest.json": {"files": []},
    "chat.html": VIEWER,
    "file-1-cat.png": b"\x89PNG",
    "empty.json": "",
}
PROJECTS = [{"uuid": "p", "name": "P", "docs": [{"filename": "a.md", "content": "x"}]}]
TAKEOUT = "Takeout/My Activity/Gemini Apps/MyActivity.json"
SEARCH = "Takeout/My Activity/Search/MyActivity.json"


def one(identity: str) -> Fields:
    return CHATGPT | {"conversation_id": identity}


LAYOUTS: dict[str, tuple[Mapping[str, object], dict[str, str], list[str]]] = {
    "ChatGPT": ({**ACCOUNT, "conversations.json": [one("a")]}, {"conversations.json": "chatgpt"}, ["a"]),
    "ChatGPT, numbered parts": (
        {**ACCOUNT, **{f"conversations-{part:03d}.json": [one(str(part))] for part in (2, 0, 1)}},
        {f"conversations-{part:03d}.json": "chatgpt" for part in (0, 1, 2)},
        ["0", "1", "2"],
    ),
    "parts without leading zeros": (
        {f"conversations-{part}.json": [one(str(part))] for part in (10, 9)},
        {"conversations-9.json": "chatgpt", "conversations-10.json": "chatgpt"},
        ["9", "10"],
    ),
    "a folder deeper": ({"export/conversations.json": [one("a")]}, {"export/conversations.json": "chatgpt"}, ["a"]),
    "Claude": (
        {"conversations.json": [CLAUDE], "projects.json": PROJECTS, "users.json": [USER]},
        {"conversations.json": "claude"},
        ["k"],
    ),
    "Takeout": (
        {TAKEOUT: [GEMINI], SEARCH: [GEMINI | {"header": "Search", "products": []}]},
        {TAKEOUT: "gemini"},
        [""],
    ),
    "what a Mac adds": (
        {
            "conversations.json": [one("a")],
            "__MACOSX/._conversations.json": b"\x00\x05",
            ".hidden/conversations.json": [1],
        },
        {"conversations.json": "chatgpt"},
        ["a"],
    ),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(("files", "formats", "ids"), LAYOUTS.values(), ids=LAYOUTS)
def test_exports(
    tmp_path: Path, zipped: bool, files: Mapping[str, object], formats: dict[str, str], ids: list[str]
) -> None:
    path = write_zip(tmp_path / "x.zip", files) if zipped else write_folder(tmp_path / "x", files)
    result = read_conversations(path)
    conversations = result.conversations()
    assert result.tally.formats == {str(path / name): format for name, format in formats.items()}  # noqa: A001
    assert list(result.tally.formats) == [str(path / name) for name in formats]
    assert [conversation.id for conversation in conversations if ids != [""]] == [name for name in ids if name]
    assert conversations[0].turns[1].text == "hello"
    assert result.tally.skipped == []


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("", "is empty"),
        ("[]", "wanted conversations of one format, not something else"),
        ('[{"mapping"', "wanted conversations of one format, not something else"),
        ('[{"mapping": {}, "chat_messages": []}]', "wanted conversations of one format, not something else"),
    ],
)
def test_a_part_that_cannot_be_read_is_named(tmp_path: Path, zipped: bool, bad: str, reason: str) -> None:
    files = {"conversations-000.json": [one("a")], "conversations-001.json": bad, "conversations-002.json": [one("b")]}
    path = write_zip(tmp_path / "x.zip", files) if zipped else write_folder(tmp_path / "x", files)
    result = read_conversations(path)
    assert [conversation.id for conversation in result] == ["a", "b"]
    (skipped,) = result.tally.skipped
    assert (skipped.path, skipped.reason[: len(reason)]) == (str(path / "conversations-001.json"), reason)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"readme.txt": "hi"}, "no .json or .html file"),
        ({"user.json": USER, "chat.html": VIEWER}, "'user.json'"),
        (
            {f"{number}.json": USER for number in range(7)},
            "'0.json', '1.json', '2.json', '3.json', '4.json' and 2 more",
        ),
        ({"chat.jsonl": '{"messages": [{"role": "user", "content": "x"}]}'}, "no .json or .html file"),
        ({"chat.json": [{"messages": [{"role": "user", "content": "x"}]}]}, "'chat.json'"),
    ],
)
def test_nothing_to_read_is_one_clear_error(
    tmp_path: Path, zipped: bool, files: Mapping[str, object], found: str
) -> None:
    path = write_zip(tmp_path / "x.zip", files) if zipped else write_folder(tmp_path / "x", files)
    with pytest.raises(FormatError) as caught:
        read_conversations(path)
    assert str(caught.value) == f"{path}: wanted an export (chatgpt, claude, gemini), found {found}"
    assert caught.value.__notes__[0].startswith("Name the export as it was downloaded or unpacked")


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"found no \.json or \.html file"):
        read_conversations(tmp_path)


def test_the_format_that_was_named(tmp_path: Path) -> None:
    both = write_folder(tmp_path, {"a/conversations.json": [one("a")], "b/conversations.json": [CLAUDE]})
    assert [conversation.source for conversation in read_conversations(both)] == ["chatgpt", "claude"]
    assert [conversation.source for conversation in read_conversations(both, format="claude")] == ["claude"]
    with pytest.raises(FormatError, match="since openai is read from files only"):
        read_conversations(both, format="openai")
    with pytest.raises(FormatError, match=r"wanted an export \(gemini\)"):
        read_conversations(both, format="gemini")


def test_several_exports_and_a_file(tmp_path: Path) -> None:
    paths = [
        write_zip(tmp_path / "x.zip", {"conversations.json": [one("a")]}),
        write_folder(tmp_path / "y", {"conversations.json": [one("a")]}),
        tmp_path / "y" / "conversations.json",
    ]
    assert [conversation.id for conversation in read_conversations(paths)] == ["a", "a-2", "a-3"]


def test_a_zip_by_any_name(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "export", {"conversations.json": [one("a")]})
    assert len(read_conversations(str(path)).conversations()) == 1


@pytest.mark.parametrize("name", ["../../conversations.json", "/etc/conversations.json", "a//b/./conversations.json"])
def test_names_that_lead_out_of_a_zip_lead_nowhere(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "deep" / "deeper"
    inside.mkdir(parents=True)
    path = write_zip(inside / "x.zip", {name: [one("a")]})
    before = set(tmp_path.rglob("*"))
    (conversation,) = read_conversations(path).conversations()
    assert conversation.id == "a"
    assert set(tmp_path.rglob("*")) == before


def test_an_encrypted_zip(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"conversations.json": [one("a")]})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag that says so, in the zip's directory
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"'conversations\.json' is encrypted") as caught:
        read_conversations(path)
    assert caught.value.__notes__ == ["Unpack the zip with its password, then name the folder."]


def test_a_zip_bomb(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"conversations.json": [one("a")]})
    content = bytearray(path.read_bytes())
    place = content.index(b"PK\x01\x02") + 24  # the size to which it grows, in the zip's directory
    content[place : place + 4] = (3 << 30).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"wanted text, not \d{3} bytes that grow to 3,221,225,472") as caught:
        read_conversations(path)
    assert caught.value.__notes__ == ["If you trust it, unpack it and name the folder."]


def test_a_way_of_compressing_that_is_not_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", compression=zipfile.ZIP_BZIP2) as archive:
        archive.writestr("conversations.json", "[]")
    with pytest.raises(InputError, match="compressed in a way that is not read here"):
        read_conversations(tmp_path / "x.zip")


def test_a_zip_that_breaks_off(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"conversations.json": [one("a")]})
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FormatError, match="begins as a zip, but cannot be read as one"):
        read_conversations(path)


def test_a_zip_with_damage_inside(tmp_path: Path) -> None:
    noise = random.Random(0)
    talks = [chain(said("user", noise.randbytes(5000).hex()), conversation_id=str(number)) for number in range(300)]
    path = write_zip(tmp_path / "x.zip", {"conversations.json": talks})
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    result = read_conversations(path)
    assert 0 < len(result.conversations()) < 300
    assert result.tally.skipped


def test_gzip_inside_a_zip_is_not_opened(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"conversations.json": b"\x1f\x8b\x08\x00\x00"})
    with pytest.raises(FormatError, match="wanted an export"):
        read_conversations(path)


@pytest.mark.parametrize("text", ['{"a": "' + "x" * 1000, "[" * 1000, '{"a": "x"'.ljust(1000)])
def test_a_value_without_an_end_is_given_up(text: str) -> None:
    window = JsonWindow(io.StringIO(f"[1, {text * 3000}"), longest=1000)
    window.pass_bracket()
    assert window.take() == 1
    with pytest.raises(FormatError):
        window.take()
    assert not window.pass_over()
    assert len(window.text) < len(text) * 1000


@pytest.mark.parametrize("name", ["conversations.json", "export.zip"])
def test_memory_stays_far_below_the_size_of_a_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_export(path, size=20_000_000)
    cost = run_import(path)
    assert (cost.conversations > 300, cost.skipped) == (True, 0)
    assert cost.peak - cost.start < cost.size * 0.7
