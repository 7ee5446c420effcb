"""Which model plays which role: the flag, else the environment, else `userside.toml`."""

import os
import tomllib
from pathlib import Path
from typing import Any

from userside.errors import InputError

FILE = Path("userside.toml")

_LIKE = {"extractor": "judge"}
"""Roles that the model of another one plays where they have none of their own."""


def model_name(role: str, flag: str | None) -> str:
    """Return the model for a role.

    Raises:
        InputError: None was named anywhere, or `userside.toml` cannot be read.
    """
    named = optional_model_name(role, flag) or optional_model_name(_LIKE.get(role, role), None)
    if named is not None:
        return named
    raise InputError(f"--model: wanted a model for the {role}, and none is named").with_note(
        "For example `--model local:qwen2.5-coder-1.5b` (no key, runs here), or "
        f"`--model openai:NAME`; or set USERSIDE_{role.upper()}."
    )


def optional_model_name(role: str, flag: str | None) -> str | None:
    """Return the model for a role, or None where none was named anywhere."""
    return flag or os.environ.get(f"USERSIDE_{role.upper()}") or _from_file("models", role) or None


def base_url(role: str, flag: str | None) -> str | None:
    """Return the address for a role, or None for the provider's own."""
    own = flag or os.environ.get(f"USERSIDE_{role.upper()}_BASE_URL") or _from_file("base_urls", role)
    return own if own or role not in _LIKE else base_url(_LIKE[role], None)


def _from_file(table: str, name: str) -> str | None:
    if not FILE.exists():
        return None
    try:
        settings: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{FILE}: {error}") from None
    value = settings.get(table, {}).get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{FILE}: [{table}] {name}: wanted text, not {value!r}")
    return value
