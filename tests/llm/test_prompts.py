"""Prompts as files: what is in them, what replaces them, and what cannot be used."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from userside.errors import InputError, PromptError
from userside.llm import NOT_VALIDATED, Prompt, PromptSet, read_prompts, write_prompts
from userside.llm.prompts import read_prompt, write_prompt

JUDGE = "<!-- blanks: item, conversation -->\nIs this so?\n$item\nIt costs $$5.\n${conversation}\n"


@pytest.fixture
def package(tmp_path: Path) -> Iterator[str]:
    """A package with two prompts, importable while the test runs."""
    folder = tmp_path / "site" / "prompted" / "judging"
    (folder / "prompts").mkdir(parents=True)
    for init in (folder.parent / "__init__.py", folder / "__init__.py"):
        init.write_text("")
    (folder / "prompts" / "judge.md").write_text(JUDGE)
    (folder / "prompts" / "system.md").write_text("<!-- blanks: -->\nYou judge.\n")
    sys.path.insert(0, str(tmp_path / "site"))
    yield "prompted.judging"
    sys.path.remove(str(tmp_path / "site"))
    for name in [name for name in sys.modules if name.startswith("prompted")]:
        del sys.modules[name]


def replace(folder: Path, name: str, text: str) -> Path:
    (folder / "judging").mkdir(parents=True, exist_ok=True)
    (folder / "judging" / name).write_text(text, encoding="utf-8")
    return folder


def test_a_prompt_is_filled_once():
    prompt = Prompt(name="judge", text="$item: ${conversation} for $$5")
    assert prompt.blanks == ("item", "conversation")
    assert prompt.fill(item="$conversation {x}", conversation="$item $$") == "$conversation {x}: $item $$ for $5"


@pytest.mark.parametrize(
    ("blanks", "message"),
    [
        ({}, "prompt 'judge': wanted `conversation`, `item`, got none"),
        ({"item": "x"}, "prompt 'judge': wanted `conversation`, `item`, got `item`"),
        ({"item": "x", "conversation": "y", "mood": "z"},
         "prompt 'judge': wanted `conversation`, `item`, got `conversation`, `item`, `mood`"),
    ],
)  # fmt: skip
def test_every_blank_is_filled_and_no_other(blanks: dict[str, str], message: str):
    with pytest.raises(PromptError) as caught:
        Prompt(name="judge", text="$item $conversation").fill(**blanks)
    assert str(caught.value) == message


def test_a_fingerprint_changes_with_the_words_alone():
    one, same, other = (
        Prompt(name=name, text=text) for name, text in [("a", "Why?"), ("b", "Why?"), ("a", "Why not?")]
    )
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert len(one.fingerprint) == 12
    sets = [PromptSet(name="s", prompts={prompt.name: prompt}) for prompt in (one, same, other)]
    assert len({prompts.fingerprint for prompts in sets}) == 3


def test_a_file_is_written_as_it_is_read():
    prompt = read_prompt(JUDGE, name="judge")
    assert prompt.text == "Is this so?\n$item\nIt costs $$5.\n${conversation}"
    assert read_prompt(write_prompt(prompt), name="judge") == prompt


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Is this so?\n$item", "wanted a first line `<!-- blanks: … -->`, not 'Is this so?\\n$item'"),
        ("<!-- blanks: item -->\nIs this so?", "its first line names `item`, its text none"),
        ("<!-- blanks: -->\n$item", "its first line names none, its text `item`"),
        ("<!-- blanks: -->\nIt costs $5.", "a dollar sign begins no name of a blank"),
        ("", "wanted a first line `<!-- blanks: … -->`, not ''"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(text: str, message: str):
    with pytest.raises(PromptError) as caught:
        read_prompt(text, name="judge")
    assert str(caught.value) == f"prompt 'judge': {message}"


def test_reads_the_prompts_of_a_package(package: str):
    prompts = read_prompts(package)
    assert (prompts.name, sorted(prompts.prompts), prompts.validated) == ("judging", ["judge", "system"], NOT_VALIDATED)
    assert prompts["system"].fill() == "You judge."
    with pytest.raises(PromptError, match=r"prompts 'judging': wanted 'jugde', there are `judge`, `system`"):
        prompts["jugde"]


def test_an_own_file_replaces_one_prompt_and_leaves_the_other(package: str, tmp_path: Path):
    own = replace(
        tmp_path / "own", "judge.md", "\ufeff<!-- blanks: conversation, item -->\r\nMine.\r\n$conversation $item"
    )
    prompts, shipped = read_prompts(package, folder=own), read_prompts(package)
    assert prompts["judge"].text == "Mine.\n$conversation $item"
    assert prompts["system"] == shipped["system"]
    assert prompts.fingerprint != shipped.fingerprint


def test_a_replaced_set_is_as_validated_as_its_folder_says(package: str, tmp_path: Path):
    validation = tmp_path / "site" / "prompted" / "judging" / "prompts" / "validation.md"
    validation.write_text("Held against 40 coders.\n")
    own = replace(tmp_path / "own", "system.md", "<!-- blanks: -->\nYou judge.\n")
    assert read_prompts(package, folder=own).validated == "Held against 40 coders."
    replace(own, "system.md", "<!-- blanks: -->\nYou judge well.\n")
    assert read_prompts(package, folder=own).validated == NOT_VALIDATED
    replace(own, "validation.md", "Held against my aunt.")
    assert read_prompts(package, folder=own).validated == "Held against my aunt."


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("jugde.md", "<!-- blanks: -->\nHello", "there is no prompt 'jugde' to replace"),
        ("judge.md", "<!-- blanks: item -->\n$item", "wanted the blanks `conversation`, `item`, not `item`"),
    ],
)
def test_a_replacement_that_replaces_nothing_is_an_error(
    package: str, tmp_path: Path, name: str, text: str, message: str
):
    own = replace(tmp_path / "own", name, text)
    with pytest.raises(PromptError) as caught:
        read_prompts(package, folder=own)
    assert str(caught.value) == f"{own / 'judging' / name}: {message}"


def test_bytes_that_are_no_text_are_an_error(package: str, tmp_path: Path):
    own = replace(tmp_path / "own", "judge.md", "")
    (own / "judging" / "judge.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PromptError, match="wanted UTF-8 text"):
        read_prompts(package, folder=own)


def test_exported_prompts_replace_themselves(package: str, tmp_path: Path):
    shipped = read_prompts(package)
    written = write_prompts(shipped, tmp_path / "own")
    assert [path.name for path in written] == ["judge.md", "system.md"]
    assert read_prompts(package, folder=tmp_path / "own") == shipped


def test_an_export_overwrites_nothing(package: str, tmp_path: Path):
    own = replace(tmp_path / "own", "system.md", "mine")
    with pytest.raises(InputError, match=r"system\.md: is there already"):
        write_prompts(read_prompts(package), own)
    assert (own / "judging" / "system.md").read_text() == "mine"
    assert not (own / "judging" / "judge.md").exists()
