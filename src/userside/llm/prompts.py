"""Prompts are files with a fingerprint, so that a score can be traced to the words that produced it.

A file holds one sentence a line. Its first line names its blanks and is not sent::

    <!-- blanks: item, conversation -->
    Does the user in this conversation do what the item says?
    $item
    $conversation
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from userside.errors import InputError, PromptError

NOT_VALIDATED = "not yet validated against people"
"""What a set says of itself until somebody has shown otherwise."""

_VALIDATION = "validation.md"
_HEADER = re.compile(r"<!--\s*blanks:(?P<blanks>[^\n]*?)-->[^\S\n]*(?:\n|$)")
_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A question with blanks, written `$name`; `$$` is a dollar sign.

    Raises:
        PromptError: The text cannot be filled: a dollar sign begins no name.
    """

    name: str
    text: str

    def __post_init__(self) -> None:
        if not Template(self.text).is_valid():
            raise PromptError(f"prompt {self.name!r}: a dollar sign begins no name of a blank").with_note(
                "Write `$$` for a dollar sign."
            )

    @property
    def fingerprint(self) -> str:
        """Return 12 hex digits that change when the words do."""
        return _digest(self.text)

    @property
    def blanks(self) -> tuple[str, ...]:
        """Return the names of the blanks, in order of appearance."""
        return tuple(Template(self.text).get_identifiers())

    def fill(self, **blanks: str) -> str:
        """Return the text with its blanks filled; what is filled in is never scanned for blanks again.

        >>> Prompt(name="why", text="Why is $user unhappy?").fill(user="$user")
        'Why is $user unhappy?'

        Raises:
            PromptError: A blank is not filled, or is not there.
        """
        if set(blanks) != set(self.blanks):
            raise PromptError(f"prompt {self.name!r}: wanted {_named(self.blanks)}, got {_named(blanks)}")
        return Template(self.text).substitute(blanks)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSet:
    """The prompts of one domain.

    Attributes:
        name: The domain, which is also the name of the folder they are exported to.
        prompts: The prompts by name.
        validated: Whether the wording was ever held against people's judgement, as a phrase for a report.
    """

    name: str
    prompts: Mapping[str, Prompt] = field(default_factory=dict[str, Prompt])
    validated: str = NOT_VALIDATED

    @property
    def fingerprint(self) -> str:
        """Return 12 hex digits that change when the words of any prompt do."""
        return _digest("\n".join(f"{name} {self.prompts[name].fingerprint}" for name in sorted(self.prompts)))

    def __getitem__(self, name: str) -> Prompt:
        """Return one prompt.

        Raises:
            PromptError: There is none of that name.
        """
        if name not in self.prompts:
            raise PromptError(f"prompts {self.name!r}: wanted {name!r}, there are {_named(sorted(self.prompts))}")
        return self.prompts[name]


def read_prompt(text: str, *, name: str) -> Prompt:
    """Return the prompt that a file holds.

    Raises:
        PromptError: The first line names no blanks, or not those that the text has.
    """
    header = _HEADER.match(text)
    if header is None:
        raise PromptError(f"prompt {name!r}: wanted a first line `<!-- blanks: … -->`, not {text[:60]!r}")
    prompt = Prompt(name=name, text=text[header.end() :].strip("\n"))
    declared = {blank.strip() for blank in header["blanks"].split(",")} - {""}
    if declared != set(prompt.blanks):
        raise PromptError(f"prompt {name!r}: its first line names {_named(declared)}, its text {_named(prompt.blanks)}")
    return prompt


def write_prompt(prompt: Prompt) -> str:
    """Return a prompt as the text of its file."""
    return f"<!-- blanks: {', '.join(prompt.blanks)} -->\n{prompt.text}\n"


def read_prompts(package: str, *, folder: Path | None = None) -> PromptSet:
    """Return the prompts that ship in `package`, each replaced by the file of its name in `folder`/domain.

    A replaced set counts as not validated, unless the folder's own `validation.md` says otherwise.

    Raises:
        PromptError: A file cannot be used, replaces nothing, or has other blanks than what it replaces.
    """
    domain = package.rpartition(".")[2]
    shipped = resources.files(package) / "prompts"
    prompts, validated = _read_folder(shipped), _read_validation(shipped)
    own = folder / domain if folder is not None else None
    if own is not None and own.is_dir():
        replacing = _read_folder(own)
        for name, prompt in replacing.items():
            _check_replaces(prompt, prompts.get(name), where=own / f"{name}.md")
        if {name: prompts[name].text for name in replacing} != {name: one.text for name, one in replacing.items()}:
            validated = _read_validation(own)
        prompts |= replacing
    return PromptSet(name=domain, prompts=prompts, validated=validated)


def write_prompts(prompts: PromptSet, folder: Path) -> list[Path]:
    """Return the files, one a prompt, that were written to `folder`/domain for the user to edit.

    Raises:
        InputError: A file of that name is there; nothing has been written then.
    """
    paths = {folder / prompts.name / f"{name}.md": prompt for name, prompt in sorted(prompts.prompts.items())}
    for path in paths:
        if path.exists():
            raise InputError(f"{path}: is there already").with_note("Export to another folder, or move this one away.")
    (folder / prompts.name).mkdir(parents=True, exist_ok=True)
    for path, prompt in paths.items():
        path.write_text(write_prompt(prompt), encoding="utf-8")
    return list(paths)


def _read_folder(folder: Traversable) -> dict[str, Prompt]:
    if not folder.is_dir():
        raise PromptError(f"{folder}: wanted a folder of prompts")
    files = [file for file in folder.iterdir() if file.name.endswith(".md") and file.name != _VALIDATION]
    names = {file.name.removesuffix(".md"): file for file in sorted(files, key=lambda file: file.name)}
    return {name: read_prompt(_text(file), name=name) for name, file in names.items()}


def _read_validation(folder: Traversable) -> str:
    file = folder / _VALIDATION
    return _text(file).strip() if file.is_file() else NOT_VALIDATED


def _text(file: Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise PromptError(f"{file}: wanted UTF-8 text") from None


def _check_replaces(prompt: Prompt, shipped: Prompt | None, *, where: Path) -> None:
    if shipped is None:
        raise PromptError(f"{where}: there is no prompt {prompt.name!r} to replace").with_note(
            "`userside prompts export DIR` shows which there are."
        )
    if set(prompt.blanks) != set(shipped.blanks):
        raise PromptError(f"{where}: wanted the blanks {_named(shipped.blanks)}, not {_named(prompt.blanks)}")


def _named(blanks: "Mapping[str, str] | set[str] | tuple[str, ...] | list[str]") -> str:
    return ", ".join(f"`{blank}`" for blank in sorted(blanks)) or "none"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
