"""Files are written whole or not at all, and read back as they were."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversations.strategies import QUICK, conversations
from tests.conversations.talk import exchange
from userside.conversations import Conversation, read_conversations, read_sample, write_jsonl, write_parquet
from userside.errors import InputError

several = st.lists(conversations(), min_size=1, max_size=3, unique_by=lambda conversation: conversation.id)


@QUICK
@given(several)
def test_json_lines_come_back_as_they_were(written: list[Conversation]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        assert write_jsonl(written, path) == len(written)
        assert list(read_conversations(path, format="jsonl")) == written


@settings(QUICK, max_examples=15)
@given(several)
def test_parquet_comes_back_as_it_was(written: list[Conversation]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        assert write_parquet(written, path) == len(written)
        assert list(read_conversations(path)) == written


def test_gzip_by_name_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    sample = read_sample("everyday")
    write_jsonl(sample, tmp_path / "a.jsonl.gz")
    write_jsonl(sample, tmp_path / "b.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert read_conversations(tmp_path / "a.jsonl.gz").conversations() == sample
    write_jsonl(sample, tmp_path / "a.jsonl")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == (tmp_path / "a.jsonl").read_bytes()


def test_surrogates_in_memory_do_not_break_a_file(tmp_path: Path) -> None:
    assert write_jsonl([exchange("ok \udeaa")], tmp_path / "a.jsonl") == 1
    assert "ok �" in (tmp_path / "a.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("write", [write_jsonl, write_parquet])
def test_a_failure_leaves_the_earlier_file_and_no_draft(tmp_path: Path, write: type) -> None:
    path = tmp_path / "a.out"
    write([exchange("earlier")], path)
    before = path.read_bytes()

    def broken() -> Iterator[Conversation]:
        yield exchange("later")
        raise RuntimeError("the source broke off")

    with pytest.raises(RuntimeError, match="broke off"):
        write(broken(), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.out"]


def test_a_missing_folder_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: No such file"):
        write_jsonl([], tmp_path / "none" / "a.jsonl")


def test_no_conversations_make_an_empty_parquet(tmp_path: Path) -> None:
    assert write_parquet([], tmp_path / "a.parquet") == 0
    assert read_conversations(tmp_path / "a.parquet").conversations() == ()
