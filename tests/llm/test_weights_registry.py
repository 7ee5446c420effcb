"""Weights out of packages: joined, verified, and never run."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.llm import weights_packages as packages
from tests.llm.weights_packages import CONTENT, Fetch, entry, without_hub
from userside.errors import WeightsError
from userside.llm.weights import provide_weights
from userside.llm.weights_source import Errand


@pytest.fixture
def fetch(tmp_path: Path) -> Fetch:
    return Fetch(tmp_path)


def test_the_registry_is_not_asked_unless_allowed(fetch: Fetch) -> None:
    with pytest.raises(WeightsError, match="no file of the publisher"):
        fetch(without_hub(entry()))
    assert not any("registry" in line for line in fetch.said)


def test_nothing_is_asked_where_nothing_is_allowed(fetch: Fetch) -> None:
    with pytest.raises(WeightsError, match="allows no source"):
        fetch(USERSIDE_WEIGHTS="none")
    assert fetch.said == []


def test_parts_are_joined_by_number_and_the_packages_go(fetch: Fetch) -> None:
    path = fetch(USERSIDE_WEIGHTS="hub,registry")
    assert path.read_bytes() == CONTENT
    assert fetch.files() == {path.name}
    assert any("third party" in line for line in fetch.said)


def tampering(requirements: Sequence[str], folder: Path) -> None:
    packages.unpack(CONTENT[:-1] + b"?", requirements, folder)


def without_a_part(requirements: Sequence[str], folder: Path) -> None:
    packages.unpack(CONTENT, requirements[:-1], folder)


def with_a_part_outside(requirements: Sequence[str], folder: Path) -> None:
    packages.unpack(CONTENT, requirements, folder)
    (folder.parent / "outside.bin").write_bytes(b"secret")
    record = folder / "made_up_part1-1.2.0.dist-info" / "RECORD"
    record.write_text("../outside.bin,,\n")


def with_two_files(requirements: Sequence[str], folder: Path) -> None:
    packages.unpack(CONTENT, requirements, folder)
    record = folder / "made_up_part1-1.2.0.dist-info" / "RECORD"
    record.write_text(record.read_text() + "made_up_part1/other.bin,,\n")


type Deed = Callable[[Sequence[str], Path], None]


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (tampering, "not the weights of made-up"),
        (without_a_part, "package made-up-part11"),
        (with_a_part_outside, "wanted one file"),
        (with_two_files, "wanted one file"),
    ],
)
def test_packages_that_are_not_what_was_pinned_leave_nothing(tmp_path: Path, deed: Deed, told: str) -> None:
    def install(_: Errand, requirements: Sequence[str], folder: Path) -> None:
        deed(requirements, folder)

    fetch = Fetch(tmp_path, install=install)
    with pytest.raises(WeightsError, match=told):
        fetch(USERSIDE_WEIGHTS="registry")
    assert fetch.files() <= {"outside.bin"}


def test_an_installer_that_fails_leaves_nothing(tmp_path: Path) -> None:
    fetch = Fetch(tmp_path, install=packages.refuse)
    with pytest.raises(WeightsError, match="registry: no network for made-up"):
        fetch(USERSIDE_WEIGHTS="registry")
    assert fetch.files() == set()


def test_what_a_killed_process_left_is_cleared(fetch: Fetch) -> None:
    stale = fetch.folder / f".{entry().sha256[:12]}-abc"
    stale.mkdir(parents=True)
    (stale / "part01.bin").write_bytes(b"x")
    assert fetch(USERSIDE_WEIGHTS="registry").exists()
    assert not stale.exists()


def real(tmp_path: Path, shelf: Path) -> dict[str, str]:
    """Return an environment in which the real installer knows one shelf of packages and no network."""
    installers = {"UV_FIND_LINKS": str(shelf), "UV_NO_INDEX": "1", "PIP_FIND_LINKS": str(shelf), "PIP_NO_INDEX": "1"}
    return {**os.environ, **installers, "USERSIDE_CACHE": str(tmp_path / "cache"), "USERSIDE_WEIGHTS": "registry"}


def test_the_real_installer_fetches_wheels_as_data(tmp_path: Path) -> None:
    packages.write_wheels(tmp_path)
    path = provide_weights(entry(), say=print, environment=real(tmp_path, tmp_path))
    assert path.read_bytes() == CONTENT
    assert [one.name for one in path.parent.iterdir() if one.suffix != ".lock"] == [path.name]


def test_no_code_of_a_package_is_executed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    packages.write_source_packages(tmp_path, trace=trace)
    with pytest.raises(WeightsError, match="ended with code"):
        provide_weights(entry(), say=print, environment=real(tmp_path, tmp_path))
    assert not trace.exists()
