"""What holds for the whole of the code: sizes, front pages, documented names, no mocks, no registry addresses."""

import ast
import importlib
import inspect
import re
import subprocess
from pathlib import Path

import pytest

import userside

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
FOLDERS = sorted(path.parent for path in (ROOT / "src" / "userside").glob("*/__init__.py"))
LONGEST = 400


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def every_module() -> list[Path]:
    return [path for part in ("src", "tests", "benchmarks") for path in sorted((ROOT / part).rglob("*.py"))]


@pytest.mark.parametrize("path", every_module(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_longer_than_a_reader_bears(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_front_page_lists_what_it_offers_sorted_and_documented(folder: Path) -> None:
    page = importlib.import_module(f"userside.{folder.name}")
    # Constants first, then classes, then functions: as the linter sorts `__all__`.
    assert len(set(page.__all__)) == len(page.__all__)
    for name in page.__all__:
        value = getattr(page, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{folder.name}.{name} has no docstring"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_other_folders_are_reached_by_their_front_page_only(folder: Path) -> None:
    beyond = re.compile(rf"^\s*(?:from|import) userside\.(?!{folder.name}\b)(?!errors\b)\w+\.", re.MULTILINE)
    reaching = {str(path.relative_to(ROOT)): beyond.findall(path.read_text("utf-8")) for path in folder.rglob("*.py")}
    assert {path: found for path, found in reaching.items() if found} == {}


def public_definitions(path: Path) -> list[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]


def test_every_public_name_has_a_docstring() -> None:
    bare = [
        f"{path.name}:{one.name}" for path in SOURCES for one in public_definitions(path) if not ast.get_docstring(one)
    ]
    assert bare == []


def test_no_folder_or_module_is_a_drawer_for_anything() -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "core", "base", "misc"}
    assert [str(path) for path in SOURCES if {path.stem, path.parent.name} & drawers] == []


def test_nothing_is_mocked() -> None:
    pattern = re.compile(r"unittest\.mock|from unittest import mock|MagicMock|monkeypatch\.setattr")
    found = [path.name for path in every_module() if pattern.search(path.read_text("utf-8")) and path != Path(__file__)]
    assert found == []


def test_no_file_names_a_registry() -> None:
    hosts = re.compile(r"pypi\.org|pythonhosted|registry\.npmjs|deb\.debian", re.IGNORECASE)
    texts = [
        path for path in tracked() if path.suffix in {".txt", ".toml", ".py", ".md", ".json", ".yml", ".sh", ".in"}
    ]
    found = [str(path) for path in texts if hosts.search(path.read_text("utf-8", "replace")) and path != Path(__file__)]
    assert found == []
    assert not (ROOT / "uv.lock").exists()


def test_the_version_is_the_changelogs_and_the_projects() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'version = "{userside.__version__}"' in project
    assert re.search(r"^## (?:Unreleased|\[?\d)", changelog, re.MULTILINE)
